"""Cases as several raters saw them, and the units of agreement that can be counted in them."""

import operator
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache, partial
from itertools import islice, permutations
from typing import NamedTuple, Self, cast

from pydantic import Field, model_validator

from scoring.agreement.coefficients import Row
from scoring.errors import GraphError
from scoring.groups import summed
from scoring.model.case import Answer, Case
from scoring.model.graph import policy_of_calls
from scoring.model.labels import UNDRAWN, ComparedField, TaskLabels, compare
from scoring.model.record import Record
from scoring.model.taxonomy import CheckAnswer

NOT_DRAWN = "none"
"""The label of an ordered pair of steps a rater left without an edge."""

LabelRow = Row[Hashable]
Block = tuple[tuple[LabelRow, int], ...]
"""The rows of one task with how often each occurs: what is resampled as a whole."""


class RatedField(StrEnum):
    """What a row of the agreement table is about.

    One unit is a task for policy, completed and graph (its whole drawing); a task but the first of its
    case for information; a call for call, and for review where people are asked how calls ended; an
    ordered pair of steps for edge; a pair somebody connected for edge_kind; an item of a task's checklist
    for checklist.
    """

    POLICY = "policy"
    INFORMATION = "information"
    COMPLETED = "completed"
    CALL = "call"
    EDGE = "edge"
    EDGE_KIND = "edge_kind"
    GRAPH = "graph"
    CHECKLIST = "checklist"
    REVIEW = "review"


class RatedCase(Record):
    """One case with what each of its raters said.

    `fields` and `checks` hold values aligned with `raters`; `step_counts` says per task how many steps
    can carry an edge (all but the answer); `checks` holds per task and checklist item the answers.
    `drawn` says per task which raters have drawn it; empty where that was not asked yet (see `drew`).
    `items` names per task the items of `checks`; empty in rounds older than that.
    `chance` is how likely it was that anybody checked the case. One that was checked `by_choice` was not
    drawn at random: no figure of agreement rests on it.
    """

    case_id: str
    raters: tuple[str, ...]
    fields: tuple[ComparedField, ...]
    step_counts: tuple[int, ...]
    checks: tuple[tuple[tuple[CheckAnswer | None, ...], ...], ...] = ()
    drawn: tuple[tuple[bool, ...], ...] = ()
    items: tuple[tuple[str, ...], ...] = Field(default=(), exclude_if=operator.not_)
    chance: float = Field(default=1, gt=0, le=1, exclude_if=lambda share: share == 1)
    by_choice: bool = Field(default=False, exclude_if=operator.not_)

    @model_validator(mode="after")
    def _check_columns(self) -> Self:
        width = len(self.raters)
        if len(set(self.raters)) != width:
            raise ValueError(f"A rater occurs twice among {', '.join(self.raters)}.")
        rows = [len(field.values) for field in self.fields] + [
            len(row) for task in self.checks for row in task
        ]
        if any(length != width for length in (*rows, *map(len, self.drawn))):
            raise ValueError(f"Case {self.case_id} has a field without one value for each rater.")
        return self

    def drew(self) -> tuple[tuple[bool, ...], ...]:
        """Per task which raters have drawn it; where that was not asked, those with an edge.

        Without one they may have meant that nothing waits for anything, or not have looked: unknown.
        """
        if self.drawn:
            return self.drawn
        found = [[False] * len(self.raters) for _ in self.step_counts]
        for field in self.fields:
            if field.kind == "edge":
                for column, kind in enumerate(field.values):
                    found[field.task][column] |= kind is not None
        return tuple(map(tuple, found))


def rated_case(case: Case, said: Mapping[str, Sequence[TaskLabels]]) -> RatedCase:
    """Lay the labels of a case's raters side by side.

    Args:
        case: The case all raters judged.
        said: By rater the labels of every task, in task order; at least one rater.
    """
    checks, items = [], []
    for labels in zip(*said.values(), strict=True):
        items.append(tuple(dict.fromkeys(item for label in labels for item in label.checklist)))
        checks.append(tuple(tuple(label.checklist.get(item) for label in labels) for item in items[-1]))
    return RatedCase(
        case_id=case.id,
        raters=tuple(said),
        fields=compare(case, list(said.values())),
        step_counts=tuple(sum(not isinstance(s, Answer) for s in task.steps) for task in case.tasks),
        checks=tuple(checks),
        items=tuple(items),
        drawn=tuple(
            tuple(bool(label.is_drawn) for label in labels) for labels in zip(*said.values(), strict=True)
        ),
    )


def independent_fields(case: RatedCase) -> tuple[ComparedField, ...]:
    """The compared fields but those that follow from others: a policy that is what each rater drew.

    Of a task with calls alone that everybody has drawn, the drawing says the policy (scoring 1.3): who draws
    another edge names another policy, which is one difference and not two. A policy that is not what its
    rater drew is a word of its own.
    """
    drew = case.drew()
    return tuple(
        field
        for field in case.fields
        if field.kind != "policy" or not all(drew[field.task]) or not _follows(case, field)
    )


def _follows(case: RatedCase, policy: ComparedField) -> bool:
    """Whether every rater's policy of a task of two calls and more is what they drew."""
    count = case.step_counts[policy.task]
    of_task = [field for field in case.fields if field.task == policy.task]
    edges = [field for field in of_task if field.pair is not None]
    if count < 2 or sum(field.kind == "call" for field in of_task) != count:
        return False
    try:
        drawn = [
            policy_of_calls(count, [edge.pair for edge in edges if edge.pair and edge.values[column]])
            for column in range(len(case.raters))
        ]
    except GraphError:
        return False
    return list(policy.values) == drawn


def only_raters(case: RatedCase, raters: Sequence[str]) -> RatedCase:
    """Leave only the columns of these raters, in their order; who did not judge the case is skipped."""
    columns = [case.raters.index(rater) for rater in raters if rater in case.raters]
    fields = (
        field.model_copy(update={"values": tuple(field.values[column] for column in columns)})
        for field in case.fields
    )
    checks = (tuple(tuple(row[column] for column in columns) for row in task) for task in case.checks)
    return case.model_copy(
        update={
            "raters": tuple(case.raters[column] for column in columns),
            "fields": tuple(fields),
            "checks": tuple(checks),
            "drawn": tuple(tuple(row[column] for column in columns) for row in case.drew()),
        }
    )


class TaskUnit(NamedTuple):
    """One task as its raters saw one field; `raters`, in alphabetical order, are the columns of the block."""

    raters: tuple[str, ...]
    block: Block


_Pairs = tuple[tuple[int, int], ...]
_Said = tuple[tuple[str, ...], tuple[LabelRow, ...], _Pairs, int, tuple[bool, ...]]
"""What is read off one task: its raters and their rows; for drawings the pair of each row, the steps, and
which of the raters have drawn it."""


def count_units(cases: Iterable[RatedCase]) -> dict[RatedField, Counter[TaskUnit]]:
    """Count equal tasks for every field.

    A task without rows (no call, nothing to connect, no checklist) is left out of that field. A rater
    who has not drawn a task has no rating of its edges.
    """
    said: dict[str, Counter[_Said]] = {field: Counter() for field in RatedField}
    drawings = said[RatedField.GRAPH]
    for case in cases:
        raters = case.raters
        calls: dict[str, list[list[LabelRow]]] = {
            kind: [[] for _ in case.step_counts] for kind in (RatedField.CALL, RatedField.REVIEW)
        }
        edges: list[list[LabelRow]] = [[] for _ in case.step_counts]
        pairs: list[list[tuple[int, int]]] = [[] for _ in case.step_counts]
        for field in case.fields:
            values = cast("LabelRow", field.values)  # compared values are names and truth values
            if field.pair is not None:
                edges[field.task].append(values)
                pairs[field.task].append(field.pair)
            elif field.kind in calls:
                calls[field.kind][field.task].append(values)
            elif field.kind != "information" or field.task > 0:  # nobody is asked for the first task's
                said[field.kind][raters, (values,), (), 0, ()] += 1
        for task, (step_count, drew) in enumerate(zip(case.step_counts, case.drew(), strict=True)):
            for kind, judged in calls.items():
                if judged[task]:
                    said[kind][raters, tuple(judged[task]), (), 0, ()] += 1
            if step_count > 1:
                drawings[raters, tuple(edges[task]), tuple(pairs[task]), step_count, drew] += 1
        for rows in case.checks:
            if rows:
                said[RatedField.CHECKLIST][raters, rows, (), 0, ()] += 1
    said[RatedField.EDGE] = said[RatedField.EDGE_KIND] = drawings
    return {field: _units(field, said[field]) for field in RatedField}


def _units(field: RatedField, counted: Mapping[_Said, int]) -> Counter[TaskUnit]:
    @cache  # many teams of raters say the same of many tasks
    def block_of(
        rows: tuple[LabelRow, ...],
        pairs: _Pairs,
        steps: int,
        drew: tuple[bool, ...],
        columns: tuple[int, ...],
    ) -> Block:
        ordered = [tuple(row[column] for column in columns) for row in rows]
        if not steps:
            return make_block(Counter(ordered))
        drawers = tuple(drew[column] for column in columns)
        match field:
            case RatedField.GRAPH:
                drawings = (
                    _drawing(pairs, [row[i] for row in ordered]) if drawers[i] else None
                    for i in range(len(columns))
                )
                return make_block({tuple(drawings): 1})
            case RatedField.EDGE:
                return make_block(_every_pair(ordered, step_count=steps, drawers=drawers))
        kinds = (tuple(None if kind == UNDRAWN else kind for kind in row) for row in ordered)
        return make_block(Counter(row for row in kinds if any(row)))

    units: Counter[TaskUnit] = Counter()
    for (raters, rows, pairs, steps, drew), count in counted.items():
        columns = tuple(sorted(range(len(raters)), key=raters.__getitem__))
        if block := block_of(rows, pairs, steps, drew, columns):
            units[TaskUnit(tuple(raters[column] for column in columns), block)] += count
    return units


class RatedUnit(Record):
    """One unit of agreement with what each rater said of it; who left it open is absent.

    `unit` is its name within its case, as `task.0.policy`, `task.1.edge.0-2` or `task.0.checklist.3` (the
    third item, from 0). A value is a label, a truth value, or for `graph` the edges of a drawing, each as
    `0-2 parameter`. Values of `edge` are its kind or `none`; two raters who both say `none` of a pair of
    steps agree. Units that fewer than two raters judged count in no coefficient.
    """

    field: RatedField
    task: int
    unit: str
    values: dict[str, str | bool | tuple[str, ...]]


def units_of(case: RatedCase) -> Iterator[RatedUnit]:
    """The units of a case, one by one: what `count_units` counts, with names and without counts."""
    unit = partial(_unit, case.raters)
    edges: dict[int, dict[tuple[int, int], tuple[object, ...]]] = {}
    for field in case.fields:
        if field.pair is not None:
            edges.setdefault(field.task, {})[field.pair] = field.values
        elif field.kind != "information" or field.task > 0:
            kind = RatedField(field.kind)
            yield unit(kind, field.task, field.id.partition(".")[2].partition(".")[2], field.values)
    for task, (steps, drew) in enumerate(zip(case.step_counts, case.drew(), strict=True)):
        if steps >= 2:
            yield from _drawing_units(unit, task, steps, edges.get(task, {}), drew)
    yield from (
        unit(RatedField.CHECKLIST, task, f"checklist.{number}", answers)
        for task, rows in enumerate(case.checks)
        for number, answers in enumerate(rows)
    )


def _unit(
    raters: Sequence[str], field: RatedField, task: int, name: str, given: Iterable[object]
) -> RatedUnit:
    values = {
        rater: value
        for rater, value in zip(raters, given, strict=True)
        if isinstance(value, str | bool | tuple) and value != UNDRAWN
    }
    return RatedUnit(field=field, task=task, unit=f"task.{task}.{name}", values=values)


def _drawing_units(
    unit: Callable[[RatedField, int, str, Iterable[object]], RatedUnit],
    task: int,
    steps: int,
    drawn: Mapping[tuple[int, int], tuple[object, ...]],
    drew: Sequence[bool],
) -> Iterator[RatedUnit]:
    """Every pair of steps, the kinds of those that are connected, and the whole drawing of a task."""
    others = (pair for pair in permutations(range(steps), 2) if pair not in drawn)
    rest = islice(others, steps * (steps - 1) - len(drawn))
    silent = (None,) * len(drew)
    for pair, kinds in (*drawn.items(), *((pair, silent) for pair in rest)):
        name = f"edge.{pair[0]}-{pair[1]}"
        connected = ((kind or NOT_DRAWN) if drew[i] else None for i, kind in enumerate(kinds))
        yield unit(RatedField.EDGE, task, name, connected)
        if any(kind not in (None, UNDRAWN) for kind in kinds):
            yield unit(RatedField.EDGE_KIND, task, name, kinds)
    drawings = (
        tuple(f"{a}-{b} {kinds[i]}" for (a, b), kinds in sorted(drawn.items()) if kinds[i]) if has else None
        for i, has in enumerate(drew)
    )
    yield unit(RatedField.GRAPH, task, "graph", drawings)


def make_block(rows: Mapping[LabelRow, int]) -> Block:
    """Write the rows of a task in the one order that makes equal tasks equal."""
    return tuple(rows.items()) if len(rows) < 2 else tuple(sorted(rows.items(), key=repr))


def between(field: RatedField, block: Block, first: int, second: int) -> Block:
    """What two of the raters, given by column, said of a task; edges neither drew have no kind."""
    rows = (((row[first], row[second]), count) for row, count in block)
    return make_block(summed(one for one in rows if field is not RatedField.EDGE_KIND or any(one[0])))


def _every_pair(
    drawn: Iterable[LabelRow], *, step_count: int, drawers: tuple[bool, ...]
) -> Counter[LabelRow]:
    """A row for each of the n (n - 1) ordered pairs of steps, drawn by somebody or not."""
    rows: Counter[LabelRow] = Counter(
        tuple((kind or NOT_DRAWN) if drew else None for kind, drew in zip(row, drawers, strict=True))
        for row in drawn
    )
    if unconnected := step_count * (step_count - 1) - rows.total():
        rows[tuple(NOT_DRAWN if drew else None for drew in drawers)] += unconnected
    return rows


def _drawing(pairs: _Pairs, kinds: Iterable[Hashable | None]) -> frozenset[Hashable]:
    """The edges one rater drew, given the rater's kind or None for each pair anybody connected."""
    return frozenset((*pair, kind) for pair, kind in zip(pairs, kinds, strict=True) if kind is not None)
