"""What of the guidelines something on the screen is about: `F1` looks it up where the person is.

A widget says it once (`set_topic`); the cells and headers of a table say it by `TOPIC_ROLE`. A topic is the
name of a section or term in `annotator.guidelines`, e.g. `policy` or `policy.single`.
"""

from typing import Protocol, runtime_checkable

from PySide6.QtCore import QAbstractItemModel, QLocale, QModelIndex, QPersistentModelIndex, QPoint, Qt
from PySide6.QtWidgets import QAbstractItemView, QApplication, QHeaderView, QWidget

from annotator.guidelines import Language
from scoring.texts import tr
from ui.services.preferences import Preferences
from ui.theme.tables import TOPIC_ROLE

_TOPIC = "topic"
LANGUAGES = {Language.ENGLISH: tr("English"), Language.CHINESE: "中文"}
"""The languages of explanations and training, each as it calls itself."""


def wanted_language(preferences: Preferences) -> Language:
    """The language a person chose for explanations and training, else that of the window, else English."""
    chosen = preferences.settings.guidelines_language
    if chosen in tuple(Language):
        return Language(chosen)
    return Language.CHINESE if QLocale().language() == QLocale.Language.Chinese else Language.ENGLISH


@runtime_checkable
class HasTopic(Protocol):
    """A page that knows what the person is at where no widget says it."""

    @property
    def topic(self) -> str:
        """The topic; empty for none."""


@runtime_checkable
class Explains(Protocol):
    """The window, which shows what a topic means."""

    def explain_topic(self, topic: str) -> None:
        """Show a topic beside the work."""

    def explain_page(self, page: str) -> None:
        """Show a page of the manual, at a heading or a message behind `#`."""

    def end_explanation(self) -> bool:
        """Close what is shown beside the work; whether anything was."""


def explain(topic: str, widget: QWidget | None) -> None:
    """Have the window around a widget explain a topic; nothing where it stands in none."""
    window = _window_of(widget)
    if window is not None:
        window.explain_topic(topic)


def explain_page(page: str, widget: QWidget) -> None:
    """Have the window around a widget open a page of the manual."""
    window = _window_of(widget)
    if window is not None:
        window.explain_page(page)


def end_explanation(widget: QWidget | None) -> bool:
    """Have the window around a widget close its explanation; whether one was shown."""
    window = _window_of(widget)
    return window is not None and window.end_explanation()


def _window_of(widget: QWidget | None) -> Explains | None:
    while widget is not None and not isinstance(widget, Explains):
        widget = widget.parentWidget()
    return widget


def set_topic(topic: str, *widgets: QWidget) -> None:
    """Say what widgets, and everything in them that says nothing else, are about."""
    for widget in widgets:
        widget.setProperty(_TOPIC, topic)


def topic_of(widget: QWidget | None) -> str:
    """What a widget that has the keys is about: it or the nearest around it; empty for nothing."""
    if isinstance(widget, QAbstractItemView):
        found = _of_index(widget.currentIndex()) or _of_section(
            widget.model(), widget.currentIndex().column()
        )
        if found:
            return found
    while widget is not None:
        if widget.property(_TOPIC):
            return str(widget.property(_TOPIC))
        widget = widget.parentWidget()
    return ""


def topic_at(place: QPoint) -> str:
    """What lies at a place of the screen; empty for nothing."""
    widget = QApplication.widgetAt(place)
    view = widget.parentWidget() if widget is not None else None
    if widget is not None and isinstance(view, QAbstractItemView):
        at = widget.mapFromGlobal(place)
        found = (
            _of_section(view.model(), view.logicalIndexAt(at), view.orientation())
            if isinstance(view, QHeaderView)
            else _of_index(view.indexAt(at)) or _of_section(view.model(), view.indexAt(at).column())
        )
        if found:
            return found
    return topic_of(widget)


def _of_index(index: QModelIndex | QPersistentModelIndex) -> str:
    return str(index.data(TOPIC_ROLE) or "") if index.isValid() else ""


def _of_section(
    model: QAbstractItemModel | None, section: int, side: Qt.Orientation = Qt.Orientation.Horizontal
) -> str:
    """The topic of a heading, and so of the cells of its column."""
    return "" if model is None or section < 0 else str(model.headerData(section, side, TOPIC_ROLE) or "")
