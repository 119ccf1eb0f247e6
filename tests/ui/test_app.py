"""The program itself, in a process of its own: it starts, says what is missing, and ends with the window."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared import ROOT
from ui import app

ROBOT = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
import ui.app

def watch():
    windows = [w for w in QApplication.allWidgets() if w.objectName() == "main-window"]
    if windows and windows[0].ways.open_pages() and not windows[0].operations.pending_count:
        act(windows[0])

def run(app):
    timer = QTimer(app, interval=20)
    timer.timeout.connect(watch)
    timer.start()
    return loop()

loop = QApplication.exec
QApplication.exec = run
sys.exit(ui.app.open_window(sys.argv[1], "ann-1"))
"""
"""Opens the program on a project; whenever the window rests, what stands before it acts."""

CLOSE = """
titles = []

def act(window):
    if not titles:
        titles.append(window.windowTitle())
        print(*titles)
        window.window().close()
"""
WHO = """
names = []

def act(window):
    if not names:
        project = window.operations.project
        names.append(f"{project.name}, {project.person.name}")
        print(*names)
        window.window().close()
"""
FAIL = """
told = []

def fail(workspace):
    raise ValueError("my secret request")

def act(window):
    if told:
        window.window().close()
    else:
        told.append(True)
        window.operations.run(fail)
"""
DEMO = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from ui.cli.main import exit_code

seen = []

def watch():
    frames = [w for w in QApplication.topLevelWidgets() if w.objectName() == "frame" and w.isVisible()]
    mains = [w for frame in frames for w in frame.findChildren(object) if w.objectName() == "main-window"]
    if frames and not seen:
        seen.append(True)
        print("a window before the project:", not Path(sys.argv[1], "samples.db").exists())
    if mains and mains[0].ways.open_pages() and not mains[0].operations.pending_count:
        project = mains[0].operations.project
        print(project.name, project.person is not None, Path(project.place).name)
        mains[0].window().close()

def run(app):
    timer = QTimer(app, interval=20)
    timer.timeout.connect(watch)
    timer.start()
    return loop()

loop = QApplication.exec
QApplication.exec = run
sys.exit(exit_code(["demo", "--dir", sys.argv[1]]))
"""
"""Opens the sample project as the command does; says what there was when the window came."""


def _run(*arguments: str, environment: dict[str, str], home: Path) -> "subprocess.CompletedProcess[str]":
    kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
    own = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**kept, **own, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_bare_without_a_display_it_names_the_command_that_needs_none(tmp_path: Path) -> None:
    done = _run("-m", "ui.cli", environment={}, home=tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "annotator demo --headless" in done.stderr
    assert "Traceback" not in done.stderr


def _drive(act: str, project: str, *, home: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    environment = {"QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"], **more}
    return _run("-c", act + ROBOT, project, environment=environment, home=home)


def test_it_opens_a_project_and_ends_when_the_window_is_closed(tmp_path: Path, reviewed_project: str) -> None:
    done = _drive(CLOSE, reviewed_project, home=tmp_path)
    assert (done.returncode, done.stdout) == (0, "Sample project – Annotator\n"), done.stderr
    assert (tmp_path / "config" / "annotator" / "settings.json").is_file()


def test_bare_it_opens_the_project_and_the_person_the_environment_names(
    tmp_path: Path, reviewed_project: str
) -> None:
    bare = ROBOT.replace('sys.argv[1], "ann-1"', "None, None").replace(
        "ui.app.open_window(None, None)", "exit_code([])"
    )
    environment = {
        "QT_QPA_PLATFORM": "offscreen",
        "XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"],
        "ANNOTATOR_PROJECT": reviewed_project,
        "ANNOTATOR_USER": "ann-2",
    }
    done = _run(
        "-c",
        f"from ui.cli.main import exit_code\n{WHO}{bare}",
        environment=environment,
        home=tmp_path,
    )
    assert (done.returncode, done.stdout) == (0, "Sample project, ann-2\n"), done.stderr


AGAIN = """
from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtWidgets import QPushButton
sys.orig_argv = [sys.executable, "-c", "import sys; print('once more', sys.argv)", *sys.argv[1:]]
seen = []

def act(window):
    if not seen:
        seen.append(QCoreApplication.translate("QPlatformTheme", "Cancel"))
        seen.append(window.stack.currentWidget().findChild(QPushButton, "next-case").text())
        print(QLocale().name(), *seen, flush=True)
        window.open_settings()
        dialog = window.findChild(object, "settings-dialog")
        window.preferences.change(language="en")
        window.findChild(object, "settings-restart").click()
"""
"""Says the language and what Qt calls to cancel, chooses another language and starts again in it."""


def test_it_speaks_the_chosen_language_and_starts_again_in_another(
    tmp_path: Path, reviewed_project: str
) -> None:
    settings = tmp_path / "config" / "annotator" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"version": 2, "language": "zh_CN"}', encoding="utf-8")
    done = _drive(f"import sys\n{AGAIN}", reviewed_project, home=tmp_path)
    assert (done.returncode, done.stdout) == (0, "zh_CN 取消 下一个用例\nonce more ['-c']\n"), done.stderr
    kept = json.loads(settings.read_text(encoding="utf-8"))
    assert (kept["language"], kept["last_project"]) == ("en", reviewed_project)


SPOKEN = """
said = []

def act(window):
    if not said:
        from PySide6.QtCore import QLocale
        from PySide6.QtWidgets import QPushButton
        said.append(window.stack.currentWidget().findChild(QPushButton, "next-case").text())
        print(QLocale().name(), *said, window.banner.words, flush=True)
        window.window().close()
"""
"""Says the language, the words of a button, and the message that is shown."""


@pytest.mark.parametrize(
    ("spoken", "said"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh_CN 下一个用例 \n"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "zh_CN.UTF-8"}, "zh_CN 下一个用例 \n"),
        ({"LANG": "de_DE.UTF-8"}, "de_DE Next case \n"),
    ],
)
def test_at_first_it_speaks_the_language_of_the_computer(
    spoken: dict[str, str], said: str, tmp_path: Path, reviewed_project: str
) -> None:
    done = _drive(SPOKEN, reviewed_project, home=tmp_path, **spoken)
    assert (done.returncode, done.stdout) == (0, said), done.stderr


def test_without_a_font_for_chinese_it_speaks_english_and_names_the_package(
    tmp_path: Path, reviewed_project: str
) -> None:
    fonts = tmp_path / "fonts.conf"
    fonts.write_text(f"<fontconfig><cachedir>{tmp_path / 'fonts'}</cachedir></fontconfig>", encoding="utf-8")
    spoken = {"LANG": "zh_CN.UTF-8", "FONTCONFIG_FILE": str(fonts)}
    done = _drive(SPOKEN, reviewed_project, home=tmp_path, **spoken)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("en_US Next case This computer has no font for Chinese")
    assert "apt install fonts-noto-cjk" in done.stdout


@pytest.mark.parametrize("content", ["{", "[]", '{"version": 2}', "", "\ud800"])
def test_settings_that_cannot_be_read_leave_the_language_of_the_computer(
    content: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    monkeypatch.setattr(app, "settings_path", lambda: path)
    assert app._chosen_language() == ""


LOG = """
import logging, sys
from pathlib import Path
from ui.app import start_log

start_log(Path(sys.argv[1]))
address = "postgresql://anna:hunter2@host/team"
try:
    raise ValueError(f"cannot read {address}")
except ValueError:
    logging.getLogger("somebody").exception("no answer from %s", address)
"""


def test_the_log_names_no_password(tmp_path: Path) -> None:
    log = tmp_path / "annotator.log"
    done = _run("-c", LOG, str(log), environment={}, home=tmp_path)
    assert done.returncode == 0, done.stderr
    text = log.read_text(encoding="utf-8")
    assert text.count("postgresql://anna@host/team") == 2
    assert "hunter2" not in text


def test_the_log_says_where_a_mistake_happened_but_quotes_nothing(
    tmp_path: Path, reviewed_project: str
) -> None:
    done = _drive(FAIL, reviewed_project, home=tmp_path)
    assert done.returncode == 0, done.stderr
    (log,) = tmp_path.rglob("annotator.log")
    text = log.read_text(encoding="utf-8")
    assert "ValueError at" in text
    assert "my secret request" not in text


def test_the_sample_project_is_made_after_the_window_is_shown(tmp_path: Path) -> None:
    environment = {"QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"]}
    done = _run("-c", DEMO, str(tmp_path / "demo"), environment=environment, home=tmp_path)
    said = ["a window before the project: True", "Sample project True samples.db"]
    assert (done.returncode, done.stdout.splitlines()[:2]) == (0, said), done.stderr
