"""A column of cards that makes only those in sight, so that long dialogues open at once."""

from bisect import bisect_right
from collections.abc import Callable, Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QPainter, QPainterStateGuard, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from ui.dialogue.cards import CardView
from ui.dialogue.content import ANSWER_MISSING, CardContent, CardKind, Round
from ui.dialogue.parts import Key
from ui.theme import theme
from ui.theme.layouts import build
from ui.theme.look import paint_box, paint_with, paint_words
from ui.theme.words import visible

_KEPT_BEYOND = 12
"""Cards that stay made above and below those in sight."""
_SCREENS_BEYOND = 0.5
_MOST_TURNS = 6


class CardColumn(QAbstractScrollArea):
    """Places cards one under the other. Heights of cards not made yet are guessed, and put right without
    moving what is being read. Cards next to those in sight are made one by one while nothing else happens.

    Args:
        make: Makes the card of a content inside a widget.
    """

    def __init__(
        self, make: Callable[[CardContent, QWidget], CardView], parent: QWidget | None = None
    ) -> None:
        build(
            super().__init__,
            parent,
            frameShape=QAbstractScrollArea.Shape.NoFrame,
            objectName="dialogue-column",
            focusPolicy=Qt.FocusPolicy.NoFocus,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            look="plain",
        )
        self._make = make
        self.contents: tuple[CardContent, ...] = ()
        """What is shown, from top to bottom."""
        self._index: dict[Key, int] = {}
        self._cards: dict[Key, CardView] = {}
        self._heights: dict[Key, int] = {}
        self._guesses: dict[Key, int] = {}
        self._changed: set[Key] = set()
        self._tops: list[int] = []
        self._is_placing = False
        self._last_width = 0
        self._idle = build(QTimer, self, singleShot=True, timeout=self._make_next)
        self.verticalScrollBar().setSingleStep(theme().px(40))

    def show_contents(self, contents: Sequence[CardContent]) -> None:
        """Show other contents; what is being read stays where it is, cards that did not change are kept."""
        anchor = self._anchor()
        former = {content.key: content for content in self.contents}
        self.contents = tuple(contents)
        self._index = {content.key: at for at, content in enumerate(contents)}
        self._move_answers()
        kinds = {content.key: content.kind for content in contents}
        for key in [key for key, card in self._cards.items() if kinds.get(key) != card.content.kind]:
            self._drop(key)
        for content in contents:
            if former.get(content.key) != content:
                self._heights.pop(content.key, None)
                self._guesses.pop(content.key, None)
                if content.key in self._cards:
                    self._cards[content.key].show_content(content)
        self._heights = {key: height for key, height in self._heights.items() if key in self._index}
        self._arrange(anchor)

    def _move_answers(self) -> None:
        """Let the card of a missing answer be the card of the answer, so that one can write on in it."""
        places = {content.task: content.key for content in self.contents if content.kind is CardKind.ANSWER}
        for key, card in list(self._cards.items()):
            place = places.get(key[0], key)
            if card.content.kind is CardKind.ANSWER and place != key and ANSWER_MISSING in (key[1], place[1]):
                if place in self._cards:
                    self._drop(place)
                self._cards[place] = self._cards.pop(key)

    def card(self, key: Key) -> CardView | None:
        """A card, if it has been made."""
        return self._cards.get(key)

    def cards(self) -> tuple[CardView, ...]:
        """The cards that have been made, in order."""
        # Cards that go one after the other give up the keys, and whoever hears of that asks for the others.
        return tuple(self._cards[content.key] for content in self.contents if content.key in self._cards)

    def bring(self, key: Key) -> CardView | None:
        """Make a card and bring it into sight.

        Returns:
            The card; None where there is none with this key.
        """
        if key not in self._index:
            return None
        for _ in range(_MOST_TURNS):
            top, height = self._tops[self._index[key]], self._height(self._index[key])
            bar, room = self.verticalScrollBar(), self.viewport().height()
            gap = theme().px(12) + (_head_height() if self.contents[self._index[key]].round else 0)
            value = bar.value()
            if top - gap < value or height > room - 2 * gap:
                value = top - gap
            elif top + height + gap > value + room:
                value = top + height + gap - room
            if value == bar.value() and key in self._cards:
                break
            bar.setValue(value)
            self._place()
        return self._cards.get(key)

    def show_boxes(self, boxes: Sequence[tuple[QWidget, QRect]], *, more: bool) -> None:
        """Bring boxes into sight: all of them, or from the first on as many as there is room for.

        Args:
            boxes: A widget in a card that was made, and a box in its pixels, from top to bottom.
            more: Whether others follow, in cards that were not made.
        """
        bar, room, gap = self.verticalScrollBar(), self.viewport().height(), theme().px(12)
        for _ in range(_MOST_TURNS if boxes else 0):
            tops = [widget.mapTo(self.viewport(), box.topLeft()).y() + bar.value() for widget, box in boxes]
            top, bottom = tops[0], max(at + box.height() for at, (_, box) in zip(tops, boxes, strict=True))
            is_long = more or bottom - top + 2 * gap > room
            value = top - gap if is_long else max(min(bar.value(), top - gap), bottom + gap - room)
            value = min(value, bar.maximum())
            if value == bar.value():
                break
            bar.setValue(value)

    def expect_change(self, key: Key) -> None:
        """Take note that a card may have another height; all are measured again at once, a moment later."""
        if not self._changed:
            QCoreApplication.postEvent(self, QEvent(QEvent.Type.LayoutRequest))
        self._changed.add(key)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self.remeasure()
        return super().event(event)

    def remeasure(self) -> None:
        """Measure the cards that may have changed, e.g. because one was unfolded."""
        changed, self._changed = self._changed, set()
        anchor = self._anchor()
        width, is_news = self._width(), False
        for key in changed & self._cards.keys():
            height = self._cards[key].measure(width)
            is_news = is_news or height != self._heights.get(key)
            self._heights[key] = height
        if is_news:
            self._arrange(anchor)

    def clear_heights(self) -> None:
        """Forget every height, e.g. because the type grew."""
        anchor = self._anchor()
        self._heights.clear()
        self._guesses.clear()
        self._arrange(anchor)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.width() != self._last_width:
            self._last_width = self.width()
            self.clear_heights()
        else:
            self._arrange(self._anchor())

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        if not self._is_placing:
            self._place()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        painted: Round | None = None
        # The head of a round can be in sight while its first call is not yet.
        for at in self._in_sight(beyond=_head_height()) if self._tops else ():
            together = self.contents[at].round
            if together is not None and together is not painted:
                _paint_round(painter, self._box(at, together), together)
                painted = together

    def _box(self, at: int, together: Round) -> QRect:
        """The frame of the round that the content at a place belongs to."""
        first = at - (self.contents[at].step - together.first)
        last = first + together.last - together.first
        top = self._tops[first] - _head_height() - self.verticalScrollBar().value()
        bottom = self._tops[last] + self._height(last) + _foot_height() - self.verticalScrollBar().value()
        return QRect(self._margin(), top, self._width(), bottom - top)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Keys walk from card to card; the view around this column does that.
        event.ignore()

    # geometry

    def _margin(self) -> int:
        return theme().px(12)

    def _width(self) -> int:
        # The scroll bar stands in the right margin, so that nothing is wrapped anew when it comes or goes.
        return max(self.width() - 2 * self._margin(), 80)

    def _height(self, at: int) -> int:
        content = self.contents[at]
        known = self._heights.get(content.key, self._guesses.get(content.key))
        if known is None:
            known = self._guesses[content.key] = _guess(content, self._width())
        return known

    def _arrange(self, anchor: tuple[Key, int] | None) -> None:
        self._stack(anchor)
        self._place()

    def _stack(self, anchor: tuple[Key, int] | None) -> None:
        """Give every content its top, and let the anchor stay where it is in sight."""
        # Done at every notch past a card that was made, for thousands of contents: nothing is asked twice.
        top, gap, head, foot, known = (
            self._margin(),
            theme().gap,
            _head_height(),
            _foot_height(),
            self._heights,
        )
        self._tops = []
        for at, content in enumerate(self.contents):
            together = content.round
            if together is not None and content.step == together.first:
                top += head
            self._tops.append(top)
            height = known.get((content.task, content.step))
            top += self._height(at) if height is None else height
            if together is None:
                top += gap
            elif content.step == together.last:
                top += foot + gap
        room = self.viewport().height()
        self._is_placing = True
        self.verticalScrollBar().setPageStep(room)
        self.verticalScrollBar().setRange(0, max(top - gap + self._margin() - room, 0))
        if anchor is not None and anchor[0] in self._index:
            self.verticalScrollBar().setValue(self._tops[self._index[anchor[0]]] + anchor[1])
        self._is_placing = False

    def _anchor(self) -> tuple[Key, int] | None:
        """The first card in sight, and how far the sight has moved into it."""
        if not self._tops:
            return None
        value = self.verticalScrollBar().value()
        at = max(bisect_right(self._tops, value) - 1, 0)
        return self.contents[at].key, value - self._tops[at]

    def _near(self) -> range:
        return self._in_sight(beyond=round(self.viewport().height() * _SCREENS_BEYOND))

    def _in_sight(self, *, beyond: int = 0) -> range:
        """The contents in sight, and so many pixels above and below."""
        value, room = self.verticalScrollBar().value(), self.viewport().height()
        first = max(bisect_right(self._tops, value - beyond) - 1, 0)
        return range(first, min(bisect_right(self._tops, value + room + beyond), len(self.contents)))

    def _place(self) -> None:
        if not self.contents:
            return
        for _ in range(_MOST_TURNS):
            if not self._measure(self._in_sight()):
                break
            self._stack(self._anchor())
        self._show_cards()

    def _make_next(self) -> None:
        """Make one card that may come into sight next."""
        near = self._near() if self._tops else range(0)
        at = next((at for at in near if self.contents[at].key not in self._cards), None)
        if at is None:
            return
        if self._measure(range(at, at + 1)):
            self._arrange(self._anchor())
        else:
            self._show_cards()

    def _show_cards(self) -> None:
        near = self._near()
        value, left, width = self.verticalScrollBar().value(), self._margin(), self._width()
        for key, card in self._cards.items():
            at = self._index[key]
            card.setGeometry(left, self._tops[at] - value, width, self._height(at))
            card.setVisible(True)
        self._forget_far(near)
        self.viewport().update()
        if any(self.contents[at].key not in self._cards for at in near):
            self._idle.start()

    def _measure(self, seen: range) -> bool:
        """Make and measure cards; whether any height was not what it was taken for."""
        is_news = False
        width = self._width()
        for at in seen:
            content = self.contents[at]
            if content.key not in self._cards:
                card = self._make(content, self.viewport())
                card.ensurePolished()
                card.fit(width)
                self._cards[content.key] = card
            if content.key not in self._heights:
                guessed = self._height(at)
                self._heights[content.key] = self._cards[content.key].measure(width)
                is_news = is_news or self._heights[content.key] != guessed
        return is_news

    def _forget_far(self, seen: range) -> None:
        for key in list(self._cards):
            at = self._index.get(key)
            is_near = at is not None and seen.start - _KEPT_BEYOND <= at < seen.stop + _KEPT_BEYOND
            if not is_near and not self._cards[key].is_in_use:
                self._drop(key)

    def _drop(self, key: Key) -> None:
        card = self._cards.pop(key)
        if card.is_in_use:
            # Otherwise Qt would hand the focus to whatever comes next in the window.
            self.setFocus()
        card.hide()
        card.deleteLater()


def _guess(content: CardContent, width: int) -> int:
    """Height of a card that was not made yet, in pixels on screen."""
    look = theme()
    if content.kind is CardKind.FOLDED:
        return look.px(34)
    line_length = max(width // look.px(7), 20)
    lines = sum(1 + len(str(part.value)) // line_length for part in content.parts if part.kind != "result")
    results = sum(part.kind == "result" for part in content.parts)
    return look.px(40 + 18 * lines + 24 * results + 34 * len(content.findings))


def _head_height() -> int:
    """Room above the first call for the words, in pixels on screen."""
    return theme().px(26)


def _foot_height() -> int:
    """Room below the last call, in pixels on screen."""
    return theme().px(4)


def _paint_round(painter: QPainter, box: QRect, together: Round) -> None:
    """Paint the frame of a round with its words.

    Args:
        painter: Paints on the column.
        box: The frame with the room above and below.
        together: The calls.
    """
    look = theme()
    with QPainterStateGuard(painter):
        paint_box(
            painter,
            QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5),
            look.px(8),
            is_smooth=True,
            pen=look.colour("line"),
            brush=look.colour("surface"),
        )
        words = box.adjusted(look.px(13), look.px(4), -look.px(13), 0)
        words.setHeight(_head_height() - look.px(4))
        aligned = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        paint_words(painter, words, aligned, together.title, font=look.sans(12), pen=look.colour("muted"))
        words.setLeft(words.left() + painter.fontMetrics().horizontalAdvance(together.title) + look.px(8))
        paint_with(painter, font=look.mono(12), pen=look.colour("muted"))
        note = painter.fontMetrics().elidedText(
            visible(together.note), Qt.TextElideMode.ElideRight, words.width()
        )
        painter.drawText(words, aligned, note)
