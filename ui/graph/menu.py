"""What else can be done with a drawing: look at it otherwise, arrange it anew, save it as a picture."""

import re
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMenu

from scoring.errors import AnnotatorError
from ui.graph.export import export_png, export_svg
from ui.graph.view import GraphView
from ui.theme import Tone
from ui.theme.dialogs import open_dialog
from ui.theme.menus import open_menu

_FILTERS = "Picture to scale (*.svg);;Picture of pixels (*.png)"


class GraphMenu(QObject):
    """The menu of a canvas, opened by a right click or from the header.

    `file_name` is what a saved picture is called at first; what no file system takes is left out of it.
    """

    def __init__(self, view: GraphView) -> None:
        super().__init__(view)
        self._view = view
        self.file_name = "graph"
        self.menu = QMenu(view)
        self.menu.setObjectName("graph-menu")
        self._add("Show the whole drawing", "F").triggered.connect(view.fit)
        self._add("Zoom in", "Ctrl++").triggered.connect(view.zoom_in)
        self._add("Zoom out", "Ctrl+-").triggered.connect(view.zoom_out)
        self._add("Arrange anew", "L").triggered.connect(view.tidy)
        self.menu.addSeparator()
        self._choose_all = self._add("Select all edges", "Ctrl+A")
        self._choose_all.triggered.connect(view.choose_all)
        self._kinds = self._add("Change the kind of selected edges", "K")
        self._kinds.triggered.connect(view.toggle_kinds)
        self._remove = self._add("Remove selected edges", "Del")
        self._remove.triggered.connect(view.remove_chosen)
        self.menu.addSeparator()
        self._add("Save as picture…", "").triggered.connect(self.ask_file)
        self.menu.aboutToShow.connect(self._refresh)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self._open)

    def ask_file(self) -> None:
        """Ask where to save the drawing, as SVG or PNG."""
        dialog = QFileDialog(self._view, "Save the drawing", f"{_plain(self.file_name)}.svg", _FILTERS)
        dialog.setObjectName("graph-file")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("svg")
        dialog.fileSelected.connect(self.save)
        open_dialog(dialog)

    def save(self, name: str) -> None:
        """Write the drawing to a file; its ending says as what."""
        path = Path(name)
        try:
            if path.suffix.lower() == ".png":
                export_png(self._view, path)
            else:
                export_svg(self._view, path)
        except AnnotatorError as error:
            self._view.say(str(error), Tone.ERROR)
        else:
            self._view.say(f"Saved as {path}.")

    def _add(self, text: str, keys: str) -> QAction:
        # The canvas answers the keys itself; the menu only names them.
        return self.menu.addAction(f"{text}\t{keys}" if keys else text)

    def _refresh(self) -> None:
        has_choice, can_edit = bool(self._view.chosen_edges), not self._view.is_read_only
        self._choose_all.setEnabled(bool(self._view.task.drawn_edges))
        self._kinds.setEnabled(has_choice and can_edit)
        self._remove.setEnabled(has_choice and can_edit)

    def _open(self, point: QPoint) -> None:
        open_menu(self.menu, self._view.viewport().mapToGlobal(point))


def _plain(name: str) -> str:
    """A name that every file system takes."""
    return re.sub(r"[^\w.-]+", "-", name)[:100].strip("-.") or "graph"
