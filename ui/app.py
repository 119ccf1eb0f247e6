"""The program with a window: checks, looks, hooks for what goes wrong, and the event loop.

Qt is imported inside the functions, after the checks: what it lacks can be said in words then. The
window is painted before its inside is loaded.
"""

import gc
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import traceback
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from annotator.files import log_path, settings_path
from scoring.errors import reworded
from scoring.texts import speak, tr
from scoring.wording import without_passwords
from ui.services.preflight import (
    explained,
    hold_singletons,
    read_no_sources,
    refuse_without_display,
    refuse_without_libraries,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QMessageLogContext, QtMsgType

    from ui.services.operations import Operations
    from ui.shell.frame import Frame
    from ui.shell.main_window import MainWindow

_LOG = logging.getLogger("annotator")


def open_window(
    project: str | None, person: str | None, *, opens_sample: bool = False, sample_folder: Path | None = None
) -> int:
    """Open the window on a project, or on the last one, else on the welcome page; returns when it is closed.

    Args:
        project: Path or URL; None opens the last project.
        person: Who works; None takes who worked there last, or the only person.
        opens_sample: Opens the sample project instead, and makes it first where there is none yet.
        sample_folder: Where the sample project lies; None for the person's data folder.

    Returns:
        The program's exit code.

    Raises:
        AnnotatorError: There is no display, or a system library of Qt is missing.
    """
    refuse_without_display(os.environ)
    refuse_without_libraries(os.environ)
    hold_singletons()
    gc.disable()  # until `Collector` does it: what is loaded now stays, and looking through it takes long
    with reworded(ImportError, into=explained):
        import PySide6.QtWidgets  # noqa: F401 (tried here, so that a missing library is explained)
    read_no_sources()
    return _run(lambda window: _enter(window, project, person, opens_sample=opens_sample), sample_folder)


def _run(enter: "Callable[[MainWindow], None]", sample_folder: Path | None) -> int:
    import shiboken6
    from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator, qInstallMessageHandler
    from PySide6.QtGui import QFontDatabase
    from PySide6.QtWidgets import QApplication

    qInstallMessageHandler(_log_qt)
    app = QApplication.instance()  # whoever measures this made it before
    if not isinstance(app, QApplication):
        app = QApplication([sys.argv[0] if sys.argv else "annotator"])
    locale = QLocale(_chosen_language() or QLocale.system().name())
    is_chinese = locale.language() == QLocale.Language.Chinese
    if is_chinese and not QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese):
        locale, enter = QLocale("en"), partial(_enter_without_font, enter)
    QLocale.setDefault(locale)
    speak(locale.name())  # before the rooms of the window are imported: they hold texts
    from ui.shell.frame import Frame, Startup, first_look, is_dark_desktop

    of_qt = QTranslator(app)
    of_qt.load(locale, "qtbase", "_", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    app.installTranslator(of_qt)  # empty where Qt has none
    app.setApplicationName("annotator")
    app.setApplicationDisplayName("Annotator")
    app.setDesktopFileName("annotator")
    frame = Frame(first_look(settings_path(), is_dark_desktop=is_dark_desktop()))
    furnishing = Startup(frame, partial(_furnish, frame, enter, sample_folder))
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl+C in the terminal: Qt's loop runs no Python
    frame.show()
    frame.activateWindow()  # where no window manager runs, nobody else gives it the keys
    code = app.exec()
    furnishing.close()
    shiboken6.delete(frame)  # before the application, whatever order Python would choose
    if app.property("start-again"):
        # Without the project and the person that were named: those of now are the last ones, and come again.
        named = ("ANNOTATOR_PROJECT", "ANNOTATOR_USER")
        subprocess.Popen(
            sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1],
            env={name: value for name, value in os.environ.items() if name not in named},
        )
    return code


def _chosen_language() -> str:
    """The settings' word for it, without their schema, which loads longer than a window is painted."""
    try:
        return str(json.loads(settings_path().read_text(encoding="utf-8"))["language"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""


def _furnish(
    frame: "Frame", enter: "Callable[[MainWindow], None]", sample_folder: Path | None
) -> "Operations":
    """Make the window's inside and open a project in it; returns what is closed at the end."""
    from PySide6.QtGui import QIcon
    from PySide6.QtWidgets import QApplication

    from annotator.resources import resource_path
    from ui.services.feed import ProjectFeed
    from ui.services.operations import Operations
    from ui.services.preferences import Preferences
    from ui.services.running_window import RunningWindow
    from ui.shell.appearance import apply_look
    from ui.shell.main_window import MainWindow

    start_log(log_path())
    preferences = Preferences(settings_path())
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    apply_look(preferences.settings, app)
    app.setWindowIcon(QIcon(str(resource_path("desktop", "annotator.svg"))))
    operations = Operations()
    ProjectFeed(operations, parent=operations)
    window = MainWindow(operations, preferences, sample_folder=sample_folder)
    _report_crashes(window)
    running = RunningWindow(frame)
    window.entrance.entered.connect(
        lambda project: running.answer_for(project)
    )  # a method alone would not keep it
    frame.hold(window)
    enter(window)
    return operations


def _enter(window: "MainWindow", project: str | None, person: str | None, *, opens_sample: bool) -> None:
    """Open the sample project, the one that is wanted, or the last one."""
    from annotator.project.passwords import visible_password_warning

    wanted = project or window.preferences.settings.last_project
    if opens_sample:
        window.entrance.open_sample()
    elif wanted:
        if project and project != without_passwords(project):
            # The password in the command can be read by others.
            _warn_inside(window, visible_password_warning(project), page="security.md#where-secrets-are")
        window.entrance.open(wanted, person, password=os.environ.get("ANNOTATOR_PASSWORD"))


def _enter_without_font(enter: "Callable[[MainWindow], None]", window: "MainWindow") -> None:
    """Enter in English, and say why it is not Chinese."""
    message = tr("This computer has no font for Chinese, so the window is in English.")
    hint = tr("Install one, on Debian or Ubuntu with “apt install fonts-noto-cjk”, and start again.")
    _warn_inside(window, message, hint, page="faq.md#the-window-is-not-in-my-language")
    enter(window)


def _warn_inside(window: "MainWindow", message: str, hint: str = "", *, page: str = "") -> None:
    """Say something once, in the project that is opened."""
    from PySide6.QtCore import Qt

    from ui.theme import Tone

    window.entrance.entered.connect(
        lambda _: window.banner.show_message(message, hint, tone=Tone.WARN, page=page),
        Qt.ConnectionType.SingleShotConnection,
    )


class _LogFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return without_passwords(super().format(record))


def start_log(path: Path) -> None:
    """Write what goes wrong to a file that never grows beyond a megabyte; without it, to the terminal."""
    from logging.handlers import RotatingFileHandler

    handler: logging.Handler
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(path, maxBytes=1_000_000, backupCount=1, encoding="utf-8")
    except OSError:
        handler = logging.StreamHandler()
    handler.setFormatter(_LogFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])


def _report_crashes(window: "MainWindow") -> None:
    """Have bugs logged and shown, on whatever thread they happen; the window goes on."""

    def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        sys.__excepthook__(kind, error, trace)  # whoever started it in a terminal sees it too
        if not issubclass(kind, KeyboardInterrupt):
            window.operations.crashed.emit(error)

    def report_thread(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            report(args.exc_type, args.exc_value, args.exc_traceback)

    sys.excepthook = report
    threading.excepthook = report_thread
    window.operations.crashed.connect(_log_crash)


def _log_crash(error: BaseException) -> None:
    # Without the error's own words: they may quote somebody's dialogue.
    _LOG.error("%s at\n%s", type(error).__name__, "".join(traceback.format_tb(error.__traceback__)))


def _log_qt(kind: "QtMsgType", context: "QMessageLogContext", message: str | None) -> None:
    from PySide6.QtCore import QtMsgType

    is_harmless = kind in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg)
    _LOG.log(logging.DEBUG if is_harmless else logging.WARNING, "Qt: %s", message)
