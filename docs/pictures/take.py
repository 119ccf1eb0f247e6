"""Retakes the pictures of every page from the sample project, in memory, without a screen.

Run from the checkout: `make pictures`; `python docs/pictures/take.py newcomer manager` takes those of some people,
`python docs/pictures/take.py zh_CN` those that the Chinese pages of the manual show.
"""

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1]))
os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PIL import Image  # noqa: E402 (the platform is chosen before Qt is imported)
from PySide6.QtCore import QBuffer, QLocale, Qt  # noqa: E402
from PySide6.QtGui import QKeySequence, QPainter, QPixmap  # noqa: E402
from PySide6.QtTest import QTest  # noqa: E402
from PySide6.QtWidgets import QApplication, QWidget  # noqa: E402

from scoring.texts import speak  # noqa: E402

LANGUAGES = ("en_US", "zh_CN")
LANGUAGE = QLocale.system().name()
QLocale.setDefault(QLocale.system())
speak(LANGUAGE)  # before the rooms of the window are imported: they hold texts

from annotator.jobs import JobContext  # noqa: E402
from annotator.project.people import login_name
from annotator.project.workspace import open_workspace  # noqa: E402
from annotator.release.sample_project import EXPERT, OWNER, found_demo, prepare_demo, walk_demo  # noqa: E402
from annotator.review.expert.decisions import Decision, FeedbackItem  # noqa: E402
from annotator.review.submissions import submission_key  # noqa: E402
from annotator.review.expert_review import decide, open_adjudication  # noqa: E402
from annotator.settings import ColourScheme  # noqa: E402
from scoring.errors import StoreError  # noqa: E402
from scoring.model.taxonomy import FeedbackCategory, Policy, Verdict  # noqa: E402
from ui.shell.appearance import apply_look  # noqa: E402
from ui.shell.main_window import MainWindow  # noqa: E402
from ui.services.operations import Operations  # noqa: E402
from ui.services.preferences import Preferences  # noqa: E402
from ui.services.preflight import hold_singletons  # noqa: E402
from ui.theme import theme  # noqa: E402
from ui.training.page import TrainingPage  # noqa: E402

SIZE = (1440, 900)
CROP_WIDTH = 760
SETTLE_MILLISECONDS = 2000
COMMON, RARE = 48, 64
"""Colours of a picture: grounds and lines as they are, and what is far from them, most often a chip."""
SELF_CHECK, ESCALATED = "sample-14-festival-shifts", "sample-06-cover-lesson"
RETURNED = "sample-04-energy-meter"
CROSS_CHECK, CORRECTED = "sample-08-back-to-the-cello", "sample-14-festival-shifts"
REVIEWER = "ann-2"


class Photographer:
    """The window on one project in one theme, and where its pictures go."""

    def __init__(self, app: QApplication, project: Path, *, person: str, theme: ColourScheme, home: Path) -> None:
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
        self._settle()
        if not name.startswith("_"):
            self._keep(name, self._grab())
        for crop, part, height in CROPS.get(name, ()):
            self._keep(f"manual/{crop}", self._cut(part, height))

    def _cut(self, name: str, height: int) -> QPixmap:
        """The top of what is shown of a widget of this name, as wide as a page of the manual has room for."""
        widgets = [one for top in QApplication.topLevelWidgets() for one in top.findChildren(QWidget, name)]
        widgets += [top for top in QApplication.topLevelWidgets() if top.objectName() == name]
        shown = next(widget for widget in widgets if widget.isVisible())
        return shown.grab().copy(0, 0, CROP_WIDTH, height)

    def _keep(self, name: str, shown: QPixmap) -> None:
        if LANGUAGE == "zh_CN" and name not in _shown_in_chinese():
            return
        folder = FOLDER / "zh" if LANGUAGE == "zh_CN" else FOLDER
        path = folder / f"{name}_{self._theme.value}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        buffer = QBuffer()
        buffer.open(QBuffer.OpenModeFlag.WriteOnly)
        shown.save(buffer, "PNG")
        picture = Image.open(io.BytesIO(buffer.data().data())).convert("RGB")
        picture.quantize(palette=_palette(picture), dither=Image.Dither.NONE).save(path, optimize=True)
        print(path.name, path.stat().st_size)  # noqa: T201

    def _grab(self) -> QPixmap:
        """The window with the dialogs and panels over it."""
        picture = self._window.grab()
        painter = QPainter(picture)
        for above in QApplication.topLevelWidgets():
            if above is not self._window and above.isVisible():
                at = self._window.mapFromGlobal(above.pos())
                if above.windowType() is Qt.WindowType.Dialog:  # a desktop's own screen would have room
                    at = self._window.rect().center() - above.rect().center()
                painter.drawPixmap(at, above.grab())
                painter.setPen(theme().colour("line"))
                painter.drawRect(above.rect().translated(at).adjusted(-1, -1, 0, 0))
        painter.end()
        return picture

    def _settle(self) -> None:
        """Wait until everything asked for is on the screen."""
        for _ in range(3):
            self._answered()
        strip = self._window.findChild(QWidget, "job-strip")
        while strip is not None and strip.isVisible():
            QTest.qWait(100)
        QTest.qWait(SETTLE_MILLISECONDS)

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
    if len(sys.argv) == 4 and Path(sys.argv[3]).is_dir():
        _take(sys.argv[1], ColourScheme(sys.argv[2]), Path(sys.argv[3]))
        return
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        workspace = found_demo(str(home / "half.db"))
        prepare_demo(workspace)
        workspace.close()
        workspace = found_demo(str(home / "done.db"))
        walk_demo(workspace, home / "release", context=JobContext())
        workspace.close()
        languages = [one for one in LANGUAGES if one in sys.argv] or LANGUAGES
        parts = [one for one in PARTS if one in sys.argv] or PARTS
        for language in languages:
            spoken = {**os.environ, "LC_ALL": f"{language}.UTF-8", "LANGUAGE": language}
            for theme in (ColourScheme.LIGHT, ColourScheme.DARK):
                for part in parts:
                    subprocess.run(
                        [sys.executable, __file__, part, theme.value, folder], env=spoken, check=True
                    )


def _shown_in_chinese() -> set[str]:
    pages = (page.read_text(encoding="utf-8") for page in FOLDER.parent.glob("zh/*.md"))
    return {name for page in pages for name in re.findall(r"pictures/zh/(.*)_light\.png", page)}


def _palette(picture: Image.Image) -> Image.Image:
    counts = sorted(picture.getcolors(SIZE[0] * SIZE[1]) or (), reverse=True)
    common = [part for _, colour in counts[:COMMON] if isinstance(colour, tuple) for part in colour]
    rare = picture.quantize(RARE, method=Image.Quantize.MAXCOVERAGE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*common, *rare[: 3 * RARE]])
    return palette


def _take(name: str, look: ColourScheme, home: Path) -> None:
    os.environ |= {f"XDG_{kind}_HOME": str(home / kind) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
    hold_singletons()
    app = QApplication([])
    part = PARTS[name]
    project = home / f"{name}-{look.value}-{LANGUAGE}.db"
    shutil.copyfile(home / part.project, project)  # a look does not find what the other one did
    if part.prepare is not None:
        part.prepare(str(project))
    shown = Photographer(app, project, person=part.person or login_name(), theme=look, home=home)
    for picture, go in part.pictures:
        shown.picture(picture, go)
    shown.close()


def _give_back(project: str) -> None:
    """Let the expert return one case and tell the owner something about another."""
    workspace = open_workspace(project, EXPERT)
    told = FeedbackItem(
        to="owner",
        category=FeedbackCategory.INFORMATION_MISMATCH,
        note="The class was named three tasks before: long range.",
    )
    for case_id, wanted in (
        (ESCALATED, Decision(feedback=(told,), verdict=Verdict.APPROVE)),
        (RETURNED, Decision(verdict=Verdict.RETURN, note="Task 2 leaves the meter out: label it omission.")),
    ):
        seen = open_adjudication(workspace, case_id).value
        edits = {edit.id: "decline" for edit in seen.edits}
        fields = {field.id: "A" for field in seen.differing}
        decision = Decision.model_validate({**wanted.model_dump(), "fields": fields, "edits": edits})
        decide(workspace, seen.assignment_id, decision=decision, key=submission_key())
    workspace.close()


def _go_offline(window: MainWindow) -> None:
    busy = "samples.db is busy: another program has been writing to it for more than 10 seconds."
    hint = "Try again in a moment; if it lasts, close the other program."
    window.operations.connection_lost.emit(StoreError(busy, hint))


def _answer_wrong(window: MainWindow) -> None:
    """Open the first training case and choose a wrong policy."""
    page = window.stack.currentWidget()
    assert isinstance(page, TrainingPage)
    page.open_lesson(0)
    page.panels.review.labels.policy.chosen.emit(Policy.MULTI_SERIAL)


def _page(name: str) -> tuple[str, Callable[[MainWindow], object]]:
    return name, lambda window: window.ways.show_page(name)


def _case(name: str, case_id: str) -> tuple[str, Callable[[MainWindow], object]]:
    return name, lambda window: window.ways.open_case(case_id)


def _keys(name: str, *keys: str) -> tuple[str, Callable[[MainWindow], object]]:
    """A picture of what keys lead to; a key in single quotes is a text to type."""

    def press(window: MainWindow) -> None:
        for key in keys:
            target = QApplication.focusWidget() or window
            if key.startswith("'"):
                QTest.keyClicks(target, key[1:-1])
            else:
                QTest.keySequence(target, QKeySequence(key))
            QTest.qWait(150)

    return name, press


Picture = tuple[str, Callable[[MainWindow], object]]


CROPS = {
    "training_feedback": (("training", "training-page", 340),),
    "queue": (("queue", "queue-page", 400),),
    "workbench": (("labels", "case-tabs", 460), ("graph", "graph-panel", 330)),
    "workbench_evidence": (("evidence", "evidence-tab", 400),),
    "adjudication": (("dispute", "fields-table", 120),),
    "_freeze": (("freeze", "freeze-dialog", 400),),
    "runs": (("leaderboard", "runs-board", 180),),
    "team_workload": (("workload", "team-page", 330),),
}
"""Pictures of the manual: what is cut out of a page, by the object name of a widget, and how high."""


@dataclass(frozen=True)
class Part:
    """What one person sees of a project; an empty person is its founder."""

    project: str
    person: str
    pictures: tuple[Picture, ...]
    prepare: Callable[[str], None] | None = None
    """What happens to the project before they look."""


PARTS = {
    "newcomer": Part(
        "half.db",
        "",
        (
            _page("tour"),
            _page("training"),
            ("training_feedback", _answer_wrong),
            ("training_help", lambda window: window.explain_topic("policy.single")),
        ),
    ),
    "annotator": Part(
        "half.db",
        "",
        (
            _page("queue"),
            _case("workbench", SELF_CHECK),
            _keys("workbench_evidence", "Shift+E", "Alt+E"),
            _keys("workbench_comments", "J", "Alt+M"),
            _keys("workbench_form", "Alt+R", "J", "F2", "F4"),
            _keys("workbench_both", "F4"),
            _keys("workbench_json", "F4", "Ctrl+Home", "Right", "Right", "'x'"),
            _keys("workbench_simulate", "Esc", "Ctrl+Z", "S"),
            _keys("shortcuts", "Esc", "?"),
        ),
    ),
    "reviewer": Part("half.db", REVIEWER, (_case("workbench_blind", CROSS_CHECK),)),
    "owner": Part(
        "half.db",
        OWNER,
        (
            _keys("queue_notices", "Ctrl+Shift+N"),
            _keys("workbench_returned", "Return"),
            ("offline", _go_offline),
        ),
        _give_back,
    ),
    "expert": Part(
        "half.db",
        EXPERT,
        (
            _case("adjudication", ESCALATED),
            _keys("adjudication_revealed", "B", "Ctrl+Return"),
        ),
    ),
    "manager": Part(
        "done.db",
        "",
        (
            _page("agreement"),
            _keys("agreement_trend", "T"),
            *map(_page, ("coverage", "releases")),
            ("_freeze", lambda window: window.commands.trigger("releases.freeze")),
            _keys("_closed", "Esc"),
            *map(_page, ("runs", "team")),
            _keys("team_workload", "Ctrl+PgDown", "Ctrl+PgDown"),
            _case("reading", CORRECTED),
            _keys("reading_history", "Alt+H"),
        ),
    ),
}
"""Who takes which pictures, in this order; a name with a line before it is only cut from."""


if __name__ == "__main__":
    main()
