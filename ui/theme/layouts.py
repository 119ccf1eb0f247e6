"""Emptying a layout whose contents are made anew."""

from PySide6.QtWidgets import QLayout


def clear_layout(layout: QLayout) -> None:
    """Take every widget out of a layout and let it go."""
    while True:
        item = layout.takeAt(0)
        if item is None:
            return
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
