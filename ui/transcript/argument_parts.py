"""Where the form and the JSON of a call's arguments stand: one alone, or both beside or above each other."""

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ui.theme import TextLabel, theme
from ui.transcript.argument_rows import ArgumentRows
from ui.transcript.editors import PlainEditor
from ui.transcript.field_context import EditedAs
from ui.transcript.form_room import FormRoom, bring_into_sight, room_around, share_of

_WIDE, _WIDE_AND_LOW = 620, (540, 520)
"""Width from which on the form and the JSON stand side by side, and where the height is scarce that width and
the height it is scarce below, in pixels at 100 %."""
_AROUND, _AROUND_BOTH = 140, 200
"""What else of a card stands above and below what is edited, in pixels at 100 %."""
_WAITING = "Form: as it was until the JSON can be read"


class ArgumentParts(QWidget):
    """Holds the rows and the field, each under a heading where both are shown.

    Args:
        rows: The form.
        field: The JSON.
    """

    def __init__(self, rows: ArgumentRows, field: PlainEditor, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._field = field
        self._is_both = False
        self.room = FormRoom(rows)
        self._form_head, self._json_head = (TextLabel(words, "small-muted") for words in ("Form", "JSON"))
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(theme().px(12))
        for head, part in ((self._form_head, self.room), (self._json_head, field)):
            column = QVBoxLayout()
            column.setSpacing(theme().px(3))
            column.addWidget(head)
            column.addWidget(part, 1)
            self._box.addLayout(column, 1)

    @property
    def is_side_by_side(self) -> bool:
        """Whether the form stands left of the JSON rather than above it."""
        return self._box.direction() is QBoxLayout.Direction.LeftToRight

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
        for head in (self._form_head, self._json_head):
            head.setVisible(self._is_both)
        policy = QSizePolicy.Policy.MinimumExpanding if self._is_both else QSizePolicy.Policy.Fixed
        for part in (self._field, self.room):
            part.setSizePolicy(QSizePolicy.Policy.Ignored, policy)
        self.fit(self.width())

    def say_waiting(self, *, on: bool) -> None:
        """Say over the form that it waits for JSON that can be read, or no more."""
        self._form_head.setText(_WAITING if on else "Form")

    def bring_focus(self) -> None:
        """Scroll the card so that where one types is in sight."""
        focus = QApplication.focusWidget()
        if focus is None or not self.isAncestorOf(focus):
            return
        place = self._field.cursorRect() if focus is self._field else focus.rect()
        bring_into_sight(self, place.translated(focus.mapTo(self, QPoint())))

    def fit(self, width: int) -> None:
        """Stand side by side where a width has room for it, in pixels on screen, and take no more height
        than is in sight."""
        room, look = room_around(self), theme()
        is_low = room < look.px(_WIDE_AND_LOW[1])
        is_wide = self._is_both and width >= look.px(_WIDE_AND_LOW[0] if is_low else _WIDE)
        direction = QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom
        if direction is not self._box.direction():
            self._box.setDirection(direction)
        if not self._is_both:
            self.room.limit_height(share_of(room, taken=_AROUND))
            self._field.limit_height(0)
            return
        share = share_of(room, taken=_AROUND_BOTH, parts=1 if is_wide else 2)
        self.room.limit_height(share)
        self._field.limit_height(share)
