"""Scoring a run: what counts, what does not, and the scorecard that comes out."""

import json
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.errors import InputError
from scoring.evaluation import profile_for, score
from scoring.formats.case_reader import read_cases
from scoring.golds import gold_set
from scoring.model.case import Case, Source, content_sha256
from scoring.model.taxonomy import ActionDetail, ArgumentProfile, Policy, Protocol, Semantics
from scoring.prediction_files import read_predictions
from scoring.predictions import Ignored, InfraError, Prediction, Reply, ToolCall, Usage
from scoring.scorecard import (
    Scorecard,
    cases_sha256,
    dump_scorecard,
    load_scorecard,
    predictions_sha256,
)
from tests.factories import answer, call, case, task, tool
from tests.shared import ROOT

SAMPLES = ROOT / "resources" / "samples"
TEXT = Reply(content="Here you are.")
CHAT = Prediction(case="c-1", task=0, replies=(TEXT,))
FAILED = Prediction(case="c-1", task=0, error=InfraError(kind="timeout"))


def chats(count: int = 1, *, id: str = "c-1") -> Case:  # noqa: A002
    return case(*(task(answer(), user=f"Request {i}") for i in range(count)), id=id)


def run(*predictions: Prediction | Ignored, cases: Sequence[Case] = ()) -> Scorecard:
    return score(cases or [chats()], predictions)


def reasons(card: Scorecard) -> list[str]:
    return [item.reason for item in card.ignored]


def test_the_scorecard_has_exactly_the_documented_keys() -> None:
    body = dump_scorecard(run(CHAT))
    assert list(body) == [
        *("semantics", "arguments", "protocol", "cases_sha256", "predictions_sha256", "scorer_version"),
        *("name", "setting", "model_card", "summary", "ignored", "tasks"),
    ]
    tasks = body["tasks"]
    assert isinstance(tasks, list)
    assert isinstance(tasks[0], dict)
    assert list(tasks[0]) == [
        *("case", "task", "policy", "information", "label", "action_label", "action_detail"),
        *("arguments_label", "arguments_profile", "optimal", "steps_done", "steps_total"),
        *("error", "error_c3", "detail"),
    ]


def replies() -> st.SearchStrategy[Reply]:
    calls = st.builds(
        ToolCall,
        id=st.none() | st.just("1"),
        name=st.none() | st.sampled_from(["A", "B"]),
        arguments=st.none() | st.sampled_from(["{}", '{"x": 1}', "{"]),
    )
    return st.builds(
        Reply,
        content=st.none() | st.sampled_from(["", "text"]),
        tool_calls=st.lists(calls, max_size=2).map(tuple),
        usage=st.none() | st.builds(Usage, prompt_tokens=st.none() | st.integers(0, 9)),
        latency_seconds=st.none() | st.floats(0, 9),
    )


@given(st.lists(st.lists(replies(), max_size=4), max_size=3), st.sampled_from(Semantics))
def test_a_scorecard_survives_writing_and_reading(runs: list[list[Reply]], semantics: Semantics) -> None:
    one = case(
        task(call("A", x=1), call("B"), answer(), edges=[(0, 1)]),
        task(call("A"), call("A"), answer()),
        task(answer()),
        tools=[tool("A", x={"type": "integer"}), tool("B")],
    )
    predictions = [Prediction(case="c-1", task=i, replies=tuple(r)) for i, r in enumerate(runs)]
    card = score([one], predictions, semantics=semantics)
    assert load_scorecard(json.loads(json.dumps(dump_scorecard(card)))) == card
    assert all((scored.label == "correct") is (scored.error is None) for scored in card.tasks[: len(runs)])


def test_two_cases_with_one_id_are_refused() -> None:
    with pytest.raises(InputError, match="Two cases are called c-1"):
        gold_set([chats(), chats(2)])


def test_every_task_of_the_cases_is_listed_in_their_order() -> None:
    cases = [chats(2, id="b"), chats(1, id="a")]
    card = run(Prediction(case="a", task=0, replies=(TEXT,)), cases=cases)
    assert [(scored.case, scored.task) for scored in card.tasks] == [("b", 0), ("b", 1), ("a", 0)]
    assert [scored.action_detail for scored in card.tasks[:2]] == [ActionDetail.NO_PREDICTION] * 2
    assert (card.summary.missing, card.summary.task_accuracy) == (2, 1 / 3)


@pytest.mark.parametrize(
    ("prediction", "reason"),
    [
        (CHAT.model_copy(update={"case": "nobody"}), "No such case."),
        (CHAT.model_copy(update={"task": 7}), "No such task: the case has 1, counted from 0."),
        (
            CHAT.model_copy(update={"cases_sha256": "0" * 64}),
            "It answers another release: the hash of the cases differs.",
        ),
        (FAILED.model_copy(update={"case": "nobody", "task": None}), "No such case."),
    ],
)
def test_predictions_that_cannot_count_are_listed_with_the_reason(
    prediction: Prediction, reason: str
) -> None:
    card = run(prediction.model_copy(update={"file": "p.jsonl", "line": 3}))
    assert card.ignored == (
        Ignored(reason=reason, file="p.jsonl", line=3, case=prediction.case, task=prediction.task),
    )
    assert (card.summary.ignored, card.summary.predictions, card.summary.task_accuracy) == (1, 0, None)


def test_predictions_for_this_very_release_count() -> None:
    sha256 = cases_sha256([chats()])
    assert run(CHAT.model_copy(update={"cases_sha256": sha256})).summary.task_accuracy == 1.0


def test_of_two_predictions_for_a_task_the_first_counts() -> None:
    card = run(CHAT, CHAT.model_copy(update={"replies": ()}))
    assert card.tasks[0].label == "correct"
    assert reasons(card) == ["A second prediction for the same task; the first one counts."]


def test_an_answer_replaces_an_earlier_failure_outside_the_model_but_not_the_other_way_round() -> None:
    assert run(FAILED, CHAT).tasks[0].label == "correct"
    failed, answered = (one.model_copy(update={"line": n}) for n, one in enumerate((FAILED, CHAT), 1))
    [told] = run(failed, answered).ignored
    assert (told.line, told.reason) == (1, "It failed outside the model, and a later answer counts.")
    assert run(CHAT, FAILED).tasks[0].label == "correct"
    assert run(FAILED, FAILED).tasks[0].action_detail is ActionDetail.INFRA_ERROR


def test_of_two_failures_outside_the_model_the_first_counts() -> None:
    later = FAILED.model_copy(update={"error": InfraError(kind="rate limit")})
    card = run(FAILED, later)
    assert reasons(card) == ["A second prediction for the same task; the first one counts."]
    assert (card.summary.predictions, card.summary.infra_errors) == (1, 1)
    assert card.tasks[0].detail == run(FAILED).tasks[0].detail


def test_a_failed_run_of_a_case_counts_for_each_of_its_tasks() -> None:
    card = run(FAILED.model_copy(update={"task": None}), cases=[chats(3)])
    assert [scored.action_detail for scored in card.tasks] == [ActionDetail.INFRA_ERROR] * 3
    assert (card.summary.infra_errors, card.summary.task_accuracy) == (3, 0.0)


def test_lines_that_could_not_be_read_are_passed_on() -> None:
    line = Ignored(reason="The line is not UTF-8.", file="p.jsonl", line=9)
    assert run(CHAT, line).ignored == (line,)


def test_a_task_without_gold_is_ignored_and_so_are_its_predictions() -> None:
    unfinished = case(task(answer()), task(call("A")), task())
    card = run(CHAT, CHAT.model_copy(update={"task": 1}), cases=[unfinished])
    assert len(card.tasks) == 1
    assert [(item.task, item.reason) for item in card.ignored] == [
        (1, "Not scorable: The task has no answer, or several."),
        (2, "Not scorable: The task has no steps."),
        (1, "The task is not scorable."),
    ]


def test_a_flood_of_bad_predictions_is_counted_but_not_listed_whole() -> None:
    flood = (CHAT.model_copy(update={"case": f"x{i}"}) for i in range(1500))
    card = score([chats()], flood)
    assert card.summary.ignored == 1500
    assert len(card.ignored) == 1001
    assert card.ignored[-1].reason == "500 more that did not count are not listed."


def test_auto_takes_the_profile_of_each_cases_origin() -> None:
    from_c3 = chats(id="x").model_copy(update={"source": Source(format="c3")})
    cases = [from_c3, chats(id="y")]
    card = score(cases, [])
    assert [scored.arguments_profile for scored in card.tasks] == [ArgumentProfile.C3, ArgumentProfile.WTB]
    assert profile_for(from_c3, ArgumentProfile.WTB_STRICT) is ArgumentProfile.WTB_STRICT


def test_a_labelled_c3_case_counts_among_optimal_paths_by_its_structure_in_reference() -> None:
    # scoring 8, D-20: two calls side by side that the reviewers declared serial, wherever the case was read.
    two = task(call("A"), call("B"), answer(), policy=Policy.MULTI_SERIAL)
    from_c3 = case(two, tools=[tool("A"), tool("B")]).model_copy(update={"source": Source(format="c3")})
    reference = score([from_c3], [CHAT], semantics=Semantics.REFERENCE).summary
    assert (reference.optimal["multi_parallel"].total, reference.progress["total"].total) == (1, 0)
    assert reference.accuracy.by_policy["multi_parallel"].total == 1
    paper = score([from_c3], [CHAT]).summary
    assert (paper.optimal["total"].total, paper.progress["multi_serial"].total) == (0, 3)


def test_the_scorecard_says_how_it_was_scored() -> None:
    card = score(
        [chats()], [CHAT], semantics=Semantics.REFERENCE, arguments=ArgumentProfile.C3, protocol=Protocol.C2
    )
    assert (card.semantics, card.arguments, card.protocol) == ("reference", "c3", "c2")


def test_the_hash_of_the_cases_is_over_their_content_hashes_in_order() -> None:
    one, other = chats(id="a"), chats(id="b")
    assert cases_sha256([one, other]) != cases_sha256([other, one])
    moved = one.model_copy(update={"source": Source(format="wildtool", line=9)})
    assert content_sha256(moved) == content_sha256(one)
    assert cases_sha256([moved, other]) == cases_sha256([one, other])
    # sha256 of nothing
    assert cases_sha256([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_the_hash_of_the_predictions_does_not_depend_on_how_they_are_split() -> None:
    assert predictions_sha256(["b", "a"]) == predictions_sha256(["a", "b"])
    cases = [chats(id="a"), chats(id="b")]
    pair = [CHAT.model_copy(update={"case": name}) for name in "ab"]
    assert score(cases, pair).predictions_sha256 == score(cases, pair[::-1]).predictions_sha256


def test_tokens_and_time_are_added_up_where_known() -> None:
    usage = Usage(prompt_tokens=5, completion_tokens=2)
    replies = (Reply(content="a", usage=usage, latency_seconds=0.5), Reply(content="b", usage=usage))
    totals = run(CHAT.model_copy(update={"replies": replies})).summary.replies
    assert (totals.replies, totals.prompt_tokens, totals.completion_tokens) == (2, 10, 4)
    assert totals.latency_seconds == 0.5
    assert run(CHAT).summary.replies.prompt_tokens is None


def sample_predictions(name: str) -> Iterable[Prediction | Ignored]:
    return read_predictions(SAMPLES / f"predictions_{name}.jsonl")


def sample_cases() -> list[Case]:
    """The sample cases as they are after review: their corrections applied."""
    found: dict[str, Case] = {}
    for path in (SAMPLES / "cases.jsonl", SAMPLES / "corrections.jsonl"):
        for item in read_cases(path):
            found[item.case.id] = item.case  # type: ignore[union-attr]
    return list(found.values())


@pytest.mark.parametrize(("name", "right"), [("careful", 50), ("careless", 20)])
def test_the_sample_models_score_as_their_description_says(name: str, right: int) -> None:
    card = score(sample_cases(), sample_predictions(name))
    assert (card.summary.accuracy.tasks.count, card.summary.accuracy.tasks.total) == (right, 56)
    assert card.ignored == ()
