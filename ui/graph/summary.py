"""The card under the canvas: orders, rounds, the policy drawn, the longest chain, redundant edges."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from scoring.model.case import Task
from scoring.model.graph import derive_policy, step_graph
from scoring.orders.legal_orders import STATE_LIMIT, summarise_orders
from ui.graph.branch_tree import BranchTree
from ui.graph.graph_words import (
    LARGEST_IN_FULL,
    chain_words,
    count_words,
    declared_chip,
    order_words,
    redundant_words,
)
from ui.graph.simulation import ScorerWords, Simulation, scorer_words
from ui.services.topics import set_topic
from ui.theme import Button, ButtonKind, Card, Stat, TextLabel, Tone, theme
from ui.theme.layouts import FlowLayout
from ui.theme.words import POLICY_SHORT, counted

_MOST_DIGITS = 300


class SummaryCard(Card):
    """Figures of the drawing, or of the simulation while it runs.

    `choices` are the buttons that draw a whole task, by the last part of their command's id.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("graph-summary")
        self.orders, self.rounds, self.policy = Stat("Legal orders"), Stat("Fewest rounds"), Stat("Drawn as")
        self._stats = {"orders": self.orders, "rounds": self.rounds, "policy": self.policy}
        for name, stat in self._stats.items():
            stat.setObjectName(f"stat-{name}")
        self._words = _label("graph-summary-words", "small-muted", wraps=True)
        self._verdict = _label("graph-verdict", "small-muted", wraps=True)
        self._undrawn = _label("graph-undrawn", "strong", text="Not drawn yet")
        self._offer = _label("graph-offer", "accent")
        self.accept_all = Button("Accept all", ButtonKind.LINK)
        self.accept_all.setObjectName("graph-accept-all")
        self.accept_all.setToolTip("Draw every suggested edge")
        self.choices = {
            "unconnected": Button("No dependencies"),
            "recorded": Button("In the order recorded"),
            "suggested": Button("Accept suggestions"),
        }
        for name, button in self.choices.items():
            button.setObjectName(f"graph-{name}")
        self.choices["recorded"].setToolTip("Every step waits for the round recorded before its own")
        self._choices = QWidget()
        self._is_read_only = False
        self.branches = BranchTree()
        self._lay_out()
        set_topic("judgment.drawn", self)
        self.offer(0)
        self._begin(is_drawn=True)

    def _lay_out(self) -> None:
        look = theme()
        flow = FlowLayout(self._choices, gap=8, line_gap=6)
        flow.setContentsMargins(0, 0, 0, 0)
        for button in self.choices.values():
            flow.addWidget(button)
        stats, offer = QHBoxLayout(), QHBoxLayout()
        stats.setSpacing(look.px(24))
        for stat in self._stats.values():
            stats.addWidget(stat, 0, Qt.AlignmentFlag.AlignTop)
        stats.addStretch(1)
        offer.setSpacing(look.px(8))
        offer.addWidget(self._offer)
        offer.addWidget(self.accept_all)
        offer.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(look.px(12), look.px(10), look.px(12), look.px(10))
        column.setSpacing(look.px(6))
        column.addWidget(self._undrawn)
        column.addLayout(stats)
        for widget in (self._words, self._choices, self.branches, self._verdict):
            column.addWidget(widget)
        column.addLayout(offer)

    def set_read_only(self) -> None:
        """Offer no keys that draw a whole task."""
        self._is_read_only = True

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

    def show_undrawn(self, task: Task, *, suggested: int = 0) -> None:
        """Claim nothing about a task nobody has drawn, and offer to draw it with one key.

        Args:
            task: The task; its edges are proposals.
            suggested: How many more edges are suggested.
        """
        self._begin(is_drawn=False)
        proposed = len(task.drawn_edges) + suggested
        if self._is_read_only:
            words = "Nobody has drawn the dependencies yet."
        elif proposed:
            words = f"{counted(proposed, 'dotted edge')} proposed. Accept them, or draw your own."
        else:
            words = "Connect steps (D), or choose one of these:"
        self._words.setText(words)
        self.choices["suggested"].setVisible(bool(proposed))

    def _begin(self, *, is_drawn: bool) -> None:
        """Show the figures of a drawing, or that there is none; nothing of a simulation."""
        for stat in self._stats.values():
            stat.setVisible(is_drawn)
        self._undrawn.setVisible(not is_drawn)
        self._choices.setVisible(not is_drawn and not self._is_read_only)
        self.branches.hide()
        self._verdict.hide()

    def show_task(self, task: Task) -> None:
        """Show the figures of a drawing."""
        self._begin(is_drawn=True)
        summary = summarise_orders(step_graph(task))
        drawn = derive_policy(task)
        self.orders.set_name("Legal orders")
        self._show_count(summary.count)
        self.rounds.set_name("Fewest rounds")
        self.rounds.set_value(str(summary.rounds))
        self.rounds.set_chip("")
        self.policy.set_value(POLICY_SHORT[drawn] if drawn else "nothing yet", look="figure-word")
        self.policy.set_chip(*declared_chip(task.policy, drawn))
        self._words.setText(f"{chain_words(summary.chain)} {redundant_words(task)}")

    def show_simulation(self, task: Task, game: Simulation) -> None:
        """Show how a game of a task stands, what may come next, and what the scorer would say."""
        self._begin(is_drawn=True)
        self.orders.set_name("Orders left")
        self._show_count(game.remaining)
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

    def _show_count(self, count: int | None) -> None:
        if count is None:
            tip = f"Counting them would pass through more than {STATE_LIMIT:,} states of the task."
            self.orders.set_value("too many", look="figure-word", tip=tip)
        else:
            exact = f"{count:,}" if LARGEST_IN_FULL <= count < 10**_MOST_DIGITS else ""
            self.orders.set_value(count_words(count), tip=exact)


def _label(name: str, look: str, *, text: str = "", wraps: bool = False) -> TextLabel:
    label = TextLabel(text, look)
    label.setObjectName(name)
    label.setWordWrap(wraps)
    return label


def _advice(game: Simulation) -> str:
    if game.is_over:
        return "Played to the end: " + order_words(game.rounds) + ". Backspace takes a round back."
    if game.chosen:
        steps = " + ".join(map(str, sorted(game.chosen)))
        return f"Enter plays {steps}; Space or a click changes the choice."
    return "Choose calls with Space or a click, Enter plays the round; or take a round of the list."
