"""One word means one thing: a public class name is defined once."""

import runpy
from collections.abc import Callable
from pathlib import Path

from tests.shared import ROOT

KNOWN = {"Density", "Table"}
"""How close rows stand, in the settings and on the screen; a table of a database and one that is printed."""


def repeated_names() -> Callable[[list[Path]], dict[str, list[Path]]]:
    found: Callable[[list[Path]], dict[str, list[Path]]] = runpy.run_path(str(ROOT / ".ci" / "size.py"))[
        "repeated_names"
    ]
    return found


def test_no_class_name_is_defined_twice() -> None:
    files = [path for floor in ("annotator", "db", "scoring", "ui") for path in (ROOT / floor).rglob("*.py")]
    assert len(files) > 100
    assert set(repeated_names()(files)) == KNOWN


def test_a_second_class_of_a_name_is_noticed(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("class Run: ...\nclass _Own: ...\n")
    assert set(repeated_names()(sorted(tmp_path.glob("*.py")))) == {"Run"}
