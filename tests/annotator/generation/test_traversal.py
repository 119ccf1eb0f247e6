"""Sequences of policies: all, what is missing first, drawn evenly and repeated; and seeds."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product
from pathlib import Path
from random import Random

import pytest

from annotator.generation.plan import Policies
from annotator.generation.traversal import (
    all_sequences,
    drawn_evenly,
    missing_sequences,
    seed_of,
    wanted_sequences,
)
from annotator.project.creation import create_workspace
from scoring.errors import InputError
from scoring.measures.coverage import MAIN_TYPES, Route, routes
from tests.annotator.generation.scripted_run import plan_for


def missing(gaps: Sequence[Route], *, tasks: int, seed: int = 0) -> tuple[Route, ...]:
    """The sequences that fill gaps."""
    return missing_sequences(gaps, tasks=tasks, draw=Random(seed))


def unevenness(drawn: Sequence[Route], every: Sequence[Route]) -> int:
    """The largest difference between the counts of two labels at one position."""
    found = 0
    for labels, those in zip(zip(*drawn, strict=True), zip(*every, strict=True), strict=True):
        counts = [Counter(labels)[label] for label in set(those)]
        found = max(found, max(counts) - min(counts))
    return found


def test_all_sequences_of_four_are_256_each_type_64_times_a_place() -> None:
    found = all_sequences(4)
    assert len(set(found)) == 256
    assert found[:2] == (("single",) * 4, ("single", "single", "single", "multi"))
    assert all(sum(route[i] == "chat" for route in found) == 64 for i in range(4))


def test_full_sequences_fill_every_shorter_gap_and_the_first_fill_most() -> None:
    found = missing(tuple(routes(3)), tasks=3)
    assert sorted(found) == sorted(all_sequences(3))
    assert len({route[:1] for route in found[:4]}) == 4
    assert len({route[:2] for route in found[:16]}) == 16


def test_only_what_is_missing_is_made() -> None:
    gaps = [("chat", "multi"), *(("chat", "multi", last) for last in ("single", "multi", "clarify", "chat"))]
    assert {route[:2] for route in missing(gaps, tasks=3)} == {("chat", "multi")}
    assert missing([], tasks=3) == ()


def test_what_is_not_counted_is_no_gap() -> None:
    with pytest.raises(InputError):
        missing([], tasks=5)


def test_sequences_are_drawn_or_begun_again() -> None:
    two = (("single",), ("chat",))
    assert drawn_evenly(two, None, Random(0)) == two
    assert drawn_evenly(two, 3, Random(0)) == (("single",), ("chat",), ("single",))
    assert drawn_evenly((), 3, Random(0)) == ()


@pytest.mark.parametrize("policies", [Policies.ALL, Policies.MISSING])
@pytest.mark.parametrize("seed", [0, 7, 4711])
def test_any_number_of_dialogues_has_even_labels_at_every_position_and_no_sequence_twice(
    policies: Policies, seed: int, tmp_path: Path
) -> None:
    workspace = create_workspace(str(tmp_path / "p.db"), name="p")
    every = all_sequences(4)
    for count in range(5, 257):
        plan = plan_for("http://127.0.0.1:9/v1", tasks=4, policies=policies, count=count, seed=seed)
        drawn = wanted_sequences(workspace, plan)
        assert (len(drawn), len(set(drawn))) == (count, count)
        assert unevenness(drawn, every) <= 1, count
    workspace.close()


@pytest.mark.parametrize(("tasks", "count"), [(4, 301), (2, 7), (6, 101), (12, 41)])
def test_dialogues_of_any_length_and_number_are_even(tasks: int, count: int, tmp_path: Path) -> None:
    workspace = create_workspace(str(tmp_path / "p.db"), name="p")
    drawn = wanted_sequences(workspace, plan_for("http://127.0.0.1:9/v1", tasks=tasks, count=count))
    assert (len(drawn), unevenness(drawn, [(label,) * tasks for label in MAIN_TYPES])) == (count, 1)
    workspace.close()


def test_of_any_set_a_draw_is_as_even_as_the_evenest_of_all() -> None:
    """Compared with every possible draw of small sets of sequences."""
    random = Random(5)
    for _ in range(300):
        every = list(product(MAIN_TYPES[: random.choice((2, 3, 4))], repeat=random.choice((2, 3))))
        given = random.sample(every, min(len(every), random.randint(3, 10)))
        count = random.randint(1, len(given) - 1)
        least = min(unevenness(drawn, given) for drawn in combinations(given, count))
        assert unevenness(drawn_evenly(given, count, Random(1)), given) <= max(1, least), (given, count)


def test_an_even_draw_of_what_is_missing_still_fills_the_shorter_gaps_first() -> None:
    drawn = drawn_evenly(missing(tuple(routes(4)), tasks=4), 40, Random(0))
    filled = {route[:length] for route in drawn for length in range(1, 5)}
    assert [sum(len(route) == length for route in filled) for length in (1, 2)] == [4, 16]
    assert len(filled) > 90


def test_a_seed_is_the_same_everywhere_and_another_for_every_attempt() -> None:
    assert seed_of(7, 0, 1) == seed_of(7, 0, 1)
    assert len({seed_of(7, dialogue, attempt) for dialogue in range(50) for attempt in range(5)}) == 250
    assert 0 <= seed_of(7, 0, 1) < 2**31
