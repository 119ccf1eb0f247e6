"""The workbench in a window on a project of given cases, for benches that measure what a person sees."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import shiboken6
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from annotator.cases.file_import import import_files
from annotator.drafts.journal import Journal
from annotator.jobs import JobContext
from annotator.project.creation import create_workspace
from scoring.model.case import Case, dump_case
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.services.preflight import hold_singletons
from ui.theme import apply_theme
from ui.theme.look import dress
from ui.workbench.page import WorkbenchPage

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
hold_singletons()


@contextmanager
def workbench_on(
    cases: Sequence[Case], *, qtbot: QtBot, app: QApplication, folder: Path
) -> Iterator[tuple[QMainWindow, WorkbenchPage, Operations]]:
    """Open the workbench in the name of max, who founded the project; nothing is open in it."""
    apply_theme(app, dark=False)
    path = folder / "cases.jsonl"
    path.write_text("".join(json.dumps(dump_case(case)) + "\n" for case in cases), encoding="utf-8")
    workspace = create_workspace(str(folder / "p.db"), person="max")
    import_files(workspace, [path], context=JobContext())
    workspace.close()
    operations = Operations()
    with qtbot.waitSignal(operations.opened):
        operations.open(str(folder / "p.db"), "max")
    window = QMainWindow()
    dress(window)
    window.resize(1440, 900)
    page = WorkbenchPage(
        operations, Commands(window), Preferences(folder / "s.json"), journal=Journal(folder / "j")
    )
    window.setCentralWidget(page)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    yield window, page, operations
    page.open_work.close()
    operations.close()
    shiboken6.delete(window)
    shiboken6.delete(operations)
