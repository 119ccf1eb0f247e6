"""A failed task is explained: where the run left the legal orders, or which argument is wrong."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from annotator.release.runs.replies import GoldCases, Replies
from scoring.bfcl_simulators import simulators_folder
from scoring.evaluation import score as score_run
from scoring.matching.gold import Gold, prepare
from scoring.matching.task_scores import TaskScore, score_task
from scoring.model.case import Answer, Ask, Call
from scoring.model.record import JsonObject
from scoring.model.taxonomy import ArgumentProfile, Semantics
from scoring.predictions import InfraError, Prediction, Reply, ToolCall
from tests.factories import answer, ask, call, case, task, tool
from tests.scoring.bfcl_package import put_package
from tests.scoring.formats.test_bfcl import cases, lay_out, question
from tests.scoring.test_bfcl_simulators import ADD_2, ADD_3, LOOK, SUM, said
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
    return explain_failure(gold, prediction, _score(gold, prediction), Semantics.PAPER)


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
    failure = explain_failure(gold, prediction, _score(gold, prediction), Semantics.PAPER)
    assert failure.round is None
    assert failure.why == ("timeout: after 60 s",)


def test_without_replies_the_first_steps_and_the_recorded_reason_remain() -> None:
    gold = _gold(call(city="Oslo"), answer())
    score = _score(gold, Prediction(case="c-1", task=0, replies=(_said(text="Sunny."),)))
    failure = without_prediction(gold, score)
    assert [line.title for line in failure.expected] == ["getForecast"]
    assert failure.why == (score.detail,)


def _of_bfcl(path: Path, *run: Prediction) -> list[FailureExplanation]:
    """What is said of each wrong task of a run that BFCL's rules judge, as the page of runs finds it."""
    read = cases(path)
    card = score_run(read, run, semantics=Semantics.BFCL)
    known = GoldCases({one.id: one for one in read}, card.cases_sha256)
    replies = Replies({(one.case, one.task): one for one in run})
    found = []
    for score in card.tasks:
        gold = known.gold(score, card)
        assert gold is not None
        prediction = replies.behind(score, gold, card)
        if not score.is_correct and prediction is not None:
            found.append(explain_failure(gold, prediction, score, card.semantics))
    return found


def _forecast(*cities: str) -> Prediction:
    calls = tuple(ToolCall(name="weather.forecast", arguments=f'{{"city": "{city}"}}') for city in cities)
    return Prediction(case="a_0", task=0, replies=(Reply(tool_calls=calls), Reply(tool_calls=calls)))


def test_a_task_of_bfcl_is_explained_by_its_own_reason(tmp_path: Path) -> None:
    truth: JsonObject = {"weather.forecast": {"city": ["Oslo", "Oslo, NO"]}}
    path = lay_out(tmp_path, [question("a_0")], [{"id": "a_0", "ground_truth": [truth]}])
    # By the papers' rules the case has no answer yet and cannot be judged; by BFCL's a second value is right.
    assert _of_bfcl(path, _forecast("Oslo, NO")) == []
    [failure] = _of_bfcl(path, _forecast("Bergen"))
    assert failure.head == "wrong by the rules of BFCL"
    assert [line.arguments for line in failure.expected] == [{"city": "Oslo"}]
    assert [(line.arguments, line.is_wrong) for line in failure.said] == [({"city": "Bergen"}, False)]
    assert "city" in failure.why[0]
    # A call too many is wrong, and what came after the first reply does not count.
    [failure] = _of_bfcl(path, _forecast("Oslo", "Bergen"))
    assert [line.is_wrong for line in failure.said] == [False, True]
    [failure] = _of_bfcl(path, Prediction(case="a_0", task=0))
    assert [line.title for line in failure.said] == ["nothing more"]


def test_replies_of_another_run_are_not_shown_beside_a_reason_of_bfcl(tmp_path: Path) -> None:
    truth: JsonObject = {"weather.forecast": {"city": ["Oslo"]}}
    read = cases(lay_out(tmp_path, [question("a_0")], [{"id": "a_0", "ground_truth": [truth]}]))
    card = score_run(read, [_forecast("Bergen")], semantics=Semantics.BFCL)
    gold = GoldCases({"a_0": read[0]}, card.cases_sha256).gold(card.tasks[0], card)
    assert gold is not None
    others = Replies({("a_0", 0): _forecast("Oslo")})
    assert others.behind(card.tasks[0], gold, card) is None


def test_a_turn_of_bfcl_shows_the_calls_of_all_its_replies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    put_package(simulators_folder())
    path = lay_out(tmp_path, [SUM], None)
    run = (said(SUM["id"], 0, [ADD_2]), said(SUM["id"], 1), said(SUM["id"], 2, [ADD_2], [LOOK], [ADD_3]))
    [failure] = _of_bfcl(path, *run)
    assert [line.title for line in failure.expected] == ["add", "look"]
    assert [line.title for line in failure.said] == ["add", "look", "add"]
    assert [line.is_wrong for line in failure.said] == [False, False, True]
    assert failure.why[0].startswith("The simulators are in another state than after the calls of gold.")
