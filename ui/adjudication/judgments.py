"""The left column: who judged, what they said field by field, what is proposed and told."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from annotator.cases.versions.differences import json_diff, word_diff
from annotator.review.expert.decision_edits import feedback_to, kept_reason
from annotator.review.expert.decisions import Adjudication, Decision
from annotator.review.expert.merge_strategies import decided_count, merges
from annotator.review.expert.proposed_edits import ProposedEdit
from scoring.texts import tr
from ui.adjudication.decision_rows import DecisionLine, FieldsModel, RowState
from ui.adjudication.fields_table import FieldsTable
from ui.diffs import JsonDiffView, WordDiffLabel
from ui.theme import Button, ButtonKind, Card, Chip, PanelHeader, SectionLabel, TextLabel, theme
from ui.theme.events import follow_events, on_keys
from ui.theme.fields import DropDown
from ui.theme.layouts import STRETCH, build, clear_layout, fill, hbox, scrolled, show_all, vbox
from ui.theme.menus import open_choices
from ui.theme.words import VERDICT, mistake_kinds

OWNER = "owner"


class EditView(QWidget):
    """One proposed edit as a difference, with its answers. `answered` carries `accept` or `decline`."""

    answered = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="edit-view", visible=False)
        self._heading = SectionLabel("")
        self._holder = QVBoxLayout()
        self._by = TextLabel("", "small-muted")
        self.accept = Button(
            tr("Accept"),
            ButtonKind.GHOST,
            keys="Y",
            objectName="edit-accept",
            checkable=True,
            clicked=partial(self.answered.emit, "accept"),
        )
        self.decline = Button(
            tr("Decline"),
            ButtonKind.GHOST,
            keys="X",
            objectName="edit-decline",
            checkable=True,
            clicked=partial(self.answered.emit, "decline"),
        )
        self._shown: ProposedEdit | None = None
        card = Card()
        vbox(self._holder, within=card, gap=None, margins=(12, 8))
        vbox(
            self._heading,
            card,
            hbox(self._by, self.accept, self.decline, STRETCH, gap=None),
            within=self,
            gap=6,
        )

    def show_edit(self, edit: ProposedEdit, title: str, *, answer: str | None) -> None:
        """Show another edit."""
        self.accept.setChecked(answer == "accept")
        self.decline.setChecked(answer == "decline")
        if edit == self._shown:
            return
        self._shown = edit
        self._heading.set_heading(title)
        self._by.setText(tr("proposed by {side}", side=edit.side))
        clear_layout(self._holder)
        if isinstance(edit.before, str) and isinstance(edit.after, str):
            self._holder.addWidget(WordDiffLabel(word_diff(edit.before, edit.after)))
        else:
            self._holder.addWidget(JsonDiffView(json_diff(edit.before, edit.after)))


class FeedbackEditor(QWidget):
    """What is told to one person: a kind of mistake and a note. `told` carries addressee, kind, note."""

    told = Signal(str, object, str)

    def __init__(self, to: str, name: str, *, own: Sequence[str], **properties: Any) -> None:
        build(super().__init__, **properties)
        self._to = to
        self.category = DropDown(
            f"feedback-{to}",
            [(tr("nothing"), ""), *((words, str(kind)) for kind, words in mistake_kinds(own).items())],
            accessibleName=tr("Feedback to {name}", name=name),
            activated=self._tell,
        )
        self.note = build(
            QLineEdit,
            objectName=f"feedback-note-{to}",
            accessibleName=tr("Note to {name}", name=name),
            placeholderText=tr("What to do instead"),
            textEdited=self._tell,
            visible=False,
        )
        vbox(
            hbox((TextLabel(tr("Feedback to {name}", name=name)), 1), self.category, gap=8),
            self.note,
            within=self,
            gap=4,
        )

    def show_feedback(self, decision: Decision) -> None:
        """Show what is told."""
        item = feedback_to(decision, self._to)
        self.category.setCurrentIndex(self.category.findData(str(item.category) if item else ""))
        self.note.setVisible(item is not None)
        if item is not None and self.note.text() != item.note:
            self.note.setText(item.note)

    def _tell(self) -> None:
        self.told.emit(self._to, self.category.currentData() or None, self.note.text())


class Detail(QWidget):
    """The part of the left column below the table."""

    told = Signal(str, object, str)
    left = Signal()
    """The keys belong to the table again."""

    def __init__(self, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="decision-detail")
        self.edit = EditView()
        self.hint = TextLabel(
            tr("Only the owner differs here. What the owner said is shown once everything is decided."),
            "muted",
            objectName="owner-differs",
            wordWrap=True,
            visible=False,
        )
        self.defect = TextLabel("", "warn", objectName="known-defect", wordWrap=True, visible=False)
        self.reason = build(
            QLineEdit,
            objectName="kept-reason",
            accessibleName=tr("Reason to keep it"),
            placeholderText=tr("Keep it on purpose, because …"),
            visible=False,
        )
        self.tell = Button(tr("Next person"), ButtonKind.GHOST, objectName="feedback-next")
        self.write = Button(tr("Write"), ButtonKind.GHOST, objectName="note-write")
        self._feedback: list[FeedbackEditor] = []
        self._people = vbox(gap=6)
        self.note = build(
            QLineEdit,
            objectName="decision-note",
            accessibleName=tr("Note"),
            placeholderText=tr("Note to the record; needed to return, to reject, or to leave an error"),
        )
        vbox(
            self.edit,
            self.hint,
            self.defect,
            self.reason,
            _headed(tr("Feedback"), self.tell),
            self._people,
            _headed(tr("Note"), self.write),
            self.note,
            STRETCH,
            within=self,
            gap=8,
            margins=12,
        )
        on_keys(self, {Qt.Key.Key_Escape: self.left.emit})  # no field has another use for it

    def show_people(self, letters: Sequence[str], *, own: Sequence[str]) -> None:
        """Offer feedback to the sides and to the owner, with the team's own kinds of mistake, too."""
        self._feedback = [
            FeedbackEditor(to, name, own=own, told=self.told)
            for to, name in (*((letter, letter) for letter in letters), (OWNER, tr("the owner")))
        ]
        fill(self._people, self._feedback)

    def show_decision(self, decision: Decision, row: DecisionLine | None) -> None:
        """Show what was decided besides the fields."""
        for person in self._feedback:
            person.show_feedback(decision)
        if self.note.text() != decision.note:
            self.note.setText(decision.note)
        is_open = row is not None and row.state is RowState.OPEN
        self.hint.setVisible(row is not None and is_open and row.is_against_owner)
        self._show_defect(decision, row)
        self.edit.setVisible(row is not None and row.edit is not None)
        if row is not None and row.edit is not None:
            self.edit.show_edit(
                row.edit, row.title, answer=row.choice if isinstance(row.choice, str) else None
            )

    def _show_defect(self, decision: Decision, row: DecisionLine | None) -> None:
        is_wrong = row is not None and bool(row.defect)
        show_all(self.defect, self.reason, on=is_wrong)
        if row is not None and is_wrong:
            self.defect.setText(
                tr("{defect}. Correct it, return or reject the case, or keep it (W).", defect=row.defect)
            )
            if self.reason.text() != (said := kept_reason(decision, row.id)):
                self.reason.setText(said)

    @property
    def next_feedback(self) -> QComboBox:
        """What is told to the first side, or to the one after that with the focus."""
        boxes = [person.category for person in self._feedback]
        at = next((place for place, box in enumerate(boxes) if box.hasFocus()), -1)
        return boxes[(at + 1) % len(boxes)]


def _headed(heading: str, button: Button) -> QHBoxLayout:
    return hbox(SectionLabel(heading), STRETCH, button, gap=None)


_ROOMY = 500
_MOST_NAMED = 2
"""Sides whose chips say more than their letter; with more of them there is no room."""


class Judgments(QWidget):
    """Chips of the sides, the table of fields, and the detail of the current one."""

    merged = Signal(object, str)
    """A decision with more decided, and what that was called."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = FieldsModel(self)
        self.table = FieldsTable(self.model)
        self.detail = Detail()
        self.only_differing = build(
            QCheckBox,
            tr("only differences"),
            objectName="only-differences",
            toggled=self.filter_rows,
            toolTip=tr("Show only what differs and what is proposed"),
        )
        self.merge = Button(tr("Merge…"), ButtonKind.GHOST, objectName="adjudication-merge")
        holder = QWidget()
        self._chips = hbox(within=holder, gap=6)
        header = PanelHeader(tr("Judgments"), holder, STRETCH, self.merge, self.only_differing)
        self._area = scrolled(self.detail, horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        vbox(header, (self.table, 3), (self._area, 2), within=self, focus=self.table)
        follow_events(self, self._name_chips, QEvent.Type.Resize)

    def show_case(self, adjudication: Adjudication, *, own: Sequence[str]) -> None:
        """Name the sides of another case, whose rows are shown already; `own` are the team's mistakes."""
        letters = self.model.letters
        clear_layout(self._chips)
        for side in adjudication.sides:
            chip = Chip(
                toolTip=tr(
                    "Reviewer {letter}, verdict: {verdict}",
                    letter=side.letter,
                    verdict=VERDICT[side.verdict].lower(),
                )
            )
            chip.set_side(side.letter, side.letter)
            self._chips.addWidget(chip)
        self._name_chips()
        self.table.lay_out_sides()
        show_all(self.merge, self.only_differing, on=letters)
        self.only_differing.setChecked(bool(letters) and not adjudication.is_sampled)
        self.detail.show_people(letters, own=own)

    def go_to(self, widget: QWidget) -> None:
        """Go to a field of the decision where it is shown, and bring it into sight."""
        if not widget.isHidden():
            widget.setFocus(Qt.FocusReason.OtherFocusReason)
            self._area.ensureWidgetVisible(widget)

    def _name_chips(self) -> None:
        """Name the sides in full where there is room."""
        has_room = self.width() >= theme().px(_ROOMY)
        self.only_differing.setText(tr("only differences") if has_room else tr("differences"))
        is_roomy = len(self.model.letters) <= _MOST_NAMED and has_room
        for number, letter in enumerate(self.model.letters):
            item = self._chips.itemAt(number)
            chip = item.widget() if item is not None else None
            if isinstance(chip, Chip):
                chip.set_side(tr("Reviewer {letter}", letter=letter) if is_roomy else letter, letter)

    def offer_merges(self, adjudication: Adjudication, decision: Decision) -> None:
        """Offer the ways to decide many fields at once, each with what it would decide; a digit chooses."""
        ways = (
            (words, after, decided_count(decision, after)) for words, after in merges(adjudication, decision)
        )
        choices = (
            (f"{words} ({count})", partial(self.merged.emit, after, words) if count else None)
            for words, after, count in ways
        )
        open_choices(self.merge, "merge-menu", choices, has_digits=True)

    def filter_rows(self) -> None:
        """Show every field, or only those the sides differ on and proposed edits."""
        self.table.filter_rows(only_asked=self.only_differing.isChecked())
