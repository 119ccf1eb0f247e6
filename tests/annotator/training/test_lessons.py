"""The training cases are right themselves, ask what can be answered, and tell right from wrong."""

from typing import TYPE_CHECKING

import pytest

from annotator.cases.findings.checks import check_case
from annotator.drafts.assessment import assess
from annotator.drafts.problems import problems_of
from annotator.guidelines import Language, read_guidelines
from annotator.project.policy import ReviewPolicy
from annotator.training.feedback import (
    answered,
    feedback_on,
    open_problems,
    opening,
    right_answer,
    shown_case,
    to_check,
)
from annotator.training.lessons import Lesson, State, read_lessons
from scoring.errors import InputError
from scoring.model.graph import derive_policy
from scoring.model.taxonomy import CheckAnswer, Policy, Severity, Stage

if TYPE_CHECKING:
    from pydantic import JsonValue

LESSONS = read_lessons()
CHINESE = read_lessons(Language.CHINESE)
ALL = (*LESSONS, *CHINESE)
_KINDS = {
    "policy": "label",
    "information": "label",
    "drawing": "drawing",
    "completed": "judgment",
    "call": "judgment",
    "value": "finding",
    "evidence": "evidence",
    "item": "checklist",
}
BY_ID = {lesson.id: lesson for lesson in LESSONS}


def test_every_language_asks_the_same_of_cases_of_its_own() -> None:
    assert [tuple(lesson.asks) for lesson in CHINESE] == [tuple(lesson.asks) for lesson in LESSONS]
    assert [lesson.stage for lesson in CHINESE] == [lesson.stage for lesson in LESSONS]
    assert not {lesson.id for lesson in CHINESE} & set(BY_ID)
    for lesson, other in zip(CHINESE, LESSONS, strict=True):
        assert (lesson.gold.language, other.gold.language) == ("zh", "en")
        asked = {(question.id, str(right_answer(lesson, question))) for question in lesson.questions}
        told = {(question.id, str(right_answer(other, question))) for question in other.questions}
        texts = {name for name in lesson.asks if ".evidence." in name or ".value." in name}
        assert {one for one in asked ^ told if one[0] not in texts} == set()


@pytest.mark.parametrize("number", range(8))
def test_what_the_checks_propose_is_the_same_in_every_language(number: int) -> None:
    found = [
        sorted(f.rule for f in check_case(shown_case(lessons[number]))) for lessons in (CHINESE, LESSONS)
    ]
    assert found[0] == found[1]


def test_there_are_eight_with_ids_of_their_own() -> None:
    assert len(BY_ID) == 8
    assert sum(lesson.is_blind for lesson in LESSONS) == 1
    assert LESSONS[-1].stage is Stage.CROSS_CHECK


@pytest.mark.parametrize("lesson", ALL, ids=lambda lesson: lesson.id)
def test_gold_is_drawn_as_it_is_labelled_and_has_no_errors(lesson: Lesson) -> None:
    assert [derive_policy(task) for task in lesson.gold.tasks] == [t.policy for t in lesson.gold.tasks]
    assert [f for f in check_case(lesson.gold) if f.severity is Severity.ERROR] == []


@pytest.mark.parametrize("lesson", ALL, ids=lambda lesson: lesson.id)
def test_a_case_opens_without_labels_edges_or_answers(lesson: Lesson) -> None:
    shown = shown_case(lesson)
    assert all(task.policy is None and not task.drawn_edges for task in shown.tasks)
    told = feedback_on(lesson, opening(lesson), checked={})
    assert [one.state for one in told] == [State.OPEN] * len(lesson.asks)


@pytest.mark.parametrize("lesson", ALL, ids=lambda lesson: lesson.id)
def test_the_right_answers_are_all_right_and_can_be_given_again(lesson: Lesson) -> None:
    answers = {question.id: right_answer(lesson, question) for question in lesson.questions}
    after = answered(lesson, opening(lesson), answers)
    told = feedback_on(lesson, after, checked=to_check(lesson, after))
    assert {one.question.id: one.state for one in told} == dict.fromkeys(lesson.asks, State.RIGHT)


@pytest.mark.parametrize("lesson", ALL, ids=lambda lesson: lesson.id)
def test_what_is_open_is_what_is_asked_and_nothing_else(lesson: Lesson) -> None:
    """Real work asks more, e.g. for checklists; of that only the parts of a question are taken over."""
    start = opening(lesson)
    stage, policy = lesson.stage, ReviewPolicy()
    real = problems_of(assess(start, stage=stage, policy=policy))
    told = feedback_on(lesson, start, checked={})
    found = open_problems(told, real)
    asked = {(question.task, question.step) for question in lesson.questions}
    assert asked == {(problem.task, problem.step) for problem in found}
    assert {problem.kind for problem in found} <= {_KINDS[question.kind] for question in lesson.questions}
    assert all(problem.message for problem in found)
    right = tuple(one.model_copy(update={"state": State.RIGHT}) for one in told)
    assert open_problems(right, real) == ()


def test_what_a_task_asks_is_walked_from_its_drawing_to_its_checklist() -> None:
    lesson = BY_ID["training-8"]
    real = problems_of(assess(opening(lesson), stage=lesson.stage, policy=ReviewPolicy()))
    found = open_problems(feedback_on(lesson, opening(lesson), checked={}), real)
    second = [(one.kind, one.step) for one in found if one.task == 1]
    labels, judgments = [("label", None)] * 2, [("judgment", 0), ("judgment", 1), ("judgment", None)]
    assert second == [("drawing", None), *labels, *judgments, ("checklist", None)]


def test_a_wrong_answer_stays_open() -> None:
    lesson = BY_ID["training-1"]
    after = answered(lesson, opening(lesson), {"task.0.policy": Policy.MULTI_SERIAL})
    first, second = open_problems(feedback_on(lesson, after, checked={}), ())
    assert first.message == "Not right yet. Task 1: choose the policy."
    assert second.message == "Task 2: choose the policy."


def test_every_question_names_a_word_of_the_guidelines() -> None:
    guidelines = read_guidelines(Language.ENGLISH)
    for lesson in LESSONS:
        for question in lesson.questions:
            assert guidelines.section_of(question.topic) is not None
            assert "." not in question.topic or guidelines.term_of(question.topic) is not None


def test_a_wrong_label_is_wrong_and_tells_why() -> None:
    lesson = BY_ID["training-1"]
    after = answered(lesson, opening(lesson), {"task.0.policy": Policy.MULTI_SERIAL})
    first, second = feedback_on(lesson, after, checked={})
    assert (first.state, first.said) == (State.WRONG, "multi_serial")
    assert "exactly one call" in first.question.why
    assert second.state is State.OPEN


def test_a_drawing_is_looked_at_when_asked_for_and_open_again_once_it_changes() -> None:
    lesson = BY_ID["training-3"]
    edge: JsonValue = {"from": 0, "to": 2, "kind": "logical"}
    wrong = answered(lesson, opening(lesson), {"task.0.drawing": [edge]})
    assert feedback_on(lesson, wrong, checked={})[0].state is State.OPEN
    checked = to_check(lesson, wrong)
    assert feedback_on(lesson, wrong, checked=checked)[0].state is State.WRONG
    better = answered(lesson, wrong, {"task.0.drawing": [{"from": 0, "to": 1, "kind": "parameter"}]})
    assert feedback_on(lesson, better, checked=checked)[0].state is State.OPEN
    assert feedback_on(lesson, better, checked=to_check(lesson, better))[0].state is State.RIGHT


def test_the_kind_of_a_dependency_counts() -> None:
    lesson = BY_ID["training-3"]
    after = answered(lesson, opening(lesson), {"task.0.drawing": [{"from": 0, "to": 1, "kind": "logical"}]})
    assert feedback_on(lesson, after, checked=to_check(lesson, after))[0].state is State.WRONG


def test_values_nobody_touched_are_not_called_wrong() -> None:
    lesson = BY_ID["training-7"]
    start = opening(lesson)
    assert to_check(lesson, start) == {}
    half = answered(
        lesson, start, {"task.0.value.0": {"origin": "Arnhem", "destination": "Venlo", "date": ""}}
    )
    told = feedback_on(lesson, half, checked=to_check(lesson, half))
    assert [one.state for one in told[:2]] == [State.WRONG, State.OPEN]


def test_a_value_of_the_request_is_not_common_knowledge() -> None:
    lesson = BY_ID["training-6"]
    question = lesson.questions[0]
    cited = right_answer(lesson, question)
    assert isinstance(cited, list)
    marked = [{**one, "source": "world"} if one["path"] == "/tracking" else one for one in cited]  # type: ignore[dict-item,index,call-overload]
    after = answered(lesson, opening(lesson), {question.id: marked})
    assert feedback_on(lesson, after, checked={})[0].state is State.WRONG


def test_what_went_wrong_in_the_last_case_has_to_be_said() -> None:
    lesson = BY_ID["training-8"]
    praise: dict[str, JsonValue] = {
        "task.1.call.0": True,
        "task.1.completed": True,
        "task.1.item.facts": CheckAnswer.PASS,
    }
    told = feedback_on(lesson, answered(lesson, opening(lesson), praise), checked={})
    assert {one.question.id for one in told if one.state is State.WRONG} == set(praise)


def test_answers_that_do_not_fit_any_more_are_left_out() -> None:
    lesson = BY_ID["training-1"]
    after = answered(lesson, opening(lesson), {"task.0.policy": "weather", "task.1.policy": "chat"})
    assert [one.state for one in feedback_on(lesson, after, checked={})] == [State.OPEN, State.RIGHT]


@pytest.mark.parametrize("text", ["{", "{}", '{"lessons": []}', '{"lessons": [{"title": "x"}]}'])
def test_damaged_training_cases_are_named(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("annotator.training.lessons.resource_text", lambda *_: text)
    with pytest.raises(InputError, match="The training cases are damaged"):
        read_lessons()
