"""A part that can be left out is left out with its rooms and its entry: the rest of the program stands."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared import ROOT

WALK = """
import sys
# An installed checkout looks there for whatever the folder lacks.
sys.meta_path = [finder for finder in sys.meta_path if "Editable" not in repr(finder)]
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QTabBar
import ui.app
from ui.cli.main import exit_code

exit_code(["--help"])

def watch():
    windows = [w for w in QApplication.allWidgets() if w.objectName() == "main-window"]
    if windows and windows[0].ways.open_pages() and not windows[0].operations.pending_count:
        main = windows[0]
        main.window().close()
        runs = main.ways.show_page("runs")
        print("PAGES", *(kind.id for kind in ui.shell.pages.PAGES))
        bars = runs.findChildren(QTabBar)
        print("TABS", *(bar.tabText(number) for bar in bars for number in range(bar.count())))

def run(app):
    timer = QTimer(app, interval=20)
    timer.timeout.connect(watch)
    timer.start()
    return loop()

loop = QApplication.exec
QApplication.exec = run
sys.exit(ui.app.open_window(sys.argv[1], "ann-1"))
"""
"""Prints the help, opens the window on a project, and says its pages and the tabs of Runs."""

PARTS = {
    "training": (("annotator/training", "ui/training"), "_TRAINING"),
    "T-Eval": (("annotator/teval", "ui/teval", "ui/cli/teval.py"), "_TEVAL"),
}
"""Rooms of each part, and its entry."""


def _without(part: str, folder: Path) -> Path:
    """A copy of the program that lacks a part, its entry and, for the training, its gate."""
    rooms, entry = PARTS[part]
    for floor in ("annotator", "db", "scoring", "ui", "resources"):
        shutil.copytree(ROOT / floor, folder / floor, ignore=shutil.ignore_patterns("__pycache__"))
    for room in rooms:
        path = folder / room
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    _drop(folder / "ui" / "shell" / "extensions.py", rf"^    {entry},\n")
    if part == "training":
        gates = folder / "annotator" / "extensions.py"
        _drop(gates, r"^from annotator\.training .*\n")
        _drop(gates, r"ClaimGate\(training\.refuse_untrained, training\.is_newcomer\),")
    return folder


def _drop(path: Path, pattern: str) -> None:
    text, count = re.subn(pattern, "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert count == 1, f"{pattern} stands {count} times in {path.name}"
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("part", PARTS)
def test_the_program_stands_without_a_part(part: str, tmp_path: Path, reviewed_project: str) -> None:
    copy = _without(part, tmp_path / "program")
    own = {f"XDG_{kind}_HOME": str(tmp_path / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
    done = subprocess.run(
        [sys.executable, "-c", WALK, reviewed_project],
        cwd=copy,
        env={**os.environ, **own, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    pages = re.findall(r"^PAGES (.*)$", done.stdout, re.MULTILINE)[0].split()
    tabs = re.findall(r"^TABS (.*)$", done.stdout, re.MULTILINE)[0]
    assert ("training" in pages, "T-Eval" in tabs) == (part != "training", part != "T-Eval")
    assert {"queue", "runs"} <= set(pages)
    assert "report" in done.stdout
    assert bool(re.search(r"^\W*teval\b", done.stdout, re.MULTILINE)) == (part != "T-Eval")
