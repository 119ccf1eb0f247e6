"""Retakes the pictures of every page from the sample project, in memory, without a screen.

Run from the checkout: `make pictures`.
"""

import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1]))
os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PIL import Image  # noqa: E402 (the platform is chosen before Qt is imported)
from PySide6.QtCore import QBuffer  # noqa: E402
from PySide6.QtTest import QTest  # noqa: E402
from PySide6.QtWidgets import QApplication, QWidget  # noqa: E402

from annotator.jobs import JobContext  # noqa: E402
from annotator.project.founding import login_name  # noqa: E402
from annotator.release.demonstrating import EXPERT, found_demo, prepare_demo, walk_demo  # noqa: E402
from annotator.settings import Theme  # noqa: E402
from ui.main_window.window import MainWindow  # noqa: E402
from ui.main_window.look import apply_look  # noqa: E402
from ui.operations import Operations  # noqa: E402
from ui.preferences import Preferences  # noqa: E402
from ui.preflight import hold_singletons  # noqa: E402

SIZE = (1440, 900)
SETTLE_MILLISECONDS = 2000
SELF_CHECK, ESCALATED = "sample-14-festival-shifts", "sample-06-cover-lesson"


class Photographer:
    """The window on one project in one theme, and where its pictures go."""

    def __init__(self, app: QApplication, project: Path, *, person: str, theme: Theme, home: Path) -> None:
        preferences = Preferences(home / f"settings-{theme.value}-{project.stem}.json")
        preferences.change(theme=theme)
        apply_look(preferences.settings, app)
        self._theme = theme
        self._window = MainWindow(Operations(), preferences)
        self._window.resize(*SIZE)
        self._window.show()
        self._window.entrance.open(str(project), person)
        while self._window.operations.project is None:
            QTest.qWait(100)
        self._answered()
        QTest.qWait(SETTLE_MILLISECONDS)

    def picture(self, name: str, go: Callable[[MainWindow], object]) -> None:
        """Go somewhere, wait until it has settled, and keep a picture with few colours."""
        go(self._window)
        for _ in range(3):
            self._answered()
        strip = self._window.findChild(QWidget, "job-strip")
        while strip is not None and strip.isVisible():
            QTest.qWait(100)
        QTest.qWait(SETTLE_MILLISECONDS)
        path = FOLDER / f"{name}_{self._theme.value}.png"
        buffer = QBuffer()
        buffer.open(QBuffer.OpenModeFlag.WriteOnly)
        self._window.grab().save(buffer, "PNG")
        picture = Image.open(io.BytesIO(buffer.data().data())).convert("RGB")
        picture.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)
        print(path.name, path.stat().st_size)  # noqa: T201

    def _answered(self) -> None:
        """Wait until the database thread has answered everything it was asked so far."""
        done: list[object] = []
        self._window.operations.run(lambda _: None, then=done.append)
        while not done:
            QTest.qWait(50)
        QTest.qWait(300)

    def close(self) -> None:
        """Close the window and its project."""
        self._window.close()
        QTest.qWait(200)
        self._window.operations.close()


def main() -> None:
    """Take every picture, in light and in dark; each window in a process of its own."""
    if len(sys.argv) == 4:
        _take(sys.argv[1], Theme(sys.argv[2]), Path(sys.argv[3]))
        return
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        workspace = found_demo(str(home / "half.db"))
        prepare_demo(workspace)
        workspace.close()
        workspace = found_demo(str(home / "done.db"))
        walk_demo(workspace, home / "release", context=JobContext())
        workspace.close()
        for theme in (Theme.LIGHT, Theme.DARK):
            for part in PARTS:
                subprocess.run([sys.executable, __file__, part, theme.value, folder], check=True)


def _take(part: str, theme: Theme, home: Path) -> None:
    os.environ |= {f"XDG_{kind}_HOME": str(home / kind) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
    hold_singletons()
    app = QApplication([])
    project, person, pictures = PARTS[part]
    shown = Photographer(app, home / project, person=person or login_name(), theme=theme, home=home)
    for name, go in pictures:
        shown.picture(name, go)
    shown.close()


def _page(name: str) -> tuple[str, Callable[[MainWindow], object]]:
    return name, lambda window: window.show_page(name)


PARTS: dict[str, tuple[str, str, tuple[tuple[str, Callable[[MainWindow], object]], ...]]] = {
    "annotator": (
        "half.db",
        "",
        (_page("queue"), ("workbench", lambda window: window.open_case(SELF_CHECK))),
    ),
    "expert": ("half.db", EXPERT, (("adjudication", lambda window: window.open_case(ESCALATED)),)),
    "manager": ("done.db", "", tuple(map(_page, ("agreement", "coverage", "releases", "runs", "team")))),
}
"""Per part the project, who looks (empty: its founder), and the pictures to take."""


if __name__ == "__main__":
    main()
