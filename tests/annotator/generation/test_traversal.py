"""Sequences of policies: all, what is missing first, cut and repeated; and seeds."""

import pytest

from annotator.generation.traversal import all_sequences, missing_sequences, repeated, seed_of
from scoring.errors import InputError
from scoring.measures.coverage import routes


def test_all_sequences_of_four_are_256_each_type_64_times_a_place() -> None:
    found = all_sequences(4)
    assert len(set(found)) == 256
    assert found[:2] == (("single",) * 4, ("single", "single", "single", "multi"))
    assert all(sum(route[i] == "chat" for route in found) == 64 for i in range(4))


def test_full_sequences_fill_every_shorter_gap_and_the_first_fill_most() -> None:
    found = missing_sequences(routes(3), tasks=3)
    assert sorted(found) == sorted(all_sequences(3))
    assert len({route[:1] for route in found[:4]}) == 4
    assert len({route[:2] for route in found[:16]}) == 16


def test_only_what_is_missing_is_made() -> None:
    gaps = [("chat", "multi"), *(("chat", "multi", last) for last in ("single", "multi", "clarify", "chat"))]
    assert {route[:2] for route in missing_sequences(gaps, tasks=3)} == {("chat", "multi")}
    assert missing_sequences([], tasks=3) == ()


def test_what_is_not_counted_is_no_gap() -> None:
    with pytest.raises(InputError):
        missing_sequences([], tasks=5)


def test_sequences_are_cut_or_begun_again() -> None:
    two = (("single",), ("chat",))
    assert repeated(two, None) == two
    assert repeated(two, 3) == (("single",), ("chat",), ("single",))
    assert repeated((), 3) == ()


def test_a_seed_is_the_same_everywhere_and_another_for_every_attempt() -> None:
    assert seed_of(7, 0, 1) == seed_of(7, 0, 1)
    assert len({seed_of(7, dialogue, attempt) for dialogue in range(50) for attempt in range(5)}) == 250
    assert 0 <= seed_of(7, 0, 1) < 2**31
