"""The list of measures: each is told, and stands in the summary under its key."""

import json

import pytest

from scoring.evaluation import score
from scoring.golds import gold_set
from scoring.history import opening_message_count, opening_messages
from scoring.measures.catalogue import MEASURES, Form, Measure, headlines
from scoring.measures.rates import Number, rate
from scoring.measures.sample import ScoredSample, TaskFacts
from scoring.measures.summary import Summary, summarise
from scoring.model.case import Case
from scoring.model.record import JsonObject
from scoring.model.taxonomy import ActionDetail, ArgumentProfile, InfraErrors, Policy, Protocol, Semantics
from scoring.predictions import Prediction, Reply, ToolCall, Usage
from tests.factories import answer, ask, call, case, task, task_score, tool

ANY: JsonObject = {"type": "string"}


def test_every_measure_says_what_it_is_and_has_a_key_of_its_own() -> None:
    assert len({measure.key for measure in MEASURES}) == len(MEASURES)
    assert len({measure.title for measure in MEASURES}) == len(MEASURES)
    assert all(measure.formula and measure.paper for measure in MEASURES)
    assert list(headlines()) == [
        *("task_accuracy", "session_accuracy", "subsequent_accuracy", "names_accuracy", "names.sessions"),
        *("accomplished_progress", "optimal_path_rate"),
    ]


def test_a_summary_holds_every_measure_and_comes_back_from_json() -> None:
    summary = summarise([task_score("a", i, right=i > 0) for i in range(3)])
    assert Summary.model_validate_json(summary.model_dump_json()) == summary
    sample = ScoredSample([task_score("a", i, right=i > 0) for i in range(3)])
    for measure in MEASURES:
        assert summary.figures(measure) == measure.figures(sample)


def test_an_older_scorecard_has_no_figures_of_a_later_measure() -> None:
    body = json.loads(summarise([task_score()]).model_dump_json())
    for later in ("measures", "infra_errors_count", "infra_errors_otherwise"):
        del body[later]
    summary = Summary.model_validate(body)
    [routes] = [measure for measure in MEASURES if measure.key == "routes"]
    assert summary.figures(routes) == {}
    assert summary.task_accuracy == 1.0


@pytest.mark.parametrize(
    ("form", "figure", "text"),
    [
        (Form.PERCENT, rate(2, 3), "66.67"),
        (Form.PERCENT, rate(0, 0), "–"),
        (Form.PERCENT, Number(value=0.5, of=2), "50.00"),
        (Form.MEAN, Number(value=1204.46, of=3), "1,204.5"),
        (Form.VARIANCE, Number(value=0.03125, of=3), "0.0313"),
        (Form.SECONDS, Number(value=0.2345, of=3), "0.235"),
        (Form.MEAN, None, "–"),
        (Form.PERCENT, Number(value=0.78125, of=2), "78.13"),  # a tie goes up, as in rates
    ],
)
def test_a_figure_is_printed_in_the_form_of_its_measure(form: Form, figure: Number | None, text: str) -> None:
    assert form.text(figure) == text


def _measure(key: str) -> Measure:
    return next(measure for measure in MEASURES if measure.key == key)


def test_a_difference_is_in_points_for_rates_and_signed() -> None:
    accuracy, tokens = _measure("accuracy.tasks"), _measure("tokens_per_task")
    assert accuracy.difference(rate(3, 4), rate(1, 4)) == "-50.00"
    assert (
        tokens.difference(Number(value=10, of=1), Number(value=1500.25, of=1)) == "+1,490.3"
    )  # 1,490.25: a tie
    assert accuracy.difference(rate(0, 0), rate(1, 4)) == "–"


# failures outside the model ----------------------------------------------------------------------

OUTSIDE = [
    task_score("a", 0, policy=Policy.SINGLE),
    task_score("a", 1, right=False, detail=ActionDetail.INFRA_ERROR, policy=Policy.CHAT),
    task_score("a", 2, right=False, policy=Policy.SINGLE),
    task_score("b", 0, policy=Policy.CHAT),
]


def test_failures_outside_the_model_count_as_wrong_unless_they_are_left_out() -> None:
    # 2 of 4 tasks, 1 of 2 cases; left out: 2 of 3 tasks, and case a is no session.
    wrong = summarise(OUTSIDE)
    left_out = wrong.counting(InfraErrors.LEFT_OUT)
    assert (wrong.accuracy.tasks, wrong.accuracy.sessions) == (rate(2, 4), rate(1, 2))
    assert (left_out.accuracy.tasks, left_out.accuracy.sessions) == (rate(2, 3), rate(1, 1))
    assert left_out.accuracy.by_policy["chat"] == rate(1, 1)
    assert (left_out.task_accuracy, left_out.infra_errors) == (2 / 3, 1)
    assert left_out.infra_errors_count is InfraErrors.LEFT_OUT


def test_leaving_failures_out_does_not_move_the_tasks_after_them() -> None:
    # single, chat, single: the third task comes after two transitions, whatever became of the second.
    left_out = summarise(OUTSIDE).counting(InfraErrors.LEFT_OUT)
    assert left_out.accuracy.by_transitions == {"0": rate(2, 2), "2": rate(0, 1)}
    assert left_out.measures["routes"]["single > chat > single"] == rate(0, 1)
    assert "single > chat" not in left_out.measures["routes"]


def test_the_way_failures_count_can_be_changed_back() -> None:
    wrong = summarise(OUTSIDE)
    assert wrong.counting(InfraErrors.LEFT_OUT).counting(InfraErrors.WRONG) == wrong
    assert summarise([task_score()]).counting(InfraErrors.LEFT_OUT).task_accuracy == 1.0


# what only the scorer sees -----------------------------------------------------------------------

LONG = case(
    task(ask(), call("A"), answer(), edges=[(0, 1)], user="One"),
    task(call("A"), call("B"), call("B"), answer(), edges=[(0, 2)], user="Two"),
    task(answer(), user="Three"),
    task(call("A"), answer(), user="Four"),
    tools=[tool("A", x=ANY, n={"type": "integer"}), tool("B")],
    now="2026-03-02 09:00:00",
)


@pytest.mark.parametrize("protocol", list(Protocol))
@pytest.mark.parametrize("of", [LONG, LONG.model_copy(update={"now": None})])
def test_messages_are_counted_as_they_would_be_written(of: Case, protocol: Protocol) -> None:
    golds = gold_set([of]).golds
    for number in range(len(of.tasks)):
        written = opening_messages(of, number, protocol=protocol)
        assert opening_message_count(of, number, golds, protocol=protocol) == len(written)


def said(number: int, *calls: tuple[str, str], tokens: int | None = None) -> Prediction:
    made = Reply(
        tool_calls=tuple(
            ToolCall(id=f"c{i}", name=name, arguments=text) for i, (name, text) in enumerate(calls)
        ),
        usage=Usage(prompt_tokens=tokens, completion_tokens=2) if tokens else None,
    )
    replies = (made, Reply(content="Done.")) if calls else (Reply(content="Done."),)
    return Prediction(case="c-1", task=number, replies=replies)


@pytest.mark.parametrize("semantics", [Semantics.PAPER, Semantics.REFERENCE])
def test_the_declared_types_of_wrong_arguments_are_counted(semantics: Semantics) -> None:
    # A(x, n) with two wrong arguments, and one no schema declares.
    gold = case(
        task(call("A", x="Oslo", n=1), answer()),
        task(call("A", x="Oslo"), answer()),
        tools=[tool("A", x=ANY, n={"type": "integer"})],
    )
    predictions = [
        said(0, ("A", '{"x": "Bergen", "n": 2}')),
        said(1, ("A", '{"x": "Oslo", "y": 1}')),
    ]
    card = score([gold], predictions, semantics=semantics, arguments=ArgumentProfile.C3)
    # Equally frequent ones stand by name, whatever the order in which they were met.
    assert list(card.summary.measures["failing_argument_types"].items()) == [
        ("integer", rate(1, 3)),
        ("string", rate(1, 3)),
        ("undeclared", rate(1, 3)),
    ]


def test_calls_and_turns_per_task_are_those_of_the_gold_solutions() -> None:
    summary = score([LONG], [said(2)]).summary
    # calls 1, 3, 0, 1; user turns 2 where a question is asked
    assert summary.measures["calls_per_task"] == {"0": rate(1, 4), "1": rate(2, 4), "3": rate(1, 4)}
    assert summary.measures["turns_per_task"] == {"1": rate(3, 4), "2": rate(1, 4)}


def test_ten_and_more_calls_share_a_bar() -> None:
    facts = {("a", i): TaskFacts(None, calls, 1, is_passable=True) for i, calls in enumerate((9, 10, 25))}
    sample = ScoredSample([task_score("a", i) for i in range(3)], facts)
    assert _measure("calls_per_task").figures(sample) == {"9": rate(1, 3), "10+": rate(2, 3)}


def test_tokens_per_task_are_a_mean_over_the_tasks_that_say() -> None:
    predictions = [said(2), said(3, ("A", "{}"), tokens=30), said(1, ("A", "{}"), tokens=10)]
    found = score([LONG], predictions).summary.measures["tokens_per_task"]
    assert found == {"read": Number(value=20.0, of=2), "written": Number(value=2.0, of=2)}


def test_the_first_token_of_a_task_is_that_of_its_first_reply() -> None:
    def timed(number: int, *seconds: float | None) -> Prediction:
        replies = (Reply(content="Hi.", first_token_seconds=one, latency_seconds=9) for one in seconds)
        return Prediction(case=LONG.id, task=number, replies=tuple(replies))

    # Tasks 0 to 2 say 0.25, 0.25 and 1; the first reply to task 3 was no stream, whatever came after it.
    predictions = [timed(0, 0.25, 5.0), timed(1, 0.25, None), timed(2, 1.0), timed(3, None, 0.1)]
    found = score([LONG], predictions).summary
    measured = found.measures["first_token_seconds"]
    assert measured["mean"] == Number(value=0.5, of=3)
    assert measured["median"] == Number(value=0.25, of=3)
    assert found.first_token == measured["mean"]


def test_where_nothing_was_streamed_there_is_no_time_to_the_first_token() -> None:
    summary = score([LONG], [said(2)]).summary
    assert summary.measures["first_token_seconds"] == {}
    assert summary.first_token is None


def test_accuracy_by_messages_needs_ten_tasks_of_a_kind() -> None:
    many = [case(task(answer()), task(answer()), id=f"c-{i}") for i in range(10)]
    predictions = [Prediction(case="c-0", task=1, replies=(Reply(content="Done."),))]
    found = score(many, predictions).summary.measures["by_messages"]
    # The request alone; or the request and the answer before it, and the request.
    assert found == {"1": rate(0, 10), "3": rate(1, 10)}
    assert score(many[:9], predictions).summary.measures["by_messages"] == {}


def test_the_released_c3_analysis_counts_the_results_of_a_round_once_and_no_date() -> None:
    golds = gold_set([LONG]).golds
    # One: request, question, reply, call, result, answer. Two: request, A with B, results, B, result, answer.
    # Ours has the date and each result of a round by itself.
    counts = [
        opening_message_count(LONG, 2, golds, protocol=Protocol.C3, as_released=released)
        for released in (True, False)
    ]
    assert counts == [6 + 6 + 1, 6 + 7 + 1 + 1]


def test_reference_takes_the_messages_a_c3_result_says_and_paper_its_own() -> None:
    many = [case(task(answer()), id=f"c-{i}") for i in range(10)]
    told = [
        Prediction(case=one.id, task=0, replies=(Reply(content="Hi."),), shown_messages=42) for one in many
    ]
    keys = [
        list(score(many, told, semantics=semantics, arguments=profile).summary.measures["by_messages"])
        for semantics, profile in (
            (Semantics.REFERENCE, ArgumentProfile.C3),
            (Semantics.REFERENCE, ArgumentProfile.WTB),
            (Semantics.PAPER, ArgumentProfile.C3),
        )
    ]
    assert keys == [["42"], ["1"], ["1"]]


def test_tokens_of_a_task_that_failed_outside_go_with_it() -> None:
    facts = {
        ("a", i): TaskFacts(messages=None, calls=0, turns=1, is_passable=True, prompt_tokens=tokens)
        for i, tokens in enumerate((10, 30))
    }
    tasks = [task_score("a", 0), task_score("a", 1, right=False, detail=ActionDetail.INFRA_ERROR)]
    tokens = _measure("tokens_per_task")
    assert tokens.figures(ScoredSample(tasks, facts))["read"] == Number(value=20.0, of=2)
    without = ScoredSample(tasks, facts, leaves_out_infra=True)
    assert tokens.figures(without)["read"] == Number(value=10.0, of=1)
