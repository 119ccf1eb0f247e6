"""A row of the form: a name, a field that fits the value, what is wrong, and what else can be done."""

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QToolButton, QWidget

from annotator.cases.argument_schemas import same_value
from scoring.texts import joined, tr, with_commas
from ui.dialogue.arguments.model import FieldKind, FormRow, read_field
from ui.dialogue.editors import PlainEditor
from ui.dialogue.json_text import editable_json, same_json
from ui.theme import Button, ButtonKind, ElidedLabel, TextLabel, theme
from ui.theme.labels import restyle
from ui.theme.layouts import build, grid
from ui.theme.look import icon
from ui.theme.words import plain_tip, visible

_NAME_WIDTH, _WIDE = 132, 400
"""Width of the names, and the width of a row from which on they have that much."""
_INDENT = 14
_MARGIN = 8
"""Where the mark of a row stands, left of its name."""
_LINES_HEIGHT = 120
"""Greatest height of a text of several lines, in pixels at 100 %."""


class FormChoice(QComboBox):
    """A choice that the arrows leave alone: Left and Right choose, Alt+Down opens the list."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        is_plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if is_plain and key in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Escape):
            event.ignore()
        elif is_plain and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            by = 1 if key == Qt.Key.Key_Right else -1
            at = min(max(self.currentIndex() + by, 0), self.count() - 1)
            if at != self.currentIndex():
                self.setCurrentIndex(at)
                self.activated.emit(at)
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # scrolling the dialogue must not change a value


Field = QLineEdit | PlainEditor | FormChoice | Button


class FormRowView(QWidget):
    """One row. `typed` is sent with every change of the text, `chosen` the number of an option.

    `add_wanted` asks to add an object, a list or an item; `menu_wanted` for what else can be done.
    """

    typed = Signal()
    chosen = Signal(int)
    add_wanted = Signal()
    menu_wanted = Signal()

    def __init__(self, row: FormRow, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName=f"row-{row.path}")
        self.row = row
        self.is_marked = False
        """Whether it is the row one is at elsewhere."""
        self.refusal = ""
        """Why what is typed is no value; empty where it is one."""
        self._finding = ""
        words = f"[{row.name}]" if row.is_item else visible(row.name)
        mark = " *" if row.is_required and not row.is_item else ""
        self._name = ElidedLabel(f"{words}{mark}", "mono" if row.is_declared else "mono-muted")
        self._name.setFixedWidth(self._name_width(theme().px(_WIDE)))
        self.field = self._make_field()
        self._more = self._make_more()
        self._message = TextLabel("", "error", wordWrap=True, visible=False)
        places = grid(within=self, gaps=(8, 2), margins=(_MARGIN + _INDENT * row.depth, 0, 0, 0), grows=1)
        top = Qt.AlignmentFlag.AlignTop if row.kind is FieldKind.LINES else Qt.AlignmentFlag.AlignVCenter
        places.addWidget(self._name, 0, 0, top)
        if isinstance(self.field, Button):
            places.addWidget(self.field, 0, 1, Qt.AlignmentFlag.AlignLeft)
        else:
            places.addWidget(self.field, 0, 1)
        places.addWidget(self._more, 0, 2, top)
        places.addWidget(self._message, 1, 1, 1, 2)
        self.show_row(row)

    @property
    def text(self) -> str:
        """What is typed."""
        if isinstance(self.field, PlainEditor):
            return self.field.text
        return self.field.text() if isinstance(self.field, QLineEdit) else ""

    @property
    def about(self) -> str:
        """What there is to know about the argument, in one line."""
        row = self.row
        declared = row.type_words or tr("any value"), tr("required") if row.is_required else tr("optional")
        words = with_commas(declared) if row.is_declared else tr("not in the schema")
        words += tr(", default {default}", default=row.default) if row.default else ""
        return joined(tr("{words}.", words=words), row.description)

    def fits(self, row: FormRow) -> bool:
        """Whether another value at the same place can be shown in this very row."""
        return _face(row) == _face(self.row)

    def show_row(self, row: FormRow) -> None:
        """Show another value; a text that means it already, or was refused, stays as it is typed."""
        self.row = row
        tip = plain_tip(self.about)
        for widget in (self._name, self.field):
            widget.setToolTip(tip)
        state = tr(", left out") if not row.is_given else tr(", null") if row.value is None else ""
        self.field.setAccessibleName(f"{visible(row.name)}{state}")
        self.field.setAccessibleDescription(self.about[:400])
        match self.field:
            case FormChoice():
                self._choose_value(self.field)
            case QLineEdit() | PlainEditor():
                self.field.setPlaceholderText(_placeholder(row))
                wanted = row.text if row.can_be_typed else ""
                if not self.refusal and self.text != wanted and not self._means_value():
                    self._write(self.field, wanted)

    def set_marked(self, *, on: bool) -> None:
        """Mark it as the row one is at elsewhere, or not."""
        if on != self.is_marked:
            self.is_marked = on
            self.update()

    @property
    def problem(self) -> str:
        """What is said to be wrong with the value."""
        return self._message.text()

    def refuse(self, words: str) -> None:
        """Say that what is typed is no value, and why; nothing where it is one."""
        self.refusal = words
        self._show_problem()

    def show_finding(self, words: str) -> None:
        """Say what is wrong with the value; nothing for nothing."""
        self._finding = words
        self._show_problem()

    def _show_problem(self) -> None:
        words = self.refusal or self._finding
        if words != self.problem:
            self._message.say(words)
            restyle(self.field, "problem", "yes" if words else "no")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._name.setFixedWidth(self._name_width(self.width()))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.is_marked:
            painter, look = QPainter(self), theme()
            top, height = self.field.y(), self.field.height()
            painter.fillRect(0, top, look.px(3), height, look.colour("accent"))

    def _write(self, field: QLineEdit | PlainEditor, text: str) -> None:
        """Show a text in a field, as if nobody had typed it."""
        if isinstance(field, QLineEdit):
            field.setText(text)
            field.setCursorPosition(0)
        else:
            with QSignalBlocker(field):
                field.setPlainText(text)
            field.updateGeometry()

    def _name_width(self, width: int) -> int:
        share = min(_NAME_WIDTH * width // _WIDE, theme().px(_NAME_WIDTH))
        return max(share - theme().px(min(self.row.depth, 4) * _INDENT), theme().px(_NAME_WIDTH // 4))

    def _means_value(self) -> bool:
        """Whether what is typed means the value, e.g. 1.50 for 1.5."""
        row = self.row
        try:
            return row.is_given and row.can_be_typed and same_json(read_field(row, self.text), row.value)
        except ValueError:
            return False

    def _make_field(self) -> Field:
        row = self.row
        match row.kind:
            case FieldKind.CHOICE:
                choice = build(
                    FormChoice,
                    sizeAdjustPolicy=QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon,
                    activated=self.chosen,
                )
                choice.addItem("")
                for option in row.options:
                    words = option if isinstance(option, str) else editable_json(option, indent=None)
                    choice.addItem(visible(words))
                return choice
            case FieldKind.GROUP:
                return self._make_group_button()
            case FieldKind.LINES:
                return PlainEditor("", maximumHeight=theme().px(_LINES_HEIGHT), textChanged=self.typed)
        line = build(
            QLineEdit,
            minimumWidth=theme().px(40),
            readOnly=not row.can_be_typed,
            textEdited=self.typed,
        )
        if row.kind is not FieldKind.TEXT:
            line.setFont(theme().mono(12))
        return line

    def _make_more(self) -> QToolButton:
        look = theme()
        return build(
            QToolButton,
            objectName="row-more",
            autoRaise=True,
            icon=icon("dots-three"),
            iconSize=QSize(look.px(14), look.px(14)),
            # Until the card has grown for a row of two lines there is no room: Qt would paint no icon.
            minimumSize=QSize(look.px(18), look.px(18)),
            focusPolicy=Qt.FocusPolicy.NoFocus,
            accessibleName=tr("More about {visible}", visible=visible(self.row.name)),
            toolTip=tr("More: leave out, null (Shift+F10)"),
            clicked=self.menu_wanted,
        )

    def _make_group_button(self) -> Button:
        row = self.row
        is_list = row.type_words == "array"
        button = Button(
            tr("Add {noun}", noun=(tr("item") if row.is_given else tr("list")) if is_list else tr("object")),
            ButtonKind.LINK,
            clicked=self.add_wanted,
        )
        if (
            row.is_given and not is_list
        ):  # shown with its row: alone, without a parent yet, it would be a window
            button.setEnabled(False)
            button.hide()
        return button

    def _choose_value(self, choice: FormChoice) -> None:
        row, at = self.row, -1
        if row.is_given and row.value is not None:
            at = next(i for i, option in enumerate(row.options) if same_value(option, row.value))
        choice.setItemText(0, tr("left out") if at >= 0 else _placeholder(row))
        choice.setCurrentIndex(at + 1)


def _face(row: FormRow) -> tuple[object, ...]:
    """What of a row is made once: another one has to be made for another of these."""
    made = (row.kind, row.name, row.depth, row.is_required, row.is_declared, row.can_be_typed)
    options = (editable_json(option, indent=None) for option in row.options)
    return (*made, row.is_given) if row.kind is FieldKind.GROUP else (*made, *options)


def _placeholder(row: FormRow) -> str:
    if not row.can_be_typed:
        return tr("too long for a field; edited as JSON (F4)")
    if not row.is_given:
        return tr("left out, default {default}", default=row.default) if row.default else tr("left out")
    return tr("null") if row.value is None else tr("empty text")
