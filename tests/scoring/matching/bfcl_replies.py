"""Right, wrong and odd calls for questions of BFCL, and what its own checker says of them where it is."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

CATEGORIES = (
    "simple_python",
    "multiple",
    "parallel",
    "parallel_multiple",
    "live_simple",
    "live_multiple",
    "live_parallel",
    "live_parallel_multiple",
)
"""The single-turn categories that the checker judges by their calls, Java and JavaScript left out."""

BFCL_PYTHON = os.environ.get("BFCL_PYTHON", "")
"""A Python in whose environment bfcl-eval is installed; empty where there is none."""

Called = dict[str, Any]
"""One call: its name and its arguments."""

_ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -3, 2.0, 2.5, "", "x", "1", "true"),
    *([], [1], ["a"], [["a"]], {}, {"a": 1}, [{}], [{"a": 1}]),
)
_ADDED = " ,./-_*^!?'\":;()&@#\n"

_CHECKER = """
import json, sys, types
models = types.ModuleType("bfcl_eval.constants.model_config")
class Anything(dict):
    def __missing__(self, name):
        return types.SimpleNamespace(underscore_to_dot=True)
models.MODEL_CONFIG_MAPPING = Anything()
sys.modules[models.__name__] = models  # the real one imports every provider's library
from bfcl_eval.constants.enums import Language
from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker
for line in sys.stdin:
    functions, said, answer, category = json.loads(line)
    try:
        print(int(ast_checker(functions, said, answer, Language.PYTHON, category, "any")["valid"]))
    except Exception:
        print(0)
"""


def rows(path: Path) -> dict[str, Any]:
    """The records of an official file, by id."""
    read = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {row["id"]: row for row in read}


def verdicts(asked: list[tuple[Any, ...]]) -> list[bool]:
    """What BFCL's checker says of functions, calls, answer and category."""
    said = "".join(f"{json.dumps(one)}\n" for one in asked)
    found = subprocess.run(
        [BFCL_PYTHON, "-c", _CHECKER], input=said, capture_output=True, text=True, check=True
    )
    return [one == "1" for one in found.stdout.split()]


def replies(question: Any, answer: list[Called]) -> Iterator[list[Called]]:
    """Calls to judge: right ones, then each argument changed, left out and added; always the same ones."""
    random = Random(question["id"])
    right = _chosen(answer, random)
    yield right
    yield right[::-1]
    yield right + right[:1]
    yield right[1:]
    yield right[:1] * len(right)
    yield [*right[:-1], {f"{name}x": value for name, value in right[-1].items()}]
    yield [*right[:-1], {name.upper(): value for name, value in right[-1].items()}]
    yield [{name: value | {"unknown": 1} for name, value in right[0].items()}, *right[1:]]
    for _ in range(3):
        yield _chosen(answer, random, is_any=True)
    for number, call in enumerate(right):
        for name, arguments in call.items():
            declared: dict[str, Any] = next(
                (one for one in question["function"] if _spelt(one["name"]) == name), {}
            )
            changes: list[dict[str, Any]] = [
                {key: one for key, one in arguments.items() if key != left} for left in arguments
            ]
            changes += [
                arguments | {key: _changed(value, random)}
                for key, value in arguments.items()
                for _ in range(6)
            ]
            known = declared.get("parameters", {}).get("properties", {})
            changes += [arguments | {key: random.choice(_ODD)} for key in known]
            changes += [arguments | {key: one["default"]} for key, one in known.items() if "default" in one]
            yield from ([*right[:number], {name: one}, *right[number + 1 :]] for one in changes)


def _spelt(name: str) -> str:
    """A name as the interfaces of providers take it."""
    return name.replace(".", "_")


def _chosen(answer: list[Called], random: Random, *, is_any: bool = False) -> list[Called]:
    """Calls with accepted values: the first of each, or any, some of what may be left out among them."""
    calls = []
    for call in answer:
        for name, arguments in call.items():
            kept = {
                key: values
                for key, values in arguments.items()
                if [*values] != [""] and not ("" in values and is_any and random.random() < 0.5)
            }
            calls.append({_spelt(name): {key: _one(v, random, is_any=is_any) for key, v in kept.items()}})
    return calls


def _one(values: Any, random: Random, *, is_any: bool) -> Any:
    said = [one for one in values if one != ""] if isinstance(values, list) else [values]
    return _plain(random.choice(said) if is_any else said[0], random, is_any=is_any) if said else ""


def _plain(value: Any, random: Random, *, is_any: bool) -> Any:
    if isinstance(value, list):
        return [_plain(one, random, is_any=is_any) for one in value]
    if isinstance(value, dict):
        return {key: _one(one, random, is_any=is_any) for key, one in value.items()}
    return value


def _changed(value: Any, random: Random) -> Any:
    """A value written otherwise, of another type, or another one."""
    choices: list[Any] = [random.choice(_ODD), [value], str(value)]
    if isinstance(value, str):
        choices += [value.upper(), value.replace(" ", ""), value[:-1], " ".join(value)]
        choices += [value + random.choice(_ADDED) for _ in range(4)]
    elif isinstance(value, bool):
        choices += [not value, int(value)]
    elif isinstance(value, int | float):
        choices += [float(value), int(value), value + 1, bool(value)]
    elif isinstance(value, list):
        choices += [
            value[::-1],
            value[:-1],
            value + value[:1],
            [*value, random.choice(_ODD)],
            json.dumps(value),
        ]
        choices += [[*value[:i], _changed(value[i], random), *value[i + 1 :]] for i in range(len(value))]
    elif isinstance(value, dict):
        choices += [value | {"more": 1}, {key: value[key] for key in [*value][1:]}]
        choices += [value | {key: _changed(one, random)} for key, one in value.items()]
    return random.choice(choices)
