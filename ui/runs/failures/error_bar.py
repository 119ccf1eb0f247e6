"""The failed tasks of a run as one bar, a piece an error class; a piece is chosen by click or by keys."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

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
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from scoring.scorecard import Scorecard
from ui.runs.failures.failure_list import ALL, OUTSIDE, failed_tasks, kind_of
from ui.theme import theme
from ui.theme.tokens import mix
from ui.theme.words import counted

_BAR = 18
_HUES = ("accent", "user", "answer", "call", "observation")
_FAINT = 0.45


@dataclass(frozen=True)
class Piece:
    """One class of errors: what it is called, its key, how many tasks."""

    kind: str
    count: int

    @property
    def words(self) -> str:
        """What it is called."""
        return "Outside the model" if self.kind == OUTSIDE else self.kind


def pieces_of(card: Scorecard) -> tuple[Piece, ...]:
    """The classes of a run's failed tasks, most frequent first; those outside the model last."""
    counts = Counter(map(kind_of, failed_tasks(card)))
    ordered = sorted(counts.items(), key=lambda item: (item[0] == OUTSIDE, -item[1], item[0]))
    return tuple(Piece(kind, count) for kind, count in ordered)


class ErrorBar(QWidget):
    """Shows pieces; one of them may be chosen."""

    chosen = Signal(str)
    """The class that was chosen, empty for all."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("error-bar")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._pieces: tuple[Piece, ...] = ()
        self._kind = ALL

    @property
    def kind(self) -> str:
        """The chosen class; empty for all."""
        return self._kind

    def show_pieces(self, pieces: Sequence[Piece], *, kind: str = ALL) -> None:
        """Show the classes of a run."""
        self._pieces = tuple(pieces)
        self._kind = kind if kind in [piece.kind for piece in pieces] else ALL
        self.setAccessibleName("Errors: " + ", ".join(f"{p.words} {p.count}" for p in pieces))
        self.updateGeometry()
        self.update()

    def choose(self, kind: str) -> None:
        """Choose a class; the chosen one again chooses all."""
        self._kind = ALL if kind == self._kind else kind
        self.update()
        self.chosen.emit(self._kind)

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
        elif event.key() == Qt.Key.Key_Escape and self._kind:
            self.choose(self._kind)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = self._box()
        clip = QPainterPath()
        clip.addRoundedRect(box, look.px(4), look.px(4))
        painter.setClipPath(clip)
        painter.fillRect(box, look.colour("line"))
        for number, (piece, room) in enumerate(zip(self._pieces, self._rooms(), strict=True)):
            painter.fillRect(room, colour_of(number, piece, is_quiet=self._kind not in (ALL, piece.kind)))
        painter.setClipping(False)
        if self.hasFocus():
            painter.setPen(QPen(look.colour("accent"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(-1.5, -1.5, 1.5, 1.5), look.px(5), look.px(5))

    def _walk(self, by: int) -> None:
        kinds = [piece.kind for piece in self._pieces]
        if self._kind in kinds:
            at = min(max(kinds.index(self._kind) + by, 0), len(kinds) - 1)
        else:
            at = 0 if by > 0 else len(kinds) - 1
        if kinds[at] != self._kind:
            self.choose(kinds[at])

    def _box(self) -> QRectF:
        height = theme().px(_BAR)
        return QRectF(2, (self.height() - height) / 2, self.width() - 4, height)

    def _rooms(self) -> list[QRectF]:
        box, total = self._box(), sum(piece.count for piece in self._pieces) or 1
        rooms, left = [], box.left()
        for piece in self._pieces:
            width = box.width() * piece.count / total
            rooms.append(QRectF(left, box.top(), width, box.height()))
            left += width
        return rooms

    def _piece_at(self, point: QPointF) -> Piece | None:
        for piece, room in zip(self._pieces, self._rooms(), strict=True):
            if room.contains(point):
                return piece
        return None

    def _tip(self, piece: Piece) -> str:
        total = sum(one.count for one in self._pieces)
        return f"{piece.words}: {counted(piece.count, 'task')}, {100 * piece.count / total:.1f} %"


def colour_of(number: int, piece: Piece, *, is_quiet: bool = False) -> QColor:
    """The colour of a piece by its place in the bar; from the sixth on, and outside the model, grey."""
    tokens = theme().tokens
    plain = tokens.line_strong
    if piece.kind != OUTSIDE and number < len(_HUES):
        plain = str(getattr(tokens, _HUES[number]))
    elif piece.kind != OUTSIDE:
        plain = mix(tokens.muted, tokens.surface, 0.5 + 0.1 * (number % 3))
    return QColor(mix(plain, tokens.surface, _FAINT)) if is_quiet else QColor(plain)
