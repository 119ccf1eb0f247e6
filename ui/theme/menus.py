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
    shorten(menu)
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
    has_digits: bool = False,
    at: QPoint | None = None,
) -> None:
    """Open a menu below a button, or at a point of the screen.

    Args:
        button: Below which it opens, or whatever else asks.
        name: Object name of the menu.
        choices: What each says and does; None for what cannot be chosen now. Without words it is a line.
        ticked: The words that are on now; None where nothing is on or off.
        has_digits: Whether a digit chooses.
        at: The point, where it is not below the button.
    """
    menu = build(QMenu, button, objectName=name)
    for number, (words, act) in enumerate(choices, 1):
        shown = (f"&{number}  " if has_digits else "") + words.replace("&", "&&")
        action = menu.addAction(shown) if words else menu.addSeparator()
        action.setEnabled(act is not None)
        action.setCheckable(ticked is not None)
        action.setChecked(ticked is not None and words in ticked)
        if act is not None:
            action.triggered.connect(act)
    menu.aboutToHide.connect(menu.deleteLater)
    if at is None:
        open_below(menu, button)
    else:
        open_menu(menu, at)


def shorten(menu: QMenu) -> None:
    menu.ensurePolished()
    widest = round(menu.screen().availableGeometry().width() * _WIDEST)
    for action in menu.actions():
        words = action.text()
        shown = menu.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, widest)
        if shown != words:
            action.setToolTip(plain_tip(words.replace("&&", "&")))
            action.setText(shown)
            menu.setToolTipsVisible(True)
