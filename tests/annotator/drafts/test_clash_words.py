"""How the places two people changed differently are named, and what each of them says there."""

import pytest

from annotator.cases.versions.conflicts import (
    Clash,
    ClashPlace,
    EdgePlace,
    FieldPlace,
    ItemPlace,
    OrderPlace,
    SideValue,
)
from annotator.drafts.clash_words import clash_message, clash_place, compared_texts, place_words, side_words
from tests.annotator.drafts.cases import parcel_case


@pytest.mark.parametrize(
    ("clash", "place"),
    [
        (Clash(place=OrderPlace()), "The order of the tasks"),
        (Clash(place=FieldPlace(field="language")), "The case: language"),
        (Clash(place=ItemPlace(task=1)), "Task 2"),
        (Clash(place=ItemPlace(task=0, step=1)), "Task 1, step 1 (reroute)"),
        (Clash(place=FieldPlace(field="user", task=0)), "Task 1: the request"),
        (Clash(place=EdgePlace(task=0, edge=(0, 1))), "Task 1: dependency 0 → 1"),
        (
            Clash(place=FieldPlace(field="arguments", task=0, step=1, path="/depot")),
            "Task 1, step 1 (reroute): depot",
        ),
        (Clash(place=FieldPlace(field="arguments", task=0, step=1)), "Task 1, step 1 (reroute): arguments"),
        (
            Clash(place=FieldPlace(field="observation", task=0, step=0)),
            "Task 1, step 0 (findParcel): the observation",
        ),
        (
            Clash(place=FieldPlace(field="observation", task=0, step=0, path="/at/depot")),
            "Task 1, step 0 (findParcel): the observation · at.depot",
        ),
        (Clash(place=FieldPlace(field="reply", task=1, step=0)), "Task 2, step 0: the reply"),
    ],
)
def test_a_clash_is_named_by_its_place(clash: Clash, place: str) -> None:
    assert clash_place(clash, parcel_case()) == place
    assert clash_message(clash, parcel_case()).startswith(f"{place}, changed by both.")


@pytest.mark.parametrize(("task", "step"), [(0, 3), (2, 0)])
def test_a_place_behind_the_end_is_named_by_its_numbers(task: int, step: int) -> None:
    assert place_words(parcel_case(), task, step) == f"Task {task + 1}, step {step}"


@pytest.mark.parametrize(
    ("place", "said", "words"),
    [
        (ItemPlace(task=0, step=1), None, "removed"),
        (ItemPlace(task=0), None, "removed"),
        (ItemPlace(task=0), SideValue(), "changed"),
        (ItemPlace(task=0, step=1), SideValue(), "changed or connected"),
        (FieldPlace(field="user", task=0), None, "nothing"),
        (FieldPlace(field="user", task=0), SideValue(value="To Lom."), "To Lom."),
        (FieldPlace(field="arguments"), SideValue(value={"depot": "Lom"}), '{"depot": "Lom"}'),
        (OrderPlace(task=0), SideValue(value=[1, 0]), "1 0"),
        (FieldPlace(field="text"), SideValue(value="x" * 240), "x" * 240),
        (FieldPlace(field="text"), SideValue(value="x" * 241), "x" * 240 + "…"),
    ],
)
def test_a_side_is_told_in_a_few_words(place: ClashPlace, said: SideValue | None, words: str) -> None:
    assert side_words(Clash(place=place), said) == words


@pytest.mark.parametrize(
    ("mine", "theirs", "is_compared"),
    [("a" * 40, "b", False), ("a" * 41, "b", True), ("a", "b" * 41, True), ("a" * 41, None, False)],
)
def test_texts_are_compared_where_one_is_too_long_for_a_glance(
    mine: str, theirs: str | None, is_compared: bool
) -> None:
    clash = Clash(place=FieldPlace(field="text"), mine=SideValue(value=mine), theirs=SideValue(value=theirs))
    assert compared_texts(clash) == ((theirs, mine) if is_compared else None)
    assert compared_texts(clash.model_copy(update={"theirs": None})) is None
