"""The owner's drawing laid over the decided one, once the case is decided."""

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QButtonGroup, QVBoxLayout, QWidget

from scoring.model.case import Edge, Task
from ui.adjudication.drawings import with_answer
from ui.graph.overlay import OverlayPanel
from ui.theme import Button, ButtonKind, Card, theme

Drawings = Mapping[int, tuple[tuple[Edge, ...], tuple[Edge, ...]]]
_NAMES = ("you", "the owner")
_HEIGHT = 330


class OwnerGraph(Card):
    """One task at a time; a button for each task that has a drawing."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("owner-graph")
        self._tasks: Sequence[Task] = ()
        self._drawings: Drawings = {}
        self.panel = OverlayPanel("Drawings")
        self._group = QButtonGroup(self)
        self._group.idClicked.connect(self._show)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.addWidget(self.panel)
        self.setFixedHeight(theme().px(_HEIGHT))
        self.hide()

    def show_drawings(self, tasks: Sequence[Task], drawings: Drawings) -> None:
        """Show the drawings by task number; hidden where there are none."""
        self._tasks, self._drawings = tasks, drawings
        for button in self._group.buttons():
            self._group.removeButton(button)
            button.deleteLater()
        for task in drawings if len(drawings) > 1 else ():
            button = Button(f"Task {task + 1}", ButtonKind.GHOST)
            button.setCheckable(True)
            self._group.addButton(button, task)
            self.panel.header.add_left(button)
        self.setVisible(bool(drawings))
        differing = [task for task, (mine, owner) in drawings.items() if _said(mine) != _said(owner)]
        if drawings:
            self._show((differing or list(drawings))[0])

    def _show(self, task: int) -> None:
        button = self._group.button(task)
        if button is not None:
            button.setChecked(True)
        shown = self._tasks[task]
        mine, owner = (with_answer(shown, edges) for edges in self._drawings[task])
        self.panel.show_drawings(shown, mine, owner, names=_NAMES)
        self.panel.view.fit()


def _said(edges: Sequence[Edge]) -> set[tuple[tuple[int, int], str]]:
    return {(edge.pair, edge.kind.value) for edge in edges}
