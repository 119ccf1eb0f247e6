"""The three columns of the workbench: dialogue, dependencies, and the side panel, all on one document."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from pydantic import JsonValue
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QStackedWidget, QTabWidget, QVBoxLayout, QWidget

from scoring.model.case import Case, Task
from scoring.model.labels import DialogueSource, Finding
from ui.graph.drawing import Pair, Suggestion
from ui.graph.items import Mark
from ui.graph.overlay import OverlayPanel
from ui.graph.panel import GraphPanel
from ui.operations import Operations
from ui.transcript.content import ActionRequest, Edit
from ui.transcript.json_checking import JsonProblem
from ui.transcript.panel import TranscriptPanel
from ui.transcript.picking import Citing, SpanPick
from ui.workbench import case_actions, review_actions, showing
from ui.workbench.beside_panel import BesidePanel
from ui.workbench.column_area import ColumnArea
from ui.workbench.comments_tab import CommentsTab, Thread, card_of, target_of
from ui.workbench.document import Selection, WorkbenchDocument
from ui.workbench.evidence_tab import EvidenceTab
from ui.workbench.fixes import writing_place
from ui.workbench.gold_panel import GoldPanel
from ui.workbench.history_tab import Comparison, HistoryTab
from ui.workbench.review_tab import ReviewTab

Drawing = tuple[Task, tuple[Suggestion, ...], dict[int, Mark], tuple[Pair, ...], Mapping[Pair, str]]
"""What the graph is shown of a document."""


class Editor(QWidget):
    """Shows a document in all its columns and turns what people do in them into edits of it.

    Signals: `sizes_changed` carries the widths of the columns in pixels; `told` a sentence for the footer.
    """

    sizes_changed = Signal(object)
    told = Signal(str)

    def __init__(self, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("workbench-editor")
        self._document: WorkbenchDocument | None = None
        self._is_showing = False
        self._drawing: Drawing | None = None
        self._discussed: Mapping[tuple[int, int], int] = {}
        self.transcript = TranscriptPanel(check=self._check_json)
        self.graph = GraphPanel()
        self.gold = GoldPanel(operations)
        self.middle = QStackedWidget()
        self.middle.addWidget(self.graph)
        self.beside = BesidePanel()
        self.comparison = OverlayPanel("Dependencies compared")
        self.middle.addWidget(self.gold)
        self.middle.addWidget(self.beside)
        self.middle.addWidget(self.comparison)
        self.review = ReviewTab()
        self.evidence = EvidenceTab()
        self.history = HistoryTab(operations)
        self.comments = CommentsTab(operations)
        self.tabs = QTabWidget()
        self.tabs.setObjectName("workbench-tabs")
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.tabBar().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.tabs.tabBar().setUsesScrollButtons(False)
        for tab, name in (
            (self.review, "Review"),
            (self.evidence, "Evidence"),
            (self.history, "History"),
            (self.comments, "Comments"),
        ):
            self.tabs.addTab(tab, name)
        self.columns = ColumnArea(self.transcript, self.middle, tabs=self.tabs, middle_name="Graph")
        self.columns.sizes_changed.connect(self.sizes_changed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.columns)
        self.setFocusProxy(self.transcript.view)
        self._connect()

    def set_document(self, document: WorkbenchDocument, *, returned_note: str) -> None:
        """Show another document; the one before must not be changed any more."""
        self._document = document
        self.transcript.view.end_citing()
        document.assessed.connect(self.refresh)
        document.selection_changed.connect(self._follow)
        self.review.set_document(document, returned_note=returned_note)
        self.evidence.set_document(document)
        self.history.show_case(document.case.id, is_blind=document.is_blind)
        self.comments.show_case(document.case.id)
        self.comments.show_place(document.selection)
        self.gold.look_up(document.case.id)
        self.middle.setCurrentWidget(self.graph)
        self.tabs.setCurrentWidget(self.review)
        self.refresh()
        self.graph.view.fit()

    def get_ready(self, document: WorkbenchDocument) -> None:
        """Fill the columns with a document that may be set next; nobody can see or change it.

        Cards, nodes and rows are told by their content, so that showing the same content again costs
        little.
        """
        self._document = None
        self._is_showing = True
        try:
            self._show_dialogue(document)
            self._show_graph(document)
            self.review.set_document(document, returned_note="")
        finally:
            self._is_showing = False
        document.deleteLater()

    def refresh(self) -> None:
        """Show the document as it is now."""
        document = self._document
        if document is None or self._is_showing:
            return
        self._is_showing = True
        try:
            self._show_dialogue(document)
            self._show_graph(document)
            if self.middle.currentWidget() is self.beside:
                self.beside.refresh(document)
            words = "Evidence" if document.is_blind else showing.evidence_words(document.shown)
            self.tabs.setTabText(self.tabs.indexOf(self.evidence), words)
        finally:
            self._is_showing = False

    def end_edit(self) -> None:
        """Close open editors with what was typed."""
        self.transcript.view.end_edit()

    def show_source(self, task: int, source: DialogueSource) -> None:
        """Show the place a value comes from."""
        document = self._document
        if document is None or source.text in ("now", "system"):
            return
        at, step, field = showing.field_of(source, document.case, task=task)
        self.transcript.view.reveal(at, step, field=field, path=source.path or "", span=source.span)

    def go_to(self, task: int, step: int | None, path: str | None = None) -> None:
        """Go to a place of the case and show it in every column."""
        if self._document is not None:
            self._document.select(task, step, path=path)
            self._show_card(task, step)
            if step is not None and path:
                with self._quietly():
                    self.transcript.view.reveal(task, step, field="arguments", path=path)

    def write(self, finding: Finding) -> bool:
        """Open the editor of what a finding misses; whether it misses anything that is written."""
        if self._document is None:
            return False
        place = writing_place(finding, self._document.case)
        if place is None:
            return False
        self.transcript.view.begin_edit(place.task, place.step, field=place.field)
        return True

    def look_for_source(self) -> bool:
        """Let the person select in the dialogue where the current value comes from; whether there is one."""
        line = self.evidence.current_line
        if self._document is None or self._document.is_blind or line is None:
            return False
        self.columns.bring(self.transcript)
        self._show_card(line.task, line.step)
        self.transcript.view.begin_citing(Citing(task=line.task, step=line.step, path=line.path))
        self.transcript.view.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return True

    def show_missing(self, finding: Finding) -> None:
        """Select the card in which something is missing."""
        place = writing_place(finding, self._document.case) if self._document is not None else None
        if place is not None:
            self.transcript.view.select(place.task, place.step)

    def show_middle(self, shown: QWidget | None = None) -> None:
        """Bring the graph into sight, or in its place the gold examples or another task of the dialogue."""
        if shown is self.beside and self._document is not None:
            self.beside.begin(self._document)
        self.middle.setCurrentWidget(shown or self.graph)
        self.columns.show_middle()

    def toggle_middle(self, shown: QWidget) -> None:
        """Show something in the place of the graph, or the graph again; the keys stay in the column."""
        focus = QApplication.focusWidget()
        is_inside = focus is not None and self.middle.isAncestorOf(focus)
        self.show_middle(None if self.middle.currentWidget() is shown else shown)
        now = self.middle.currentWidget()
        if is_inside and now is not None:
            now.setFocus(Qt.FocusReason.OtherFocusReason)

    # document -> columns

    def _show_dialogue(self, document: WorkbenchDocument) -> None:
        assessment = document.shown
        # Nobody asks a blind reviewer where values come from.
        coverage = {} if document.is_blind else showing.coverage_of(assessment)
        self.transcript.show_case(
            document.case,
            task=document.selection.task,
            findings=assessment.findings,
            coverage=coverage,
            waivers=document.judgment.waivers,
            sources=showing.sources_of(assessment, document.selection),
            comments=self._discussed,
        )

    def _show_graph(self, document: WorkbenchDocument) -> None:
        task = document.selection.task
        assessment = document.shown
        found = document.case.tasks[task]
        drawing = (
            found,
            showing.suggestions_of(assessment, task),
            showing.marks_of(assessment, task),
            showing.redundant_in(assessment, task),
            showing.edge_labels_of(assessment, task),
        )
        if drawing != self._drawing:
            self._drawing = drawing
            self.graph.view.say("")
            self.graph.menu.file_name = f"{document.case.id}-task-{task + 1}"
            self.graph.show_task(
                found, suggestions=drawing[1], marks=drawing[2], redundant=drawing[3], labels=drawing[4]
            )
        self.graph.view.select_step(document.selection.step)

    def _follow(self, selection: Selection) -> None:
        self.comments.show_place(selection)
        self.refresh()
        current = self.transcript.view.current
        step = -1 if selection.step is None else selection.step
        is_request = selection.step is None and current is not None and current[1] < 0
        if current != (selection.task, step) and not (
            is_request and current and current[0] == selection.task
        ):
            self._show_card(selection.task, selection.step)

    def _show_card(self, task: int, step: int | None) -> None:
        with self._quietly():
            self.transcript.view.select(task, -1 if step is None else step)

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Show something without taking what the columns say for a wish, and leave the focus where it is."""
        self._is_showing = True
        try:
            with self.columns.focus_kept():
                yield
        finally:
            self._is_showing = False

    # columns -> document

    def _connect(self) -> None:
        view = self.transcript.view
        view.edited.connect(self._edit)
        view.step_selected.connect(self._select_card)
        view.task_opened.connect(self._open_task)
        view.action_requested.connect(self._act)
        view.value_clicked.connect(self._click_value)
        view.span_picked.connect(self._pick)
        view.citing_ended.connect(self.evidence.table.setFocus)
        graph = self.graph.view
        graph.step_selected.connect(self._select_node)
        graph.step_activated.connect(self._open_node)
        graph.edge_requested.connect(self._draw)
        graph.edges_removed.connect(self._remove)
        graph.kinds_toggled.connect(self._toggle_kinds)
        graph.suggestion_accepted.connect(self._accept_one)
        self.graph.suggestions_accepted.connect(self._accept_all)
        self.review.place_wanted.connect(self.go_to)
        self.review.writing_wanted.connect(self.write)
        self.review.left.connect(view.setFocus)
        self.evidence.value_wanted.connect(self._show_value)
        self.evidence.source_wanted.connect(self.show_source)
        self.evidence.search_wanted.connect(self.look_for_source)
        self.history.restore_wanted.connect(self._restore)
        self.history.compared.connect(self._show_comparison)
        self.tabs.currentChanged.connect(self._follow_tab)
        self.comments.counted.connect(self._show_threads)
        self.comments.place_wanted.connect(self._go_to_comment)

    def _edit(self, edit: Edit) -> None:
        if self._document is not None:
            case_actions.apply_edit(self._document, edit)

    def _select_card(self, task: int, step: int) -> None:
        if self._document is not None and not self._is_showing:
            self._document.select(task, step if step >= 0 else None)

    def _open_task(self, task: int) -> None:
        if self._document is not None and not self._is_showing:
            self._document.select(task)

    def _act(self, request: ActionRequest) -> None:
        document = self._document
        if document is None:
            return
        if request.name == "cite":
            lines = document.assessment.lines_of(request.task, request.step)
            review_actions.accept_proposals(document, lines)
        elif request.finding is not None and request.name == "settle":
            case_actions.settle(document, request.finding)
        elif request.finding is not None and request.name == "waive":
            self.tabs.setCurrentWidget(self.review)
            self.review.ask_waiver(request.finding)

    def _click_value(self, task: int, step: int, path: str) -> None:
        if self._document is not None:
            self._document.select(task, step, path=path)
            self.evidence.show_value(task, step, path)
            self.tabs.setCurrentWidget(self.evidence)

    def _pick(self, pick: SpanPick) -> None:
        document = self._document
        if document is None or document.is_blind:
            return
        source, citing = showing.picked_source(document.assessment, pick), self.transcript.view.citing
        if source is None:
            self.told.emit("Nobody says where this comes from; select the place it stands at first.")
        elif citing is not None:
            self.transcript.view.end_citing()
            place = (citing.task, citing.step, citing.path)
            review_actions.cite_place(document, place, source=source)
            self.evidence.show_value(*place)
            self.evidence.go_on()
        elif self.tabs.currentWidget() is self.evidence:
            self.evidence.offer_pick(source, pick.words)

    def _select_node(self, step: int) -> None:
        if self._document is not None and not self._is_showing:
            self._document.select(self._document.selection.task, step if step >= 0 else None)

    def _open_node(self, step: int) -> None:
        if self._document is not None:
            self.transcript.view.begin_edit(self._document.selection.task, step)

    def _draw(self, source: int, target: int) -> None:
        if self._document is not None:
            case_actions.draw_edge(self._document, source, target=target)

    def _remove(self, pairs: Sequence[Pair]) -> None:
        if self._document is not None:
            case_actions.remove_edges(self._document, pairs)

    def _toggle_kinds(self, pairs: Sequence[Pair]) -> None:
        if self._document is not None:
            case_actions.toggle_kinds(self._document, pairs)

    def _accept_one(self, suggestion: Suggestion) -> None:
        self._accept_all((suggestion,))

    def _accept_all(self, suggestions: Sequence[Suggestion]) -> None:
        if self._document is not None:
            pairs = {suggestion.pair for suggestion in suggestions}
            offered = self._document.assessment.suggestions[self._document.selection.task]
            wanted = [found for found in offered if found.edge.pair in pairs]
            case_actions.accept_suggestions(self._document, wanted)

    def _show_value(self, task: int, step: int, path: str) -> None:
        self.go_to(task, step, path)
        if self.transcript.view.citing is not None:
            self.transcript.view.begin_citing(Citing(task=task, step=step, path=path))

    def _restore(self, number: int, case: Case) -> None:
        if self._document is not None:
            self._document.edit_case(f"restore revision {number}", lambda _: case)

    def _show_comparison(self, compared: Comparison) -> None:
        """Lay the drawings of two revisions over each other where those of the selected task differ."""
        if self._document is None or self.tabs.currentWidget() is not self.history:
            return
        found = compared.drawing_of(self._document.selection.task)
        if found is None:
            self.middle.setCurrentWidget(self.graph)
        else:
            self.comparison.show_drawings(found.task, found.before, found.after, names=compared.names)
            self.comparison.header.set_title(f"Task {found.number + 1}")
            self.middle.setCurrentWidget(self.comparison)
            self.comparison.view.fit()

    def _follow_tab(self) -> None:
        if self.tabs.currentWidget() is self.history:
            self.history.compare_again()
        elif self.middle.currentWidget() is self.comparison:
            self.middle.setCurrentWidget(self.graph)

    def _show_threads(self, threads: Sequence[Thread]) -> None:
        name = f"Comments {len(threads)}" if threads else "Comments"
        self.tabs.setTabText(self.tabs.indexOf(self.comments), name)
        discussed = Counter(card_of(thread.first.where) for thread in threads)
        if discussed != self._discussed:
            self._discussed = discussed
            self.refresh()

    def _go_to_comment(self, where: str) -> None:
        target = target_of(where)
        if target is not None:
            self.go_to(*target)

    def _check_json(self, task: int, step: int, field: str, value: JsonValue) -> tuple[JsonProblem, ...]:
        if self._document is None or field != "arguments" or not isinstance(value, dict):
            return ()
        return showing.argument_problems(self._document.case, task, step=step, arguments=value)
