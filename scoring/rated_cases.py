"""Cases as several raters saw them, and the units of agreement that can be counted in them."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Self, cast

from pydantic import model_validator

from scoring.coefficients import Row
from scoring.model.case import Answer, Case
from scoring.model.labels import ComparedField, TaskLabels, compare
from scoring.model.record import Record
from scoring.model.taxonomy import CheckAnswer

NOT_DRAWN = "none"
"""The label of an ordered pair of steps a rater left without an edge."""

LabelRow = Row[Hashable]
Block = tuple[tuple[LabelRow, int], ...]
"""The rows of one task with how often each occurs: what is resampled as a whole."""


class RatedField(StrEnum):
    """What a row of the agreement table is about.

    One unit is a task for policy, information, completed and graph (its whole drawing); a call for
    call; an ordered pair of steps for edge; a pair somebody connected for edge_kind; an item of a
    task's checklist for checklist.
    """

    POLICY = "policy"
    INFORMATION = "information"
    COMPLETED = "completed"
    CALL = "call"
    EDGE = "edge"
    EDGE_KIND = "edge_kind"
    GRAPH = "graph"
    CHECKLIST = "checklist"


DRAWN_FIELDS = (RatedField.EDGE, RatedField.EDGE_KIND, RatedField.GRAPH)
"""Fields that are read from the drawing of a task."""


class RatedCase(Record):
    """One case with what each of its raters said.

    `fields` and `checks` hold values aligned with `raters`; `step_counts` says per task how many steps
    can carry an edge (all but the answer); `checks` holds per task and checklist item the answers.
    """

    case_id: str
    raters: tuple[str, ...]
    fields: tuple[ComparedField, ...]
    step_counts: tuple[int, ...]
    checks: tuple[tuple[tuple[CheckAnswer | None, ...], ...], ...] = ()

    @model_validator(mode="after")
    def _check_columns(self) -> Self:
        width = len(self.raters)
        if len(set(self.raters)) != width:
            raise ValueError(f"A rater stands twice among {', '.join(self.raters)}.")
        rows = [field.values for field in self.fields] + [row for task in self.checks for row in task]
        if any(len(row) != width for row in rows):
            raise ValueError(f"Case {self.case_id} has a field without one value for each rater.")
        return self


def rated_case(case: Case, said: Mapping[str, Sequence[TaskLabels]]) -> RatedCase:
    """Lay the labels of a case's raters side by side.

    Args:
        case: The case all raters judged.
        said: By rater the labels of every task, in task order; at least one rater.
    """
    checks = []
    for labels in zip(*said.values(), strict=True):
        items = dict.fromkeys(item for label in labels for item in label.checklist)
        checks.append(tuple(tuple(label.checklist.get(item) for label in labels) for item in items))
    return RatedCase(
        case_id=case.id,
        raters=tuple(said),
        fields=compare(case, list(said.values())),
        step_counts=tuple(sum(not isinstance(s, Answer) for s in task.steps) for task in case.tasks),
        checks=tuple(checks),
    )


def only_raters(case: RatedCase, raters: Sequence[str]) -> RatedCase:
    """Leave only the columns of these raters, in their order; who did not judge the case is skipped."""
    columns = [case.raters.index(rater) for rater in raters if rater in case.raters]
    return RatedCase(
        case_id=case.case_id,
        raters=tuple(case.raters[column] for column in columns),
        fields=tuple(
            field.model_copy(update={"values": tuple(field.values[column] for column in columns)})
            for field in case.fields
        ),
        step_counts=case.step_counts,
        checks=tuple(tuple(tuple(row[column] for column in columns) for row in task) for task in case.checks),
    )


class TaskRatings(NamedTuple):
    """What the raters of one task said about one field; a tuple, since many equal ones are counted.

    `rows` holds values aligned with `raters`. For the drawn fields `pairs` names the pair of steps of
    each row and `step_count` the steps that can be connected.
    """

    raters: tuple[str, ...]
    rows: tuple[LabelRow, ...]
    pairs: tuple[tuple[int, int], ...] = ()
    step_count: int = 0


def count_ratings(cases: Iterable[RatedCase]) -> dict[RatedField, Counter[TaskRatings]]:
    """Count equal task ratings for every field.

    A task without rows (no call, nothing to connect, no checklist) is left out of that field.
    """
    tallies: dict[RatedField, Counter[TaskRatings]] = {field: Counter() for field in RatedField}
    by_kind = {field.value: tally for field, tally in tallies.items()}
    drawings: Counter[TaskRatings] = Counter()
    for case in cases:
        raters = case.raters
        calls: list[list[LabelRow]] = [[] for _ in case.step_counts]
        edges: list[list[LabelRow]] = [[] for _ in case.step_counts]
        pairs: list[list[tuple[int, int]]] = [[] for _ in case.step_counts]
        for field in case.fields:
            values = cast("LabelRow", field.values)  # compared values are names and truth values
            if field.pair is not None:
                edges[field.task].append(values)
                pairs[field.task].append(field.pair)
            elif field.kind == "call":
                calls[field.task].append(values)
            else:
                by_kind[field.kind][TaskRatings(raters, (values,))] += 1
        tallies[RatedField.CALL].update(TaskRatings(raters, tuple(rows)) for rows in calls if rows)
        drawings.update(
            TaskRatings(raters, tuple(edges[task]), tuple(pairs[task]), step_count)
            for task, step_count in enumerate(case.step_counts)
            if step_count > 1
        )
        tallies[RatedField.CHECKLIST].update(TaskRatings(raters, rows) for rows in case.checks if rows)
    for drawn in DRAWN_FIELDS:
        tallies[drawn] = drawings
    return tallies


def blocks_of(field: RatedField, ratings: Mapping[TaskRatings, int], raters: Sequence[str]) -> Counter[Block]:
    """Lay task ratings out on the columns of these raters; who did not judge a task is a null there.

    Args:
        field: What the ratings are about.
        ratings: Distinct task ratings with their counts.
        raters: The columns; raters of a task that are not among them are dropped.

    Returns:
        Distinct blocks with their counts; blocks without rows are left out.
    """
    blocks: Counter[Block] = Counter()
    for rated, count in ratings.items():
        columns = [rated.raters.index(rater) if rater in rated.raters else None for rater in raters]
        if rows := _rows_of(field, rated, columns):
            blocks[tuple(sorted(rows.items(), key=repr)) if len(rows) > 1 else tuple(rows.items())] += count
    return blocks


def _rows_of(field: RatedField, rated: TaskRatings, columns: Sequence[int | None]) -> Counter[LabelRow]:
    if field is RatedField.EDGE:
        return _pair_rows(rated, columns)
    if field is RatedField.GRAPH:
        return Counter([tuple(None if c is None else _drawing(rated, c) for c in columns)])
    rows = (tuple(None if c is None else row[c] for c in columns) for row in rated.rows)
    if field is RatedField.EDGE_KIND:
        return Counter(row for row in rows if any(kind is not None for kind in row))
    return Counter(rows)


def _pair_rows(rated: TaskRatings, columns: Sequence[int | None]) -> Counter[LabelRow]:
    """A row for each of the n (n - 1) ordered pairs of steps, drawn by somebody or not."""
    rows: Counter[LabelRow] = Counter(
        tuple(None if c is None else row[c] or NOT_DRAWN for c in columns) for row in rated.rows
    )
    undrawn = rated.step_count * (rated.step_count - 1) - len(rated.rows)
    if undrawn > 0:
        rows[tuple(None if c is None else NOT_DRAWN for c in columns)] += undrawn
    return rows


def _drawing(rated: TaskRatings, column: int) -> frozenset[Hashable]:
    return frozenset(
        (*pair, row[column])
        for pair, row in zip(rated.pairs, rated.rows, strict=True)
        if row[column] is not None
    )
