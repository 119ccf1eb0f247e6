"""The errors of a run: the bar, and below it every class with its colour, name and share."""

from PySide6.QtCore import QEvent, QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QSizePolicy, QVBoxLayout, QWidget

from annotator.guidelines import mistake_topic
from scoring.scorecard import Scorecard
from ui.runs.failures.error_bar import ErrorBar, Piece, colour_of, pieces_of
from ui.runs.failures.failure_list import OUTSIDE
from ui.services.topics import set_topic
from ui.theme import Button, ButtonKind, PanelHeader, TextLabel, theme
from ui.theme.layouts import clear_layout, vbox
from ui.theme.words import counted


class ErrorPanel(QFrame):
    """Shows the errors of one run; a class is chosen in the bar or in the list below."""

    chosen = Signal(str)
    """The class that was chosen, empty for all."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("errors")
        set_topic("measure.errors", self)
        look = theme()
        self._card: Scorecard | None = None
        self._name = ""
        self._header = PanelHeader("Errors")
        self._count = TextLabel("", "small-muted")
        self._count.setObjectName("error-count")
        self._header.add_left(self._count)
        self._bar = ErrorBar()
        self._bar.chosen.connect(self.chosen)
        self._bar.chosen.connect(self._redraw)
        self._legend = QGridLayout()
        self._legend.setContentsMargins(0, 0, 0, 0)
        self._legend.setHorizontalSpacing(look.px(4))
        self._legend.setVerticalSpacing(look.px(1))
        self._legend.setColumnStretch(1, 1)
        self._legend.setColumnStretch(4, 1)
        inner = QVBoxLayout()
        inner.setContentsMargins(look.px(12), look.px(10), look.px(12), look.px(12))
        inner.setSpacing(look.px(8))
        inner.addWidget(self._bar)
        inner.addLayout(self._legend)
        vbox(self._header, inner, within=self)

    def show_card(self, name: str, card: Scorecard | None) -> None:
        """Show the errors of a run; null while it is being read."""
        self._name, self._card = name, card
        pieces = pieces_of(card) if card else ()
        self._bar.show_pieces(pieces, kind=self._bar.kind)
        total = sum(piece.count for piece in pieces)
        self._count.setText(f"{name}, {counted(total, 'failed task')}" if card else name)
        self._redraw()

    @property
    def kind(self) -> str:
        """The chosen class; empty for all."""
        return self._bar.kind

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._redraw()

    def _redraw(self) -> None:
        clear_layout(self._legend)
        pieces = pieces_of(self._card) if self._card else ()
        own = sum(piece.count for piece in pieces if piece.kind != OUTSIDE)
        half = (len(pieces) + 1) // 2
        for number, piece in enumerate(pieces):
            row, left = number % half, 3 * (number // half)
            self._legend.addWidget(_Swatch(number, piece), row, left)
            self._legend.addWidget(self._button(piece), row, left + 1)
            share = f"{100 * piece.count / own:.1f} %" if piece.kind != OUTSIDE else f"{piece.count:,}"
            label = TextLabel(share, "small-muted")
            label.setToolTip(f"{counted(piece.count, 'task')} of {own:,} failures of the model")
            self._legend.addWidget(label, row, left + 2)

    def _button(self, piece: Piece) -> Button:
        button = Button(piece.words, ButtonKind.GHOST)
        button.setObjectName(f"error-{piece.kind}")
        button.setCheckable(True)
        button.setChecked(self._bar.kind == piece.kind)
        button.setProperty("kind_of_error", piece.kind)
        button.setToolTip("Show only these failures, or all again")
        set_topic(mistake_topic(piece.kind) or "measure.errors", button)
        button.clicked.connect(self._choose)
        return button

    def _choose(self) -> None:
        self._bar.choose(str(self.sender().property("kind_of_error")))


class _Swatch(QWidget):
    """The colour of a piece, as a small square."""

    def __init__(self, number: int, piece: Piece) -> None:
        super().__init__()
        self._number, self._piece = number, piece
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        side = theme().px(9)
        return QSize(side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme().colour("surface"))
        painter.setBrush(colour_of(self._number, self._piece))
        painter.drawRoundedRect(QRectF(self.rect()), theme().px(2), theme().px(2))
