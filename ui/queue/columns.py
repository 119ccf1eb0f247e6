"""The columns of the queue as values: what each says of a case, how it looks and how wide it is.

A new column is an entry of `COLUMNS`, and what the project calls its order in `db/read/queries.py`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from annotator.cases.findings.rules import ERROR_RULES
from annotator.review.queue.case_rows import CaseRow
from scoring.model.taxonomy import Information, Policy
from ui.theme.cells import Cell, cell_width
from ui.theme.words import INFORMATION, POLICY, POLICY_SHORT, STAGE, ago, counted, exactly, visible

HIDDEN = "Hidden until the case is decided, so that your review is independent."
"""Why a cell says nothing where the person sees the case blind."""


class Column(IntEnum):
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
class QueueColumn:
    """What a column says, and how.

    `width` is the least at 100 %, null for the one column that takes what is left; what the column says
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


def cell_of(row: CaseRow, column: Column) -> Cell:
    """A cell as it is painted; a dash for what is hidden from the person."""
    said = COLUMNS[column]
    if said.is_hidden(row):
        return Cell("–", colour="faint", is_mono=said.is_mono)
    return Cell(
        visible(said.text(row)),
        colour=said.colour(row),
        is_mono=said.is_mono,
        chip=row.stage if column is Column.STAGE else None,
        has_star=column is Column.CASE and row.is_gold,
    )


def tip_of(row: CaseRow, column: Column) -> str:
    """What a cell says besides; empty for nothing."""
    return HIDDEN if COLUMNS[column].is_hidden(row) else COLUMNS[column].tip(row)


def content_width(rows: Iterable[CaseRow], column: Column) -> int:
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


def _policies_tip(row: CaseRow) -> str:
    return _task_lines(row.policies, {policy.value: POLICY[policy] for policy in Policy})


def _informations_tip(row: CaseRow) -> str:
    return _task_lines(row.informations, {one.value: INFORMATION[one] for one in Information})


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


def _findings_colour(row: CaseRow) -> str:
    return "error" if row.error_count else "text" if row.finding_count else "faint"


def _informations(row: CaseRow) -> str:
    """The kinds of hidden information of a case: the first by name, the others by number."""
    hidden = dict.fromkeys(one for one in row.informations if one not in ("", Information.FIRST.value))
    names = [INFORMATION[Information(one)].lower() for one in hidden]
    return f"{names[0]} +{len(names) - 1}" if len(names) > 1 else "".join(names) or "–"


def _task_lines(values: tuple[str, ...], names: dict[str, str]) -> str:
    said = (f"Task {number}: {names.get(value, 'not labelled')}" for number, value in enumerate(values, 1))
    return "\n".join(said)


COLUMNS = {
    Column.CASE: QueueColumn(
        lambda row: row.case_id,
        _case_tip,
        width=112,
        widest=224,  # an id of 26 characters is seen whole, with a star too
        is_mono=True,
    ),
    Column.POLICIES: QueueColumn(
        _policies,
        _policies_tip,
        width=160,
        leave_out=4,
        is_hidden=lambda row: row.is_blind and not any(row.policies),
    ),
    Column.INFORMATION: QueueColumn(
        _informations,
        _informations_tip,
        width=104,
        leave_out=1,
        colour=lambda _: "muted",
        is_hidden=lambda row: row.is_blind and not any(row.informations),
    ),
    Column.REQUEST: QueueColumn(lambda row: " ".join(row.request.split()), lambda row: row.request),
    Column.FINDINGS: QueueColumn(
        lambda row: f"{row.finding_count:,}",
        _findings_tip,
        width=72,
        leave_out=2,
        is_figure=True,
        is_descending_first=True,
        colour=_findings_colour,
        is_hidden=lambda row: row.is_blind,
    ),
    Column.OWNER: QueueColumn(
        lambda row: row.owner or "unassigned",
        width=92,
        widest=132,
        leave_out=3,
        colour=lambda row: "text" if row.owner else "muted",
        is_hidden=lambda row: row.is_blind and row.owner is None,
    ),
    Column.STAGE: QueueColumn(
        lambda row: STAGE[row.stage],
        lambda row: f"{STAGE[row.stage]}\n{row.note}".strip(),
        width=150,
    ),
    Column.CHANGED: QueueColumn(
        lambda row: ago(row.changed_at, datetime.now().astimezone()),
        lambda row: exactly(row.changed_at, datetime.now().astimezone()),
        width=92,
        is_figure=True,
        is_descending_first=True,
        colour=lambda _: "muted",
    ),
}
