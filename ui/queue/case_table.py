"""The cases of a view as a table that holds only the rows around what is seen, and its columns as values.

A new column is an entry of `COLUMNS`, and what the project calls its `order` in `db/read/queries.py`.
"""

from collections import OrderedDict
from datetime import datetime
from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal

from annotator.cases.findings.rules import ERROR_RULES
from annotator.project.workspace import Workspace
from annotator.review.queue.case_rows import CaseFilter, CaseRow, count_cases, list_cases
from scoring.model.taxonomy import Information, Policy, Priority
from scoring.texts import tr, tr_count
from ui.services.calls import Pending
from ui.services.operations import Operations
from ui.theme.cells import Cell, Index
from ui.theme.layouts import build
from ui.theme.tables import Column, RowModel
from ui.theme.words import (
    FINDING,
    INFORMATION,
    POLICY,
    POLICY_SHORT,
    PRIORITY,
    STAGE,
    ago,
    exactly,
    name_key,
    visible,
)

HIDDEN = tr("Hidden until the case is decided, so that your review is independent.")
"""Why a cell says nothing where the person sees the case blind."""


_MARKS = {Priority.HIGH: "↑ ", Priority.LOW: "↓ "}
"""What stands before the id of a case that is given out before or after others."""


def _seen(cell: Cell, *, is_hidden: bool) -> Cell:
    """A cell as the person may see it: a dash for what is hidden from them."""
    return Cell("–", tip=HIDDEN, colour="muted") if is_hidden else cell


def _case_tip(row: CaseRow) -> str:
    gold = tr(" · gold example") if row.is_gold else ""
    return f"{row.case_id} · {row.batch} · {tr_count(row.task_count, 'task')}{gold}"


def _policies(row: CaseRow) -> str:
    names = [POLICY_SHORT[Policy(policy)] if policy else "–" for policy in row.policies]
    return " → ".join(names) if any(row.policies) else "–"


def _findings_tip(row: CaseRow) -> str:
    rules = (
        tr("{name}: {words}", name=FINDING.get(rule, rule), words=effect_of(rule))
        for rule in rules_by_weight(row)
    )
    return "\n".join((finding_words(row), *rules))


def finding_words(row: CaseRow) -> str:
    """Count the findings of a case, and those among them that block, e.g. `3 findings, 1 blocking`."""
    found = tr_count(row.finding_count, "finding")
    return tr("{found}, {count:,} blocking", found=found, count=row.error_count) if row.error_count else found


def rules_by_weight(row: CaseRow) -> list[str]:
    """The rules that found something in a case, those that block first."""
    return sorted(dict.fromkeys(row.rules), key=lambda rule: rule not in ERROR_RULES)


def effect_of(rule: str) -> str:
    """Whether findings of a rule stand against the submission, in words."""
    return tr("blocks the submission") if rule in ERROR_RULES else tr("does not block")


def _informations(row: CaseRow) -> str:
    """The kinds of hidden information of a case: the first by name, the others by number."""
    hidden = dict.fromkeys(one for one in row.informations if one not in ("", Information.FIRST.value))
    names = [INFORMATION[Information(one)].lower() for one in hidden]
    return f"{names[0]} +{len(names) - 1}" if len(names) > 1 else "".join(names) or "–"


def _task_lines(values: tuple[str, ...], names: dict[str, str]) -> str:
    said = (
        tr("Task {number}: {get}", number=number, get=names.get(value, "not labelled"))
        for number, value in enumerate(values, 1)
    )
    return "\n".join(said)


COLUMNS: tuple[Column[CaseRow], ...] = (
    Column(
        tr("Case"),
        112,
        lambda row: Cell(
            f"{_MARKS.get(row.priority, '')}{visible(row.case_id)}",
            tip=_case_tip(row),
            is_mono=True,
            has_star=row.is_gold,
        ),
        order="case",
        widest=224,  # an id of 26 characters is seen whole, with a star too
    ),
    Column(
        tr("Policies"),
        160,
        lambda row: _seen(
            Cell(_policies(row), tip=_task_lines(row.policies, {one.value: POLICY[one] for one in Policy})),
            is_hidden=row.is_blind and not any(row.policies),
        ),
        order="policies",
        topic="policy",
        leave_out=5,
    ),
    Column(
        tr("Information"),
        104,
        lambda row: _seen(
            Cell(
                _informations(row),
                tip=_task_lines(row.informations, {one.value: INFORMATION[one] for one in Information}),
                colour="muted",
            ),
            is_hidden=row.is_blind and not any(row.informations),
        ),
        order="information",
        topic="information",
        leave_out=2,
    ),
    Column(
        tr("Request"),
        0,
        lambda row: Cell(visible(" ".join(row.request.split())), tip=row.request),
        order="request",
    ),
    Column(
        tr("Findings"),
        72,
        lambda row: _seen(
            Cell(
                f"{row.finding_count:,}",
                tip=_findings_tip(row),
                colour="error" if row.error_count else "text" if row.finding_count else "muted",
            ),
            is_hidden=row.is_blind,
        ),
        is_figure=True,
        order="findings",
        topic="finding",
        leave_out=3,
    ),
    Column(
        tr("Owner"),
        92,
        lambda row: _seen(
            Cell(visible(row.owner or tr("unassigned")), colour="text" if row.owner else "muted"),
            is_hidden=row.is_blind and row.owner is None,
        ),
        order="owner",
        widest=132,
        leave_out=4,
    ),
    Column(
        tr("Priority"),
        72,
        lambda row: Cell(
            PRIORITY[row.priority], colour="muted" if row.priority is Priority.NORMAL else "text"
        ),
        order="priority",
        leave_out=1,
    ),
    Column(
        tr("Stage"),
        150,
        lambda row: Cell(STAGE[row.stage], tip=f"{STAGE[row.stage]}\n{tr(row.note)}".strip(), chip=row.stage),
        order="stage",
    ),
    Column(
        tr("Changed"),
        92,
        lambda row: Cell(
            ago(row.changed_at, datetime.now().astimezone()),
            tip=exactly(row.changed_at, datetime.now().astimezone()),
            colour="muted",
        ),
        is_figure=True,
        order="changed",
    ),
)


PAGE_ROWS = 200
KEPT_PAGES = 20
ASKED_PAGES = 3
"""Pages asked for at once; earlier ones were scrolled past and are taken back."""

CASE_ROLE = Qt.ItemDataRole.UserRole
"""The `CaseRow`, None while it is being fetched."""

_Part = tuple[int, tuple[CaseRow, ...]]
"""How many cases there are, and the rows of a page."""


class CaseTable(RowModel):
    """Fetches pages of rows as they are looked at and forgets the ones looked at longest ago."""

    counted = Signal(int)
    """How many cases the view has; after every answer."""
    unread = Signal(object)
    """The error for which no rows came."""
    reset_done = Signal()
    """A new view is shown."""

    columns = COLUMNS

    def __init__(self, operations: Operations, parent: QObject | None = None, **properties: Any) -> None:
        build(super().__init__, parent, **properties)
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
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

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
        found = (
            page * PAGE_ROWS + place
            for page, rows in self._pages.items()
            for place, row in enumerate(rows)
            if row.case_id == case_id
        )
        return next(found, None)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else self._count

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        found = super().headerData(section, orientation, role)
        column = COLUMNS[section]
        match role:
            case Qt.ItemDataRole.ToolTipRole:
                return tr("Sort by this column")
            case Qt.ItemDataRole.DisplayRole if self.order.lstrip("-") == column.order:
                # Qt's own arrow is painted over right-aligned words.
                return f"{found} {'↓' if self.order.startswith('-') else '↑'}"
            case _:
                return found

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        return self.case_at(index.row()) if role == CASE_ROLE else super().data(index, role)

    def cell_at(self, row: int, column: int) -> Cell | None:
        page = row // PAGE_ROWS
        if page not in self._current:
            self._ask(page)
        case = self.case_at(row)
        return COLUMNS[column].cell_of(case) if case is not None else None

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
        self._asked[page] = self._operations.run(
            fetch, then=partial(self._take, self._generation, page), failed=self.unread.emit
        )

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
                self.dataChanged.emit(self.index(first, 0), self.index(last, len(COLUMNS) - 1))
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


def _fetch(workspace: Workspace, *, where: CaseFilter, offset: int) -> _Part:
    rows = list_cases(workspace, where, offset=offset, limit=PAGE_ROWS, name_key=name_key)
    return count_cases(workspace, where), rows
