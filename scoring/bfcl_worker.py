"""What BFCL's simulators say of questions of several turns; runs beside the package `bfcl-eval` alone.

It reads lines `{"question": {...}, "gold": [turn], "said": [turn]}`. A gold turn is a list of calls, and a
said one a list of steps, each a list of calls. A call is a pair of name and arguments, or text. For each
line it writes one: the first turn that is wrong (from 0, null for none), and BFCL's word for why.
"""

import ast
import faulthandler
import json
import sys
from importlib import import_module
from typing import Any


def text_of(call: Any, known: set[str]) -> str:
    """A call as the simulators take it: they evaluate it, so only a function of theirs with plain values.

    What is something else becomes a name without a meaning, which is an error among their results as well.
    """
    if not isinstance(call, str):
        name, arguments = call
        call = f"{name}({','.join(f'{key}={value!r}' for key, value in arguments.items())})"
    try:
        read = ast.parse(call, mode="eval").body
        for value in (*read.args, *(keyword.value for keyword in read.keywords)):
            ast.literal_eval(value)
        return call if read.func.id in known else "unknown"
    except (SyntaxError, ValueError, AttributeError, RecursionError, MemoryError):
        return "unknown"


def verdict(order: dict[str, Any], multi_turn: Any) -> dict[str, Any]:
    """The first turn of a question that is wrong, and why, by the package's `multi_turn_checker`."""
    simulators = multi_turn.execute_multi_turn_func_call.__globals__
    question, classes = order["question"], order["question"]["involved_classes"]
    known = {
        name
        for one in classes
        for name in dir(getattr(import_module(simulators["CLASS_FILE_PATH_MAPPING"][one]), one))
        if not name.startswith("_")
    }
    gold = [[text_of(call, known) for call in turn] for turn in order["gold"]]
    said = [[[text_of(call, known) for call in step] for step in turn] for turn in order["said"]]
    before = set(simulators)
    for turn in range(len(gold)):
        found = multi_turn.multi_turn_checker(
            said[: turn + 1], gold[: turn + 1], question, question["id"].rsplit("_", 1)[0], "run"
        )
        for name in set(simulators) - before:
            del simulators[name]  # what the question left behind
        if not found["valid"]:
            return {"turn": turn, "why": found["error_type"]}
    return {"turn": None, "why": ""}


def main() -> None:
    """Judge what comes in line by line; a line of its own says that the package is there.

    The argument is a number of seconds: where a question takes longer, the process ends.
    """
    answers, sys.stdout = sys.stdout, sys.stderr
    multi_turn = import_module("bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker")
    print(json.dumps("ready"), file=answers, flush=True)
    for line in sys.stdin:
        faulthandler.dump_traceback_later(float(sys.argv[1]), exit=True)
        try:
            found = verdict(json.loads(line), multi_turn)
        except Exception as exc:
            found = {"turn": 0, "why": f"{type(exc).__name__}: {exc}"}
        print(json.dumps(found), file=answers, flush=True)


if __name__ == "__main__":
    main()
