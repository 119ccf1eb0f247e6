"""The feedback table: what was told to whom again and again, with the newest note."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from annotator.review.feedback import RECURRING, RecurringMistake, recurring_mistakes
from scoring.model.taxonomy import FeedbackCategory, Role
from ui.errors import ErrorBanner
from ui.operations import Operations
from ui.theme import EmptyState, PanelHeader, TextLabel
from ui.theme.tables import Cell, Column, FigureTable, Row
from ui.theme.words import FEEDBACK

if TYPE_CHECKING:
    from annotator.project.workspace import Workspace

COLUMNS = (
    Column("Person", 150),
    Column("What", 190),
    Column("Told", 72, is_figure=True, tip="How often"),
    Column("The newest note"),
)
_NOTHING = "Nothing recurs", f"A category told {RECURRING} times or more to the same person stands here."


def feedback_rows(found: Sequence[RecurringMistake]) -> tuple[Row, ...]:
    """One line for each category that recurs with a person, most frequent first."""
    most = max((one.count for one in found), default=1)
    return tuple(Row((one.person, one.category), _cells(one, most)) for one in found)


def _cells(one: RecurringMistake, most: int) -> tuple[Cell, ...]:
    words = FEEDBACK[FeedbackCategory(one.category)]
    return (
        Cell(one.person),
        Cell(words[0].upper() + words[1:]),
        Cell(f"{one.count:,}", one.count, heat=one.count / most),
        Cell(one.latest_note or "without a note", colour="text" if one.latest_note else "faint"),
    )


class FeedbackPanel(QWidget):
    """Shows what recurs: for experts and managers with everybody, for others with themselves."""

    def __init__(self, operations: Operations, notice: ErrorBanner) -> None:
        super().__init__()
        self.setObjectName("feedback-panel")
        self._operations = operations
        self._notice = notice
        self._words = TextLabel("", "small-muted")
        self._words.setObjectName("feedback-words")
        header = PanelHeader("Recurring feedback")
        header.add_left(self._words)
        self._table = FigureTable("feedback", "Recurring feedback", COLUMNS)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._table)
        self._stack.addWidget(EmptyState("chat-circle-text", *_NOTHING))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(header)
        column.addWidget(self._stack, 1)
        self.setFocusProxy(self._table)

    def refresh(self) -> None:
        """Read it again."""
        project = self._operations.project
        me = project.person if project else None
        sees_all = bool(me and (me.has_role(Role.EXPERT) or me.has_role(Role.MANAGER)))
        self._words.setText("of everybody" if sees_all else "told to you")
        read = _everybody if sees_all else _own
        self._operations.run(read, then=self._show, failed=self._notice.show_error)

    def _show(self, found: tuple[RecurringMistake, ...]) -> None:
        self._stack.setCurrentIndex(0 if found else 1)
        self._table.show_rows(feedback_rows(found))


def _everybody(workspace: "Workspace") -> tuple[RecurringMistake, ...]:
    return recurring_mistakes(workspace, everybody=True)


def _own(workspace: "Workspace") -> tuple[RecurringMistake, ...]:
    return recurring_mistakes(workspace)
