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
from typing import TypeVar

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1]))
os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PIL import Image  # noqa: E402 (the platform is chosen before Qt is imported)
from PySide6.QtCore import QBuffer, QLocale, QRect, Qt  # noqa: E402
from PySide6.QtGui import QGuiApplication, QKeySequence, QPainter, QPixmap  # noqa: E402
from PySide6.QtTest import QTest  # noqa: E402
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QTabBar,
    QWidget,
)  # noqa: E402

from scoring.texts import speak  # noqa: E402

LANGUAGES = ("en_US", "zh_CN")
LANGUAGE = QLocale.system().name()
QLocale.setDefault(QLocale.system())
speak(LANGUAGE)  # before the rooms of the window are imported: they hold texts

from annotator.jobs import JobContext  # noqa: E402
from annotator.project.people import login_name
from annotator.project.upgrade import UpgradePlan  # noqa: E402
from annotator.resources import resource_path  # noqa: E402
from annotator.release.sample_project import EXPERT, OWNER, found_demo, prepare_demo, walk_demo  # noqa: E402
from annotator.settings import ColourScheme  # noqa: E402
from scoring.errors import StoreError  # noqa: E402
from scoring.model.taxonomy import Policy  # noqa: E402
from ui.shell.appearance import apply_look  # noqa: E402
from ui.shell.main_window import MainWindow  # noqa: E402
from ui.services.operations import Operations  # noqa: E402
from ui.services.preferences import Preferences  # noqa: E402
from ui.services.preflight import hold_singletons  # noqa: E402
from ui.queue.import_dialogs import ImportDialog  # noqa: E402
from ui.teval.view import TevalView  # noqa: E402
from ui.theme.fields import FilesField  # noqa: E402
from ui.theme.look import dress  # noqa: E402
from ui.theme import theme  # noqa: E402
from ui.training.page import TrainingPage  # noqa: E402

from projects import ESCALATED, begin_session, give_back, measure, teval_folders  # noqa: E402 (beside this file)

SIZE = (1440, 900)
CROP_WIDTH = 760
SETTLE_MILLISECONDS = 1500
COMMON, RARE = 48, 64
"""Colours of a picture: grounds and lines as they are, and what is far from them, most often a chip."""
SELF_CHECK = "sample-14-festival-shifts"
CROSS_CHECK, CORRECTED = "sample-08-back-to-the-cello", "sample-14-festival-shifts"
REVIEWER = "ann-2"


Seen = TypeVar("Seen", bound=QWidget)


class Photographer:
    """The window on one project in one theme, and where its pictures go."""

    def __init__(
        self, app: QApplication, project: Path, *, person: str, theme: ColourScheme, home: Path
    ) -> None:
        preferences = Preferences(home / f"settings-{theme.value}-{project.stem}.json")
        preferences.change(theme=theme)
        apply_look(preferences.settings, app)
        self._theme = theme
        self._window = MainWindow(Operations(), preferences)
        dress(self._window)
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
        shown = _shown(QWidget, name.removesuffix("/.."))
        if name.endswith("/.."):  # what holds it
            shown = shown.parentWidget()
        return shown.grab(QRect(0, 0, min(CROP_WIDTH, shown.width()), min(height, shown.height())))

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
        if self._window.operations.project is None:
            return
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
    os.chdir(home)  # files are shown by their names alone
    project = home / f"{name}-{look.value}-{LANGUAGE}.db"
    shutil.copyfile(home / part.project, project)  # a look does not find what the other one did
    if part.prepare is not None:
        part.prepare(str(project))
    shown = Photographer(app, project, person=part.person or login_name(), theme=look, home=home)
    for picture, go in part.pictures:
        shown.picture(picture, go)
    shown.close()


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


def _shown(kind: type[Seen], name: str) -> Seen:
    """What is seen under an object name, in the window or in a dialog over it."""
    found = [one for top in QApplication.topLevelWidgets() for one in top.findChildren(kind, name)]
    found += [
        one for one in QApplication.topLevelWidgets() if isinstance(one, kind) and one.objectName() == name
    ]
    return next(widget for widget in found if widget.isVisible())


def _dialog(command: str, lines: dict[str, str]) -> Callable[[MainWindow], object]:
    """Open a dialog by its command, and fill lines of it by their names."""

    def ask(window: MainWindow) -> None:
        window.commands.trigger(command)
        QTest.qWait(300)
        _fill(lines)

    return ask


def _fill(lines: dict[str, str]) -> None:
    for name, text in lines.items():
        _shown(QLineEdit, name).setText(text)


def _look_into_file(window: MainWindow) -> None:
    """Choose a file to import, and let the dialog say what is in it."""
    window.ways.show_page("queue")
    window.commands.trigger("queue.import")
    _shown(ImportDialog, "import-dialog").files.add(["cases.jsonl"])
    _shown(QAbstractButton, "import-look").click()


def _mend_public(window: MainWindow) -> None:
    """Mend a file that runs of three models answer; a dialog lists what is doubtful in it."""
    samples = Path(resource_path("samples"))
    for made, source in (
        ("public", "cases"),
        ("gpt-4o", "predictions_careful"),
        ("qwen2.5", "predictions_careful"),
        ("llama-3", "predictions_careless"),
    ):
        text = (samples / f"{source}.jsonl").read_text(encoding="utf-8")
        Path(f"{made}.jsonl").write_text(text.replace('"sample-', '"public-'), encoding="utf-8")
    window.ways.show_page("queue")
    window.commands.trigger("queue.mend")
    dialog = _shown(ImportDialog, "import-dialog")
    dialog.files.add(["public.jsonl"])
    dialog.findChildren(FilesField)[1].add(["gpt-4o.jsonl", "qwen2.5.jsonl", "llama-3.jsonl"])
    _shown(QAbstractButton, "import-go").click()


def _order_dialogues(window: MainWindow) -> None:
    """Name toolsets and a model, so that the dialog says what the run will take."""
    window.ways.show_page("generate")
    window.commands.trigger("generate.missing")
    dialog = _shown(QDialog, "generate-dialog")
    dialog.findChildren(FilesField)[0].add([Path("tools.json")])
    _fill({"generate-model": "qwen3-8b", "generate-base_url": "http://localhost:8000/v1"})
    _shown(QSpinBox, "generate-tasks").setValue(2)


def _show_estimate(_: MainWindow) -> None:
    """Scroll to what the run will take."""
    area = _shown(QDialog, "generate-dialog").findChildren(QScrollArea)[0]
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())


def _paste_invitation(window: MainWindow) -> None:
    """Open the form of a team project and fill it from the text that a manager sent."""
    window.commands.trigger("project.team")
    QGuiApplication.clipboard().setText(INVITATION)
    _shown(QAbstractButton, "connect-paste").click()


def _open_agents(window: MainWindow) -> None:
    """Show the T-Eval half of the runs page with the scores of the agents."""
    window.ways.show_page("runs")
    _shown(QTabBar, "run-kinds").setCurrentIndex(1)
    assert window.operations.project is not None
    for folder in teval_folders(Path(window.operations.project.address)):
        _shown(TevalView, "teval-view").open(str(folder))


def _show_suspects(window: MainWindow) -> None:
    """Open the tab of a run that lists its suspects."""
    _shown(QTabBar, "run-kinds").setCurrentIndex(0)
    window.commands.trigger("runs.details")
    _shown(QTabBar, "run-tabs").setCurrentIndex(2)


def _show_attention(window: MainWindow) -> None:
    """Open the last tab of the Team page, in a window so narrow that a crop has every column."""
    window.resize(CROP_WIDTH + 64, SIZE[1])
    window.ways.show_page("team")
    tabs = _shown(QTabBar, "team-tabs")
    tabs.setCurrentIndex(tabs.count() - 1)


def _offer_upgrade(window: MainWindow) -> None:
    """Show what is offered for a project of an older version."""
    entrance = window.entrance
    plan = UpgradePlan(
        "team.db", before="0006", after="0007", kept=Path("team.db.bak-0006"), byte_count=3_000_000
    )
    entrance.page_wanted.emit(entrance.upgrade_offer)
    entrance.upgrade_offer.show_plan(plan)


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


INVITATION = "Join the project team.\nAddress: postgresql://anna@db.example.org/team\nName: anna\n"
"""As a manager sends it."""

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
    "_import": (("import", "import-dialog", 600),),
    "_generate": (("generate", "generate-dialog", 900),),
    "_teval": (("teval", "teval-picture/..", 480),),
    "_run": (("run", "run-dialog", 600),),
    "_paper": (("paper", "paper-dialog", 300),),
    "_suspects": (("suspects", "suspects-panel", 300),),
    "_mend": (("doubtful", "doubtful-dialog", 400),),
    "_attention": (("attention", "attention-panel", 440),),
    "_join": (("join", "connect-dialog", 620),),
    "_upgrade": (("upgrade", "upgrade-words/..", 400),),
    "_session_vote": (("session_vote", "session-panel", 440),),
    "_session_decide": (("session_decide", "session-panel", 560),),
    "_start": (("start", "welcome-open/..", 500),),
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
        give_back,
    ),
    "expert": Part(
        "half.db",
        EXPERT,
        (
            _case("adjudication", ESCALATED),
            _keys("adjudication_revealed", "B", "Ctrl+Return"),
        ),
    ),
    "leader": Part(
        "half.db",
        EXPERT,
        (
            ("_session_vote", lambda window: window.session.open()),
            _keys("_session_revealed", "Return"),
            _keys("_session_decide", "3"),
        ),
        begin_session,
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
    "guide": Part(
        "done.db",
        "",
        (
            ("_import", _look_into_file),
            _keys("_import_closed", "Esc"),
            ("_generate_filled", _order_dialogues),
            ("_generate", _show_estimate),
            _keys("_generate_closed", "Esc"),
            ("_teval", _open_agents),
            ("_suspects", _show_suspects),
            (
                "_run",
                _dialog(
                    "runs.new",
                    {
                        "run-model": "qwen3-8b",
                        "run-base_url": "http://localhost:8000/v1",
                        "run-file": "runs/qwen3-8b.jsonl",
                    },
                ),
            ),
            _keys("_run_closed", "Esc"),
            ("_paper", _dialog("runs.paper", {"paper-folder": "paper-draft"})),
            _keys("_paper_closed", "Esc"),
            ("_attention", _show_attention),
            ("_mend", _mend_public),
            _keys("_mend_closed", "Esc"),
            ("_join", _paste_invitation),
            _keys("_join_closed", "Esc"),
            ("_upgrade", _offer_upgrade),
            ("_start", lambda window: window.entrance.show_welcome()),
        ),
        measure,
    ),
}
"""Who takes which pictures, in this order; a name with a line before it is only cut from."""


if __name__ == "__main__":
    main()
