"""A failed task is explained: where the run left the legal orders, or which argument is wrong."""

from collections.abc import Sequence

from scoring.matching.gold import Gold, prepare
from scoring.matching.task_scores import TaskScore, score_task
from scoring.model.case import Answer, Ask, Call
from scoring.model.record import JsonObject
from scoring.model.taxonomy import ArgumentProfile
from scoring.predictions import InfraError, Prediction, Reply, ToolCall
from tests.factories import answer, ask, call, case, task, tool
from ui.graph.canvas_content import MarkKind
from ui.runs.failure_explanation import FailureExplanation, explain_failure, without_prediction

CITY: JsonObject = {"type": "string"}


def _gold(*steps: Call | Ask | Answer, edges: Sequence[tuple[int, int]] = ()) -> Gold:
    tools = [tool(name, city=CITY) for name in ("getForecast", "getShow", "getHotel")]
    return prepare(case(task(*steps, edges=edges), tools=tools), 0)


def _said(*calls: tuple[str, str], text: str | None = None) -> Reply:
    made = tuple(ToolCall(id=str(i), name=name, arguments=text_) for i, (name, text_) in enumerate(calls))
    return Reply(content=text, tool_calls=made)


def _explain(gold: Gold, *replies: Reply) -> FailureExplanation:
    prediction = Prediction(case="c-1", task=0, replies=replies)
    return explain_failure(gold, prediction, _score(gold, prediction))


def _score(gold: Gold, prediction: Prediction) -> TaskScore:
    return score_task(gold, prediction, profile=ArgumentProfile.WTB)


def test_a_call_before_its_turn_is_marked_and_says_what_it_waits_for() -> None:
    gold = _gold(call(city="Oslo"), call("getShow", city="Oslo"), answer(), edges=[(0, 1)])
    failure = _explain(gold, _said(("getShow", '{"city": "Oslo"}')))
    assert failure.head == "left the legal orders in round 1"
    assert [line.title for line in failure.expected] == ["getForecast"]
    assert failure.why[1] == "Step 1 is not ready: it waits for 0 (getForecast)."
    assert failure.marks[0].kind is MarkKind.READY
    assert failure.marks[1].kind is MarkKind.EARLY


def test_the_orders_that_were_possible_before_are_counted() -> None:
    # Two calls that need not wait: one after the other in two orders, or both at once.
    gold = _gold(call(city="Oslo"), call("getShow", city="Oslo"), answer())
    failure = _explain(gold, _said(text="Sunny."))
    assert failure.after.startswith("Possible before this reply: 3 legal orders; after it: none.")


def test_a_call_that_was_due_beside_one_that_was_not_is_not_blamed() -> None:
    gold = _gold(call(city="Oslo"), call("getShow", city="Oslo"), answer(), edges=[(0, 1)])
    failure = _explain(gold, _said(("getForecast", '{"city": "Oslo"}'), ("getShow", '{"city": "Oslo"}')))
    assert [(line.title, line.is_wrong) for line in failure.said] == [
        ("getForecast", False),
        ("getShow", True),
    ]


def test_a_wrong_value_is_pointed_at_on_both_sides() -> None:
    gold = _gold(call(city="Oslo"), answer())
    failure = _explain(gold, _said(("getForecast", '{"city": "Bergen"}')), _said(text="Rain."))
    assert failure.head == "wrong arguments in round 1"
    assert failure.expected[0].troubled == failure.said[0].troubled == ("/city",)
    assert failure.marks[0].kind is MarkKind.WRONG
    assert failure.after.startswith("The names of all calls are right.")


def test_steps_done_before_the_failure_carry_their_round() -> None:
    gold = _gold(call(city="Oslo"), call("getShow", city="Oslo"), answer(), edges=[(0, 1)])
    failure = _explain(gold, _said(("getForecast", '{"city": "Oslo"}')), _said(text="Sunny."))
    assert failure.marks[0].word == "round 1"
    assert failure.marks[2].word == "answered too early"


def test_an_answer_that_came_too_early_is_quoted() -> None:
    failure = _explain(_gold(call(city="Oslo"), answer()), _said(text="Sunny."))
    assert [(line.title, line.text) for line in failure.said] == [("a text", "Sunny.")]


def test_an_answer_without_text_says_so() -> None:
    failure = _explain(_gold(call(city="Oslo"), answer()), Reply())
    assert [line.title for line in failure.said] == ["nothing"]


def test_a_run_that_stops_says_that_nothing_more_came() -> None:
    gold = _gold(call(city="Oslo"), answer())
    failure = _explain(gold, _said(("getForecast", '{"city": "Oslo"}')))
    assert [line.title for line in failure.said] == ["nothing more"]


def test_a_skipped_question_is_named_as_what_was_due() -> None:
    gold = _gold(ask("Where?"), call(city="Oslo"), answer(), edges=[(0, 1)])
    failure = _explain(gold, _said(("getForecast", '{"city": "Oslo"}')))
    assert [(line.title, line.text) for line in failure.expected] == [("a question", "Where?")]
    assert failure.why[1] == "Step 1 is not ready: it waits for 0 (the question)."


def test_arguments_that_are_no_json_are_shown_as_they_were_written() -> None:
    failure = _explain(_gold(call(city="Oslo"), answer()), _said(("getForecast", "{city: Oslo")))
    assert failure.said[0].arguments is None
    assert failure.said[0].text == "{city: Oslo"


def test_a_failure_outside_the_model_blames_no_reply() -> None:
    gold = _gold(call(city="Oslo"), answer())
    prediction = Prediction(case="c-1", task=0, error=InfraError(kind="timeout", message="after 60 s"))
    failure = explain_failure(gold, prediction, _score(gold, prediction))
    assert failure.round is None
    assert failure.why == ("timeout: after 60 s",)


def test_without_replies_the_first_steps_and_the_recorded_reason_remain() -> None:
    gold = _gold(call(city="Oslo"), answer())
    score = _score(gold, Prediction(case="c-1", task=0, replies=(_said(text="Sunny."),)))
    failure = without_prediction(gold, score)
    assert [line.title for line in failure.expected] == ["getForecast"]
    assert failure.why == (score.detail,)
