"""Where each card, round line and edge of a drawing goes, in pixels at 100 %."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ui.graph.rounds import Rows, Slot, arrange, assign_rounds

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

    `stops` has, for an edge, the points (x, y) it goes through between its two cards, from top to bottom.
    """

    boxes: tuple[Box, ...]
    rounds: tuple[int, ...]
    stops: Mapping[tuple[int, int], tuple[tuple[float, float], ...]]

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
    gap: float = GAP,
) -> Layout:
    """Draw a graph from top to bottom, round by round.

    Args:
        widths: Width of each step's card.
        pairs: Dependencies (from, to); those that lead upwards or sideways do not move anything.
        asks: Steps that are questions.
        answers: Steps that are final answers.
        previous: The drawing before an edit; steps keep their order within a round where that
            costs no crossing.
        gap: Least space between two cards of a round.

    Returns:
        The drawing, its first card row centred at 0.
    """
    rounds = assign_rounds(len(widths), pairs, asks=asks, answers=answers)
    known = (
        {step: box.middle for step, box in enumerate(previous.boxes)}
        if previous is not None and len(previous.boxes) == len(widths)
        else None
    )
    rows = arrange(rounds, pairs, previous=known)
    middles = _spread(rows, widths, pairs, gap)
    places = {slot.step: slot for row in rows for slot in row if slot.edge is None}
    boxes = tuple(
        Box(
            left=middles[places[step]] - width / 2,
            top=rounds[step] * ROUND_HEIGHT + (ROUND_HEIGHT - CARD_HEIGHT) / 2,
            width=width,
        )
        for step, width in enumerate(widths)
    )
    stops: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for row in rows:
        for slot in row:
            if slot.edge is not None:
                stops.setdefault(slot.edge, []).append((middles[slot], (slot.round + 0.5) * ROUND_HEIGHT))
    return Layout(boxes, tuple(rounds), {edge: tuple(points) for edge, points in stops.items()})


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


def pack(wanted: Sequence[float], apart: Sequence[float]) -> list[float]:
    """Move points as little as possible so that neighbours keep their distance.

    Least squares under an order, by pooling neighbours that would overlap (isotonic regression).

    Args:
        wanted: Where each point would like to be, from left to right.
        apart: Least distance between each point and the next; one item fewer.

    Returns:
        Where each point is.
    """
    offsets = [0.0]
    for distance in apart:
        offsets.append(offsets[-1] + distance)
    blocks: list[tuple[float, int]] = []
    for want, offset in zip(wanted, offsets, strict=False):
        blocks.append((want - offset, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (mean_b, count_b), (mean_a, count_a) = blocks.pop(), blocks.pop()
            count = count_a + count_b
            blocks.append(((mean_a * count_a + mean_b * count_b) / count, count))
    means = [mean for mean, count in blocks for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=False)]


def free_stops(layout: Layout, pair: tuple[int, int]) -> tuple[tuple[float, float], ...]:
    """Lead an edge the drawing was not made for past the cards of the rounds between.

    Args:
        layout: The drawing.
        pair: An edge (from, to).

    Returns:
        Its stops from top to bottom: in each round the free place nearest to the straight line.
    """
    first, last = layout.rounds[pair[0]], layout.rounds[pair[1]]
    start, end = layout.boxes[pair[0]].middle, layout.boxes[pair[1]].middle
    stops = []
    for number in range(first + 1, last):
        straight = start + (end - start) * (number - first) / (last - first)
        stops.append((_free_place(layout, number, straight), (number + 0.5) * ROUND_HEIGHT))
    return tuple(stops)


def _free_place(layout: Layout, number: int, wanted: float) -> float:
    row = [box for box, at in zip(layout.boxes, layout.rounds, strict=True) if at == number]
    places = [wanted]
    for box in row:
        places += [box.left - STOP_WIDTH, box.left + box.width + STOP_WIDTH]
    clearance = STOP_WIDTH - 4
    free = [
        x
        for x in places
        if all(x <= box.left - clearance or x >= box.left + box.width + clearance for box in row)
    ]
    return min(free, key=lambda x: abs(x - wanted))


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
