"""An evaluator that does the published steps of WildToolBench, written from `docs/spec/scoring.md` alone.

It shares no line with the product, so that what `annotator score` takes can be held against what anybody
would write who follows the page: read both files, normalise the types, list the paths (2.2), match the
replies (3.4), judge the arguments (4.1), write the labelled results and the table of accuracies (6.3).

    python -m tests.bench.published_evaluator CASES RESULTS FOLDER
"""

import json
import sys
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import chain, combinations
from pathlib import Path
from typing import Any

ASK, END = "ask_user_for_required_parameters", "prepare_to_answer"
STANDARD = {
    "float": "number",
    "int": "integer",
    "String": "string",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
}
TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}
Steps = tuple[int, ...]


def normalised(schema: Any) -> Any:
    """A schema with standard names of types (formats 5.3)."""
    if isinstance(schema, list):
        return [normalised(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: STANDARD.get(value, value) if key == "type" and isinstance(value, str) else normalised(value)
        for key, value in schema.items()
    }


def choices(ready: Steps, names: list[str]) -> Iterator[list[Steps]]:
    """What may be done next: combinations of the ready steps, thinned out by their names (2.2)."""
    runs, begin = [], 0
    for i in range(1, len(ready) + 1):
        if i == len(ready) or names[ready[i]] != names[ready[begin]]:
            runs += [ready[begin:i]] if i - begin > 1 else []
            begin = i
    whole = set(runs)
    parts = {part for run in runs for size in range(1, len(run)) for part in combinations(run, size)}
    known = set()
    for size in range(1, len(ready) + 1):
        for chosen in combinations(ready, size):
            joined = "".join(names[i] for i in chosen)
            if joined in known:
                continue
            known.add(joined)
            begins = [chosen[:i] for i in range(1, len(chosen) + 1)]
            if size > 1 and parts.intersection(begins) and not whole.intersection(begins):
                continue
            run = next((run for run in runs if chosen == run[:1]), None)
            yield [(i,) for i in run] if run else [chosen]


def paths(names: list[str], before: list[set[int]]) -> list[list[Steps]]:
    """Every path of a task, each as its steps one after another."""
    found: list[list[Steps]] = []

    def go_on(done: frozenset[int], path: list[Steps]) -> None:
        if len(done) == len(names):
            found.append(path)
            return
        ready = tuple(i for i in range(len(names)) if i not in done and before[i] <= done)
        for steps in choices(ready, names):
            go_on(done.union(*steps), path + steps)

    go_on(frozenset(), [])
    return found


def schema_error(value: Any, schema: Any, *, root: bool = False) -> str | None:
    """The first rule of a schema a value breaks (4.1, pass 1)."""
    if schema.get("anyOf"):
        errors = [schema_error(value, branch) for branch in schema["anyOf"]]
        return None if None in errors else errors[0]
    wanted = TYPES.get(schema.get("type", "string"), object)
    where = "" if root else "nested "
    if not isinstance(value, wanted):
        return f"{where}type error"
    if "enum" in schema and value not in schema["enum"]:
        return f"{where}enum error"
    if isinstance(value, dict):
        missing = [name for name in schema.get("required", ()) if name not in value]
        if missing:
            return f"{where}missing {missing}"
        declared = schema.get("properties", {})
        for key, inner in value.items():
            if key not in declared:
                if schema.get("additionalProperties") is True:
                    continue
                return f"{where}undefined {key}"
            if error := schema_error(inner, declared[key]):
                return error
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return next(filter(None, (schema_error(item, schema["items"]) for item in value)), None)
    return None


def gold_error(said: Any, gold: Any) -> str | None:
    """The first difference from the gold value (4.1, pass 2)."""
    if type(said) is not type(gold):
        return "other type"
    if isinstance(gold, dict):
        if said.keys() != gold.keys():
            return "other keys"
        return next(filter(None, (gold_error(said[key], gold[key]) for key in gold)), None)
    if isinstance(gold, list):
        if len(said) != len(gold):
            return "other length"
        return next(filter(None, map(gold_error, said, gold)), None)
    if isinstance(gold, str):
        return text_error(said, gold)
    return None if said == gold else "other value"


def text_error(said: str, gold: str) -> str | None:
    """Why a text is too far from the gold text."""
    if said == gold or "".join(said.split()).lower() == "".join(gold.split()).lower():
        return None
    if len(gold) < 10 and SequenceMatcher(None, said, gold).ratio() < 0.8:
        return "edit ratio"
    measured = rouge_l(said, gold)
    return "not computable" if measured is None else "similarity" if measured < 0.7 else None


def rouge_l(said: str, gold: str) -> float | None:
    """F of ROUGE-L over summaries."""
    sides = [
        [" ".join(piece.split()).split(" ") for piece in text.split(".") if piece] for text in (gold, said)
    ]
    if not all(sides):
        return None
    words = [set(chain.from_iterable(side)) for side in sides]
    union: set[str] = set()
    for one in sides[0]:
        for other in sides[1]:
            union |= common_words(one, other)
    recall, precision = len(union) / len(words[0]), len(union) / len(words[1])
    return 2 * precision * recall / (precision + recall + 1e-8)


def common_words(gold: list[str], said: list[str]) -> set[str]:
    """The words of one longest common subsequence."""
    table = [[0] * (len(said) + 1) for _ in range(len(gold) + 1)]
    for i, word in enumerate(gold):
        for j, other in enumerate(said):
            table[i + 1][j + 1] = table[i][j] + 1 if word == other else max(table[i][j + 1], table[i + 1][j])
    i, j, found = len(gold), len(said), set()
    while i and j:
        if gold[i - 1] == said[j - 1]:
            found.add(gold[i - 1])
            i, j = i - 1, j - 1
        elif table[i - 1][j] > table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return found


def judge(nodes: list[Any], tools: dict[str, Any], log: dict[str, Any]) -> dict[str, Any]:
    """The labels of one task (3.4, 4.1): names, arguments, both, optimal, steps left in the log."""
    names = [node["action"]["name"] for node in nodes]
    left = paths(names, [set(node["dependency_list"]) for node in nodes])
    shortest = min(map(len, left)) - 1
    steps = [log[f"step_{k}"] for k in range(sum(key.startswith("step_") for key in log))]
    taken: list[tuple[dict[str, Any], Steps]] = []
    ended, number = False, 0
    for step in steps:
        said = step["inference_output"]
        open_steps = [path[number] for path in left if number < len(path)]
        calls = said.get("tool_calls")
        if calls:
            wanted = sorted(call["function"]["name"] for call in calls)
            found = next((one for one in open_steps if sorted(names[i] for i in one) == wanted), None)
            if found is None:
                break
            left = [path for path in left if number < len(path) and path[number] == found]
            taken.append((said, found))
        elif said.get("content"):
            pseudo = next((i for one in open_steps for i in one if names[i] in (ASK, END)), None)
            if pseudo is None:
                break
            if names[pseudo] == END:
                ended = True
                break
        else:
            break
        number += 1
    logged = min(number + 1, len(steps))
    bad = None
    for said, found in taken:
        errors = arguments_errors(said["tool_calls"], [nodes[i]["action"] for i in found], tools)
        if any(errors):
            said["current_action_arguments_check_result"] = errors
            bad = said
            break
    if bad is not None:
        place = next(k for k, step in enumerate(steps) if step["inference_output"] is bad)
        if place + 1 < logged:
            logged, ended = logged - 1, True
    label = "correct" if ended and bad is None else "error"
    return {
        "label": label,
        "action_name_label": "correct" if ended else "error",
        "action_arguments_label": "correct" if bad is None else "error",
        "is_optimal": label == "correct" and number == shortest,
        "steps": logged,
        "inference_log": log,
    }


def arguments_errors(calls: list[Any], gold: list[Any], tools: dict[str, Any]) -> list[str | None]:
    """What is wrong with each call of a step, paired by sorted text."""
    made = sorted((call["function"]["name"], call["function"]["arguments"]) for call in calls)
    wanted = sorted((one["name"], json.dumps(one["arguments"]), i) for i, one in enumerate(gold))
    errors: list[str | None] = []
    for (name, text), (_, _, i) in zip(made, wanted, strict=True):
        try:
            said = json.loads(text)
        except ValueError:
            errors.append("invalid JSON")
            continue
        schema = tools[name].get("parameters", {})
        whole = {
            "type": "object",
            "required": schema.get("required", []),
            "properties": schema.get("properties", {}),
        }
        errors.append(schema_error(said, whole, root=True) or gold_error(said, gold[i]["arguments"]))
    return errors


def evaluate(cases: Path, results: Path, out: Path) -> list[dict[str, Any]]:
    """Score a result file, write the labelled one and the accuracies, and give every task's labels."""
    with cases.open(encoding="utf-8") as lines:
        entries = {entry["id"]: entry for entry in map(json.loads, lines)}
    tasks: list[dict[str, Any]] = []
    by_type: dict[str, list[bool]] = {}
    out.mkdir(parents=True, exist_ok=True)
    with (out / "score.jsonl").open("w", encoding="utf-8") as scores, results.open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            entry = entries[record["id"]]
            defined = [one["function"] for one in normalised(entry["english_tools"])]
            tools = {one["name"]: one for one in defined}
            judged = [
                judge(nodes, tools, result["inference_log"])
                for nodes, result in zip(entry["english_answer_list"], record["result"], strict=True)
            ]
            scores.write(json.dumps({"id": record["id"], "results": judged}, ensure_ascii=False) + "\n")
            for kind, one in zip(entry["english_task_types"], judged, strict=True):
                by_type.setdefault(kind, []).append(one["label"] == "correct")
                tasks.append({"case": record["id"], **{k: v for k, v in one.items() if k != "inference_log"}})
    table = {
        kind: {"accuracy": sum(found) / len(found), "correct_count": sum(found), "total_count": len(found)}
        for kind, found in by_type.items()
    }
    (out / "metric.json").write_text(json.dumps(table, indent=1), encoding="utf-8")
    return tasks


if __name__ == "__main__":
    evaluate(*map(Path, sys.argv[1:]))
