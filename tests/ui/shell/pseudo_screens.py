"""Run by `test_pseudo_language.py`, in a process that speaks another language: every page and dialog.

Some screens in Chinese are also compared with the text that was approved: a translation that is whole and
has room may still stand in the wrong place or be worded badly, which only a reader sees in the difference.
They are few, because most lines of the others say the same as in English. A change that was meant is
approved by `APPROVE_SCREENS=1 make test-all TESTS=tests/ui/shell/test_pseudo_language.py`.
"""

import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QLocale
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from tests.ui.amounts import Amount
from tests.ui.cut import cut
from tests.ui.dialogs import DIALOGS
from tests.ui.displayed import displayed
from tests.ui.shell.test_screens import APPROVED, SCREENS, changes, settled_outline
from tests.ui.untranslated import BESIDE, is_glued, untranslated
from ui.app import start_log
from ui.shell.main_window import MainWindow
from ui.theme.dialogs import open_dialog

APPROVED_IN_CHINESE = (
    *("queue", "agreement", "releases", "runs", "team", "team_workload"),
    *("adjudication", "workbench_blind"),
)
"""Pages of a manager, an expert and a reviewer."""
NARROW = (
    r"tabs do not fit: #qt_tabwidget_tabbar .*",  # they scroll
    r"sideways: FigureTable .*",  # it scrolls
)
"""What scrolls by design."""


MADE_UP = re.compile(
    r"has no request.*|a task begins with one|The dates are wrong|two adults and three kids|parcel"
    r"|Please send the.*|with the number P-881.*|Insert a call|depot|Where|first|KEY|meant so|many|anna|Ask"
    r"|its reviewers have not all spoken|postgresql|/team\?.*|There is no keyring|File|ann|word.*"
    r"|Reject (this )?case|An expert decides.*|Say why it cannot.*|The tool does not do.*|edit \d+"
    r"|Your work on this case is kept.*|The project has not answered yet|your last changes may.*"
    r"|Import batch-\d+|is still running|Leaving stops it|finished work is kept"
    r"|(?i:category \d)|Accept what the reviewer proposes for place \d+"
)
"""What `tests/ui/dialogs.py` types, and what it calls people, commands and problems."""


@pytest.fixture(autouse=True)
def spoken() -> Iterator[None]:
    """Qt's language is the one that is spoken; afterwards what it was."""
    before = QLocale()
    QLocale.setDefault(QLocale(os.environ["SPOKEN_LANGUAGE"].rpartition("/")[2]))
    yield
    QLocale.setDefault(before)


@pytest.mark.parametrize("who", SCREENS)
@pytest.mark.usefixtures("no_folders", "light", "lasting_notes")
def test_every_text_is_translated_whole_and_has_room(
    who: str, qtbot: QtBot, window: MainWindow, request: pytest.FixtureRequest
) -> None:
    project, person, steps = SCREENS[who]
    window.resize(1440, 900)
    window.entrance.open(request.getfixturevalue(project), person)
    qtbot.waitUntil(lambda: bool(window.ways.open_pages()))
    wrong: list[str] = []
    for name, go in steps:
        go(window)
        shown = settled_outline(qtbot, window)
        if name in APPROVED_IN_CHINESE and os.environ["SPOKEN_LANGUAGE"].endswith("zh_CN"):
            wrong += changes(APPROVED / "zh_CN" / f"{name}.txt", shown)
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)  # words that came last have their room
        wrong += [f"{name}: {one}" for one in problems(window)]
    assert not wrong, "\n".join(dict.fromkeys(wrong))


def test_keys_and_the_lines_of_the_log_are_the_same_in_every_language(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert window.commands.keys("go.agreement") == "Ctrl+4"
    monkeypatch.setattr(logging, "root", logging.RootLogger(logging.INFO))
    start_log(tmp_path / "annotator.log")
    logging.root.warning("It was written.")
    logging.root.handlers[0].close()
    assert "WARNING root It was written." in (tmp_path / "annotator.log").read_text(encoding="utf-8")


@pytest.mark.usefixtures("light")
def test_every_text_of_a_dialog_is_translated_whole_and_has_room(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    window.resize(1440, 900)
    window.show()
    wrong: list[str] = []
    for name, made in DIALOGS.items():
        dialog = made(window, Amount.USUAL)
        open_dialog(dialog)
        qtbot.waitUntil(dialog.isVisible)
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        wrong += [f"{name}: {one}" for one in problems(window, content=MADE_UP)]
        dialog.close()
    assert not wrong, "\n".join(dict.fromkeys(wrong))


def problems(window: QWidget, *, content: re.Pattern[str] = re.compile(r"(?!)")) -> list[str]:
    """What is wrong with the texts of a window and of what is over it, a line each; `content` is no text."""
    found: list[str] = []
    for place, text in displayed(window):
        if place.startswith(BESIDE):
            continue
        left = (part for part in untranslated(text) if not content.fullmatch(part))
        found += [f"not translated: {part!r} at {place}" for part in left]
        is_hint = place == "QLabel #"  # its name for a screen reader is its heading and its words
        found += [f"glued: {text!r} at {place}"] if is_glued(text) and not is_hint else []
    tops = [window, *(one for one in QApplication.topLevelWidgets() if one is not window and one.isVisible())]
    clipped = (
        line for top in tops for line in cut(top) if not any(re.fullmatch(kind, line) for kind in NARROW)
    )
    return found + [f"clipped: {line}" for line in clipped]
