"""Proposals cite what a person would cite, and a citation breaks when its source says something else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from annotator.cases.edits.edge_edits import remove_edge
from annotator.cases.edits.step_edits import delete_step, insert_step, move_step
from annotator.cases.edits.task_edits import delete_task, insert_task, merge_tasks, move_task, split_task
from annotator.cases.edits.text_edits import set_argument_value, set_now, set_observation, set_user_text
from annotator.cases.evidence.citation_moves import follow_citations
from annotator.cases.evidence.citations import (
    broken_citations,
    cited_parts,
    leaf_paths,
    propose_evidence,
)
from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.evidence.origins import exact_paths
from annotator.cases.evidence.passages import Speaker, are_named_the_same
from annotator.cases.evidence.suggestions import suggest_edges
from scoring.formats.chat import openai
from scoring.model.case import Case, Now, Tool
from scoring.model.labels import Citation, DialogueSource
from scoring.model.record import JsonObject
from scoring.model.taxonomy import EdgeKind, SourceMark
from tests.annotator.cases.clean import clean_case
from tests.factories import answer, ask, call, case, task, tool


def said(*, user: str, now: str | None = None, **arguments: JsonValue) -> Case:
    return case(
        task(call("act", "ok", **arguments), answer(), user=user),
        tools=[Tool(definition={"name": "act", "parameters": {"properties": {}}})],
        now=now,
    )


def proposed(found: Case) -> Citation:
    (citation,) = propose_evidence(found, 0)
    return citation


def all_evidence(found: Case) -> tuple[Citation, ...]:
    return tuple(
        citation for t in range(len(found.tasks)) for citation in accepted(propose_evidence(found, t))
    )


def accepted(citations: tuple[Citation, ...]) -> tuple[Citation, ...]:
    return tuple(citation.model_copy(update={"accepted": True}) for citation in citations)


def user(start: int, end: int, of_task: int = 0) -> DialogueSource:
    return DialogueSource(task=of_task, text="user", span=(start, end))


def test_every_scalar_is_a_leaf_and_empty_containers_are_not() -> None:
    arguments: dict[str, JsonValue] = {"a": [1, {"b/c": None}], "d": {}, "e": [], "f": True}
    assert leaf_paths(arguments) == ("/a/0", "/a/1/b~1c", "/f")


def test_a_value_is_cited_from_the_words_of_the_request() -> None:
    assert proposed(said(user="Weather in Graz?", city="Graz")).source == user(11, 15)


def test_the_words_as_they_are_come_before_others_spelled_alike() -> None:
    steps = (call("look", {"from": "To GRAZ", "to": "Off Graz"}), call("act", city="Graz"), answer())
    found = case(task(*steps, user="Go."))
    assert proposed(found).source == DialogueSource(task=0, step=0, path="/to", span=(4, 8))


def test_a_number_is_cited_from_its_word() -> None:
    assert proposed(said(user="For two people.", guests=2)).source == user(4, 7)


def test_a_date_is_cited_from_the_words_that_mean_it() -> None:
    found = said(user="How is it tomorrow?", now="2026-03-02 09:00:00", day="2026-03-03")
    assert proposed(found).source == user(10, 18)


def test_today_without_a_word_for_it_is_cited_from_now() -> None:
    found = said(user="How is it?", now="2026-03-02 09:00:00", day="2026-03-02")
    assert proposed(found).source == DialogueSource(task=0, text="now", span=(0, 10))


def test_a_citation_of_the_time_of_the_case_holds() -> None:
    found = said(user="How is it?", now="2026-03-02 09:00:00", day="2026-03-02")
    assert found.tasks[0].now is None
    assert broken_citations(found, accepted((proposed(found),))) == ()


def test_a_number_is_the_year_of_now_or_not_from_there() -> None:
    assert propose_evidence(said(user="When?", now="2026-03-02 09:00:00", hour=9), 0) == ()
    found = said(user="Which year?", now="2026-03-02 09:00:00", year=2026)
    assert proposed(found).source == DialogueSource(task=0, text="now", span=(0, 4))


def on_another_day(found: Case, now: str) -> Case:
    """The case with a time of its own for its task."""
    own = found.tasks[0].model_copy(update={"now": Now.read(now)})
    return found.model_copy(update={"tasks": (own,)})


def test_the_time_of_a_task_itself_comes_before_that_of_the_case() -> None:
    of_case = said(user="How is it tomorrow?", now="2026-03-02 09:00:00", day="2026-05-08")
    assert propose_evidence(of_case, 0) == ()
    found = on_another_day(of_case, "2026-05-07 09:00:00")
    assert proposed(found).source == user(10, 18)
    assert broken_citations(found, accepted(propose_evidence(found, 0))) == ()


def test_today_is_cited_from_the_time_of_the_task_itself() -> None:
    of_case = said(user="How is it?", now="2026-03-02 09:00:00", day="2026-05-07")
    found = on_another_day(of_case, "Now: 2026-05-07 09:00:00")
    assert proposed(found).source == DialogueSource(task=0, text="now", span=(5, 15))
    assert broken_citations(found, accepted(propose_evidence(found, 0))) == ()
    assert len(broken_citations(of_case, accepted(propose_evidence(found, 0)))) == 1
    assert cited_parts(found, proposed(found))[1] is found.tasks[0].now


def test_another_spelling_is_cited_all_the_same() -> None:
    assert proposed(said(user="In Las Vegas.", city="LasVegas")).source == user(3, 12)


def test_the_reply_to_a_question_is_cited() -> None:
    found = case(task(ask("Where?", "In Graz."), call("act", city="Graz"), answer(), user="Weather?"))
    expected = DialogueSource(task=0, step=0, text="reply", span=(3, 7))
    assert proposed(found).source == expected


def test_an_observation_is_cited_at_the_key_of_the_same_name() -> None:
    shows: JsonValue = {"shows": [{"seats": 77, "showId": 77}]}
    found = case(task(call("list", shows), call("open", showId=77), answer(), user="Open it."))
    expected = DialogueSource(task=0, step=0, path="/shows/0/showId")
    assert propose_evidence(found, 0)[0].source == expected


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string", "enum": ["fast", "slow"]}, "fast"),
        ({"type": "integer", "default": 10}, 10),
        ({"type": "boolean", "default": False}, False),
        ({"type": "string", "description": "Either fast or slow."}, "slow"),
    ],
)
def test_options_and_defaults_are_marked_default(schema: dict[str, JsonValue], value: JsonValue) -> None:
    found = case(task(call("act", mode=value), answer(), user="Go."), tools=[tool("act", mode=schema)])
    assert proposed(found).source is SourceMark.DEFAULT


def test_a_value_outside_the_options_is_not_marked_default() -> None:
    tools = [tool("act", mode={"type": "string", "enum": ["fast", "slow"]})]
    assert propose_evidence(case(task(call("act", mode="swift"), answer(), user="Go."), tools=tools), 0) == ()


@pytest.mark.parametrize(
    ("request_text", "value"),
    [
        ("Fill in double the usual 7.5 litres.", 15.0),
        ("Switch it on.", True),
        ("The first half is 129.222 and the second 66.08.", "129.222.66.08"),
        ("Tell Ada that the train is late and we meet at the bar.", "The train is late, we meet at the bar"),
    ],
)
def test_what_is_computed_or_composed_is_marked_derived(request_text: str, value: JsonValue) -> None:
    assert proposed(said(user=request_text, value=value)).source is SourceMark.DERIVED


def test_a_composed_text_may_hold_a_code_that_stands_beside_it() -> None:
    asked, value = "Tell Ada that the train is late.", "The train QX7 is late"
    assert propose_evidence(said(user=asked, value=value), 0) == ()
    derived = proposed(said(user=asked, value=value, code="QX7"))
    assert (derived.path, derived.source) == ("/value", SourceMark.DERIVED)


def test_tomorrow_in_an_observation_is_not_counted_from_now() -> None:
    steps = (call("look", {"text": "It leaves tomorrow."}), call("act", day="2026-03-03"), answer())
    assert propose_evidence(case(task(*steps, user="When?"), now="2026-03-02 09:00:00"), 0) == ()


def test_a_value_of_unknown_origin_gets_no_proposal() -> None:
    assert propose_evidence(said(user="Fly me there.", airport="GRZ"), 0) == ()


def test_a_value_used_again_gets_the_source_it_was_given_first() -> None:
    first = task(call("act", airport="GRZ"), answer(), user="Fly me there.")
    second = task(call("act", airport="GRZ"), answer(), user="Again.")
    mark = Citation(task=0, step=0, path="/airport", source=SourceMark.WORLD)
    found = propose_evidence(case(first, second), 1, citations=[mark])
    assert [citation.source for citation in found] == [SourceMark.WORLD]


@pytest.mark.parametrize(
    ("user", "value", "is_exact"),
    [
        ("Fly to Graz.", "Graz", True),
        ("Fly to graz.", "Graz", False),  # spelled otherwise
        ("Fly to Graz, and from Graz back.", "Graz", False),  # two places
        ("Fly to Graz, the GRAZ in Styria.", "Graz", False),  # another spelling is a place, too
        ("Fly to Graz with Grazair.", "Graz", False),  # within a word as well
        ("Send #42 on.", 42, True),
        ("Send two on.", 2, False),  # a number in words
        ("Tag it topic.", "#topic", False),  # a sign nobody said
        ("Fly there.", "Graz", False),
        ("Fly there.", True, False),
    ],
)
def test_a_value_is_exact_where_it_stands_once_as_it_is(user: str, value: JsonValue, is_exact: bool) -> None:
    found = said(user=user, place=value)
    described = found.tools[0].definition | {
        "parameters": {"properties": {"place": {"description": "with #"}}}
    }
    found = found.model_copy(update={"tools": (Tool(definition=described),)})
    assert exact_paths(Dialogue(found), 0, step=0) == ({"/place"} if is_exact else set())


def test_a_value_that_an_observation_repeats_is_not_exact_any_more() -> None:
    steps = (call("act", {"seen": "Graz"}, place="Graz"), call("act", place="Graz"), answer())
    dialogue = Dialogue(case(task(*steps, user="Fly to Graz.", edges=[(0, 1)])))
    assert exact_paths(dialogue, 0, step=0) == {"/place"}
    assert exact_paths(dialogue, 0, step=1) == set()


def test_own_proposals_hold() -> None:
    assert broken_citations(clean_case(), all_evidence(clean_case())) == ()


def test_a_day_after_a_stay_holds_although_its_words_stand_apart() -> None:
    found = said(user="From 4 March for three nights.", now="2026-03-02", until="2026-03-07")
    assert broken_citations(found, propose_evidence(found, 0)) == ()


def reasons(found: Case, citations: tuple[Citation, ...]) -> list[str]:
    return [broken.reason for broken in broken_citations(found, citations)]


def test_a_citation_breaks_when_its_source_says_something_else() -> None:
    evidence = propose_evidence(said(user="Weather in Graz?", city="Graz"), 0)
    edited = set_user_text(said(user="Weather in Graz?", city="Graz"), 0, text="Weather in Linz?")
    assert reasons(edited, evidence) == ['It says "Linz", which does not hold "Graz".']


def test_a_citation_breaks_when_the_value_changes() -> None:
    evidence = propose_evidence(clean_case(), 0)
    edited = set_argument_value(clean_case(), 0, step=0, path="/origin", value="Wien")
    assert len(reasons(edited, evidence)) == 1


def test_a_citation_breaks_when_now_moves() -> None:
    evidence = propose_evidence(clean_case(), 0)
    edited = set_now(clean_case(), "2026-04-02 09:00:00")
    assert [broken.citation.path for broken in broken_citations(edited, evidence)] == ["/date"]


@pytest.mark.parametrize("blank", ["", "  ", "-"])
def test_a_citation_of_a_value_that_was_emptied_is_broken(blank: str) -> None:
    found = said(user="Weather in Graz?", city="Graz")
    emptied = set_argument_value(found, 0, step=0, path="/city", value=blank)
    assert [broken.citation.path for broken in broken_citations(emptied, [proposed(found)])] == ["/city"]


def test_a_citation_breaks_when_its_place_or_its_argument_is_gone() -> None:
    evidence = propose_evidence(clean_case(), 0)
    emptied = set_observation(clean_case(), 0, step=0, observation={})
    assert reasons(emptied, evidence) == ["The place it was cited from is gone."]
    assert len(reasons(delete_step(clean_case(), 0, step=1), evidence)) == 2


def test_a_mark_holds_as_long_as_its_argument_is_there() -> None:
    mark = Citation(task=0, step=0, path="/origin", source=SourceMark.WORLD)
    edited = set_argument_value(clean_case(), 0, step=0, path="/origin", value="Wien")
    assert broken_citations(edited, [mark]) == ()


def test_citations_follow_inserted_and_moved_steps() -> None:
    evidence = all_evidence(clean_case())
    edited = insert_step(clean_case(), 0, index=0, step=call("findTrain"))
    moved = follow_citations(evidence, before=clean_case(), after=edited)
    assert broken_citations(edited, moved) == ()
    assert [(c.step, c.path) for c in moved if c.task == 0][-1] == (2, "/seat")
    again = move_step(edited, 0, step=1, to=0)
    assert broken_citations(again, follow_citations(moved, before=edited, after=again)) == ()


def test_citations_follow_moved_tasks() -> None:
    evidence = all_evidence(clean_case())
    edited = insert_task(move_task(clean_case(), 2, to=0), 0)
    moved = follow_citations(evidence, before=clean_case(), after=edited)
    assert len(moved) == len(evidence)
    assert broken_citations(edited, moved) == ()


def test_citations_of_deleted_calls_and_sources_go() -> None:
    evidence = all_evidence(clean_case())
    edited = delete_task(clean_case(), 0)
    moved = follow_citations(evidence, before=clean_case(), after=edited)
    assert {(citation.task, citation.path) for citation in moved} == {(0, "/date")}


def test_citations_follow_through_a_split_and_a_merge() -> None:
    base = case(
        task(call("a", x="Graz"), ask("When?", "Friday"), call("b", y="Graz"), answer(), user="In Graz")
    )
    evidence = propose_evidence(base, 0)
    apart = split_task(base, 0, step=1)
    moved = follow_citations(evidence, before=base, after=apart)
    assert [(citation.task, citation.step) for citation in moved] == [(0, 0), (1, 0)]
    together = merge_tasks(apart, 0)
    again = follow_citations(moved, before=apart, after=together)
    assert [(citation.task, citation.step) for citation in again] == [(0, 0), (0, 2)]


@given(st.integers(0, 3), st.integers(0, 2))
def test_an_insert_and_a_delete_bring_every_citation_back(t: int, index: int) -> None:
    before = clean_case()
    if index >= len(before.tasks[t].steps):
        return
    evidence = all_evidence(before)
    inserted = insert_step(before, t, index=index, step=call("new"))
    there = follow_citations(evidence, before=before, after=inserted)
    deleted = delete_step(inserted, t, step=index)
    assert follow_citations(there, before=inserted, after=deleted) == evidence


def test_an_edge_is_suggested_with_the_value_and_its_place() -> None:
    bare = remove_edge(clean_case(), 0, source=0, target=1)
    (suggestion,) = suggest_edges(bare, 0)
    assert (suggestion.edge.pair, suggestion.edge.kind) == ((0, 1), EdgeKind.PARAMETER)
    assert suggestion.reason == 'trainId "RX-881" comes from step 0\'s observation /trains/0/trainId.'


def test_nothing_is_suggested_where_a_path_is_drawn() -> None:
    assert suggest_edges(clean_case(), 0) == ()


def test_a_reply_that_brings_a_value_suggests_an_edge() -> None:
    found = case(task(ask("Where?", "In Graz."), call("act", city="Graz"), answer(), user="Weather?"))
    assert [s.reason for s in suggest_edges(found, 0)] == ['city "Graz" comes from the reply to step 0.']


def test_an_edge_that_two_suggestions_imply_is_left_out() -> None:
    found = case(
        task(
            call("a", {"id": "K-77123"}),
            call("b", {"key": "M-99881"}, id="K-77123"),
            call("c", "ok", id="K-77123", key="M-99881"),
            answer(),
            user="Go.",
        )
    )
    assert [s.edge.pair for s in suggest_edges(found, 0)] == [(0, 1), (1, 2)]


def test_a_value_inside_a_longer_text_and_a_rounded_one_flow_too() -> None:
    found = case(
        task(
            call("measure", {"kilometres": 980.25, "gallons": 39.6258}),
            call("tell", text="It is 980.25 km away."),
            call("fill", amount=39.63),
            answer(),
            user="Go.",
        )
    )
    assert [s.reason for s in suggest_edges(found, 0)] == [
        "text contains 980.25 from step 0's observation /kilometres.",
        "amount 39.63 is 39.6258 from step 0's observation /gallons, rounded.",
    ]


def test_small_numbers_flow_only_between_like_names() -> None:
    listed: JsonValue = {"count": 3, "id": 4}
    found = case(
        task(call("list", listed), call("open", ticket_id=4), call("wait", days=3), answer(), user="Go.")
    )
    assert [s.edge.pair for s in suggest_edges(found, 0)] == [(0, 1)]


def test_a_small_id_flows_from_the_list_of_the_same_kind_of_thing() -> None:
    # both observations hold an id 1; a hut's id is a hut's
    valleys: dict[str, JsonValue] = {"valleys": [{"id": 1, "name": "Sel"}]}
    huts: dict[str, JsonValue] = {"huts": [{"id": 1, "name": "Finsbu"}]}
    found = case(
        task(
            call("listValleys", valleys), call("listHuts", huts), call("book", hutId=1), answer(), user="Go."
        )
    )
    assert [suggestion.edge.pair for suggestion in suggest_edges(found, 0)] == [(1, 2)]


def test_a_value_the_first_call_was_made_with_does_not_flow_from_it() -> None:
    echoed = task(
        call("price", {"symbol": "OMEG"}, symbol="OMEG"), call("buy", symbol="OMEG"), user="Buy Omega."
    )
    assert suggest_edges(case(echoed), 0) == ()


@pytest.mark.parametrize(
    ("parameter", "path", "is_same"),
    [
        ("location_id", "/location/id", True),
        ("location_id", "/locations/0/id", True),
        ("address_id", "/address/id", True),
        ("city_id", "/cities/2/id", True),
        ("location_id", "/stations/0/id", False),
        ("id", "/id", True),
    ],
)
def test_a_list_in_the_plural_names_what_its_items_are(parameter: str, path: str, is_same: bool) -> None:
    assert are_named_the_same(parameter, path) is is_same


def test_what_the_system_text_says_is_known_of_before() -> None:
    line: JsonObject = {
        "id": "c-1",
        "messages": [
            {"role": "system", "content": "You serve account AB-4711."},
            {"role": "user", "content": "What do I owe?"},
            {"role": "assistant", "content": "Nothing."},
        ],
    }
    found = openai.decode(line, file="f", line=1)
    (passage,) = Dialogue(found).system
    assert passage.speaker is Speaker.SYSTEM
    assert passage.content == "You serve account AB-4711."
    assert Dialogue(said(user="Hello")).system == ()
