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
import traceback
# An installed checkout looks there for whatever the folder lacks.
sys.meta_path = [finder for finder in sys.meta_path if "Editable" not in repr(finder)]
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QTabBar
import ui.app
from ui.cli.main import exit_code

exit_code(["--help"])
if sys.argv[2:]:
    exit_code(sys.argv[2:])

shown = {}

def watch():
    windows = [w for w in QApplication.allWidgets() if w.objectName() == "main-window"]
    if not windows or not windows[0].ways.open_pages():
        return
    main = windows[0]
    if main.operations.pending_count or main.operations.jobs:
        return
    if not shown:
        try:
            shown.update((kind.id, main.ways.show_page(kind.id)) for kind in ui.shell.pages.PAGES)
            ui.shell.pages.load_rooms(None, rooms=ui.shell.pages.LATER_ROOMS)
        except Exception:
            traceback.print_exc()
            timer.stop()
            QApplication.exit(1)
        return
    timer.stop()
    print("PAGES", *shown)
    print("COMMANDS", *(command.id for command in main.commands.all()))
    bars = shown["runs"].findChildren(QTabBar)
    print("TABS", *(bar.tabText(number) for bar in bars for number in range(bar.count())))
    main.window().close()

timer = QTimer(interval=20)
timer.timeout.connect(watch)

def run(app):
    timer.start()
    return loop()

loop = QApplication.exec
QApplication.exec = run
sys.exit(ui.app.open_window(sys.argv[1], "ann-1"))
"""
"""Prints the help, runs another command, shows every page of a project, and says what is on them."""

CORE_TESTS = """
import sys
sys.meta_path = [finder for finder in sys.meta_path if "Editable" not in repr(finder)]
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""
"""Runs tests of this folder on the program in it."""
CORE = ("tests/annotator/drafts", "tests/ui/desk")
"""Tests of the core that are run without the parts."""

PARTS = {
    "generation": (("annotator/generation", "ui/generate", "ui/cli/generation.py"), "_GENERATION"),
    "training": (("annotator/training", "ui/training"), "_TRAINING"),
    "T-Eval": (("annotator/teval", "ui/teval", "ui/cli/teval.py"), "_TEVAL"),
}
"""Rooms of each part, and its entry."""
ASKS = {"generation": ("demo", "--generate", "--headless")}
"""A command that needs a part."""


UNFINISHED = shutil.ignore_patterns("*.pyc.*")
"""Compiled modules that another worker is writing."""


def _without(folder: Path, *parts: str) -> Path:
    """A copy of the program that lacks some parts, their entries and, for the training, its gate."""
    for floor in ("annotator", "db", "scoring", "ui", "resources"):
        shutil.copytree(ROOT / floor, folder / floor, ignore=UNFINISHED)
    for part in parts:
        rooms, entry = PARTS[part]
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
    copy = _without(tmp_path / "program", part)
    own = {f"XDG_{kind}_HOME": str(tmp_path / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
    done = subprocess.run(
        [sys.executable, "-c", WALK, reviewed_project, *ASKS.get(part, ())],
        cwd=copy,
        env={**os.environ, **own, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    pages = re.findall(r"^PAGES (.*)$", done.stdout, re.MULTILINE)[0].split()
    tabs = re.findall(r"^TABS (.*)$", done.stdout, re.MULTILINE)[0]
    commands = re.findall(r"^COMMANDS (.*)$", done.stdout, re.MULTILINE)[0].split()
    helped = re.findall(r"^  (\w+)  ", done.stdout, re.MULTILINE)
    of_part = {
        "training": {"training" in pages},
        "T-Eval": {"T-Eval" in tabs, "teval" in helped},
        "generation": {
            "generate" in pages,
            "generate" in helped,
            "coverage.generate" in commands,
            "workbench.next-task" in commands,
            "This program has no generator." not in done.stderr,
        },
    }
    assert of_part == {name: {name != part} for name in PARTS}
    assert {"queue", "runs"} <= set(pages)
    assert "report" in helped


@pytest.mark.slow
def test_the_core_passes_its_tests_without_any_part(tmp_path: Path) -> None:
    copy = _without(tmp_path / "program", *PARTS)
    shutil.copytree(ROOT / "tests", copy / "tests", ignore=UNFINISHED)
    shutil.copy2(ROOT / "pyproject.toml", copy)
    only = ("-n", "0", "-m", "not slow and not every_database", "--hypothesis-profile", "short")
    done = subprocess.run(
        [sys.executable, "-c", CORE_TESTS, *only, *CORE],
        cwd=copy,
        capture_output=True,
        text=True,
        timeout=2000,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    assert "[100%]" in done.stdout
