"""Work stands below the window: its pages write no file, are no job, and loop over no operation."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.shared import ROOT

ABOVE = [
    path
    for path in sorted((ROOT / "ui").rglob("*.py"))
    if path.relative_to(ROOT / "ui").parts[0] not in ("services", "cli")
]
WRITERS = {"replace_text", "replaced_file", "writer", "DictWriter"}
"""Functions that write, when they are called; to hand one of them to the operations is what a page does."""
CHANGES_OF_FILES = {"write_text", "write_bytes", "unlink", "rmdir", "rmtree", "touch", "rename", "symlink_to"}
WRITING = re.compile(r"[bt]*[wax][bt+]*|r[bt]*\+[bt]*")
"""Modes in which a file is opened to be written."""
HANDS_OVER = {"run", "run_outside", "start_job", "start_outside"}
LOOPS = ast.For | ast.While | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
ALLOWED = {
    "ui/app.py: mkdir": "the folder of the log, before there is a window",
    "ui/graph/panel.py: replaced_file": "a picture that Qt paints",
    "ui/graph/order_counts.py: the job _counted": "arithmetic about what is drawn, without project or file",
}


def called(node: ast.AST) -> str:
    """The name of what a call calls; empty for anything else."""
    if not isinstance(node, ast.Call):
        return ""
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def is_write(node: ast.AST) -> bool:
    """Whether a node writes, moves or removes a file."""
    name = called(node)
    if isinstance(node, ast.Call) and name == "open":
        modes = [*node.args, *(keyword.value for keyword in node.keywords)]
        texts = {mode.value for mode in modes if isinstance(mode, ast.Constant)}
        return any(
            isinstance(text, str) and re.fullmatch(r"[bt]*[wax][bt+]*|r[bt]*\+[bt]*", text) for text in texts
        )
    return name in WRITERS | CHANGES_OF_FILES | {"mkdir"}


def faults(tree: ast.Module) -> Iterator[str]:
    """What work a file does itself: writes, jobs of its own, loops over operations."""
    for node in ast.walk(tree):
        if is_write(node):
            yield called(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            taken = {
                ast.unparse(argument.annotation).strip("'\"")
                for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
                if argument.annotation is not None
            }
            if "JobContext" in taken:
                yield f"the job {node.name}"
            if "Workspace" in taken and any(
                isinstance(inner, ast.For | ast.While) for inner in ast.walk(node)
            ):
                yield f"a loop in {node.name}, which has a workspace"
        if isinstance(node, LOOPS) and any(
            called(inner) in HANDS_OVER and "_operations" in ast.unparse(inner.func)  # type: ignore[attr-defined]
            for inner in ast.walk(node)
        ):
            yield "a loop over operations"


def test_no_file_above_the_services_works_itself() -> None:
    assert len(ABOVE) > 100
    found = {
        f"{path.relative_to(ROOT)}: {fault}"
        for path in ABOVE
        for fault in faults(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set(ALLOWED)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("path.write_text('a')", "write_text"),
        ("open('a', 'w')", "open"),
        ("Path('a').open(mode='ab')", "open"),
        ("open('a.txt', 'r+')", "open"),
        ("csv.writer(stream)", "writer"),
        ("def f(context: 'JobContext'): ...", "the job f"),
        ("def f(workspace: Workspace):\n  for a in b: ...", "a loop in f, which has a workspace"),
        ("for case in cases: self._operations.run(case)", "a loop over operations"),
        ("[self._operations.start_job(a, b) for a in c]", "a loop over operations"),
    ],
)
def test_work_in_a_page_is_noticed(text: str, fault: str) -> None:
    assert list(faults(ast.parse(text))) == [fault]


@pytest.mark.parametrize(
    "text", ["open('a.txt')", "path.open('rb')", "partial(replace_text, path, text)", "for a in b: c.run(a)"]
)
def test_what_only_reads_or_hands_over_is_allowed(text: str) -> None:
    assert list(faults(ast.parse(text))) == []
