"""One task, all runs: what each did with it side by side, where it left the legal orders, and their tree."""

from collections.abc import Hashable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from annotator.project.changes import Changes
from annotator.release.runs.order_trees import MOST_ORDERS, save_task_pictures, task_pictures
from annotator.release.runs.replies import ReleaseRuns, compared, look_through_runs, release_runs
from annotator.release.runs.task_replies import Pick, TakenTask, TaskPicks, replies_table
from scoring.errors import AnnotatorError
from scoring.measures.sample import Key
from scoring.orders.legal_orders import count_orders
from scoring.texts import in_language, joined, tr, tr_count
from ui.charts import PictureView
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner
from ui.services.jobs import WindowJob
from ui.services.operations import Operations
from ui.services.pages import ProjectPage
from ui.theme import (
    Button,
    ButtonKind,
    Card,
    Chip,
    ElidedLabel,
    EmptyState,
    Hint,
    PanelHeader,
    TextLabel,
    Tone,
    WrappedLabel,
)
from ui.theme.buttons import ChoiceChip
from ui.theme.cells import Cell
from ui.theme.dialogs import open_dialog
from ui.theme.events import on_keys
from ui.theme.layouts import STRETCH, ScrollArea, build, column, fill, hbox, scrolled, split, stacked, vbox
from ui.theme.look import scaled, theme
from ui.theme.menus import open_choices
from ui.theme.panels import PageHead, TabBar
from ui.theme.tables import Column, FigureTable
from ui.theme.words import LOADING

_EVERY = ""
_RULES = {
    Pick.ALL_FAIL: tr("All fail"),
    Pick.ONE_FAILS: tr("One fails"),
    Pick.ORDERS_DIFFER: tr("Orders differ"),
    Pick.ASKS_AGAIN: tr("Asks again"),
}
TakenLine = tuple[TakenTask, Sequence[str]]
"""What a run did with the task, and the words of its row: the last comes when all were looked through."""


def _word(number: int, line: TakenLine) -> Cell:
    return Cell(in_language(line[1][number]) if number < len(line[1]) else "")


_COLUMNS: tuple[Column[TakenLine], ...] = (
    Column(tr("Run"), 190, lambda line: Cell(line[0].run, is_strong=True, tip=line[0].run)),
    Column(
        tr("Result"),
        72,
        lambda line: Cell(tr(line[1][1]), chip=Tone.OK if line[0].score.is_correct else Tone.ERROR),
    ),
    Column(
        tr("Left in"),
        72,
        partial(_word, 2),
        tip=tr("Round in which it left the legal orders or gave a wrong argument, from 1"),
    ),
    Column(tr("Steps"), 64, partial(_word, 3), tip=tr("Steps done of all")),
    Column(tr("Replies"), cell=partial(_word, 4)),
    Column(tr("What went wrong"), 300, partial(_word, 5)),
    Column(
        tr("Asks again, %"),
        120,
        partial(_word, 6),
        is_figure=True,
        tip=tr("Of its wrong tasks in all of the release, where it asks for what was said before"),
    ),
)
_CARD, _LEAF = 300, 34
"""Width of what one run did, and height of a legal order, at 100 %."""


class TaskPage(ProjectPage):
    """Shows one task of a release; rules pick others. It reads by jobs.

    Args:
        operations: The way to the project.
        commands: Takes the commands of the page.
        properties: Of the widget, and what its signals call.
    """

    left = Signal()
    """The person has seen enough."""
    case_wanted = Signal(str)
    """Id of a case the person wants to open."""

    def __init__(self, operations: Operations, commands: Commands, **properties: Any) -> None:
        super().__init__("task", operations, commands, **properties)
        self._key: Key = ("", 0)
        self._release = ""
        self._found: ReleaseRuns | None = None
        self._picks: TaskPicks | None = None
        self._taken: tuple[TakenTask, ...] = ()
        self._shown: Key = self._key
        self._job: WindowJob | None = None
        self._whole: WindowJob | None = None
        self._rule = ChoiceChip(
            "task-rule", tr("Tasks"), [(_EVERY, tr("Every task")), *_RULES.items()], chosen=self._take_rule
        )
        commands.add_all(
            self,
            Command("task.next", tr("Next task of the rule"), tr("One task"), partial(self._step, 1), "J"),
            Command(
                "task.before", tr("Previous task of the rule"), tr("One task"), partial(self._step, -1), "K"
            ),
            Command("task.rule", tr("Pick tasks by a rule"), tr("One task"), self._rule.open_menu, "R"),
            Command(
                "task.view",
                tr("Replies or legal orders"),
                tr("One task"),
                lambda: self._tabs.setCurrentIndex(1 - self._tabs.currentIndex()),
                "T",
            ),
            Command(
                "task.export",
                tr("Export the comparison"),
                tr("One task"),
                lambda: open_choices(
                    self._export,
                    "task-export-menu",
                    ((tr("Pictures…"), self._ask_folder), (tr("Copy the table"), self._table.copy_all)),
                ),
                "E",
            ),
            Command(
                "task.case",
                tr("Open the case"),
                tr("One task"),
                lambda: self.case_wanted.emit(self._key[0]),
                "O",
            ),
        )
        self._build()
        on_keys(self, {Qt.Key.Key_Escape: self.left.emit})

    def show_task(self, case: str, task: int, *, release: str = "") -> None:
        """Show a task.

        Args:
            case: The case; empty for the first task of the release that every run gets wrong.
            task: Its number in the case, from 0.
            release: Over which the runs were; empty for the one of the newest run that has the case.
        """
        self._rule.choose(_EVERY if case else Pick.ALL_FAIL)
        self._key, self._release = (case, task), release
        is_known = (
            self._picks is not None and self._found is not None and release in ("", self._found.release)
        )
        if is_known and self._found is not None and self._key in self._found.gold.golds:
            self._show()
        else:
            self._read()

    def _build(self) -> None:
        self._name = ElidedLabel("", "mono-strong", mode=Qt.TextElideMode.ElideMiddle, objectName="task-name")
        self._place = TextLabel("", "small-muted", objectName="task-place")
        button, ghost = self._commands.button, ButtonKind.GHOST
        self._export = button("task.export", tr("Export…"), name="task-export")
        ways = (
            self._rule,
            button("task.before", tr("Previous"), name="task-before", kind=ghost),
            button("task.next", tr("Next"), name="task-next", kind=ghost),
            self._place,
            button("task.case", tr("Open the case"), name="task-case", kind=ghost),
            self._export,
            Button(tr("Back"), keys="Esc", objectName="task-back", clicked=self.left),
        )
        head = PageHead(tr("One task, all runs"), [self._name], ways)
        self._notice = ErrorBanner(objectName="task-notice")
        self._request = WrappedLabel("", "body", objectName="task-request")
        self._orders = WrappedLabel("", "small-muted", objectName="task-orders")
        self._table = FigureTable(
            "task-runs", tr("Runs"), _COLUMNS, is_sortable=False, marked=self._go_to_card
        )
        self._cards = hbox(gap=8, margins=12)
        self._area = scrolled(column(self._cards), objectName="task-replies")
        self._tree = PictureView(self._operations, "task-tree")
        views = stacked(self._area, ScrollArea(self._tree, width=240, height=140))
        self._tabs = TabBar(
            "task-tabs",
            (tr("Replies side by side"), tr("Legal orders")),
            currentChanged=views.setCurrentIndex,
        )
        lower = column(PanelHeader("", self._tabs), (views, 1))
        shown = column(
            vbox(self._request, self._orders, gap=4, margins=(16, 8)),
            (split(Qt.Orientation.Vertical, (self._table, 220), (lower, 420)), 1),
        )
        self._nothing = EmptyState("chart-bar", LOADING, "")
        self._stack = stacked(shown, self._nothing)
        vbox(head, self._notice, (self._stack, 1), within=self, focus=self._table)

    # reading -------------------------------------------------------------------------------------

    def _read(self) -> None:
        """Read the task alone, which is quick, then the whole release for the rules."""
        self._found, self._picks = None, None
        if not self._key[0]:
            self._read_whole()
            return
        self._say(LOADING, "")
        self._job = self._operations.start_job(
            partial(release_runs, release=self._release, case=self._key[0]),
            tr("Read the runs of {key}", key=self._key[0]),
            then=self._take,
            failed=self._fail,
            instead_of=self._job,
        )

    def _take(self, found: ReleaseRuns) -> None:
        self._found, self._release = found, found.release
        self._show()
        self._read_whole()

    def _read_whole(self) -> None:
        if self._found is None:
            self._say(tr("Looking through the tasks …"), tr("Every task of the release is compared once."))
        self._block()
        self._whole = self._operations.start_job(
            partial(look_through_runs, release=self._release),
            tr("Look through the tasks of all runs"),
            then=self._take_whole,
            failed=self._fail,
            instead_of=self._whole,
        )

    def _take_whole(self, whole: tuple[ReleaseRuns, TaskPicks]) -> None:
        self._found, self._picks = whole
        self._release = self._found.release
        self._rule.set_choices(
            [
                (_EVERY, tr("Every task")),
                *((rule, f"{words} · {len(self._picks.keys[rule]):,}") for rule, words in _RULES.items()),
            ]
        )
        if self._key[0]:
            self._show()
        else:
            self._take_rule("")

    def _fail(self, error: AnnotatorError) -> None:
        self._say(error.message, tr(error.hint))

    def _note_changes(self, changes: Changes) -> None:
        if changes.has_runs:
            self._picks = None
            if self.isVisible():
                self._read()

    # going from task to task ---------------------------------------------------------------------

    def _keys(self) -> tuple[Key, ...]:
        """The tasks of the chosen rule; none before they are known."""
        if self._found is None or self._picks is None:
            return ()
        return self._picks.keys[Pick(self._rule.value)] if self._rule.value else tuple(self._found.gold.golds)

    def _take_rule(self, _: str) -> None:
        keys = self._keys()
        if keys:
            self._key = self._key if self._key in keys else keys[0]
            self._show()
        elif self._picks is not None:
            self._say(
                tr("No such task"), tr("No task that every run answered fits this rule; choose another.")
            )

    def _step(self, by: int) -> None:
        keys = self._keys()
        if keys:
            at = keys.index(self._key) + by if self._key in keys else 0
            self._key = keys[min(max(at, 0), len(keys) - 1)]
            self._show()

    # showing -------------------------------------------------------------------------------------

    def _say(self, title: str, text: str) -> None:
        self._nothing.set_words(title, text)
        self._stack.setCurrentWidget(self._nothing)
        self._name.setText(self._words() if self._key[0] else "")
        self._taken = ()
        self._block()

    def _words(self) -> str:
        return tr("{key}, task {key2}", key=self._key[0], key2=self._key[1] + 1)

    def _block(self) -> None:
        keys = self._keys()
        self._commands.block_all(
            ""
            if keys
            else tr("The tasks are looked through first.")
            if not self._picks
            else tr("No such task."),
            "task.next",
            "task.before",
        )
        self._commands.block_all("" if self._taken else tr("There is no task."), "task.export", "task.case")
        of = (
            tr("{index:,} of {keys_count:,}", index=keys.index(self._key) + 1, keys_count=len(keys))
            if self._key in keys
            else tr("{keys_count:,} tasks", keys_count=len(keys))
        )
        self._place.setText(of if keys else "")

    def _show(self) -> None:
        if self._found is not None:
            self._job = self._operations.start_outside(
                partial(compared, self._found, self._key),
                tr("Compare the runs of {words}", words=self._words()),
                then=partial(self._show_taken, self._key),
                failed=self._fail,
            )

    def _show_taken(self, key: Key, taken: tuple[TakenTask, ...]) -> None:
        if self._found is None or key != self._key:  # the person went on meanwhile
            return
        self._taken, self._shown = taken, key
        gold = self._found.gold.golds[key]
        table = replies_table(gold, taken, asks=self._picks.asks if self._picks else None)
        self._name.setText(self._words())
        self._request.setText(tr(table.notes[0]))
        self._orders.setText(
            joined(
                *(tr("{words}.", words=tr(note)) for note in table.notes[1:]),
                tr("Release {release}.", release=self._release),
                tr("{run} kept no replies.", run=tr_count(self._found.unkept, "run"))
                if self._found.unkept
                else "",
            )
        )
        self._table.show_items(zip(taken, table.rows, strict=True), key=lambda line: line[0].run)
        fill(self._cards, (*map(_card, taken), STRETCH))
        _, tree = task_pictures(gold, taken)
        leaves = min(count_orders(gold.graph) or MOST_ORDERS, MOST_ORDERS) + len(taken)
        self._tree.setMinimumHeight(theme().px(_LEAF * leaves))
        self._tree.show_picture(tree.draw, tree.caption)
        self._stack.setCurrentIndex(0)
        self._block()

    def _go_to_card(self, key: Hashable) -> None:
        card = self._area.findChild(QWidget, f"taken-{key}")
        if card is not None:
            self._area.ensureWidgetVisible(card, 0, 0)

    # exporting -----------------------------------------------------------------------------------

    def _ask_folder(self) -> None:
        open_dialog(
            build(
                QFileDialog,
                self,
                tr("Folder for the pictures"),
                fileMode=QFileDialog.FileMode.Directory,
                fileSelected=self.export_pictures,
            )
        )

    def export_pictures(self, folder: str) -> None:
        """Write the replies and the legal orders of the shown task into a folder, in every form."""
        if self._found is not None:
            self._operations.start_outside(
                partial(save_task_pictures, self._found.gold.golds[self._shown], self._taken, Path(folder)),
                tr("Write the pictures"),
                then=partial(
                    self._notice.tell,
                    lambda files: tr("{picture} written.", picture=tr_count(len(files), "picture")),
                    hint=lambda files: files[0].parent,
                ),
                failed=self._notice.show_error,
            )


def _card(one: TakenTask) -> QWidget:
    """What one run said round by round; the round in which it went wrong stands out."""
    card = build(Card, objectName=f"taken-{one.run}")
    said = [
        Hint(f"{number}", words, Tone.ERROR if number == one.left else Tone.NEUTRAL)
        for number, words in enumerate(one.said, start=1)
    ]
    why = [Hint(tr("Wrong"), in_language(one.why), Tone.WARN)] if one.why else []
    head = hbox(
        (ElidedLabel(one.run, "strong"), 1),
        Chip(tr("right"), Tone.OK) if one.score.is_correct else Chip(tr("wrong"), Tone.ERROR),
    )
    vbox(head, *said, *why, STRETCH, within=card, gap=6, margins=10)
    scaled(card, setFixedWidth=_CARD)
    return card
