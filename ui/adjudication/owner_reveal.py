"""After the decision: what became of the case, and what its owner had said and drawn."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QWidget

from annotator.review.expert.decided_edges import own_fields, value_of
from annotator.review.expert.decision_edits import result_of
from annotator.review.expert.decisions import Adjudication, Decided, Decision, Own, defect_words
from annotator.review.expert.field_words import field_title
from scoring.model.case import Edge, Task
from scoring.model.labels import ComparedField, TaskLabels, compare, edges_of
from scoring.model.taxonomy import Verdict
from scoring.texts import tr
from ui.adjudication.decision_rows import value_words
from ui.adjudication.drawings import with_answer
from ui.graph.panel import OverlayPanel
from ui.theme import Button, ButtonKind, Card, Chip, Hairline, SectionLabel, TextLabel, Tone, theme
from ui.theme.layouts import STRETCH, build, clear_layout, grid, hbox, scrolled, show_all, vbox
from ui.theme.words import STAGE

Drawings = Mapping[int, tuple[tuple[Edge, ...], tuple[Edge, ...]]]


class OwnerGraph(Card):
    """One task at a time; a button for each task that has a drawing."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, objectName="owner-graph", visible=False)
        self._tasks: Sequence[Task] = ()
        self._drawings: Drawings = {}
        self.panel = OverlayPanel(tr("Drawings"))
        self._group = build(QButtonGroup, self, idClicked=self._show)
        vbox(self.panel, within=self, margins=1)
        self.setFixedHeight(theme().px(330))

    def show_drawings(self, tasks: Sequence[Task], drawings: Drawings) -> None:
        """Show the drawings by task number; hidden where there are none."""
        self._tasks, self._drawings = tasks, drawings
        for button in self._group.buttons():
            self._group.removeButton(button)
            button.deleteLater()
        for task in drawings if len(drawings) > 1 else ():
            button = Button(
                tr("Task {task}", task=task + 1), ButtonKind.GHOST, checkable=True, autoExclusive=True
            )
            self._group.addButton(button, task)
            self.panel.header.add_left(button)
        self.setVisible(bool(drawings))
        differing = [task for task, (mine, owner) in drawings.items() if _said(mine) != _said(owner)]
        if drawings:
            self._show((differing or list(drawings))[0])

    def _show(self, task: int) -> None:
        button = self._group.button(task)
        if button is not None:
            button.setChecked(True)
        shown = self._tasks[task]
        mine, owner = (with_answer(shown, edges) for edges in self._drawings[task])
        self.panel.show_drawings(shown, mine, owner, names=(tr("you"), tr("the owner")))
        self.panel.view.fit()


def _said(edges: Sequence[Edge]) -> set[tuple[tuple[int, int], str]]:
    return {(edge.pair, edge.kind.value) for edge in edges}


def owner_lines(
    adjudication: Adjudication, decision: Decision, owner: Sequence[TaskLabels]
) -> tuple[tuple[str, str, str], ...]:
    """The fields that were in dispute as (field, decision, owner), in words; empty without sides."""
    if not adjudication.sides:
        return ()
    compared = compare(adjudication.case, [owner, *(side.labels for side in adjudication.sides)])
    named = {field.id for field in compared}
    # What nobody but the expert spoke of, the owner did not draw either.
    alone = [field for field in own_fields(adjudication, decision) if field.id not in named]
    nothing = [field.model_copy(update={"values": (None, *field.values)}) for field in alone]
    return tuple(
        (field_title(field), _chosen(field, choice, adjudication), value_words(field, field.values[0]))
        for field in (*compared, *nothing)
        if (choice := decision.fields.get(field.id)) is not None
    )


def _chosen(field: ComparedField, choice: str | Own, adjudication: Adjudication) -> str:
    sides = field.model_copy(update={"values": field.values[1:]})
    return value_words(field, value_of(adjudication, sides, choice))


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


class OwnerReveal(QWidget):
    """What the page shows once a case is decided, and before any was opened."""

    def __init__(self, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="adjudication-reveal")
        self._title = TextLabel("", "title", objectName="reveal-title")
        self._text = TextLabel("", "muted", objectName="reveal-text", wordWrap=True)
        self.next = Button(tr("Next case"), ButtonKind.PRIMARY, objectName="reveal-next")
        self._owner = SectionLabel("")
        self._grid = grid(gaps=(24, 6))
        self._graph = OwnerGraph()
        self._card = Card()
        vbox(self._grid, within=self._card, gap=None, margins=(16, 12))
        holder = build(QWidget, maximumWidth=theme().px(640))
        vbox(
            STRETCH,
            self._title,
            self._text,
            hbox(self.next, STRETCH, gap=None, margins=(0, 0, 0, 12)),
            self._owner,
            vbox(self._card, margins=(0, 0, 0, 8)),
            self._graph,
            2 * STRETCH,
            within=holder,
            gap=10,
            margins=12,
        )
        middle = QWidget()
        hbox(STRETCH, (holder, 4), STRETCH, within=middle, gap=None, margins=12)
        vbox(scrolled(middle, alignment=Qt.AlignmentFlag.AlignHCenter), within=self)
        self.lines: tuple[tuple[str, str, str], ...] = ()
        self.show_nothing()

    def show_nothing(self) -> None:
        """No case was opened yet."""
        self._show(
            tr("No case is open"), tr("Take the next case that waits for an expert, or open one of the list.")
        )

    def show_opening(self, case_id: str) -> None:
        """A case is on its way."""
        self._show(tr("Opening {case_id} …", case_id=case_id), "")

    def show_decided(self, adjudication: Adjudication, decision: Decision, decided: Decided) -> None:
        """Say what became of a case and lay the owner's version beside the decision."""
        is_approved = decision.verdict is Verdict.APPROVE
        recorded = (
            tr("Your decision is recorded; the case is corrected.")
            if decided.is_correction
            else tr("Your decision is recorded; the case is unchanged.")
        )
        kept = [
            tr(
                "{defect_words}, kept on purpose: {reason}",
                defect_words=defect_words(item.field),
                reason=item.reason,
            )
            for item in decision.kept
        ]
        self._show(
            tr("{case_id} is {stage}", case_id=decided.case_id, stage=STAGE[decided.stage].lower()),
            " ".join([recorded, *kept]) if is_approved else "",
        )
        self.lines = owner_lines(adjudication, decision, decided.owner_labels) if is_approved else ()
        show_all(self._owner, self._card, on=self.lines)
        self._owner.set_heading(
            tr("What the owner{value} had said", value=f" ({decided.owner})" if decided.owner else "")
        )
        for place, name in enumerate((tr("Field"), tr("You decided"), tr("Owner"))):
            self._grid.addWidget(TextLabel(name, "small-muted"), 0, place)
        for number, (field, chosen, owner) in enumerate(self.lines, 1):
            self._grid.addWidget(Hairline(), 2 * number - 1, 0, 1, 3)
            self._grid.addWidget(TextLabel(field), 2 * number, 0)
            self._grid.addWidget(TextLabel(chosen), 2 * number, 1)
            self._grid.addWidget(Chip(owner, Tone.OK if owner == chosen else Tone.WARN), 2 * number, 2)

        drawings = owner_drawings(adjudication, decision, decided) if adjudication.sides else {}
        result = result_of(adjudication, decision).case
        self._graph.show_drawings(result.tasks if result is not None else (), drawings)

    def _show(self, title: str, text: str) -> None:
        self._title.setText(title)
        self._text.setText(text)
        self.lines = ()
        clear_layout(self._grid)
        show_all(self._owner, self._card, self._graph, on=False)
