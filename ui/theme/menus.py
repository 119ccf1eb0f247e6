"""Opening menus: at a point of the screen, or below a button with what it offers."""

from collections.abc import Callable, Container, Iterable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from ui.theme.layouts import build
from ui.theme.words import plain_tip

_WIDEST = 2 / 3
"""Share of the screen the words of a menu may take."""


def open_menu(menu: QMenu, at: QPoint) -> None:
    """Open a menu at a point of the screen; when it closes, the window has the keys again.

    Where no window manager runs, nobody else would give them back. Words that are too long for the screen
    are cut in the middle and are the tooltip.
    """
    parent = menu.parentWidget()
    if parent is not None and not menu.property("gives_back"):
        menu.setProperty("gives_back", True)
        menu.aboutToHide.connect(parent.window().activateWindow)
    _shorten(menu)
    menu.popup(at)


def open_below(menu: QMenu, button: QWidget) -> None:
    """Open a menu below a button."""
    open_menu(menu, button.mapToGlobal(button.rect().bottomLeft()))


def open_choices(
    button: QWidget,
    name: str,
    choices: Iterable[tuple[str, Callable[..., object] | None]],
    *,
    ticked: Container[str] | None = None,
) -> None:
    """Open a menu below a button.

    Args:
        button: Below which it opens.
        name: Object name of the menu.
        choices: What each says and does; None for what cannot be chosen now. Without words it is a line.
        ticked: The words that are on now; None where nothing is on or off.
    """
    menu = build(QMenu, button, objectName=name)
    for words, act in choices:
        action = menu.addAction(words.replace("&", "&&")) if words else menu.addSeparator()
        action.setEnabled(act is not None)
        action.setCheckable(ticked is not None)
        action.setChecked(ticked is not None and words in ticked)
        if act is not None:
            action.triggered.connect(act)
    menu.aboutToHide.connect(menu.deleteLater)
    open_below(menu, button)


def _shorten(menu: QMenu) -> None:
    menu.ensurePolished()
    widest = round(menu.screen().availableGeometry().width() * _WIDEST)
    for action in menu.actions():
        words = action.text()
        shown = menu.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, widest)
        if shown != words:
            action.setToolTip(plain_tip(words.replace("&&", "&")))
            action.setText(shown)
            menu.setToolTipsVisible(True)
