"""The failed tasks of a run: their list, and one of them with what was due, what was done, and its case."""

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import (
    QFrame,
    QTabWidget,
    QWidget,
)

from annotator.drafts.snapshot import Snapshot
from annotator.project.policy import ReviewPolicy
from scoring.matching.task_scores import TaskScore
from scoring.model.case import Case, Task
from scoring.model.labels import Judgment, labels_of
from scoring.model.taxonomy import ActionDetail, Stage
from scoring.scorecard import Scorecard
from scoring.texts import in_language, tr
from ui.desk.case_view import CaseContent, CaseView
from ui.desk.document import CaseDocument
from ui.dialogue.block import TextBlock
from ui.dialogue.documents import json_document, plain_document
from ui.dialogue.json_text import write_json
from ui.graph.canvas_content import CanvasContent
from ui.runs.failure_explanation import FailureExplanation, StepLine
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.theme import (
    ButtonKind,
    Chip,
    ElidedLabel,
    EmptyState,
    Hint,
    HintAction,
    PanelHeader,
    SectionLabel,
    TextLabel,
    Tone,
    theme,
)
from ui.theme.buttons import ToolButton
from ui.theme.cells import Cell
from ui.theme.layouts import (
    STRETCH,
    build,
    column,
    fill,
    hbox,
    lay,
    scrolled,
    split,
    stacked,
    vbox,
)
from ui.theme.tables import Column
from ui.theme.words import LOADING, POLICY_SHORT

ALL = ""
OUTSIDE = "outside"
"""Kind of a failure that is not the model's."""

COLUMNS: tuple[Column[TaskScore], ...] = (
    Column(tr("Case"), cell=lambda one: Cell(one.case, is_mono=True)),
    Column(tr("Task"), 48, lambda one: Cell(f"{one.task + 1}", one.task), is_figure=True),
    Column(
        tr("Policy"), 72, lambda one: Cell(POLICY_SHORT[one.policy] if one.policy else "–", colour="muted")
    ),
    Column(
        tr("Error"),
        168,
        lambda one: Cell(kind_words(one), tip=in_language(one.detail or ""), chip=kind_tone(one)),
    ),
)


def failed_tasks(card: Scorecard, kind: str = ALL) -> tuple[TaskScore, ...]:
    """The wrong tasks of a run in the order of the cases, or those of one error class."""
    return tuple(task for task in card.tasks if not task.is_correct and kind in (ALL, kind_of(task)))


def kind_of(task: TaskScore) -> str:
    """The error class of a wrong task, `OUTSIDE` where the failure is not the model's."""
    return task.error.value if task.error else OUTSIDE


def kind_words(task: TaskScore) -> str:
    """The error class as it is shown."""
    if task.action_detail is ActionDetail.NO_PREDICTION:
        return tr("No prediction")
    return tr(task.error.value) if task.error else tr("Outside the model")


def kind_tone(task: TaskScore) -> Tone:
    """The tone of an error class: the model's own are errors, the others are not."""
    return Tone.ERROR if task.error else Tone.NEUTRAL


CHOOSE_PREDICTIONS = HintAction("predictions", tr("Choose the predictions…"))
CHOOSE_CASES = HintAction("cases", tr("Choose the cases…"))
_LONGEST_REQUEST = 400


@dataclass(frozen=True)
class Note:
    """What is missing, and what settles it: a box above everything."""

    title: str
    text: str
    actions: tuple[HintAction, ...] = ()
    tone: Tone = Tone.ACCENT


@dataclass(frozen=True)
class _Shown:
    score: TaskScore
    failure: FailureExplanation | None
    case: Case | None
    notes: tuple[Note, ...]


class FailureView(QFrame):
    """Shows one failed task and offers the next; it reads nothing itself."""

    asked = Signal(str)
    """Name of the hint's action that was chosen."""

    def __init__(self, operations: Operations, commands: Commands, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="failure")
        self._case = ElidedLabel(
            "", "mono-strong", mode=Qt.TextElideMode.ElideMiddle, objectName="failure-case"
        )
        self._head = ElidedLabel("", "small-muted", objectName="failure-head")
        self._kind = Chip(objectName="failure-kind")
        self._place = TextLabel("", "small-muted", objectName="failure-place")
        buttons = (
            commands.button(command, words, name=name, kind=ButtonKind.GHOST)
            for command, words, name in (
                ("runs.failure_before", tr("Previous"), "failure-before"),
                ("runs.failure_next", tr("Next"), "failure-next"),
                ("runs.open_case", tr("Open"), "failure-open"),
            )
        )
        runs = ToolButton("columns", tr("What every run did with the task"), objectName="failure-runs")
        commands.bind(runs, "runs.task")
        about = self._case, self._head, STRETCH, self._kind, self._place
        self._header = PanelHeader("", *about, *buttons, runs)
        self._build_body(operations)
        self._shown: _Shown | None = None
        self.show_nothing(LOADING, "")

    def _build_body(self, operations: Operations) -> None:
        self._column = vbox(gap=6, margins=12)
        area = scrolled(
            column(self._column),
            objectName="failure-text",
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
        )
        self.case_view = CaseView(self, operations, is_read_only=True)
        self._tabs = build(QTabWidget, objectName="failure-tabs", documentMode=True)
        self._tabs.tabBar().setDrawBase(False)
        self._tabs.addTab(self.case_view.graph, tr("Graph"))
        self._tabs.addTab(self.case_view.dialogue, tr("Dialogue"))
        self.empty = EmptyState("list-bullets", "", "")
        self._stack = stacked(split(Qt.Orientation.Horizontal, (area, 460), (self._tabs, 420)), self.empty)
        vbox(self._header, (self._stack, 1), within=self)

    def show_nothing(self, title: str, text: str) -> None:
        """Say that there is no failure to show, and what to do."""
        self._shown = None
        for label in (self._case, self._head, self._place):
            label.setText("")
        self._kind.hide()
        self.empty.set_words(title, text)
        self._stack.setCurrentIndex(1)

    def show_waiting(self, score: TaskScore, *, place: str) -> None:
        """Name a failure whose case is still being read."""
        self.show_nothing(LOADING, "")
        self._name(score, place)
        self._head.setText(tr("task {task}", task=score.task + 1))

    def show_failure(
        self,
        score: TaskScore,
        failure: FailureExplanation,
        case: Case,
        *,
        place: str,
        notes: tuple[Note, ...] = (),
    ) -> None:
        """Show a failure.

        Args:
            score: The task's line of the scorecard.
            failure: What is to be said.
            case: The gold case.
            place: Which failure of how many, e.g. `2 of 36`.
            notes: What is missing.
        """
        self._name(score, place)
        self._head.setText(tr("task {task} · {head}", task=score.task + 1, head=failure.head))
        self._fill(_Shown(score, failure, case, notes))
        self._show_case(case, score.task, failure)

    def show_only_words(self, score: TaskScore, note: Note, *, place: str) -> None:
        """Show what the scorecard alone says, with a note on what is missing."""
        self._name(score, place)
        self._head.setText(tr("task {task}", task=score.task + 1))
        self._fill(_Shown(score, None, None, (note,)))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and self._shown is not None:
            self._fill(self._shown)

    def _name(self, score: TaskScore, place: str) -> None:
        self._case.setText(score.case)
        self._kind.show()
        self._kind.set_chip(kind_words(score), kind_tone(score))
        self._place.setText(place)

    def _fill(self, shown: _Shown) -> None:
        self._shown = shown
        hints = (
            Hint(
                note.title,
                note.text,
                note.tone,
                actions=note.actions,
                objectName="failure-note",
                acted=self.asked.emit,
            )
            for note in shown.notes
        )
        fill(self._column, hints)
        if shown.case is not None and shown.failure is not None:
            self._add_request(shown.case.tasks[shown.score.task])
            self._add_failure(shown.failure)
        else:
            self._add_words(
                tr("What the scorecard says"),
                in_language(shown.score.detail or "") or tr("Nothing more is recorded."),
            )
        self._tabs.setVisible(shown.case is not None)
        self._column.addStretch(1)
        self._stack.setCurrentIndex(0)

    def _show_case(self, case: Case, task: int, failure: FailureExplanation) -> None:
        """Show the case to read, at the first step the failure says something about."""
        judgment = Judgment(tasks=labels_of(case))
        before = self.case_view.document
        document = CaseDocument(
            case,
            judgment,
            stage=Stage.FINAL,
            policy=ReviewPolicy(),
            draft=Snapshot(case, judgment),
            is_read_only=True,
            parent=self,
        )
        step = min(failure.marks, default=None)
        document.select(task, step)
        self.case_view.set_document(document, content=partial(_content, failure, task))
        self.case_view.focus_places = (self.window(),)
        self.case_view.refresh()
        self.case_view.show_card(task, step)
        self.case_view.graph.view.fit()
        if before is not None:
            before.deleteLater()

    def _add_request(self, task: Task) -> None:
        words = " ".join(task.user.split())
        short = words if len(words) <= _LONGEST_REQUEST else words[:_LONGEST_REQUEST] + "…"
        lay(self._column, SectionLabel(tr("The user asked")), _block_of(plain_document(short)))

    def _add_failure(self, failure: FailureExplanation) -> None:
        if failure.expected:
            self._add_part(tr("Expected next"), *map(_line_box, failure.expected))
        if failure.said:
            self._add_part(
                tr("The model called") if failure.said[0].is_call else tr("The model said"),
                *(
                    _line_box(line, tone=Tone.ERROR if line.is_wrong else Tone.NEUTRAL)
                    for line in failure.said
                ),
            )
        if failure.why:
            self._column.addWidget(Hint(failure.why[0], " ".join(failure.why[1:]), Tone.WARN))
        self._add_words(tr("After that"), failure.after)

    def _add_words(self, heading: str, sentence: str) -> None:
        self._add_part(
            heading,
            TextLabel(
                sentence,
                "muted",
                wordWrap=True,
                textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
            ),
        )

    def _add_part(self, heading: str, *widgets: QWidget) -> None:
        self._column.addSpacing(theme().px(4))
        lay(self._column, SectionLabel(heading), *widgets)


def _content(failure: FailureExplanation, failed: int, document: CaseDocument) -> CaseContent:
    """The case as it is, with what the model did in the failed task."""
    task = document.selection.task
    marks = failure.marks if task == failed else {}
    return CaseContent(document.case, CanvasContent(document.case.tasks[task], marks=marks))


def _line_box(line: StepLine, *, tone: Tone = Tone.NEUTRAL) -> QFrame:
    """A call with its arguments, or a text, in a box."""
    box = build(QFrame, hint=tone.value)
    column = vbox(
        hbox(TextLabel(line.title, "mono-strong" if line.is_call else "small-muted"), STRETCH, gap=None),
        within=box,
        gap=2,
        margins=(10, 6),
    )
    if line.is_call and line.arguments is not None:
        written = write_json(line.arguments, line_length=56)
        column.addWidget(_block_of(json_document(written, troubled=line.troubled)))
    elif line.text:
        column.addWidget(_block_of(plain_document(line.text, is_code=line.is_call)))
    return box


def _block_of(document: QTextDocument) -> TextBlock:
    block = TextBlock()
    block.show_document(document)
    return block
