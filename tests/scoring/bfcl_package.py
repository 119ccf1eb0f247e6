"""A package of ours in the place of `bfcl-eval`: the same check of several turns over one simulator."""

from pathlib import Path

_SIMULATOR = '''
import os, time

class MathAPI:
    """A number that is added to."""
    def __init__(self):
        self.total = 0
    def add(self, number):
        self.total += number
        return {"total": self.total}
    def look(self):
        print("not for the answers")
        return str(self.total)
    def end(self):
        os._exit(7)
    def wait(self):
        time.sleep(600)
'''

_CHECKER = """
from .multi_turn_utils import execute_multi_turn_func_call

def multi_turn_checker(said, gold, entry, category, model):
    assert category == entry["id"].rsplit("_", 1)[0], category
    results = []
    for turn, calls in enumerate(gold):
        for step in said[turn]:
            found, mine = execute_multi_turn_func_call(step, entry, model)
            results += found
        due, theirs = execute_multi_turn_func_call(calls, entry, model + "_gold")
        if not calls:
            continue
        if not said[turn]:
            return {"valid": False, "error_type": "multi_turn:empty_turn_model_response"}
        if vars(mine) != vars(theirs):
            return {"valid": False, "error_type": "multi_turn:instance_state_mismatch"}
        if not set(due) <= set(results):
            return {"valid": False, "error_type": "multi_turn:execution_response_mismatch"}
    return {"valid": True}
"""

_UTILS = """
import importlib, json
CLASS_FILE_PATH_MAPPING = {"MathAPI": "bfcl_eval.math_api"}

def execute_multi_turn_func_call(calls, entry, model):
    name = f"{model}_{entry['id']}_instance"
    if name not in globals():
        globals()[name] = importlib.import_module(CLASS_FILE_PATH_MAPPING["MathAPI"]).MathAPI()
        globals()[name].total = entry["initial_config"]["total"]
    found = []
    for call in calls:
        try:
            is_method = hasattr(globals()[name], call.partition("(")[0])
            found.append(json.dumps(eval(f"{name}.{call}" if is_method else call)))
        except Exception as exc:
            found.append(f"Error: {exc}")
    return found, globals()[name]
"""

FILES = {
    "bfcl_eval/__init__.py": "print('not for the answers')",
    "bfcl_eval/math_api.py": _SIMULATOR,
    "bfcl_eval/eval_checker/__init__.py": "",
    "bfcl_eval/eval_checker/multi_turn_eval/__init__.py": "",
    "bfcl_eval/eval_checker/multi_turn_eval/multi_turn_utils.py": _UTILS,
    "bfcl_eval/eval_checker/multi_turn_eval/multi_turn_checker.py": _CHECKER,
}
"""Its modules: where the real one has them."""


def put_package(folder: Path) -> None:
    """Write the package into a folder."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
