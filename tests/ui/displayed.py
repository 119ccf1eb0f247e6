"""Every text a window shows, also in tooltips and to a screen reader, with the widget it stands on."""

import re
from collections.abc import Iterator

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtGui import QTextDocumentFragment
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QGraphicsSimpleTextItem,
    QGraphicsTextItem,
    QGraphicsView,
    QGroupBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QSpinBox,
    QTabBar,
    QTextEdit,
    QWidget,
)

_ROWS = 40
_ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.AccessibleDescriptionRole,
)


def displayed(window: QWidget) -> Iterator[tuple[str, str]]:
    """What is visible of a window, and of the dialogs and panels over it.

    Yields:
        Kind and name of the widget, and one text as it is read: without marks of HTML.
    """
    above = [one for one in QApplication.topLevelWidgets() if one is not window and one.isVisible()]
    for top in [window, *above]:
        for widget in [top, *top.findChildren(QWidget)]:
            if widget.isVisible() and widget.window() is top:
                place = f"{type(widget).__name__} #{widget.objectName()}"
                for text in dict.fromkeys(map(_plain, _texts(widget))):
                    if text:
                        yield place, text


def _plain(text: str) -> str:
    text = text.replace("&nbsp; ", "<br>")  # between the heading of a hint and its words
    if re.search(r"</?[a-z]+\d?( [^>]*)?>", text):
        text = QTextDocumentFragment.fromHtml(text).toPlainText()
    return text.replace("\u200b", "").strip()


def _texts(widget: QWidget) -> Iterator[str]:
    yield from (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription())
    if widget.isWindow():
        yield widget.windowTitle()
    if isinstance(widget, QAbstractButton | QLabel | QLineEdit):
        yield widget.text()
    if isinstance(widget, QLineEdit | QTextEdit | QPlainTextEdit):
        yield widget.placeholderText()
    if isinstance(widget, QTextEdit | QPlainTextEdit):
        yield widget.toPlainText()
    elif isinstance(widget, QMenu):
        yield from (action.text() for action in widget.actions())
    elif isinstance(widget, QComboBox):
        yield from (widget.itemText(at) for at in range(widget.count()))
    elif isinstance(widget, QTabBar):
        yield from (widget.tabText(at) for at in range(widget.count()))
        yield from (widget.tabToolTip(at) for at in range(widget.count()))
    elif isinstance(widget, QGroupBox):
        yield widget.title()
    elif isinstance(widget, QSpinBox):
        yield from (widget.prefix(), widget.suffix(), widget.specialValueText())
    elif isinstance(widget, QGraphicsView) and widget.scene():
        for item in widget.scene().items():
            yield item.toolTip()
            if isinstance(item, QGraphicsSimpleTextItem):
                yield item.text()
            elif isinstance(item, QGraphicsTextItem):
                yield item.toPlainText()
    elif isinstance(widget, QAbstractItemView) and widget.model() and not isinstance(widget, QHeaderView):
        yield from _rows(widget.model(), QModelIndex())


def _rows(model: QAbstractItemModel, parent: QModelIndex) -> Iterator[str]:
    columns = range(1 if isinstance(model, QAbstractListModel) else model.columnCount(parent))
    if not parent.isValid():
        for at in columns:
            heads = (model.headerData(at, Qt.Orientation.Horizontal, role) for role in _ROLES[:2])
            yield from (str(head) for head in heads if head)
    for row in range(min(model.rowCount(parent), _ROWS)):
        for at in columns:
            cell = model.index(row, at, parent)
            yield from (str(cell.data(role)) for role in _ROLES if cell.data(role))
        if columns:
            yield from _rows(model, model.index(row, 0, parent))
