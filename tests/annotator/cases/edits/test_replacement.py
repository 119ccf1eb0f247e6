"""Find and replace reaches every text, and nothing that is no text."""

import pytest

from annotator.cases.edits.replacement import find_all, find_and_replace, text_around
from annotator.cases.edits.text_edits import set_accepted
from scoring.errors import InputError
from scoring.model.case import Answer, Ask, Call
from tests.factories import answer, ask, call, case, task, tool


def everywhere() -> tuple[Call, Ask, Answer]:
    return call("Oslo", {"Oslo": ["Oslo!"]}, city="oslo"), ask("In Oslo?", "Oslo."), answer("Oslo it is.")


BASE = case(task(*everywhere(), user="To Oslo"), tools=[tool("Oslo")])


def test_all_texts_are_replaced_and_names_are_not() -> None:
    found = find_and_replace(BASE, "oslo", replacement="Bergen", match_case=False)
    made, asked, said = found.tasks[0].steps
    assert isinstance(made, Call)
    assert isinstance(asked, Ask)
    assert isinstance(said, Answer)
    assert (made.name, made.arguments, made.observation) == (
        "Oslo",
        {"city": "Bergen"},
        {"Oslo": ["Bergen!"]},
    )
    assert (asked.text, asked.reply, said.text) == ("In Bergen?", "Bergen.", "Bergen it is.")
    assert found.tasks[0].user == "To Bergen"


def test_a_replaced_value_loses_what_was_accepted_beside_it() -> None:
    accepting = set_accepted(
        BASE, 0, step=0, accepted={"/city": {"values": ["Kristiania"]}, "/x": {"optional": True}}
    )
    for words, left in (
        ("oslo", {"/x": {"optional": True}}),
        ("In", accepting.tasks[0].calls[0][1].accepted),
    ):
        found = find_and_replace(accepting, words, replacement="Bergen", match_case=True)
        assert found.tasks[0].calls[0][1].accepted == left


def test_case_matters_where_asked_for() -> None:
    found = find_and_replace(BASE, "Oslo", replacement="Bergen", match_case=True)
    made = found.tasks[0].steps[0]
    assert isinstance(made, Call)
    assert (made.arguments, made.observation) == ({"city": "oslo"}, {"Oslo": ["Bergen!"]})


def test_words_and_replacement_are_taken_literally() -> None:
    base = case(task(answer("a.b axb"), user=""))
    found = find_and_replace(base, "a.b", replacement=r"\1", match_case=True)
    assert found.tasks[0].answer == Answer(text=r"\1 axb")


def test_nothing_found_gives_the_same_case() -> None:
    assert find_and_replace(BASE, "Tromsø", replacement="x", match_case=False) is BASE


def test_steps_without_the_words_stay_the_same_objects() -> None:
    base = case(task(call(), answer("Oslo"), user=""))
    found = find_and_replace(base, "Oslo", replacement="x", match_case=True)
    assert found.tasks[0].steps[0] is base.tasks[0].steps[0]


def test_an_empty_needle_is_refused() -> None:
    with pytest.raises(InputError):
        find_and_replace(BASE, "", replacement="x", match_case=True)


def test_finding_names_every_place_with_its_span() -> None:
    hits = find_all(BASE, "oslo", match_case=False)
    assert [(hit.step, hit.field, hit.path, hit.span) for hit in hits] == [
        (None, "user", "", (3, 7)),
        (0, "arguments", "/city", (0, 4)),
        (0, "observation", "/Oslo/0", (0, 4)),
        (1, "text", "", (3, 7)),
        (1, "reply", "", (0, 4)),
        (2, "text", "", (0, 4)),
    ]


def test_only_the_chosen_places_are_replaced() -> None:
    base = case(task(call("look", ["Oslo, Oslo"], city="Oslo"), answer("Oslo to Oslo"), user="Oslo"))
    hits = find_all(base, "Oslo", match_case=True)
    second_words = [hit for hit in hits if hit.span[0] > 0]
    found = find_and_replace(base, "Oslo", replacement="Lom", match_case=True, chosen=second_words)
    made = found.tasks[0].steps[0]
    assert isinstance(made, Call)
    assert (found.tasks[0].user, made.arguments, made.observation) == (
        "Oslo",
        {"city": "Oslo"},
        ["Oslo, Lom"],
    )
    assert found.tasks[0].answer == Answer(text="Oslo to Lom")


def test_a_chosen_place_that_is_gone_is_passed_over() -> None:
    hits = find_all(BASE, "oslo", match_case=False)
    other = case(task(answer("Oslo"), user=""))
    assert find_and_replace(other, "Oslo", replacement="x", match_case=True, chosen=hits) is other


def test_the_text_around_a_place_is_the_whole_text() -> None:
    hits = find_all(BASE, "oslo", match_case=False)
    assert [text_around(BASE, hit) for hit in hits] == [
        "To Oslo",
        "oslo",
        "Oslo!",
        "In Oslo?",
        "Oslo.",
        "Oslo it is.",
    ]
