"""The panels of a case: dialogue, dependencies and tabs, all on one document, to edit or only to read."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget

from annotator.cases.history import CommentPlace
from annotator.release.suspects import proposed_values
from scoring.measures.proposed_values import ProposedValue
from scoring.model.case import Case
from scoring.model.labels import DialogueSource, Finding
from scoring.model.taxonomy import Stage
from scoring.texts import tr
from ui.desk import judgment_actions
from ui.desk.case_actions import writing_place
from ui.desk.case_view import CaseView, evidence_words, picked_source, search_start
from ui.desk.columns import BesidePanel, ColumnArea, GoldPanel
from ui.desk.document import CaseDocument
from ui.desk.read_only_case import CaseFactsPanel, ReadOnlyCase, document_to_read
from ui.desk.tabs.comments_tab import CommentsTab, Thread
from ui.desk.tabs.evidence_tab import EvidenceTab
from ui.desk.tabs.history_tab import HistoryTab, RevisionPair
from ui.desk.tabs.review_tab import ReviewTab
from ui.desk.tabs.thoughts_tab import ThoughtsTab
from ui.dialogue.content import ANSWER_MISSING, ActionRequest
from ui.dialogue.places import Citing, SpanPick
from ui.graph.gestures import Mode
from ui.graph.panel import OverlayPanel
from ui.services.operations import Operations
from ui.theme import EmptyState
from ui.theme.layouts import build, connect, stacked, vbox
from ui.theme.panels import TabPages


class CasePanels(QWidget):
    """Shows a document in all its columns and turns what people do in them into edits of it.

    `told` carries a sentence for the footer.

    Args:
        operations: The way to the project.
        first: The first tab: a `ReviewTab` to judge and edit, `CaseFactsPanel` only to read.
        is_stored: Whether the case is one of the project, with a history and comments.
    """

    told = Signal(str)

    def __init__(
        self,
        operations: Operations,
        first: ReviewTab | CaseFactsPanel,
        parent: QWidget | None = None,
        *,
        is_stored: bool = True,
    ) -> None:
        build(
            super().__init__,
            parent,
            objectName="read-panels" if isinstance(first, CaseFactsPanel) else "case-panels",
        )
        self.first = first
        self._operations = operations
        self._is_stored = is_stored
        self.is_read_only = isinstance(first, CaseFactsPanel)
        self.case_view = CaseView(self, operations, is_read_only=self.is_read_only)
        self.dialogue, self.graph = self.case_view.dialogue, self.case_view.graph
        self.gold = GoldPanel(operations)
        self.beside = BesidePanel()
        self.comparison = OverlayPanel(tr("Dependencies compared"))
        self.hidden = EmptyState(
            "tree-structure",
            tr("Hidden for now"),
            tr("You see this case blind. Its drawing opens when it is decided."),
        )
        self.middle = stacked(self.graph, self.gold, self.beside, self.comparison, self.hidden)
        self.evidence = EvidenceTab(is_read_only=self.is_read_only)
        self.history = HistoryTab(operations, can_restore=not self.is_read_only)
        self.comments = CommentsTab(operations)
        self.thoughts = ThoughtsTab()
        self.tabs = TabPages("read-tabs" if self.is_read_only else "case-tabs")
        self.columns = ColumnArea(
            self.dialogue, self.middle, tabs=self.tabs, middle_name=tr("Graph"), parent=self
        )
        vbox(self.columns, within=self, focus=self.dialogue.view, gap=None)
        of_project = ((self.history, tr("History")), (self.comments, tr("Comments")))
        for tab, name in (
            (first, tr("Labels") if self.is_read_only else tr("Review")),
            (self.evidence, tr("Evidence")),
            *(of_project if is_stored else ()),
            (self.thoughts, tr("T-Eval")),
        ):
            self.tabs.addTab(tab, name)
        if not is_stored:
            for tab, _ in of_project:
                tab.setParent(self)
                tab.hide()
        self.case_view.focus_places = (self.middle, self.tabs, self.dialogue.find_bar)
        connect(
            (self.case_view.refreshed, self._show_rest),
            (self.dialogue.view.value_clicked, self._click_value),
            (self.evidence.value_wanted, self._show_value),
            (self.evidence.source_wanted, self._show_source),
            (self.history.compared, self._show_comparison),
            (self.tabs.currentChanged, self._follow_tab),
            (self.comments.counted, self._show_threads),
            (self.comments.place_wanted, self._go_to_comment),
            (self.thoughts.step_wanted, self._go_to_step),
        )
        if not self.is_read_only:
            self._connect_edits()

    @property
    def document(self) -> CaseDocument | None:
        """The document that is shown; None where nothing is, or nothing any more."""
        return self.case_view.document

    @property
    def review(self) -> ReviewTab:
        """The first tab of panels one edits in."""
        assert isinstance(self.first, ReviewTab)
        return self.first

    @property
    def facts(self) -> CaseFactsPanel:
        """The first tab of panels one only reads in."""
        assert isinstance(self.first, CaseFactsPanel)
        return self.first

    def set_document(self, document: CaseDocument, *, returned_note: str = "") -> None:
        """Show another document to edit; the one before must not be changed any more."""
        self.dialogue.view.end_citing()
        self.review.set_document(document, returned_note=returned_note)
        if self._is_stored:
            self.gold.look_up(document.case.id)
        # The second round is about the dialogue as a whole.
        self.dialogue.view.is_unfolded = document.stage is Stage.SELF_CHECK_DIALOGUE
        self._take(document)
        self._begin(document)
        if document.selection.step is not None:  # a draft goes on where it was left
            self.case_view.show_card(document.selection.task, document.selection.step)

    def propose_values(
        self, document: CaseDocument, offer: Callable[[tuple[ProposedValue, ...]], object]
    ) -> None:
        """Read what the calls of a case may accept besides; a blind reviewer is told nothing."""
        if self._is_stored and not document.is_blind:
            self._operations.run(partial(proposed_values, case_id=document.case.id), then=offer)

    def set_read_only(self, shown: ReadOnlyCase) -> None:
        """Show a case only to read, or the one that is shown as it is now: the place in it stays."""
        before, document = self.document, document_to_read(shown, parent=self)
        is_same = before is not None and before.case.id == document.case.id
        if before is not None:
            if is_same:
                document.select(before.selection.task, before.selection.step, path=before.selection.path)
            before.deleteLater()
        self.facts.set_case(shown)
        self.evidence.empty.set_words(
            tr("No evidence"),
            tr("What its owner cited is hidden from you for now.")
            if shown.read.row.is_blind
            else tr("No call of this case has an argument."),
        )
        self._take(document)
        if is_same:
            self.comments.reload()
            self.case_view.refresh()
        else:
            self.graph.view.set_mode(Mode.SELECT)
            self._begin(document)

    def _take(self, document: CaseDocument) -> None:
        self.case_view.set_document(document)
        if self._is_stored:
            document.selection_changed.connect(self.comments.show_place)
        self.evidence.set_document(document)
        self.thoughts.set_document(document)
        self.tabs.setTabVisible(self.tabs.indexOf(self.thoughts), document.policy.teval_fields)
        if self._is_stored:
            self.history.show_case(document.case.id, is_blind=document.is_blind)

    def _begin(self, document: CaseDocument) -> None:
        if self._is_stored:
            self.comments.show_case(document.case.id)
            self.comments.show_place(document.selection)
        self.middle.setCurrentWidget(self._drawing_panel)
        self.tabs.setCurrentWidget(self.first)
        self.case_view.refresh()
        self.graph.view.fit()

    def _show_rest(self) -> None:
        """Show what stands beside the dialogue and the graph."""
        document = self.document
        assert document is not None
        if self.middle.currentWidget() in (self.graph, self.hidden):
            self.middle.setCurrentWidget(self._drawing_panel)
        if self.is_read_only:
            self.facts.show_task(document.selection.task)
        if self.middle.currentWidget() is self.beside:
            self.beside.refresh(document)
        words = tr("Evidence") if document.is_blind else evidence_words(document.assessment)
        self.tabs.setTabText(self.tabs.indexOf(self.evidence), words)

    def go_to(self, task: int, step: int | None, path: str | None = None) -> None:
        """Go to a place of the case and show it in every column."""
        self.case_view.go_to(task, step, path)

    def go_to_missing_answer(self, task: int) -> None:
        """Go to the card where the answer of a task is missing; only Enter or a click opens its editor."""
        if self.document is not None:
            self.columns.bring(self.dialogue)
            self.document.select(task)
            self.dialogue.view.select(task, ANSWER_MISSING)

    def write(self, finding: Finding) -> bool:
        """Open the editor of what a finding misses; whether it misses anything that is written."""
        place = writing_place(finding, self.document.case) if self.document is not None else None
        if place is not None:
            self.dialogue.view.begin_edit(place.task, place.step, field=place.field)
        return place is not None

    def look_for_source(self) -> bool:
        """Let the person select in the dialogue where the current value comes from; whether there is one."""
        line = self.evidence.current_line
        if self.document is None or self.document.is_blind or line is None:
            return False
        self.columns.bring(self.dialogue)
        citing = Citing(task=line.task, step=line.step, path=line.path)
        self.case_view.show_card(*search_start(line, self.document.case))
        self.dialogue.view.begin_citing(citing)
        self.dialogue.view.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return True

    def show_missing(self, finding: Finding) -> bool:
        """Select the card in which something is missing, and has to be written; whether there is one."""
        place = writing_place(finding, self.document.case) if self.document is not None else None
        return place is not None and self.dialogue.view.select(place.task, place.step) is not None

    def show_middle(self, shown: QWidget | None = None) -> None:
        """Bring the graph into sight, or in its place the gold examples or another task of the dialogue."""
        if shown is self.beside and self.document is not None:
            self.beside.begin(self.document)
        self.middle.setCurrentWidget(shown or self._drawing_panel)
        self.columns.show_middle()

    def toggle_middle(self, shown: QWidget) -> None:
        """Show something in the place of the graph, or the graph again; the keys stay in the column."""
        focus = QApplication.focusWidget()
        is_inside = focus is not None and self.middle.isAncestorOf(focus)
        self.show_middle(None if self.middle.currentWidget() is shown else shown)
        now = self.middle.currentWidget()
        if is_inside and now is not None:
            now.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_mode(self, mode: Mode) -> None:
        """Change what a click on the graph means, and go there; nothing where the drawing is hidden."""
        if self._drawing_panel is self.graph:
            self.show_middle()
            self.graph.view.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.graph.view.set_mode(mode)

    def inside(self, shown: QWidget) -> QWidget:
        """What takes the keys in a column or a tab."""
        return {
            self.dialogue: self.dialogue.view,
            self.graph: self.graph.view,
            self.gold: self.gold.panel.view,
            self.beside: self.beside.panel.view,
            self.evidence: self.evidence.table,
            self.history: self.history.timeline,
            self.comments: self.comments.field,
            self.thoughts: self.thoughts.entrance,
        }.get(shown, shown)

    @property
    def _drawing_panel(self) -> QWidget:
        """The graph, or the reason why there is none to see."""
        document = self.document
        if not self.is_read_only or document is None or not document.is_blind:
            return self.graph
        return self.graph if document.case.tasks[document.selection.task].drawn_edges else self.hidden

    # columns -> document

    def _connect_edits(self) -> None:
        view = self.dialogue.view
        connect(
            (self.case_view.asked, self._act),
            (view.span_picked, self._pick),
            (view.citing_ended, self.evidence.table.setFocus),
            (self.review.place_wanted, self.go_to),
            (self.review.writing_wanted, self.write),
            (self.review.left, view.setFocus),
            (self.evidence.search_wanted, self.look_for_source),
            (self.history.restore_wanted, self._restore),
        )

    def _go_to_step(self, step: int) -> None:
        document = self.document
        # The card takes the focus for a moment; its field must not ask for it again when it comes back.
        if document is not None and document.selection.step != step:
            self.go_to(document.selection.task, step)

    def _act(self, request: ActionRequest) -> None:
        document = self.document
        if document is None:
            return
        if request.name == "cite":
            lines = document.assessment.lines_of(request.task, request.step)
            judgment_actions.accept_proposals(document, lines)
        elif request.finding is not None and request.name == "waive":
            self.tabs.setCurrentWidget(self.review)
            self.review.ask_waiver(request.finding)

    def _show_source(self, task: int, source: DialogueSource) -> None:
        """Show where a value comes from; the table keeps the keys, so that E accepts what was looked at."""
        self.case_view.show_source(task, source)
        self.evidence.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _click_value(self, task: int, step: int, path: str) -> None:
        if self.document is not None:
            self.document.select(task, step, path=path)
            self.evidence.show_value(task, step, path)
            self.tabs.setCurrentWidget(self.evidence)

    def _pick(self, pick: SpanPick) -> None:
        document = self.document
        if document is None or document.is_blind:
            return
        source, citing = picked_source(document.assessment, pick), self.dialogue.view.citing
        if source is None:
            self.told.emit(tr("Nobody says where this comes from; select the place it stands at first."))
        elif citing is not None:
            self.dialogue.view.end_citing()
            place = (citing.task, citing.step, citing.path)
            judgment_actions.cite_place(document, place, source=source)
            self.evidence.show_value(*place)
            self.evidence.go_on()
        elif self.tabs.currentWidget() is self.evidence:
            self.evidence.offer_pick(source, pick.words)

    def _show_value(self, task: int, step: int, path: str) -> None:
        self.go_to(task, step, path)
        if self.dialogue.view.citing is not None:
            self.dialogue.view.begin_citing(Citing(task=task, step=step, path=path))

    def _restore(self, number: int, case: Case) -> None:
        if self.document is not None:
            self.document.edit_case(tr("restore revision {number}", number=number), lambda _: case)

    def _show_comparison(self, compared: RevisionPair) -> None:
        """Lay the drawings of two revisions over each other where those of the selected task differ."""
        if self.document is None or self.tabs.currentWidget() is not self.history:
            return
        found = compared.drawing_of(self.document.selection.task)
        if found is None:
            self.middle.setCurrentWidget(self._drawing_panel)
        else:
            self.comparison.show_drawings(found.task, found.before, found.after, names=compared.names)
            self.comparison.header.set_title(tr("Task {number}", number=found.number + 1))
            self.middle.setCurrentWidget(self.comparison)
            self.comparison.view.fit()

    def _follow_tab(self) -> None:
        if self.tabs.currentWidget() is self.history:
            self.history.compare_again()
        elif self.middle.currentWidget() is self.comparison:
            self.middle.setCurrentWidget(self._drawing_panel)

    def _show_threads(self, threads: Sequence[Thread]) -> None:
        name = tr("Comments {threads_count}", threads_count=len(threads)) if threads else tr("Comments")
        self.tabs.setTabText(self.tabs.indexOf(self.comments), name)
        discussed = Counter(
            (place.task, -1 if place.step is None else place.step)
            for place in (CommentPlace.of(thread.first.where) for thread in threads)
            if place.task is not None
        )
        if discussed != self.case_view.comments:
            self.case_view.comments = discussed
            self.case_view.refresh()

    def _go_to_comment(self, place: CommentPlace) -> None:
        if place.task is not None:
            self.go_to(place.task, place.step, place.path)
