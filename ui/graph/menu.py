"""What else can be done with a drawing: look at it otherwise, arrange it anew, save it as a picture."""

import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QObject, QPoint, QRectF, Qt
from PySide6.QtGui import QAction, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFileDialog, QMenu

from annotator.files import replaced_file
from scoring.errors import AnnotatorError
from ui.graph.view import GraphView
from ui.theme import Tone, theme
from ui.theme.buttons import open_menu
from ui.theme.dialogs import open_dialog

_FILTERS = "Picture to scale (*.svg);;Picture of pixels (*.png)"
_MARGIN = 12.0


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
        self._add("Show the whole drawing", "F", view.fit)
        self._add("Zoom in", "Ctrl++", view.zoom_in)
        self._add("Zoom out", "Ctrl+-", view.zoom_out)
        self._add("Arrange anew", "L", view.tidy)
        self.menu.addSeparator()
        self._choose_all = self._add("Select all edges", "Ctrl+A", view.choose_all)
        self._kinds = self._add("Change the kind of selected edges", "K", view.toggle_kinds)
        self._remove = self._add("Remove selected edges", "Del", view.remove_chosen)
        self.menu.addSeparator()
        self._add("Save as picture…", "", self.ask_file)
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
        export = export_png if path.suffix.lower() == ".png" else export_svg
        try:
            export(self._view, path)
        except AnnotatorError as error:
            self._view.say(str(error), Tone.ERROR)
        else:
            self._view.say(f"Saved as {path}.")

    def _add(self, text: str, keys: str, do: Callable[[], None]) -> QAction:
        # The canvas answers the keys itself; the menu only names them.
        action = self.menu.addAction(f"{text}\t{keys}" if keys else text)
        action.triggered.connect(do)
        return action

    def _refresh(self) -> None:
        can_edit = bool(self._view.chosen_edges) and not self._view.is_read_only
        self._choose_all.setEnabled(bool(self._view.task.drawn_edges))
        self._kinds.setEnabled(can_edit)
        self._remove.setEnabled(can_edit)

    def _open(self, point: QPoint) -> None:
        open_menu(self.menu, self._view.viewport().mapToGlobal(point))


def _plain(name: str) -> str:
    """A name that every file system takes."""
    return re.sub(r"[^\w.-]+", "-", name)[:100].strip("-.") or "graph"


def export_svg(view: GraphView, path: Path) -> None:
    """Write the whole drawing as SVG, in the colours that are on.

    Raises:
        StoreError: The file cannot be written.
    """
    area, written = _area(view), _buffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(written)
    generator.setSize(area.size().toSize())
    generator.setViewBox(QRectF(0, 0, area.width(), area.height()))
    generator.setTitle("Dependencies")
    painter = QPainter(generator)
    _render(view, painter, area)
    painter.end()
    _save(written, path)


def export_png(view: GraphView, path: Path, *, factor: float = 2.0) -> None:
    """Write the whole drawing as PNG, in the colours that are on.

    Args:
        view: Canvas whose drawing is written.
        path: File to write.
        factor: Pixels for each pixel at 100 %.

    Raises:
        StoreError: The file cannot be written.
    """
    area = _area(view)
    image = QImage((area.size() * factor).toSize(), QImage.Format.Format_ARGB32)
    image.fill(theme().colour("bg"))
    painter = QPainter(image)
    painter.scale(factor, factor)
    _render(view, painter, area)
    painter.end()
    written = _buffer()
    image.save(written, "PNG")  # type: ignore[call-overload]
    _save(written, path)


def _area(view: GraphView) -> QRectF:
    return view.board.itemsBoundingRect().adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)


def _render(view: GraphView, painter: QPainter, area: QRectF) -> None:
    page = QRectF(0, 0, area.width(), area.height())
    painter.fillRect(page, theme().colour("bg"))
    view.board.render(painter, page, area)


def _buffer() -> QBuffer:
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    return buffer


def _save(picture: QBuffer, path: Path) -> None:
    with replaced_file(path) as stream:
        stream.write(picture.data().data())
