"""Two drawings of one task laid over each other, with the legend that tells them apart."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QLineF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from scoring.model.case import Edge, Task
from ui.graph.canvas_content import BOTH, ONLY_FIRST, ONLY_SECOND, OVERLAY_COLOURS, EdgeLook
from ui.graph.edges import line_pen
from ui.graph.view import GraphView
from ui.theme import PanelHeader, TextLabel, theme
from ui.theme.layouts import vbox


class _Sample(QWidget):
    """A short piece of a line as it is drawn."""

    def __init__(self, look: EdgeLook, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(26), theme().px(16))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(line_pen(replace(self.look, width=self.look.width * theme().scale), self.look.colour))
        level = self.height() / 2
        painter.drawLine(QLineF(0, level, self.width(), level))


class Legend(QWidget):
    """Which line means what."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("graph-legend")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme().px(6))
        self._entries = [
            (_Sample(look), TextLabel("", "small-muted")) for look in (BOTH, ONLY_FIRST, ONLY_SECOND)
        ]
        for sample, word in self._entries:
            row.addWidget(sample)
            row.addWidget(word)
        self.explain(("A", "B"), OVERLAY_COLOURS)

    def explain(self, names: tuple[str, str], colours: tuple[str, str]) -> None:
        """Name the two drawings, and show them in colours of the tokens."""
        texts = ("both", f"only {names[0]}", f"only {names[1]}")
        for (sample, word), text, colour in zip(self._entries, texts, (BOTH.colour, *colours), strict=True):
            word.setText(text)
            sample.look = replace(sample.look, colour=colour)
            sample.update()
        self.setAccessibleName("Lines: " + ", ".join(texts))

    @property
    def colours(self) -> tuple[str, str]:
        """The colours of the tokens the two drawings have."""
        _, (first, _), (second, _) = self._entries
        return first.look.colour, second.look.colour


class OverlayPanel(QWidget):
    """Header with a legend, and the canvas with both drawings."""

    def __init__(self, title: str = "Drawings compared", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("graph-overlay")
        self.view = GraphView()
        self.view.set_read_only(on=True)
        self.header = PanelHeader(title)
        self._legend = Legend()
        self.header.add_right(self._legend)
        vbox(self.header, (self.view, 1), within=self)

    def show_drawings(
        self,
        task: Task,
        first: Sequence[Edge],
        second: Sequence[Edge],
        *,
        names: tuple[str, str] = ("A", "B"),
        colours: tuple[str, str] = OVERLAY_COLOURS,
    ) -> None:
        """Show two drawings of a task's steps.

        Args:
            task: Gives the steps; its own edges are not shown.
            first: Edges of one rater.
            second: Edges of the other.
            names: What the two are called.
            colours: Of the tokens, for what only the one or the other drew.
        """
        self._legend.explain(names, colours)
        self.view.show_overlay(task, first, second, names=names, colours=colours)
