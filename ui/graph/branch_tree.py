"""The decision tree of a game as a list that unfolds: which rounds may come next, and what each leaves."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from ui.graph.graph_words import count_words
from ui.graph.simulation import Branch, Simulation, branching_of
from ui.theme import Tone, theme
from ui.theme.icons import icon
from ui.theme.words import counted

_BRANCH_ROLE = Qt.ItemDataRole.UserRole
_MOST_ROWS = 6


class BranchTree(QTreeWidget):
    """Shows what may come next; a branch is worked out when it is unfolded.

    `round_wanted` carries the steps of a first branch that was activated.
    """

    round_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("graph-branches")
        self.setAccessibleName("Rounds that may come next")
        self.setHeaderLabels(["Next round", "Orders left", "Rounds in all"])
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setUniformRowHeights(True)
        self.setIndentation(theme().px(14))
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in (1, 2):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
            self.headerItem().setTextAlignment(column, Qt.AlignmentFlag.AlignRight)
        self.itemExpanded.connect(self._unfold)
        self.itemExpanded.connect(self._take_room)
        self.itemCollapsed.connect(self._take_room)
        self.itemActivated.connect(self._want)

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
        for branch in found.branches:
            parent.addChild(_row(branch, fewest=game.fewest_total))
        if found.left_out:
            rest = QTreeWidgetItem([f"… and {counted(found.left_out, 'other round')}"])
            rest.setFlags(Qt.ItemFlag.NoItemFlags)
            rest.setFirstColumnSpanned(True)
            parent.addChild(rest)

    def _unfold(self, item: QTreeWidgetItem) -> None:
        branch = item.data(0, _BRANCH_ROLE)
        if isinstance(branch, Branch) and item.childCount() == 0:
            self._fill(item, branch.game)

    def _want(self, item: QTreeWidgetItem) -> None:
        branch = item.data(0, _BRANCH_ROLE)
        if isinstance(branch, Branch) and item.parent() is None:
            self.round_wanted.emit(branch.steps)


def _row(branch: Branch, *, fewest: int) -> QTreeWidgetItem:
    count = "too many" if branch.remaining is None else count_words(branch.remaining)
    total = branch.game.fewest_total
    longer = total - fewest
    words = f"{total} (+{longer})" if longer else str(total)
    item = QTreeWidgetItem([" + ".join(map(str, branch.steps)), count, words])
    item.setData(0, _BRANCH_ROLE, branch)
    for column in (1, 2):
        item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    tip = f"costs {counted(longer, 'round')} more" if longer else "keeps the fewest rounds within reach"
    item.setToolTip(2, tip)
    item.setIcon(2, icon("warning", tone=Tone.WARN) if longer else icon("check", tone=Tone.OK))
    if not branch.game.is_over:
        item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
    return item
