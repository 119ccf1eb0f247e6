"""The three columns of a case that is only read: dialogue, dependencies, and what was said about both."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QApplication, QStackedWidget, QTabWidget, QVBoxLayout, QWidget

from scoring.model.graph import redundant_edges
from scoring.model.labels import DialogueSource
from ui.graph.modes import Mode
from ui.graph.overlay import OverlayPanel
from ui.graph.panel import GraphPanel
from ui.operations import Operations
from ui.theme import EmptyState
from ui.transcript.panel import TranscriptPanel
from ui.workbench import showing
from ui.workbench.column_area import ColumnArea
from ui.workbench.comments_tab import CommentsTab, Thread, card_of, target_of
from ui.workbench.document import Selection
from ui.workbench.evidence_model import Column, EvidenceModel
from ui.workbench.evidence_tab import EvidenceTable
from ui.workbench.history_tab import Comparison, HistoryTab
from ui.workbench.reading import Reading
from ui.workbench.reading_labels import ReadingLabels

if TYPE_CHECKING:
    from scoring.model.case import Task


class ReadingColumns(QWidget):
    """Shows a reading; whatever is done in one column, the others follow."""

    def __init__(self, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.transcript = TranscriptPanel()
        self.transcript.view.set_read_only(on=True)
        self.graph = GraphPanel()
        self.graph.set_read_only()
        self.comparison = OverlayPanel("Dependencies compared")
        self.middle = QStackedWidget()
        self.middle.addWidget(self.graph)
        self.middle.addWidget(self.comparison)
        self.hidden = EmptyState(
            "tree-structure",
            "Hidden for now",
            "You see this case blind. Its drawing opens when it is decided.",
        )
        self.middle.addWidget(self.hidden)
        self.labels = ReadingLabels()
        self.evidence = EvidenceTable(is_read_only=True)
        self._model = EvidenceModel(self)
        self.evidence.setModel(self._model)
        self.evidence.size_columns()
        self._nothing = EmptyState("quotes", "No evidence", "")
        self.sources = QStackedWidget()
        self.sources.addWidget(self.evidence)
        self.sources.addWidget(self._nothing)
        self.history = HistoryTab(operations, can_restore=False)
        self.comments = CommentsTab(operations)
        self.tabs = _tabs(
            (self.labels, "Labels"),
            (self.sources, "Evidence"),
            (self.history, "History"),
            (self.comments, "Comments"),
        )
        self.area = ColumnArea(self.transcript, self.middle, tabs=self.tabs, middle_name="Graph")
        self.area.splitter.setObjectName("reading-splitter")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.area)
        self._reading: Reading | None = None
        self._selection = Selection()
        self._drawn: Task | None = None
        self._discussed: Mapping[tuple[int, int], int] = {}
        self._is_showing = False
        self.setFocusProxy(self.transcript.view)
        self._connect()

    @property
    def selection(self) -> Selection:
        """Where the reader is."""
        return self._selection

    def show_reading(self, reading: Reading) -> None:
        """Show a case, or the one that is shown as it is now: the place in it stays."""
        before, self._reading = self._reading, reading
        row = reading.read.row
        is_other = before is None or before.case.id != reading.case.id
        if is_other or not _is_in(self._selection, reading):
            self._selection = Selection()
        self._drawn = None
        if is_other:
            self.graph.view.set_mode(Mode.SELECT)
            self.tabs.setCurrentWidget(self.labels)
            self.middle.setCurrentWidget(self._drawing)
            self.comments.show_case(row.case_id)
        else:
            self.comments.reload()
        self.history.show_case(row.case_id, is_blind=row.is_blind)
        self._show_evidence(reading)
        self._show()
        if is_other:
            self.graph.view.fit()

    def go_to(self, task: int, step: int | None, path: str | None = None) -> None:
        """Go to a place of the case and show it in every column."""
        self._select(Selection(task, step, path))
        with self._quietly():
            self.transcript.view.select(task, -1 if step is None else step)
            if step is not None and path:
                self.transcript.view.reveal(task, step, field="arguments", path=path)

    # what the keys do

    def select_task(self, number: int) -> None:
        """Go to a task, counted from 0."""
        if self._reading is not None and 0 <= number < len(self._reading.case.tasks):
            self.go_to(number, None)

    def task_by(self, by: Literal[-1, 1]) -> None:
        """Go to the next or the previous task."""
        self.select_task(self._selection.task + by)

    def step_by(self, by: Literal[-1, 1]) -> None:
        """Go to the next or the previous card; tasks follow each other."""
        if self._reading is None:
            return
        cards: list[tuple[int, int | None]] = []
        for number, task in enumerate(self._reading.case.tasks):
            cards += [(number, None), *((number, step) for step in range(len(task.steps)))]
        place = cards.index((self._selection.task, self._selection.step)) + by
        if 0 <= place < len(cards):
            self.go_to(*cards[place])

    def show_tab(self, tab: QWidget) -> None:
        """Show a tab of the side panel and go into it."""
        self.area.bring(self.tabs)
        self.tabs.setCurrentWidget(tab)
        self._inside(tab).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def next_column(self) -> None:
        """Go from the dialogue to the graph, to the side panel, and round."""
        focus = QApplication.focusWidget()
        columns: list[QWidget] = [self.transcript, self.middle, self.tabs]
        if self.area.is_middle_a_tab:
            columns.remove(self.middle)
        held = next((i for i, one in enumerate(columns) if focus and one.isAncestorOf(focus)), -1)
        column = columns[(held + 1) % len(columns)]
        if self.area.alone is not None:
            self.area.show_alone(column)
        shown = column.currentWidget() if isinstance(column, QTabWidget | QStackedWidget) else column
        self._inside(shown or column).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def set_mode(self, mode: Mode) -> None:
        """Look at the graph, or play its orders through; nothing where it is hidden."""
        if self._drawing is self.hidden:
            return
        self.middle.setCurrentWidget(self._drawing)
        self.area.show_middle()
        self.graph.view.set_mode(mode)
        self.graph.view.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # showing

    def _show(self) -> None:
        reading, at = self._reading, self._selection
        if reading is None or self._is_showing:
            return
        self._is_showing = True
        try:
            said = reading.assessment
            self.transcript.show_case(
                reading.case,
                task=at.task,
                findings=said.findings,
                coverage=showing.coverage_of(said),
                waivers=said.snapshot.judgment.waivers,
                sources=showing.sources_of(said, at),
                comments=self._discussed,
            )
            self._show_graph(reading, at)
            self.labels.show_task(reading, at.task)
            self.comments.show_place(at)
        finally:
            self._is_showing = False

    def _show_graph(self, reading: Reading, at: Selection) -> None:
        task = reading.case.tasks[at.task]
        if task is not self._drawn:
            if self.middle.currentWidget() is not self.comparison:
                self.middle.setCurrentWidget(self._drawing)
            self._drawn = task
            self.graph.view.say("")
            self.graph.menu.file_name = f"{reading.case.id}-task-{at.task + 1}"
            self.graph.show_task(
                task,
                marks=showing.marks_of(reading.assessment, at.task),
                redundant=tuple(edge.pair for edge in redundant_edges(task)),
                labels=showing.edge_labels_of(reading.assessment, at.task),
            )
        self.graph.view.select_step(at.step)

    @property
    def _drawing(self) -> QWidget:
        """The graph, or the reason why there is none to see."""
        if self._reading is None or not self._reading.read.row.is_blind:
            return self.graph
        return self.graph if self._reading.case.tasks[self._selection.task].drawn_edges else self.hidden

    def _show_evidence(self, reading: Reading) -> None:
        lines = reading.assessment.evidence
        self.evidence.show_lines(self._model, lines)
        words = "No call of this case has an argument."
        if reading.assessment.is_awaited:
            words = "The checks of this long case still run."
        if reading.read.row.is_blind:
            words = "What its owner cited is hidden from you for now."
        self._nothing.set_words("No evidence", words)
        self.sources.setCurrentWidget(self.evidence if lines else self._nothing)
        self.tabs.setTabText(self.tabs.indexOf(self.sources), showing.evidence_words(reading.assessment))

    def _show_comparison(self, compared: Comparison) -> None:
        """Lay the drawings of two revisions over each other where those of the selected task differ."""
        found = compared.drawing_of(self._selection.task)
        if self.tabs.currentWidget() is not self.history or found is None:
            self.middle.setCurrentWidget(self._drawing)
            return
        self.comparison.show_drawings(found.task, found.before, found.after, names=compared.names)
        self.comparison.header.set_title(f"Task {found.number + 1}")
        self.middle.setCurrentWidget(self.comparison)
        self.comparison.view.fit()

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Show a place without taking what the columns say for a wish, and leave the focus where it is."""
        self._is_showing = True
        try:
            with self.area.focus_kept():
                yield
        finally:
            self._is_showing = False

    # what people do in the columns

    def _connect(self) -> None:
        view = self.transcript.view
        view.step_selected.connect(self._select_card)
        view.task_opened.connect(self._open_task)
        view.value_clicked.connect(self._show_value)
        self.graph.view.step_selected.connect(self._select_node)
        self.evidence.selectionModel().currentRowChanged.connect(self._follow_value)
        self.evidence.source_wanted.connect(self._show_source)
        self.evidence.doubleClicked.connect(self._show_source)
        self.history.compared.connect(self._show_comparison)
        self.tabs.currentChanged.connect(self._follow_tab)
        self.comments.counted.connect(self._show_threads)
        self.comments.place_wanted.connect(self._go_to_comment)

    def _select(self, selection: Selection) -> None:
        if selection != self._selection:
            self._selection = selection
            self._show()

    def _select_card(self, task: int, step: int) -> None:
        if not self._is_showing:
            self._select(Selection(task, step if step >= 0 else None))

    def _open_task(self, task: int) -> None:
        if not self._is_showing:
            self._select(Selection(task))

    def _select_node(self, step: int) -> None:
        if not self._is_showing:
            self.go_to(self._selection.task, step if step >= 0 else None)

    def _show_value(self, task: int, step: int, path: str) -> None:
        self._select(Selection(task, step, path))
        for row in range(self._model.rowCount()):
            line = self._model.line(row)
            if line is not None and line.place == (task, step, path):
                self.tabs.setCurrentWidget(self.sources)
                self.evidence.setCurrentIndex(self._model.index(row, Column.ARGUMENT))

    def _follow_value(self, current: QModelIndex, _: QModelIndex) -> None:
        line = self._model.line(current.row())
        if line is not None and not self._is_showing and line.place != self._place:
            self.go_to(*line.place)

    @property
    def _place(self) -> tuple[int, int | None, str | None]:
        return self._selection.task, self._selection.step, self._selection.path

    def _show_source(self) -> None:
        line = self._model.line(self.evidence.currentIndex().row())
        source = line.citation.source if line is not None and line.citation is not None else None
        if line is None or self._reading is None or not isinstance(source, DialogueSource):
            return
        if source.text not in ("now", "system"):
            task, step, field = showing.field_of(source, self._reading.case, task=line.task)
            self.transcript.view.reveal(task, step, field=field, path=source.path or "", span=source.span)

    def _follow_tab(self) -> None:
        if self.tabs.currentWidget() is self.history:
            self.history.compare_again()
        elif self.middle.currentWidget() is self.comparison:
            self.middle.setCurrentWidget(self._drawing)

    def _show_threads(self, threads: Sequence[Thread]) -> None:
        name = f"Comments {len(threads)}" if threads else "Comments"
        self.tabs.setTabText(self.tabs.indexOf(self.comments), name)
        discussed = Counter(card_of(thread.first.where) for thread in threads)
        if discussed != self._discussed:
            self._discussed = discussed
            self._show()

    def _go_to_comment(self, where: str) -> None:
        target = target_of(where)
        if target is not None:
            self.go_to(*target)

    def _inside(self, shown: QWidget) -> QWidget:
        """What takes the keys in a column or a tab."""
        return {
            self.transcript: self.transcript.view,
            self.graph: self.graph.view,
            self.sources: self.evidence,
            self.history: self.history.timeline,
            self.comments: self.comments.field,
        }.get(shown, shown)


def _is_in(at: Selection, reading: Reading) -> bool:
    tasks = reading.case.tasks
    return at.task < len(tasks) and (at.step is None or at.step < len(tasks[at.task].steps))


def _tabs(*named: tuple[QWidget, str]) -> QTabWidget:
    tabs = QTabWidget()
    tabs.setObjectName("reading-tabs")
    tabs.setDocumentMode(True)
    tabs.tabBar().setDrawBase(False)
    tabs.tabBar().setFocusPolicy(Qt.FocusPolicy.NoFocus)
    tabs.tabBar().setUsesScrollButtons(False)
    for tab, name in named:
        tabs.addTab(tab, name)
    return tabs
