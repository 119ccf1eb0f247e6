"""What a reviewer says about a case, one statement at a time; every function gives a new judgment."""

import re
from collections.abc import Iterable, Iterator, Sequence

from annotator.cases.evidence.citation_moves import follow_citations
from annotator.cases.evidence.citations import broken_citations, cited_parts
from annotator.cases.pointers import has_value, value_at
from annotator.drafts.moves import Moves, moves_between
from scoring.model.case import Answer, Case
from scoring.model.labels import Citation, Finding, Judgment, TaskLabels, Waiver, labels_of
from scoring.model.taxonomy import CheckAnswer, SourceMark

CitedPlace = tuple[int, int, str]

_WHERE = re.compile(r"task (\d+)(?: step (\d+))?(?: edge (\d+)-(\d+))?(?: (/.*))?")


def set_completed(judgment: Judgment, task: int, *, completed: bool | None) -> Judgment:
    """Say whether a task is completed; None takes it back."""
    return _with_task(judgment, task, completed=completed)


def set_drawn(judgment: Judgment, task: int) -> Judgment:
    """Say that the drawing of a task is one's own word; where nothing can be drawn nothing is said."""
    return judgment if judgment.tasks[task].drawn is None else _with_task(judgment, task, drawn=True)


def set_call_correct(
    judgment: Judgment, case: Case, *, task: int, step: int, correct: bool | None
) -> Judgment:
    """Say whether a call is right; None takes it back."""
    said = tuple(
        correct if number == step else before
        for (number, _), before in zip(
            case.tasks[task].calls, judgment.tasks[task].calls_correct, strict=True
        )
    )
    return _with_task(judgment, task, calls_correct=said)


def call_correct(judgment: Judgment, case: Case, *, task: int, step: int) -> bool | None:
    """What was said about a call; None where nothing was, or where the step is no call."""
    said = zip(case.tasks[task].calls, judgment.tasks[task].calls_correct, strict=True)
    return next((correct for (number, _), correct in said if number == step), None)


def set_task_check(judgment: Judgment, task: int, *, item: str, answer: CheckAnswer | None) -> Judgment:
    """Answer one item of a task's checklist; None takes the answer back."""
    return _with_task(judgment, task, checklist={**judgment.tasks[task].checklist, item: answer})


def set_case_check(judgment: Judgment, item: str, *, answer: CheckAnswer | None) -> Judgment:
    """Answer one item of the case's checklist; None takes the answer back."""
    return judgment.model_copy(update={"checklist": {**judgment.checklist, item: answer}})


def waive(judgment: Judgment, finding: Finding, *, reason: str) -> Judgment:
    """Leave a finding as it is, with the reason."""
    return _unwaived(
        judgment, finding, added=(Waiver(rule=finding.rule, where=finding.where, reason=reason),)
    )


def unwaive(judgment: Judgment, finding: Finding) -> Judgment:
    """Take a waiver back."""
    return _unwaived(judgment, finding, added=())


def waived_place(waiver: Waiver) -> tuple[int, int | None] | None:
    """The task and the step a waiver is about, a null step for the task itself; null for the whole case."""
    found = _WHERE.fullmatch(waiver.where)
    if found is None:
        return None
    return int(found[1]), int(found[2]) if found[2] is not None else None


def cite(judgment: Judgment, citations: Iterable[Citation]) -> Judgment:
    """Say where argument values come from; what was said about these values before is replaced.

    A proposal that is given here is accepted by it.
    """
    fresh = {cited_place(c): c.model_copy(update={"accepted": True}) for c in citations}
    kept = [citation for citation in judgment.evidence if cited_place(citation) not in fresh]
    return judgment.model_copy(update={"evidence": tuple(sorted((*kept, *fresh.values()), key=cited_place))})


def uncite(judgment: Judgment, places: Iterable[CitedPlace]) -> Judgment:
    """Take back where argument values come from."""
    gone = set(places)
    kept = tuple(citation for citation in judgment.evidence if cited_place(citation) not in gone)
    return judgment.model_copy(update={"evidence": kept})


def cited_place(citation: Citation) -> CitedPlace:
    """The argument value a citation is about."""
    return citation.task, citation.step, citation.path


def labelled(judgment: Judgment, case: Case) -> Judgment:
    """A judgment that carries the labels of a case: its policies, information types and drawing.

    The tasks of the two must be the same ones; `followed` is for a case whose tasks moved.
    """
    tasks = tuple(
        own.model_copy(
            update={
                "drawn": own.drawn if own.drawn is None else said.drawn is True,
                "calls_correct": said.calls_correct,
                "completed": said.completed,
                "checklist": said.checklist,
            }
        )
        for own, said in zip(labels_of(case), judgment.tasks, strict=True)
    )
    return judgment.model_copy(update={"tasks": tasks})


def followed(judgment: Judgment, *, before: Case, after: Case) -> Judgment:
    """The judgment of a case after one edit of the case: everything said stays with its task and step.

    What was said about a value that is another value now is open again: its waivers are dropped, its mark
    waits to be confirmed, and so does a citation whose source held the value and no longer does. A drawing
    follows steps that move or go; with a step it does not know, or other dependencies, it is open again.

    Args:
        judgment: What was said about the case before.
        before: The case before the edit.
        after: The case after it.
    """
    moves = moves_between(before, after)
    return judgment.model_copy(
        update={
            "tasks": tuple(_labels_after(judgment, before, after, moves)),
            "waivers": tuple(_waivers_after(judgment.waivers, before, after, moves)),
            "evidence": tuple(_evidence_after(judgment.evidence, before, after, moves)),
        }
    )


def _with_task(judgment: Judgment, task: int, **values: object) -> Judgment:
    labels = judgment.tasks[task].model_copy(update=values)
    return judgment.model_copy(
        update={"tasks": (*judgment.tasks[:task], labels, *judgment.tasks[task + 1 :])}
    )


def _unwaived(judgment: Judgment, finding: Finding, *, added: tuple[Waiver, ...]) -> Judgment:
    key = (finding.rule, finding.where)
    kept = tuple(waiver for waiver in judgment.waivers if (waiver.rule, waiver.where) != key)
    return judgment.model_copy(update={"waivers": kept + added})


def _labels_after(judgment: Judgment, before: Case, after: Case, moves: Moves) -> Iterator[TaskLabels]:
    said_of = {
        (t, step): said
        for t, labels in enumerate(judgment.tasks)
        for (step, _), said in zip(before.tasks[t].calls, labels.calls_correct, strict=True)
    }
    for t, own in enumerate(labels_of(after)):
        former_places = (moves.former_calls.get((t, step)) for step, _ in after.tasks[t].calls)
        calls = tuple(said_of.get(place) if place else None for place in former_places)
        is_drawn = own.drawn is not None and _is_still_drawn(judgment, before, (after, t), moves)
        update: dict[str, object] = {"calls_correct": calls, "drawn": own.drawn if not is_drawn else True}
        former = moves.task_before(t)
        if former is not None:
            said = judgment.tasks[former]
            update |= {"completed": said.completed, "checklist": said.checklist}
        yield own.model_copy(update=update)


def _is_still_drawn(judgment: Judgment, before: Case, place: tuple[Case, int], moves: Moves) -> bool:
    """Whether all steps of a task come from one that was drawn, and the drawing with them."""
    case, number = place
    task = case.tasks[number]
    steps = [step for step in range(len(task.steps)) if step != task.answer_index]
    origins = {moves.former_steps.get((number, step)) for step in steps}
    tasks = {origin[0] if origin is not None else None for origin in origins}
    former = tasks.pop()
    if tasks or former is None or not judgment.tasks[former].drawn:
        return False
    was = before.tasks[former]
    if sum(not isinstance(step, Answer) for step in was.steps) != len(steps):
        return True  # around a step that goes, the drawing is closed
    places = {old[1]: present[1] for old, present in moves.steps.items() if old[0] == former}
    moved = {(places[e.source], places[e.target], e.kind) for e in was.drawn_edges}
    return moved == {(*edge.pair, edge.kind) for edge in task.drawn_edges}


def _waivers_after(waivers: Sequence[Waiver], before: Case, after: Case, moves: Moves) -> Iterable[Waiver]:
    for waiver in waivers:
        found = _WHERE.fullmatch(waiver.where)
        if found is None:
            yield waiver
            continue
        task, path = int(found[1]), found[5] or ""
        steps = [int(number) for number in (found[2], found[3], found[4]) if number is not None]
        places = [moves.steps.get((task, step)) for step in steps]
        present = {place[0] if place else None for place in places} or {moves.tasks.get(task)}
        target = present.pop()
        if target is None or present:
            continue
        numbers = [place[1] for place in places if place]
        if path and steps and _differs(before, (task, steps[0]), after, (target, numbers[0]), path):
            continue
        words = [f"task {target}"]
        if found[2] is not None:
            words.append(f"step {numbers[0]}")
        if found[3] is not None:
            words.append(f"edge {numbers[-2]}-{numbers[-1]}")
        yield waiver.model_copy(update={"where": " ".join([*words, *([path] if path else [])])})


def _evidence_after(
    evidence: Sequence[Citation], before: Case, after: Case, moves: Moves
) -> Iterator[Citation]:
    kept = [
        citation
        for citation in follow_citations(evidence, before=before, after=after)
        if _has(after, (citation.task, citation.step), citation.path)
    ]
    if not kept:
        return
    # Where call, source and times are the very same, nothing can have broken.
    is_other_time = _shared_parts(before) != _shared_parts(after)
    same = set() if is_other_time else {id(part) for part in _parts(before)}
    moved = [
        c
        for c in kept
        if is_other_time or not all(part is None or id(part) in same for part in cited_parts(after, c))
    ]
    broken = {cited_place(item.citation) for item in broken_citations(after, moved)}
    broken_before = (
        {cited_place(item.citation) for item in broken_citations(before, evidence)} if broken else set()
    )
    for citation in kept:
        place = (citation.task, citation.step)
        former = moves.former_calls.get(place, place)
        is_open = (
            _differs(before, former, after, place, citation.path)
            if isinstance(citation.source, SourceMark)
            else cited_place(citation) in broken and (*former, citation.path) not in broken_before
        )
        yield citation.model_copy(update={"accepted": False}) if is_open else citation


def _shared_parts(case: Case) -> set[int]:
    return {id(case.extras), *(id(task.now or case.now) for task in case.tasks)}


def _parts(case: Case) -> Iterator[object]:
    for task in case.tasks:
        yield from (*task.steps, task.user, task.now or case.now)


def _has(case: Case, place: tuple[int, int], path: str) -> bool:
    call = case.call_at(*place)
    return call is not None and has_value(call.arguments, path)


def _differs(before: Case, old: tuple[int, int], after: Case, present: tuple[int, int], path: str) -> bool:
    one, other = before.call_at(*old), after.call_at(*present)
    if one is other or one is None or other is None:
        return False
    if not has_value(one.arguments, path) or not has_value(other.arguments, path):
        return has_value(one.arguments, path) != has_value(other.arguments, path)
    return value_at(one.arguments, path) != value_at(other.arguments, path)
