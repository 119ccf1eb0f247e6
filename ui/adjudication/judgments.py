"""The left column: who judged, what they said field by field, what is proposed and told."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QMenu, QScrollArea, QVBoxLayout, QWidget

from annotator.review.verifying import Adjudication, Decision
from ui.adjudication.detail import Detail
from ui.adjudication.fields_model import FieldsModel
from ui.adjudication.fields_table import FieldsTable
from ui.adjudication.merging import decided_count, merges
from ui.theme import Button, ButtonKind, Chip, PanelHeader, theme
from ui.theme.layouts import clear_layout
from ui.theme.menus import open_menu
from ui.theme.words import VERDICT

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
        self.only_differing = QCheckBox("only differences")
        self.only_differing.setObjectName("only-differences")
        self.only_differing.toggled.connect(self._filter)
        self.merge = Button("Merge…", ButtonKind.GHOST)
        self.merge.setObjectName("adjudication-merge")
        self._letters: tuple[str, ...] = ()
        header = PanelHeader("Judgments")
        self._chips = QHBoxLayout()
        self._chips.setSpacing(theme().px(6))
        self._chips.setContentsMargins(0, 0, 0, 0)
        holder = QWidget()
        holder.setLayout(self._chips)
        header.add_left(holder)
        header.add_right(self.merge)
        header.add_right(self.only_differing)
        self.only_differing.setToolTip("Show only what differs and what is proposed")
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(self.detail)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(header)
        column.addWidget(self.table, 3)
        column.addWidget(self._area, 2)
        self.setFocusProxy(self.table)

    def show_case(self, adjudication: Adjudication) -> None:
        """Name the sides of another case."""
        letters = tuple(side.letter for side in adjudication.sides)
        clear_layout(self._chips)
        self._letters = letters
        for side in adjudication.sides:
            chip = Chip()
            chip.set_side(side.letter, side.letter)
            chip.setToolTip(f"Reviewer {side.letter}, verdict: {VERDICT[side.verdict].lower()}")
            self._chips.addWidget(chip)
        self._name_chips()
        self.table.set_letters(letters)
        self.merge.setVisible(bool(letters))
        self.only_differing.setVisible(bool(letters))
        self.only_differing.setChecked(bool(letters))
        self.detail.show_people(letters)

    def focus_note(self) -> None:
        """Go to the note, and bring it into sight."""
        self.detail.focus_note()
        self._area.ensureWidgetVisible(self.detail.note)

    def focus_feedback(self) -> None:
        """Go to what is told to the next person, and bring it into sight."""
        box = self.detail.focus_feedback()
        if box is not None:
            self._area.ensureWidgetVisible(box)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._name_chips()

    def _name_chips(self) -> None:
        """Name the sides in full where there is room."""
        has_room = self.width() >= theme().px(_ROOMY)
        self.only_differing.setText("only differences" if has_room else "differences")
        is_roomy = len(self._letters) <= _MOST_NAMED and has_room
        for number, letter in enumerate(self._letters):
            item = self._chips.itemAt(number)
            chip = item.widget() if item is not None else None
            if isinstance(chip, Chip):
                chip.set_side(f"Reviewer {letter}" if is_roomy else letter, letter)

    def offer_merges(self, adjudication: Adjudication, decision: Decision) -> None:
        """Offer the ways to decide many fields at once, each with what it would decide; a digit chooses."""
        menu = QMenu(self)
        menu.setObjectName("merge-menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for number, (words, after) in enumerate(merges(adjudication, decision), 1):
            count = decided_count(decision, after)
            action = menu.addAction(f"&{number}  {words} ({count})")
            action.setEnabled(bool(count))
            action.triggered.connect(partial(self._merge, after, words))
        open_menu(menu, self.merge.mapToGlobal(self.merge.rect().bottomLeft()))

    def _merge(self, after: Decision, words: str, _: bool = False) -> None:
        self.merged.emit(after, words)

    def _filter(self) -> None:
        self.table.show_all(on=not self.only_differing.isChecked())
