"""Every page and dialog as it stands on the sample project, compared with the text that was approved.

A change that was meant is approved by `APPROVE_SCREENS=1 make test TESTS=tests/ui/shell/test_screens.py`;
read the difference before it is committed.
"""

import os
from collections.abc import Callable
from difflib import unified_diff
from pathlib import Path

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QSplitter
from pytestqt.qtbot import QtBot

from annotator.project.people import login_name
from annotator.release.sample_project import EXPERT, OWNER, REVIEWERS
from tests.ui.outline import outline
from tests.ui.settling import is_settled
from ui.shell.main_window import MainWindow

APPROVED = Path(__file__).parents[2] / "golden" / "screens"
SELF_CHECK, ESCALATED, CROSS_CHECK = (
    "sample-14-festival-shifts",
    "sample-06-cover-lesson",
    "sample-08-back-to-the-cello",
)

Step = tuple[str, Callable[[MainWindow], object]]
"""A screen, and what leads to it from the one before."""


def page(name: str) -> Step:
    return name, lambda window: window.ways.show_page(name)


def case(name: str, case_id: str) -> Step:
    return name, lambda window: window.ways.open_case(case_id)


def command(name: str) -> Step:
    return name.replace(".", "_"), lambda window: window.commands.trigger(name)


def keys(name: str, *pressed: str) -> Step:
    def press(window: MainWindow) -> None:
        for key in pressed:
            QTest.keySequence(QApplication.focusWidget() or window, QKeySequence(key))

    return name, press


def closed(*steps: Step) -> tuple[Step, ...]:
    """Steps on a page of which each begins without the dialog of the one before."""

    def go(window: MainWindow, lead: Callable[[MainWindow], object]) -> None:
        for above in QApplication.topLevelWidgets():
            if above is not window and above.isVisible():
                above.close()
        window.activateWindow()
        lead(window)

    return tuple((name, lambda window, lead=lead: go(window, lead)) for name, lead in steps)


SCREENS: dict[str, tuple[str, str, tuple[Step, ...]]] = {
    "manager": (
        "released_project",
        login_name(),
        closed(
            page("queue"),
            command("queue.assign"),
            page("agreement"),
            keys("agreement_experts", "T"),
            keys("agreement_trend", "T"),
            command("agreement.cases"),
            page("coverage"),
            page("releases"),
            command("releases.freeze"),
            command("releases.sample"),
            command("releases.errata"),
            page("runs"),
            keys("runs_details", "D"),
            command("runs.new"),
            command("runs.compare"),
            command("runs.task"),
            page("generate"),
            command("generate.new"),
            command("generate.toolsets"),
            command("generate.candidates"),
            page("team"),
            *(keys(f"team_{tab}", "Ctrl+PgDown") for tab in ("batches", "workload", "feedback", "samples")),
            command("team.add"),
            command("team.roles"),
            command("team.password"),
            page("training"),
            case("reading", SELF_CHECK),
            keys("reading_history", "Alt+H"),
            command("window.settings"),
            command("window.endpoint"),
            command("project.team"),
            command("window.shortcuts"),
            command("window.notices"),
            command("window.palette"),
            command("window.guide"),
            command("project.person"),
        ),
    ),
    "owner": (
        "reviewed_project",
        OWNER,
        closed(
            case("workbench", SELF_CHECK),
            keys("workbench_evidence", "Shift+E", "Alt+E"),
            keys("workbench_comments", "J", "Alt+M"),
            keys("workbench_thoughts", "Alt+G"),
            keys("workbench_form", "Alt+R", "J", "F2"),
            keys("workbench_json", "F4"),
            keys("workbench_simulate", "Esc", "Ctrl+Z", "S"),
            command("workbench.replace"),
            command("workbench.skip"),
            command("workbench.escalate"),
            command("workbench.changes"),
            command("workbench.time"),
            command("workbench.find"),
            command("workbench.tool"),
        ),
    ),
    "reviewer": ("reviewed_project", REVIEWERS[0], (case("workbench_blind", CROSS_CHECK),)),
    "expert": (
        "reviewed_project",
        EXPERT,
        closed(
            case("adjudication", ESCALATED),
            command("adjudication.feedback"),
            command("adjudication.own"),
            command("adjudication.return"),
            keys("adjudication_revealed", "Esc", "B", "Ctrl+Return"),
        ),
    ),
}


@pytest.mark.parametrize("who", SCREENS)
@pytest.mark.usefixtures("no_folders", "light", "lasting_notes")
def test_every_screen_is_as_it_was_approved(
    who: str, qtbot: QtBot, window: MainWindow, request: pytest.FixtureRequest
) -> None:
    project, person, steps = SCREENS[who]
    window.resize(1440, 900)
    window.entrance.open(request.getfixturevalue(project), person)
    qtbot.waitUntil(lambda: bool(window.ways.open_pages()))
    changed: list[str] = []
    for name, go in steps:
        go(window)
        shown = settled_outline(qtbot, window)
        changed += changes(APPROVED / f"{name}.txt", shown)
    assert not changed, "\n".join(changed)


def changes(path: Path, shown: str) -> list[str]:
    """How a screen differs from the text that was approved; nothing where it is approved now."""
    if "APPROVE_SCREENS" in os.environ:
        path.write_text(shown, encoding="utf-8")
        return []
    approved = path.read_text(encoding="utf-8").splitlines()
    return list(unified_diff(approved, shown.splitlines(), path.name, "shown", lineterm="", n=1))


def test_a_pane_that_was_taken_out_and_put_back_is_told_where_it_stands(qtbot: QtBot) -> None:
    splitter = QSplitter()
    qtbot.addWidget(splitter)
    for name in ("first", "second"):
        splitter.addWidget(QLabel(name))
    splitter.show()
    before = outline(splitter)
    pane = splitter.widget(0)
    assert pane is not None
    pane.setParent(None)
    splitter.insertWidget(0, pane)
    pane.show()
    assert outline(splitter) == before


def settled_outline(qtbot: QtBot, window: MainWindow) -> str:
    """What is shown once everything was read and nothing changes any more."""
    shown = [""]

    def is_still() -> bool:
        shown.append(outline(window))
        is_quiet = is_settled(window.operations) and not window.operations.jobs
        return is_quiet and shown[-1] == shown[-2]

    qtbot.waitUntil(is_still)
    return shown[-1]
