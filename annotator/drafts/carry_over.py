"""What was said about a case carried over to what became of it, and what had no place there any more."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from annotator.cases.evidence.citation_moves import Place
from annotator.cases.pointers import keys_of
from annotator.drafts.clash_words import place_words
from annotator.drafts.moves import Moves, moves_between
from annotator.drafts.statements import cited_place, followed, waived_place
from scoring.groups import grouped
from scoring.model.case import Case
from scoring.model.labels import Judgment
from scoring.texts import tr, with_commas


@dataclass(frozen=True)
class Gone:
    """Something a person said that is not there any more: `what` names it, e.g. `source of depot`.

    `place` names the task or the step it was about, as the person knew it.
    """

    place: str
    what: str


def carried(judgment: Judgment, cases: Sequence[Case]) -> tuple[Judgment, tuple[Gone, ...]]:
    """Carry what was said about a case over to what became of it.

    Args:
        judgment: What was said about the first of the cases.
        cases: The case, and what became of it after one edit and another.

    Returns:
        What is said about the last of the cases, and what had no place there, in dialogue order. What is
        open again, because it was said about another value, is not gone.
    """
    # Waivers may be alike and change their places: while they are carried their reasons number them.
    numbered = [one.model_copy(update={"reason": str(i)}) for i, one in enumerate(judgment.waivers)]
    after = judgment.model_copy(update={"waivers": tuple(numbered)})
    moves = [moves_between(one, other) for one, other in pairwise(cases)]
    for one, other in pairwise(cases):
        after = followed(after, before=one, after=other)
    kept = {int(waiver.reason): waiver for waiver in after.waivers}
    waivers = (one.model_copy(update={"reason": judgment.waivers[i].reason}) for i, one in kept.items())
    after = after.model_copy(update={"waivers": tuple(waivers)})
    gone = [
        *_gone_tasks(judgment, moves),
        *_gone_from_steps(judgment, after, cases, moves),
        *(
            (place, tr("waiver of {rule}", rule=waiver.rule))
            for i, waiver in enumerate(judgment.waivers)
            if i not in kept and (place := waived_place(waiver)) is not None
        ),
    ]
    gone.sort(key=lambda item: (item[0][0], -1 if item[0][1] is None else item[0][1]))
    return after, tuple(Gone(_named(cases[0], place), what) for place, what in gone)


def gone_words(gone: Sequence[Gone]) -> str:
    """Name what is gone, place by place, e.g. `task 1, step 1 (reroute): source of depot, judgment`."""
    return tr("; ").join(
        tr("{name}: {words}", name=name, words=with_commas(what))
        for name, what in grouped((one.place, one.what) for one in gone).items()
    )


Where = tuple[int, int | None]


def _gone_tasks(judgment: Judgment, moves: Sequence[Moves]) -> Iterator[tuple[Where, str]]:
    for task, said in enumerate(judgment.tasks):
        place: int | None = task
        for move in moves:
            present = move.tasks.get(place) if place is not None else None
            # Of several tasks that became one, what was said about the first stands.
            place = present if present is not None and move.task_before(present) == place else None
        if place is not None:
            continue
        if said.completed is not None:
            yield (task, None), tr("completion")
        if any(said.checklist.values()):
            yield (task, None), tr("checklist")


def _gone_from_steps(
    judgment: Judgment, after: Judgment, cases: Sequence[Case], moves: Sequence[Moves]
) -> Iterator[tuple[Where, str]]:
    cited = {cited_place(citation) for citation in after.evidence}
    for citation in judgment.evidence:
        place = _present((citation.task, citation.step), moves)
        if citation.accepted and (place is None or (*place, citation.path) not in cited):
            yield (
                (citation.task, citation.step),
                tr("source of {path}", path=".".join(keys_of(citation.path))),
            )
    judged = set(_judged(cases[-1], after))
    before = _judged(cases[0], judgment)
    yield from ((called, tr("judgment")) for called in before if _present(called, moves) not in judged)


def _judged(case: Case, judgment: Judgment) -> tuple[Place, ...]:
    """The calls of a case that somebody said to be right or wrong."""
    return tuple(
        (number, step)
        for number, (task, labels) in enumerate(zip(case.tasks, judgment.tasks, strict=True))
        for (step, _), said in zip(task.calls, labels.calls_correct, strict=True)
        if said is not None
    )


def _present(place: Place, moves: Sequence[Moves]) -> Place | None:
    found: Place | None = place
    for move in moves:
        found = move.calls.get(found) if found is not None else None
    return found


def _named(case: Case, place: Where) -> str:
    words = tr(place_words(case, *place))
    return words[0].lower() + words[1:]
