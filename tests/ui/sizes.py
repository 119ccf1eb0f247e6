"""Putting sizes on a window that is open, as Ctrl++ does."""

from collections.abc import Callable, Iterable

import shiboken6
from PySide6.QtWidgets import QApplication

from ui.theme import apply_theme


def destroyed_while_sized(
    app: QApplication, *, scales: Iterable[float], settle: Callable[[], object] = lambda: None
) -> list[str]:
    """Put sizes on, one after the other.

    Qt walks over the widgets it has noted while it does so: one that is destroyed meanwhile ends the
    program, not always at once.

    Args:
        app: The running application.
        scales: The sizes, 1 to 2.
        settle: Called after each, outside of Qt's walk.

    Returns:
        Kind and name of what was destroyed meanwhile, in no order.
    """
    gone: list[str] = []
    for scale in scales:
        widgets = [(widget, f"{type(widget).__name__} {widget.objectName()}") for widget in app.allWidgets()]
        apply_theme(app, dark=False, scale=scale)
        gone += [name for widget, name in widgets if not shiboken6.isValid(widget)]
        del widgets
        settle()
    return gone
