"""Dialogs that do not block: opened, answered by signal, gone when closed."""

from PySide6.QtWidgets import QDialog


def open_dialog(dialog: QDialog) -> None:
    """Open a dialog above its window; when it is closed it is deleted and the window has the keys again.

    Where no window manager runs, nobody else would give them back.
    """
    parent = dialog.parentWidget()
    if parent is not None:
        dialog.finished.connect(parent.window().activateWindow)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
