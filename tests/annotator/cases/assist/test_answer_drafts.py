"""Answers are outlined from what calls returned, or drafted by a model with every value cited."""

import json

import pytest
from pydantic import JsonValue

from annotator.cases.assist.answer_drafts import AnswerDraft, answer_outline, read_answer
from annotator.cases.assist.assist_replies import AssistError
from annotator.cases.assist.assistant import applied, suggest
from annotator.cases.edits import text_edits
from annotator.jobs import JobContext
from annotator.llm import ChatClient
from annotator.llm.endpoints import Endpoint, Patience
from scoring.errors import ConflictError, InputError
from scoring.model.case import Case
from tests.factories import answer, call, case, task
from tests.scripted_model.server import ScriptedModel, in_turn, said

TEXT = "The 17:43 to Gent has 12 free seats."
CITED: list[JsonValue] = [
    {"value": "17:43", "step": 0, "path": "/trains/0/departs"},
    {"value": "12", "step": 1, "path": "/free"},
]


def unanswered() -> Case:
    """Two calls and no answer yet."""
    return case(
        task(
            call("findTrains", {"trains": [{"departs": "17:43", "id": "IC-5"}]}, to="Gent"),
            call("getSeats", {"free": 12, "note": None}, train="IC-5"),
            user="Which train to Gent has seats?",
        )
    )


def reply(text: str = TEXT, cited: JsonValue = None) -> str:
    return json.dumps(
        {"text": text, "cited": CITED if cited is None else cited, "reason": "From both calls."}
    )


def test_the_outline_lists_what_came_back_value_by_value() -> None:
    lines = answer_outline(unanswered(), 0)
    assert [(one.step, one.tool_name, one.path, one.value) for one in lines] == [
        (0, "findTrains", "/trains/0/departs", "17:43"),
        (0, "findTrains", "/trains/0/id", "IC-5"),
        (1, "getSeats", "/free", "12"),
    ]


def test_a_task_without_calls_has_nothing_to_outline() -> None:
    assert answer_outline(case(task(answer())), 0) == ()


def test_a_draft_is_read_with_its_sources_and_becomes_the_answer() -> None:
    draft = read_answer(reply(), unanswered(), task=0)
    assert [(one.value, one.step) for one in draft.cited] == [("17:43", 0), ("12", 1)]
    written = applied(unanswered(), draft).tasks[0].answer
    assert written is not None
    assert written.text == TEXT


@pytest.mark.parametrize(
    ("text", "cited", "reason"),
    [
        ("It leaves at 18:43.", [], 'it states "18:43" without a source'),
        (TEXT, CITED[:1], 'it states "12" without a source'),
        (TEXT, [CITED[0], {"value": "12", "step": 0, "path": "/trains/0/id"}], "which does not hold it"),
        (TEXT, [CITED[0], {"value": "12", "step": 7, "path": "/free"}], "which does not hold it"),
        ("No seats.", [CITED[1]], "which its text does not say"),
        ("", [], "text:"),
    ],
)
def test_a_draft_with_a_figure_of_its_own_or_a_false_source_is_refused(
    text: str, cited: JsonValue, reason: str
) -> None:
    with pytest.raises(AssistError) as refused:
        read_answer(reply(text, cited), unanswered(), task=0)
    assert reason in str(refused.value)


def test_a_draft_whose_source_was_edited_meanwhile_is_refused() -> None:
    draft = read_answer(reply(), unanswered(), task=0)
    edited = text_edits.set_observation(unanswered(), 0, step=1, observation={"free": 3})
    with pytest.raises(ConflictError, match="edited meanwhile"):
        applied(edited, draft)


def test_a_draft_never_replaces_an_answer_written_meanwhile() -> None:
    draft = read_answer(reply(), unanswered(), task=0)
    with pytest.raises(ConflictError, match="has changed since"):
        applied(text_edits.set_answer_text(unanswered(), 0, text="My own."), draft)


def test_a_draft_comes_from_an_endpoint_like_every_proposal() -> None:
    with ScriptedModel(in_turn(said(reply()))) as model:
        client = ChatClient(Endpoint(model.base_url, "m-1"), patience=Patience(timeout_seconds=2, retries=0))
        try:
            proposal = suggest("answer", unanswered(), 0, client=client, context=JobContext())
            with pytest.raises(InputError):
                suggest("answer", case(task(answer())), 0, client=client, context=JobContext())
        finally:
            client.close()
    assert proposal.kind == "answer"
    assert isinstance(proposal.what, AnswerDraft)
    assert proposal.what.after == TEXT
