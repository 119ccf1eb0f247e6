"""After the decision: what became of the case, and what its owner had said."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from annotator.review.verifying import Adjudication, Decided, Decision, Own
from scoring.model.case import Edge
from scoring.model.labels import ComparedField, TaskLabels, compare, edges_of
from scoring.model.taxonomy import Verdict
from ui.adjudication.deciding import field_title, result_of, value_words
from ui.adjudication.own_edges import own_fields, value_of
from ui.adjudication.owner_graph import OwnerGraph
from ui.theme import Button, ButtonKind, Card, Chip, Line, SectionLabel, TextLabel, Tone, theme
from ui.theme.layouts import clear_layout
from ui.theme.words import STAGE


def owner_lines(
    adjudication: Adjudication, decision: Decision, owner: Sequence[TaskLabels]
) -> tuple[tuple[str, str, str], ...]:
    """The fields that were in dispute as (field, decision, owner), in words; empty without sides."""
    if not adjudication.sides:
        return ()
    said = [owner, *(side.labels for side in adjudication.sides)]
    compared = compare(adjudication.case, said)
    named = {field.id for field in compared}
    # What nobody but the expert spoke of, the owner did not draw either.
    alone = [field for field in own_fields(adjudication, decision) if field.id not in named]
    nothing = [field.model_copy(update={"values": (None, *field.values)}) for field in alone]
    return tuple(
        (field_title(field), _chosen(field, choice, adjudication), _first(field))
        for field in (*compared, *nothing)
        if (choice := decision.fields.get(field.id)) is not None
    )


def _chosen(field: ComparedField, choice: str | Own, adjudication: Adjudication) -> str:
    sides = field.model_copy(update={"values": field.values[1:]})
    return value_words(field, value_of(adjudication, sides, choice))


def _first(field: ComparedField) -> str:
    return value_words(field, field.values[0])


def owner_drawings(
    adjudication: Adjudication, decision: Decision, decided: Decided
) -> dict[int, tuple[tuple[Edge, ...], tuple[Edge, ...]]]:
    """By task with a drawing, the decided edges and the owner's; empty where the case was not approved."""
    result = result_of(adjudication, decision).case
    if decision.verdict is not Verdict.APPROVE or result is None:
        return {}
    pairs = zip(result.tasks, decided.owner_labels, strict=False)
    both = {number: (task.drawn_edges, edges_of(labels)) for number, (task, labels) in enumerate(pairs)}
    return {number: drawings for number, drawings in both.items() if any(drawings)}


class Reveal(QWidget):
    """What the page shows once a case is decided, and before any was opened."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("adjudication-reveal")
        self._title = TextLabel("", "title")
        self._title.setObjectName("reveal-title")
        self._text = TextLabel("", "muted")
        self._text.setObjectName("reveal-text")
        self._text.setWordWrap(True)
        self.next = Button("Next case", ButtonKind.PRIMARY)
        self.next.setObjectName("reveal-next")
        self._owner = SectionLabel("")
        self._grid = QGridLayout()
        look = theme()
        self._grid.setHorizontalSpacing(look.px(24))
        self._grid.setVerticalSpacing(look.px(6))
        self._grid.setColumnStretch(0, 1)
        self._graph = OwnerGraph()
        self._card = Card()
        inside = QVBoxLayout(self._card)
        inside.setContentsMargins(look.px(16), look.px(12), look.px(16), look.px(12))
        inside.addLayout(self._grid)
        row = QHBoxLayout()
        row.addWidget(self.next)
        row.addStretch(1)
        holder = QWidget()
        holder.setMaximumWidth(look.px(640))
        column = QVBoxLayout(holder)
        column.setSpacing(look.px(10))
        column.addStretch(1)
        for widget in (self._title, self._text):
            column.addWidget(widget)
        column.addLayout(row)
        column.addSpacing(look.px(12))
        column.addWidget(self._owner)
        column.addWidget(self._card)
        column.addSpacing(look.px(8))
        column.addWidget(self._graph)
        column.addStretch(2)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        middle = QWidget()
        across = QHBoxLayout(middle)
        across.addStretch(1)
        across.addWidget(holder, 4)
        across.addStretch(1)
        area.setWidget(middle)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        outside.addWidget(area)
        self.lines: tuple[tuple[str, str, str], ...] = ()
        self.show_nothing()

    def show_nothing(self) -> None:
        """No case was opened yet."""
        self._show(
            "No case is open", "Take the next case that waits for an expert, or open one from the queue."
        )

    def show_opening(self, case_id: str) -> None:
        """A case is on its way."""
        self._show(f"Opening {case_id} …", "")

    def show_decided(self, adjudication: Adjudication, decision: Decision, decided: Decided) -> None:
        """Say what became of a case and lay the owner's version beside the decision."""
        kind = "corrected" if decided.is_correction else "unchanged"
        self._show(
            f"{decided.case_id} is {STAGE[decided.stage].lower()}",
            f"Your decision is recorded; the case is {kind}." if decision.verdict is Verdict.APPROVE else "",
        )
        is_approved = decision.verdict is Verdict.APPROVE
        self.lines = owner_lines(adjudication, decision, decided.owner_labels) if is_approved else ()
        self._owner.setVisible(bool(self.lines))
        self._card.setVisible(bool(self.lines))
        self._owner.set_heading(f"What the owner{f' ({decided.owner})' if decided.owner else ''} had said")
        for column, name in enumerate(("Field", "You decided", "Owner")):
            self._grid.addWidget(TextLabel(name, "small-muted"), 0, column)
        for number, (field, chosen, owner) in enumerate(self.lines, 1):
            self._grid.addWidget(Line(), 2 * number - 1, 0, 1, 3)
            self._grid.addWidget(TextLabel(field), 2 * number, 0)
            self._grid.addWidget(TextLabel(chosen), 2 * number, 1)
            self._grid.addWidget(Chip(owner, Tone.OK if owner == chosen else Tone.WARN), 2 * number, 2)

        drawings = owner_drawings(adjudication, decision, decided) if adjudication.sides else {}
        result = result_of(adjudication, decision).case
        self._graph.show_drawings(result.tasks if result is not None else (), drawings)

    @property
    def words(self) -> str:
        """What it says."""
        return f"{self._title.text()} {self._text.text()}".strip()

    def _show(self, title: str, text: str) -> None:
        self._title.setText(title)
        self._text.setText(text)
        self.lines = ()
        clear_layout(self._grid)
        self._owner.hide()
        self._card.hide()
        self._graph.hide()
