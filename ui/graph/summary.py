"""The card under the canvas: orders, rounds, the policy drawn, the longest chain, redundant edges."""

from collections.abc import Iterable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from scoring.model.case import Task
from scoring.model.graph import StepGraph, derive_policy, redundant_edges, step_graph
from scoring.model.taxonomy import Policy
from scoring.orders import OrderSummary, summarise_orders
from ui.graph.branch_tree import BranchTree
from ui.graph.counting import LARGEST_IN_FULL, count_words
from ui.graph.order_counter import PATIENT_LIMIT, OrderCounter
from ui.graph.simulation import Simulation
from ui.graph.verdict import ScorerWords, scorer_words
from ui.theme import Button, ButtonKind, Card, Stat, TextLabel, Tone, theme
from ui.theme.words import POLICY_SHORT, counted

_MOST_DIGITS = 300
_MOST_NAMED = 6
_LONGEST_CHAIN = 12
_COUNTED_AT_ONCE = 30
"""Steps up to which counting is quick enough to be done before the drawing is shown."""
_PAUSE_MILLISECONDS = 40


def chain_words(summary: OrderSummary) -> str:
    """The longest chain as a sentence."""
    if len(summary.chain) < 2:
        return "No step waits for another."
    named = [str(step) for step in summary.chain]
    if len(named) > _LONGEST_CHAIN:
        named = [*named[: _LONGEST_CHAIN - 4], "…", *named[-2:]]
        return f"Longest chain {' → '.join(named)}: {len(summary.chain)} steps."
    return "Longest chain " + " → ".join(named) + "."


def redundant_words(task: Task) -> str:
    """The redundant edges as a sentence."""
    pairs = [edge.pair for edge in redundant_edges(task)]
    if not pairs:
        return "No redundant edges."
    names = ", ".join(f"{source} → {target}" for source, target in pairs[:_MOST_NAMED])
    rest = f" and {len(pairs) - _MOST_NAMED} more" if len(pairs) > _MOST_NAMED else ""
    return f"{counted(len(pairs), 'redundant edge')}: {names}{rest}."


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
        self.branches = BranchTree()
        self.branches.hide()
        self._verdict = TextLabel("", "small-muted")
        self._verdict.setObjectName("graph-verdict")
        self._verdict.setWordWrap(True)
        self._verdict.hide()
        self._counter = OrderCounter(self)
        self._counter.counted.connect(self._show_counted)
        self._due: Task | None = None
        self._summed: tuple[StepGraph, OrderSummary] | None = None
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
        column.addWidget(self.branches)
        column.addWidget(self._verdict)
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
    def verdict(self) -> str:
        """What the scorer would say about the game; empty outside one."""
        return "" if self._verdict.isHidden() else self._verdict.text()

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
        graph = step_graph(task)
        if self._summed is None or self._summed[0] != graph:
            self._summed = (graph, summarise_orders(graph))
        summary = self._summed[1]
        drawn = derive_policy(task)
        self.branches.hide()
        self._verdict.hide()
        self.orders.set_name("Legal orders")
        self._show_count(summary.count, graph)
        self.rounds.set_name("Fewest rounds")
        self.rounds.set_value(str(summary.rounds))
        self.rounds.set_chip("")
        self.policy.setVisible(True)
        self.policy.set_value(POLICY_SHORT[drawn] if drawn else "nothing yet", look="figure-word")
        self.policy.set_chip(*declared_chip(task.policy, drawn))
        self._words.setText(f"{chain_words(summary)} {redundant_words(task)}")

    def show_simulation(self, task: Task, game: Simulation) -> None:
        """Show how a game of a task stands, what may come next, and what the scorer would say."""
        self._due = None
        self.orders.set_name("Orders left")
        self._show_count(game.remaining, game.graph, game.done)
        self.rounds.set_name("Rounds played")
        self.rounds.set_value(str(len(game.rounds)))
        if game.is_optimal:
            self.rounds.set_chip("optimal" if game.is_over else "still optimal", Tone.OK)
        else:
            self.rounds.set_chip(f"at best {game.fewest_total}", Tone.WARN)
        self.policy.setVisible(False)
        self._words.setText(_advice(game))
        self.branches.show_game(game)
        self.say_verdict(scorer_words(task, game.rounds))

    def say_verdict(self, said: ScorerWords) -> None:
        """Show what the scorer would say; only while a game is played."""
        self._verdict.setText(said.text)
        self._verdict.set_look("small-muted" if said.tone is Tone.NEUTRAL else said.tone.value)
        self._verdict.setVisible(True)

    def _show_count(self, count: int | None, graph: StepGraph, done: Iterable[int] = ()) -> None:
        self._counter.forget()
        if count is None:
            self.orders.set_value("counting …", look="figure-word")
            self._counter.count(graph, done)
        else:
            self._show_counted(count)

    def _show_counted(self, count: int | None) -> None:
        if count is None:
            tip = f"Counting them would pass through more than {PATIENT_LIMIT:,} states of the task."
            self.orders.set_value("too many", look="figure-word", tip=tip)
        else:
            exact = f"{count:,}" if LARGEST_IN_FULL <= count < 10**_MOST_DIGITS else ""
            self.orders.set_value(count_words(count), tip=exact)


def _advice(game: Simulation) -> str:
    if game.is_over:
        return "Played to the end: " + order_words(game.rounds) + ". Backspace takes a round back."
    if game.chosen:
        steps = " + ".join(map(str, sorted(game.chosen)))
        return f"Enter plays {steps}; Space or a click changes the choice."
    return "Choose calls with Space or a click, Enter plays the round; or take a round of the list."
