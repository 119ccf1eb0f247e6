"""What a person has answered in a training case, and whether it is right."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pydantic import JsonValue, TypeAdapter

from annotator.cases.edits import edge_edits, text_edits
from annotator.cases.evidence.citations import broken_citations, leaf_paths, propose_evidence
from annotator.cases.pointers import value_at
from annotator.drafts import statements
from annotator.drafts.problems import Problem, place_in_dialogue
from annotator.drafts.snapshot import (
    Snapshot,
    opening_snapshot,
    with_answers_last,
    with_case,
    with_drawing,
    with_judgment,
)
from annotator.training.lessons import Feedback, Lesson, LessonQuestion, State
from scoring.errors import AnnotatorError
from scoring.model.case import Call, Case, Edge
from scoring.model.labels import TASK_CHECKLIST, Citation, Judgment, labels_of, without_labels
from scoring.model.record import JsonObject
from scoring.model.taxonomy import CheckAnswer, Information, Policy, SourceMark

_CITATIONS = TypeAdapter(tuple[Citation, ...])
_REAL_KINDS = {"value": "finding", "evidence": "evidence"}
"""Questions that real work asks in parts, each with a place of its own."""
_EDGES = TypeAdapter(tuple[Edge, ...])
_ARGUMENTS = TypeAdapter(JsonObject)


@dataclass(frozen=True)
class _Kind:
    """How one kind of question is asked, in the words of a problem, and how it is answered.

    `right` is what is right, `said` what a person has said, None before they have, and `answer` says it for
    them; all three in the form of an answer.
    """

    problem: Problem
    right: Callable[[Lesson, LessonQuestion], JsonValue]
    said: Callable[[Lesson, Snapshot, LessonQuestion], JsonValue]
    answer: Callable[[Snapshot, LessonQuestion, JsonValue], Snapshot]


def shown_case(lesson: Lesson) -> Case:
    """The case as a person meets it: without labels and edges, with what was planted."""
    case = with_answers_last(without_labels(lesson.gold))
    for planted in lesson.planted:
        put = partial(text_edits.set_argument_value, step=planted.step, path=f"/{planted.argument}")
        case = put(case, planted.task, value=planted.value)
    return case


def opening(lesson: Lesson) -> Snapshot:
    """The case of a lesson before anything was said about it."""
    case = shown_case(lesson)
    return opening_snapshot(case, Judgment(tasks=labels_of(case)))


def feedback_on(
    lesson: Lesson, snapshot: Snapshot, *, checked: Mapping[str, JsonValue]
) -> tuple[Feedback, ...]:
    """Compare what was said with what is right.

    Args:
        lesson: The training case.
        snapshot: The case and what was said about it.
        checked: Drawings and values as they were when the person asked to have them looked at
            (`to_check`); one that was changed since is open again.
    """
    return tuple(_feedback(lesson, snapshot, question, checked=checked) for question in lesson.questions)


def to_check(lesson: Lesson, snapshot: Snapshot) -> dict[str, JsonValue]:
    """Drawings and values as they are now, by question; those that were not touched are left out."""
    answers = {
        question.id: _said(lesson, snapshot, question)
        for question in lesson.questions
        if not question.is_told_at_once
    }
    return {name: value for name, value in answers.items() if value is not None}


def repaired_values(lesson: Lesson, snapshot: Snapshot, real: Sequence[Problem]) -> dict[str, JsonValue]:
    """Values that were changed until no check notices anything in their call any more, by question."""
    noticed = {(problem.task, problem.step) for problem in real if problem.kind == "finding"}
    open_ones = {
        question.id
        for question in lesson.questions
        if question.kind == "value" and (question.task, question.step) not in noticed
    }
    return {name: value for name, value in to_check(lesson, snapshot).items() if name in open_ones}


def open_problems(told: Sequence[Feedback], real: Sequence[Problem]) -> tuple[Problem, ...]:
    """What a training case still asks, as a list one walks with one key; empty once everything is right.

    Args:
        told: What was asked and said.
        real: What the same case would leave to settle in real work; of it only what is asked is visited.
    """
    problems = [
        problem
        for feedback in told
        if feedback.state is not State.RIGHT
        for problem in _problems(feedback, real)
    ]
    return tuple(sorted(problems, key=place_in_dialogue))


def right_answer(lesson: Lesson, question: LessonQuestion) -> JsonValue:
    """What is right, in the form of an answer."""
    return _KINDS[question.kind].right(lesson, question)


def answered(lesson: Lesson, snapshot: Snapshot, answers: Mapping[str, JsonValue]) -> Snapshot:
    """Give answers once more, e.g. those of an earlier day; what does not fit any more is left out."""
    for question in lesson.questions:
        said = answers.get(question.id)
        if said is not None:
            try:
                snapshot = _KINDS[question.kind].answer(snapshot, question, said)
            except (ValueError, TypeError, IndexError, AnnotatorError):
                continue
    return snapshot


def _problems(feedback: Feedback, real: Sequence[Problem]) -> list[Problem]:
    question = feedback.question
    here = [problem for problem in real if (problem.task, problem.step) == (question.task, question.step)]
    same_kind = [problem for problem in here if problem.kind == _REAL_KINDS.get(question.kind)]
    if same_kind:
        return [replace(problem, is_blocking=True) for problem in same_kind]
    ask = _KINDS[question.kind].problem
    words = ask.message.format(
        place=f"Task {question.task + 1}", step=question.step, sentence=TASK_CHECKLIST.get(question.item)
    )
    message = f"Not right yet. {words}" if feedback.state is State.WRONG else words
    return [replace(ask, message=message, task=question.task, step=question.step, item=question.item)]


def _feedback(
    lesson: Lesson, snapshot: Snapshot, question: LessonQuestion, *, checked: Mapping[str, JsonValue]
) -> Feedback:
    said = _said(lesson, snapshot, question)
    is_told = question.is_told_at_once or checked.get(question.id) == said
    if said is None or not is_told:
        return Feedback(question=question, state=State.OPEN)
    is_cited = question.kind == "evidence"
    is_right = _is_well_cited(lesson, question, said) if is_cited else said == right_answer(lesson, question)
    return Feedback(question=question, state=State.RIGHT if is_right else State.WRONG, said=said)


def _said(lesson: Lesson, snapshot: Snapshot, question: LessonQuestion) -> JsonValue:
    return _KINDS[question.kind].said(lesson, snapshot, question)


def _repaired(lesson: Lesson, snapshot: Snapshot, question: LessonQuestion) -> JsonValue:
    """The arguments of a call once they are others than were shown; None before."""
    arguments = _call(snapshot.case, question).arguments
    return None if arguments == _call(shown_case(lesson), question).arguments else dict(arguments)


def _proposed(lesson: Lesson, question: LessonQuestion) -> JsonValue:
    """The citations of a call that can be proposed, as somebody who accepts them says them."""
    return [
        evidence.model_copy(update={"accepted": True}).model_dump(mode="json")
        for evidence in propose_evidence(lesson.gold, question.task)
        if evidence.step == question.step
    ]


def _cited(_: Lesson, snapshot: Snapshot, question: LessonQuestion) -> JsonValue:
    """The citations of a call once all of its values have one that holds; None before."""
    broken = {
        (one.citation.step, one.citation.path)
        for one in broken_citations(snapshot.case, snapshot.judgment.evidence)
        if one.citation.task == question.task
    }
    mine = [
        one
        for one in snapshot.judgment.evidence
        if (one.task, one.step) == (question.task, question.step) and one.accepted
    ]
    paths = leaf_paths(_call(snapshot.case, question).arguments)
    if {one.path for one in mine} != set(paths) or any((one.step, one.path) in broken for one in mine):
        return None
    return [one.model_dump(mode="json") for one in mine]


def _is_well_cited(lesson: Lesson, question: LessonQuestion, citations: JsonValue) -> bool:
    """Whether no mark stands where a text or the tool holds the value; dates may also be called derived."""
    proposed = {
        evidence.path: evidence.source
        for evidence in propose_evidence(lesson.gold, question.task)
        if evidence.step == question.step
    }
    request = lesson.gold.tasks[question.task].user
    for citation in _CITATIONS.validate_python(citations):
        if not isinstance(citation.source, SourceMark) or citation.source is proposed.get(citation.path):
            continue
        value = str(value_at(_call(lesson.gold, question).arguments, citation.path))
        if citation.source is not SourceMark.DERIVED or value in request:
            return False
    return True


def _edges(case: Case, task: int) -> JsonValue:
    found = sorted(case.tasks[task].drawn_edges, key=lambda edge: edge.pair)
    return [edge.model_dump(mode="json", by_alias=True) for edge in found]


def _call(case: Case, question: LessonQuestion) -> Call:
    found = case.tasks[question.task].steps[question.step or 0]
    if not isinstance(found, Call):
        raise TypeError(f"{question.id} is about no call")
    return found


_KINDS = {
    "policy": _Kind(
        Problem(kind="label", label="policy", message="{place}: choose the policy.", is_blocking=True),
        right=lambda lesson, asked: lesson.gold.tasks[asked.task].policy,
        said=lambda _, snapshot, asked: snapshot.case.tasks[asked.task].policy,
        answer=lambda snapshot, asked, said: with_case(
            snapshot, partial(text_edits.set_policy, task=asked.task, policy=Policy(str(said)))
        ),
    ),
    "information": _Kind(
        Problem(
            kind="label",
            label="information",
            message="{place}: choose the information type.",
            is_blocking=True,
        ),
        right=lambda lesson, asked: lesson.gold.tasks[asked.task].information,
        said=lambda _, snapshot, asked: snapshot.case.tasks[asked.task].information,
        answer=lambda snapshot, asked, said: with_case(
            snapshot,
            partial(text_edits.set_information, task=asked.task, information=Information(str(said))),
        ),
    ),
    "drawing": _Kind(
        Problem(
            kind="drawing", message="{place}: draw it, then Ctrl+Enter checks the drawing.", is_blocking=True
        ),
        right=lambda lesson, asked: _edges(lesson.gold, asked.task),
        said=lambda _, snapshot, asked: (
            _edges(snapshot.case, asked.task) if snapshot.judgment.tasks[asked.task].drawn else None
        ),
        answer=lambda snapshot, asked, said: with_drawing(
            snapshot,
            partial(edge_edits.redraw, task=asked.task, edges=_EDGES.validate_python(said)),
            task=asked.task,
        ),
    ),
    "completed": _Kind(
        Problem(kind="judgment", message="{place}: is it completed?", is_blocking=True),
        right=lambda lesson, asked: asked.task not in lesson.not_completed,
        said=lambda _, snapshot, asked: snapshot.judgment.tasks[asked.task].completed,
        answer=lambda snapshot, asked, said: with_judgment(
            snapshot, partial(statements.set_completed, task=asked.task, completed=bool(said))
        ),
    ),
    "call": _Kind(
        Problem(kind="judgment", message="{place}, step {step}: is the call correct?", is_blocking=True),
        right=lambda lesson, asked: (asked.task, asked.step) not in lesson.wrong_calls,
        said=lambda _, snapshot, asked: statements.call_correct(
            snapshot.judgment, snapshot.case, task=asked.task, step=asked.step or 0
        ),
        answer=lambda snapshot, asked, said: with_judgment(
            snapshot,
            partial(
                statements.set_call_correct,
                case=snapshot.case,
                task=asked.task,
                step=asked.step or 0,
                correct=bool(said),
            ),
        ),
    ),
    "item": _Kind(
        Problem(kind="checklist", message="{place}: does it hold? {sentence}", is_blocking=True),
        right=lambda lesson, asked: (
            CheckAnswer.FAIL if (asked.task, asked.item) in lesson.fails else CheckAnswer.PASS
        ),
        said=lambda _, snapshot, asked: snapshot.judgment.tasks[asked.task].checklist.get(asked.item),
        answer=lambda snapshot, asked, said: with_judgment(
            snapshot,
            partial(
                statements.set_task_check, task=asked.task, item=asked.item, answer=CheckAnswer(str(said))
            ),
        ),
    ),
    "value": _Kind(
        Problem(
            kind="finding", message="{place}: repair the call, then Ctrl+Enter checks it.", is_blocking=True
        ),
        right=lambda lesson, asked: dict(_call(lesson.gold, asked).arguments),
        said=_repaired,
        answer=lambda snapshot, asked, said: with_case(
            snapshot,
            partial(
                text_edits.set_arguments,
                task=asked.task,
                step=asked.step or 0,
                arguments=_ARGUMENTS.validate_python(said),
            ),
        ),
    ),
    "evidence": _Kind(
        Problem(kind="evidence", message="{place}: say where every value comes from.", is_blocking=True),
        right=_proposed,
        said=_cited,
        answer=lambda snapshot, _, said: with_judgment(
            snapshot, partial(statements.cite, citations=_CITATIONS.validate_python(said))
        ),
    ),
}
"""The kinds of questions, by name."""
