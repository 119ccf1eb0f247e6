"""What is new for the person: a bell with a count in the header, and the panel it opens."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QDialog,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from annotator.project.changes import Changes
from scoring.texts import tr, tr_count
from scoring.wording import sentence_case
from ui.services.errors import pass_over
from ui.services.feed import OTHERS_MILLISECONDS, ProjectFeed
from ui.services.operations import Operations
from ui.theme import (
    Button,
    ButtonKind,
    Card,
    ElidedLabel,
    PanelHeader,
    TextLabel,
    Tone,
    WrappedLabel,
    icon,
    theme,
)
from ui.theme.dialogs import keep_on_screen, room_for
from ui.theme.events import ENTER_KEYS, on_keys
from ui.theme.layouts import STRETCH, build, column, connect, hbox, show_either, vbox
from ui.theme.look import scaled
from ui.theme.words import FEEDBACK, ago, exactly, visible

if TYPE_CHECKING:
    from annotator.project.workspace import Done, Workspace
    from annotator.review.queue.notices import Notification

_WIDTH, _MOST_ROWS, _LEAST_HEIGHT = 420, 7, 120
_ROUND_IT = 60
"""Height of what stands around the list, in pixels at 100 %: the heading and the frame."""
_WHAT = {
    "returned": tr("Returned to you"),
    "handed": tr("Handed to you to decide"),
    "answer": tr("Answered"),
    "feedback": tr("Feedback"),
}
_LOOK = {"returned": "error", "handed": "accent", "answer": "accent", "feedback": "warn"}
_CASE = Qt.ItemDataRole.UserRole


class Bell(QPushButton):
    """Says how much is new; quiet while nothing is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        build(
            super().__init__,
            parent,
            objectName="bell",
            autoDefault=False,
            cursor=Qt.CursorShape.PointingHandCursor,
            kind="ghost",
        )
        self.show_count(0)

    def show_count(self, count: int) -> None:
        """Show how many things are new."""
        words = tr_count(count, "new notification") if count else tr("No new notifications")
        self.setIcon(icon("bell", tone=Tone.ACCENT if count else None))
        self.setText(f"{count:,}" if count else "")
        self.setToolTip(words)
        self.setAccessibleName(words)


class NoticePanel(QDialog):
    """Lists what is new, newest first: Enter opens the case, R notes that all of it was read."""

    case_wanted = Signal(str)
    """Id of the case to open."""
    read = Signal()
    """All of it was read."""

    def __init__(self, parent: QWidget, **properties: Any) -> None:
        build(
            super().__init__,
            parent,
            Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint,
            objectName="notices",
            accessibleName=tr("Notifications"),
            **properties,
        )
        self._top = 0
        self._list = build(
            QListWidget,
            objectName="notice-list",
            accessibleName=tr("Notifications"),
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            itemActivated=self._open,
            itemClicked=self._open,
        )
        self._nothing = WrappedLabel(tr("No returned cases, no replies."), "muted", objectName="notice-none")
        self._read = Button(
            tr("Mark all read"), ButtonKind.GHOST, keys="R", objectName="notice-read", clicked=self._mark_read
        )
        header = PanelHeader(tr("Notifications"), STRETCH, self._read)
        frame = Card()
        vbox(header, self._list, self._nothing, within=frame, margins=1)
        vbox(frame, within=self)
        # R would look for an item that begins with it.
        on_keys(self._list, {Qt.Key.Key_R: self._mark_read})
        enter = dict.fromkeys(ENTER_KEYS, lambda: self._open(self._list.currentItem()))
        on_keys(self, {Qt.Key.Key_R: self._mark_read} | enter)
        scaled(self._nothing, setContentsMargins=(12, 12, 12, 12))

    def show_notices(self, found: Sequence["Notification"]) -> None:
        """Show these."""
        at = self._list.currentRow()
        self._list.clear()
        now = datetime.now().astimezone()
        for notice in found:
            item = QListWidgetItem(self._list)
            item.setData(_CASE, notice.case_id)
            row = _row(notice, now)
            item.setSizeHint(QSize(0, row.sizeHint().height() + theme().px(12)))  # the list's own padding
            item.setData(Qt.ItemDataRole.AccessibleTextRole, row.accessibleName())
            self._list.setItemWidget(item, row)
        self._list.setCurrentRow(min(max(at, 0), len(found) - 1))
        show_either(self._list, self._nothing, on=found)
        can_read = any(notice.number is not None for notice in found)
        kept = tr("A case stays here until you open it.") if found else tr("There are no new notifications.")
        self._read.set_blocked("" if can_read else kept)
        self._fit()

    def open_below(self, top_right: QPoint) -> None:
        """Show it with its upper right corner at a point of the screen, no larger than the room there."""
        self._top = top_right.y()
        self._fit()
        self.move(top_right - QPoint(self.width(), 0))
        keep_on_screen(self)
        self.show()
        (self._list if self._list.count() else self).setFocus()

    def _open(self, item: QListWidgetItem | None) -> None:
        if item is not None and self.isVisible():
            self.accept()
            self.case_wanted.emit(str(item.data(_CASE)))

    def _mark_read(self) -> None:
        if self._read.isEnabled():
            self.accept()
            self.read.emit()

    def _fit(self) -> None:
        look = theme()
        rows = [self._list.sizeHintForRow(row) for row in range(min(self._list.count(), _MOST_ROWS))]
        rest = self.screen().availableGeometry().bottom() - self._top - look.px(_ROUND_IT)
        self._list.setFixedHeight(min(sum(rows) + look.px(4), max(rest, look.px(_LEAST_HEIGHT))))
        self.setFixedWidth(min(look.px(_WIDTH), room_for(self).width()))
        self.adjustSize()


def notice_words(notice: "Notification") -> str:
    """What a notification says in one line: the kind of mistake before the note about it."""
    note = visible(" ".join(notice.text.split())) or tr("without a note")
    kind = FEEDBACK.get(notice.category, notice.category) if notice.category else ""
    return tr("{name}: {words}", name=sentence_case(kind), words=note) if kind else note


def _row(notice: "Notification", now: datetime) -> QWidget:
    what = _WHAT[notice.kind] + (tr(" by {sender}", sender=notice.sender) if notice.sender else "")
    head = hbox(
        ElidedLabel(visible(what), _LOOK[notice.kind]),
        (ElidedLabel(notice.case_id, "mono-muted", mode=Qt.TextElideMode.ElideMiddle), 1),
        TextLabel(ago(notice.at, now), "small-muted", toolTip=exactly(notice.at, now)),
        gap=8,
    )
    text = notice_words(notice)
    row = column(head, ElidedLabel(text), gap=2, margins=(12, 6))
    row.setAccessibleName(f"{what}: {notice.case_id}, {ago(notice.at, now)}. {text}")
    return row


class BellFeed(QObject):
    """Keeps the bell true: read when the project is entered, when something changes, and every minute.

    Args:
        operations: The way to the project.
        bell: What shows the count and opens the panel.
        parent: The window.
    """

    case_wanted = Signal(str)
    """Id of a case to open."""

    def __init__(self, operations: Operations, bell: Bell, parent: QWidget, **properties: Any) -> None:
        build(super().__init__, parent, **properties)
        self._operations = operations
        self._bell = bell
        self._panel = NoticePanel(parent, case_wanted=self.case_wanted.emit, read=self.mark_read)
        self._found: tuple[Notification, ...] = ()
        self._clock = build(QTimer, self, interval=60_000, timeout=self.refresh)
        self._soon = build(QTimer, self, singleShot=True, interval=300, timeout=self.refresh)
        self._later = build(QTimer, self, singleShot=True, interval=OTHERS_MILLISECONDS, timeout=self.refresh)
        connect(
            (operations.changed, self._note_changes),
            (bell.clicked, self.open),
        )

    def begin(self) -> None:
        """Somebody works in a project now; what is new is read once the first page is there."""
        self._soon.start()
        self._clock.start()

    def end(self) -> None:
        """Nobody works now."""
        self._soon.stop()
        self._later.stop()
        self._clock.stop()
        self._show(())

    def open(self) -> None:
        """Open the panel below the bell, once somebody works in a project."""
        if not self._clock.isActive():
            return
        self._panel.show_notices(self._found)
        bell = self._bell
        self._panel.open_below(bell.mapToGlobal(QPoint(bell.width(), bell.height())))

    def refresh(self) -> None:
        """Read what is new."""
        if not self._operations.is_closed:
            self._operations.run(_read, then=self._show, failed=pass_over, newest_of=self)

    def mark_read(self) -> None:
        """Note that the person has read all answers and all feedback."""
        if self._clock.isActive():
            self._operations.run(_mark, origin=self)

    def _note_changes(self, changes: Changes, origin: object) -> None:
        if not self._clock.isActive() or not (changes.case_ids or changes.has_people):
            return
        if not isinstance(origin, ProjectFeed):
            self.refresh()
        elif not self._later.isActive():
            self._later.start()

    def _show(self, found: "tuple[Notification, ...]") -> None:
        self._found = found
        self._bell.show_count(len(found))
        if self._panel.isVisible():
            self._panel.show_notices(found)


def _read(workspace: "Workspace") -> "tuple[Notification, ...]":
    from annotator.review.queue.notices import notifications

    return notifications(workspace)


def _mark(workspace: "Workspace") -> "Done[int]":
    from annotator.review.queue.notices import mark_read

    return mark_read(workspace)
