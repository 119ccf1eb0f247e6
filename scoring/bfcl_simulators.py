"""BFCL's check of several turns: its own simulators, which run as a process of their own (scoring 4.6)."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from scoring import bfcl_worker
from scoring.errors import BlockedError
from scoring.groups import grouped
from scoring.matching.arguments import read_arguments
from scoring.matching.bfcl_calls import BfclMistake, SaidCall, calls_mistake
from scoring.matching.bfcl_scores import scored
from scoring.matching.gold import Gold
from scoring.matching.task_scores import Judged
from scoring.model.record import JsonObject, items_in
from scoring.model.taxonomy import ArgumentProfile, C3Mistake
from scoring.predictions import Prediction

Turn = tuple[Gold, Prediction, ArgumentProfile]
"""A turn with what the model did in it, and what the score names as the rules of its arguments."""

_SECONDS = 60
"""The longest that one question may take; it takes milliseconds."""
_WHY = {
    "multi_turn:empty_turn_model_response": "No tool is called, although one is needed",
    "multi_turn:instance_state_mismatch": "The simulators are in another state than after the calls of gold",
    "multi_turn:execution_response_mismatch": "A result that the calls of gold bring did not come",
}
"""What BFCL's words for a wrong turn mean."""


def simulators_folder() -> Path:
    """Where this person's copy of BFCL's package lies."""
    import platformdirs  # which scoring alone goes without

    return platformdirs.user_data_path("annotator", appauthor=False) / "bfcl"


def are_simulators_installed() -> bool:
    """Whether questions of several turns can be judged on this computer."""
    return (simulators_folder() / "bfcl_eval").is_dir()


def judge_turns(turns: Sequence[Turn]) -> Iterator[Judged]:
    """Judge turns as BFCL does, which stops at the first of a question that is wrong.

    A turn without a prediction counts as one without calls.

    Args:
        turns: Of questions whose golds are `simulated`, in any order.

    Raises:
        BlockedError: The simulators do not start.
    """
    of_cases = list(grouped((turn[0].case_id, turn) for turn in turns).values())
    orders = [_order(case) for case in of_cases]
    for case, (wrong, why) in zip(of_cases, _verdicts(orders), strict=True):
        for gold, prediction, profile in case:
            yield Judged(scored(gold, _mistake(gold, prediction, wrong, why), profile=profile))


def _order(case: Sequence[Turn]) -> str:
    """What the worker reads of a question."""
    question = case[0][0].simulated or {}
    gold = items_in(question["ground_truth"])
    said: list[list[list[SaidCall]]] = [[] for _ in gold]
    for one, prediction, _ in case:
        said[one.task_number] = _steps(prediction)
    return json.dumps({"question": question, "gold": gold, "said": said}) + "\n"


def _steps(prediction: Prediction) -> list[list[SaidCall]]:
    """The calls of each reply; BFCL passes over a reply of which it cannot read one."""
    steps = []
    for reply in prediction.replies:
        read = [(call.name, read_arguments(call.arguments or "")) for call in reply.tool_calls]
        said = [(name, values) for name, values in read if name is not None and isinstance(values, dict)]
        if said and len(said) == len(read):
            steps.append(said)
    return steps


def _verdicts(orders: Sequence[str]) -> Iterator[tuple[int | None, str]]:
    """The first wrong turn of each question and why; one at which the process ends is wrong at once."""
    place = 0
    while place < len(orders):
        done = subprocess.run(
            [sys.executable, "-P", "-S", bfcl_worker.__file__, str(_SECONDS)],
            input="".join(orders[place:]),
            env={**os.environ, "PYTHONPATH": str(simulators_folder()), "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        ready, *found = [json.loads(line) for line in done.stdout.splitlines()] or [None]
        if ready is None:
            why = (done.stderr.strip() or "no reason is given").splitlines()[-1]
            raise BlockedError(f"BFCL's simulators do not start: {why}", "Run `annotator bfcl setup` again.")
        yield from ((one["turn"], one["why"]) for one in found)
        place += len(found)
        if place < len(orders):
            yield 0, "BFCL's simulators did not come to an end"
            place += 1


def _mistake(gold: Gold, prediction: Prediction, wrong: int | None, why: str) -> BfclMistake | None:
    """What is wrong with a turn, where turn `wrong` is the first that is."""
    if wrong is None or gold.task_number < wrong:
        return None
    if gold.task_number > wrong:
        return BfclMistake(C3Mistake.EARLY_STOP, f"BFCL stops at turn {wrong + 1}, which is wrong.")
    said = [call for step in _steps(prediction) for call in step]
    own: list[JsonObject] = [
        {call.name: {name: [value] for name, value in call.arguments.items()}} for _, call in gold.task.calls
    ]
    nearest = calls_mistake(said, own, gold.tools)
    kind = nearest.kind if nearest else C3Mistake.VALUE_ERROR
    parts = [f"{_WHY.get(why, why)}.", *([nearest.message] if nearest else [])]
    return BfclMistake(kind, " ".join(parts))
