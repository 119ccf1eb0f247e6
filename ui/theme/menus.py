"""Menus that open at a place, no wider than the screen, and give the keys back when they close."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu

from ui.theme.untrusted import plain_tip

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
