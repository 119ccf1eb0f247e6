"""Cases exported as a task of Inspect; `tests/package/test_ways.py` runs one."""

import ast
from pathlib import Path

from annotator.cases.file_export import export_cases
from scoring.model.case import Answer, Call
from scoring.model.taxonomy import CaseFormat
from tests.annotator.team import Team
from tests.factories import case, task

AWKWARD = 'Say """, \\""" and \\, ""\' or \'\'\', a\u2028b\x00\r\n, 北京, "\\'


def _module(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def test_an_exported_task_is_a_python_file_that_holds_the_cases(team: Team, tmp_path: Path) -> None:
    steps = (Call(name="f", arguments={"": "", "a": AWKWARD}, observation=""), Answer(text=AWKWARD))
    team.bring(case(task(*steps, user=AWKWARD), id="c-1"), case(task(*steps), id="c-2"))
    path, native = tmp_path / "task.py", tmp_path / "cases.jsonl"
    assert export_cases(team["max"], path, format=None, stages=()).written == 2
    export_cases(team["max"], native, format=CaseFormat.NATIVE, stages=())
    last = _module(path).body[-1]
    assert isinstance(last, ast.Assign)
    assert ast.unparse(last.targets[0]) == "CASES"
    assert ast.literal_eval(last.value).removeprefix("\n") == native.read_text("utf-8")


def test_an_exported_task_imports_the_package_as_it_is_installed(team: Team, tmp_path: Path) -> None:
    export_cases(team["max"], tmp_path / "task.py", format=None, stages=())
    used = {n.module or "" for n in ast.walk(_module(tmp_path / "task.py")) if isinstance(n, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in used} == {"annotator_workbench", "inspect_ai", "pathlib"}
    for name in used:
        if name.startswith("annotator_workbench."):
            __import__(name.removeprefix("annotator_workbench."))
