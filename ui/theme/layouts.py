"""Columns, rows, splitters, lines that break, areas that scroll; emptying a layout."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import Any, TypeVar

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QLayoutItem,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from scoring.generics import T
from ui.theme.events import follow_focus
from ui.theme.look import scaled, theme

_BELOW = 160
"""Height that a member of a splitter keeps where it stands below another, in pixels at 100 %."""
Box = TypeVar("Box", bound=QBoxLayout)


STRETCH = 1
"""Free room between two members of a row or a column."""

Member = QWidget | QLayout | tuple[QWidget | QLayout, int] | int | None
"""A widget or a layout, with its share of the free room where it grows; a number alone is free room.

None is nothing: what stands there only sometimes.
"""
Margins = int | tuple[int, int] | tuple[int, int, int, int]
"""All sides; left and right, above and below; or left, top, right, bottom. In pixels at 100 %."""


def vbox(
    *members: Member,
    within: QWidget | None = None,
    focus: QWidget | None = None,
    gap: int | None = 0,
    margins: Margins = 0,
) -> QVBoxLayout:
    """Lay widgets and layouts one below the other.

    Args:
        members: From the top.
        within: The widget they stand in; None for a layout that goes into another.
        focus: What gets the keys in place of `within`.
        gap: Between two members, in pixels at 100 %; None for the style's own.
        margins: Around them.
    """
    if within is not None and focus is not None:
        within.setFocusProxy(focus)
    return _laid(build(QVBoxLayout, *([within] if within else [])), members, gap, margins)


def column(
    *members: Member, focus: QWidget | None = None, gap: int | None = 0, margins: Margins = 0
) -> QWidget:
    """A widget with others below each other, as `vbox` lays them; `focus` gets the keys in its place."""
    whole = QWidget()
    vbox(*members, within=whole, focus=focus, gap=gap, margins=margins)
    return whole


def hbox(
    *members: Member, within: QWidget | None = None, gap: int | None = 0, margins: Margins = 0
) -> QHBoxLayout:
    """Lay widgets and layouts side by side; the arguments are those of `vbox`."""
    return _laid(build(QHBoxLayout, *([within] if within else [])), members, gap, margins)


def grid(
    *, within: QWidget | None = None, gaps: tuple[int, int], margins: Margins = 0, grows: int = 0
) -> QGridLayout:
    """An empty grid with gaps between its columns and its rows; one column takes the free room."""
    made = build(QGridLayout, *([within] if within else []))
    _set_margins(made, margins)
    across, down = gaps
    scaled(made, setHorizontalSpacing=across, setVerticalSpacing=down)
    made.setColumnStretch(grows, 1)
    return made


def _set_margins(layout: QLayout, margins: Margins) -> None:
    sides = (margins,) if isinstance(margins, int) else margins
    scaled(layout, setContentsMargins=(sides * 4)[:4])


def _laid(box: Box, members: tuple[Member, ...], gap: int | None, margins: Margins) -> Box:
    _set_margins(box, margins)
    if gap is not None:
        scaled(box, setSpacing=gap)
    lay(box, *members)
    return box


def lay(box: QBoxLayout, *members: Member) -> None:
    """Add widgets and layouts at the end of a row or a column."""
    for member in members:
        what, share = member if isinstance(member, tuple) else (member, 0)
        match what:
            case QLayout():
                box.addLayout(what, share)
            case QWidget():
                box.addWidget(what, share)
            case int():
                box.addStretch(what)


def fill(box: QBoxLayout, members: Iterable[Member]) -> None:
    """Let others take the place of what is in a row or a column."""
    clear_layout(box)
    lay(box, *members)


_MARKS = ("chip", "hint", "kind", "look", "tone", "topic")
"""Properties that Qt does not know: five the stylesheet asks for, and what `F1` explains."""


def build(make: Callable[..., T], /, *arguments: Any, **properties: Any) -> T:
    """Make a Qt object with properties and connected signals, e.g. `build(QLineEdit, objectName="find")`.

    PySide takes them all, its type stubs name only those of the class itself. A subclass gives its own with
    `build(super().__init__, parent, objectName="find")`. A signal is connected when the object is made, to a
    slot or to a signal that is sent on. `look`, `kind`, `chip`, `hint` and `tone` are those of the
    stylesheet, `topic` is what of the guidelines it is about.

    Raises:
        AttributeError: The object has no such property or signal.
    """
    owner = type(make.__self__) if hasattr(make, "__self__") else make
    signals = [name for name in properties if isinstance(getattr(owner, name, None), Signal)]
    slots = {name: properties.pop(name) for name in signals}
    marks = {name: properties.pop(name) for name in _MARKS if name in properties}
    made = make(*arguments, **properties)
    widget: Any = getattr(make, "__self__", made)
    for name, slot in slots.items():
        getattr(widget, name).connect(slot)
    for name, mark in marks.items():
        widget.setProperty(name, mark)
    return made


def connect(
    *pairs: tuple[SignalInstance, Callable[..., object] | SignalInstance],
    kind: Qt.ConnectionType = Qt.ConnectionType.AutoConnection,
) -> None:
    """Connect signals, each with what is called, or sent on, when it goes out; in the order given."""
    for signal, slot in pairs:
        signal.connect(slot, kind)


def scrolled(inside: QWidget, **properties: Any) -> QScrollArea:
    """Let a widget scroll where there is no room for all of it; it takes what room there is."""
    area = build(QScrollArea, widgetResizable=True, **properties)
    area.setWidget(inside)
    return area


def stacked(*members: QWidget) -> QStackedWidget:
    """Put widgets in one place, of which one is seen; the first one at first."""
    stack = QStackedWidget()
    for member in members:
        stack.addWidget(member)
    return stack


class Splitter(QSplitter):
    """Lays its members below each other where they have no room side by side, and the page scrolls down.

    Args:
        sizes: Of the members at first, in pixels at 100 %; they are taken again when the direction changes.
        least: Width at 100 % below which they never stand side by side, though they might fit.
    """

    def __init__(
        self, sizes: Sequence[int], *, least: int = 0, parent: QWidget | None = None, **properties: Any
    ) -> None:
        build(super().__init__, Qt.Orientation.Horizontal, parent, childrenCollapsible=False, **properties)
        self._first, self._least = tuple(sizes), least

    def minimumSizeHint(self) -> QSize:
        widths, height = self._widths(), super().minimumSizeHint().height()
        if self.orientation() is Qt.Orientation.Vertical:
            height = max(height, theme().px(_BELOW) * len(widths))
        return QSize(max(widths, default=0), height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self.width() < max(theme().px(self._least), sum(self._widths()))
        wanted = Qt.Orientation.Vertical if is_narrow else Qt.Orientation.Horizontal
        if self.orientation() is not wanted:
            self.setOrientation(wanted)
            self.setSizes([theme().px(size) for size in self._first])

    def _widths(self) -> list[int]:
        """The least widths of the members that are shown."""
        return [
            member.minimumWidth() or member.minimumSizeHint().width()  # as every layout takes them
            for member in (self.widget(place) for place in range(self.count()))
            if member is not None and not member.isHidden()
        ]


def split(
    orientation: Qt.Orientation,
    *members: tuple[QWidget, int],
    grows: QWidget | None = None,
    least: int = 0,
    name: str = "",
) -> QSplitter:
    """Lay widgets side by side or one below the other, with handles between them.

    Args:
        orientation: How they lie.
        members: Each with its first size, in pixels at 100 %; none can be closed.
        grows: Takes what a larger window gives; None where all do.
        least: Of those side by side, as for `Splitter`.
        name: Object name.
    """
    if orientation is Qt.Orientation.Horizontal:
        splitter: QSplitter = Splitter([size for _, size in members], least=least, objectName=name)
    else:
        splitter = build(QSplitter, orientation, childrenCollapsible=False, objectName=name)
    for place, (member, _) in enumerate(members):
        splitter.addWidget(member)
        splitter.setStretchFactor(place, int(member is grows))
    splitter.setSizes([theme().px(size) for _, size in members])
    return splitter


def take_out(layout: QLayout, widget: QWidget) -> None:
    """Take one widget out of a layout and let it go."""
    widget.hide()
    layout.removeWidget(widget)
    widget.deleteLater()


def show_all(*widgets: QWidget, on: object) -> None:
    """Show widgets, or hide all of them where `on` is false or empty."""
    for widget in widgets:
        widget.setVisible(bool(on))


def show_either(widget: QWidget, instead: QWidget, *, on: object) -> None:
    """Show a widget, or what stands there instead of it where `on` is false or empty."""
    widget.setVisible(bool(on))
    instead.setVisible(not on)


def clear_layout(layout: QLayout, first: int = 0) -> None:
    """Take every widget from a place on out of a layout and let it go."""
    while (item := layout.takeAt(first)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()


class ScrollArea(QScrollArea):
    """Gives a widget all the room there is, and at least what it needs; scrolls to what has the focus.

    Args:
        inside: What may need more room.
        width: Least width of the area itself, at 100 %.
        height: Its least height, at 100 %.
    """

    def __init__(self, inside: QWidget, *, width: int, height: int, **properties: Any) -> None:
        build(
            super().__init__,
            frameShape=QFrame.Shape.NoFrame,
            focusPolicy=Qt.FocusPolicy.NoFocus,
            widgetResizable=True,
            **properties,
        )
        self._least = (width, height)
        self.setWidget(inside)
        inside.setAutoFillBackground(False)
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            bar.setSingleStep(24)
        follow_focus(self._follow_focus)

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(self._least[0]), theme().px(self._least[1]))

    def _follow_focus(self, _: QWidget | None, focus: QWidget | None) -> None:
        if focus is not None and self.isAncestorOf(focus):
            self.ensureWidgetVisible(focus, 0, 0)


class FlowLayout(QLayout):
    """One widget beside the other, then the next line; hidden widgets take no room.

    Args:
        members: From the beginning of the first line.
        within: The widget they stand in; None for a layout that goes into another.
        gap: Space between widgets, in pixels at 100 %.
        line_gap: Space between lines, in pixels at 100 %.
        left_count: How many members stand at the left; the others stand at the right end of their line.
        margins: As for `vbox`.
    """

    def __init__(
        self,
        *members: QWidget,
        within: QWidget | None = None,
        gap: int = 8,
        line_gap: int = 8,
        left_count: int | None = None,
        margins: Margins = 0,
    ) -> None:
        super().__init__(within)
        _set_margins(self, margins)
        self._items: list[QLayoutItem] = []
        self._gap_at_100 = gap
        self._line_gap_at_100 = line_gap
        self._left_count = left_count
        for member in members:
            self.addWidget(member)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        margins = self.contentsMargins()
        heights = [_height(line) for line in self._lines(width - margins.left() - margins.right())]
        between = theme().px(self._line_gap_at_100) * max(len(heights) - 1, 0)
        return sum(heights) + between + margins.top() + margins.bottom()

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        room = rect.marginsRemoved(self.contentsMargins())
        top = room.top()
        for line in self._lines(room.width()):
            height, x = _height(line), room.left()
            spare = max(room.width() - self._width(line), 0)
            for item in line:
                hint = item.sizeHint().boundedTo(QSize(room.width(), height))
                if self._left_count is not None and self._items.index(item) >= self._left_count:
                    x, spare = x + spare, 0
                item.setGeometry(QRect(QPoint(x, top + (height - hint.height()) // 2), hint))
                x += hint.width() + self.gap
            top += height + theme().px(self._line_gap_at_100)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = reduce(QSize.expandedTo, (item.minimumSize() for item in self._items), QSize())
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    @property
    def gap(self) -> int:
        """Space between two widgets on the screen."""
        return theme().px(self._gap_at_100)

    @property
    def shown(self) -> list[QLayoutItem]:
        """The items that take room."""
        return [item for item in self._items if not item.isEmpty()]

    def _width(self, line: list[QLayoutItem]) -> int:
        return sum(item.sizeHint().width() for item in line) + self.gap * max(len(line) - 1, 0)

    def _lines(self, width: int) -> Iterator[list[QLayoutItem]]:
        line: list[QLayoutItem] = []
        for item in self.shown:
            if line and self._width([*line, item]) > width:
                yield line
                line = []
            line.append(item)
        if line:
            yield line


def _height(line: list[QLayoutItem]) -> int:
    return max(item.sizeHint().height() for item in line)
