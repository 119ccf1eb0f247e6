"""A drawing as a file: SVG or PNG, in the colours that are on."""

from pathlib import Path

from PySide6.QtCore import QRect, QRectF, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from scoring.errors import StoreError
from ui.graph.view import GraphView
from ui.theme import theme

_MARGIN = 12.0


def export_svg(view: GraphView, path: Path) -> None:
    """Write the whole drawing as SVG.

    Raises:
        StoreError: The file cannot be written.
    """
    area = _area(view)
    size = area.size().toSize()
    generator = QSvgGenerator()
    generator.setFileName(str(path))
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle("Dependencies")
    _check_folder(path)
    painter = QPainter(generator)
    _render(view, painter, area)
    if not painter.end() or not path.exists():
        raise _cannot_write(path)


def export_png(view: GraphView, path: Path, *, factor: float = 2.0) -> None:
    """Write the whole drawing as PNG.

    Args:
        view: Canvas whose drawing is written.
        path: File to write.
        factor: Pixels for each pixel at 100 %.

    Raises:
        StoreError: The file cannot be written.
    """
    area = _area(view)
    image = QImage(
        QSize(round(area.width() * factor), round(area.height() * factor)), QImage.Format.Format_ARGB32
    )
    image.fill(theme().colour("bg"))
    painter = QPainter(image)
    painter.scale(factor, factor)
    _render(view, painter, area)
    painter.end()
    if not image.save(str(path), "PNG"):  # type: ignore[call-overload]
        raise _cannot_write(path)


def _area(view: GraphView) -> QRectF:
    bounds = view.board.itemsBoundingRect()
    return bounds.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)


def _render(view: GraphView, painter: QPainter, area: QRectF) -> None:
    painter.fillRect(QRectF(0, 0, area.width(), area.height()), theme().colour("bg"))
    with view.board.painted_afresh():
        view.board.render(painter, QRectF(0, 0, area.width(), area.height()), area)


def _check_folder(path: Path) -> None:
    if not path.parent.is_dir():
        raise _cannot_write(path)


def _cannot_write(path: Path) -> StoreError:
    return StoreError(f"The picture {path} cannot be written.", "Choose a folder you may write to.")
