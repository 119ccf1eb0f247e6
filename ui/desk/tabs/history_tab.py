"""The History tab: the revisions of a case, what each changed, and the way back to one of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from annotator.cases.history import RevisionRow, case_history, revision_case
from annotator.cases.versions.case_diff import case_diff
from annotator.project.workspace import Workspace
from annotator.review.submissions import revision_reason
from scoring.model.case import Case, Edge, Task
from scoring.model.graph import step_name
from scoring.texts import tr
from ui.diffs import ChangeList
from ui.services.errors import unread
from ui.services.operations import Operations
from ui.theme import Button, EmptyState, SectionLabel, TextLabel, theme
from ui.theme.events import DueReading
from ui.theme.layouts import build, column, hbox, scrolled, show_either, vbox
from ui.theme.words import LOADING, STAGE, VERDICT, ago, exactly


@dataclass(frozen=True)
class Drawings:
    """Two drawings of one task; `task` gives the steps, `number` is counted from 0."""

    number: int
    task: Task
    before: tuple[Edge, ...]
    after: tuple[Edge, ...]


@dataclass(frozen=True)
class RevisionPair:
    """Two revisions that are compared, the earlier one first."""

    before: Case
    after: Case
    names: tuple[str, str]

    def drawing_of(self, number: int) -> Drawings | None:
        """The drawings of a task, or of the first that differs where this one does not.

        Returns:
            None where no drawing of the same steps differs.
        """
        found = {
            n: Drawings(n, new, old.drawn_edges, new.drawn_edges)
            for n, (old, new) in enumerate(zip(self.before.tasks, self.after.tasks, strict=False))
            if [step_name(step) for step in old.steps] == [step_name(step) for step in new.steps]
            and set(old.drawn_edges) != set(new.drawn_edges)
        }
        return found.get(number) or next(iter(found.values()), None)


class HistoryTab(QWidget):
    """Shows the revisions of a case; one of them can be restored where the case is worked on.

    Signals: `restore_wanted` carries a revision's number and its case; `compared` a `RevisionPair`.
    """

    restore_wanted = Signal(int, object)
    compared = Signal(object)

    def __init__(
        self, operations: Operations, parent: QWidget | None = None, *, can_restore: bool = True
    ) -> None:
        build(super().__init__, parent, objectName="history-tab")
        self._operations = operations
        self._case_id = ""
        self._is_blind = False
        self.open_id: int | None = None
        """Which revision is worked on beside the list, by its number in the store."""
        self._revisions: tuple[RevisionRow, ...] = ()
        self._comparison: RevisionPair | None = None
        self._due = DueReading(self, self._read)
        self.timeline = build(
            QListWidget,
            objectName="revision-list",
            accessibleName=tr("Revisions, newest first"),
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            textElideMode=Qt.TextElideMode.ElideRight,
            currentRowChanged=self._compare,
        )
        self.timeline.setFixedHeight(theme().px(170))
        self._against = build(
            QComboBox,
            objectName="revision-against",
            accessibleName=tr("Compared with"),
            activated=self._compare,
        )
        self._restore = Button(
            tr("Restore this one"), objectName="revision-restore", clicked=self._ask_restore
        )
        self._changes = ChangeList()
        self._empty = EmptyState("clock-counter-clockwise", "", "")
        self._content = self._inside()
        if not can_restore:
            self._restore.hide()
        vbox((self._content, 1), (self._empty, 1), within=self)
        self._content.hide()

    def show_case(self, case_id: str, *, is_blind: bool) -> None:
        """Show the history of another case; a blind reviewer sees none."""
        self._case_id = case_id
        self._comparison = None
        self._show_revisions(())
        self._is_blind = is_blind
        if is_blind:
            self._empty.set_words(
                tr("Hidden for now"), tr("You see this case blind. Its history opens when it is decided.")
            )
            return
        self._empty.say(LOADING)
        self.reload()

    def reload(self) -> None:
        """Read the revisions again, as soon as somebody looks."""
        self._due.ask()

    def _read(self) -> None:
        if self._case_id and not self._is_blind:
            self._operations.run(
                partial(case_history, case_id=self._case_id),
                then=self._show_revisions,
                failed=unread(self._operations.failure.emit, self._empty),
            )

    def compare_again(self) -> None:
        """Tell once more what is compared, e.g. when the tab comes into sight."""
        if self._comparison is not None:
            self.compared.emit(self._comparison)

    def _inside(self) -> QWidget:
        changes = column(self._changes, gap=None, margins=(12, 4, 12, 12))
        return column(
            vbox(SectionLabel(tr("Revisions")), margins=(12, 12, 12, 4)),
            self.timeline,
            hbox(
                TextLabel(tr("against"), "small-muted"),
                (self._against, 1),
                self._restore,
                gap=8,
                margins=(12, 8, 12, 4),
            ),
            (scrolled(changes, horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff), 1),
        )

    def _show_revisions(self, found: Sequence[RevisionRow]) -> None:
        self._revisions = tuple(reversed(found))
        show_either(self._content, self._empty, on=len(found) > 1)
        now = datetime.now().astimezone()
        if len(found) == 1:
            who = tr(" by {author}", author=found[0].author) if found[0].author else ""
            self._empty.set_words(
                tr("No changes yet"), tr("Imported{who}, {ago}.", who=who, ago=ago(found[0].at, now))
            )
        with QSignalBlocker(self.timeline):
            self.timeline.clear()
            self._against.clear()
            for row in self._revisions:
                who = row.author or tr("the majority")
                place = self._place_of(row)
                item = QListWidgetItem(
                    f"{row.number}  {who}, {ago(row.at, now)}{place}\n    {revision_words(row)}"
                )
                item.setToolTip(f"{exactly(row.at, now)} · {_reason_words(row)}\n{row.sha256[:12]}")
                self.timeline.addItem(item)
                self._against.addItem(tr("revision {number}", number=row.number), row.number)
        if self._revisions:
            self._against.setCurrentIndex(min(1, len(self._revisions) - 1))
            self.timeline.setCurrentRow(0)

    def _compare(self, _: int) -> None:
        row = self.timeline.currentRow()
        if not 0 <= row < len(self._revisions):
            return
        if self.sender() is self.timeline and row + 1 < len(self._revisions):
            self._against.setCurrentIndex(row + 1)
        number, other = self._revisions[row].number, self._against.currentData()
        self._restore.set_blocked(self._why_not_restored(self._revisions[row]))
        compare = partial(_compared, case_id=self._case_id, numbers=(number, other))
        self._operations.run(compare, then=self._show_changes, newest_of=self)

    def _place_of(self, row: RevisionRow) -> str:
        """Where a revision stands to the one that is open; nothing while the newest is open."""
        if self.open_id in (None, self._revisions[0].id):
            return ""
        missing = tr(" · not open here yet") if self._is_newer(row) else ""
        return tr(" · open here") if row.id == self.open_id else missing

    def _is_newer(self, row: RevisionRow) -> bool:
        return self.open_id is not None and row.id > self.open_id

    def _why_not_restored(self, row: RevisionRow) -> str:
        if self._is_newer(row):
            return tr("It is newer than what you have open: open the case as it is now instead.")
        if row.id == self.open_id:
            return tr("This is the revision you work on; there is nothing to restore.")
        is_newest = row.id == self._revisions[0].id
        return tr("This is the newest revision; there is nothing to restore.") if is_newest else ""

    def _show_changes(self, compared: RevisionPair) -> None:
        self._comparison = compared
        self._changes.show_changes(case_diff(compared.before, compared.after))
        self.compared.emit(compared)

    def _ask_restore(self) -> None:
        row = self.timeline.currentRow()
        if 0 <= row < len(self._revisions):
            number = self._revisions[row].number
            self._operations.run(
                partial(revision_case, case_id=self._case_id, number=number),
                then=partial(self.restore_wanted.emit, number),
            )


def revision_words(row: RevisionRow) -> str:
    """At which stage a revision was made, and why where that says more."""
    reason = _reason_words(row)
    is_news = (
        row.reason and row.reason.lower() != row.stage.value and reason.lower() != STAGE[row.stage].lower()
    )
    return f"{STAGE[row.stage]} · {reason}" if is_news else STAGE[row.stage]


def _reason_words(row: RevisionRow) -> str:
    verdicts = {revision_reason(row.stage, verdict): words.lower() for verdict, words in VERDICT.items()}
    return verdicts.get(row.reason, tr(row.reason))


def _compared(workspace: Workspace, *, case_id: str, numbers: tuple[int, int]) -> RevisionPair:
    first, second = sorted(numbers)
    before = revision_case(workspace, case_id, number=first)
    after = revision_case(workspace, case_id, number=second)
    return RevisionPair(
        before, after, (tr("revision {first}", first=first), tr("revision {second}", second=second))
    )
