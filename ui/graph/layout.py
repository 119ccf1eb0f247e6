"""Where each card, round line and edge of a drawing goes, in pixels at 100 %."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from ui.graph.placement import Former, arrange_steps, kept_stops, lead_edges, place_steps

CARD_HEIGHT = 50.0
ROUND_HEIGHT = 100.0
GAP = 12.0


@dataclass(frozen=True)
class Box:
    """A card: left, top, width, height."""

    left: float
    top: float
    width: float
    height: float = CARD_HEIGHT

    @property
    def middle(self) -> float:
        """Horizontal centre."""
        return self.left + self.width / 2

    @property
    def bottom(self) -> float:
        """Lower edge."""
        return self.top + self.height


@dataclass(frozen=True)
class GraphLayout:
    """A drawing: one box a step, the rounds, and the stops of edges that pass rounds.

    `stops` has, for an edge, the points (x, y) it goes through between its two cards, from top to bottom;
    `pairs` are the dependencies it was made for. `keys` tell steps apart through edits that renumber
    them; `places` remembers for (key, round) the centre a step had when it last stood in that round, so
    that an edit that is taken back brings the drawing back.
    """

    boxes: tuple[Box, ...] = ()
    rounds: tuple[int, ...] = ()
    stops: Mapping[tuple[int, int], tuple[tuple[float, float], ...]] = field(default_factory=dict)
    pairs: frozenset[tuple[int, int]] = frozenset()
    keys: tuple[int, ...] = ()
    places: Mapping[tuple[int, int], float] = field(default_factory=dict)

    @property
    def round_count(self) -> int:
        """Number of rounds drawn."""
        return max(self.rounds, default=-1) + 1

    @property
    def middles(self) -> dict[int, float]:
        """Horizontal centre of each step."""
        return {step: box.middle for step, box in enumerate(self.boxes)}

    @property
    def widths(self) -> dict[tuple[int, int], float]:
        """Width of the card of each (key, round)."""
        places = zip(self.keys, self.rounds, strict=True)
        return {place: box.width for place, box in zip(places, self.boxes, strict=True)}

    def is_of(
        self, widths: Sequence[float], pairs: Collection[tuple[int, int]], keys: tuple[int, ...]
    ) -> bool:
        """Whether it draws these steps with these dependencies, in cards of these widths or narrower."""
        is_same = (self.pairs, self.keys) == (frozenset(pairs), keys)
        return is_same and all(box.width <= width for box, width in zip(self.boxes, widths, strict=True))

    def line_below(self, number: int) -> float:
        """Height of the dotted line under a round."""
        return (number + 1) * ROUND_HEIGHT


def lay_out(
    widths: Sequence[float],
    pairs: Collection[tuple[int, int]],
    *,
    asks: Collection[int] = (),
    answers: Collection[int] = (),
    previous: GraphLayout | None = None,
    keys: Sequence[int] | None = None,
    gap: float = GAP,
    room: float = inf,
) -> GraphLayout:
    """Draw a graph from top to bottom, round by round.

    Args:
        widths: Width of each step's card.
        pairs: Dependencies (from, to); those that lead upwards or sideways do not move anything.
        asks: Steps that are questions.
        answers: Steps that are final answers.
        previous: The drawing before an edit; a step that stays in its round stays where it is. None
            to arrange everything anew with few crossings.
        keys: What tells the steps apart through edits; by default their numbers.
        gap: Least space between two cards of a round.
        room: Width that a drawing arranged anew keeps to where its rounds do.

    Returns:
        The drawing; one that is arranged anew has its rounds centred at 0.
    """
    rounds = assign_rounds(len(widths), pairs, asks=asks, answers=answers)
    keys = range(len(widths)) if keys is None else keys
    former = _former(previous, keys) if previous is not None else Former()
    if previous is None:
        middles, stops = arrange_steps(widths, rounds, pairs, gap=gap, room=room)
    else:
        middles = place_steps(widths, rounds, pairs, former=former, answers=answers, gap=gap)
        stops = lead_edges(pairs, widths, rounds, middles, kept=kept_stops(former, rounds, middles))
    places = dict(previous.places) if previous is not None else {}
    for step, key in enumerate(keys):
        # One that was only pushed aside keeps the place it returns to.
        if former.rounds.get(step) != rounds[step]:
            places[key, rounds[step]] = middles[step]
    boxes = [
        Box(middles[step] - width / 2, _level(rounds[step]) - CARD_HEIGHT / 2, width)
        for step, width in enumerate(widths)
    ]
    courses = {pair: _course(pair, xs, rounds) for pair, xs in stops.items()}
    return GraphLayout(tuple(boxes), tuple(rounds), courses, frozenset(pairs), tuple(keys), places)


def _level(number: int) -> float:
    """Height of the middle of a round."""
    return (number + 0.5) * ROUND_HEIGHT


def _course(
    pair: tuple[int, int], xs: Sequence[float], rounds: Sequence[int]
) -> tuple[tuple[float, float], ...]:
    return tuple((x, _level(number)) for number, x in enumerate(xs, start=rounds[pair[0]] + 1))


def _former(previous: GraphLayout, keys: Sequence[int]) -> Former:
    """The drawing before, by the present numbers of the steps."""
    step_of = {key: step for step, key in enumerate(keys)}
    now = {then: step_of[key] for then, key in enumerate(previous.keys) if key in step_of}
    known = {(a, b): (now[a], now[b]) for a, b in previous.pairs if a in now and b in now}
    return Former(
        middles={step: previous.boxes[then].middle for then, step in now.items()},
        rounds={step: previous.rounds[then] for then, step in now.items()},
        pairs=frozenset(known.values()),
        stops={known[pair]: [x for x, _ in at] for pair, at in previous.stops.items() if pair in known},
        places={(step_of[key], row): x for (key, row), x in previous.places.items() if key in step_of},
    )


def assign_rounds(
    step_count: int,
    pairs: Collection[tuple[int, int]],
    *,
    asks: Collection[int] = (),
    answers: Collection[int] = (),
) -> list[int]:
    """Give each step the earliest round it can run in, as a fastest order would.

    Questions that are ready go first, each in a round of its own; then every call that is ready; the
    answer only when nothing else is. Steps on a circle, which an overlay of two drawings can hold, come
    last, in step order.

    Args:
        step_count: Number of steps.
        pairs: Dependencies (from, to).
        asks: Steps that are questions.
        answers: Steps that are final answers.

    Returns:
        The round of each step, counted from 0.
    """
    before: list[set[int]] = [set() for _ in range(step_count)]
    for source, target in pairs:
        before[target].add(source)
    rounds = [-1] * step_count
    done: set[int] = set()
    current = 0
    while waiting := [step for step in range(step_count) if step not in done]:
        ready = [step for step in waiting if before[step] <= done] or waiting[:1]
        questions = [step for step in ready if step in asks]
        calls = [step for step in ready if step not in answers]
        for step in questions[:1] or calls or ready[:1]:
            rounds[step] = current
            done.add(step)
        current += 1
    return rounds


def free_stops(layout: GraphLayout, pair: tuple[int, int]) -> tuple[tuple[float, float], ...]:
    """Lead an edge the drawing was not made for past the cards of the rounds between.

    Args:
        layout: The drawing.
        pair: An edge (from, to).

    Returns:
        Its stops from top to bottom: in each round the free place nearest to the way straight on.
    """
    found = lead_edges([pair], [box.width for box in layout.boxes], layout.rounds, layout.middles, kept={})
    return _course(pair, found.get(pair, ()), layout.rounds)


def neighbour(layout: GraphLayout, step: int | None, *, across: int, down: int) -> int | None:
    """The nearest card in a direction.

    Args:
        layout: The drawing.
        step: Where to start; None to find the first card.
        across: -1 for left, 1 for right within the round, else 0.
        down: -1 for the round above, 1 for the one below, else 0.

    Returns:
        The step found, the one given where there is none, None in an empty drawing.
    """
    steps = range(len(layout.boxes))
    if step is None:
        return min(steps, key=lambda i: (layout.rounds[i], layout.boxes[i].left), default=None)
    here, row = layout.boxes[step].middle, layout.rounds[step]
    ahead = [
        i
        for i in steps
        if layout.rounds[i] == row + down and (down or (layout.boxes[i].middle - here) * across > 0)
    ]
    return min(ahead, key=lambda i: abs(layout.boxes[i].middle - here), default=step)
