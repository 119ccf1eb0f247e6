"""Takes every page at every size, text size and theme, says what is cut off, and lays them on sheets.

Run from the checkout: `python -m tests.ui.sheets FOLDER [PAGE ...]`.
"""

import os
import subprocess
import sys
import tempfile
from collections import Counter
from itertools import product
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from annotator.jobs import JobContext
from annotator.project.people import login_name
from annotator.release.sample_project import EXPERT, OWNER, found_demo, prepare_demo, walk_demo
from tests.ui.cut import cut
from tests.ui.settling import is_settled
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.services.preflight import hold_singletons
from ui.shell.main_window import MainWindow
from ui.shell.pages import PAGES
from ui.theme import apply_theme

SIZES = ((1366, 768), (1440, 900), (1920, 1080), (3840, 2160))
SCALES = (1.0, 1.25, 1.5, 2.0)
CASES = {
    "workbench": ("half.db", OWNER, "sample-14-festival-shifts"),
    "adjudication": ("half.db", EXPERT, "sample-06-cover-lesson"),
}
"""Pages that are empty without a case: project, person, case."""
WIDTH = 960
"""Of a picture on a sheet, in pixels."""


def main(folder: Path, pages: list[str]) -> None:
    """Take each page in a process of its own; print what is cut off, and how often."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        _found(Path(home))
        total: Counter[str] = Counter()
        for page in pages or [kind.id for kind in PAGES]:
            command = [sys.executable, "-m", "tests.ui.sheets", str(folder), page, home]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            sys.stdout.write(done.stdout)
            total.update(f"{page}: {line.split(': ', 1)[1]}" for line in done.stdout.splitlines())
    for words, count in sorted(total.items()):
        sys.stdout.write(f"{count:4} {words}\n")
    sys.stdout.write(f"{sum(total.values())} in all, {len(total)} kinds\n")


def _found(home: Path) -> None:
    workspace = found_demo(str(home / "half.db"))
    prepare_demo(workspace)
    workspace.close()
    workspace = found_demo(str(home / "done.db"))
    walk_demo(workspace, home / "release", context=JobContext())
    workspace.close()


def _take(page: str, home: Path, folder: Path) -> None:
    """Take one page in every theme, size and text size; a line is printed for whatever is cut off."""
    os.environ |= {f"XDG_{kind}_HOME": str(home / kind) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
    hold_singletons()
    app = QApplication([])
    project, person, case = CASES.get(page, ("done.db", login_name(), ""))
    window = MainWindow(Operations(), Preferences(home / f"{page}.json"))
    window.resize(*SIZES[0])
    window.show()
    window.entrance.open(str(home / project), person)
    while not window.ways.open_pages():
        QTest.qWait(50)
    window.ways.open_case(case) if case else window.ways.show_page(page)
    _settle(window)
    for dark in (False, True):
        shots: list[QImage] = []
        for size, scale in product(SIZES, SCALES):
            apply_theme(app, dark=dark, scale=scale)
            window.resize(*size)
            _settle(window)
            shown = window.grab().toImage()
            shots.append(shown.scaledToWidth(WIDTH, Qt.TransformationMode.SmoothTransformation))
            look = f"{page} {size[0]}x{size[1]} {scale:.0%} {'dark' if dark else 'light'}"
            sys.stdout.writelines(f"{look}: {words}\n" for words in cut(window))
        _lay_out(shots, folder / f"{page}_{'dark' if dark else 'light'}.png")
    sys.stdout.flush()
    os._exit(0)  # nothing is kept, and Qt need not take the window apart


def _settle(window: MainWindow) -> None:
    QTest.qWait(60)
    while not is_settled(window.operations) or window.operations.jobs:
        QTest.qWait(20)


def _lay_out(shots: list[QImage], path: Path) -> None:
    """A row for each size of the window, a column for each text size."""
    height = max(shot.height() for shot in shots)
    rows = len(shots) // len(SCALES)
    sheet = QImage(WIDTH * len(SCALES), height * rows, QImage.Format.Format_RGB32)
    sheet.fill(QColor("gray"))
    painter = QPainter(sheet)
    for at, shot in enumerate(shots):
        painter.drawImage(at % len(SCALES) * WIDTH, at // len(SCALES) * height, shot)
    painter.end()
    sheet.save(str(path))


if __name__ == "__main__":
    if len(sys.argv) == 4 and Path(sys.argv[3]).is_dir():
        _take(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[1]))
    main(Path(sys.argv[1]), sys.argv[2:])
