"""Proposals come over real HTTP, are read with distrust, wait for a person, and leave a trace."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from annotator.cases.assist.assist_replies import (
    AssistError,
    CallReview,
    Edges,
    Labels,
    ProposedEdge,
    Reviews,
    Rewording,
)
from annotator.cases.assist.assistant import (
    Proposal,
    applied,
    endpoint_of,
    record_decision,
    suggest,
    suggest_wording,
)
from annotator.cases.edits.text_edits import set_review
from annotator.jobs import JobCancelled, JobContext, JobRunner
from annotator.llm import ChatClient, ModelError
from annotator.llm.endpoints import Endpoint, Patience
from annotator.settings import AssistSettings
from db.read import reviews
from scoring.errors import ConflictError, CycleError, InputError, NotFoundError
from scoring.model.case import Case, Edge
from scoring.model.record import JsonObject
from scoring.model.taxonomy import EdgeKind, Information, Policy, ReviewLabel
from tests.annotator.team import Team
from tests.factories import answer, ask, call, case, task
from tests.scripted_model.server import Script, ScriptedModel, Sent, in_turn, refused, said

QUICK = Patience(timeout_seconds=20, retries=0)
WHERE = "Where is it dry enough to walk?"


def two_calls() -> Case:
    """Forecasts of two days, the second asked for after the first, and an answer."""
    return case(
        task(call("getForecast", {"dry": "Sunday"}, city="Oslo"), call("bookHut", day="Sunday"), answer()),
        task(ask(), call("getForecast", city="Bergen"), answer(), user=WHERE, policy=Policy.CLARIFY),
    )


@contextmanager
def client_of(script: Script) -> Iterator[tuple[ChatClient, ScriptedModel]]:
    """A client of a scripted endpoint that asks once; its limit is long enough for a loaded machine."""
    with ScriptedModel(script) as model:
        client = ChatClient(Endpoint(model.base_url, "m-1"), patience=QUICK)
        try:
            yield client, model
        finally:
            client.close()


def wording(reply: str, *, step: int | None = None) -> Rewording:
    """What becomes of a reply to the question about a wording."""
    with client_of(in_turn(said(reply))) as (client, _):
        found = suggest_wording(two_calls(), 1, step=step, client=client, context=JobContext())
    assert isinstance(found.what, Rewording)
    return found.what


def edges(*pairs: JsonObject, of: Case | None = None) -> Edges:
    """What becomes of dependencies a model names for the first task."""
    reply = said(json.dumps({"edges": list(pairs)}))
    with client_of(in_turn(reply)) as (client, _):
        found = suggest("edges", of or two_calls(), 0, client=client, context=JobContext())
    assert isinstance(found.what, Edges)
    return found.what


def labels(**said_labels: str | None) -> Labels:
    """What becomes of labels a model gives the second task."""
    with client_of(in_turn(said(json.dumps(said_labels)))) as (client, _):
        found = suggest("labels", two_calls(), 1, client=client, context=JobContext())
    assert isinstance(found.what, Labels)
    return found.what


def failure(script: Script) -> AssistError | ModelError:
    """The error a question about a wording ends with."""
    with client_of(script) as (client, _), pytest.raises((AssistError, ModelError)) as caught:
        suggest_wording(two_calls(), 1, step=None, client=client, context=JobContext())
    assert isinstance(caught.value, AssistError | ModelError)
    return caught.value


# what comes back


def test_a_wording_is_proposed_beside_the_text_it_would_replace() -> None:
    found = wording('{"text": "Any dry day for a walk?", "reason": "Shorter."}')
    assert (found.before, found.after, found.reason) == (WHERE, "Any dry day for a walk?", "Shorter.")
    assert not found.is_empty


def test_a_wording_of_a_question_is_proposed_for_the_question() -> None:
    found = wording('{"text": "Which city?"}', step=0)
    assert (found.step, found.before) == (0, "For which city?")


@pytest.mark.parametrize(
    "reply",
    [
        '```json\n{"text": "So?"}\n```',
        'Here you are:\n```\n{"text": "So?"}\n```\nShall I go on?',
        'I would say {"text": "So?"} here.',
        '{"text": "So?", "confidence": 0.9}',
    ],
)
def test_a_reply_may_be_fenced_or_surrounded_by_chatter(reply: str) -> None:
    assert wording(reply).after == "So?"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("I cannot do that.", "it holds no JSON object"),
        ('{"text": 3}', "text: input should be a valid string"),
        ('{"wording": "So?"}', "text: field required"),
        ('{"text": "  "}', "its text is empty"),
        ("{" * 5000 + "}", "it holds no JSON object"),
    ],
)
def test_nonsense_is_told_with_a_next_step(reply: str, reason: str) -> None:
    error = failure(in_turn(said(reply)))
    assert error.message == f"The model's reply is not a proposal: {reason}."
    assert error.hint


def test_an_empty_reply_is_told_so() -> None:
    assert failure(in_turn(said(None))).message == "The model's reply is empty."


def test_the_same_wording_again_changes_nothing() -> None:
    assert wording(json.dumps({"text": WHERE})).is_empty


def test_dependencies_are_proposed_with_kind_and_reason() -> None:
    found = edges({"from": 0, "to": 1, "kind": "parameter", "reason": "The day comes from it."})
    expected = Edge(source=0, target=1, kind=EdgeKind.PARAMETER)
    assert found.edges == (ProposedEdge(edge=expected, reason="The day comes from it."),)


def test_drawn_forbidden_and_circular_dependencies_are_left_out() -> None:
    drawn = case(task(call("a"), call("b"), call("c"), answer(), edges=[(0, 1)]))
    back: JsonObject = {"from": 2, "to": 0, "kind": "logical"}
    named: list[JsonObject] = [
        {"from": 0, "to": 1, "kind": "parameter"},
        {"from": 1, "to": 2, "kind": "logical"},
        back,
        {"from": 0, "to": 3, "kind": "logical"},
        {"from": 1, "to": 1, "kind": "logical"},
    ]
    assert [found.edge.pair for found in edges(*named, of=drawn).edges] == [(1, 2)]


def test_a_dependency_of_a_step_that_does_not_exist_is_nonsense() -> None:
    with pytest.raises(AssistError, match="step 9"):
        edges({"from": 0, "to": 9, "kind": "logical"})


def test_only_labels_that_differ_are_proposed() -> None:
    found = labels(policy="clarify", information="reference")
    assert (found.policy, found.information) == (None, Information.REFERENCE)


def test_a_label_there_is_none_of_is_nonsense() -> None:
    with pytest.raises(AssistError, match="policy"):
        labels(policy="guess", information=None)


def reviews_of(*said_reviews: JsonObject, of: Case) -> Reviews:
    """What becomes of how calls of the first task ended, as a model says it."""
    reply = said(json.dumps({"reviews": list(said_reviews), "finished": False, "reason": "open"}))
    with client_of(in_turn(reply)) as (client, _):
        found = suggest("reviews", of, 0, client=client, context=JobContext())
    assert isinstance(found.what, Reviews)
    return found.what


def test_only_calls_that_ended_otherwise_are_proposed_and_the_last_word_counts() -> None:
    labelled = set_review(two_calls(), 0, step=0, review=ReviewLabel.SUCCESS)
    found = reviews_of(
        {"step": 0, "label": "Success"},
        {"step": 1, "label": "Success"},
        {"step": 1, "label": "Internal Error", "reason": "It timed out."},
        of=labelled,
    )
    expected = CallReview(step=1, label=ReviewLabel.INTERNAL, reason="It timed out.")
    assert (found.reviews, found.is_finished, found.reason) == ((expected,), False, "open")
    after = applied(labelled, found)
    assert [one.review_label for _, one in after.tasks[0].calls] == [
        ReviewLabel.SUCCESS,
        ReviewLabel.INTERNAL,
    ]


@pytest.mark.parametrize(
    ("review", "words"),
    [
        ({"step": 9, "label": "Success"}, "step 9"),
        ({"step": 2, "label": "Success"}, "step 2"),
        ({"step": -1, "label": "Success"}, "step -1"),
        ({"step": 0, "label": "Fine"}, "label"),
    ],
)
def test_a_step_that_is_no_call_and_a_label_there_is_none_of_are_nonsense(
    review: JsonObject, words: str
) -> None:
    with pytest.raises(AssistError, match=words):
        reviews_of(review, of=two_calls())


# what is sent


def sent_prompt(of: Case, task_number: int) -> str:
    """All that goes out when labels are asked for."""
    with client_of(in_turn(said('{"policy": "chat", "information": null}'))) as (client, model):
        suggest("labels", of, task_number, client=client, context=JobContext())
        return json.dumps(model.asked[0].body, ensure_ascii=False)


def test_the_prompt_holds_the_dialogue_up_to_the_task_and_not_what_comes_later() -> None:
    prompt = sent_prompt(two_calls(), 0)
    assert "Weather in Oslo?" in prompt
    assert "bookHut" in prompt
    assert WHERE not in prompt


def test_the_prompt_is_the_same_whatever_anybody_labelled_or_drew() -> None:
    bare = case(task(call("a"), call("b"), answer()))
    marked = case(
        task(
            call("a").model_copy(update={"review": "planner says fine", "thought": "secret plan"}),
            call("b"),
            answer(),
            edges=[(0, 1)],
            policy=Policy.MULTI_SERIAL,
            information=Information.FIRST,
        )
    )
    assert sent_prompt(bare, 0) == sent_prompt(marked, 0)


def test_a_long_observation_is_cut() -> None:
    long = case(task(call("a", "x" * 50_000), answer()))
    assert len(sent_prompt(long, 0)) < 10_000


# when it fails


def test_an_endpoint_that_is_down_is_told_with_a_next_step() -> None:
    with ScriptedModel(in_turn(said("x"))) as model:
        address = model.base_url
    client = ChatClient(Endpoint(address, "m-1"), patience=QUICK)
    with pytest.raises(ModelError) as caught:
        suggest_wording(two_calls(), 1, step=None, client=client, context=JobContext())
    client.close()
    assert caught.value.kind == "connection"
    assert caught.value.hint


def test_an_endpoint_that_refuses_is_told_with_its_words() -> None:
    error = failure(in_turn(refused(401, "bad key")))
    assert "bad key" in error.message
    assert error.hint == "Check the API key."


def test_cancelling_gives_up_the_waiting_at_once() -> None:
    asked = threading.Event()

    def slow(_: object) -> Sent:
        asked.set()
        return Sent(message={"content": "x"}, delay_seconds=30)

    with client_of(slow) as (client, _), JobRunner("test") as runner:
        handle = runner.start(
            lambda context: suggest_wording(two_calls(), 1, step=None, client=client, context=context)
        )
        assert asked.wait(120)
        handle.cancel()
        begun = time.monotonic()
        with pytest.raises(JobCancelled):
            handle.result(5)
        assert time.monotonic() - begun < 1


def test_a_call_has_no_wording() -> None:
    with client_of(in_turn(said("x"))) as (client, model), pytest.raises(InputError):
        suggest_wording(two_calls(), 1, step=1, client=client, context=JobContext())
    assert model.asked == []


def test_without_an_endpoint_the_error_says_what_to_do() -> None:
    with pytest.raises(InputError, match="No endpoint"):
        endpoint_of(AssistSettings(base_url="http://localhost:1/v1"))


def test_the_key_comes_from_the_variable_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-1")
    settings = AssistSettings(base_url="http://localhost:1/v1", model="m", key_variable="MY_KEY")
    assert endpoint_of(settings).api_key == "sk-1"


# what becomes of it


def test_an_accepted_wording_replaces_the_text() -> None:
    what = Rewording(task=1, step=None, before=WHERE, after="Dry day?")
    assert applied(two_calls(), what).tasks[1].user == "Dry day?"
    asked = Rewording(task=1, step=0, before="For which city?", after="Which city?")
    question = applied(two_calls(), asked).tasks[1].steps[0]
    assert question == ask("Which city?")
    said_last = Rewording(task=1, step=2, before="It is sunny there.", after="Sun all day.")
    assert applied(two_calls(), said_last).tasks[1].steps[2] == answer("Sun all day.")


def test_a_wording_of_a_text_that_changed_since_is_refused() -> None:
    with pytest.raises(ConflictError):
        applied(two_calls(), Rewording(task=1, step=None, before="Something else", after="Dry day?"))


def test_a_wording_of_a_step_that_is_gone_is_refused() -> None:
    with pytest.raises(ConflictError):
        applied(two_calls(), Rewording(task=1, step=9, before="Something else", after="Dry day?"))


def test_accepted_dependencies_are_drawn_in_their_kind() -> None:
    edge = Edge(source=0, target=1, kind=EdgeKind.PARAMETER)
    after = applied(two_calls(), Edges(task=0, edges=(ProposedEdge(edge=edge),)))
    assert edge in after.tasks[0].drawn_edges


def test_dependencies_that_meanwhile_close_a_circle_are_refused() -> None:
    drawn = case(task(call("a"), call("b"), answer(), edges=[(0, 1)]))
    back = Edge(source=1, target=0, kind=EdgeKind.LOGICAL)
    with pytest.raises(CycleError):
        applied(drawn, Edges(task=0, edges=(ProposedEdge(edge=back),)))


def test_accepted_labels_leave_the_others_alone() -> None:
    after = applied(two_calls(), Labels(task=1, information=Information.REFERENCE)).tasks[1]
    assert (after.policy, after.information) == (Policy.CLARIFY, Information.REFERENCE)


def proposal_for(case_id: str) -> Proposal:
    """A proposal as it comes from an endpoint."""
    with client_of(in_turn(said('{"text": "Dry day?"}'))) as (client, _):
        own = two_calls().model_copy(update={"id": case_id})
        return suggest_wording(own, 1, step=None, client=client, context=JobContext())


@pytest.mark.parametrize(("accepted", "verb"), [(True, "accept"), (False, "decline")])
def test_a_decision_is_recorded_with_prompt_answer_and_person(
    team: Team, *, accepted: bool, verb: str
) -> None:
    team.bring(two_calls())
    proposal = proposal_for("c-1")
    record_decision(team["ann"], proposal, accepted=accepted)
    event = team["ann"].read(lambda tx: reviews.events_of(tx, ["case:c-1"]))[0]
    assert (event.actor, event.action) == ("ann", f"assist:proposal:{verb}")
    payload = json.loads(event.payload)
    assert payload["model"] == "m-1"
    assert payload["prompt_sha256"] == proposal.prompt_sha256
    assert payload["prompt"] == proposal.prompt
    assert payload["response"] == '{"text": "Dry day?"}'
    assert payload["what"]["after"] == "Dry day?"


def test_a_decision_about_a_case_that_does_not_exist_is_refused(team: Team) -> None:
    with pytest.raises(NotFoundError):
        record_decision(team["ann"], proposal_for("c-9"), accepted=True)


def test_the_key_of_an_endpoint_is_in_no_record() -> None:
    with ScriptedModel(in_turn(said('{"text": "Dry day?"}'))) as model:
        client = ChatClient(Endpoint(model.base_url, "m-1", "sk-secret-1"), patience=QUICK)
        found = suggest_wording(two_calls(), 1, step=None, client=client, context=JobContext())
        client.close()
    assert "sk-secret-1" not in found.model_dump_json()
