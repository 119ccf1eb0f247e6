"""Candidate requests that wait: a person picks one, changes its words, and the dialogue goes on with it."""

from collections.abc import Hashable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from annotator.generation.records import Candidates
from ui.generate.generate_lines import sequence_words
from ui.theme import Button, ButtonKind, PanelHeader, TextLabel, theme
from ui.theme.fields import NoteField
from ui.theme.labels import WrappedLabel
from ui.theme.layouts import ScrollArea, clear_layout, split, stacked, vbox
from ui.theme.panels import EmptyState
from ui.theme.tables import Cell, Column, FigureTable, Row

_COLUMNS = (Column("Dialogue", 76, is_figure=True), Column("Task", 56, is_figure=True), Column("Policies"))
_NOTHING = (
    "hand-pointing",
    "No request waits",
    "In a run whose requests a person picks, the candidates of each task are listed here.",
)
_READING = "Reading the candidates …", "Each is kept with the request it answers."


class CandidatesPanel(QWidget):
    """Lists what waits, and the candidates of the marked dialogue."""

    picked = Signal(object, int, str)
    """(`Candidates`, number of the one that was picked, its text as it is now)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("candidates-panel")
        look = theme()
        self._waiting: tuple[Candidates, ...] = ()
        self._table = FigureTable("waiting", "Dialogues that wait for a pick", _COLUMNS, is_sortable=False)
        self._table.marked.connect(self._show_marked)
        self._wanted = TextLabel("", "small-muted")
        header = PanelHeader("Candidate requests")
        header.add_left(self._wanted)
        self._group = QButtonGroup(self)
        self._group.idClicked.connect(self._take)
        self._choices = QVBoxLayout()
        self._choices.setSpacing(look.px(8))
        self._text = NoteField(
            "candidate-text",
            "The request as the dialogue gets it",
            "Pick a request, then change its words here.",
        )
        self._text.textChanged.connect(self._check)
        self._text.sent.connect(self._pick)
        self._go = Button("Use this request", ButtonKind.PRIMARY, keys="Ctrl+↵")
        self._go.setObjectName("candidate-pick")
        self._go.clicked.connect(self._pick)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(look.px(16), look.px(12), look.px(16), look.px(12))
        column.setSpacing(look.px(12))
        column.addLayout(self._choices)
        column.addWidget(TextLabel("The request as the dialogue gets it", "small-muted"))
        column.addWidget(self._text)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self._go)
        column.addLayout(row)
        column.addStretch(1)
        right = QWidget()
        vbox(header, (ScrollArea(inside, width=320, height=160), 1), within=right)
        self._nothing = EmptyState(*_NOTHING)
        halves = split(Qt.Orientation.Horizontal, (self._table, 420), (right, 900))
        self._stack = stacked(self._nothing, halves)
        vbox(self._stack, within=self)

    def note_count(self, count: int) -> None:
        """Take note of how many dialogues wait, while they are still being read."""
        self._nothing.set_words(*(_READING if count else _NOTHING[1:]))

    def show_waiting(self, waiting: Sequence[Candidates]) -> None:
        """Show what waits; a dialogue that is looked at stays, with what was typed."""
        if tuple(waiting) == self._waiting:
            return
        before = self._marked()
        self._waiting = tuple(waiting)
        self._stack.setCurrentIndex(1 if waiting else 0)
        self._table.show_rows([_row(item) for item in waiting])
        if before is None or self._marked() != before:
            self._show_marked(self._table.marked_key)

    def _marked(self) -> Candidates | None:
        key = self._table.marked_key
        return next((item for item in self._waiting if (item.dialogue, item.attempt, item.task) == key), None)

    def _show_marked(self, _: Hashable) -> None:
        found = self._marked()
        clear_layout(self._choices)
        for button in self._group.buttons():
            self._group.removeButton(button)
        self._wanted.setText(f"task {found.task + 1}: {found.sequence[found.task]}" if found else "")
        for number, text in enumerate(found.texts if found else ()):
            self._choices.addWidget(self._line(number, text))
        self._text.setPlainText("")
        if found:
            self._group.button(0).setChecked(True)
            self._take(0)

    def _line(self, number: int, text: str) -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        button = QRadioButton(f"{number + 1}")
        button.setObjectName(f"candidate-{number + 1}")
        button.setAccessibleName(f"Candidate {number + 1}: {text}")
        self._group.addButton(button, number)
        row.addWidget(button)
        row.addWidget(WrappedLabel(text), 1)
        return line

    def _take(self, number: int) -> None:
        found = self._marked()
        if found:
            self._text.setPlainText(found.texts[number])

    def _check(self) -> None:
        self._go.set_blocked("" if self._text.words.strip() else "The request is empty.")

    def _pick(self) -> None:
        found = self._marked()
        if found and self._text.words.strip():
            self.picked.emit(found, max(0, self._group.checkedId()), self._text.words)


def _row(item: Candidates) -> Row:
    return Row(
        (item.dialogue, item.attempt, item.task),
        (
            Cell(f"{item.dialogue + 1}", item.dialogue),
            Cell(f"{item.task + 1}", item.task),
            Cell(sequence_words(item.sequence)),
        ),
    )
