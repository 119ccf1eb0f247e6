"""How many planted wrong golds the list of suspects finds (issue 16): 200 cases, eight scripted models.

In 5 % of the cases the gold names another depot than the one the parcel is at. A model knows the right depot
with its skill, less in hard cases; where it does not, it takes one of the depots the tool names beside it,
some of which tempt more than others. Compared with a random order and with the hardest tasks first.
"""

import json
import random
from collections.abc import Sequence
from statistics import fmean

from pytest_benchmark.fixture import BenchmarkFixture

from scoring.evaluation import score
from scoring.matching.gold import prepare
from scoring.measures.sample import Key
from scoring.measures.suspects import ScoredRun, deed_of, question_gold
from scoring.model.case import Case
from scoring.model.taxonomy import Protocol, Semantics
from scoring.predictions import Prediction, Reply, ToolCall
from scoring.scorecard import Scorecard
from tests.factories import answer, call, case, task, tool

CASES, PLANTED, DRAWS = 200, 10, 10
SKILLS = {
    "atlas-3": 0.95,
    "borealis-2": 0.9,
    "corvus-7b": 0.82,
    "corvus-3b": 0.7,
    "delta-1": 0.75,
    "egret-4": 0.6,
    "fjord-1": 0.45,
    "gale-0": 0.3,
}
DEPOTS = ("Hamar-7", "Hamar-8", "Lier-2", "Moss-1")
"""The first is where the parcels are; the second tempts most."""
ROUTE = tool("reroute", depot={"type": "string"}, required=["depot"])


def _reroute(depot: str) -> Reply:
    return Reply(tool_calls=(ToolCall(name="reroute", arguments=json.dumps({"depot": depot})),))


def _gold(number: int, depot: str) -> Case:
    return case(
        task(call("reroute", {"ok": True}, depot=depot), answer("It goes on."), user="Send it on."),
        id=f"c-{number:03d}",
        tools=[ROUTE],
    )


def _guess(chance: random.Random, skill: float, ease: float) -> str:
    if chance.random() < skill**ease:
        return DEPOTS[0]
    return chance.choices(DEPOTS[1:], weights=(3, 1, 1))[0]


def _play(chance: random.Random, cases: Sequence[Case], eases: Sequence[float]) -> list[ScoredRun]:
    runs = []
    for name, skill in SKILLS.items():
        told = [
            Prediction(
                case=one.id, task=0, replies=(_reroute(_guess(chance, skill, ease)), Reply(content="Done."))
            )
            for one, ease in zip(cases, eases, strict=True)
        ]
        card = _card(cases, told)
        by_case = {one.case: one for one in told}
        deeds: dict[Key, str] = {}
        for one, found in zip(cases, card.tasks, strict=True):
            deed = deed_of(prepare(one, 0), by_case[one.id], profile=found.arguments_profile)
            if deed is not None:
                deeds[one.id, 0] = deed
        runs.append(ScoredRun(name, name, card.tasks, deeds))
    return runs


def _card(cases: Sequence[Case], told: Sequence[Prediction]) -> Scorecard:
    return score(cases, told, semantics=Semantics.PAPER, arguments="auto", protocol=Protocol.WILDTOOL)


def _precision(order: Sequence[str], planted: frozenset[str]) -> float:
    """Share of planted golds among as many as were planted; precision and recall are the same there."""
    return sum(name in planted for name in order[:PLANTED]) / PLANTED


Ranks = dict[str, float]


def _draw(seed: int) -> Ranks:
    """Plant, let the models play, and say what each order puts first; precision and recall of the list."""
    chance = random.Random(seed)
    wrong = frozenset(chance.sample(range(CASES), PLANTED))
    eases = [chance.choice((0.3, 1.0, 1.0, 3.0)) for _ in range(CASES)]
    cases = [_gold(i, DEPOTS[1] if i in wrong else DEPOTS[0]) for i in range(CASES)]
    planted = frozenset(cases[i].id for i in wrong)
    found = question_gold(_play(chance, cases, eases))
    names = [one.case for one in found.suspects]
    shuffled = [one.id for one in cases]
    chance.shuffle(shuffled)
    hardest = sorted(found.items, key=lambda item: (item.difficulty, shuffled.index(item.case)))
    hits = len(planted & set(names))
    return {
        "suspects": _precision([*names, *(one for one in shuffled if one not in names)], planted),
        "difficulty": _precision([item.case for item in hardest], planted),
        "random order": _precision(shuffled, planted),
        "precision": hits / max(1, len(names)),
        "recall": hits / PLANTED,
        "length": float(len(names)),
    }


def test_the_list_finds_more_planted_golds_than_chance_or_difficulty(benchmark: BenchmarkFixture) -> None:
    draws = benchmark.pedantic(  # type: ignore[no-untyped-call]
        lambda: [_draw(seed) for seed in range(DRAWS)], rounds=1
    )
    mean = {name: fmean(draw[name] for draw in draws) for name in draws[0]}
    print(f"\n{CASES} cases, {PLANTED} wrong golds, {len(SKILLS)} models, means over {DRAWS} draws.")
    print(
        f"The list: {mean['length']:.1f} suspects, precision {mean['precision']:.0%}, "
        f"recall {mean['recall']:.0%}."
    )
    orders = ("suspects", "difficulty", "random order")
    for name in orders:
        print(f"Among the first {PLANTED} by {name}: {mean[name]:.0%} are wrong golds.")
    first, second, third = (mean[name] for name in orders)
    assert first > second > third
