"""What a window shows, as text: a line for each visible widget, so that a change of it can be read."""

import re
from collections.abc import Iterator

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, QObject, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QBoxLayout,
    QComboBox,
    QFormLayout,
    QGraphicsView,
    QGridLayout,
    QHeaderView,
    QLabel,
    QLayout,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QScrollBar,
    QSplitter,
    QTabBar,
    QTextEdit,
    QWidget,
)

_ROWS = 6
_LONGEST = 160
_UNBOUNDED = 16_777_215
_MEASURED = ("ElidedLabel", "ChipRow")
"""Their widths come from text, which other fonts of the computer paint wider; a window's do, too."""
_CHANGING = (
    (r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b", "DAY"),
    (r"\d{1,2}(月|/)\d{1,2}日? 周\w", "DAY"),
    (r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2})?)?", "DATE"),
    (r"\b(20\d{2}-)?W\d{2}\b", "WEEK"),
    (r"\b20\d{2}\.\d{2}\b", "MONTH"),
    (r"\bjust now\b|\b\d+ (?:min|h) ago\b|刚刚|\d+ (?:分钟|小时)前", "LATELY"),
    (
        r"^DAY · DATE( \(UTC\)|（UTC）) \|.*",
        "DAY and what was done on it",
    ),  # the work may begin the day before
    (r"\b\d{1,2}:\d{2}(:\d{2})?\b", "TIME"),
    (r"\b[0-9a-f]{8,64}\b", "HASH"),
    (r"(/[\w.-]+)+/", "FOLDER/"),
)
"""What another day, folder or computer changes, and what stands for it."""


def outline(window: QWidget) -> str:
    """A window, or the dialogs and panels over it; what another day or computer changes is replaced."""
    above = [one for one in QApplication.topLevelWidgets() if one is not window and one.isVisible()]
    shown = sorted(above, key=lambda one: one.objectName()) or [window]
    return "\n".join(line for widget in shown for line in _lines(widget, depth=0)) + "\n"


def _lines(widget: QWidget, *, depth: int) -> Iterator[str]:
    kind, parts = type(widget).__name__, list(_parts(widget))
    if not kind.startswith("Q") or parts:
        yield f"{'  ' * depth}{' '.join([kind, *parts])}"
    for text in _content(widget):
        yield f"{'  ' * (depth + 1)}| {lasting(text)}"
    for child in _children(widget):
        if isinstance(child, QScrollBar | QHeaderView) or not isinstance(child, QWidget):
            continue
        if child.isVisible() and not child.isWindow():
            yield from _lines(child, depth=depth + 1)


def _children(widget: QWidget) -> list[QObject]:
    """What is in a widget; panes as they stand: one that was a tab meanwhile came last to its splitter."""
    found = widget.children()
    if not isinstance(widget, QSplitter):
        return found
    order = {widget.widget(place): place for place in range(widget.count())}
    return sorted(found, key=lambda child: order.get(child, -1) if isinstance(child, QWidget) else -1)


def _parts(widget: QWidget) -> Iterator[str]:
    if widget.objectName() and not widget.objectName().startswith("qt_"):
        yield f"#{lasting(widget.objectName())}"
    text = ""
    if isinstance(widget, QAbstractButton | QLabel | QLineEdit):
        text = widget.text()
        yield f'"{lasting(text)}"'
    words = {
        "look": str(widget.property("look") or ""),
        "named": "" if widget.accessibleName() == text else widget.accessibleName(),
        "described": widget.accessibleDescription(),
        "tip": "" if widget.toolTip() == text else widget.toolTip(),  # what is cut off, by the font's width
        "hint": widget.placeholderText()
        if isinstance(widget, QLineEdit | QTextEdit | QPlainTextEdit)
        else "",
    }
    yield from (f"{name}={lasting(word)!r}" for name, word in words.items() if word)
    marks = {
        "disabled": not widget.isEnabled(),
        "checked": isinstance(widget, QAbstractButton) and widget.isChecked(),
        "focused": widget.hasFocus(),
        "tab": bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus),
        "click": bool(widget.focusPolicy() & Qt.FocusPolicy.ClickFocus),
    }
    yield from (name for name, holds in marks.items() if holds)
    least, most = widget.minimumSize(), widget.maximumSize()
    if widget.isWindow() or type(widget).__name__ in _MEASURED:
        least, most = QSize(), QSize(_UNBOUNDED, _UNBOUNDED)
    if (least.width() > 0 or least.height() > 0) and (widget.objectName() or words["look"]):
        yield f"least={least.width()}x{least.height()}"
    if (most.width(), most.height()) != (_UNBOUNDED, _UNBOUNDED):
        yield "most=" + "x".join("-" if n == _UNBOUNDED else str(n) for n in (most.width(), most.height()))
    layout = widget.layout()
    if layout is not None:
        yield f"[{_laid_out(layout)}]"


def _laid_out(layout: QLayout) -> str:
    """Kind, spacing, margins, and the stretch of what is in it; layouts in it in brackets."""
    margins = layout.contentsMargins()
    sides = [margins.left(), margins.top(), margins.right(), margins.bottom()]
    kind = type(layout).__name__.removeprefix("Q").removesuffix("Layout")
    said = kind + (f" gap {layout.spacing()}" if layout.spacing() >= 0 else "")
    said += f" margins {','.join(map(str, sides))}" if any(sides) else ""
    if isinstance(layout, QBoxLayout):
        stretches = [layout.stretch(at) for at in range(layout.count())]
        said += f" stretch {','.join(map(str, stretches))}" if any(stretches) else ""
    elif isinstance(layout, QGridLayout):
        said += f" {layout.rowCount()}x{layout.columnCount()}"
    elif isinstance(layout, QFormLayout):
        said += f" {layout.rowCount()}"
    inner = [item.layout() for at in range(layout.count()) if (item := layout.itemAt(at)) is not None]
    return said + "".join(f" ({_laid_out(one)})" for one in inner if one is not None)


def _content(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QTextEdit | QPlainTextEdit):
        yield from widget.toPlainText().splitlines()[:_ROWS]
    elif isinstance(widget, QMenu):
        for action in widget.actions():
            yield (
                "---"
                if action.isSeparator()
                else action.text() + ("" if action.isEnabled() else " (disabled)")
            )
    elif isinstance(widget, QComboBox):
        yield " / ".join(
            f"[{widget.itemText(at)}]" if at == widget.currentIndex() else widget.itemText(at)
            for at in range(widget.count())
        )
    elif isinstance(widget, QTabBar):
        yield " / ".join(
            f"[{widget.tabText(at)}]" if at == widget.currentIndex() else widget.tabText(at)
            for at in range(widget.count())
        )
    elif isinstance(widget, QGraphicsView):
        scene = widget.scene()
        kinds = sorted(f"{type(item).__name__} {item.toolTip()}" for item in scene.items()) if scene else []
        yield from (kind for kind in dict.fromkeys(kinds))
    elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
        yield from _rows(widget.model(), QModelIndex(), "")


def _rows(model: QAbstractItemModel, parent: QModelIndex, indent: str) -> Iterator[str]:
    columns = range(1 if isinstance(model, QAbstractListModel) else model.columnCount(parent))
    heads = [str(model.headerData(at, Qt.Orientation.Horizontal) or "") for at in columns]
    if not parent.isValid() and not all(head.isdecimal() for head in heads):
        yield " | ".join(heads)
    for row in range(min(model.rowCount(parent), _ROWS)):
        cells = [model.index(row, at, parent) for at in columns]
        yield indent + " | ".join(_cell(cell) for cell in cells)
        yield from _rows(model, cells[0], indent + "  ") if cells else ()


def _cell(index: QModelIndex) -> str:
    roles = Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole
    said = [str(index.data(role)) for role in roles if index.data(role)]
    state = index.data(Qt.ItemDataRole.CheckStateRole)
    return " · ".join([*([f"{state}"] if state is not None else []), *dict.fromkeys(said)])


def lasting(text: str) -> str:
    """A text in one line, without marks and without what another day, folder or computer changes."""
    for pattern, name in _CHANGING:
        text = re.sub(pattern, name, text)
    flat = " ".join(re.sub(r"<[^>]+>", " ", text).split())
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 1]}…"
