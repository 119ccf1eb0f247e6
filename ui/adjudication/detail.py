"""Below the table: the difference of the current edit, what is told to whom, and the note."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from annotator.review.proposals import ProposedEdit
from annotator.review.verifying import Decision
from scoring.model.taxonomy import FeedbackCategory
from ui.adjudication.deciding import Row, RowState, feedback_to
from ui.diffs import JsonDiffView, WordDiffLabel
from ui.theme import Button, ButtonKind, Card, SectionLabel, TextLabel, theme
from ui.theme.layouts import clear_layout
from ui.theme.words import FEEDBACK

OWNER = "owner"
_OWNER_DIFFERS = "Only the owner differs here. What the owner said is shown once everything is decided."


class EditView(QWidget):
    """One proposed edit as a difference, with its answers. `answered` carries `accept` or `decline`."""

    answered = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("edit-view")
        self._heading = SectionLabel("")
        self._holder = QVBoxLayout()
        self._by = TextLabel("", "small-muted")
        self.accept = Button("Accept", ButtonKind.GHOST, keys="Y")
        self.decline = Button("Decline", ButtonKind.GHOST, keys="X")
        self.accept.setObjectName("edit-accept")
        self.decline.setObjectName("edit-decline")
        for button in (self.accept, self.decline):
            button.setCheckable(True)
        self.accept.clicked.connect(self._accept)
        self.decline.clicked.connect(self._decline)
        self._shown: ProposedEdit | None = None
        card = Card()
        inside = QVBoxLayout(card)
        look = theme()
        inside.setContentsMargins(look.px(12), look.px(8), look.px(12), look.px(8))
        inside.addLayout(self._holder)
        foot = QHBoxLayout()
        foot.addWidget(self._by)
        foot.addWidget(self.accept)
        foot.addWidget(self.decline)
        foot.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(look.px(6))
        column.addWidget(self._heading)
        column.addWidget(card)
        column.addLayout(foot)

    def show_edit(self, edit: ProposedEdit, title: str, *, answer: str | None) -> None:
        """Show another edit."""
        self.accept.setChecked(answer == "accept")
        self.decline.setChecked(answer == "decline")
        if edit == self._shown:
            return
        self._shown = edit
        self._heading.set_heading(title)
        self._by.setText(f"proposed by {edit.side}")
        clear_layout(self._holder)
        if isinstance(edit.before, str) and isinstance(edit.after, str):
            words = WordDiffLabel()
            words.show_texts(edit.before, edit.after)
            self._holder.addWidget(words)
        else:
            values = JsonDiffView()
            values.show_values(edit.before, edit.after)
            self._holder.addWidget(values)

    def _accept(self) -> None:
        self.answered.emit("accept")

    def _decline(self) -> None:
        self.answered.emit("decline")


class FeedbackRow(QWidget):
    """What is told to one person: a kind of mistake and a note. `told` carries addressee, kind, note."""

    told = Signal(str, object, str)

    def __init__(self, to: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._to = to
        self.category = QComboBox()
        self.category.setObjectName(f"feedback-{to}")
        self.category.setAccessibleName(f"Feedback to {name}")
        self.category.addItem("nothing", "")
        for category, words in FEEDBACK.items():
            self.category.addItem(words, category.value)
        self.category.activated.connect(self._tell)
        self.note = QLineEdit()
        self.note.setObjectName(f"feedback-note-{to}")
        self.note.setAccessibleName(f"Note to {name}")
        self.note.setPlaceholderText("What to do instead")
        self.note.textEdited.connect(self._tell)
        self.note.hide()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(theme().px(4))
        grid.setColumnStretch(0, 1)
        grid.addWidget(TextLabel(f"Feedback to {name}"), 0, 0)
        grid.addWidget(self.category, 0, 1)
        grid.addWidget(self.note, 1, 0, 1, 2)

    def show_feedback(self, decision: Decision) -> None:
        """Show what is told."""
        item = feedback_to(decision, self._to)
        self.category.setCurrentIndex(self.category.findData(item.category.value if item else ""))
        self.note.setVisible(item is not None)
        if item is not None and self.note.text() != item.note:
            self.note.setText(item.note)

    def _tell(self) -> None:
        found = self.category.currentData()
        category = FeedbackCategory(found) if found else None
        self.told.emit(self._to, category, self.note.text())


class Detail(QWidget):
    """The part of the left column below the table."""

    answered = Signal(str)
    told = Signal(str, object, str)
    noted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("decision-detail")
        self.edit = EditView()
        self.edit.answered.connect(self.answered)
        self.hint = TextLabel(_OWNER_DIFFERS, "muted")
        self.hint.setObjectName("owner-differs")
        self.hint.setWordWrap(True)
        self.hint.hide()
        self.tell = Button("Next person", ButtonKind.GHOST)
        self.tell.setObjectName("feedback-next")
        self.write = Button("Write", ButtonKind.GHOST)
        self.write.setObjectName("note-write")
        self._feedback: list[FeedbackRow] = []
        self._people = QVBoxLayout()
        self._people.setSpacing(theme().px(6))
        self.note = QLineEdit()
        self.note.setObjectName("decision-note")
        self.note.setAccessibleName("Note")
        self.note.setPlaceholderText("Note to the record; needed to return, to reject, or to leave an error")
        self.note.textEdited.connect(self.noted)
        look = theme()
        column = QVBoxLayout(self)
        column.setContentsMargins(look.px(12), look.px(12), look.px(12), look.px(12))
        column.setSpacing(look.px(8))
        column.addWidget(self.edit)
        column.addWidget(self.hint)
        column.addLayout(_headed("Feedback", self.tell))
        column.addLayout(self._people)
        column.addLayout(_headed("Note", self.write))
        column.addWidget(self.note)
        column.addStretch(1)
        self.edit.hide()

    def show_people(self, letters: Sequence[str]) -> None:
        """Offer feedback to the sides and to the owner."""
        clear_layout(self._people)
        people = [*((letter, letter) for letter in letters), (OWNER, "the owner")]
        self._feedback = [FeedbackRow(to, name) for to, name in people]
        for row in self._feedback:
            row.told.connect(self.told)
            self._people.addWidget(row)

    def show_decision(self, decision: Decision, row: Row | None) -> None:
        """Show what was decided besides the fields."""
        for person in self._feedback:
            person.show_feedback(decision)
        if self.note.text() != decision.note:
            self.note.setText(decision.note)
        is_open = row is not None and row.state is RowState.OPEN
        self.hint.setVisible(row is not None and is_open and row.is_against_owner)
        self.edit.setVisible(row is not None and row.edit is not None)
        if row is not None and row.edit is not None:
            answer = row.choice if isinstance(row.choice, str) else None
            self.edit.show_edit(row.edit, row.title, answer=answer)

    def focus_feedback(self) -> QComboBox | None:
        """Go to what is told to the first side, or on to the next one; returns where that is."""
        boxes = [person.category for person in self._feedback]
        at = next((place for place, box in enumerate(boxes) if box.hasFocus()), -1)
        if not boxes:
            return None
        following = boxes[(at + 1) % len(boxes)]
        following.setFocus(Qt.FocusReason.TabFocusReason)
        return following

    def focus_note(self) -> None:
        """Go to the note."""
        self.note.setFocus(Qt.FocusReason.OtherFocusReason)


def _headed(heading: str, button: Button) -> QHBoxLayout:
    row = QHBoxLayout()
    row.addWidget(SectionLabel(heading))
    row.addStretch(1)
    row.addWidget(button)
    return row
