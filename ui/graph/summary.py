"""The card under the canvas: orders, rounds, the policy drawn, the longest chain, redundant edges."""

import math

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from scoring.model.case import Task
from scoring.model.graph import derive_policy, redundant_edges, step_graph
from scoring.model.taxonomy import Policy
from scoring.orders import OrderSummary, summarise_orders
from ui.graph.simulation import Simulation
from ui.theme import Button, ButtonKind, Card, Stat, TextLabel, Tone, theme
from ui.theme.words import POLICY_SHORT, counted

_SHOWN_ORDERS = 3
_LARGEST_IN_FULL = 10**15
_MOST_DIGITS = 300
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_COUNTED_AT_ONCE = 30
"""Steps up to which counting is quick enough to be done before the drawing is shown."""
_PAUSE_MILLISECONDS = 40


def chain_words(summary: OrderSummary) -> str:
    """The longest chain as a sentence."""
    if len(summary.chain) < 2:
        return "No step waits for another."
    return "Longest chain " + " → ".join(map(str, summary.chain)) + "."


def redundant_words(task: Task) -> str:
    """The redundant edges as a sentence."""
    pairs = [edge.pair for edge in redundant_edges(task)]
    if not pairs:
        return "No redundant edges."
    names = ", ".join(f"{source} → {target}" for source, target in pairs)
    return f"{counted(len(pairs), 'redundant edge')}: {names}."


def declared_chip(declared: Policy | None, drawn: Policy | None) -> tuple[str, Tone]:
    """What the chip beside the drawn policy says about the declared one."""
    if drawn is None:
        return "", Tone.NEUTRAL
    if declared is None:
        return "not labelled", Tone.NEUTRAL
    if declared is drawn:
        return "as declared", Tone.OK
    return f"declared {POLICY_SHORT[declared]}", Tone.WARN


def order_words(order: tuple[tuple[int, ...], ...]) -> str:
    """An order on one line: rounds apart by blanks, steps that run together joined by a plus."""
    return "  ".join("+".join(map(str, steps)) for steps in order)


def count_words(count: int) -> str:
    """A number of orders as people read it: in full up to fifteen digits, else as a power of ten."""
    if count < _LARGEST_IN_FULL:
        return f"{count:,}"
    power = math.floor(math.log10(count))
    leading = count // 10 ** (power - 2)
    return f"{leading / 100:.2f} × 10{str(power).translate(_RAISED)}"


class SummaryCard(Card):
    """Figures of the drawing, or of the game while it is played.

    Figures of large drawings follow a moment after the drawing itself, which must not wait for them.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("graph-summary")
        self.orders = Stat("Legal orders")
        self.orders.setObjectName("stat-orders")
        self.rounds = Stat("Fewest rounds")
        self.rounds.setObjectName("stat-rounds")
        self.policy = Stat("Drawn as")
        self.policy.setObjectName("stat-policy")
        self._words = TextLabel("", "small-muted")
        self._words.setObjectName("graph-summary-words")
        self._words.setWordWrap(True)
        self.accept_all = Button("Accept all", ButtonKind.LINK)
        self.accept_all.setObjectName("graph-accept-all")
        self.accept_all.setToolTip("Draw every suggested edge")
        self._offer = TextLabel("", "accent")
        self._offer.setObjectName("graph-offer")
        self._due: Task | None = None
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_PAUSE_MILLISECONDS)
        self._later.timeout.connect(self._show_due)
        look = theme()
        row = QHBoxLayout()
        row.setSpacing(look.px(24))
        for stat in (self.orders, self.rounds, self.policy):
            row.addWidget(stat, 0, Qt.AlignmentFlag.AlignTop)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(look.px(12), look.px(10), look.px(12), look.px(10))
        column.setSpacing(look.px(6))
        column.addLayout(row)
        column.addWidget(self._words)
        offer = QHBoxLayout()
        offer.setSpacing(look.px(8))
        offer.addWidget(self._offer)
        offer.addWidget(self.accept_all)
        offer.addStretch(1)
        column.addLayout(offer)
        self.offer(0)

    def offer(self, count: int) -> None:
        """Say how many edges are suggested, and offer to accept them; nothing for none."""
        self._offer.setText(f"{counted(count, 'suggested edge')}, dotted.")
        self._offer.setVisible(count > 0)
        self.accept_all.setVisible(count > 0)

    @property
    def words(self) -> str:
        """The sentence under the figures."""
        return self._words.text()

    def show_task(self, task: Task) -> None:
        """Show the figures of a drawing."""
        self._due = task
        if len(task.steps) > _COUNTED_AT_ONCE:
            self._later.start()
        else:
            self._show_due()

    def _show_due(self) -> None:
        self._later.stop()
        task, self._due = self._due, None
        if task is None:
            return
        summary = summarise_orders(step_graph(task))
        drawn = derive_policy(task)
        self.orders.set_name("Legal orders")
        self._show_count(summary.count, summary.state_limit)
        self.rounds.set_name("Fewest rounds")
        self.rounds.set_value(str(summary.rounds))
        self.rounds.set_chip("")
        self.policy.setVisible(True)
        self.policy.set_value(POLICY_SHORT[drawn] if drawn else "nothing yet", look="figure-word")
        self.policy.set_chip(*declared_chip(task.policy, drawn))
        self._words.setText(f"{chain_words(summary)} {redundant_words(task)}")

    def show_simulation(self, game: Simulation) -> None:
        """Show how a game stands."""
        self._due = None
        self.orders.set_name("Orders left")
        self._show_count(game.remaining, summarise_orders(game.graph).state_limit)
        self.rounds.set_name("Rounds played")
        self.rounds.set_value(str(len(game.rounds)))
        if game.is_optimal:
            self.rounds.set_chip("optimal" if game.is_over else "still optimal", Tone.OK)
        else:
            self.rounds.set_chip(f"at best {game.fewest_total}", Tone.WARN)
        self.policy.setVisible(False)
        self._words.setText(self._advice(game))

    def _show_count(self, count: int | None, limit: int) -> None:
        if count is None:
            tip = f"Counting them would pass through more than {limit:,} states of the task."
            self.orders.set_value("too many", look="figure-word", tip=tip)
        else:
            exact = f"{count:,}" if _LARGEST_IN_FULL <= count < 10**_MOST_DIGITS else ""
            self.orders.set_value(count_words(count), tip=exact)

    def _advice(self, game: Simulation) -> str:
        if game.is_over:
            return "Played to the end: " + order_words(game.rounds) + ". Backspace takes a round back."
        if game.chosen:
            steps = " + ".join(map(str, sorted(game.chosen)))
            return f"Enter plays {steps}; Space or a click changes the choice."
        orders = [order_words(order) for order in game.next_orders(_SHOWN_ORDERS)]
        more = " …" if game.remaining is None or game.remaining > len(orders) else ""
        return "Ways to go on: " + "  |  ".join(orders) + more
