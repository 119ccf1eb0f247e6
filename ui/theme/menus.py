"""Menus that open at a place and give the keys back when they close."""

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu


def open_menu(menu: QMenu, at: QPoint) -> None:
    """Open a menu at a point of the screen; when it closes, the window has the keys again.

    Where no window manager runs, nobody else would give them back.
    """
    parent = menu.parentWidget()
    if parent is not None and not menu.property("gives_back"):
        menu.setProperty("gives_back", True)
        menu.aboutToHide.connect(parent.window().activateWindow)
    menu.popup(at)
