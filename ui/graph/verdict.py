"""What the scorer would say about a game: the rounds played, read as the replies of a model."""

import json
from dataclasses import dataclass

from scoring.gold import Gold, NotScorableError, prepare
from scoring.matching import Outcome, OutcomeKind, PaperWalk
from scoring.model.case import Call, Case, Task
from scoring.model.taxonomy import ArgumentProfile
from scoring.predictions import Prediction, Reply, ToolCall
from scoring.task_scores import score_task
from ui.theme import Tone
from ui.theme.words import counted

_PROFILE = ArgumentProfile.WTB
"""Calls carry the case's own arguments: right for their step, perhaps wrong for another of the same name."""

Rounds = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class ScorerWords:
    """A sentence of the scorer and how good the news is."""

    text: str
    tone: Tone


def scorer_words(task: Task, rounds: Rounds, *, attempt: tuple[int, ...] = ()) -> ScorerWords:
    """Ask the scorer about a game.

    Args:
        task: The task that is played.
        rounds: Rounds played, each a reply of the model with the case's own arguments.
        attempt: A further round that was tried, legal or not; empty for none.

    Returns:
        What the task would be worth: so far, at the end, or where the run would break off.
    """
    try:
        gold = prepare(Case(id="simulation", tasks=(task,)), 0)
    except NotScorableError as error:
        return ScorerWords(f"Cannot be scored yet: {error.message}", Tone.WARN)
    replies = tuple(_reply(task, steps) for steps in (*rounds, *((attempt,) if attempt else ())))
    walk = PaperWalk(gold, profile=_PROFILE)
    outcomes = [walk.feed(reply) for reply in replies]
    mistaken = next((o for o in outcomes if not all(check.correct for check in o.checks)), None)
    if mistaken is not None:
        return _taken_for_another(mistaken)
    if not walk.ended:
        done = sum(len(outcome.steps) for outcome in outcomes)
        words = f"The scorer: right so far, {done} of {counted(len(gold.graph), 'step')}."
        return ScorerWords(words, Tone.NEUTRAL)
    if outcomes[-1].kind is OutcomeKind.FAILURE:
        return _broken_off(gold, replies)
    if len(replies) == gold.rounds:
        return ScorerWords("The scorer: correct, on an optimal path.", Tone.OK)
    words = f"The scorer: correct, but {len(replies)} rounds where {gold.rounds} would do."
    return ScorerWords(words, Tone.WARN)


def _taken_for_another(outcome: Outcome) -> ScorerWords:
    step, check = next(
        pair for pair in zip(outcome.steps, outcome.checks, strict=True) if not pair[1].correct
    )
    return ScorerWords(
        f"The scorer would take it for step {step}, of the same name, and count its arguments as wrong: "
        f"{check.message}.",
        Tone.ERROR,
    )


def _broken_off(gold: Gold, replies: tuple[Reply, ...]) -> ScorerWords:
    score = score_task(gold, Prediction(case=gold.case_id, task=0, replies=replies), profile=_PROFILE)
    kind = f" It counts as “{score.error}”." if score.error else ""
    progress = f"{score.steps_done} of {counted(score.steps_total, 'step')}"
    return ScorerWords(f"The scorer would end the run here at {progress}: {score.detail}{kind}", Tone.ERROR)


def _reply(task: Task, steps: tuple[int, ...]) -> Reply:
    calls = [step for number in steps if isinstance(step := task.steps[number], Call)]
    if not calls:
        return Reply(content="…")
    return Reply(
        tool_calls=tuple(
            ToolCall(id=f"call-{i}", name=call.name, arguments=json.dumps(call.arguments))
            for i, call in enumerate(calls)
        )
    )
