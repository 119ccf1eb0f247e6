"""One card of the dialogue: who speaks, what is said, what the checks found about it."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QFocusEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QApplication,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from annotator.drafts.draft_body import OpenEditor
from scoring.model.labels import Finding
from scoring.texts import with_commas
from ui.dialogue.card_head import CardHead, coverage_words, hint_of
from ui.dialogue.content import (
    ANSWER_MISSING,
    ActionRequest,
    CardContent,
    CardKind,
    Part,
)
from ui.dialogue.parts import CardSignals, PartView
from ui.dialogue.places import SpanPick
from ui.theme import Card, Hint, theme
from ui.theme.labels import restyle
from ui.theme.layouts import connect, take_out, vbox
from ui.theme.look import follow_theme, paint_box


class CardView(Card):
    """Shows a card's content, in place, and opens editors in it.

    Args:
        content: What it says.
        signals: Hear of what people do in it.
        is_read_only: Whether nothing may be changed.
        parent: Widget it belongs to.
    """

    def __init__(
        self,
        content: CardContent,
        signals: CardSignals,
        *,
        is_read_only: bool,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(
            parent,
            focusPolicy=Qt.FocusPolicy.ClickFocus,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed),
        )
        self._signals = signals
        self._is_read_only = is_read_only
        self._parts: dict[str, PartView] = {}
        self._hints: list[Hint] = []
        self._shown_findings: object = None
        self.is_linked = False
        """Whether it belongs to the value somebody points at."""
        self._head = CardHead(content.kind)
        self._column = vbox(self._head, within=self, gap=4, margins=(12, 7, 12, 8))
        self.content = content
        self._show()
        follow_theme(self._redraw)

    def show_content(self, content: CardContent) -> None:
        """Say something else, in place; open editors keep what is typed."""
        if content != self.content:
            self.content = content
            self._show()

    @property
    def is_editing(self) -> bool:
        """Whether an editor is open in it."""
        return any(part.is_editing for part in self._parts.values())

    @property
    def is_in_use(self) -> bool:
        """Whether an editor is open in it, or the keys go to it."""
        focused = QApplication.focusWidget()
        return self.is_editing or (focused is not None and (focused is self or self.isAncestorOf(focused)))

    def part(self, field: str) -> PartView | None:
        """The part that shows a field."""
        return self._parts.get(field)

    @property
    def hint_words(self) -> tuple[str, ...]:
        """What the boxes under the text say."""
        return tuple(hint.words for hint in self._hints)

    @property
    def unread(self) -> OpenEditor | None:
        """What is typed in one of its editors and is no value yet."""
        return next((part.unread for part in self._parts.values() if part.unread is not None), None)

    def clear_found(self) -> None:
        """Take back what was marked as found."""
        for part in self._parts.values():
            part.show_found(0, 0)

    def show_links(self, places: Sequence[SpanPick]) -> None:
        """Mark what in it belongs to the value somebody points at; a folded task only as a whole."""
        task, step = self.content.key
        is_folded = self.content.kind is CardKind.FOLDED
        own = [at for at in places if at.task == task and (is_folded or at.card_step == step)]
        self.is_linked = bool(own)
        for field, part in self._parts.items():
            part.show_links(at for at in own if at.field == field)
        self.update()

    def begin_edit(self, field: str = "") -> None:
        """Open an editor: of a field, or of what the card is mainly about."""
        if self._is_read_only or not self._parts:
            return
        wanted = field or ("arguments" if "arguments" in self._parts else next(iter(self._parts)))
        if wanted in self._parts:
            self._parts[wanted].begin_edit()
            self._signals.editor_begun.emit()

    def enter_text(self, *, at_end: bool = False) -> bool:
        """Put a caret into its first text, or into its last; whether it has one."""
        parts = list(self._parts.values())
        return any(part.enter_text(at_end=at_end) for part in (reversed(parts) if at_end else parts))

    def end_edit(self) -> None:
        """Close open editors with what was typed."""
        for part in self._parts.values():
            part.end_edit()

    def fit(self, width: int) -> None:
        """Write its texts for a width, in pixels on screen; until then they are not written."""
        margins = self._column.contentsMargins()
        for part in self._parts.values():
            part.fit(width - margins.left() - margins.right() - 2)

    def measure(self, width: int) -> int:
        """Height it needs at a width, in pixels on screen."""
        self.fit(width)
        self._column.activate()
        return (
            self._column.totalHeightForWidth(width)
            if self._column.hasHeightForWidth()
            else self._column.totalSizeHint().height()
        )

    def set_current(self, *, on: bool) -> None:
        """Make it the selected card; only that one is reached by Tab."""
        self.set_selected(on=on)
        self._set_reach()
        self._head.show_keys(on=on and self.content.coverage is not None)

    def toggle_fold(self) -> None:
        """Unfold the observation, or fold it."""
        for part in self._parts.values():
            part.toggle_fold()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._press()
        if self.content.kind is CardKind.FOLDED:
            self._signals.opened.emit(self.content.task)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._signals.pressed.emit(self.content.key)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.is_linked or (self.content.round is not None and self.is_selected):
            painter, look = QPainter(self), theme()
            style = Qt.PenStyle.DashLine if self.is_linked else Qt.PenStyle.SolidLine
            paint_box(
                painter,
                QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5),
                look.px(8),
                is_smooth=True,
                pen=QPen(look.colour("accent"), 1, style),
            )

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            self._signals.changed.emit(self.content.key)
        return done

    # what it shows

    def _set_reach(self) -> None:
        is_reached = self.is_selected
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if is_reached else Qt.FocusPolicy.ClickFocus)
        policy = Qt.FocusPolicy.StrongFocus if is_reached else Qt.FocusPolicy.NoFocus
        edited = [part for part in self._parts.values() if part.is_editing]
        for kind in (QPushButton, QToolButton):
            for button in self.findChildren(kind):
                if not any(part.is_in_editor(button) for part in edited):
                    button.setFocusPolicy(policy)

    def _show(self) -> None:
        content = self.content
        self.setObjectName(f"card-{content.task}-{content.step}")
        # The calls of one round are lines of one card, which the column paints around them.
        is_line = content.round is not None
        restyle(self, "look", "line-of-card" if is_line else "card")
        if is_line:  # else the style makes room for the outline
            self.setContentsMargins(1, 1, 1, 1)
        self._head.show_content(content)
        self._show_parts()
        if (content.findings, content.waived) != self._shown_findings:
            self._show_hints()
        words = (
            content.title,
            content.name,
            content.note,
            content.chip,
            coverage_words(content.coverage),
            content.round.title if content.round is not None else "",
        )
        self.setAccessibleName(with_commas(word for word in words if word))
        self.setAccessibleDescription(" ".join(self.hint_words))
        self.updateGeometry()

    def _redraw(self) -> None:
        """Show the same again, in the colours of another theme."""
        for part in self._parts.values():
            part.draw()
        self._signals.changed.emit(self.content.key)

    def _show_parts(self) -> None:
        wanted = {part.field: part for part in self.content.parts}
        if list(wanted) == list(self._parts):
            for field, part in wanted.items():
                self._parts[field].show_part(part, self.content.key)
        else:
            for view in self._parts.values():
                take_out(self._column, view)
            self._parts = {field: self._make_part(part) for field, part in wanted.items()}
            for place, view in enumerate(self._parts.values(), start=1):
                self._column.insertWidget(place, view)

    def _make_part(self, part: Part) -> PartView:
        view = PartView(part, self.content.key, self._signals)
        connect(
            (view.pressed, self._press),
            (view.open_wanted, partial(self._open_part, part.field)),
            (view.left, partial(self._leave_text, part.field)),
        )
        return view

    def _show_hints(self) -> None:
        for hint in self._hints:
            take_out(self._column, hint)
        self._hints = []
        self._shown_findings = (self.content.findings, self.content.waived)
        for finding in self.content.findings:
            is_waived = (finding.rule, finding.where) in self.content.waived
            hint = hint_of(
                finding,
                is_waived=is_waived,
                is_read_only=self._is_read_only,
                objectName=f"hint-{finding.rule}",
                topic=f"finding.{finding.rule}",
                acted=partial(self._act, finding),
            )
            self._hints.append(hint)
            self._column.addWidget(hint)
            hint.show()  # else it has no height until the loop turns, and the card is cut meanwhile
        self._set_reach()

    # what its parts say

    def _press(self) -> None:
        self._signals.pressed.emit(self.content.key)
        if self.content.step == ANSWER_MISSING:
            self.begin_edit()

    def _leave_text(self, field: str, by: int) -> None:
        fields = list(self._parts)
        at = fields.index(field) + by
        if not by:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        elif not (0 <= at < len(fields) and self._parts[fields[at]].enter_text(at_end=by < 0)):
            self._signals.caret_left.emit(by)

    def _open_part(self, field: str) -> None:
        self._signals.pressed.emit(self.content.key)
        self.begin_edit(field)

    def _act(self, finding: Finding, name: str) -> None:
        self._signals.acted.emit(
            ActionRequest(name=name, task=self.content.task, step=self.content.step, finding=finding)
        )
