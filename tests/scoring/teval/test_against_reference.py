"""The evaluators against the slow ones of this folder, which try everything, on 1,000 random items."""

import hashlib
import json
import random
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from scoring.teval.evaluators import (
    TEvalProfile,
    score_instruct,
    score_joint,
    score_name,
    score_plan,
    score_review,
    score_thought,
    score_value,
)
from scoring.teval.similarity import SimilarityModel
from tests.scoring.teval import slow_reference as slow

Body = dict[str, Any]

_NAMES = ("Mail.send", "Mail.send_later", "Map.route", "Hotel.search", "FinishAction")
_VALUES: tuple[Any, ...] = ("Oslo", "", 3, 3.0, "3", True, "it's", "a. b", ["x"], {"k": None}, "Mail.send")
_COSINES = (-0.3, 0.1, 0.4, 0.6, 0.8, 0.8, 0.9, 0.95)
_COUNT = 125


def _cosine(one: str, other: str) -> float:
    """One of few values, so that weights often tie; the same for a pair in either order."""
    if one == other:
        return 1.0
    both = "\0".join(sorted((one, other)))
    return _COSINES[hashlib.sha256(both.encode("utf-8", "replace")).digest()[0] % len(_COSINES)]


class _FewCosines:
    model = SimilarityModel(name="few")

    def prepare(self, texts: Iterable[str]) -> None:
        """Nothing to do."""

    def cosine(self, one: str, other: str) -> float:
        return _cosine(one, other)


def _args(rng: random.Random) -> Body:
    return {name: rng.choice(_VALUES) for name in rng.sample(("city", "date", "limit"), rng.randint(0, 3))}


def _bent(rng: random.Random, text: str) -> str:
    """A reply as models spoil it: fenced, wrapped, cut, quoted otherwise, said twice."""
    ways: tuple[Callable[[str], str], ...] = (
        lambda t: t,
        lambda t: t,
        lambda t: f"```json\n{t}\n```",
        lambda t: f"Sure:\n```json\n{t}``` ",
        lambda t: f"Here it is: {t} Good luck [or] {{not}}",
        lambda t: t[: rng.randint(0, len(t))],
        lambda t: t.replace('"', "'"),
        lambda t: t.replace("true", "True").replace("null", "None"),
        lambda t: f"{t}\n{t}",
        lambda t: "",
    )
    return rng.choice(ways)(text)


def _instruct(rng: random.Random) -> Body:
    gold: Body = {"action": rng.choice(_NAMES), "args": _args(rng)}
    said = {**gold["args"], **(_args(rng) if rng.random() < 0.5 else {})}
    name = gold["action"] if rng.random() < 0.7 else rng.choice(_NAMES)
    if rng.random() < 0.5:
        template = {"thought": "why", "action": "tool", "args": "inputs"}
        reply: Any = {"why": "because", "tool": name, "inputs": rng.choice((said, said, said, "none"))}
        if rng.random() < 0.2:
            reply.pop(rng.choice(list(reply)))
        return _item(gold, _bent(rng, json.dumps(reply)), template=template, form="json")
    marks = ("why:", "\n\n", "tool:", "\n\n", "args:", rng.choice(("", "</args>", ".")))
    template = dict(
        zip(
            ("thought_start", "thought_end", "action_start", "action_end", "args_start", "args_end"),
            marks,
            strict=True,
        )
    )
    block = f"why: {rng.choice(('x', 'tool: y', ''))}\n\ntool: {name}\n\nargs: {said!r}{marks[5]}"
    return _item(
        gold, _bent(rng, rng.choice((block, f"{block}\n\n{block}"))), template=template, form="string"
    )


def _item(gold: Any, prediction: str, *, form: str, **more: Any) -> Body:
    return {
        "ground_truth": gold,
        "prediction": prediction,
        "meta_data": {"response_format": form, **more.pop("about", {})},
        **more,
    }


def _plan(rng: random.Random) -> Body:
    size = rng.randint(1, 4)
    gold: list[Body] = [
        {"id": i, "name": rng.choice(_NAMES[:4]), "args": str(_args(rng))} for i in range(size)
    ]
    deps = [sorted(rng.sample(range(i), rng.randint(0, i))) for i in range(size)]
    said = [{**step, "id": rng.choice((i, i, str(i), 9 - i))} for i, step in enumerate(gold)]
    rng.shuffle(said)
    said = said[: rng.randint(0, 4)]
    for step in said:
        if rng.random() < 0.4:
            step["name"] = rng.choice(_NAMES)
        if rng.random() < 0.3:
            step["args"] = _args(rng)
        if rng.random() < 0.03:
            step.pop("args")
    about = {"deps": deps}
    if rng.random() < 0.5:
        reply = _bent(rng, json.dumps(said))
        return _item(gold, reply, form="json", about=about, meta={"prompt_type": "json"})
    lines = [f"{i}. Call {step['name']} with {step.get('args', '')}" for i, step in enumerate(said)]
    meta = {"prompt_type": "str", "API_list": rng.sample(_NAMES, rng.randint(1, 5))}
    return _item(gold, "\n".join(lines), form="str", about=about, meta=meta)


def _joint(rng: random.Random) -> Body:
    gold: Body = {
        "thought": rng.choice(("Look.", "Send it.")),
        "name": rng.choice(_NAMES),
        "args": _args(rng),
    }
    said: Body = {**gold, "args": {**gold["args"], **(_args(rng) if rng.random() < 0.5 else {})}}
    for field in list(said):
        if rng.random() < 0.1:
            said.pop(field)
        elif rng.random() < 0.1:
            said[field] = rng.choice(_VALUES)
    return _item(gold, _bent(rng, rng.choice((json.dumps(said), str(said)))), form="json")


def _text(rng: random.Random, field: str) -> Body:
    gold = {"thought": "Look.", "name": rng.choice(_NAMES), "args": str(rng.choice(_VALUES))}[field]
    words = [gold, *rng.sample(_NAMES, 2), "e.g.", "3.5", "`"]
    reply = rng.choice((gold, f"'{gold}'", f"\"'{gold}'\"", " ".join(rng.sample(words, 3)), ""))
    return _item({field: gold}, reply, form="str")


def _review(rng: random.Random) -> Body:
    said = rng.choice(("Answer: {}", "The answer is: {}.", "{}", " {} - yes", "a: {}: {}", "", "Because {}"))
    return _item({"answer": rng.choice("ABCDE")}, said.format(*rng.choices("ABCDEFb ", k=2)), form="str")


def _agree(found: Body, expected: Body, item: Body) -> None:
    for field, value in expected.items():
        if field == "optimal_matchings":
            continue
        mine = found[field]
        assert mine == (pytest.approx(value, abs=1e-9) if isinstance(value, float) else value), (field, item)


def _check(kind: str, item: Body, profile: str) -> None:
    prediction, gold, few = item["prediction"], item["ground_truth"], _FewCosines()
    chosen = TEvalProfile(profile)
    if kind == "instruct":
        found: Any = score_instruct(
            prediction,
            gold=gold,
            template=item["template"],
            response_format=item["meta_data"]["response_format"],
        )
        expected = slow.instruct(item)
    elif kind == "plan":
        meta = item["meta"]
        found = score_plan(
            prediction,
            gold=gold,
            profile=chosen,
            similarity=few,
            names=meta.get("API_list"),
            dependencies=item["meta_data"]["deps"],
        )
        expected = slow.plan(item, profile, _cosine)
    elif kind == "rru":
        found = score_joint(prediction, gold=gold, profile=chosen, similarity=few)
        expected = slow.joint(item, profile, _cosine)
    elif kind == "review":
        found = score_review(prediction, gold=gold["answer"])
        expected = slow.review(item)
    else:
        found = {
            "reason": lambda: score_thought(prediction, gold=gold, similarity=few),
            "retrieve": lambda: score_name(prediction, gold=gold),
            "understand": lambda: score_value(prediction, gold=gold, profile=chosen, similarity=few),
        }[kind]()
        expected = slow.text_step(item, kind, profile, _cosine)
    _agree(found.model_dump(), expected, item)


_MAKERS: dict[str, Callable[[random.Random], Body]] = {
    "instruct": _instruct,
    "plan": _plan,
    "rru": _joint,
    "reason": lambda rng: _text(rng, "thought"),
    "retrieve": lambda rng: _text(rng, "name"),
    "understand": lambda rng: _text(rng, "args"),
    "review": _review,
}


@pytest.mark.parametrize("profile", list(TEvalProfile))
@pytest.mark.parametrize("kind", list(_MAKERS))
def test_random_replies_are_worth_what_the_slow_evaluator_says(kind: str, profile: TEvalProfile) -> None:
    rng = random.Random(f"{kind} of T-Eval")
    for _ in range(2 * _COUNT if kind == "plan" else _COUNT):
        _check(kind, _MAKERS[kind](rng), profile.value)


@pytest.mark.parametrize("kind", ["plan", "rru", "instruct", "review"])
def test_the_random_replies_are_neither_all_right_nor_all_spoilt(kind: str) -> None:
    rng = random.Random(f"{kind} of T-Eval")
    items = [_MAKERS[kind](rng) for _ in range(_COUNT)]
    if kind == "plan":
        values = [slow.plan(item, "paper", _cosine)["f1_score"] for item in items]
    elif kind == "rru":
        values = [slow.joint(item, "paper", _cosine)["name"] for item in items]
    elif kind == "instruct":
        values = [slow.instruct(item)["score"] for item in items]
    else:
        values = [slow.review(item)["review_quality"] for item in items]
    assert 0.05 < sum(values) / len(values) < 0.95
