"""Playing a task round by round, as an agent would: what may run next, and what the scorer would say."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, islice

from scoring.matching.gold import Gold, NotScorableError, prepare
from scoring.matching.outcomes import OutcomeKind, ReplyOutcome
from scoring.matching.replay import Walk
from scoring.matching.task_scores import score_task
from scoring.model.case import Call, Case, Task
from scoring.model.graph import StepGraph
from scoring.model.taxonomy import ArgumentProfile
from scoring.orders.lattice import bits, lattice_of, mask_of
from scoring.orders.legal_orders import is_legal_round, optimal_rounds, ready_steps
from scoring.predictions import Prediction, Reply, ToolCall
from scoring.texts import in_language, tr, tr_count
from ui.theme import Tone

AT_MOST = 16
"""Branches listed at one point; a task with twenty ready calls has a million."""
_PROFILE = ArgumentProfile.WTB
"""Calls carry the case's own arguments: right for their step, perhaps wrong for another of the same name."""

Rounds = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Simulation:
    """A game in progress: rounds played so far, and the steps chosen for the next one."""

    graph: StepGraph
    rounds: tuple[tuple[int, ...], ...] = ()
    chosen: frozenset[int] = frozenset()

    @property
    def done(self) -> frozenset[int]:
        """Steps that have run."""
        return frozenset(step for played in self.rounds for step in played)

    @property
    def ready(self) -> tuple[int, ...]:
        """Steps that may run next."""
        return ready_steps(self.graph, self.done)

    @property
    def is_over(self) -> bool:
        """Whether every step has run."""
        return len(self.done) == len(self.graph)

    @property
    def fewest_total(self) -> int:
        """Rounds of the shortest execution that starts as played."""
        return len(self.rounds) + optimal_rounds(lattice_of(self.graph), mask_of(self.done, len(self.graph)))

    @property
    def is_optimal(self) -> bool:
        """Whether the shortest execution is still within reach."""
        return self.fewest_total == optimal_rounds(lattice_of(self.graph))

    def waits_for(self, step: int) -> tuple[int, ...]:
        """Steps that must run before a step may."""
        return tuple(sorted(self.graph.before[step] - self.done))

    def toggle(self, step: int) -> "Simulation":
        """Choose a ready step for the next round, or take it back; one that runs alone replaces the others.

        Raises:
            ValueError: The step is not ready.
        """
        if step not in self.ready:
            raise ValueError(f"step {step} is not ready")
        if step in self.chosen:
            return replace(self, chosen=self.chosen - {step})
        together = self.chosen | {step}
        return replace(
            self,
            chosen=together if is_legal_round(self.graph, self.done, together) else frozenset({step}),
        )

    def play(self) -> "Simulation":
        """Run the chosen steps as one round; nothing happens where none is chosen."""
        rounds = (*self.rounds, tuple(sorted(self.chosen)))
        return replace(self, rounds=rounds, chosen=frozenset()) if self.chosen else self

    def playing(self, steps: tuple[int, ...]) -> "Simulation":
        """The game after some ready steps have run as the next round."""
        return replace(self, chosen=frozenset(steps)).play()

    def back(self) -> "Simulation":
        """Take the last round back, its steps chosen again."""
        last = self.rounds[-1] if self.rounds else ()
        return replace(self, rounds=self.rounds[:-1], chosen=frozenset(last))


@dataclass(frozen=True)
class Branching:
    """The games one round on, those after the widest rounds first, and how many more there are."""

    branches: tuple[Simulation, ...]
    left_out: int


def branching_of(game: Simulation, *, at_most: int = AT_MOST) -> Branching:
    """List the rounds that may come next in a game.

    Args:
        game: Where it stands; what is chosen but not played does not matter.
        at_most: Branches to list.

    Returns:
        Questions and the answer each by themselves, then calls together, as many as possible first;
        nothing once the game is over.
    """
    alone = set(bits(lattice_of(game.graph).alone))
    lone = tuple(step for step in game.ready if step in alone)
    together = tuple(step for step in game.ready if step not in alone)
    total = len(lone) + (1 << len(together)) - 1
    listed = tuple(game.playing(steps) for steps in islice(_rounds(lone, together), at_most))
    return Branching(listed, total - len(listed))


def _rounds(lone: tuple[int, ...], together: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    yield from ((step,) for step in lone)
    for size in range(len(together), 0, -1):
        yield from combinations(together, size)


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
        return ScorerWords(tr("Cannot be scored yet: {message}", message=tr(error.message)), Tone.WARN)
    replies = tuple(_reply(task, steps) for steps in (*rounds, *((attempt,) if attempt else ())))
    walk = Walk(gold, profile=_PROFILE)
    for reply in replies:
        walk.feed(reply)
    outcomes = walk.outcomes
    mistaken = next((o for o in outcomes if not all(check.correct for check in o.checks)), None)
    if mistaken is not None:
        return _taken_for_another(mistaken)
    if not walk.ended:
        return ScorerWords(
            tr(
                "The scorer: right so far, {done} of {step}.",
                done=sum(len(outcome.steps) for outcome in outcomes),
                step=tr_count(len(gold.graph), "step"),
            ),
            Tone.NEUTRAL,
        )
    if outcomes[-1].kind is OutcomeKind.FAILURE:
        return _broken_off(gold, replies)
    if len(replies) == gold.rounds:
        return ScorerWords(tr("The scorer: correct, on an optimal path."), Tone.OK)
    return ScorerWords(
        tr(
            "The scorer: correct, but {replies_count} rounds where {rounds} would do.",
            replies_count=len(replies),
            rounds=gold.rounds,
        ),
        Tone.WARN,
    )


def _taken_for_another(outcome: ReplyOutcome) -> ScorerWords:
    step, check = next(
        pair for pair in zip(outcome.steps, outcome.checks, strict=True) if not pair[1].correct
    )
    return ScorerWords(
        tr(
            "The scorer would take it for step {step}, of the same name, and count its arguments as "
            "wrong: {message}.",
            step=step,
            message=in_language(check.message),
        ),
        Tone.ERROR,
    )


def _broken_off(gold: Gold, replies: tuple[Reply, ...]) -> ScorerWords:
    score = score_task(gold, Prediction(case=gold.case_id, task=0, replies=replies), profile=_PROFILE)
    kind = tr(" It counts as “{error}”.", error=score.error) if score.error else ""
    progress = tr(
        "{steps_done} of {step}", steps_done=score.steps_done, step=tr_count(score.steps_total, "step")
    )
    return ScorerWords(
        tr(
            "The scorer would end the run here at {progress}: {detail}{kind}",
            progress=progress,
            detail=in_language(score.detail or ""),
            kind=kind,
        ),
        Tone.ERROR,
    )


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
