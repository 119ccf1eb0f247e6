"""What a start loads, and what it leaves for later; each in a process of its own."""

import subprocess
import sys

from tests.shared import ROOT


def _run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    return done.stdout.strip()


def test_the_queue_loads_no_check_no_format_no_curve_and_no_other_database() -> None:
    later = (
        "annotator.cases.findings.checks",
        "annotator.review.measures.accuracy_curve",
        "scoring.formats.chat.openai",
        "scoring.agreement.fields",
        "sqlalchemy.dialects.postgresql",
    )
    code = "import sys, annotator.project.workspace, ui.queue.page\n"
    assert _run(code + f"print(*(name for name in {later} if name in sys.modules))") == ""


def test_what_is_imported_after_the_binding_of_qt_is_not_read_as_source() -> None:
    code = """
import linecache
from PySide6.QtCore import QObject, Signal
from ui.services.preflight import read_no_sources
read_no_sources()
linecache.clearcache()
import mailbox, ui.services.errors
class Teller(QObject):
    told = Signal(str)
teller, heard = Teller(), []
teller.told.connect(heard.append)
teller.told.emit("still works")
print(len(linecache.cache), *heard)
"""
    assert _run(code) == "0 still works"
