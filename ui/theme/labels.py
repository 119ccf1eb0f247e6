"""Small things that show a word: chips, keys, section labels, text that shortens itself, stages on a line."""

import re
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from scoring.model.taxonomy import Stage
from ui.theme.layouts import build
from ui.theme.look import paint_box, paint_with, theme
from ui.theme.tokens import Tone, side_colour
from ui.theme.words import plain_tip

_PART = 16
_BREAK = "\u200b"
_LONG_WORD = re.compile(rf"[^\s\u3000-\u303f\u3400-\u9fff\uff00-\uffef]{{{_PART + 1},}}")
"""Of Chinese none: its lines end between characters, and no mark may begin one."""
_DIVIDING = re.compile(r"(?<=[/\\_.:;,=-])")


def restyle(widget: QWidget, name: str, value: str) -> None:
    """Set a property the stylesheet looks at, and have the widget look again."""
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)
    # A frame measures its padding anew only then: what stands in it would lie under the sign of an error.
    QCoreApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))


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
        build(super().__init__, text, parent, textFormat=Qt.TextFormat.PlainText, **properties, look=look)

    def say(self, words: str, look: str = "") -> None:
        """Say something else, in another look where one is given; without words it takes no room."""
        if look:
            self.set_look(look)
        self.setText(words)
        self.setVisible(bool(words))

    def set_look(self, look: str) -> None:
        """Change the look."""
        restyle(self, "look", look)


class WrappedLabel(TextLabel):
    """Plain text over as many lines as it needs; words too long for a line, as paths are, are broken."""

    def __init__(
        self, text: str = "", look: str = "body", parent: QWidget | None = None, **properties: Any
    ) -> None:
        super().__init__("", look, parent, wordWrap=True, **properties)
        self._whole = ""
        self.setText(text)

    def text(self) -> str:
        return self._whole

    def setText(self, text: str) -> None:
        self._whole = text
        super().setText(breakable(text))
        self.setAccessibleName(text)

    def clear(self) -> None:
        self.setText("")


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
        build(
            super().__init__,
            text,
            parent,
            textFormat=Qt.TextFormat.PlainText,
            alignment=Qt.AlignmentFlag.AlignCenter,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed),
            **properties,
            chip=tone.value,
        )

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


class Kbd(TextLabel):
    """A key, or keys, drawn as on a keyboard."""

    def __init__(self, keys: str, parent: QWidget | None = None, **properties: Any) -> None:
        super().__init__(
            keys,
            "kbd",
            parent,
            alignment=Qt.AlignmentFlag.AlignCenter,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed),
            **properties,
        )


class SectionLabel(TextLabel):
    """A small heading in capitals above a group of fields."""

    def __init__(self, text: str, parent: QWidget | None = None, **properties: Any) -> None:
        super().__init__(text.upper(), "section", parent, accessibleName=text, **properties)

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
        super().__init__(
            text,
            look,
            parent,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed),
            **properties,
        )
        self._mode = mode

    @property
    def shown_text(self) -> str:
        """The text as far as there is room for it."""
        line = " ".join(self.text().split())
        return self.fontMetrics().elidedText(line, self._mode, self.contentsRect().width())

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(min(hint.width(), theme().px(24)), hint.height())

    def sizeHint(self) -> QSize:
        line, sign = " ".join(self.text().split()), self.contentsMargins().left()
        return QSize(
            self.fontMetrics().horizontalAdvance(line) + sign + 2, super().minimumSizeHint().height()
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell_rest()

    def setText(self, text: str) -> None:
        super().setText(text)
        self._tell_rest()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = paint_with(QPainter(self), pen=self.palette().windowText().color())
        painter.drawText(self.contentsRect(), self.alignment() | Qt.TextFlag.TextSingleLine, self.shown_text)

    def _tell_rest(self) -> None:
        self.setToolTip(plain_tip(self.text()) if self.shown_text.split() != self.text().split() else "")


class Dot(QWidget):
    """A small coloured square that marks the kind of a card; the word beside it says the same.

    Args:
        colour: The colour, or the name of a token, e.g. `user`.
    """

    def __init__(self, colour: str | QColor, parent: QWidget | None = None, **properties: Any) -> None:
        build(
            super().__init__,
            parent,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed),
            **properties,
        )
        self._colour = colour

    def sizeHint(self) -> QSize:
        side = theme().px(8)
        return QSize(side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_box(
            QPainter(self),
            self.rect(),
            theme().px(2),
            is_smooth=True,
            pen=Qt.PenStyle.NoPen,
            brush=self._colour if isinstance(self._colour, QColor) else theme().colour(self._colour),
        )
