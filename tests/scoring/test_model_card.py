"""The card of a model: what it takes, what it says, and which group a run is in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from scoring.model.taxonomy import Grouping, ModelKind, Thinking
from scoring.model_card import ModelCard, group_of

CARD = ModelCard(
    model="qm-72b",
    size=72,
    active_size=12.5,
    kind=ModelKind.OPEN,
    thinking=Thinking.OFF,
    guessed=("size", "kind"),
)


def test_a_card_says_what_is_known_and_what_of_it_is_guessed() -> None:
    assert CARD.note == "72 B (guessed) · 12.5 B active · open (guessed) · thinking off"
    assert ModelCard(model="m").note == ""


@pytest.mark.parametrize(
    ("typed", "size"), [("72B", 72), (" 0.5 b", 0.5), ("unknown", None), ("", None), (7, 7), (None, None)]
)
def test_a_size_is_a_number_of_billions_or_unknown(typed: object, size: float | None) -> None:
    assert ModelCard.model_validate({"model": "m", "size": typed}).size == size


@pytest.mark.parametrize("written", ["2025-03", "March 2025", 2025, "03-05-2025"])
def test_a_date_that_is_written_otherwise_is_refused_with_the_form_it_has(written: object) -> None:
    with pytest.raises(ValidationError, match="a date is written like 2026-05-01"):
        ModelCard.model_validate({"model": "m", "released": written})


@pytest.mark.parametrize(
    "smallest",
    [
        {"size": 0.1},
        {"active_size": 0.5},
        {"temperature": 0},
        {"max_tokens": 1},
        {"prompt_price": 0, "completion_price": 0},
    ],
)
def test_a_small_model_a_short_reply_and_no_price_are_values(smallest: dict[str, float]) -> None:
    card = ModelCard.model_validate({"model": "m", **smallest})
    assert {name: getattr(card, name) for name in smallest} == smallest


@pytest.mark.parametrize(
    "wrong",
    [{"temperature": -0.1}, {"max_tokens": 0}, {"prompt_price": -1}, {"completion_price": -1}],
)
def test_nothing_is_less_than_nothing(wrong: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        ModelCard.model_validate({"model": "m", **wrong})


@pytest.mark.parametrize(
    "wrong",
    [
        {"size": 0},
        {"size": "nan"},
        {"size": 7, "active_size": 8},
        {"kind": "ajar"},
        {"released": 2026},
        {"released": "2026"},
        {"released": "soon-ish"},
        {"model": ""},
        {"maker": "two\nlines"},
        {"guessed": ["weight"]},
        {"weight": 7},
    ],
)
def test_what_does_not_fit_is_refused(wrong: dict[str, object]) -> None:
    values = {"model": "m", **wrong}
    with pytest.raises(ValidationError):
        ModelCard.model_validate(values)
    assert ModelCard.readable(values) is None


def test_what_is_said_anew_is_not_guessed_any_more() -> None:
    card = CARD.with_values({"size": "70B"})
    assert (card.size, card.guessed) == (70, ("kind",))


def test_what_a_run_was_asked_under_counts_before_the_card() -> None:
    card = ModelCard(model="m", temperature=1.0, seed=3)
    asked = card.under({"tools": "prompt", "sampling": {"temperature": 0.0, "max_tokens": 512, "seed": None}})
    assert asked.note == "prompt interface · temperature 0 · at most 512 tokens · seed 3"
    # Words that are not ours say nothing.
    assert card.under({"tools": "xml", "sampling": {"temperature": "hot"}}) == card


def test_runs_are_grouped_with_unknown_ones_last() -> None:
    every = list(Grouping)
    runs = {
        "known": CARD.with_values({"family": "qm"}),
        "closed": ModelCard(model="o", kind=ModelKind.CLOSED),
        "none": None,
    }
    places = {name: group_of(card, every) for name, card in runs.items()}
    assert [words for _, words in places["known"]] == ["open", "qm", "above 40 B", "thinking off"]
    unknown = ["kind unknown", "family unknown", "size unknown", "thinking unknown"]
    assert [words for _, words in places["none"]] == unknown
    assert sorted(runs, key=places.__getitem__) == ["closed", "known", "none"]


@pytest.mark.parametrize(("size", "words"), [(4, "up to 4 B"), (4.1, "4 to 10 B"), (40, "10 to 40 B")])
def test_a_size_class_holds_its_upper_bound(size: float, words: str) -> None:
    assert group_of(ModelCard(model="m", size=size), [Grouping.SIZE])[0][1] == words


@given(
    st.builds(
        ModelCard,
        model=st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1, max_size=30),
        size=st.none() | st.floats(0.001, 10_000),
        active_size=st.none(),
        kind=st.none() | st.sampled_from(ModelKind),
        released=st.none() | st.dates(),
        maker=st.just("R&D_{50%} \\ <b>|`*"),
        prompt_price=st.none() | st.floats(0, 1000),
        temperature=st.none() | st.floats(0, 2),
        max_tokens=st.none() | st.integers(1, 10**9),
        seed=st.none() | st.integers(-(10**9), 10**9),
        completion_price=st.none(),
        guessed=st.just(("maker",)),
    )
)
def test_what_is_written_is_read_again(card: ModelCard) -> None:
    assert ModelCard.readable(card.dump()) == card
