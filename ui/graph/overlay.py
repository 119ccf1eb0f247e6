"""Two drawings of one task laid over each other, with the legend that tells them apart."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QLineF, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from scoring.model.case import Edge, Task
from ui.graph.looks import BOTH, ONLY_FIRST, ONLY_SECOND, OVERLAY_COLOURS, EdgeLook
from ui.graph.view import GraphView
from ui.theme import PanelHeader, TextLabel, theme


class _Sample(QWidget):
    """A short piece of a line as it is drawn."""

    def __init__(self, look: EdgeLook, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    @property
    def colour(self) -> str:
        """The colour of the tokens it is drawn in."""
        return self._look.colour

    def set_colour(self, colour: str) -> None:
        """Draw it in another colour of the tokens."""
        self._look = replace(self._look, colour=colour)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(26), theme().px(16))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        pen = QPen(theme().colour(self._look.colour), self._look.width * theme().scale)
        if self._look.dashes:
            pen.setDashPattern(list(self._look.dashes))
        painter.setPen(pen)
        level = self.height() / 2
        painter.drawLine(QLineF(0, level, self.width(), level))


class Legend(QWidget):
    """Which line means what."""

    def __init__(self, names: tuple[str, str] = ("A", "B"), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("graph-legend")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme().px(6))
        self._words = []
        self._samples = []
        for look in (BOTH, ONLY_FIRST, ONLY_SECOND):
            word, sample = TextLabel("", "small-muted"), _Sample(look)
            self._words.append(word)
            self._samples.append(sample)
            row.addWidget(sample)
            row.addWidget(word)
        self.set_names(names)

    def set_names(self, names: tuple[str, str]) -> None:
        """Name the two drawings."""
        texts = ("both", f"only {names[0]}", f"only {names[1]}")
        for label, text in zip(self._words, texts, strict=True):
            label.setText(text)
        self.setAccessibleName("Lines: " + ", ".join(texts))

    @property
    def colours(self) -> tuple[str, str]:
        """The colours of the tokens the two drawings have."""
        return self._samples[1].colour, self._samples[2].colour

    def set_colours(self, colours: tuple[str, str]) -> None:
        """Show the two drawings in other colours of the tokens."""
        for sample, colour in zip(self._samples[1:], colours, strict=True):
            sample.set_colour(colour)


class OverlayPanel(QWidget):
    """Header with a legend, and the canvas with both drawings."""

    def __init__(self, title: str = "Graphs, laid over each other", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("graph-overlay")
        self.view = GraphView()
        self.view.set_read_only(on=True)
        self.header = PanelHeader(title)
        self._legend = Legend()
        self.header.add_right(self._legend)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.view, 1)

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
        self._legend.set_names(names)
        self._legend.set_colours(colours)
        self.view.show_overlay(task, first, second, names=names, colours=colours)
