"""How much of the switching space a set of cases covers."""

from collections.abc import Iterable
from itertools import islice, product

import pytest

from scoring.measures.coverage import Route, related_tasks, routes, switching_space_coverage
from scoring.model.taxonomy import Information, Policy
from tests.factories import answer, case, task

POLICY = {
    "single": Policy.SINGLE,
    "multi": Policy.MULTI_MIXED,
    "clarify": Policy.CLARIFY,
    "chat": Policy.CHAT,
}


def dialogues(found: Iterable[Route]) -> list[list[Policy | None]]:
    return [[POLICY[name] for name in route] for route in found]


def test_the_full_design_covers_everything() -> None:
    found = switching_space_coverage(dialogues(product(POLICY, repeat=4)))
    assert (found.total.count, found.total.total) == (340, 340)
    assert (found.switching.count, found.switching.total) == (336, 336)
    assert found.missing == ()
    assert found.cases["single",] == 64


def test_the_published_comparison_comes_out() -> None:
    # scoring 5.7: 100 %, 75 %, 53 %, 33 % per length give (4 + 12 + 34 + 85) / 340 = 39.7 %
    pairs = list(product(POLICY, repeat=2))[:12]
    triples = [route for route in product(POLICY, repeat=3) if route[:2] in pairs][:34]
    fours = [route for route in product(POLICY, repeat=4) if route[:3] in triples][:85]
    singles = list(product(POLICY, repeat=1))
    found = switching_space_coverage(dialogues([*singles, *pairs, *triples, *fours]))
    assert [rate.count for rate in found.by_length.values()] == [4, 12, 34, 85]
    assert found.total.value == pytest.approx(0.397, abs=0.0005)
    assert found.switching.count == 131


def test_three_single_types_cover_three_of_340() -> None:
    # scoring 5.7: 3/340 = 0.9 %
    found = switching_space_coverage(dialogues(islice(product(POLICY, repeat=1), 3)))
    assert found.total.percent == "0.88"


def test_every_prefix_counts_and_an_unknown_policy_ends_it() -> None:
    found = switching_space_coverage([[Policy.SINGLE, Policy.CHAT, None, Policy.CHAT]])
    assert found.cases == {("single",): 1, ("single", "chat"): 1}
    assert len(found.missing) == 338


def test_tasks_beyond_the_longest_prefix_are_left_out() -> None:
    found = switching_space_coverage([[Policy.CHAT] * 6], longest=2)
    assert found.cases == {("chat",): 1, ("chat", "chat"): 1}
    assert found.total.total == 20


def test_nothing_covers_nothing() -> None:
    found = switching_space_coverage([])
    assert (found.total.value, found.cases) == (0.0, {})
    assert len(found.missing) == len(list(routes(4))) == 340


def test_related_tasks_are_later_ones_that_need_the_dialogue() -> None:
    one = case(
        task(answer(), information=Information.FIRST),
        task(answer(), information=Information.REFERENCE),
        task(answer(), information=None),
    )
    found = related_tasks([one])
    assert (found.count, found.total) == (1, 2)
    assert related_tasks([case()]).value is None
