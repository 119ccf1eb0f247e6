"""The errors of a run: one bar, a piece an error class, and below it every class with its name and share."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QToolTip, QWidget

from annotator.guidelines import mistake_topic
from scoring.groups import collected
from scoring.scorecard import Scorecard
from scoring.texts import tr, tr_count, with_commas
from ui.runs.failure_view import ALL, OUTSIDE, failed_tasks, kind_of
from ui.theme import Button, ButtonKind, Dot, PanelHeader, TextLabel, theme
from ui.theme.layouts import FlowLayout, build, clear_layout, hbox, vbox
from ui.theme.look import follow_theme, paint_box, paint_with
from ui.theme.tokens import mix

_BAR = 18
_HUES = ("accent", "user", "answer", "call", "observation")
_FAINT = 0.45


@dataclass(frozen=True)
class ErrorShare:
    """One class of errors: what it is called, its key, how many tasks."""

    kind: str
    count: int

    @property
    def words(self) -> str:
        """What it is called."""
        return tr("Outside the model") if self.kind == OUTSIDE else tr(self.kind)


def pieces_of(card: Scorecard) -> tuple[ErrorShare, ...]:
    """The classes of a run's failed tasks, most frequent first; those outside the model last."""
    counts = Counter(map(kind_of, failed_tasks(card)))
    ordered = sorted(counts.items(), key=lambda item: (item[0] == OUTSIDE, -item[1], item[0]))
    return tuple(ErrorShare(kind, count) for kind, count in ordered)


class ErrorBar(QWidget):
    """Shows pieces; one of them may be chosen."""

    chosen = Signal(str)
    """The class that was chosen, empty for all."""

    def __init__(self, **properties: Any) -> None:
        build(
            super().__init__,
            objectName="error-bar",
            **properties,
            focusPolicy=Qt.FocusPolicy.StrongFocus,
            mouseTracking=True,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed),
        )
        self._pieces: tuple[ErrorShare, ...] = ()
        self.kind = ALL
        """The chosen class; empty for all."""

    def show_pieces(self, pieces: Sequence[ErrorShare], *, kind: str = ALL) -> None:
        """Show the classes of a run."""
        self._pieces = tuple(pieces)
        self.kind = kind if kind in [piece.kind for piece in pieces] else ALL
        self.setAccessibleName(
            tr("Errors: {kinds}", kinds=with_commas(f"{p.words} {p.count:,}" for p in pieces))
        )
        self.updateGeometry()
        self.update()

    def choose(self, kind: str) -> None:
        """Choose a class; the chosen one again chooses all."""
        self.kind = ALL if kind == self.kind else kind
        self.update()
        self.chosen.emit(self.kind)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(240), theme().px(_BAR + 4))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            piece = self._piece_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), self._tip(piece) if piece else "", self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        piece = self._piece_at(event.position())
        if piece is not None:
            self.choose(piece.kind)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}.get(Qt.Key(event.key()))
        if step is not None and self._pieces:
            self._walk(step)
        elif event.key() == Qt.Key.Key_Escape and self.kind:
            self.choose(self.kind)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme()
        painter = paint_with(QPainter(self), is_smooth=True)
        box = self._box()
        clip = QPainterPath()
        clip.addRoundedRect(box, look.px(4), look.px(4))
        painter.setClipPath(clip)
        painter.fillRect(box, look.colour("line"))
        for number, (piece, room) in enumerate(zip(self._pieces, self._rooms(), strict=True)):
            painter.fillRect(room, colour_of(number, piece, is_quiet=self.kind not in (ALL, piece.kind)))
        painter.setClipping(False)
        if self.hasFocus():
            paint_box(
                painter,
                box.adjusted(-1.5, -1.5, 1.5, 1.5),
                look.px(5),
                pen=QPen(look.colour("accent"), 1),
                brush=Qt.BrushStyle.NoBrush,
            )

    def _walk(self, by: int) -> None:
        kinds = [piece.kind for piece in self._pieces]
        last = len(kinds) - 1
        at = min(max(kinds.index(self.kind) + by, 0), last) if self.kind in kinds else 0 if by > 0 else last
        if kinds[at] != self.kind:
            self.choose(kinds[at])

    def _box(self) -> QRectF:
        height = theme().px(_BAR)
        return QRectF(2, (self.height() - height) / 2, self.width() - 4, height)

    @collected
    def _rooms(self) -> Iterator[QRectF]:
        box, total = self._box(), sum(piece.count for piece in self._pieces) or 1
        left = box.left()
        for piece in self._pieces:
            width = box.width() * piece.count / total
            yield QRectF(left, box.top(), width, box.height())
            left += width

    def _piece_at(self, point: QPointF) -> ErrorShare | None:
        rooms = zip(self._pieces, self._rooms(), strict=True)
        return next((piece for piece, room in rooms if room.contains(point)), None)

    def _tip(self, piece: ErrorShare) -> str:
        total = sum(one.count for one in self._pieces)
        return f"{piece.words}: {tr_count(piece.count, 'task')}, {100 * piece.count / total:.1f} %"


def colour_of(number: int, piece: ErrorShare, *, is_quiet: bool = False) -> QColor:
    """The colour of a piece by its place in the bar; from the sixth on, and outside the model, grey."""
    tokens = theme().tokens
    plain = tokens.line_strong
    if piece.kind != OUTSIDE and number < len(_HUES):
        plain = str(getattr(tokens, _HUES[number]))
    elif piece.kind != OUTSIDE:
        plain = mix(tokens.muted, tokens.surface, 0.5 + 0.1 * (number % 3))
    return QColor(mix(plain, tokens.surface, _FAINT)) if is_quiet else QColor(plain)


class ErrorPanel(QFrame):
    """Shows the errors of one run; a class is chosen in the bar or in the list below."""

    chosen = Signal(str)
    """The class that was chosen, empty for all."""

    def __init__(self, **properties: Any) -> None:
        build(super().__init__, objectName="errors", **properties, topic="measure.errors")
        self._card: Scorecard | None = None
        self._name = ""
        self._count = TextLabel("", "small-muted", objectName="error-count")
        header = PanelHeader(tr("Errors"), self._count)
        self._bar = ErrorBar(chosen=self._redraw)
        self._bar.chosen.connect(self.chosen)
        legend = QWidget()
        self._legend = FlowLayout(within=legend, gap=12, line_gap=1)
        vbox(header, vbox(self._bar, legend, gap=8, margins=(12, 10, 12, 12)), within=self)
        follow_theme(self._redraw)

    def show_card(self, name: str, card: Scorecard | None) -> None:
        """Show the errors of a run; None while it is being read."""
        self._name, self._card = name, card
        pieces = pieces_of(card) if card else ()
        self._bar.show_pieces(pieces, kind=self._bar.kind)
        total = sum(piece.count for piece in pieces)
        self._count.setText(f"{name} · {tr_count(total, 'failed task')}" if card else name)
        self._redraw()

    @property
    def kind(self) -> str:
        """The chosen class; empty for all."""
        return self._bar.kind

    def _redraw(self) -> None:
        clear_layout(self._legend)
        pieces = pieces_of(self._card) if self._card else ()
        own = sum(piece.count for piece in pieces if piece.kind != OUTSIDE)
        for number, piece in enumerate(pieces):
            label = TextLabel(
                f"{100 * piece.count / own:.1f} %" if piece.kind != OUTSIDE else f"{piece.count:,}",
                "small-muted",
                toolTip=tr(
                    "{task} of {own:,} failures of the model", task=tr_count(piece.count, "task"), own=own
                ),
            )
            line = QWidget()
            hbox(Dot(colour_of(number, piece)), self._button(piece), label, within=line, gap=4)
            self._legend.addWidget(line)

    def _button(self, piece: ErrorShare) -> Button:
        return Button(
            piece.words,
            ButtonKind.GHOST,
            objectName=f"error-{piece.kind}",
            checkable=True,
            checked=self._bar.kind == piece.kind,
            toolTip=tr("Show only these failures, or all again"),
            clicked=partial(self._bar.choose, piece.kind),
            topic=mistake_topic(piece.kind) or "measure.errors",
        )
