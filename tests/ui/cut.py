"""What of a window's words is cut off or covered, found by measuring, and what scrolls sideways."""

from collections.abc import Iterator
from itertools import combinations

from PySide6.QtCore import QRect
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QComboBox,
    QLabel,
    QLineEdit,
    QScrollArea,
    QTabBar,
    QWidget,
)

_SLACK = 2
"""Pixels that rounding and a frame may take."""
_WORDS = (QLabel, QAbstractButton, QComboBox, QLineEdit)


def cut(root: QWidget) -> list[str]:
    """What is cut off, covered or wider than its room, and signs of something wrong without words.

    Args:
        root: A window or a page that is shown and has settled.

    Returns:
        A line for each: what is wrong, kind, name, words. Text that shortens itself with a tooltip, tables
        and drawings are not asked: they scroll or shorten on purpose.
    """
    found = [*_narrow(root), *_clipped(root), *_scrolled(root), *_covered(root), *_wordless(root)]
    return list(dict.fromkeys(found))


def _shown(root: QWidget, *kinds: type[QWidget]) -> Iterator[QWidget]:
    found = (one for kind in kinds for one in root.findChildren(kind) if one.isVisible())
    return (one for one in found if not one.visibleRegion().isEmpty())  # else it has yet to be scrolled to


def _words(widget: QWidget) -> str:
    text = widget.currentText() if isinstance(widget, QComboBox) else ""
    if isinstance(widget, QLabel | QAbstractButton | QLineEdit):
        text = widget.text()
    return f"{type(widget).__name__} #{widget.objectName()} {text.replace(chr(0x200B), '')[:60]!r}"


def _narrow(root: QWidget) -> Iterator[str]:
    for widget in _shown(root, QLabel, QAbstractButton, QComboBox):
        if not _words(widget).split("'")[1:2] or type(widget).__name__ in ("ElidedLabel", "HeaderWord"):
            continue
        least = widget.minimumSizeHint()
        height = widget.height()
        if isinstance(widget, QLabel) and widget.wordWrap():
            if height + _SLACK < widget.heightForWidth(widget.width()):
                yield f"too low: {_words(widget)} {height} of {widget.heightForWidth(widget.width())}"
            continue
        if widget.width() + _SLACK < least.width():
            yield f"too narrow: {_words(widget)} {widget.width()} of {least.width()}"
        if height + _SLACK < least.height() and isinstance(widget, QLabel):
            yield f"too low: {_words(widget)} {height} of {least.height()}"
    for bar in _shown(root, QTabBar):
        assert isinstance(bar, QTabBar)
        if bar.sizeHint().width() > bar.width() + _SLACK:
            yield f"tabs do not fit: #{bar.objectName()} {bar.width()} of {bar.sizeHint().width()}"


def _clipped(root: QWidget) -> Iterator[str]:
    """Words that reach over the edge of a parent that cannot be scrolled."""
    for widget in _shown(root, *_WORDS):
        at, parent = widget, widget.parentWidget()
        place = widget.rect()
        while parent is not None and at is not root and not isinstance(parent, QAbstractScrollArea):
            place = QRect(widget.mapTo(parent, widget.rect().topLeft()), widget.size())
            if not parent.rect().adjusted(-_SLACK, -_SLACK, _SLACK, _SLACK).contains(place):
                if not _is_view(parent):
                    yield f"over the edge of {type(parent).__name__} #{parent.objectName()}: {_words(widget)}"
                break
            at, parent = parent, parent.parentWidget()


def _wordless(root: QWidget) -> Iterator[str]:
    """Signs of something wrong that do not say what."""
    for label in _shown(root, QLabel):
        if label.property("look") == "error" and not _words(label).split("'")[1]:
            yield f"sign without words: {_words(label)}"


def _is_view(widget: QWidget) -> bool:
    area = widget.parentWidget()
    return isinstance(area, QAbstractScrollArea) and area.viewport() is widget


def _scrolled(root: QWidget) -> Iterator[str]:
    for area in _shown(root, QAbstractScrollArea):
        assert isinstance(area, QAbstractScrollArea)
        bar = area.horizontalScrollBar()
        if bar.isVisible() and bar.maximum() > bar.minimum():
            kind = "page" if isinstance(area, QScrollArea) else type(area).__name__
            yield f"sideways: {kind} #{area.objectName()} by {bar.maximum() - bar.minimum()}"


def _covered(root: QWidget) -> Iterator[str]:
    """Words of one parent that stand over each other."""
    by_parent: dict[QWidget, list[QWidget]] = {}
    for widget in _shown(root, *_WORDS):
        parent = widget.parentWidget()
        if parent is not None and not isinstance(parent, QComboBox | QLineEdit):
            by_parent.setdefault(parent, []).append(widget)
    for members in by_parent.values():
        for one, other in combinations(members, 2):
            if one.geometry().adjusted(1, 1, -1, -1).intersects(other.geometry().adjusted(1, 1, -1, -1)):
                yield f"covered: {_words(one)} and {_words(other)}"
