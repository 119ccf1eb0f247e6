"""The cases of a view as a table that holds only the rows around what is seen, and its columns as values.

A new column is an entry of `COLUMNS`, and what the project calls its order in `db/read/queries.py`.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, Signal

from annotator.cases.findings.rules import ERROR_RULES
from annotator.review.queue.case_rows import CaseFilter, CaseRow, count_cases, list_cases
from scoring.model.taxonomy import Information, Policy
from scoring.wording import INFORMATION, POLICY, counted
from ui.services.operations import Operations
from ui.theme.cells import CELL_ROLE, Cell, Index, cell_width, side_of
from ui.theme.tables import TOPIC_ROLE
from ui.theme.words import POLICY_SHORT, STAGE, ago, exactly, plain_tip, visible

if TYPE_CHECKING:
    from annotator.project.workspace import Workspace
    from ui.services.calls import Pending


HIDDEN = "Hidden until the case is decided, so that your review is independent."
"""Why a cell says nothing where the person sees the case blind."""


class QueueColumn(IntEnum):
    """Columns of the queue, from the left; in lower case the project's name of the order."""

    CASE = 0
    POLICIES = 1
    INFORMATION = 2
    REQUEST = 3
    FINDINGS = 4
    OWNER = 5
    STAGE = 6
    CHANGED = 7

    @property
    def order(self) -> str:
        """What the project calls the order of the column."""
        return self.name.lower()


@dataclass(frozen=True)
class ColumnLook:
    """What a column says, and how.

    `width` is the least at 100 %, None for the one column that takes what is left; what the column says
    widens it up to `widest`. `leave_out` counts from 1: the first one is left out first where there is no
    room, 0 stays; the preview says it too. `is_hidden` says whether a person who sees the case blind sees a
    dash.
    """

    text: Callable[[CaseRow], str]
    tip: Callable[[CaseRow], str] = lambda _: ""
    width: int | None = None
    widest: int = 0
    leave_out: int = 0
    is_figure: bool = False
    is_mono: bool = False
    is_descending_first: bool = False
    colour: Callable[[CaseRow], str] = lambda _: "text"
    is_hidden: Callable[[CaseRow], bool] = lambda _: False


def cell_of(row: CaseRow, column: QueueColumn) -> Cell:
    """A cell as it is painted; a dash for what is hidden from the person."""
    said = COLUMNS[column]
    if said.is_hidden(row):
        return Cell("–", colour="faint", is_mono=said.is_mono)
    return Cell(
        visible(said.text(row)),
        colour=said.colour(row),
        is_mono=said.is_mono,
        chip=row.stage if column is QueueColumn.STAGE else None,
        has_star=column is QueueColumn.CASE and row.is_gold,
    )


def tip_of(row: CaseRow, column: QueueColumn) -> str:
    """What a cell says besides; empty for nothing."""
    return HIDDEN if COLUMNS[column].is_hidden(row) else COLUMNS[column].tip(row)


def content_width(rows: Iterable[CaseRow], column: QueueColumn) -> int:
    """How wide a column must be to say everything, in pixels on screen; 0 without rows."""
    cells = (cell_of(row, column) for row in rows)
    longest = max(cells, key=lambda cell: len(cell.text), default=None)
    return cell_width(longest) if longest is not None else 0


def _case_tip(row: CaseRow) -> str:
    gold = " · gold example" if row.is_gold else ""
    return f"{row.case_id} · {row.batch} · {counted(row.task_count, 'task')}{gold}"


def _policies(row: CaseRow) -> str:
    names = [POLICY_SHORT[Policy(policy)] if policy else "–" for policy in row.policies]
    return " → ".join(names) if any(row.policies) else "–"


def _findings_tip(row: CaseRow) -> str:
    rules = (f"{rule}: {effect_of(rule)}" for rule in rules_by_weight(row))
    return "\n".join((finding_words(row), *rules))


def finding_words(row: CaseRow) -> str:
    """Count the findings of a case, and those among them that block, e.g. `3 findings, 1 blocks`."""
    verb = "blocks" if row.error_count == 1 else "block"
    blocking = f", {row.error_count:,} {verb}" if row.error_count else ""
    return f"{counted(row.finding_count, 'finding')}{blocking}"


def rules_by_weight(row: CaseRow) -> list[str]:
    """The rules that found something in a case, those that block first."""
    return sorted(dict.fromkeys(row.rules), key=lambda rule: rule not in ERROR_RULES)


def effect_of(rule: str) -> str:
    """Whether findings of a rule stand against the submission, in words."""
    return "blocks the submission" if rule in ERROR_RULES else "does not block"


def _informations(row: CaseRow) -> str:
    """The kinds of hidden information of a case: the first by name, the others by number."""
    hidden = dict.fromkeys(one for one in row.informations if one not in ("", Information.FIRST.value))
    names = [INFORMATION[Information(one)].lower() for one in hidden]
    return f"{names[0]} +{len(names) - 1}" if len(names) > 1 else "".join(names) or "–"


def _task_lines(values: tuple[str, ...], names: dict[str, str]) -> str:
    said = (f"Task {number}: {names.get(value, 'not labelled')}" for number, value in enumerate(values, 1))
    return "\n".join(said)


COLUMNS = {
    QueueColumn.CASE: ColumnLook(
        lambda row: row.case_id,
        _case_tip,
        width=112,
        widest=224,  # an id of 26 characters is seen whole, with a star too
        is_mono=True,
    ),
    QueueColumn.POLICIES: ColumnLook(
        _policies,
        lambda row: _task_lines(row.policies, {policy.value: POLICY[policy] for policy in Policy}),
        width=160,
        leave_out=4,
        is_hidden=lambda row: row.is_blind and not any(row.policies),
    ),
    QueueColumn.INFORMATION: ColumnLook(
        _informations,
        lambda row: _task_lines(row.informations, {one.value: INFORMATION[one] for one in Information}),
        width=104,
        leave_out=1,
        colour=lambda _: "muted",
        is_hidden=lambda row: row.is_blind and not any(row.informations),
    ),
    QueueColumn.REQUEST: ColumnLook(lambda row: " ".join(row.request.split()), lambda row: row.request),
    QueueColumn.FINDINGS: ColumnLook(
        lambda row: f"{row.finding_count:,}",
        _findings_tip,
        width=72,
        leave_out=2,
        is_figure=True,
        is_descending_first=True,
        colour=lambda row: "error" if row.error_count else "text" if row.finding_count else "faint",
        is_hidden=lambda row: row.is_blind,
    ),
    QueueColumn.OWNER: ColumnLook(
        lambda row: row.owner or "unassigned",
        width=92,
        widest=132,
        leave_out=3,
        colour=lambda row: "text" if row.owner else "muted",
        is_hidden=lambda row: row.is_blind and row.owner is None,
    ),
    QueueColumn.STAGE: ColumnLook(
        lambda row: STAGE[row.stage],
        lambda row: f"{STAGE[row.stage]}\n{row.note}".strip(),
        width=150,
    ),
    QueueColumn.CHANGED: ColumnLook(
        lambda row: ago(row.changed_at, datetime.now().astimezone()),
        lambda row: exactly(row.changed_at, datetime.now().astimezone()),
        width=92,
        is_figure=True,
        is_descending_first=True,
        colour=lambda _: "muted",
    ),
}


PAGE_ROWS = 200
KEPT_PAGES = 20
ASKED_PAGES = 3
"""Pages asked for at once; earlier ones were scrolled past and are taken back."""

CASE_ROLE = Qt.ItemDataRole.UserRole
"""The `CaseRow`, None while it is being fetched."""

_TOPICS = {
    QueueColumn.POLICIES: "policy",
    QueueColumn.INFORMATION: "information",
    QueueColumn.FINDINGS: "finding",
}
"""What of the guidelines explains a column."""


_Part = tuple[int, tuple[CaseRow, ...]]
"""How many cases there are, and the rows of a page."""


class CaseTable(QAbstractTableModel):
    """Fetches pages of rows as they are looked at and forgets the ones looked at longest ago."""

    counted = Signal(int)
    """How many cases the view has; after every answer."""
    unread = Signal(object)
    """The error for which no rows came."""
    reset_done = Signal()
    """A new view is shown."""

    def __init__(self, operations: Operations, parent: QObject | None = None, **properties: Any) -> None:
        super().__init__(parent, **properties)
        self._operations = operations
        self._where = CaseFilter()
        self._count = 0
        self._pages: OrderedDict[int, tuple[CaseRow, ...]] = OrderedDict()
        self._current: set[int] = set()
        self._asked: OrderedDict[int, Pending] = OrderedDict()
        self._generation = 0
        self._is_new = True
        self.order = self._where.order
        """What the project calls the order, with a leading minus for descending."""

    def show_cases(self, where: CaseFilter) -> None:
        """Show another view; what is there stays until the first rows of the new one arrive."""
        self._where = where
        self._is_new = True
        self._begin()
        self._ask(0)

    def show_order(self, order: str) -> None:
        """Mark the heading the cases are sorted by."""
        self.order = order
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(QueueColumn) - 1)

    def refresh(self, first_row: int) -> None:
        """Read again what is seen, from a row on; the rest follows as it is looked at."""
        self._begin()
        self._ask(first_row // PAGE_ROWS)

    def case_at(self, row: int) -> CaseRow | None:
        """The case of a row, None while it is being fetched."""
        page = self._pages.get(row // PAGE_ROWS, ())
        place = row % PAGE_ROWS
        return page[place] if place < len(page) else None

    def row_of(self, case_id: str) -> int | None:
        """The row of a case among those fetched, None where it is not."""
        for page, rows in self._pages.items():
            for place, row in enumerate(rows):
                if row.case_id == case_id:
                    return page * PAGE_ROWS + place
        return None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else self._count

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(QueueColumn)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._heading(QueueColumn(section))
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"Sort by {QueueColumn(section).name.lower()}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return side_of(is_figure=COLUMNS[QueueColumn(section)].is_figure)
        if role == TOPIC_ROLE:
            return _TOPICS.get(QueueColumn(section))
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        column = QueueColumn(index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return side_of(is_figure=COLUMNS[column].is_figure)
        if role not in (CASE_ROLE, CELL_ROLE, Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        page = index.row() // PAGE_ROWS
        if page not in self._current:
            self._ask(page)
        row = self.case_at(index.row())
        if row is None or role == CASE_ROLE:
            return row
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(tip_of(row, column)) or None
        cell = cell_of(row, column)
        return cell if role == CELL_ROLE else cell.text

    def _heading(self, column: QueueColumn) -> str:
        name = column.name.capitalize()
        if self.order.lstrip("-") != column.order:
            return name
        # Qt's own arrow is painted over right-aligned words.
        return f"{name} {'↓' if self.order.startswith('-') else '↑'}"

    def _begin(self) -> None:
        self._generation += 1
        self._current.clear()
        for pending in self._asked.values():
            pending.cancel()
        self._asked.clear()

    def _ask(self, page: int) -> None:
        if page in self._asked:
            return
        while len(self._asked) >= ASKED_PAGES:
            _, overtaken = self._asked.popitem(last=False)
            overtaken.cancel()
        fetch = partial(_fetch, where=self._where, offset=page * PAGE_ROWS)
        take = partial(self._take, self._generation, page)
        self._asked[page] = self._operations.run(fetch, then=take, failed=self.unread.emit)

    def _take(self, generation: int, page: int, part: _Part) -> None:
        if generation != self._generation:
            return
        self._asked.pop(page, None)
        count, rows = part
        if self._is_new:
            self.beginResetModel()
            self._pages.clear()
            self._count = count
            self._keep(page, rows)
            self._is_new = False
            self.endResetModel()
            self.reset_done.emit()
        else:
            self._resize(count)
            self._keep(page, rows)
            first = page * PAGE_ROWS
            last = min(first + PAGE_ROWS, self._count) - 1
            if last >= first:
                self.dataChanged.emit(self.index(first, 0), self.index(last, len(QueueColumn) - 1))
        self.counted.emit(self._count)

    def _keep(self, page: int, rows: tuple[CaseRow, ...]) -> None:
        self._pages[page] = rows
        self._pages.move_to_end(page)
        self._current.add(page)
        while len(self._pages) > KEPT_PAGES:
            forgotten, _ = self._pages.popitem(last=False)
            self._current.discard(forgotten)

    def _resize(self, count: int) -> None:
        if count > self._count:
            self.beginInsertRows(QModelIndex(), self._count, count - 1)
            self._count = count
            self.endInsertRows()
        elif count < self._count:
            self.beginRemoveRows(QModelIndex(), count, self._count - 1)
            self._count = count
            self.endRemoveRows()


def _fetch(workspace: "Workspace", *, where: CaseFilter, offset: int) -> _Part:
    rows = list_cases(workspace, where, offset=offset, limit=PAGE_ROWS)
    return count_cases(workspace, where), rows
