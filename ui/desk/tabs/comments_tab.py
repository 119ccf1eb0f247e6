"""The Comments tab: what people wrote about a case, and the field for a further comment."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from annotator.cases.history import CommentPlace, CommentRow, add_comment, comments_of, resolve_comment
from scoring.texts import tr
from ui.desk.document import Selection
from ui.services.errors import unread
from ui.services.operations import Operations
from ui.theme import Button, ButtonKind, Card, ElidedLabel, EmptyState, TextLabel, theme
from ui.theme.fields import NoteField
from ui.theme.layouts import (
    STRETCH,
    build,
    column,
    fill,
    hbox,
    lay,
    scrolled,
    show_either,
    vbox,
)
from ui.theme.words import LOADING, ago, exactly


@dataclass(frozen=True)
class Thread:
    """A comment and what was answered to it, oldest first."""

    first: CommentRow
    answers: tuple[CommentRow, ...] = ()


def threads_of(comments: Sequence[CommentRow]) -> tuple[Thread, ...]:
    """Gather comments into threads: open ones first, each kind in the order they were begun.

    An answer whose comment cannot be seen begins a thread of its own.
    """
    known = {comment.id: comment for comment in comments}
    answers: dict[int, list[CommentRow]] = {}
    for comment in comments:
        root = comment
        while root.parent_id in known:
            root = known[root.parent_id]
        answers.setdefault(root.id, [])
        if root is not comment:
            answers[root.id].append(comment)
    found = (Thread(known[root], tuple(rest)) for root, rest in answers.items())
    return tuple(sorted(found, key=lambda thread: thread.first.is_resolved))


class CommentsTab(QWidget):
    """Shows the comments on a case and takes further ones.

    Signals: `counted` carries the threads that are open; `place_wanted` the `CommentPlace` of a comment.
    """

    counted = Signal(object)
    place_wanted = Signal(object)

    def __init__(self, operations: Operations, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="comments-tab")
        self._operations = operations
        self._case_id = ""
        self._where = "case"
        self._answered: CommentRow | None = None
        self._comments = QVBoxLayout()
        self._empty = EmptyState("chat-circle", "", "")
        self.field = NoteField("comment-field", tr("A comment"), "", sent=self._send)
        self.field.setFixedHeight(theme().px(72))
        self._about = ElidedLabel("", "small-muted", objectName="comment-about")
        send = Button(tr("Add comment"), keys=tr("Ctrl ↵"), objectName="comment-send", clicked=self._send)
        self._area = scrolled(column(self._comments, STRETCH, gap=8, margins=12))
        vbox(
            (self._area, 1),
            (self._empty, 1),
            vbox(self.field, hbox((self._about, 1), send, gap=None), gap=8, margins=(12, 8, 12, 12)),
            within=self,
        )

    def show_case(self, case_id: str) -> None:
        """Show the comments on another case."""
        self._case_id = case_id
        self._answered = None
        self._show(())
        self._empty.say(LOADING)
        self.reload()

    def show_place(self, selection: Selection) -> None:
        """Note what a further comment would be about."""
        self._where = CommentPlace(task=selection.task, step=selection.step, path=selection.path).text
        self._answered = None
        self._say()

    def reload(self, _: object = None) -> None:
        """Read the comments again."""
        if self._case_id:
            self._operations.run(
                partial(comments_of, case_id=self._case_id),
                then=self._show,
                failed=unread(self._operations.failure.emit, self._empty),
            )

    def _show(self, comments: Sequence[CommentRow]) -> None:
        now = datetime.now().astimezone()
        threads = threads_of(comments)
        fill(self._comments, (self._thread_card(thread, now) for thread in threads))
        show_either(self._area, self._empty, on=threads)
        self._empty.set_words(tr("No comments"), tr("Write down what others should know."))
        self.counted.emit(tuple(thread for thread in threads if not thread.first.is_resolved))

    def _thread_card(self, thread: Thread, now: datetime) -> Card:
        comment = thread.first
        card = Card(objectName=f"thread-{comment.id}")
        lines = vbox(within=card, gap=4, margins=(12, 8))
        if comment.where != "case":
            place = Button(
                place_name(comment.where),
                ButtonKind.LINK,
                toolTip=tr("Go to what this is about"),
                clicked=partial(self.place_wanted.emit, CommentPlace.of(comment.where)),
            )
            lines.addWidget(place, 0, Qt.AlignmentFlag.AlignLeft)
        look = "muted" if comment.is_resolved else "body"
        for one in (comment, *thread.answers):
            indent = 16 if one is not comment else 0
            when = TextLabel(ago(one.at, now), "small-muted", toolTip=exactly(one.at, now))
            text = TextLabel(one.text, look, wordWrap=True)
            text.setContentsMargins(theme().px(indent), 0, 0, 0)
            head = hbox(TextLabel(one.person, "strong"), when, STRETCH, gap=8, margins=(indent, 0, 0, 0))
            lay(lines, head, text)
        if comment.is_resolved:
            foot = hbox(TextLabel(tr("Resolved"), "small-faint"), STRETCH, gap=12)
        else:
            answer = Button(
                tr("Answer", context="comment"),
                ButtonKind.LINK,
                objectName=f"answer-{comment.id}",
                clicked=partial(self._begin_answer, comment),
            )
            settle = partial(resolve_comment, case_id=self._case_id, comment=comment.id)
            resolve = Button(
                tr("Resolve"),
                ButtonKind.LINK,
                objectName=f"resolve-{comment.id}",
                clicked=partial(self._operations.run, settle, then=self.reload, origin=self),
            )
            foot = hbox(answer, resolve, STRETCH, gap=12)
        lines.addLayout(foot)
        return card

    def _begin_answer(self, comment: CommentRow) -> None:
        self._answered = comment
        self._say()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _say(self) -> None:
        answered = self._answered
        about = tr("about {place_name}", place_name=place_name(self._where))
        self._about.setText(tr("answers {person}", person=answered.person) if answered is not None else about)

    def _send(self) -> None:
        text = self.field.words
        if text and self._case_id:
            answered = self._answered
            where = answered.where if answered is not None else self._where
            parent = answered.id if answered is not None else None
            self._operations.run(
                partial(add_comment, case_id=self._case_id, where=where, text=text, parent=parent),
                then=self._sent,
                origin=self,
            )

    def _sent(self, _: int) -> None:
        self.field.clear()
        self._answered = None
        self._say()
        self.reload()


def place_name(where: str) -> str:
    """A place text as people count: tasks from 1."""
    place = CommentPlace.of(where)
    if place.task is None:
        return where
    task, _, step = place.model_copy(update={"task": place.task + 1}).text.partition(" step ")
    return tr("{task} step {step}", task=tr(task), step=step) if step else tr(task)
