"""The pictures of the shown runs: one is chosen, drawn in the window's colours, and can be saved."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from annotator.release.reports.album import Picture, album
from annotator.release.reports.score_figures import TITLES, Slice, accuracy_figure
from ui.charts import PictureView
from ui.runs.slices import NamedCard
from ui.services.operations import Operations, Pending
from ui.theme import theme
from ui.theme.buttons import ChoiceChip
from ui.theme.layouts import vbox

if TYPE_CHECKING:
    from annotator.project.workspace import Workspace

MOST_RUNS = 6
"""Runs that are drawn beside each other; more would be too thin to tell apart."""


class ChartPanel(QFrame):
    """Shows one of the pictures of some runs."""

    def __init__(self, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("charts")
        look = theme()
        self._operations = operations
        self._pictures: tuple[Picture, ...] = ()
        self._cards: tuple[NamedCard, ...] = ()
        self._pending: Pending | None = None
        self._which = ChoiceChip("chart-which", "Picture")
        self._which.chosen.connect(self._show_chosen)
        self._view = PictureView(operations, "chart")
        row = QHBoxLayout()
        row.setContentsMargins(look.px(12), look.px(8), look.px(12), look.px(4))
        row.addWidget(self._which)
        row.addStretch(1)
        vbox(row, (self._view, 1), within=self)

    def show_cards(self, cards: Sequence[NamedCard]) -> None:
        """Show pictures of some runs, in this order; none for no run."""
        if tuple(cards) == self._cards:
            return
        self._cards = tuple(cards)
        if self._pending is not None:
            self._pending.cancel()
        work = partial(_pictures, cards=self._cards)
        self._pending = self._operations.run(work, then=self._take)

    def _take(self, pictures: tuple[Picture, ...]) -> None:
        self._pending = None
        self._pictures = pictures
        self._which.set_choices([(one.name, one.caption.rstrip(".")) for one in pictures])
        self._show_chosen()

    def _show_chosen(self) -> None:
        chosen = next((one for one in self._pictures if one.name == self._which.value), None)
        if chosen is None:
            self._view.show_picture(None, "")
        else:
            self._view.show_picture(chosen.draw, chosen.caption)


def pictures_of(cards: Sequence[NamedCard]) -> tuple[Picture, ...]:
    """The pictures of some runs, accuracy by task order first."""
    if not cards:
        return ()
    title = TITLES[Slice.POSITION]
    order = Picture("position", title, partial(accuracy_figure, tuple(cards), Slice.POSITION))
    return (order, *album(tuple(cards)))


def _pictures(workspace: "Workspace", *, cards: tuple[NamedCard, ...]) -> tuple[Picture, ...]:
    return pictures_of(cards)
