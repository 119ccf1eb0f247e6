"""Pictures of `annotator.release` in the window: drawn beside its thread, at its size, in its colours."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from annotator.release.reports.figure_style import DARK, LIGHT, FigurePalette, refit_legends
from scoring.texts import tr
from ui.services.operations import Operations
from ui.theme import theme
from ui.theme.events import follow_events
from ui.theme.layouts import build
from ui.theme.look import follow_theme, paint_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Draw = Callable[..., "Figure"]
"""Draws a figure; takes `palette`."""

_DOTS_PER_INCH = 100
_LEAST_INCHES = 4.4
"""Below this width a picture shrinks as a whole: legends and names need it."""
_HIGHEST = 0.9
"""How high a picture is at most, in widths; one made higher may be as high as it was made."""


def palette_of_theme() -> FigurePalette:
    """The colours of pictures in the theme that is on, on the ground of the window."""
    tokens = theme().tokens
    return (DARK if tokens.is_dark else LIGHT).model_copy(update={"background": tokens.bg})


def draw_pixels(draw: Draw, palette: FigurePalette, size: QSize, *, scale: float, ratio: float) -> QImage:
    """Draw a figure at a size on screen; any thread may do it.

    Args:
        draw: Makes the figure.
        palette: Its colours.
        size: Width and height at most, in the window's own pixels.
        scale: Size of everything, as in `Theme`.
        ratio: Pixels of the screen for each of the window's.
    """
    # matplotlib takes a second to import: only whoever draws pays for it. Its drawing surface is
    # used without pyplot, which would keep every figure alive.
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = draw(palette=palette)
    dots = min(_DOTS_PER_INCH * scale, size.width() / _LEAST_INCHES)
    figure.set_dpi(dots * ratio)
    highest = max(_HIGHEST * size.width() / dots, figure.get_figheight())
    figure.set_size_inches(size.width() / dots, min(size.height() / dots, highest))
    refit_legends(figure, palette)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]  # matplotlib has no annotations here
    width, height = canvas.get_width_height(physical=True)
    pixels = bytes(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
    # The image shares the bytes it is made of; its copy has its own.
    return QImage(pixels, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()


class PictureView(QWidget):
    """Shows one picture from the top; while another size is drawn, the former one is made larger or smaller.

    Args:
        operations: Whose thread draws: it is free most of the time, and the window's must not wait.
        name: Object name.
    """

    def __init__(self, operations: Operations, name: str, parent: QWidget | None = None) -> None:
        expanding = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        build(super().__init__, parent, objectName=name, sizePolicy=expanding)
        self._operations = operations
        self._draw: Draw | None = None
        self._image: QImage | None = None
        self._settled = build(QTimer, self, singleShot=True, interval=120, timeout=self._redraw)
        follow_theme(self._settled.start)
        follow_events(self, self._settled.start, QEvent.Type.Resize, QEvent.Type.Show)

    @property
    def has_picture(self) -> bool:
        """Whether a picture is there to be seen."""
        return self._image is not None

    def show_picture(self, draw: Draw | None, caption: str) -> None:
        """Show another picture, once it is drawn; None if there is none."""
        self._draw = draw
        self.setAccessibleName(caption)
        self.setToolTip(caption)
        if draw is None:
            self._image = None
            self.update()
        else:
            self._redraw()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(440), theme().px(240))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(240), theme().px(140))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._image is None:
            if self._draw is not None:
                middle, colour = Qt.AlignmentFlag.AlignCenter, theme().colour("muted")
                paint_words(painter, self.rect(), middle, tr("Drawing …"), pen=colour)
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        room = self._image.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        painter.drawImage(QRect(QPoint(), room), self._image)

    def _redraw(self) -> None:
        """Have the picture drawn for this size; one that is on its way for another is dropped."""
        self._operations.drop_look(self)
        if self._draw is None or not self.isVisible() or self.width() < 2 or self.height() < 2:
            return
        size, scale, ratio = self.size(), theme().scale, self.devicePixelRatioF()
        draw, palette = self._draw, palette_of_theme()
        self._operations.run(
            lambda _: draw_pixels(draw, palette, size, scale=scale, ratio=ratio),
            then=self._take,
            newest_of=self,
        )

    def _take(self, drawn: QImage) -> None:
        self._image = drawn
        self.update()
