"""Small things that show a word: chips, keys, section labels, text that shortens itself."""

import re
from typing import Any

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from scoring.model.taxonomy import Stage
from ui.theme.apply import theme
from ui.theme.tokens import Tone, side_colour
from ui.theme.untrusted import plain_tip

_PART = 16
_BREAK = "\u200b"
_LONG_WORD = re.compile(rf"\S{{{_PART + 1},}}")
_DIVIDING = re.compile(r"(?<=[/\\_.:;,=-])")


def restyle(widget: QWidget, name: str, value: str) -> None:
    """Set a property the stylesheet looks at, and have the widget look again."""
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)
    widget.updateGeometry()
    widget.update()


class TextLabel(QLabel):
    """Plain text in one of the looks of the stylesheet; what it shows is never read as HTML.

    Args:
        text: What it says.
        look: `body`, `muted`, `faint`, `strong`, `title`, `figure`, `mono`, `mono-muted`, `mono-strong`,
            `small` or `error`.
    """

    def __init__(
        self, text: str = "", look: str = "body", parent: QWidget | None = None, **properties: Any
    ) -> None:
        super().__init__(text, parent, **properties)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("look", look)

    def set_look(self, look: str) -> None:
        """Change the look."""
        restyle(self, "look", look)


class WrappedLabel(TextLabel):
    """Plain text over as many lines as it needs; words too long for a line, as paths are, are broken."""

    def __init__(
        self, text: str = "", look: str = "body", parent: QWidget | None = None, **properties: Any
    ) -> None:
        super().__init__("", look, parent, **properties)
        self._whole = ""
        self.setWordWrap(True)
        self.setText(text)

    def text(self) -> str:
        return self._whole

    def setText(self, text: str) -> None:
        self._whole = text
        super().setText(breakable(text))
        self.setAccessibleName(text)


def breakable(text: str) -> str:
    """A text whose long words a line may end in: behind signs that divide them, or anywhere.

    Example:
        >>> breakable("/srv/team/project.db and more").split("\u200b")
        ['/', 'srv/', 'team/', 'project.', 'db and more']
    """
    return _LONG_WORD.sub(_divided, text)


def _divided(word: re.Match[str]) -> str:
    parts = [part for part in _DIVIDING.split(word[0]) if part]
    return _BREAK.join(part[at : at + _PART] for part in parts for at in range(0, len(part), _PART))


class Chip(QLabel):
    """A pill with one short text, in a tone or in the hue of a stage or of a side."""

    def __init__(
        self, text: str = "", tone: Tone = Tone.NEUTRAL, parent: QWidget | None = None, **properties: Any
    ) -> None:
        super().__init__(text, parent, **properties)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("chip", tone.value)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_chip(self, text: str, tone: Tone) -> None:
        """Say something else, in a tone."""
        self.setText(text)
        restyle(self, "chip", tone.value)

    def set_stage(self, text: str, stage: Stage) -> None:
        """Say something in the hue of a stage."""
        self.setText(text)
        restyle(self, "chip", f"stage-{stage.value}")

    def set_side(self, text: str, letter: str) -> None:
        """Say something in the hue of a side; the letter is one of `SIDES`."""
        self.setText(text)
        restyle(self, "chip", side_colour(letter))


class Kbd(QLabel):
    """A key, or keys, drawn as on a keyboard."""

    def __init__(self, keys: str, parent: QWidget | None = None, **properties: Any) -> None:
        super().__init__(keys, parent, **properties)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("look", "kbd")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)


class SectionLabel(QLabel):
    """A small heading in capitals above a group of fields."""

    def __init__(self, text: str, parent: QWidget | None = None, **properties: Any) -> None:
        super().__init__(text.upper(), parent, **properties)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAccessibleName(text)
        self.setProperty("look", "section")

    def set_heading(self, text: str) -> None:
        """Change the heading."""
        self.setText(text.upper())
        self.setAccessibleName(text)


class ElidedLabel(TextLabel):
    """One line that ends in an ellipsis where space is short; the whole text is its tooltip then.

    Args:
        text: What it says.
        look: As for `TextLabel`.
        mode: Which end, or the middle, gives way.
    """

    def __init__(
        self,
        text: str = "",
        look: str = "body",
        *,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        parent: QWidget | None = None,
        **properties: Any,
    ) -> None:
        super().__init__(text, look, parent, **properties)
        self._mode = mode
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    @property
    def shown_text(self) -> str:
        """The text as far as there is room for it."""
        line = " ".join(self.text().split())
        return self.fontMetrics().elidedText(line, self._mode, self.contentsRect().width())

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(min(hint.width(), theme().px(24)), hint.height())

    def sizeHint(self) -> QSize:
        line = " ".join(self.text().split())
        return QSize(self.fontMetrics().horizontalAdvance(line) + 2, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell_rest()

    def setText(self, text: str) -> None:
        super().setText(text)
        self._tell_rest()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().windowText().color())
        painter.drawText(self.contentsRect(), self.alignment() | Qt.TextFlag.TextSingleLine, self.shown_text)

    def _tell_rest(self) -> None:
        is_cut = self.shown_text != " ".join(self.text().split())
        self.setToolTip(plain_tip(self.text()) if is_cut else "")


class Dot(QWidget):
    """A small coloured square that marks the kind of a card; the word beside it says the same.

    Args:
        colour: Name of a token, e.g. `user`.
    """

    def __init__(self, colour: str, parent: QWidget | None = None, **properties: Any) -> None:
        super().__init__(parent, **properties)
        self._colour = colour
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        side = theme().px(8)
        return QSize(side, side)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().colour(self._colour))
        radius = theme().px(2)
        painter.drawRoundedRect(self.rect(), radius, radius)
