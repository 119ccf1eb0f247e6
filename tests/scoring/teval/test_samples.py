"""All eight files of the bundled samples: gold is 1, the slow evaluator agrees, weaknesses show."""

import random
from collections import Counter
from math import sqrt
from typing import Any

import pytest

from scoring.teval.evaluators import TEvalProfile
from scoring.teval.items import ItemReply
from scoring.teval.scores import ABILITIES, score_items, summarise
from scoring.teval.similarity import CharacterTriples
from scoring.teval.subsets import Items, Subset
from tests.scoring.teval import slow_reference as slow
from tests.scoring.teval.agents import WEAK, agent_replies
from tests.scoring.teval.gold_replies import gold_replies, gold_reply
from tests.scoring.teval.sample_items import sample_items

_COUNT = 1_000
_LONGEST_PLAN = 5
"""The slow evaluator tries every matching."""


def _abilities(items: Items, replies: Any, profile: TEvalProfile) -> dict[str, float | None]:
    compare = CharacterTriples()
    results = score_items(items, replies, profile=profile, similarity=compare)
    scores = summarise(results, profile=profile, similarity=compare.model, items_sha256="")
    return {**scores.abilities, "overall": scores.overall}


def test_the_samples_give_items_of_every_file() -> None:
    assert all(sample_items()[subset] for subset in Subset)


@pytest.mark.parametrize("profile", list(TEvalProfile))
def test_gold_replies_are_worth_one_in_every_ability(profile: TEvalProfile) -> None:
    found = _abilities(sample_items(), gold_replies(sample_items()), profile)
    # Under ref_v2 a perfect object of k arguments is worth k / (k + 0.00001).
    tolerance = 1e-5 if profile is TEvalProfile.REF_V2 else 0
    assert found == {name: pytest.approx(1.0, abs=tolerance) for name in (*ABILITIES, "overall")}


@pytest.mark.parametrize("profile", list(TEvalProfile))
def test_each_weak_agent_lacks_its_own_ability_alone(profile: TEvalProfile) -> None:
    for lacking, spoil in WEAK.items():
        found = _abilities(sample_items(), agent_replies(sample_items(), spoil), profile)
        assert min(ABILITIES, key=lambda name: found[name] or 0.0) == lacking
        assert (found[lacking] or 0.0) < 0.75
        others = {name: value for name, value in found.items() if name not in (lacking, "overall")}
        assert others == {name: pytest.approx(1.0, abs=1e-5) for name in others}, lacking


def _slow_char3(one: str, other: str) -> float:
    """As teval 11.5, word by word."""
    if one == other:
        return 1.0
    counts = []
    for text in (one, other):
        plain = " " + " ".join(text.lower().split()) + " "
        counts.append(Counter(plain[i : i + 3] for i in range(len(plain) - 2)))
    product = sum(counts[0][part] * counts[1][part] for part in counts[0])
    lengths = [sqrt(sum(n * n for n in count.values())) for count in counts]
    return product / (lengths[0] * lengths[1]) if all(lengths) else 0.0


def _spoilt(rng: random.Random, reply: str) -> str:
    ways = (
        lambda t: t,
        lambda t: f"```json\n{t}\n```",
        lambda t: t[: rng.randint(0, len(t))],
        lambda t: t.replace('"', "'"),
        lambda t: t.replace("Tools.", "Tool."),
        lambda t: f"{t} e.g. this",
        lambda t: t.replace("e", "a", 3),
        lambda t: "\n".join(sorted(t.split("\n"))),
        lambda t: "",
    )
    return rng.choice(ways)(reply)


def _slow(subset: Subset, body: dict[str, Any], profile: TEvalProfile) -> dict[str, Any]:
    if subset is Subset.INSTRUCT:
        return slow.instruct(body)
    if subset in (Subset.PLAN_JSON, Subset.PLAN_STR):
        return slow.plan(body, profile.value, _slow_char3)
    if subset is Subset.RRU_JSON:
        return slow.joint(body, profile.value, _slow_char3)
    if subset is Subset.REVIEW_STR:
        return slow.review(body)
    kind = subset.value.removesuffix("_str")
    return slow.text_step(body, kind, profile.value, _slow_char3)


def _named(subset: Subset, body: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """What the slow evaluator says, under the names of the published results."""
    if subset is not Subset.INSTRUCT:
        return found
    form = "json" if body["meta_data"]["response_format"] == "json" else "string"
    return {f"{form}_format_metric": found["format"], f"{form}_args_em_metric": found["args_em"]}


@pytest.mark.slow
@pytest.mark.parametrize("profile", list(TEvalProfile))
def test_a_thousand_replies_to_the_samples_are_worth_what_the_slow_evaluator_says(
    profile: TEvalProfile,
) -> None:
    rng = random.Random("T-Eval samples")
    every = [
        (subset, name, body)
        for subset, listed in sample_items().items()
        for name, body in listed.items()
        if not isinstance(gold := body["ground_truth"], list) or len(gold) <= _LONGEST_PLAN
    ]
    values: list[float] = []
    for subset, name, body in rng.choices(every, k=_COUNT):
        reply = _spoilt(rng, gold_reply(subset, body))
        (mine,) = score_items(
            {subset: {name: body}},
            {(subset, name): ItemReply(prediction=reply)},
            profile=profile,
            similarity=CharacterTriples(),
        )
        expected = _named(subset, body, _slow(subset, {**body, "prediction": reply}, profile))
        for metric, value in mine.metrics.items():
            if metric in expected:
                assert value == pytest.approx(expected[metric], abs=1e-9), (subset, name, reply, metric)
                values.append(value)
    assert len(values) >= _COUNT
    assert 0.2 < sum(values) / len(values) < 0.95
