"""The checked records of the specification; `TEVAL_GOLDEN` names another file of such records."""

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from scoring.model.taxonomy import ReviewLabel
from scoring.teval.evaluators import (
    TEvalProfile,
    read_plan_lines,
    score_instruct,
    score_joint,
    score_name,
    score_plan,
    score_review,
    score_thought,
    score_value,
)
from scoring.teval.plans import chain_length, free_chain_length
from scoring.teval.replies import LoadFailure, clean_reply, load_reply
from scoring.teval.scores import abilities, overall
from scoring.teval.similarity import CharacterTriples
from scoring.teval.solutions import Solution, SolutionStep, broken_rule
from scoring.teval.subsets import Subset, write_items
from tests.shared import ROOT

_COPY = ROOT / "tests" / "golden" / "teval_golden.jsonl"
_INFORMATIVE = ("optimal_matchings",)  # teval 9.1; the slow reference of this folder counts them

Body = dict[str, Any]


class FixedSimilarity(CharacterTriples):
    """Cosines from a table, as the golden records have them (teval 9.1); pairs stand in either order."""

    def __init__(self, table: dict[tuple[str, str], float]) -> None:
        self._table = table

    def cosine(self, one: str, other: str) -> float:
        if one == other:
            return 1.0
        found = self._table.get((one, other))
        return self._table[other, one] if found is None else found


def _records() -> list[Body]:
    path = Path(os.environ.get("TEVAL_GOLDEN") or _COPY)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _similarity(record: Body) -> FixedSimilarity:
    return FixedSimilarity({(one, other): value for one, other, value in record.get("similarity", [])})


def _plan(given: Body, profile: TEvalProfile, similarity: FixedSimilarity) -> Any:
    meta = given.get("meta", {})
    return score_plan(
        given["prediction"],
        gold=given["ground_truth"],
        profile=profile,
        similarity=similarity,
        names=meta["API_list"] if meta.get("prompt_type") == "str" else None,
        dependencies=given.get("meta_data", {}).get("deps"),
    )


def _step(kind: str, given: Body, profile: TEvalProfile, similarity: FixedSimilarity) -> Any:
    prediction, gold = given["prediction"], given["ground_truth"]
    if given.get("meta_data", {}).get("response_format", "json" if kind == "rru" else "str") == "json":
        return score_joint(prediction, gold=gold, profile=profile, similarity=similarity)
    if kind == "reason":
        return score_thought(prediction, gold=gold, similarity=similarity)
    if kind == "retrieve":
        return score_name(prediction, gold=gold)
    return score_value(prediction, gold=gold, profile=profile, similarity=similarity)


def _plain(record: Body) -> Body:
    """What the program makes of a record without profiles."""
    kind, given = record["evaluator"], record["input"]
    if kind == "instruct":
        return score_instruct(
            given["prediction"],
            gold=given["ground_truth"],
            template=given["template"],
            response_format=given["meta_data"]["response_format"],
        ).model_dump()
    if kind == "review":
        return score_review(given["prediction"], gold=given["ground_truth"]["answer"]).model_dump()
    if kind == "clean_reply":
        return {"text": clean_reply(given["raw"])}
    if kind == "tolerant_load":
        try:
            value = load_reply(given["raw"], given["open"], given["close"])
            # As JSON has it: tuples and sets as lists, keys as texts.
            return {"ok": True, "value": json.loads(json.dumps(value, default=list))}
        except LoadFailure:
            return {"ok": False}
    if kind == "aggregate":
        scores = abilities(given)
        return {**scores, "overall": overall(scores)}
    matching = given["matching"]
    chain = chain_length(matching)
    if kind == "lis":
        return {"lis": chain}
    assert kind == "plan_dag"
    free = free_chain_length(matching, given["gold_deps"])
    total = given["n_pred"] + len(given["gold_deps"])
    return {"lis": chain, "f1_score": 2 * chain / total, "l_dag": free, "f1_dag": 2 * free / total}


def _check(found: Any, expected: Any, where: str) -> None:
    if isinstance(expected, dict):
        assert isinstance(found, dict), where
        if where.endswith(".value"):
            assert found.keys() == expected.keys(), where
        for key, value in expected.items():
            if key not in _INFORMATIVE:
                _check(found[key], value, f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for i, value in enumerate(expected):
            _check(found[i], value, f"{where}[{i}]")
    elif isinstance(expected, int | float) and not isinstance(expected, bool):
        assert found == pytest.approx(expected, abs=1e-6), where
    else:
        assert found == expected, where


_STEPS = ("rru", "reason", "retrieve", "understand")
_WITH_PROFILES = ("plan", *_STEPS)
_ELSEWHERE = ("derive",)


@pytest.mark.parametrize(
    "record", [r for r in _records() if r["evaluator"] in _WITH_PROFILES], ids=lambda record: record["id"]
)
def test_a_reply_is_worth_what_the_record_says_under_every_profile(record: Body) -> None:
    similarity = _similarity(record)
    for name, expected in record["expected"].items():
        profile = TEvalProfile(name)
        if record["evaluator"] == "plan":
            found = _plan(record["input"], profile, similarity)
        else:
            found = _step(record["evaluator"], record["input"], profile, similarity)
        _check(found.model_dump(mode="json"), expected, f"{record['id']}.{name}")


@pytest.mark.parametrize(
    "record",
    [r for r in _records() if r["evaluator"] not in (*_WITH_PROFILES, *_ELSEWHERE)],
    ids=lambda record: record["id"],
)
def test_a_record_without_profiles_agrees(record: Body) -> None:
    _check(_plain(record), record["expected"], record["id"])


@pytest.mark.parametrize("record", [r for r in _records() if "extracted" in r], ids=lambda r: r["id"])
def test_the_steps_of_a_plan_in_lines_are_those_of_the_record(record: Body) -> None:
    given = record["input"]
    found = read_plan_lines(given["prediction"], given["meta"]["API_list"])
    assert [asdict(step) for step in found] == record["extracted"]


def _solution(given: Body) -> Solution:
    return Solution(
        case_id=given["case_id"],
        query=given["query"],
        tools=tuple(given["tools"]),
        steps=tuple(
            SolutionStep(
                thought=step["thought"],
                name=step["action"]["name"],
                args=step["action"]["args"],
                deps=tuple(step["deps"]),
                observation=step["observation"],
                label=ReviewLabel(step["review"]["label"]),
                shared_thought=step.get("shared_thought", False),
            )
            for step in given["steps"]
        ),
        final_thought=given["final"]["thought"],
    )


@pytest.mark.parametrize(
    "record", [r for r in _records() if r["evaluator"] == "derive"], ids=lambda r: r["id"]
)
def test_the_items_of_a_solution_are_those_of_the_record(record: Body) -> None:
    solution = _solution(record["input"])
    assert broken_rule(solution) is None
    files = write_items(solution)
    assert {subset.value: len(items) for subset, items in files.items()} == record["expected"]["counts"]
    for name, items in record["expected"]["files"].items():
        found = files[Subset(name)]
        assert list(found) == list(items)
        for item, body in items.items():
            for field, value in body.items():
                prompt = found[item][field]
                # Where prompts are left out, REVIEW has its last message alone.
                assert value in (prompt, prompt[-1:] if isinstance(prompt, list) else prompt), item
