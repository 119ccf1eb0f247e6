"""Where the form and the JSON of a call's arguments stand: one alone, or both beside or above each other."""

from PySide6.QtCore import QEvent, QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QBoxLayout,
    QFrame,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from scoring.texts import tr
from ui.dialogue.arguments.form import ArgumentForm
from ui.dialogue.arguments.model import EditedAs
from ui.dialogue.editors import PlainEditor
from ui.theme import TextLabel, theme
from ui.theme.events import follow_events
from ui.theme.layouts import build, show_all, vbox

_WIDE, _WIDE_AND_LOW = 620, (540, 520)
"""Width from which on the form and the JSON stand side by side, and where the height is scarce that width and
the height it is scarce below, in pixels at 100 %."""
_AROUND, _AROUND_BOTH = 140, 200
"""What else of a card stands above and below what is edited, in pixels at 100 %."""
_LEAST, _MARGIN = 110, 16
_UNLIMITED = (1 << 24) - 1
"""The height of a widget that Qt limits in no way."""
_ALONE = 640
"""Height of what is in sight around a widget that stands in nothing that scrolls."""


class ArgumentParts(QWidget):
    """Holds the form and the field, each under a heading where both are shown.

    Args:
        form: The form; where it is too high to be seen at once, it scrolls.
        field: The JSON.
    """

    def __init__(self, form: ArgumentForm, field: PlainEditor, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._field = field
        self._is_both = False
        self.room = _FormRoom(form)
        self._form_head, self._json_head = (
            TextLabel(words, "small-muted") for words in (tr("Form"), tr("JSON"))
        )
        self._box = build(
            QBoxLayout,
            QBoxLayout.Direction.TopToBottom,
            self,
            contentsMargins=QMargins(),
            spacing=theme().px(12),
        )
        for head, part in ((self._form_head, self.room), (self._json_head, field)):
            self._box.addLayout(vbox(head, (part, 1), gap=3), 1)

    def uncover(self, edited_as: EditedAs) -> None:
        """Show what belongs to it and hide nothing yet, so that the keys can go there first."""
        if edited_as is not EditedAs.JSON:
            self.room.show()
        if edited_as is not EditedAs.FORM:
            self._field.show()

    def show_as(self, edited_as: EditedAs) -> None:
        """Show what belongs to it, and only that."""
        self._is_both = edited_as is EditedAs.BOTH
        self.room.setVisible(edited_as is not EditedAs.JSON)
        self._field.setVisible(edited_as is not EditedAs.FORM)
        show_all(self._form_head, self._json_head, on=self._is_both)
        policy = QSizePolicy.Policy.MinimumExpanding if self._is_both else QSizePolicy.Policy.Fixed
        for part in (self._field, self.room):
            part.setSizePolicy(QSizePolicy.Policy.Ignored, policy)
        self.fit(self.width())

    def say_waiting(self, *, on: bool) -> None:
        """Say over the form that it waits for JSON that can be read, or no more."""
        self._form_head.setText(tr("Form: as it was until the JSON can be read") if on else tr("Form"))

    def fit(self, width: int) -> None:
        """Stand side by side where a width has room for it, in pixels on screen, and take no more height
        than is in sight."""
        area, look = _area_around(self), theme()
        height = area.viewport().height() if area is not None else look.px(_ALONE)
        is_low = height < look.px(_WIDE_AND_LOW[1])
        is_wide = self._is_both and width >= look.px(_WIDE_AND_LOW[0] if is_low else _WIDE)
        direction = QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom
        if direction is not self._box.direction():
            self._box.setDirection(direction)
        above_each_other = 2 if self._is_both and not is_wide else 1
        around = look.px(_AROUND_BOTH if self._is_both else _AROUND)
        most = max((height - around) // above_each_other, look.px(_LEAST))
        self.room.setMaximumHeight(most)
        self._field.setMaximumHeight(most if self._is_both else _UNLIMITED)

    def bring_focus(self) -> None:
        """Scroll the card as little as it takes to show where one types."""
        focus, area = QApplication.focusWidget(), _area_around(self)
        if focus is None or area is None or not self.isAncestorOf(focus):
            return
        place: QRect = self._field.cursorRect() if focus is self._field else focus.rect()
        top = focus.mapTo(area.viewport(), QPoint(0, place.top())).y()
        margin, bar = theme().px(_MARGIN), area.verticalScrollBar()
        below = top + place.height() + margin - area.viewport().height()
        if top < margin:
            bar.setValue(bar.value() + top - margin)
        elif below > 0:
            bar.setValue(bar.value() + below)


class _FormRoom(QScrollArea):
    """As high as the form up to its greatest height, then it scrolls."""

    def __init__(self, form: QWidget) -> None:
        build(
            super().__init__,
            frameShape=QFrame.Shape.NoFrame,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            focusPolicy=Qt.FocusPolicy.NoFocus,
            widgetResizable=True,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed),
        )
        self._form = form
        self.setWidget(form)
        for widget in (form, self.viewport()):
            widget.setAutoFillBackground(False)
        follow_events(form, self.updateGeometry, QEvent.Type.LayoutRequest)
        follow_events(self, self.updateGeometry, QEvent.Type.Resize)

    def sizeHint(self) -> QSize:
        height = self._form.heightForWidth(self.viewport().width()) if self._form.hasHeightForWidth() else -1
        return QSize(self.width(), height if height >= 0 else self._form.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(1, self.sizeHint().height())


def _area_around(widget: QWidget) -> QAbstractScrollArea | None:
    """What a widget is scrolled in."""
    outer = widget.parentWidget()
    while outer is not None:
        area = outer.parentWidget()
        if isinstance(area, QAbstractScrollArea) and area.viewport() is outer:
            return area
        outer = area
    return None
