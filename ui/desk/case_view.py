"""A case in two panels, its dialogue and the dependencies of the selected task, to edit or only to read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from pydantic import JsonValue
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget

from scoring.model.labels import DialogueSource
from ui.desk import case_actions, panel_content
from ui.desk.document import CaseDocument, Selection
from ui.desk.panel_content import CaseContent, content_of
from ui.dialogue.arguments.model import JsonProblem
from ui.dialogue.content import ActionRequest, Edit
from ui.dialogue.panel import DialoguePanel
from ui.dialogue.view import NO_COMMENTS
from ui.graph.canvas_content import CanvasContent, Pair, Suggestion
from ui.graph.panel import GraphPanel


class CaseView(QObject):
    """Shows a document in a dialogue and a graph, and turns what people do there into edits of it.

    A page lays the two panels where it wants them, and shows what else it has when `refreshed` is emitted.

    Args:
        parent: The widget the panels belong to.
        is_read_only: Whether the case is only read.
    """

    refreshed = Signal()
    """Both panels show the document as it is now."""
    asked = Signal(object)
    """An `ActionRequest` of a card that is no edit of the case."""

    def __init__(self, parent: QWidget, *, is_read_only: bool = False) -> None:
        super().__init__(parent)
        self._content: Callable[[CaseDocument], CaseContent] = content_of
        self._document: CaseDocument | None = None
        self._drawing: CanvasContent | None = None
        self._is_showing = False
        self.comments: Mapping[tuple[int, int], int] = NO_COMMENTS
        """By task and step, how many conversations are open."""
        self.focus_places: tuple[QWidget, ...] = ()
        """Widgets whose focus stays where it is when a place of the case is shown."""
        self.dialogue = DialoguePanel(check=self._check_json)
        self.dialogue.view.set_read_only(on=is_read_only)
        self.graph = GraphPanel()
        view, graph = self.dialogue.view, self.graph.view
        view.step_selected.connect(self._select_card)
        view.task_opened.connect(self._open_task)
        graph.step_selected.connect(self.select_node)
        if is_read_only:
            self.graph.set_read_only()
            return
        view.edited.connect(self._edit)
        view.action_requested.connect(self._act)
        graph.step_activated.connect(self._open_node)
        graph.edge_requested.connect(self._draw)
        graph.edges_removed.connect(self._remove)
        graph.kinds_toggled.connect(self._toggle_kinds)
        graph.suggestion_accepted.connect(self._accept_one)
        self.graph.suggestions_accepted.connect(self._accept_all)

    @property
    def document(self) -> CaseDocument | None:
        """The document that is shown."""
        return self._document

    def set_document(
        self, document: CaseDocument, *, content: Callable[[CaseDocument], CaseContent] = content_of
    ) -> None:
        """Take another document; `refresh` shows it. The one before must not be changed any more.

        Args:
            document: The document.
            content: What is shown of it.
        """
        self._document, self._content = document, content
        document.assessed.connect(self.refresh)
        document.selection_changed.connect(self._follow)
        # Later, when the stack is through: opening an editor may end another one, which is an edit.
        document.typed_again.connect(self.dialogue.view.type_again, Qt.ConnectionType.QueuedConnection)

    def refresh(self) -> None:
        """Show the document as it is now."""
        document = self._document
        if document is None or self._is_showing:
            return
        self._is_showing = True
        try:
            content = self._content(document)
            self.dialogue.show_case(
                content.case,
                task=document.selection.task,
                findings=content.findings,
                coverage=content.coverage,
                waivers=content.waivers,
                sources=content.sources,
                comments=self.comments,
                finished=content.finished,
            )
            self._show_drawing(content.drawing, document)
            self.refreshed.emit()
        finally:
            self._is_showing = False

    def go_to(self, task: int, step: int | None, path: str | None = None) -> None:
        """Go to a place of the case and show it in both panels."""
        if self._document is not None:
            self._document.select(task, step, path=path)
            self.show_card(task, step)
            if step is not None and path:
                with self._quietly():
                    self.dialogue.view.reveal(task, step, field="arguments", path=path)

    def show_card(self, task: int, step: int | None) -> None:
        """Bring a card into sight; without a step the request of the task."""
        with self._quietly():
            self.dialogue.view.select(task, -1 if step is None else step)

    def show_source(self, task: int, source: DialogueSource) -> None:
        """Show the place a value comes from."""
        document = self._document
        if document is None or source.text in ("now", "system"):
            return
        at, step, field = panel_content.field_of(source, document.case, task=task)
        self.dialogue.view.reveal(at, step, field=field, path=source.path or "", span=source.span)

    def select_node(self, step: int) -> None:
        """Go to a step of the selected task; -1 is none."""
        if self._document is not None and not self._is_showing:
            self._document.select(self._document.selection.task, step if step >= 0 else None)

    # document -> panels

    def _show_drawing(self, drawing: CanvasContent, document: CaseDocument) -> None:
        if drawing != self._drawing:
            self._drawing = drawing
            self.graph.view.say("")
            self.graph.menu.file_name = f"{document.case.id}-task-{document.selection.task + 1}"
            self.graph.show_content(drawing)
        self.graph.view.select_step(document.selection.step)

    def _follow(self, selection: Selection) -> None:
        self.refresh()
        current = self.dialogue.view.current
        step = -1 if selection.step is None else selection.step
        is_request = selection.step is None and current is not None and current[1] < 0
        if current != (selection.task, step) and not (
            is_request and current and current[0] == selection.task
        ):
            self.show_card(selection.task, selection.step)

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Show something without taking what the panels say for a wish, and leave the focus where it is."""
        self._is_showing = True
        focus = QApplication.focusWidget()
        try:
            yield
            if focus is not None and any(place.isAncestorOf(focus) for place in self.focus_places):
                focus.setFocus(Qt.FocusReason.OtherFocusReason)
        finally:
            self._is_showing = False

    # panels -> document

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
        if self._document is None:
            return
        if request.name == "settle" and request.finding is not None:
            case_actions.settle(self._document, request.finding)
        else:
            self.asked.emit(request)

    def _open_node(self, step: int) -> None:
        if self._document is not None:
            self.dialogue.view.begin_edit(self._document.selection.task, step)

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

    def _check_json(self, task: int, step: int, field: str, value: JsonValue) -> tuple[JsonProblem, ...]:
        if self._document is None or field != "arguments" or not isinstance(value, dict):
            return ()
        return panel_content.argument_problems(self._document.case, task, step=step, arguments=value)
