"""Which sequences of policies a run makes, in which order, and what each dialogue is drawn (generation 7)."""

import hashlib
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product

from annotator.cases.coverage import project_coverage
from annotator.cases.tool_categories import assigned_categories, shared_category
from annotator.generation.plan import LANGUAGES, WANTED, GenerationPlan, Policies, Steering, Toolset
from annotator.generation.roles import FIRST_LONG_RANGE_TASK
from annotator.project.workspace import Workspace
from scoring.errors import InputError
from scoring.generics import T
from scoring.groups import grouped
from scoring.measures.accuracy import RELATIONS
from scoring.measures.coverage import MAIN_TYPES, Route
from scoring.model.taxonomy import Information

LONGEST_MISSING = 4
"""Tasks of the longest sequences whose coverage is counted."""
_LONGEST_LISTED = 6
"""Tasks of the longest sequences that are all listed to draw some of them: 4,096."""
_DRAWS = 30
"""Draws that are begun in another order where one ends uneven."""


def wanted_sequences(workspace: Workspace, plan: GenerationPlan) -> tuple[Route, ...]:
    """The policies of each dialogue a plan would make now; none where nothing is missing.

    Raises:
        InputError: What is missing is wanted, and dialogues of this length are not counted.
    """
    draw = random.Random(plan.seed)
    if plan.policies is Policies.GIVEN:
        return drawn_evenly(plan.sequences, plan.count, draw)
    if plan.policies is Policies.MISSING:
        missing = project_coverage(workspace).coverage.missing
        return drawn_evenly(missing_sequences(missing, tasks=plan.tasks, draw=draw), plan.count, draw)
    if plan.count is None:
        return all_sequences(plan.tasks)
    shares = plan.shares_of(WANTED)
    if plan.tasks <= _LONGEST_LISTED and not shares:
        every = list(all_sequences(plan.tasks))
        draw.shuffle(every)
        return drawn_evenly(every, plan.count, draw)
    labels = apportioned(plan.count * plan.tasks, shares, MAIN_TYPES)
    columns = [labels[task :: plan.tasks] for task in range(plan.tasks)]
    for column in columns:
        draw.shuffle(column)
    return tuple(zip(*columns, strict=True))


def filled(workspace: Workspace, plan: GenerationPlan) -> GenerationPlan:
    """A plan with the policies of each dialogue it would make now.

    Raises:
        InputError: As for `wanted_sequences` and `drawn_information`.
    """
    whole = plan.model_copy(update={"sequences": wanted_sequences(workspace, plan)})
    drawn_information(whole)
    return whole


def apportioned(count: int, shares: Mapping[str, float], words: Sequence[str]) -> list[str]:
    """So many labels in given shares, by largest remainders; words without a share have what is left evenly.

    Args:
        count: How many labels.
        shares: From 0 to 1 by label, together at most 1.
        words: The labels there are.
    """
    others = [word for word in words if word not in shares]
    rest = (1 - sum(shares.values())) / len(others) if others else 0
    exact = {word: count * share for word, share in {**shares, **dict.fromkeys(others, rest)}.items()}
    whole = {word: math.floor(round(number, 6)) for word, number in exact.items()}
    by_remainder = sorted(exact, key=lambda word: whole[word] - exact[word])
    return sorted([*Counter(whole).elements(), *by_remainder[: count - sum(whole.values())]])


def dealt(plan: GenerationPlan, words: Sequence[str]) -> list[str]:
    """One of some words for each dialogue, in the shares of the targets; the seed says which has which."""
    labels = apportioned(len(plan.sequences), plan.shares_of(words), words)
    random.Random(f"{', '.join(words)} {plan.seed}").shuffle(labels)
    return labels


def dealt_evenly(plan: GenerationPlan, things: Sequence[T], *, what: str) -> list[T]:
    """One of some things for each dialogue, each as often as the others, give or take one.

    Args:
        plan: Its seed says which dialogue has which, and which are drawn once more.
        things: At least one.
        what: What they are; draws of other things are other draws.
    """
    draw = random.Random(f"{what} {plan.seed}")
    order = draw.sample(things, len(things))
    found = [order[dialogue % len(order)] for dialogue in range(len(plan.sequences))]
    draw.shuffle(found)
    return found


def dealt_steering(plan: GenerationPlan) -> list[Steering]:
    """What the user role of each dialogue is told."""
    scenarios = dealt_evenly(plan, plan.scenarios or (None,), what="scenario")
    styles = dealt_evenly(plan, plan.styles or (None,), what="style")
    return [
        Steering(scenario=scenario, style=style) for scenario, style in zip(scenarios, styles, strict=True)
    ]


def dealt_categories(plan: GenerationPlan, toolsets: Iterable[Toolset]) -> list[str]:
    """The category of the toolset of each dialogue; empty for one without a target."""
    return dealt(plan, sorted({*map(plan.counted_as, toolsets)}))


def with_categories(
    workspace: Workspace, plan: GenerationPlan, toolsets: Sequence[Toolset]
) -> tuple[Toolset, ...]:
    """The toolsets of a run, with their categories where the plan has targets for some.

    Raises:
        InputError: No toolset is of a category that is wanted, or none may take what is left.
    """
    if not plan.categories:
        return tuple(toolsets)
    assigned = workspace.read(assigned_categories)
    found = tuple(
        one.model_copy(update={"category": shared_category(one.tools, assigned)}) for one in toolsets
    )
    known = {one.category for one in found if one.category}
    categories, others = ", ".join(sorted(known)) or "–", ", ".join((*WANTED, *RELATIONS, *LANGUAGES))
    for word in plan.categories:
        if word not in known:
            raise InputError(
                f"No toolset is of the category '{word}'.",
                f"Categories of the toolsets: {categories}. Other targets are for {others}.",
            )
    total = sum(plan.categories.values())
    if total < 1 and all(map(plan.counted_as, found)):
        raise InputError(
            f"Every toolset is of a category with a target, and these add up to {total:.0%}.",
            "Let them add up to 100%, or add toolsets of another category.",
        )
    return found


def drawn_information(plan: GenerationPlan) -> dict[int, dict[int, Information]]:
    """How later tasks lean on the dialogue, by dialogue and task; empty where the plan has no targets for it.

    Raises:
        InputError: There are fewer third and later tasks than are wanted of long range.
    """
    shares = plan.shares_of(RELATIONS)
    places = [(at, task) for at, sequence in enumerate(plan.sequences) for task in range(1, len(sequence))]
    draw = random.Random(f"information {plan.seed}")
    draw.shuffle(places)
    late = [place for place in places if place[1] >= FIRST_LONG_RANGE_TASK]
    near_words = [kind for kind in RELATIONS if kind is not Information.LONG_RANGE]
    # Without a third task what is left goes to the other types, where one of them has no target.
    words = RELATIONS if late or shares.keys() >= {*near_words} else near_words
    kinds = [*map(Information, apportioned(len(places), shares, words))] if shares else []
    far = kinds.count(Information.LONG_RANGE)
    if far > len(late):
        most = f"{len(late) / len(places):.0%}"
        raise InputError(
            f"Only the third task and later ones can be of long range: at most {most} of the later tasks.",
            "Ask for a smaller share of long_range, or for longer dialogues.",
        )
    near = [kind for kind in kinds if kind is not Information.LONG_RANGE]
    draw.shuffle(near)
    drawn = dict.fromkeys(late[:far], Information.LONG_RANGE)
    drawn |= dict(zip((place for place in places if place not in drawn), near, strict=False))
    found: dict[int, dict[int, Information]] = {}
    for (dialogue, task), kind in drawn.items():
        found.setdefault(dialogue, {})[task] = kind
    return found


def all_sequences(tasks: int) -> tuple[Route, ...]:
    """All 4^n sequences of a length; the last position varies fastest."""
    return tuple(product(MAIN_TYPES, repeat=tasks))


def missing_sequences(missing: Iterable[Route], *, tasks: int, draw: random.Random) -> tuple[Route, ...]:
    """Sequences of full length that fill what is missing, those that fill most first.

    A missing sequence makes every longer one that begins with it missing, too, so the longest fill all.

    Args:
        missing: What no case begins with, of every length up to `tasks`.
        tasks: Length of the dialogues.
        draw: Decides between sequences that fill as much.

    Raises:
        InputError: Dialogues of this length are not counted.
    """
    if tasks > LONGEST_MISSING:
        raise InputError(
            f"Coverage is counted up to {LONGEST_MISSING} tasks, not {tasks}.",
            f"Give --tasks {LONGEST_MISSING} or less.",
        )
    gaps = sorted((route for route in missing if len(route) <= tasks), key=len)
    wanted = frozenset(gaps)
    full = [route for route in all_sequences(tasks) if route in wanted]
    draw.shuffle(full)
    beginning = grouped((route[:length], route) for route in full for length in range(1, tasks + 1))
    counts = Counter[tuple[int, str]]()
    chosen: list[Route] = []
    covered: set[Route] = set()
    # Shortest first: each takes the full sequence with the rarest labels, which fills every length between.
    for gap in gaps:
        if gap in covered:
            continue
        rarest = min(beginning[gap], key=partial(_load, counts))
        chosen.append(rarest)
        covered |= {rarest[:length] for length in range(1, tasks + 1)}
        counts.update(enumerate(rarest))
    return (*chosen, *(route for route in full if route not in covered))


def drawn_evenly(sequences: Sequence[Route], count: int | None, draw: random.Random) -> tuple[Route, ...]:
    """So many dialogues: all sequences as often as they fit, and of the rest a draw whose labels are even.

    At every position the counts of two labels differ by at most one where that can be reached by exchanging
    one sequence after another; from the set of all sequences it always can. Proof: let label a be at least
    two more frequent than b at a position. Of the drawn sequences with a, one has not its twin with b
    among the drawn, or b would be as frequent; exchanging it for its twin changes no other position.

    Args:
        sequences: What is drawn from, in the order of preference.
        count: Dialogues; None for each sequence once.
        draw: Decides the order of further draws where the first ends uneven.
    """
    if count is None or not sequences:
        return tuple(sequences)
    times, rest = divmod(count, len(sequences))
    order, whole = list(sequences), list(sequences) * times
    best, least = order[:rest], float("inf")
    for _ in range(_DRAWS):
        chosen, spread = _exchanged(order[:rest], order[rest:], whole)
        if spread < least:
            best, least = chosen, spread
        if least <= 1 or not rest:
            break
        draw.shuffle(order)
    return (*whole, *best)


def _exchanged(chosen: list[Route], left: list[Route], whole: Sequence[Route]) -> tuple[list[Route], int]:
    """Exchange sequences as long as it makes labels more even; with the largest difference that remains."""
    places = {place for route in (*chosen, *left) for place in enumerate(route)}
    counts = Counter(place for route in (*whole, *chosen) for place in enumerate(route))
    pairs = [(a, b) for a, b in product(places, repeat=2) if a[0] == b[0]]
    while (spread := max(counts[a] - counts[b] for a, b in pairs)) > 1:
        found = next(_gains(counts, chosen, left), None)
        if found is None:
            break
        out, into = found
        counts.subtract(enumerate(chosen[out]))
        counts.update(enumerate(left[into]))
        chosen[out], left[into] = left[into], chosen[out]
    return chosen, spread


def _gains(
    counts: Counter[tuple[int, str]], chosen: Sequence[Route], left: Sequence[Route]
) -> Iterator[tuple[int, int]]:
    """Places of a drawn sequence and of one to exchange it for, where the sum of squared counts falls."""
    lightest = sorted(range(len(left)), key=lambda into: _load(counts, left[into]))
    for out in sorted(range(len(chosen)), key=lambda out: -_load(counts, chosen[out])):
        for into in lightest:
            changed = zip(enumerate(chosen[out]), enumerate(left[into]), strict=False)
            if sum(counts[a] - counts[b] - 1 for a, b in changed if a != b) > 0:
                yield out, into


def _load(counts: Counter[tuple[int, str]], route: Route) -> int:
    return sum(map(counts.__getitem__, enumerate(route)))


def seed_of(seed: int, dialogue: int, attempt: int) -> int:
    """The seed of one attempt, from 0 to 2^31 - 1: the same wherever and whenever it is made."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{dialogue}/{attempt}".encode()).digest()[:4], "big") >> 1
