"""One field of a card: read in place, folded where it is long, opened as an editor."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from pydantic import JsonValue
from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QTextDocument
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from annotator.drafts.draft_body import OpenEditor
from scoring.texts import tr
from ui.dialogue.arguments.editor import JsonEditor
from ui.dialogue.arguments.model import FieldContext
from ui.dialogue.block import TextBlock
from ui.dialogue.content import ANSWER_MISSING, Edit, Part, PartKind
from ui.dialogue.documents import json_document, markdown_document, plain_document
from ui.dialogue.editors import FieldEditor, result_editor, text_editor
from ui.dialogue.json_text import LONGEST_WORD, JsonText, same_json, summary_line, write_json
from ui.dialogue.places import Picked, SpanPick, pick_in_json, pick_in_rendered, pick_in_text
from ui.theme import Dot, ElidedLabel, TextLabel, theme
from ui.theme.layouts import build, connect, hbox, take_out, vbox
from ui.theme.look import icon

_UNLABELLED = {"user": tr("User"), "text": tr("Text"), "arguments": tr("Arguments")}
"""What an editor is called whose part has no line above it."""
_READ_LIMIT = 20_000
"""Characters of a field that are shown for reading; editing shows all."""

_ENDLESS = re.compile(rf"\S{{{LONGEST_WORD}}}")

Key = tuple[int, int]
"""Task and step of a card."""
ContextOf = Callable[[int, int, str], FieldContext]
"""What editors know about the field at (task, step, field)."""


class CardSignals(QObject):
    """What people do in the cards of a dialogue: one object for all cards and their parts.

    `pressed` and `changed` carry the key of a card that wants to be the selected one, or whose height may
    have changed; `edited` an `Edit`; `acted` an `ActionRequest`; `opened` a task to be unfolded;
    `value_clicked` task, step and the JSON Pointer of an argument; `picked` a `SpanPick`; `pointed` one of
    what the mouse or the caret is at, None for nothing; `caret_left` that the caret went out of a card at
    the top (-1) or at the end (1); `turned` what arguments are edited as from now on (`EditedAs`); `paused`
    that somebody pauses in an editor, or closed it; `editor_begun` that an editor has the keys.

    Args:
        context_of: Asked when an editor opens.
        parent: Owner.
    """

    pressed = Signal(object)
    edited = Signal(object)
    acted = Signal(object)
    opened = Signal(int)
    value_clicked = Signal(int, int, str)
    picked = Signal(object)
    pointed = Signal(object)
    caret_left = Signal(int)
    changed = Signal(object)
    turned = Signal(object)
    paused = Signal()
    editor_begun = Signal()

    def __init__(self, context_of: ContextOf, parent: QObject) -> None:
        super().__init__(parent)
        self.context_of = context_of
        self.unfolded: set[tuple[Key, str]] = set()
        """Cards and fields of the observations that are unfolded."""


class PartView(QWidget):
    """Shows a part and edits it.

    `pressed` says that it was touched, `open_wanted` asks to edit it; `left` says that the keys go out at the
    top (-1), at the end (1), or back to the card (0).

    Args:
        part: What is shown.
        key: The card it stands in.
        signals: Hear of everything else that people do in it.
    """

    pressed = Signal()
    open_wanted = Signal()
    left = Signal(int)

    def __init__(self, part: Part, key: Key, signals: CardSignals, parent: QWidget | None = None) -> None:
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        build(super().__init__, parent, sizePolicy=policy)
        self.part = part
        self.key = key
        self._signals = signals
        self.is_folded = part.kind is PartKind.RESULT and (key, part.field) not in signals.unfolded
        """Whether only its first line is shown."""
        self._written: JsonText | None = None
        self._editor: FieldEditor | None = None
        self._is_new_answer = False
        self._has_typed = False
        self._line_length = 0
        self._head = (
            _PartHead(part, toggled=self.toggle_fold, open_wanted=self.open_wanted) if part.label else None
        )
        is_code = part.kind in (PartKind.JSON, PartKind.RESULT)
        self.block = TextBlock(
            is_code=is_code,
            objectName=f"part-{part.field}",
            pressed=self.pressed,
            clicked=self._click,
            picked=self._pick,
            pointed=lambda at: self._signals.pointed.emit(self._place(at, at + 1) if at >= 0 else None),
            left=self.left,
            opened=self.open_wanted,
        )
        self._column = vbox(self._head, self.block, within=self, gap=3)

    @property
    def is_editing(self) -> bool:
        """Whether its editor is open."""
        return self._editor is not None

    def is_in_editor(self, widget: QWidget) -> bool:
        """Whether a widget stands in the open editor, which says itself where Tab goes."""
        return self._editor is not None and self._editor.isAncestorOf(widget)

    @property
    def shown_text(self) -> str:
        """What is there to read, without the heading."""
        return "" if self.block.isHidden() else self.block.text

    def show_part(self, part: Part, key: Key) -> None:
        """Show another value of the same field; an open editor keeps what is typed."""
        self.key = key
        if part != self.part:
            self.part = part
            self.draw()

    def toggle_fold(self) -> None:
        """Unfold it, or fold it again."""
        if self.part.kind is PartKind.RESULT and self.part.value is not None and not self.is_editing:
            self.is_folded = not self.is_folded
            self._signals.unfolded.symmetric_difference_update({(self.key, self.part.field)})
            self.draw()
            self._signals.changed.emit(self.key)

    def begin_edit(self) -> None:
        """Open the editor, or go to it where it is open."""
        editor = self._editor
        if editor is None:
            editor = self._open(self._make_editor())
            self.block.hide()
            self._signals.changed.emit(self.key)
        editor.begin()

    @property
    def unread(self) -> OpenEditor | None:
        """What is typed and is no value yet: a text, or texts of rows of the form."""
        editor = self._editor
        text = editor.field.text if editor is not None and editor.is_unread else ""
        rows = editor.form.unread if isinstance(editor, JsonEditor) else ()
        if not text and not rows:
            return None
        task, step = self.key
        return OpenEditor(task=task, step=step, field=self.part.field, text=text, rows=rows)

    def type_again(self, unread: OpenEditor) -> None:
        """Open the editor with what was typed before: the form for rows, else that of the text."""
        self.begin_edit()
        if isinstance(self._editor, JsonEditor):
            self._editor.type_again(unread.text, unread.rows)
        elif self._editor is not None:
            self._editor.retype(unread.text)

    def end_edit(self) -> None:
        """Close the editor with what was typed, if it can be kept."""
        if self._editor is not None:
            self._editor.keep()

    def fit(self, width: int) -> None:
        """Write it for a width, in pixels on screen: JSON on one line only where it fits."""
        if isinstance(self._editor, JsonEditor):
            self._editor.parts.fit(width)
        room = width - 2 * theme().px(10)
        length = max(int(room / QFontMetricsF(theme().mono(12)).horizontalAdvance("0")), 20)
        if length == self._line_length:
            return
        is_first, self._line_length = not self._line_length, length
        if is_first or self._written is not None:
            self.draw()

    def enter_text(self, *, at_end: bool = False) -> bool:
        """Put a caret into what is read, unfolding it; whether there is anything to read."""
        if self.is_folded:
            self.toggle_fold()
        if self.block.isHidden() or not self.part.value:
            return False
        self.block.enter(at_end=at_end)
        return True

    def show_found(self, start: int, end: int) -> None:
        """Select a place of the text, e.g. one that was searched for."""
        self.block.select(start, end)

    def place_of(self, path: str) -> tuple[int, int] | None:
        """Where the value at a pointer stands in the text that is shown."""
        return self._written.span_of(path) if self._written is not None else None

    def _open(self, editor: FieldEditor) -> FieldEditor:
        self._editor = editor
        self._is_new_answer = self.key[1] == ANSWER_MISSING
        connect(
            (editor.typed, self._type),
            (editor.kept, self._close),
            (editor.given_up, self._close),
            (editor.checked, self._signals.paused),
        )
        if isinstance(editor, JsonEditor):
            connect(
                (editor.settled, self._settle),
                (editor.turned, self._signals.turned),
            )
        self._column.addWidget(editor)
        editor.show()
        return editor

    def _make_editor(self) -> FieldEditor:
        part = self.part
        name = part.label or _UNLABELLED[part.field]
        context = self._signals.context_of(*self.key, part.field)
        if part.kind is PartKind.JSON:
            return JsonEditor(part.value, context=context, name=name, has_form=True)
        if part.kind is not PartKind.RESULT:
            return text_editor(str(part.value), name=name)
        if part.value is None or isinstance(part.value, str):
            return result_editor(part.value, name=name)
        return JsonEditor(part.value, context=context, name=name)

    def _type(self, value: JsonValue) -> None:
        self._has_typed = True
        self._tell(value, is_final=False)

    def _settle(self, value: JsonValue) -> None:
        self._has_typed = False
        self._tell(value)

    def _tell(self, value: JsonValue, *, is_final: bool = True, unread: OpenEditor | None = None) -> None:
        task, card = self.key
        step, field = None if card < 0 else card, self.part.field
        if self._is_new_answer:  # it is one step of undo, although the answer is there after a letter
            step, field = None, "answer"
        # Validated where it was read; once more would take tens of milliseconds of a large value.
        edit = Edit.model_construct(
            task=task, step=step, field=field, value=value, is_final=is_final, unread=unread
        )
        self._signals.edited.emit(edit)

    def _close(self, value: JsonValue) -> None:
        unread = self.unread
        editor, self._editor = self._editor, None
        if editor is None:
            return
        self._signals.changed.emit(self.key)
        if editor.has_focus:  # told while the editor is still there: Qt would pass the focus to anyone
            self.left.emit(0)
        take_out(self._column, editor)
        self.draw()
        # What was told a moment ago may not be shown yet.
        is_told = same_json(value, self.part.value) and same_json(value, editor.told)
        if self._has_typed or unread is not None or not is_told:
            self._tell(value, unread=unread)
        self._has_typed = False
        self._signals.paused.emit()

    def draw(self) -> None:
        """Show the part as it is now, in the colours of the theme."""
        if not self._line_length:
            return  # it is drawn once it is fitted
        is_result = self.part.kind is PartKind.RESULT
        is_empty = self.part.value is None
        if self._head is not None:
            self._head.show_state(self.part, is_folded=self.is_folded, can_fold=is_result and not is_empty)
        is_shown = not self.is_editing and not self.is_folded and not (is_result and is_empty)
        self.block.setVisible(is_shown)
        if is_shown:
            self.block.show_document(self._document())
        self.updateGeometry()

    def _document(self) -> QTextDocument:
        part = self.part
        self._written = None
        if part.words:
            return plain_document(part.words, is_code=True)
        if part.kind is PartKind.MARKDOWN:
            if not part.value:
                return plain_document(tr("Not written yet. Press Enter to write it."), is_faint=True)
            if part.spans:
                return plain_document(_shortened(str(part.value)), spans=part.spans)
            return markdown_document(_shortened(str(part.value)))
        if part.kind is PartKind.TEXT:
            return plain_document(_shortened(str(part.value)), spans=part.spans)
        if isinstance(part.value, str):
            return plain_document(_shortened(part.value), spans=part.spans, is_code=True)
        self._written = write_json(part.value, line_length=self._line_length, limit=_READ_LIMIT)
        return json_document(self._written, cited=part.cited, troubled=part.troubled)

    def show_links(self, places: Iterable[SpanPick]) -> None:
        """Mark the places of it that belong to the value somebody points at."""
        found = (place.span if place.path is None else self.place_of(place.path) for place in places)
        self.block.mark(span for span in found if span is not None)

    def _pick(self, start: int, end: int) -> None:
        place = self._place(start, end)
        if place is not None:
            self._signals.picked.emit(place)

    def _place(self, start: int, end: int) -> SpanPick | None:
        picked, (task, step) = self._picked(start, end), self.key
        if picked is None:
            return None
        return SpanPick(
            task=task, step=None if step < 0 else step, field=self.part.field, **picked.model_dump()
        )

    def _picked(self, start: int, end: int) -> Picked | None:
        if self._written is not None:
            return pick_in_json(self._written, start, end)
        text = str(self.part.value)
        end = min(end, read_end(text))
        if self.part.kind is PartKind.MARKDOWN and not self.part.spans:
            return pick_in_rendered(text, self.block.text, start, end)
        return pick_in_text(text, start, end)

    def _click(self, position: int) -> None:
        path = self._written.path_at(position) if self._written is not None else None
        if path is not None and self.part.field == "arguments":
            self._signals.value_clicked.emit(*self.key, path)


class _PartHead(QWidget):
    """The line above a part with a label; of an observation it folds and says the first words."""

    toggled = Signal()
    open_wanted = Signal()

    def __init__(self, part: Part, **signals: Any) -> None:
        build(super().__init__, **signals)
        self._dot = Dot("observation" if part.kind is PartKind.RESULT else "user")
        self._word = TextLabel(part.label, "small-muted")
        self._caret = build(
            QToolButton, objectName=f"fold-{part.field}", autoRaise=True, clicked=self.toggled, look="tiny"
        )
        self._line = ElidedLabel("", "small-faint")
        hbox(self._dot, self._word, self._caret, (self._line, 1), within=self, gap=6, margins=(0, 2, 0, 0))

    def show_state(self, part: Part, *, is_folded: bool, can_fold: bool) -> None:
        """Say what is folded away, or that nothing was recorded."""
        self._caret.setVisible(can_fold)
        self._caret.setIcon(icon("caret-right" if is_folded else "caret-down"))
        side = theme().px(12)
        self._caret.setIconSize(QSize(side, side))
        self._caret.setAccessibleName(
            tr("Show {what}", what=part.label.lower())
            if is_folded
            else tr("Fold {what}", what=part.label.lower())
        )
        self._caret.setToolTip(f"{self._caret.accessibleName()} (O)")
        words = ""
        if part.kind is PartKind.RESULT:
            words = (
                tr("not recorded") if part.value is None else summary_line(part.value) if is_folded else ""
            )
        self._line.setText(words)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.toggled.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.open_wanted.emit()


def _shortened(text: str) -> str:
    end = read_end(text)
    return (
        text
        if end == len(text)
        else tr(
            "{value}\n… {text_count:,} more characters; editing shows them all",
            value=text[:end],
            text_count=len(text) - end,
        )
    )


def read_end(text: str) -> int:
    """Where reading a text ends: behind 20,000 characters, or in a word nobody reads to its end."""
    word = _ENDLESS.search(text, 0, _READ_LIMIT)
    return word.end() if word else min(len(text), _READ_LIMIT)
