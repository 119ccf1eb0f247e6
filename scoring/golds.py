"""The cases of a release made ready to score runs against."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from scoring.bfcl_gold import bfcl_golds
from scoring.errors import InputError
from scoring.matching.gold import Gold, NotScorableError, prepare
from scoring.measures.sample import Key
from scoring.measures.summary import UndrawnTasks
from scoring.model.case import Case, Edge, content_sha256
from scoring.model.graph import recorded_order, with_drawn_edges
from scoring.model.taxonomy import ArgumentProfile, Semantics, Undrawn
from scoring.predictions import Ignored
from scoring.scorecard import joined_sha256


@dataclass(frozen=True)
class GoldSet:
    """The cases of a release made ready once, to score many runs against.

    `golds` has every task that can be scored, in file order, `not_scorable` the others with the reason.
    `case_hashes` are those of the cases as they were given, `undrawn` what became of tasks without an
    order. `repeated` are lines of a file whose case stood there before; `passable` remembers which gold
    passes, `line_ids` which case a numbered line of WildToolBench holds, where that was read.
    """

    cases: Mapping[str, Case]
    case_hashes: Mapping[str, str]
    golds: Mapping[Key, Gold]
    not_scorable: tuple[Ignored, ...]
    undrawn: UndrawnTasks
    repeated: tuple[Ignored, ...] = ()
    line_ids: Mapping[str, str] = field(default_factory=dict)
    passable: dict[tuple[str, int, ArgumentProfile], bool] = field(default_factory=dict, compare=False)

    @cached_property
    def cases_sha256(self) -> str:
        """The hash of the cases as they were given."""
        return joined_sha256(self.case_hashes.values())


def gold_set(
    cases: Iterable[Case], *, unordered: Collection[str] = (), undrawn: Undrawn = Undrawn.RECORDED
) -> GoldSet:
    """Make cases ready for scoring; worth keeping where several runs are scored against them.

    Args:
        cases: The cases, in file order.
        unordered: Ids of those from a format that says nothing about order.
        undrawn: How their undrawn tasks are matched (scoring 11.1).

    Raises:
        InputError: Two cases have one id.
    """
    every = list(cases)
    found: dict[str, Case] = {}
    golds: dict[Key, Gold] = {}
    not_scorable = []
    undrawn_count = 0
    for given in every:
        if given.id in found:
            raise InputError(f"Two cases are called {given.id}.", "Give each an id of its own.")
        waiting = undrawn_tasks(given) if given.id in unordered else ()
        undrawn_count += len(waiting)
        case = in_recorded_order(given) if waiting and undrawn is Undrawn.RECORDED else given
        found[case.id] = case
        for number in range(len(case.tasks)):
            try:
                if number in waiting and undrawn is Undrawn.LEAVE_OUT:
                    raise NotScorableError("Nobody has drawn it, and undrawn tasks are excluded.")
                golds[case.id, number] = prepare(case, number)
            except NotScorableError as exc:
                not_scorable.append(Ignored(reason=f"Not scorable: {exc.message}", case=case.id, task=number))
    return GoldSet(
        cases=found,
        case_hashes={case.id: content_sha256(case) for case in every},
        golds=golds,
        not_scorable=tuple(not_scorable),
        undrawn=UndrawnTasks(count=undrawn_count, matched=undrawn) if undrawn_count else UndrawnTasks(),
    )


def undrawn_tasks(case: Case) -> tuple[int, ...]:
    """Numbers of the tasks with two steps or more besides the answer, and no dependency between them."""
    return tuple(n for n, task in enumerate(case.tasks) if task.needs_drawing and not task.drawn_edges)


def in_recorded_order(case: Case) -> Case:
    """Let the steps of undrawn tasks wait for each other as they were recorded (scoring 11.1)."""
    waiting = undrawn_tasks(case)
    tasks = [
        with_drawn_edges(task, [Edge(source=a, target=b) for a, b in recorded_order(task)])
        if number in waiting
        else task
        for number, task in enumerate(case.tasks)
    ]
    return case.model_copy(update={"tasks": tuple(tasks)})


def judged_by(gold: GoldSet, semantics: Semantics) -> GoldSet:
    """The cases as these rules judge them: BFCL's need no answer and no order (scoring 4.6)."""
    if semantics is not Semantics.BFCL:
        return gold
    golds: dict[Key, Gold] = {}
    not_scorable = []
    for name, case in gold.cases.items():
        try:
            golds |= {(name, number): gold for number, gold in enumerate(bfcl_golds(case))}
        except NotScorableError as exc:
            not_scorable.append(Ignored(reason=f"Not scorable: {exc.message}", case=name))
    return replace(gold, golds=golds, not_scorable=tuple(not_scorable), undrawn=UndrawnTasks(), passable={})
