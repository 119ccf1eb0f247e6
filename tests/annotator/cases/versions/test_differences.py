"""Differences say what changed, and nothing where nothing did."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from annotator.cases.edits.edge_edits import add_edge, remove_edge, set_edge_kind
from annotator.cases.edits.step_edits import delete_step, insert_step
from annotator.cases.edits.task_edits import delete_task, insert_task
from annotator.cases.edits.text_edits import (
    set_answer_text,
    set_argument_value,
    set_ask,
    set_information,
    set_now,
    set_observation,
    set_policy,
    set_tool,
    set_user_text,
)
from annotator.cases.versions.case_diff import case_diff
from annotator.cases.versions.differences import Change, DiffSegment, PieceKind, json_diff, word_diff
from scoring.model.case import Case, dump_case
from scoring.model.record import canonical_bytes
from scoring.model.taxonomy import EdgeKind, Information, Policy
from scoring.texts import tr
from tests.annotator.cases.clean import clean_case
from tests.factories import call

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-2, 2) | st.text("ab", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("ab/~", max_size=2), inner, max_size=4)
    ),
    max_leaves=12,
)


def test_a_changed_word_is_removed_and_added_between_the_same() -> None:
    assert word_diff("The red car", "The blue car") == (
        DiffSegment(kind=PieceKind.SAME, text="The "),
        DiffSegment(kind=PieceKind.REMOVED, text="red"),
        DiffSegment(kind=PieceKind.ADDED, text="blue"),
        DiffSegment(kind=PieceKind.SAME, text=" car"),
    )


def test_chinese_is_compared_character_by_character() -> None:
    assert [piece.text for piece in word_diff("明天去北京", "明天去南京")] == ["明天去", "北", "南", "京"]


def test_two_empty_texts_have_no_pieces() -> None:
    assert word_diff("", "") == ()


def test_long_texts_are_compared_by_lines() -> None:
    lines = [f"line {i} with a few words" for i in range(3_000)]
    changed = [*lines[:1_500], "another line", *lines[1_501:]]
    found = word_diff("\n".join(lines), "\n".join(changed))
    assert [piece.kind for piece in found] == [
        PieceKind.SAME,
        PieceKind.REMOVED,
        PieceKind.ADDED,
        PieceKind.SAME,
    ]


@given(st.text("ab .\n北", max_size=30), st.text("ab .\n北", max_size=30))
def test_the_pieces_rebuild_both_texts(a: str, b: str) -> None:
    pieces = word_diff(a, b)
    assert "".join(p.text for p in pieces if p.kind is not PieceKind.ADDED) == a
    assert "".join(p.text for p in pieces if p.kind is not PieceKind.REMOVED) == b
    assert all(one.kind is not other.kind for one, other in pairwise(pieces))


def test_json_changes_name_their_places() -> None:
    before: JsonValue = {"city": "Graz", "legs": [{"to": "x"}, {"to": "y"}], "old": 1}
    after: JsonValue = {"city": "Linz", "legs": [{"to": "w"}, {"to": "x"}, {"to": "y"}], "new": None}
    assert json_diff(before, after) == (
        Change(kind="changed", path="/city", before="Graz", after="Linz"),
        Change(kind="added", path="/legs/0", after={"to": "w"}),
        Change(kind="removed", path="/old", before=1),
        Change(kind="added", path="/new", after=None),
    )


def test_the_order_of_keys_is_no_change_and_a_type_is() -> None:
    assert json_diff({"a": 1, "b": 2}, {"b": 2, "a": 1}) == ()
    assert json_diff({"a": 1}, {"a": True}) == (Change(kind="changed", path="/a", before=1, after=True),)


@given(JSON, JSON)
def test_json_changes_are_empty_exactly_for_equal_values(a: JsonValue, b: JsonValue) -> None:
    assert (json_diff(a, b) == ()) == (canonical_bytes(a) == canonical_bytes(b))


BASE = clean_case()


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (set_user_text(BASE, 1, text="Back?"), [("task 1 user", "text")]),
        (set_policy(BASE, 3, policy=Policy.CHAT), [("task 3 policy", "label")]),
        (set_information(BASE, 3, information=Information.OMISSION), [("task 3 information", "label")]),
        (set_now(BASE, "2026-01-01"), [("now", "label")]),
        (set_now(BASE, "2026-01-01", task=1), [("task 1 now", "label")]),
        (set_answer_text(BASE, 2, text="Never."), [("task 2 step 0 text", "text")]),
        (set_ask(BASE, 1, step=0, reply="Today"), [("task 1 step 0 reply", "text")]),
        (set_ask(BASE, 1, step=0, asks_for=[]), [("task 1 step 0 asks_for", "json")]),
        (
            set_argument_value(BASE, 0, step=0, path="/origin", value="Wien"),
            [("task 0 step 0 arguments", "json")],
        ),
        (set_observation(BASE, 0, step=1, observation=None), [("task 0 step 1 observation", "json")]),
        (
            set_tool(BASE, 3, step=0, name="bookTrain"),
            [("task 3 step 0 name", "label"), ("task 3 step 0 arguments", "json")],
        ),
        (
            set_edge_kind(BASE, 0, source=0, target=1, kind=EdgeKind.PARAMETER),
            [("task 0 edge 0-1", "edge")],
        ),
        (
            remove_edge(BASE, 0, source=0, target=1),
            [("task 0 edge 0-1", "edge")],  # that call 0 leads into the answer now nobody drew
        ),
        (insert_task(BASE, 1), [("task 1", "added")]),
        (delete_task(BASE, 1), [("task 1", "removed")]),
        (
            insert_step(BASE, 3, index=0, step=call("findTrain")),
            [("task 3 step 0", "added")],
        ),
        (delete_step(BASE, 1, step=1), [("task 1 step 1", "removed")]),
        (BASE.model_copy(update={"tools": BASE.tools[:2]}), [("the tool cancelBooking", "removed")]),
    ],
)
def test_every_changed_field_of_a_case_is_named(after: Case, expected: list[tuple[str, str]]) -> None:
    assert [(change.where, change.kind) for change in case_diff(BASE, after)] == expected


@pytest.mark.usefixtures("said_in_chinese")
@pytest.mark.parametrize(
    ("after", "said"),
    [
        (set_user_text(BASE, 1, text="Back?"), "任务 1 user"),
        (
            set_argument_value(BASE, 0, step=0, path="/origin", value="Wien"),
            "任务 0，步骤 0 arguments",
        ),
        (remove_edge(BASE, 0, source=0, target=1), "任务 0 边 0-1"),
        (delete_task(BASE, 1), "任务 1"),
        (delete_step(BASE, 1, step=1), "任务 1，步骤 1"),
        (BASE.model_copy(update={"tools": BASE.tools[:2]}), "工具 cancelBooking"),
    ],
)
def test_the_place_of_a_change_is_said_whole_but_for_the_key_of_its_field(after: Case, said: str) -> None:
    assert [tr(change.where) for change in case_diff(BASE, after)] == [said]


def test_a_change_holds_both_values() -> None:
    (change,) = case_diff(BASE, set_policy(BASE, 3, policy=Policy.CHAT))
    assert (change.before, change.after, change.task, change.field) == ("single", "chat", 3, "policy")


def test_what_was_inserted_says_which_task_and_step_it_is() -> None:
    (change,) = case_diff(BASE, insert_step(BASE, 3, index=0, step=call("findTrain")))
    assert (change.task, change.step, change.field) == (3, 0, "steps")
    (change,) = case_diff(BASE, insert_task(BASE, 1))
    assert (change.task, change.step, change.field) == (1, None, "tasks")


def test_a_deleted_task_is_shown_whole_as_a_case_file_has_it() -> None:
    (change,) = case_diff(BASE, delete_task(BASE, 0))
    written = dump_case(BASE)["tasks"]
    assert isinstance(written, list)
    assert change.before == written[0]


def test_what_stands_beside_the_content_is_no_change() -> None:
    assert case_diff(BASE, BASE.model_copy(update={"extras": {"x": 1}})) == ()


def test_edges_of_shifted_steps_are_no_change() -> None:
    base = add_edge(insert_step(BASE, 0, index=2, step=call("cancelBooking")), 0, source=1, target=2)
    shifted = insert_step(base, 0, index=0, step=call("findTrain"))
    assert [change.where for change in case_diff(base, shifted)] == ["task 0 step 0"]


def test_edges_into_an_answer_which_nobody_draws_are_no_change() -> None:
    found = BASE.tasks[0]
    early = found.model_copy(update={"edges": found.drawn_edges})
    as_filed = BASE.model_copy(update={"tasks": (early, *BASE.tasks[1:])})
    assert as_filed.tasks[0].edges != found.edges
    assert case_diff(as_filed, BASE) == ()
