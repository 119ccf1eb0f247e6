"""How the places two people changed differently are named, and what each of them says there."""

import pytest

from annotator.cases.versions.conflicts import Clash, SideValue
from annotator.drafts.clash_words import clash_message, clash_place, compared_texts, place_words, side_words
from tests.annotator.drafts.cases import parcel_case


@pytest.mark.parametrize(
    ("clash", "place"),
    [
        (Clash(field="order"), "The order of the tasks"),
        (Clash(field="language"), "The case: language"),
        (Clash(field="task", task=1), "Task 2"),
        (Clash(field="step", task=0, step=1), "Task 1, step 1 (reroute)"),
        (Clash(field="user", task=0), "Task 1: the request"),
        (Clash(field="edge", task=0, edge=(0, 1)), "Task 1: dependency 0 → 1"),
        (Clash(field="arguments", task=0, step=1, path="/depot"), "Task 1, step 1 (reroute): depot"),
        (Clash(field="arguments", task=0, step=1), "Task 1, step 1 (reroute): arguments"),
        (Clash(field="observation", task=0, step=0), "Task 1, step 0 (findParcel): the observation"),
        (
            Clash(field="observation", task=0, step=0, path="/at/depot"),
            "Task 1, step 0 (findParcel): the observation · at.depot",
        ),
        (Clash(field="reply", task=1, step=0), "Task 2, step 0: the reply"),
    ],
)
def test_a_clash_is_named_by_its_place(clash: Clash, place: str) -> None:
    assert clash_place(clash, parcel_case()) == place
    assert clash_message(clash, parcel_case()).startswith(f"{place}, changed by both.")


@pytest.mark.parametrize(("task", "step"), [(0, 3), (2, 0)])
def test_a_place_behind_the_end_is_named_by_its_numbers(task: int, step: int) -> None:
    assert place_words(parcel_case(), task, step) == f"Task {task + 1}, step {step}"


@pytest.mark.parametrize(
    ("field", "said", "words"),
    [
        ("step", None, "removed"),
        ("task", None, "removed"),
        ("task", SideValue(), "changed"),
        ("step", SideValue(), "changed or connected"),
        ("user", None, "nothing"),
        ("user", SideValue(value="To Lom."), "To Lom."),
        ("arguments", SideValue(value={"depot": "Lom"}), '{"depot": "Lom"}'),
        ("order", SideValue(value=[1, 0]), "1 0"),
        ("text", SideValue(value="x" * 240), "x" * 240),
        ("text", SideValue(value="x" * 241), "x" * 240 + "…"),
    ],
)
def test_a_side_is_told_in_a_few_words(field: str, said: SideValue | None, words: str) -> None:
    assert side_words(Clash(field=field), said) == words


@pytest.mark.parametrize(
    ("mine", "theirs", "is_compared"),
    [("a" * 40, "b", False), ("a" * 41, "b", True), ("a", "b" * 41, True), ("a" * 41, None, False)],
)
def test_texts_are_compared_where_one_is_too_long_for_a_glance(
    mine: str, theirs: str | None, is_compared: bool
) -> None:
    clash = Clash(field="text", mine=SideValue(value=mine), theirs=SideValue(value=theirs))
    assert compared_texts(clash) == ((theirs, mine) if is_compared else None)
    assert compared_texts(clash.model_copy(update={"theirs": None})) is None
