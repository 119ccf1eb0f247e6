"""The pages of an open project, and the ways from one to another and to a case."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from scoring.errors import AnnotatorError
from scoring.model.taxonomy import Stage
from ui.shell.page_state import PageStates
from ui.shell.pages import (
    READING,
    Generates,
    ListsCases,
    OpensAssignments,
    OpensCases,
    PageContext,
    PageKind,
    ReadsCases,
    RequestsReading,
    SendsBack,
    WantsCases,
    WantsGeneration,
)
from ui.shell.rail import Rail

if TYPE_CHECKING:
    from annotator.review.queue.claims import AssignmentRow

_HOME = "queue"
_EXPERT_STAGES = (Stage.ESCALATED, Stage.EXPERT)


class Navigation(QObject):
    """Makes pages when they are first shown, and brings people to them.

    Args:
        kinds: The pages of the rail by their ids.
        context: What every page is made with.
        stack: Holds the pages.
        rail: Marks which one is shown.
        states: Shows what the shown page says of itself.
    """

    told = Signal(str)
    """A sentence for the footer."""

    def __init__(
        self,
        kinds: Mapping[str, PageKind],
        context: PageContext,
        *,
        stack: QStackedWidget,
        rail: Rail,
        states: PageStates,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._kinds = kinds
        self._context = context
        self._stack = stack
        self._rail = rail
        self._states = states
        self._pages: dict[str, QWidget] = {}
        self._wanted_from = ("", _HOME)
        self._read_from = _HOME

    @property
    def are_shown(self) -> bool:
        """Whether a page of the project is on the screen."""
        return self._stack.currentWidget() in self.open_pages()

    def open_pages(self) -> tuple[QWidget, ...]:
        """The pages that were made so far."""
        return tuple(self._pages.values())

    def drop(self) -> None:
        """Let go of all pages, since another project or person comes."""
        for page in self._pages.values():
            self._context.commands.drop(page)
            self._stack.removeWidget(page)
            page.deleteLater()
        self._pages = {}
        self._states.forget()

    def show_page(self, page_id: str) -> QWidget:
        """Show a page of the rail, and make it if it was never shown.

        Raises:
            KeyError: There is no such page.
        """
        page = self._pages.get(page_id) or self._make(page_id)
        self._stack.setCurrentWidget(page)
        if page_id in self._kinds:
            self._rail.mark(page_id)
        page.setFocus()
        self._states.show_page(page)
        return page

    def go_to(self, page_id: str) -> None:
        """Show a page of the rail; nothing outside a project."""
        if self.are_shown:
            self.show_page(page_id)

    def open_assignment(self, assignment: "AssignmentRow") -> None:
        """Show a slot the person holds on the page for its stage."""
        if assignment.stage in _EXPERT_STAGES:
            self.decide_case(assignment.case_id)
            return
        page = self.show_page("workbench")
        assert isinstance(page, OpensAssignments)
        page.open_assignment(assignment.id)

    def decide_case(self, case_id: str) -> None:
        """Show a case to be decided on the Adjudication page."""
        page = self.show_page("adjudication")
        assert isinstance(page, OpensCases)
        page.open_case(case_id)

    def open_case(self, case_id: str) -> None:
        """Open a case, or have it read where the person cannot work on it."""
        self._wanted_from = (case_id, self._shown_id())
        self._queue().open_case_of_list(case_id)

    def read_case(self, case_id: str, refused: AnnotatorError) -> None:
        """Show a case the person cannot work on, in the place of the page it was wanted on."""
        wanted, place = self._wanted_from
        self._read_from = place if wanted == case_id else _HOME
        self._wanted_from = ("", _HOME)
        page = self.show_page(READING.id)
        assert isinstance(page, ReadsCases)
        self._rail.mark(self._read_from)
        page.read(case_id, refused)

    def generate_missing(self) -> None:
        """Ask on the Generate page for a run that fills what the coverage lacks."""
        page = self.show_page("generate")
        assert isinstance(page, Generates)
        page.ask_missing()

    def show_owner(self, name: str) -> None:
        """Show the cases of a person in the queue."""
        self._queue().show_owner(name)

    def _make(self, page_id: str) -> QWidget:
        page = (READING if page_id == READING.id else self._kinds[page_id]).make(self._context)
        self._pages[page_id] = page
        self._stack.addWidget(page)
        if isinstance(page, ListsCases):
            page.open_requested.connect(self.open_assignment)
            page.case_requested.connect(self.decide_case)
        if isinstance(page, WantsCases):
            page.case_wanted.connect(self.open_case)
        if isinstance(page, WantsGeneration):
            page.generation_wanted.connect(self.generate_missing)
        if isinstance(page, RequestsReading):
            page.reading_requested.connect(self.read_case)
        if isinstance(page, ReadsCases):
            page.left.connect(self._stop_reading)
            page.next_wanted.connect(self._claim_next)
        if isinstance(page, SendsBack):
            page.finished.connect(self._go_home)
        self._states.watch(page)
        return page

    def _queue(self) -> ListsCases:
        page = self.show_page(_HOME)
        assert isinstance(page, ListsCases)
        return page

    def _go_home(self, words: str) -> None:
        self.show_page(_HOME)
        self.told.emit(words)

    def _stop_reading(self) -> None:
        self.show_page(self._read_from)

    def _claim_next(self) -> None:
        self._queue().claim_next()

    def _shown_id(self) -> str:
        """The page of the rail that is shown, or in whose place a case is read."""
        shown = self._stack.currentWidget()
        found = next((page_id for page_id, page in self._pages.items() if page is shown), _HOME)
        return self._read_from if found == READING.id else found
