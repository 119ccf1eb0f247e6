"""The three columns of the page: what the sides said, their drawings, the dialogue with their reasons."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from annotator.cases import edge_editing
from annotator.cases.proposals import apply_proposal, has_proposal
from annotator.review.verifying import Adjudication, Own
from scoring.model.case import Case
from scoring.model.graph import redundant_edges
from scoring.model.taxonomy import EdgeKind, FeedbackCategory
from ui.adjudication import deciding
from ui.adjudication.deciding import Row, has_open_edge
from ui.adjudication.decision_document import DecisionDocument
from ui.adjudication.detail import Detail
from ui.adjudication.drawings import DrawingsColumn
from ui.adjudication.fields_model import FieldsModel
from ui.adjudication.fields_table import FieldsTable
from ui.adjudication.reasons import Reasons
from ui.graph.drawing import Pair
from ui.graph.panel import GraphPanel
from ui.theme import Chip, PanelHeader, Tone, theme
from ui.theme.layouts import clear_layout
from ui.theme.words import VERDICT
from ui.transcript.applying import edit_title, edited
from ui.transcript.content import ActionRequest, Edit
from ui.transcript.panel import TranscriptPanel

_SIZES = (570, 415, 345)
_SIDE_TONES = (Tone.ACCENT, Tone.WARN, Tone.OK)


class Columns(QSplitter):
    """Shows a decision in the making and turns what the expert does into changes of it."""

    sizes_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setObjectName("adjudication-columns")
        self.setChildrenCollapsible(False)
        self._document: DecisionDocument | None = None
        self._task = 0
        self._is_showing = False
        self.model = FieldsModel(self)
        self.table = FieldsTable(self.model)
        self.detail = Detail()
        self.drawings = DrawingsColumn()
        self.graph = GraphPanel()
        self.transcript = TranscriptPanel()
        self.only_differing = QCheckBox("only differences")
        self.only_differing.setObjectName("only-differences")
        self.only_differing.toggled.connect(self._filter)
        self._middle = QStackedWidget()
        self._middle.addWidget(self.drawings)
        self._middle.addWidget(self.graph)
        self.reasons = Reasons()
        for column, least in ((self._left(), 380), (self._middle, 280), (self._right(), 280)):
            column.setMinimumWidth(theme().px(least))
            self.addWidget(column)
        self.setSizes([theme().px(size) for size in _SIZES])
        self.setFocusProxy(self.table)
        self.splitterMoved.connect(self._tell_sizes)
        self._connect()

    def set_document(self, document: DecisionDocument) -> None:
        """Show another decision."""
        self._document = document
        adjudication = document.adjudication
        letters = tuple(side.letter for side in adjudication.sides)
        self._show_sides(adjudication)
        self.model.show_rows(document.rows, letters=letters)
        self.table.set_letters(letters)
        self.only_differing.setVisible(bool(letters))
        self.only_differing.setChecked(bool(letters))
        self.detail.show_people(letters)
        self.reasons.show_case(adjudication)
        is_direct = not letters or deciding.is_sampled(adjudication)
        self._middle.setCurrentWidget(self.graph if is_direct else self.drawings)
        document.changed.connect(self.refresh)
        self._task = 0
        self.refresh()
        if not self.table.go_to_open() and self.model.rows:
            self.table.go_to(self.model.rows[0].id)
        self.drawings.overlay.view.fit()
        self.graph.view.fit()

    def refresh(self) -> None:
        """Show the decision as it is now."""
        document = self._document
        if document is None or self._is_showing:
            return
        self._is_showing = True
        try:
            letters = tuple(side.letter for side in document.adjudication.sides)
            self.model.show_rows(document.rows, letters=letters)
            self.table.filter_rows()
            self.detail.show_decision(document.decision, self.table.row)
            self._show_task(document)
        finally:
            self._is_showing = False

    def press(self, key: str) -> None:
        """Do what a letter means for the current row, from wherever the focus is."""
        self.table.press(key)

    # building

    def _left(self) -> QWidget:
        self._header = PanelHeader("Judgments")
        self._side_chips = QHBoxLayout()
        self._side_chips.setSpacing(theme().px(6))
        holder = QWidget()
        self._side_chips.setContentsMargins(0, 0, 0, 0)
        holder.setLayout(self._side_chips)
        self._header.add_left(holder)
        self._header.add_right(self.only_differing)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self.detail)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._header)
        column.addWidget(self.table, 3)
        column.addWidget(area, 2)
        return left

    def _right(self) -> QWidget:
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.transcript, 1)
        column.addWidget(self.reasons)
        return right

    def _connect(self) -> None:
        self.table.row_changed.connect(self._follow_row)
        self.table.taken.connect(self._take)
        self.table.answered.connect(self._answer)
        self.detail.answered.connect(self._answer)
        self.detail.told.connect(self._tell)
        self.detail.noted.connect(self._note)
        view = self.transcript.view
        view.edited.connect(self._edit)
        view.task_opened.connect(self._open_task)
        view.action_requested.connect(self._act)
        graph = self.graph.view
        graph.edge_requested.connect(self._draw)
        graph.edges_removed.connect(self._remove)
        graph.kinds_toggled.connect(self._toggle_kinds)

    # showing

    def _show_sides(self, adjudication: Adjudication) -> None:
        clear_layout(self._side_chips)
        for side, tone in zip(adjudication.sides, _SIDE_TONES * 2, strict=False):
            chip = Chip(f"Reviewer {side.letter}", tone)
            chip.setToolTip(f"Verdict: {VERDICT[side.verdict].lower()}")
            self._side_chips.addWidget(chip)

    def _show_task(self, document: DecisionDocument) -> None:
        result = document.result.case
        adjudication = document.adjudication
        shown = document.case
        task = min(self._task, len(shown.tasks) - 1)
        self.transcript.show_case(shown, task=task, findings=adjudication.findings)
        if self._middle.currentWidget() is self.drawings:
            is_open = has_open_edge(document.rows, task)
            self.drawings.show_task(adjudication, task, result=None if is_open else result)
        else:
            found = (result or shown).tasks[task]
            self.graph.show_task(found, redundant=[edge.pair for edge in redundant_edges(found)])

    def _follow_row(self, row: Row | None) -> None:
        document = self._document
        if document is None or row is None:
            return
        if row.task is not None:
            self._task = row.task
        self.detail.show_decision(document.decision, row)
        self._show_task(document)
        step = row.field.step if row.field is not None else row.edit.step if row.edit is not None else None
        if row.task is not None:
            self._is_showing = True
            self.transcript.view.select(row.task, -1 if step is None else step)
            self._is_showing = False
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _filter(self) -> None:
        self.table.show_all(on=not self.only_differing.isChecked())

    def _tell_sizes(self) -> None:
        self.sizes_changed.emit(tuple(self.sizes()))

    # changing

    def _take(self, choice: str | Own | None) -> None:
        row, document = self.table.row, self._document
        if row is None or document is None or row.field is None:
            return
        title = f"decide {row.title}" if choice is not None else f"reopen {row.title}"
        is_done = document.change(title, partial(deciding.take_side, field_id=row.id, choice=choice))
        if is_done and choice is not None:
            self.table.go_to_open()

    def _answer(self, answer: str) -> None:
        row, document = self.table.row, self._document
        if row is None or document is None or row.edit is None:
            return
        change = partial(
            deciding.answer_edit,
            edit_id=row.id,
            answer="accept" if answer == "accept" else "decline" if answer == "decline" else None,
        )
        if document.change(f"{answer or 'reopen'} {row.title}", change) and answer:
            self.table.go_to_open()

    def _tell(self, to: str, category: FeedbackCategory | None, note: str) -> None:
        if self._document is not None:
            change = partial(deciding.tell, to=to, category=category, note=note)
            self._document.change(f"feedback to {to}", change, key=f"feedback {to} {category}")

    def _note(self, text: str) -> None:
        if self._document is not None:
            self._document.change("change the note", partial(deciding.with_note, note=text), key="note")

    def _edit(self, edit: Edit) -> None:
        document = self._document
        if document is not None:
            key = f"{edit.task} {edit.step} {edit.field}"
            document.edit_case(edit_title(document.case, edit), partial(edited, edit=edit), key=key)

    def _act(self, request: ActionRequest) -> None:
        document, finding = self._document, request.finding
        if document is None or finding is None:
            return
        if request.name == "settle" and has_proposal(finding):
            document.edit_case(f"settle {finding.rule}", partial(apply_proposal, finding=finding))
        elif request.name == "waive":
            self.detail.focus_note()  # an expert leaves an error by saying why in the note

    def _open_task(self, task: int) -> None:
        if not self._is_showing and self._document is not None:
            self._task = task
            self.refresh()

    def _draw(self, source: int, target: int) -> None:
        self._change_drawing(
            f"draw {source} → {target}",
            partial(edge_editing.add_edge, task=self._task, source=source, target=target),
        )

    def _remove(self, pairs: tuple[Pair, ...]) -> None:
        for source, target in pairs:
            self._change_drawing(
                f"remove {source} → {target}",
                partial(edge_editing.remove_edge, task=self._task, source=source, target=target),
            )

    def _toggle_kinds(self, pairs: tuple[Pair, ...]) -> None:
        if self._document is None:
            return
        kinds = {edge.pair: edge.kind for edge in self._document.case.tasks[self._task].drawn_edges}
        for source, target in pairs:
            is_parameter = kinds.get((source, target)) is EdgeKind.PARAMETER
            kind = EdgeKind.LOGICAL if is_parameter else EdgeKind.PARAMETER
            self._change_drawing(
                f"change the kind of {source} → {target}",
                partial(edge_editing.set_edge_kind, task=self._task, source=source, target=target, kind=kind),
            )

    def _change_drawing(self, title: str, change: Callable[[Case], Case]) -> None:
        if self._document is not None:
            self._document.edit_case(title, change)
