"""The card under the canvas: orders, rounds, the policy drawn, chains, redundant edges, and the branches."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QTreeWidgetItemIterator,
    QWidget,
)

from scoring.model.case import Task
from scoring.model.graph import StepGraph, derive_policy, step_graph
from scoring.orders.lattice import lattice_of
from scoring.orders.legal_orders import longest_dependent_chain, optimal_rounds
from scoring.texts import joined, tr, tr_count
from ui.graph.canvas_content import (
    chain_words,
    declared_chip,
    order_words,
    redundant_words,
)
from ui.graph.order_counts import OrderCounts, ShownCount
from ui.graph.simulation import ScorerWords, Simulation, branching_of, scorer_words
from ui.services.operations import Operations
from ui.services.topics import set_topic
from ui.theme import Button, ButtonKind, Card, Stat, TextLabel, Tone, theme
from ui.theme.layouts import STRETCH, FlowLayout, build, hbox, show_all, vbox
from ui.theme.look import icon
from ui.theme.words import POLICY_SHORT


class SummaryCard(Card):
    """Figures of the drawing, or of the simulation while it runs.

    `choices` are the buttons that draw a whole task, by the last part of their command's id.
    """

    def __init__(self, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent, objectName="graph-summary")
        self._counts = OrderCounts(operations, self, changed=self._show_counts)
        self._shown = StepGraph((), ())
        self._done: frozenset[int] = frozenset()
        self.orders = Stat(tr("Legal orders"), objectName="stat-orders")
        self.rounds = Stat(tr("Fewest rounds"), objectName="stat-rounds")
        self.policy = Stat(tr("Drawn as"), objectName="stat-policy")
        self._stats = (self.orders, self.rounds, self.policy)
        self.words = TextLabel("", "small-muted", objectName="graph-summary-words", wordWrap=True)
        self.verdict = TextLabel("", "small-muted", objectName="graph-verdict", wordWrap=True)
        self._undrawn = TextLabel(tr("Not drawn yet"), "strong", objectName="graph-undrawn")
        self._offer = TextLabel("", "accent", objectName="graph-offer")
        self.accept_all = Button(
            tr("Accept all"),
            ButtonKind.LINK,
            objectName="graph-accept-all",
            toolTip=tr("Draw every suggested edge"),
        )
        self.choices = {
            "unconnected": Button(tr("No dependencies"), objectName="graph-unconnected"),
            "recorded": Button(
                tr("In the order recorded"),
                objectName="graph-recorded",
                toolTip=tr("Every step waits for the round recorded before its own"),
            ),
            "suggested": Button(tr("Accept suggestions"), objectName="graph-suggested"),
        }
        self._choices = QWidget()
        self.is_read_only = False
        """Whether no keys are offered that draw a whole task."""
        self.names_policy = True
        """Whether the policy drawn is named; not where it is asked for."""
        self.branches = BranchTree(self._counts)
        self._lay_out()
        set_topic("judgment.drawn", self)
        self.offer(0)
        self._begin(is_drawn=True)

    def _lay_out(self) -> None:
        stats = QWidget()
        FlowLayout(*self._stats, within=stats, gap=24)
        FlowLayout(*self.choices.values(), within=self._choices, gap=8, line_gap=6)
        vbox(
            self._undrawn,
            stats,
            self.words,
            self._choices,
            self.branches,
            self.verdict,
            hbox(self._offer, self.accept_all, STRETCH, gap=8),
            within=self,
            gap=6,
            margins=(12, 10),
        )

    def offer(self, count: int) -> None:
        """Say how many edges are suggested, and offer to accept them; nothing for none."""
        words = tr("{suggested_edge}, dotted.", suggested_edge=tr_count(count, "suggested edge"))
        self._offer.say(words if count else "")
        self.accept_all.setVisible(count > 0)

    def show_undrawn(self, proposed: int) -> None:
        """Claim nothing about a task nobody has drawn, and offer to draw it with one key.

        Args:
            proposed: How many edges are proposed, by its file or by what flows.
        """
        self._begin(is_drawn=False)
        drawn = tr(
            "{dotted_edge} proposed. Accept them, or draw your own.",
            dotted_edge=tr_count(proposed, "dotted edge"),
        )
        words = drawn if proposed else tr("Connect steps (D), or choose one of these:")
        self.words.setText(tr("Nobody has drawn the dependencies yet.") if self.is_read_only else words)
        self.choices["suggested"].setVisible(bool(proposed))

    def _begin(self, *, is_drawn: bool) -> None:
        """Show the figures of a drawing, or that there is none; nothing of a simulation."""
        show_all(*self._stats, on=is_drawn)
        self._undrawn.setVisible(not is_drawn)
        self._choices.setVisible(not is_drawn and not self.is_read_only)
        self.branches.hide()
        self.verdict.hide()

    def show_task(self, task: Task) -> None:
        """Show the figures of a drawing."""
        self._begin(is_drawn=True)
        self._shown, self._done = step_graph(task), frozenset()
        lattice = lattice_of(self._shown)
        drawn = derive_policy(task)
        self.orders.set_name(tr("Legal orders"))
        self._show_counts()
        self.rounds.set_name(tr("Fewest rounds"))
        self.rounds.set_value(str(optimal_rounds(lattice)))
        self.rounds.set_chip("")
        self.policy.set_value(POLICY_SHORT[drawn] if drawn else tr("nothing yet"), look="figure-word")
        self.policy.set_chip(*declared_chip(task.policy, drawn))
        self.policy.setVisible(self.names_policy)
        self.words.setText(joined(chain_words(longest_dependent_chain(lattice)), redundant_words(task)))

    def show_simulation(self, task: Task, game: Simulation) -> None:
        """Show how a game of a task stands, what may come next, and what the scorer would say."""
        self._begin(is_drawn=True)
        self.orders.set_name(tr("Orders left"))
        self._shown, self._done = game.graph, game.done
        self._show_counts()
        self.rounds.set_name(tr("Rounds played"))
        self.rounds.set_value(str(len(game.rounds)))
        if game.is_optimal:
            self.rounds.set_chip(tr("optimal") if game.is_over else tr("still optimal"), Tone.OK)
        else:
            self.rounds.set_chip(tr("at best {fewest_total}", fewest_total=game.fewest_total), Tone.WARN)
        self.policy.setVisible(False)
        self.words.setText(_advice(game))
        self.branches.show_game(game)
        self.say_verdict(scorer_words(task, game.rounds))

    def say_verdict(self, said: ScorerWords) -> None:
        """Show what the scorer would say; only while a game is played."""
        self.verdict.say(said.text, "small-muted" if said.tone is Tone.NEUTRAL else said.tone.value)

    def _show_counts(self) -> None:
        found = self._counts.count(self._shown, self._done)
        self.orders.set_value(
            found.words, look="figure-word" if found.count is None else "figure", tip=found.tip
        )
        self.branches.show_counts()


def _advice(game: Simulation) -> str:
    if game.is_over:
        return tr("Played to the end: ") + order_words(game.rounds) + tr(". Backspace takes a round back.")
    if game.chosen:
        steps = " + ".join(map(str, sorted(game.chosen)))
        return tr("Enter plays {steps}; Space or a click changes the choice.", steps=steps)
    return tr("Choose calls with Space or a click, Enter plays the round; or take a round of the list.")


_BRANCH_ROLE = Qt.ItemDataRole.UserRole
_MOST_ROWS = 6


class BranchTree(QTreeWidget):
    """Shows what may come next; a branch is worked out when it is unfolded.

    `round_wanted` carries the steps of a first branch that was activated.
    """

    round_wanted = Signal(object)

    def __init__(self, counts: OrderCounts, parent: QWidget | None = None) -> None:
        self._counts = counts
        build(
            super().__init__,
            parent,
            objectName="graph-branches",
            accessibleName=tr("Rounds that may come next"),
            selectionMode=QAbstractItemView.SelectionMode.SingleSelection,
            uniformRowHeights=True,
            indentation=theme().px(14),
            itemExpanded=self._unfold,
            itemCollapsed=self._take_room,
            itemActivated=self._want,
        )
        self.setHeaderLabels([tr("Next round"), tr("Orders left"), tr("Rounds in all")])
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in (1, 2):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
            self.headerItem().setTextAlignment(column, Qt.AlignmentFlag.AlignRight)

    def show_game(self, game: Simulation) -> None:
        """Show the branches of a game; those that were unfolded before are folded again."""
        self.clear()
        self._fill(self.invisibleRootItem(), game)
        self._take_room()
        self.setVisible(not game.is_over)

    def _take_room(self) -> None:
        shown, item = 0, self.topLevelItem(0)
        while item is not None and shown < _MOST_ROWS:
            shown, item = shown + 1, self.itemBelow(item)
        row = self.sizeHintForRow(0) if shown else 0
        self.setFixedHeight(self.header().sizeHint().height() + shown * row + 2 * self.frameWidth())

    def _fill(self, parent: QTreeWidgetItem, game: Simulation) -> None:
        found = branching_of(game)
        # Where even the whole takes long to count, so do most of its parts.
        is_quick = self._counts.count(game.graph, game.done).is_known
        for branch in found.branches:
            count = self._counts.count(branch.graph, branch.done, is_quick=is_quick)
            parent.addChild(_row(branch, count, fewest=game.fewest_total))
        if found.left_out:
            rest = QTreeWidgetItem(
                [tr("… and {other_round}", other_round=tr_count(found.left_out, "other round"))]
            )
            rest.setFlags(Qt.ItemFlag.NoItemFlags)
            rest.setFirstColumnSpanned(True)
            parent.addChild(rest)

    def show_counts(self) -> None:
        """Show the numbers that were being counted, whatever is folded."""
        rows = QTreeWidgetItemIterator(self)
        while item := rows.value():
            branch = item.data(0, _BRANCH_ROLE)
            if isinstance(branch, Simulation):
                item.setText(1, self._counts.count(branch.graph, branch.done, is_quick=False).words)
            rows += 1

    def _unfold(self, item: QTreeWidgetItem) -> None:
        branch = item.data(0, _BRANCH_ROLE)
        if isinstance(branch, Simulation) and item.childCount() == 0:
            self._fill(item, branch)
        self._take_room()

    def _want(self, item: QTreeWidgetItem) -> None:
        branch = item.data(0, _BRANCH_ROLE)
        if isinstance(branch, Simulation) and item.parent() is None:
            self.round_wanted.emit(branch.rounds[-1])


def _row(branch: Simulation, count: ShownCount, *, fewest: int) -> QTreeWidgetItem:
    total = branch.fewest_total
    longer = total - fewest
    words = f"{total} (+{longer})" if longer else str(total)
    item = QTreeWidgetItem([" + ".join(map(str, branch.rounds[-1])), count.words, words])
    item.setData(0, _BRANCH_ROLE, branch)
    for column in (1, 2):
        item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    item.setToolTip(
        2,
        tr("costs {round} more", round=tr_count(longer, "round"))
        if longer
        else tr("keeps the fewest rounds within reach"),
    )
    item.setIcon(2, icon("warning", tone=Tone.WARN) if longer else icon("check", tone=Tone.OK))
    if not branch.is_over:
        item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
    return item
