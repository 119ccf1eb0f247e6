"""Which sequences of policies a run makes, and in which order (generation 7)."""

import hashlib
from collections.abc import Iterable, Sequence
from itertools import cycle, islice, product

from annotator.cases.coverage import project_coverage
from annotator.generation.plan import GenerationPlan, Policies
from annotator.project.workspace import Workspace
from scoring.errors import InputError
from scoring.measures.coverage import MAIN_TYPES, Route

LONGEST_MISSING = 4
"""Tasks of the longest sequences whose coverage is counted."""


def wanted_sequences(workspace: Workspace, plan: GenerationPlan) -> tuple[Route, ...]:
    """The policies of each dialogue a plan would make now; none where nothing is missing.

    Raises:
        InputError: What is missing is wanted, and dialogues of this length are not counted.
    """
    if plan.policies is Policies.GIVEN:
        return repeated(plan.sequences, plan.count)
    if plan.policies is Policies.ALL:
        return repeated(all_sequences(plan.tasks), plan.count)
    missing = project_coverage(workspace).coverage.missing
    return repeated(missing_sequences(missing, tasks=plan.tasks), plan.count)


def all_sequences(tasks: int) -> tuple[Route, ...]:
    """All 4^n sequences of a length; the last position varies fastest."""
    return tuple(product(MAIN_TYPES, repeat=tasks))


def missing_sequences(missing: Iterable[Route], *, tasks: int) -> tuple[Route, ...]:
    """Sequences of full length that fill what is missing, those that fill most first.

    A missing sequence makes every longer one that begins with it missing, too, so the longest fill all.

    Args:
        missing: What no case begins with, of every length up to `tasks`.
        tasks: Length of the dialogues.

    Raises:
        InputError: Dialogues of this length are not counted.
    """
    if tasks > LONGEST_MISSING:
        raise InputError(
            f"Coverage is counted up to {LONGEST_MISSING} tasks, not {tasks}.",
            f"Give --tasks {LONGEST_MISSING} or less.",
        )
    gaps = {route for route in missing if len(route) <= tasks}
    full = [route for route in all_sequences(tasks) if route in gaps]
    chosen: list[Route] = []
    covered: set[Route] = set()
    # Shortest first: each takes the first full sequence that fills it, which fills every length between.
    for gap in sorted(gaps, key=len):
        if gap in covered:
            continue
        first = next(route for route in full if route[: len(gap)] == gap)
        chosen.append(first)
        covered |= {first[:length] for length in range(1, tasks + 1)}
    done = set(chosen)
    return (*chosen, *(route for route in full if route not in done))


def repeated(sequences: Sequence[Route], count: int | None) -> tuple[Route, ...]:
    """So many dialogues: the sequences cut, or begun again; each once where no count is given."""
    return tuple(sequences) if count is None else tuple(islice(cycle(sequences), count if sequences else 0))


def seed_of(seed: int, dialogue: int, attempt: int) -> int:
    """The seed of one attempt, from 0 to 2^31 - 1: the same wherever and whenever it is made."""
    digest = hashlib.sha256(f"{seed}/{dialogue}/{attempt}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1
