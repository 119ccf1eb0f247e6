"""Ids of copies: like those around them, whatever these look like, and nobody's."""

import random

import pytest

from annotator.review.attention.copy_ids import id_like

TEXTS = ("Book me a flight to Oslo tomorrow.", "Which hotel has a sauna?")


def drawn(like: str, near: list[str], *, taken: tuple[str, ...] = (), seed: int = 1) -> str:
    """The id of a copy given in place of `like`."""
    names = {*near, *taken}
    return id_like(like, near=near, texts=TEXTS, is_taken=names.__contains__, chance=random.Random(seed))


@pytest.mark.parametrize("seed", range(20))
def test_a_number_lies_among_those_around_it(seed: int) -> None:
    near = [f"trip-{number:03d}" for number in range(100, 200, 3)]
    name = drawn("trip-130", near, seed=seed)
    assert name.startswith("trip-1")
    assert 100 <= int(name[5:]) <= 230
    assert name not in near


@pytest.mark.parametrize("seed", range(20))
def test_behind_numbers_without_a_gap_it_is_one_of_the_next(seed: int) -> None:
    name = drawn("case_7", [f"case_{number}" for number in range(200)], seed=seed)
    assert 200 <= int(name.removeprefix("case_")) < 300


@pytest.mark.parametrize("seed", range(20))
def test_ids_of_words_are_put_together_from_their_pieces(seed: int) -> None:
    near = ["oslo-flight", "bergen-hotel", "hamar-train", "voss-refund"]
    name = drawn("oslo-flight", near, seed=seed)
    first, second = name.split("-")
    assert first in {"oslo", "bergen", "hamar", "voss"}
    assert second in {"flight", "hotel", "train", "refund"}
    assert name not in near


@pytest.mark.parametrize("seed", range(20))
def test_a_number_that_is_no_count_stays(seed: int) -> None:
    assert drawn("gpt4_weather", ["gpt4_weather", "claude3_orders"], seed=seed) in {
        "gpt4_orders",
        "claude3_weather",
    }


@pytest.mark.parametrize("seed", range(20))
def test_one_word_becomes_another_that_people_use_there(seed: int) -> None:
    words = {"Book", "Flight", "Oslo", "Tomorrow", "Which", "Hotel", "Sauna"}
    assert drawn("Parcel", ["Parcel", "Weather"], seed=seed) in words
    assert drawn("PARCEL", ["PARCEL"], seed=seed) in {word.upper() for word in words}


@pytest.mark.parametrize("seed", range(20))
def test_a_digest_has_the_length_and_the_letters_of_the_others(seed: int) -> None:
    near = ["3f9a01bc77d2e410", "90b1c2d3e4f5a6b7", "0011223344556677"]
    name = drawn(near[0], near, seed=seed)
    assert len(name) == 16
    assert set(name) <= set("0123456789abcdef")
    assert name not in near


def test_the_only_case_of_a_batch_and_one_whose_every_neighbour_is_taken_get_an_id_all_the_same() -> None:
    assert drawn("weather", ["weather"]) != "weather"
    every = [word.lower() for text in TEXTS for word in text.replace(".", "").replace("?", "").split()]
    assert drawn("weather", ["weather"], taken=tuple(every)) == "weather-2"
    assert drawn("7", ["7"]) == "7-2"
    long = "x" * 200
    assert len(drawn(long, [long])) <= 200
