"""A case in two panels, its dialogue and the dependencies of the selected task, to edit or only to read."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from pydantic import JsonValue
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget

from annotator.cases.findings.argument_checks import violations_of
from annotator.cases.pointers import keys_of
from annotator.drafts.assessment import Assessment, EvidenceLine, EvidenceState
from annotator.drafts.checklists import next_open
from annotator.drafts.shown import stated_values
from scoring.groups import grouped
from scoring.model.case import Call, Case
from scoring.model.graph import redundant_edges
from scoring.model.labels import DialogueSource
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Severity
from scoring.texts import tr, with_commas
from ui.desk import case_actions
from ui.desk.document import CaseDocument, Selection
from ui.dialogue.arguments.model import JsonProblem
from ui.dialogue.content import NO_CARD_NOTES, ActionRequest, CardNotes, EvidenceCoverage
from ui.dialogue.panel import DialoguePanel
from ui.dialogue.places import SpanPick
from ui.graph.canvas_content import CanvasContent, Mark, MarkKind, Pair
from ui.graph.panel import GraphPanel
from ui.services.operations import Operations
from ui.theme.layouts import connect

_MANY = 1000


@dataclass(frozen=True)
class CaseContent:
    """What the two panels show: a case with what is said at its cards, and the drawing of a task.

    `finished` are the tasks in which nothing is left to settle.
    """

    case: Case
    drawing: CanvasContent
    notes: CardNotes = NO_CARD_NOTES
    finished: Collection[int] = ()


def content_of(document: CaseDocument) -> CaseContent:
    """Everything a program says about the case of a document."""
    assessment, task = document.assessment, document.selection.task
    return CaseContent(
        document.case,
        CanvasContent(
            document.case.tasks[task],
            assessment.suggestions[task],
            marks_of(assessment, task),
            tuple(edge.pair for edge in redundant_edges(document.case.tasks[task])),
            edge_labels_of(assessment, task),
            document.judgment.tasks[task].drawn is not False,
            frozenset(edge.pair for edge in document.own_edges(document.case, task)),
        ),
        notes=CardNotes(
            findings=assessment.findings,
            # Nobody asks a blind reviewer where values come from.
            coverage={} if document.is_blind else coverage_of(assessment),
            waivers=document.judgment.waivers,
            sources=sources_of(assessment, document.selection),
        ),
        finished=() if document.is_read_only else finished_tasks(assessment),
    )


def coverage_of(assessment: Assessment) -> dict[tuple[int, int], EvidenceCoverage]:
    """How much of each call is settled, by task and step."""
    return {
        place: EvidenceCoverage(
            cited=sum(line.is_settled and line.state is not EvidenceState.FOUND for line in found),
            total=len(found),
            found=sum(line.state is EvidenceState.FOUND for line in found),
            paths=tuple(line.path for line in found if line.is_settled),
        )
        for place, found in grouped(((line.task, line.step), line) for line in assessment.evidence).items()
    }


def evidence_words(assessment: Assessment) -> str:
    """The name of the tab with the argument values: how many are settled, in percent where they are many."""
    settled, total = assessment.settled_count, len(assessment.evidence)
    if not total:
        return tr("Evidence")
    share = f"{100 * settled // total} %" if total >= _MANY else f"{settled}/{total}"
    return tr("Evidence {share}", share=share)


def sources_of(assessment: Assessment, selection: Selection) -> tuple[DialogueSource, ...]:
    """The places the selected value, or every value of the selected step, comes from.

    While the facts of the task are to be confirmed, also those its answer states.
    """
    task, dialogue = selection.task, assessment.dialogue
    item = next_open(assessment.items, assessment.snapshot.judgment, task=task)
    is_comparing = item is not None and item.id == "facts"
    stated = stated_values(dialogue, task) if is_comparing and dialogue is not None else ()
    if selection.step is None:
        return stated
    return stated + tuple(
        line.citation.source.model_copy(
            update={"task": line.task if line.citation.source.task is None else line.citation.source.task}
        )
        for line in assessment.lines_of(selection.task, selection.step)
        if line.citation is not None
        and isinstance(line.citation.source, DialogueSource)
        and selection.path in (None, line.path)
    )


def marks_of(assessment: Assessment, task: int) -> dict[int, Mark]:
    """Steps of a task something is wrong with."""
    return {
        finding.step: Mark(MarkKind.PROBLEM)
        for finding in assessment.open_findings()
        if finding.task == task and finding.step is not None and finding.severity is not Severity.INFO
    }


def edge_labels_of(assessment: Assessment, task: int) -> Mapping[Pair, str]:
    """Names of the arguments whose values flow along each pair of steps."""
    cited = ((line.citation.source, line) for line in assessment.lines_of(task) if line.citation is not None)
    names = grouped(
        ((source.step, line.step), keys_of(line.path)[0])
        for source, line in cited
        if isinstance(source, DialogueSource) and source.step is not None and source.task in (None, task)
    )
    return {pair: with_commas(dict.fromkeys(found)) for pair, found in names.items()}


def argument_problems(case: Case, task: int, *, step: int, arguments: JsonObject) -> tuple[JsonProblem, ...]:
    """What is wrong with the arguments of a call while they are typed."""
    found = case.tasks[task].steps[step] if step < len(case.tasks[task].steps) else None
    tool = case.tool(found.name) if isinstance(found, Call) else None
    if tool is None:
        return ()
    return tuple(
        JsonProblem(message=tr(violation.message), path=violation.path)
        for violation in violations_of(tool, Call(name=tool.name, arguments=arguments))
    )


def field_of(source: DialogueSource, case: Case, *, task: int) -> tuple[int, int, str]:
    """The card and field a source stands in, as (task, step, field); -1 is the card of the request."""
    at = source.task if source.task is not None else task
    if source.step is None:
        return at, -1, "user"
    if isinstance(case.tasks[at].steps[source.step], Call):
        return at, source.step, "observation"
    return at, source.step, "reply" if source.text == "reply" else "text"


def picked_source(assessment: Assessment, pick: SpanPick) -> DialogueSource | None:
    """The source a place selected in the dialogue stands for.

    A place in the arguments of a call stands for the source of that argument.

    Args:
        assessment: What is said about the case.
        pick: What was selected.

    Returns:
        None where a value cannot come from there.
    """
    if pick.field != "arguments" or pick.step is None:
        return pick.source
    places = (
        source.model_copy(update={"task": pick.task if source.task is None else source.task})
        for line in assessment.lines_of(pick.task, pick.step)
        if line.path == pick.path and line.citation is not None
        if isinstance(source := line.citation.source, DialogueSource)
    )
    return next(places, None)


def linked_places(assessment: Assessment, at: SpanPick) -> tuple[SpanPick, ...]:
    """Where the argument value at a place comes from, or the argument values that come from there."""
    case, found = assessment.snapshot.case, list[SpanPick]()
    for line in assessment.evidence:
        source = line.citation.source if line.citation is not None else None
        if not isinstance(source, DialogueSource) or source.text in ("now", "system"):
            continue
        task, step, field = field_of(source, case, task=line.task)
        origin = SpanPick(
            task=task,
            step=None if step < 0 else step,
            field=field,
            path=source.path,
            span=source.span,
            words="",
        )
        value = SpanPick(task=line.task, step=line.step, field="arguments", path=line.path, words="")
        if at.lies_in(value):
            found.append(origin)
        elif at.lies_in(origin):
            found.append(value)
    return tuple(found)


def finished_tasks(assessment: Assessment) -> frozenset[int]:
    """The tasks in which nothing stands against a submission."""
    unsettled = {blocker.task for blocker in assessment.blockers}
    return frozenset(range(len(assessment.snapshot.case.tasks))) - unsettled


def search_start(line: EvidenceLine, case: Case) -> tuple[int, int | None]:
    """The card from which the source of a value is looked for, as task and step; None for the request.

    It is the one its proposal names, else the one before the call; the value may come from either.
    """
    source = line.citation.source if line.citation is not None else None
    if isinstance(source, DialogueSource) and source.text not in ("now", "system"):
        task, step, _ = field_of(source, case, task=line.task)
    else:
        task, step = line.task, line.step - 1
    return task, None if step < 0 else step


class CaseView(QObject):
    """Shows a document in a dialogue and a graph, and turns what people do there into edits of it.

    A page lays the two panels where it wants them, and shows what else it has when `refreshed` is emitted.

    Args:
        parent: The widget the panels belong to.
        operations: The way to the project.
        is_read_only: Whether the case is only read.
    """

    refreshed = Signal()
    """Both panels show the document as it is now."""
    asked = Signal(object)
    """An `ActionRequest` of a card that is no edit of the case."""

    def __init__(self, parent: QWidget, operations: Operations, *, is_read_only: bool = False) -> None:
        super().__init__(parent)
        self._content: Callable[[CaseDocument], CaseContent] = content_of
        self.document: CaseDocument | None = None
        """What is shown; None where nothing is, or nothing any more."""
        self._drawing: CanvasContent | None = None
        self._is_showing = False
        self.comments: Mapping[tuple[int, int], int] = {}
        """By task and step, how many comments are unresolved."""
        self.focus_places: tuple[QWidget, ...] = ()
        """Widgets whose focus stays where it is when a place of the case is shown."""
        self.dialogue = DialoguePanel(check=self._check_json)
        self.dialogue.view.set_read_only(on=is_read_only)
        self.graph = GraphPanel(operations)
        view, graph = self.dialogue.view, self.graph.view
        connect(
            (view.step_selected, self._select),
            (view.task_opened, self._select),
            (view.pointed, self._show_links),
            (graph.step_selected, self.select_node),
        )
        if is_read_only:
            self.graph.set_read_only()
            return
        connect(
            (view.edited, partial(self._do, case_actions.apply_edit)),
            (view.action_requested, self._act),
            (graph.step_activated, self._open_node),
            (graph.edge_requested, partial(self._do, case_actions.draw_edge)),
            (graph.edges_removed, partial(self._do, case_actions.remove_edges)),
            (graph.kinds_toggled, partial(self._do, case_actions.toggle_kinds)),
            (graph.suggestion_accepted, lambda one: self._do(case_actions.accept_suggestions, (one,))),
            (self.graph.suggestions_accepted, partial(self._do, case_actions.accept_suggestions)),
        )

    def set_document(
        self, document: CaseDocument, *, content: Callable[[CaseDocument], CaseContent] = content_of
    ) -> None:
        """Take another document; `refresh` shows it. The one before must not be changed any more.

        Args:
            document: The document.
            content: What is shown of it.
        """
        self.document, self._content = document, content
        connect(
            (document.assessed, self.refresh),
            (document.selection_changed, self._follow),
        )
        # Later, when the stack is through: opening an editor may end another one, which is an edit.
        document.typed_again.connect(self.dialogue.view.type_again, Qt.ConnectionType.QueuedConnection)

    def refresh(self) -> None:
        """Show the document as it is now."""
        document = self.document
        if document is None or self._is_showing:
            return
        self._is_showing = True
        try:
            content = self._content(document)
            self.dialogue.show_case(
                content.case,
                task=document.selection.task,
                notes=replace(content.notes, comments=self.comments),
                finished=content.finished,
            )
            self._show_drawing(content.drawing, document)
            self.refreshed.emit()
        finally:
            self._is_showing = False

    def go_to(self, task: int, step: int | None, path: str | None = None) -> None:
        """Go to a place of the case and show it in both panels."""
        if self.document is not None:
            self.document.select(task, step, path=path)
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
        document = self.document
        if document is None or source.text in ("now", "system"):
            return
        at, step, field = field_of(source, document.case, task=task)
        self.dialogue.view.reveal(at, step, field=field, path=source.path or "", span=source.span)

    def select_node(self, step: int) -> None:
        """Go to a step of the selected task; -1 is none."""
        if self.document is not None:
            self._select(self.document.selection.task, step)

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

    def _do(self, action: Callable[..., object], *details: object) -> None:
        """Do to the document what the panels ask for."""
        if self.document is not None:
            action(self.document, *details)

    def _show_links(self, at: SpanPick | None) -> None:
        document = self.document
        self.dialogue.view.show_links(linked_places(document.assessment, at) if at and document else ())

    def _select(self, task: int, step: int = -1) -> None:
        """Go where the person went in a panel; what a panel shows is no wish."""
        if not self._is_showing:
            self._do(CaseDocument.select, task, step if step >= 0 else None)

    def _act(self, request: ActionRequest) -> None:
        if request.name == "settle" and request.finding is not None:
            self._do(case_actions.settle, request.finding)
        else:
            self.asked.emit(request)

    def _open_node(self, step: int) -> None:
        if self.document is not None:
            self.dialogue.view.begin_edit(self.document.selection.task, step)

    def _check_json(self, task: int, step: int, field: str, value: JsonValue) -> tuple[JsonProblem, ...]:
        if self.document is None or field != "arguments" or not isinstance(value, dict):
            return ()
        return argument_problems(self.document.case, task, step=step, arguments=value)
