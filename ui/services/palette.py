"""The command palette: one field that finds commands, cases and people."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPainterStateGuard, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from scoring.texts import english_of, tr
from scoring.wording import folded
from ui.services.commands import Command, Commands, shown_keys
from ui.theme import Card, theme
from ui.theme.buttons import badge_box, badge_width, paint_badge
from ui.theme.dialogs import keep_on_screen, room_for
from ui.theme.events import ENTER_KEYS, LIST_STEPS, on_keys
from ui.theme.layouts import build, vbox
from ui.theme.look import icon, paint_box, paint_words
from ui.theme.tokens import SMALL, TINY
from ui.theme.words import STATE_ICONS, plain_tip

_ITEM = Qt.ItemDataRole.UserRole
_FEWEST_ROWS, _SHOWN_ROWS = 3, 12
_ROW, _WIDTH = 30, 560
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class PaletteItem:
    """One line of the palette; `blocked` says why it cannot be chosen."""

    title: str
    run: Callable[[], object]
    detail: str = ""
    keys: str = ""
    blocked: str = ""
    is_code: bool = False


def match_rank(asked: str, text: str) -> int | None:
    """How well a text answers what was typed: 0 best, None where it does not.

    Every word must occur: all at the start of words is better than anywhere, and anywhere is better
    than the initials, as in `nc` for `Next case`.
    """
    lowered = folded(text)
    words = folded(asked).split()
    starts = lowered.replace("-", " ").split()
    if all(any(start.startswith(word) for start in starts) for word in words):
        return 0 if lowered.startswith(words[0] if words else "") else 1
    if all(word in lowered for word in words):
        return 2
    initials = "".join(start[0] for start in starts)
    return 3 if len(words) == 1 and len(words[0]) > 1 and initials.startswith(words[0]) else None


class CommandPalette(QDialog):
    """Finds commands while one types; whoever listens to `asked` adds what else it knows.

    Args:
        commands: What can be done.
        parent: The window; the palette hangs from its top.
    """

    asked = Signal(str)
    """What was typed; answer with `add_found`."""

    def __init__(self, commands: Commands, parent: QWidget) -> None:
        build(
            super().__init__,
            parent,
            Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint,
            objectName="palette",
            accessibleName=tr("Command palette"),
        )
        self._commands = commands
        self._sections: dict[str, tuple[PaletteItem, ...]] = {}
        self._top = 0
        self._field = build(
            QLineEdit,
            objectName="palette-field",
            placeholderText=tr("Search cases, commands, people"),
            accessibleName=tr("Search cases, commands, people"),
            textChanged=self._search,
        )
        self._model = QStandardItemModel(self)
        self._list = build(
            QListView,
            objectName="palette-list",
            accessibleName=tr("What was found"),
            focusPolicy=Qt.FocusPolicy.NoFocus,
            mouseTracking=True,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            clicked=self._choose,
        )
        self._list.setModel(self._model)
        self._list.setItemDelegate(_LineDelegate(self._list))
        frame = Card()
        vbox(self._field, self._list, within=frame, gap=8, margins=8)
        vbox(frame, within=self)
        on_keys(self, {key: partial(self._move, by) for key, by in LIST_STEPS.items()})
        on_keys(self, dict.fromkeys(ENTER_KEYS, lambda: self._choose(self._list.currentIndex())))

    def open_at(self, top_centre: QPoint) -> None:
        """Show it empty, its upper edge's middle at a point of the screen, no larger than the room there."""
        width = min(theme().px(_WIDTH), room_for(self).width())
        self._top = top_centre.y()
        self._field.clear()
        self._search("")
        self.setFixedWidth(width)
        self.move(top_centre - QPoint(width // 2, 0))
        keep_on_screen(self)
        self.show()
        self._field.setFocus()

    def add_found(self, asked: str, section: str, *, items: Sequence[PaletteItem]) -> None:
        """Add what was found for a text; dropped if another text was typed meanwhile."""
        if asked == self._field.text().strip():
            self._sections[section] = tuple(items)
            self._fill()

    def _search(self, text: str) -> None:
        asked = text.strip()
        self._sections = {tr("Commands"): self._found_commands(asked)}
        self._fill()
        if asked:
            self.asked.emit(asked)

    def _found_commands(self, asked: str) -> tuple[PaletteItem, ...]:
        names = (
            (command, f"{command.title} {command.category} {english_of(command.title)}")
            for command in self._commands.usable_here()
        )
        ranked = [(rank, one) for one, name in names if (rank := match_rank(asked, name)) is not None]
        return tuple(self._item_of(command) for _, command in sorted(ranked, key=itemgetter(0)))

    def _item_of(self, command: Command) -> PaletteItem:
        reason, keys = self._commands.reason(command.id), shown_keys(self._commands.keys(command.id))
        return PaletteItem(command.title, command.run, reason or command.category, keys, reason)

    def _fill(self) -> None:
        self._model.clear()
        for section, items in self._sections.items():
            if items:
                self._model.appendRow(_words(section.upper()))
            for item in items:
                line = QStandardItem(item.title)
                line.setData(item, _ITEM)
                line.setToolTip(plain_tip("\n".join(filter(None, (item.title, item.detail, item.blocked)))))
                if item.blocked:
                    line.setFlags(Qt.ItemFlag.NoItemFlags)
                self._model.appendRow(line)
        if self._model.rowCount() == 0:
            self._model.appendRow(_words(tr("No results.")))
        self._list.setCurrentIndex(QModelIndex())
        self._move(1)
        self._fit()

    def _fit(self) -> None:
        """As many rows as there are, up to a limit and to the lower edge of the screen."""
        look = theme()
        rest = self.screen().availableGeometry().bottom() - self._top
        rest -= self._field.sizeHint().height() + look.px(3 * 8) + look.px(4)
        row = look.px(_ROW)
        rows = min(self._model.rowCount(), _SHOWN_ROWS, max(rest // row, _FEWEST_ROWS))
        self._list.setFixedHeight(rows * row + look.px(2))
        self.adjustSize()

    def _item(self, row: int) -> PaletteItem | None:
        found = self._model.item(row)
        if found is None or not found.flags() & Qt.ItemFlag.ItemIsEnabled:
            return None
        item = found.data(_ITEM)
        return item if isinstance(item, PaletteItem) else None

    def _move(self, steps: int) -> None:
        rows = [row for row in range(self._model.rowCount()) if self._item(row)]
        if not rows:
            return
        at = self._list.currentIndex().row()
        place = rows.index(at) + steps if at in rows else 0
        place = place % len(rows) if abs(steps) == 1 else min(max(place, 0), len(rows) - 1)
        self._list.setCurrentIndex(self._model.index(rows[place], 0))

    def _choose(self, index: QModelIndex) -> None:
        item = self._item(index.row()) if index.isValid() else None
        if item is not None:
            self.accept()
            item.run()


def _words(text: str) -> QStandardItem:
    """A line that cannot be chosen."""
    item = QStandardItem(text)
    item.setFlags(Qt.ItemFlag.NoItemFlags)
    return item


class _LineDelegate(QStyledItemDelegate):
    """Paints a line: title, what it belongs to, and its keys at the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, theme().px(_ROW))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        look = theme()
        item = index.data(_ITEM)
        rect: QRect = option.rect.adjusted(look.px(8), 0, -look.px(8), 0)
        with QPainterStateGuard(painter):
            if not isinstance(item, PaletteItem):
                words, font = str(index.data()), look.sans(TINY)
                paint_words(painter, rect, _MIDDLE, words, font=font, pen=look.colour("muted"))
                return
            if option.state & option.state.State_Selected:
                ground, radius = look.colour("selection"), look.px(6)
                paint_box(painter, option.rect, radius, is_smooth=True, pen=Qt.PenStyle.NoPen, brush=ground)
            right = _paint_keys(painter, item.keys, rect) if item.keys else rect.right()
            _paint_words(painter, item, QRect(rect.left(), rect.top(), right - rect.left(), rect.height()))


def _paint_words(painter: QPainter, item: PaletteItem, room: QRect) -> None:
    look = theme()
    if item.title in STATE_ICONS:
        name, tone = STATE_ICONS[item.title]
        icon(name, tone=tone).paint(painter, room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        room = room.adjusted(look.px(24), 0, 0, 0)
    font = look.mono() if item.is_code else look.sans()
    title = QFontMetrics(font).elidedText(item.title, Qt.TextElideMode.ElideRight, room.width())
    colour = look.colour("faint" if item.blocked else "text")
    paint_words(painter, room, _MIDDLE, title, font=font, pen=colour)
    rest = room.adjusted(QFontMetrics(font).horizontalAdvance(title) + look.px(10), 0, -look.px(8), 0)
    small = look.sans(SMALL)
    detail = QFontMetrics(small).elidedText(item.detail, Qt.TextElideMode.ElideRight, max(0, rest.width()))
    paint_words(painter, rest, _MIDDLE, detail, font=small, pen=look.colour("muted"))


def _paint_keys(painter: QPainter, keys: str, room: QRect) -> int:
    """Paint a key badge at the right end of a room; returns where it begins."""
    box = badge_box(keys, room.right() - badge_width(keys), room)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_badge(painter, keys, box, colour=theme().colour("muted"))
    return box.left()
