"""The three columns of the page: what the sides said, their drawings, the dialogue with their reasons."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from annotator.cases import edge_editing
from annotator.cases.proposals import apply_proposal, has_proposal
from annotator.review.verifying import Decision, Own
from scoring.model.case import Case
from scoring.model.graph import redundant_edges
from scoring.model.taxonomy import EdgeKind, FeedbackCategory
from ui.adjudication import deciding, own_edges
from ui.adjudication.deciding import Row, has_open_edge
from ui.adjudication.decision_document import DecisionDocument
from ui.adjudication.drawings_column import DrawingsColumn
from ui.adjudication.judgments import Judgments
from ui.adjudication.own_edges import Pair, edge_id
from ui.adjudication.reasons import Reasons
from ui.graph.modes import Mode
from ui.graph.panel import GraphPanel
from ui.theme import theme
from ui.transcript.applying import edit_title, edited
from ui.transcript.content import ActionRequest, Edit
from ui.transcript.panel import TranscriptPanel


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
        self.judgments = Judgments()
        self.table = self.judgments.table
        self.detail = self.judgments.detail
        self.drawings = DrawingsColumn()
        self.graph = GraphPanel()
        self.transcript = TranscriptPanel()
        self._middle = QStackedWidget()
        self._middle.addWidget(self.drawings)
        self._middle.addWidget(self.graph)
        self.reasons = Reasons()
        for column, least in ((self.judgments, 300), (self._middle, 250), (self._right(), 230)):
            column.setMinimumWidth(theme().px(least))
            self.addWidget(column)
        self.setFocusProxy(self.table)
        self.splitterMoved.connect(self._tell_sizes)
        self._connect()

    def share_out(self, sizes: Sequence[int]) -> None:
        """Share the room out in proportion to some widths."""
        room, total = self.width(), sum(sizes)
        self.setSizes([round(room * size / total) for size in sizes])

    def set_document(self, document: DecisionDocument) -> None:
        """Show another decision."""
        self._document = document
        adjudication = document.adjudication
        letters = tuple(side.letter for side in adjudication.sides)
        self.judgments.model.show_rows(document.rows, letters=letters)
        self.judgments.show_case(adjudication)
        self.reasons.show_case(adjudication)
        is_direct = not letters or deciding.is_sampled(adjudication)
        self._middle.setCurrentWidget(self.graph if is_direct else self.drawings)
        document.changed.connect(self.refresh)
        self._task = 0
        self.refresh()
        if not self.table.go_to_open() and self.judgments.model.rows:
            self.table.go_to(self.judgments.model.rows[0].id)
        self.drawings.graph.panel.view.fit()
        self.graph.view.fit()

    def refresh(self) -> None:
        """Show the decision as it is now."""
        document = self._document
        if document is None or self._is_showing:
            return
        self._is_showing = True
        try:
            letters = tuple(side.letter for side in document.adjudication.sides)
            current = self.table.row
            self.judgments.model.show_rows(document.rows, letters=letters)
            if current is not None and self.table.row is None:
                _ = self.table.go_to(current.id) or self.table.go_to_open()
            self.table.filter_rows()
            self.detail.show_decision(document.decision, self.table.row)
            self._show_task(document)
        finally:
            self._is_showing = False

    def press(self, key: str) -> None:
        """Do what a letter means for the current row, from wherever the focus is."""
        self.table.press(key)

    def offer_merges(self) -> None:
        """Offer the ways to decide many fields at once."""
        document = self._document
        if document is not None and document.adjudication.sides:
            self.judgments.offer_merges(document.adjudication, document.decision)

    def start_drawing(self) -> None:
        """Give the graph the keys, ready for the numbers of two steps."""
        if self._middle.currentWidget() is self.drawings:
            self.drawings.graph.start_drawing()
        else:
            self.graph.view.setFocus(Qt.FocusReason.OtherFocusReason)
            self.graph.view.set_mode(Mode.CONNECT)

    def compare_next(self) -> None:
        """Lay the next two drawings over each other."""
        self.drawings.compare_next()

    # building

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
        self.judgments.merged.connect(self._merge)
        self.detail.answered.connect(self._answer)
        self.detail.told.connect(self._tell)
        self.detail.noted.connect(self._note)
        view = self.transcript.view
        view.edited.connect(self._edit)
        view.task_opened.connect(self._open_task)
        view.action_requested.connect(self._act)
        disputed = self.drawings.graph
        disputed.drawn.connect(self._draw_own)
        disputed.left_out.connect(self._leave_out)
        disputed.kinds_changed.connect(self._change_kinds)
        disputed.edge_chosen.connect(self._follow_edge)
        disputed.left.connect(self.table.setFocus)
        graph = self.graph.view
        graph.edge_requested.connect(self._draw)
        graph.edges_removed.connect(self._remove)
        graph.kinds_toggled.connect(self._toggle_kinds)

    # showing

    def _show_task(self, document: DecisionDocument) -> None:
        result = document.result.case
        adjudication = document.adjudication
        shown = document.case
        task = min(self._task, len(shown.tasks) - 1)
        self.transcript.show_case(shown, task=task, findings=adjudication.findings)
        if self._middle.currentWidget() is self.drawings:
            is_open = has_open_edge(document.rows, task)
            decided = None if is_open else result
            self.drawings.show_task(adjudication, document.decision, task, result=decided)
        else:
            found = (result or shown).tasks[task]
            self.graph.show_task(found, redundant=[edge.pair for edge in redundant_edges(found)])

    def _follow_row(self, row: Row | None) -> None:
        document = self._document
        if document is None or row is None or self._is_showing:
            return
        if row.task is not None:
            self._task = row.task
        self.detail.show_decision(document.decision, row)
        self._show_task(document)
        step = row.field.step if row.field is not None else row.edit.step if row.edit is not None else None
        if row.task is not None:
            canvas = self.drawings.graph.panel.view
            keys = canvas if canvas.hasFocus() else self.table
            self._is_showing = True
            self.transcript.view.select(row.task, -1 if step is None else step)
            self._is_showing = False
            keys.setFocus(Qt.FocusReason.OtherFocusReason)  # showing a place took them

    def _follow_edge(self, pair: Pair) -> None:
        self.table.go_to(edge_id(self._task, pair))

    def _tell_sizes(self) -> None:
        self.sizes_changed.emit(tuple(self.sizes()))

    # deciding

    def _take(self, choice: str | Own | None) -> None:
        row, document = self.table.row, self._document
        if row is None or document is None or row.field is None:
            return
        if row.is_own and (isinstance(choice, str) or (choice is not None and choice.own is None)):
            choice = None  # every side left this edge out: to say the same is to forget it
        title = f"decide {row.title}" if choice is not None else f"reopen {row.title}"
        is_done = document.decide(title, partial(deciding.take_side, field_id=row.id, choice=choice))
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
        if document.decide(f"{answer or 'reopen'} {row.title}", change) and answer:
            self.table.go_to_open()

    def _merge(self, after: Decision, words: str) -> None:
        if self._document is not None and self._document.decide(f"take {words}", lambda _: after):
            self.table.go_to_open()
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _draw_own(self, source: int, target: int) -> None:
        self._decide_edge(f"draw {source} → {target}", own_edges.draw_edge, (source, target))

    def _leave_out(self, pairs: tuple[Pair, ...]) -> None:
        for source, target in pairs:
            self._decide_edge(f"leave {source} → {target} out", own_edges.leave_out_edge, (source, target))

    def _change_kinds(self, pairs: tuple[Pair, ...]) -> None:
        for source, target in pairs:
            title = f"change the kind of {source} → {target}"
            self._decide_edge(title, own_edges.change_kind, (source, target))

    def _decide_edge(self, title: str, change: Callable[..., Decision], pair: Pair) -> None:
        document = self._document
        if document is None:
            return
        adjudication = document.adjudication
        if document.decide(title, lambda decision: change(adjudication, decision, self._task, pair=pair)):
            self.table.go_to(edge_id(self._task, pair))

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
            self.judgments.focus_note()  # an expert leaves an error by saying why in the note

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
