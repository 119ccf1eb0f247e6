"""A program that opens a case, edits it ten times a second and says so, until it is killed."""

import os
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow

from annotator.cases.editing import set_user_text
from annotator.project.workspace import open_workspace
from annotator.review.claiming import claim_case
from ui.commands import Commands
from ui.operations import Operations
from ui.preferences import Preferences
from ui.preflight import hold_singletons
from ui.theme import apply_theme
from ui.workbench.journal import Journal
from ui.workbench.page import WorkbenchPage

_TENTH_MILLISECONDS = 100


def annotate(project: str, case_id: str, journal: Path) -> None:
    """Edit the request of the first task, a running number in it, and print number and time of each edit."""
    workspace = open_workspace(project, "ann")
    held = claim_case(workspace, case_id).value
    workspace.close()
    app = QApplication([])
    apply_theme(app, dark=False)
    operations = Operations()
    window = QMainWindow()
    preferences = Preferences(Path(tempfile.mkdtemp()) / "settings.json")
    page = WorkbenchPage(operations, Commands(window), preferences, journal=Journal(journal))
    window.setCentralWidget(page)
    window.show()
    operations.opened.connect(lambda _: page.open_assignment(held.id))
    operations.open(project, "ann")
    count = 0

    def edit() -> None:
        nonlocal count
        document = page.desk.document
        if document is None:
            return
        count += 1
        document.edit_case("type", partial(set_user_text, task=0, text=f"edit {count}"), key="typing")
        print(count, time.time(), flush=True)  # noqa: T201 (read by the test)

    timer = QTimer()
    timer.setInterval(_TENTH_MILLISECONDS)
    timer.timeout.connect(edit)
    timer.start()
    app.exec()


if __name__ == "__main__":
    hold_singletons()
    annotate(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
