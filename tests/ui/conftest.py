"""Windows without a screen: Qt paints into memory, with the bundled fonts, and any warning fails the test."""

import gc
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from annotator.project.people import login_name
from annotator.project.workspace import open_workspace
from annotator.release.sample_project import found_demo, prepare_demo
from tests.conftest import Template
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.services.preflight import hold_singletons
from ui.theme import apply_theme
from ui.theme.look import dress

if os.environ.get("QT_QPA_PLATFORM", "offscreen") == "offscreen":
    # Two screens: the one Qt would have, where windows come up, and a small one.
    os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={Path(__file__).with_name('screens.json')}"
os.environ["LOGNAME"] = "founder"  # lists of people have one order, whoever runs the tests
hold_singletons()
_show = QWidget.show


def _show_dressed(window: QWidget) -> None:
    """Show a window as the program does: with the style sheet, where a theme is on."""
    if not window.styleSheet():
        dress(window)
    _show(window)


QWidget.show = _show_dressed  # type: ignore[method-assign]
for wait in (QtBot.waitUntil, QtBot.waitSignal, QtBot.waitSignals):
    assert wait.__kwdefaults__ is not None
    wait.__kwdefaults__["timeout"] = 120_000  # a busy machine is no failure


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let three messages of Qt's in-memory screen pass: it has no window manager and no keyboard.

    Menus and other popups ask for both.
    """
    unsupported = r"This plugin does not support (propagateSizeHints|raise|grabbing the keyboard)"
    for item in items:
        item.add_marker(pytest.mark.qt_log_ignore(unsupported))


@pytest.fixture(autouse=True)
def collect_here() -> Iterator[None]:
    """Let no widget in a reference cycle be collected on another thread, where Qt would end the tests."""
    gc.disable()
    gc.freeze()
    yield
    gc.collect()
    gc.enable()


@pytest.fixture
def light(qapp: QApplication) -> Iterator[QApplication]:
    """The application in the light theme at 100 %, also afterwards."""
    apply_theme(qapp, dark=False)
    yield qapp
    apply_theme(qapp, dark=False)


@pytest.fixture
def in_chinese() -> Iterator[None]:
    """Qt's language is Chinese, and is afterwards what it was; texts stay English."""
    before = QLocale()
    QLocale.setDefault(QLocale("zh_CN"))
    yield
    QLocale.setDefault(before)


@pytest.fixture(scope="session")
def _sample_template(template: Template) -> Path:
    def fill(folder: Path) -> None:
        found_demo(str(folder / "sample.db")).close()

    return template("sample", fill) / "sample.db"


@pytest.fixture(scope="session")
def _reviewed_template(template: Template, _sample_template: Path) -> Path:
    def fill(folder: Path) -> None:
        workspace = open_workspace(str(shutil.copy(_sample_template, folder)), login_name())
        prepare_demo(workspace)
        workspace.close()

    return template("reviewed", fill) / "sample.db"


@pytest.fixture
def sample_project(tmp_path: Path, _sample_template: Path) -> str:
    """A project of its own with the sixteen samples, imported and untouched, and their people."""
    return str(shutil.copy(_sample_template, tmp_path / "sample.db"))


@pytest.fixture
def reviewed_project(tmp_path: Path, _reviewed_template: Path) -> str:
    """The sample project in the middle of its work: 7 imported, 3 in cross-check, 4 approved, 2 escalated."""
    return str(shutil.copy(_reviewed_template, tmp_path / "reviewed.db"))


@pytest.fixture
def released_project(tmp_path: Path, released_sample: Path) -> str:
    """The sample project at its end: released as samples-1, the runs careful and careless scored."""
    return str(shutil.copy(released_sample / "sample.db", tmp_path / "released.db"))


@pytest.fixture
def preferences(tmp_path: Path) -> Preferences:
    """Default settings with a file of their own."""
    return Preferences(tmp_path / "settings.json")


@pytest.fixture
def closed_operations(qtbot: QtBot) -> Iterator[Operations]:
    """Operations without a project."""
    found = Operations(retry_milliseconds=20)
    yield found
    found.close()
    # A QObject left to the garbage collector may be collected on another test's database thread.
    shiboken6.delete(found)
