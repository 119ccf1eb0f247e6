"""Candidate requests that wait: a person picks one, changes its words, and the dialogue goes on with it."""

from collections.abc import Hashable, Sequence
from operator import attrgetter
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QRadioButton,
    QWidget,
)

from annotator.generation.records import Candidates
from scoring.texts import tr
from ui.generate.generate_lines import sequence_words
from ui.theme import Button, ButtonKind, PanelHeader, TextLabel
from ui.theme.cells import count_cell
from ui.theme.fields import NoteField
from ui.theme.labels import WrappedLabel
from ui.theme.layouts import (
    STRETCH,
    ScrollArea,
    build,
    clear_layout,
    column,
    hbox,
    split,
    stacked,
    vbox,
)
from ui.theme.panels import EmptyState
from ui.theme.tables import Column, FigureTable
from ui.theme.words import LOADING

_COLUMNS: tuple[Column[Candidates], ...] = (
    Column(tr("Dialogue"), 76, lambda item: count_cell(item.dialogue + 1), is_figure=True),
    Column(tr("Task"), 56, lambda item: count_cell(item.task + 1), is_figure=True),
    Column(tr("Policies"), cell=lambda item: sequence_words(item.sequence)),
)
_NOTHING = (
    "hand-pointing",
    tr("No request waits"),
    tr("In a run whose requests a person picks, the candidates of each task are listed here."),
)
_READING = LOADING, tr("Each is kept with the request it answers.")


class CandidatesPanel(QWidget):
    """Lists what waits, and the candidates of the marked dialogue."""

    picked = Signal(object, int, str)
    """(`Candidates`, number of the one that was picked, its text as it is now)."""

    def __init__(self, parent: QWidget | None = None, **properties: Any) -> None:
        build(super().__init__, parent, objectName="candidates-panel", **properties)
        self._waiting: tuple[Candidates, ...] = ()
        self._table = FigureTable(
            "waiting",
            tr("Dialogues that wait for a pick"),
            _COLUMNS,
            is_sortable=False,
            marked=self._show_marked,
        )
        self._wanted = TextLabel("", "small-muted")
        self._group = build(QButtonGroup, self, idClicked=self._take)
        self._choices = vbox(gap=8)
        self._text = NoteField(
            "candidate-text",
            tr("The request as the dialogue gets it"),
            tr("Pick a request, then change its words here."),
            textChanged=self._check,
            sent=self._pick,
        )
        self._go = Button(
            tr("Use this request"),
            ButtonKind.PRIMARY,
            keys="Ctrl+↵",
            objectName="candidate-pick",
            clicked=self._pick,
        )
        inside = column(
            self._choices,
            TextLabel(tr("The request as the dialogue gets it"), "small-muted"),
            self._text,
            hbox(STRETCH, self._go, gap=None),
            STRETCH,
            gap=12,
            margins=(16, 12),
        )
        area = ScrollArea(inside, width=320, height=160)
        right = column(PanelHeader(tr("Candidate requests"), self._wanted), (area, 1))
        self.nothing = EmptyState(_NOTHING[0], LOADING, "")
        """What stands where no dialogue waits, or it is not known yet."""
        halves = split(Qt.Orientation.Horizontal, (self._table, 420), (right, 900))
        self._stack = stacked(self.nothing, halves)
        vbox(self._stack, within=self)

    def note_count(self, count: int) -> None:
        """Take note of how many dialogues wait, while they are still being read."""
        self.nothing.set_words(*(_READING if count else _NOTHING[1:]))

    def show_waiting(self, waiting: Sequence[Candidates]) -> None:
        """Show what waits; a dialogue that is looked at stays, with what was typed."""
        if tuple(waiting) == self._waiting:
            return
        before = self._table.marked_item
        self._waiting = tuple(waiting)
        self._stack.setCurrentIndex(1 if waiting else 0)
        self._table.show_items(waiting, key=attrgetter("dialogue", "attempt", "task"))
        if before is None or self._table.marked_item != before:
            self._show_marked(self._table.marked_key)

    def _show_marked(self, _: Hashable) -> None:
        found: Candidates | None = self._table.marked_item
        clear_layout(self._choices)
        for button in self._group.buttons():
            self._group.removeButton(button)
        self._wanted.setText(
            tr("task {task}: {sequence}", task=found.task + 1, sequence=found.sequence[found.task])
            if found
            else ""
        )
        for number, text in enumerate(found.texts if found else ()):
            self._choices.addWidget(self._line(number, text))
        self._text.setPlainText("")
        if found:
            self._group.button(0).setChecked(True)
            self._take(0)

    def _line(self, number: int, text: str) -> QWidget:
        line = QWidget()
        button = build(
            QRadioButton,
            f"{number + 1}",
            objectName=f"candidate-{number + 1}",
            accessibleName=tr("Candidate {number}: {value}", number=number + 1, value=text),
        )
        self._group.addButton(button, number)
        hbox(button, (WrappedLabel(text), 1), within=line, gap=None)
        return line

    def _take(self, number: int) -> None:
        found: Candidates | None = self._table.marked_item
        if found:
            self._text.setPlainText(found.texts[number])

    def _check(self) -> None:
        self._go.set_blocked("" if self._text.words.strip() else tr("The request is empty."))

    def _pick(self) -> None:
        found: Candidates | None = self._table.marked_item
        if found and self._text.words.strip():
            self.picked.emit(found, max(0, self._group.checkedId()), self._text.words)
