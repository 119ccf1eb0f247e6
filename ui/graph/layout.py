"""Where each card, round line and edge of a drawing goes, in pixels at 100 %."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest

from ui.graph.rounds import Rows, Slot, arrange, assign_rounds
from ui.graph.settling import Former, Row, pack, settle_cards, settle_stops

CARD_HEIGHT = 50.0
ROUND_HEIGHT = 100.0
GAP = 12.0
STOP_WIDTH = 16.0
_PASSES = 6


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
class Layout:
    """A drawing: one box a step, the number of rounds, and the stops of edges that pass rounds.

    `stops` has, for an edge, the points (x, y) it goes through between its two cards, from top to bottom;
    `pairs` are the dependencies it was made for. `places` remembers for (step, round) the centre a step had
    when it last stood in that round, so that an edit that is taken back brings the drawing back.
    """

    boxes: tuple[Box, ...]
    rounds: tuple[int, ...]
    stops: Mapping[tuple[int, int], tuple[tuple[float, float], ...]]
    pairs: frozenset[tuple[int, int]] = frozenset()
    places: Mapping[tuple[int, int], float] = field(default_factory=dict)

    @property
    def round_count(self) -> int:
        """Number of rounds drawn."""
        return max(self.rounds, default=-1) + 1

    def line_below(self, number: int) -> float:
        """Height of the dotted line under a round."""
        return (number + 1) * ROUND_HEIGHT


def lay_out(
    widths: Sequence[float],
    pairs: Collection[tuple[int, int]],
    *,
    asks: Collection[int] = (),
    answers: Collection[int] = (),
    previous: Layout | None = None,
    origins: Sequence[int | None] | None = None,
    gap: float = GAP,
) -> Layout:
    """Draw a graph from top to bottom, round by round.

    Args:
        widths: Width of each step's card.
        pairs: Dependencies (from, to); those that lead upwards or sideways do not move anything.
        asks: Steps that are questions.
        answers: Steps that are final answers.
        previous: The drawing before an edit; a step that stays in its round stays where it is. Null
            to arrange everything anew with few crossings.
        origins: Which step of the previous drawing each one is, null for one that was not there; left
            out where the numbers are the same.
        gap: Least space between two cards of a round.

    Returns:
        The drawing; one that is arranged anew has its rounds centred at 0.
    """
    rounds = assign_rounds(len(widths), pairs, asks=asks, answers=answers)
    levels = [(number + 0.5) * ROUND_HEIGHT for number in range(max(rounds, default=-1) + 1)]
    places: dict[tuple[int, int], float] = {}
    if previous is not None:
        former = _former(previous, origins)
        middles, rows = settle_cards(widths, rounds, pairs, former=former, answers=answers, gap=gap)
        stops = settle_stops(rounds, middles, pairs, rows=rows, levels=levels, former=former)
        places.update(former.places)
    else:
        middles, stops = _arranged(widths, rounds, pairs, levels=levels, gap=gap)
    boxes = [
        Box(middles[step] - width / 2, levels[rounds[step]] - CARD_HEIGHT / 2, width)
        for step, width in enumerate(widths)
    ]
    if previous is not None:
        # One and the same object is compared at once, at each end of each line.
        boxes = [old if old == new else new for old, new in zip_longest(previous.boxes, boxes) if new]
    places.update(((step, rounds[step]), middle) for step, middle in middles.items())
    return Layout(tuple(boxes), tuple(rounds), stops, frozenset(pairs), places)


def _former(previous: Layout, origins: Sequence[int | None] | None) -> Former:
    if origins is None or list(origins) == list(range(len(previous.boxes))):
        return Former(
            middles={step: box.middle for step, box in enumerate(previous.boxes)},
            rounds=dict(enumerate(previous.rounds)),
            pairs=previous.pairs,
            stops=previous.stops,
            places=previous.places,
        )
    present = {origin: step for step, origin in enumerate(origins) if origin is not None}

    def renumbered(pair: tuple[int, int]) -> tuple[int, int] | None:
        ends = present.get(pair[0]), present.get(pair[1])
        return (ends[0], ends[1]) if ends[0] is not None and ends[1] is not None else None

    return Former(
        middles={step: previous.boxes[origin].middle for origin, step in present.items()},
        rounds={step: previous.rounds[origin] for origin, step in present.items()},
        pairs=frozenset(now for pair in previous.pairs if (now := renumbered(pair))),
        stops={now: at for pair, at in previous.stops.items() if (now := renumbered(pair))},
        places={(present[step], row): at for (step, row), at in previous.places.items() if step in present},
    )


def _arranged(
    widths: Sequence[float],
    rounds: Sequence[int],
    pairs: Collection[tuple[int, int]],
    *,
    levels: Sequence[float],
    gap: float,
) -> tuple[dict[int, float], dict[tuple[int, int], tuple[tuple[float, float], ...]]]:
    rows = arrange(rounds, pairs)
    centre = _spread(rows, widths, pairs, gap)
    middles = {slot.step: centre[slot] for row in rows for slot in row if slot.edge is None}
    stops: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for row in rows:
        for slot in row:
            if slot.edge is not None:
                stops.setdefault(slot.edge, []).append((centre[slot], levels[slot.round]))
    return middles, {pair: tuple(course) for pair, course in stops.items()}


def _spread(
    rows: Rows, widths: Sequence[float], pairs: Collection[tuple[int, int]], gap: float
) -> dict[Slot, float]:
    """Give each slot its centre: as near to its neighbours as the order and the gaps allow."""
    size = {slot: STOP_WIDTH if slot.edge else widths[slot.step] for row in rows for slot in row}
    near = _neighbours(rows, pairs)
    centre: dict[Slot, float] = {}
    for row in rows:
        total = sum(size[slot] for slot in row) + gap * (len(row) - 1)
        left = -total / 2
        for slot in row:
            centre[slot] = left + size[slot] / 2
            left += size[slot] + gap
    for turn in range(_PASSES):
        for row in rows if turn % 2 == 0 else reversed(rows):
            wanted = [
                sum(centre[other] for other in near[slot]) / len(near[slot]) if near[slot] else centre[slot]
                for slot in row
            ]
            apart = [(size[left] + size[right]) / 2 + gap for left, right in pairwise(row)]
            centre.update(zip(row, pack(wanted, apart), strict=True))
    return centre


def _neighbours(rows: Rows, pairs: Collection[tuple[int, int]]) -> dict[Slot, list[Slot]]:
    near: dict[Slot, list[Slot]] = {slot: [] for row in rows for slot in row}
    step_slot = {slot.step: slot for row in rows for slot in row if slot.edge is None}
    stops: dict[tuple[int, int], list[Slot]] = {}
    for row in rows:
        for slot in row:
            if slot.edge is not None:
                stops.setdefault(slot.edge, []).append(slot)
    for source, target in pairs:
        chain = [step_slot[source], *stops.get((source, target), ()), step_slot[target]]
        if chain[0].round >= chain[-1].round:
            continue
        for upper, lower in pairwise(chain):
            near[upper].append(lower)
            near[lower].append(upper)
    return near


def free_stops(layout: Layout, pair: tuple[int, int]) -> tuple[tuple[float, float], ...]:
    """Lead an edge the drawing was not made for past the cards of the rounds between.

    Args:
        layout: The drawing.
        pair: An edge (from, to).

    Returns:
        Its stops from top to bottom: in each round the free place nearest to the way straight on.
    """
    middles = {step: box.middle for step, box in enumerate(layout.boxes)}
    rows = [Row() for _ in range(layout.round_count)]
    for box, number in zip(layout.boxes, layout.rounds, strict=True):
        rows[number].take(box.middle, box.width / 2)
    nothing = Former({}, {}, frozenset(), {}, {})
    levels = [(number + 0.5) * ROUND_HEIGHT for number in range(layout.round_count)]
    stops = settle_stops(layout.rounds, middles, [pair], rows=rows, levels=levels, former=nothing)
    return stops.get(pair, ())


def neighbour(layout: Layout, step: int | None, *, across: int, down: int) -> int | None:
    """The nearest card in a direction.

    Args:
        layout: The drawing.
        step: Where to start; null to find the first card.
        across: -1 for left, 1 for right within the round, else 0.
        down: -1 for the round above, 1 for the one below, else 0.

    Returns:
        The step found, the one given where there is none, null in an empty drawing.
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
