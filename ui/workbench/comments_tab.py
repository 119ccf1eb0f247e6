"""The Comments tab: what people remarked about a case, and the field for a further remark."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QScrollArea, QVBoxLayout, QWidget

from annotator.cases.history import CommentRow, add_comment, comments_of, resolve_comment
from ui.operations import Operations
from ui.theme import Button, ButtonKind, Card, EmptyState, TextLabel, theme
from ui.theme.layouts import clear_layout
from ui.theme.times import ago, exactly
from ui.workbench.document import Selection


class _Field(QPlainTextEdit):
    """A few lines of text; Ctrl+Enter sends them."""

    sent = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.sent.emit()
        else:
            super().keyPressEvent(event)


class _Remark(Card):
    """One remark; `resolved` carries its id, `wanted` the place it is about."""

    resolved = Signal(int)
    wanted = Signal(str)

    def __init__(self, comment: CommentRow, now: datetime, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._comment = comment
        look = theme()
        head = QHBoxLayout()
        head.setSpacing(look.px(8))
        head.addWidget(TextLabel(comment.person, "strong"))
        when = TextLabel(ago(comment.at, now), "small-muted")
        when.setToolTip(exactly(comment.at, now))
        head.addWidget(when)
        head.addStretch(1)
        if comment.where != "case":
            place = Button(place_name(comment.where), ButtonKind.LINK)
            place.clicked.connect(self._go)
            head.addWidget(place)
        text = TextLabel(comment.text, "muted" if comment.is_resolved else "body")
        text.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(look.px(12), look.px(8), look.px(12), look.px(8))
        column.setSpacing(look.px(4))
        column.addLayout(head)
        column.addWidget(text)
        if comment.is_resolved:
            column.addWidget(TextLabel("resolved", "small-faint"))
        else:
            resolve = Button("Resolve", ButtonKind.LINK)
            resolve.setObjectName(f"resolve-{comment.id}")
            resolve.clicked.connect(self._resolve)
            column.addWidget(resolve, 0, Qt.AlignmentFlag.AlignLeft)

    def _resolve(self) -> None:
        self.resolved.emit(self._comment.id)

    def _go(self) -> None:
        self.wanted.emit(self._comment.where)


class CommentsTab(QWidget):
    """Shows the remarks on a case and takes further ones.

    Signals: `counted` carries how many are open; `place_wanted` the place text of a remark.
    """

    counted = Signal(int)
    place_wanted = Signal(str)

    def __init__(self, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("comments-tab")
        self._operations = operations
        self._case_id = ""
        self._where = "case"
        self._remarks = QVBoxLayout()
        self._empty = EmptyState("chat-circle", "No remarks", "Write down what others should know.")
        self.field = _Field()
        self.field.setObjectName("comment-field")
        self.field.setAccessibleName("A remark")
        self.field.setFixedHeight(theme().px(72))
        self.field.setTabChangesFocus(True)
        self.field.sent.connect(self._send)
        self._about = TextLabel("", "small-muted")
        send = Button("Add remark", keys="Ctrl ↵")
        send.setObjectName("comment-send")
        send.clicked.connect(self._send)
        look = theme()
        holder = QWidget()
        inner = QVBoxLayout(holder)
        inner.setContentsMargins(look.px(12), look.px(12), look.px(12), look.px(12))
        inner.setSpacing(look.px(8))
        inner.addLayout(self._remarks)
        inner.addStretch(1)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setWidget(holder)
        foot = QHBoxLayout()
        foot.addWidget(self._about, 1)
        foot.addWidget(send)
        bottom = QVBoxLayout()
        bottom.setContentsMargins(look.px(12), look.px(8), look.px(12), look.px(12))
        bottom.setSpacing(look.px(8))
        bottom.addWidget(self.field)
        bottom.addLayout(foot)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._area, 1)
        column.addWidget(self._empty, 1)
        column.addLayout(bottom)

    def show_case(self, case_id: str) -> None:
        """Show the remarks on another case."""
        self._case_id = case_id
        self._show(())
        self.reload()

    def show_place(self, selection: Selection) -> None:
        """Note what a further remark would be about."""
        parts = [f"task {selection.task}"]
        if selection.step is not None:
            parts.append(f"step {selection.step}")
        if selection.path:
            parts.append(selection.path)
        self._where = " ".join(parts)
        self._about.setText(f"about {place_name(self._where)}")

    def reload(self) -> None:
        """Read the remarks again."""
        if self._case_id:
            self._operations.run(partial(comments_of, case_id=self._case_id), then=self._show)

    def _show(self, comments: Sequence[CommentRow]) -> None:
        clear_layout(self._remarks)
        now = datetime.now().astimezone()
        for comment in comments:
            remark = _Remark(comment, now)
            remark.resolved.connect(self._resolve)
            remark.wanted.connect(self.place_wanted)
            self._remarks.addWidget(remark)
        self._area.setVisible(bool(comments))
        self._empty.setVisible(not comments)
        self.counted.emit(sum(not comment.is_resolved for comment in comments))

    def _send(self) -> None:
        text = self.field.toPlainText().strip()
        if text and self._case_id:
            self._operations.run(
                partial(add_comment, case_id=self._case_id, where=self._where, text=text),
                then=self._sent,
                origin=self,
            )

    def _sent(self, _: int) -> None:
        self.field.clear()
        self.reload()

    def _resolve(self, comment: int) -> None:
        self._operations.run(
            partial(resolve_comment, case_id=self._case_id, comment=comment),
            then=self._resolved,
            origin=self,
        )

    def _resolved(self, _: None) -> None:
        self.reload()


def place_name(where: str) -> str:
    """A place text as people count: tasks from 1."""
    words = where.split(" ")
    if len(words) > 1 and words[0] == "task" and words[1].isdigit():
        words[1] = str(int(words[1]) + 1)
    return " ".join(words)
