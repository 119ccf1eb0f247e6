"""One failed task: what was due, what the model did, why that is wrong, and the case beside it."""

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from annotator.drafts.snapshot import Snapshot
from annotator.project.policy import ReviewPolicy
from scoring.matching.task_scores import TaskScore
from scoring.model.case import Case, Task
from scoring.model.labels import Judgment, labels_of
from scoring.model.taxonomy import Stage
from ui.desk.case_view import CaseContent, CaseView
from ui.desk.document import CaseDocument
from ui.dialogue.block import TextBlock
from ui.dialogue.documents import json_document, plain_document
from ui.dialogue.json_text import write_json
from ui.graph.canvas_content import CanvasContent
from ui.runs.failures.failure_explanation import Failure, Line
from ui.runs.failures.failure_list import kind_tone, kind_words
from ui.services.commands import Commands
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
from ui.theme.layouts import clear_layout, split, stacked, vbox

CHOOSE_PREDICTIONS = HintAction("predictions", "Choose the predictions…")
CHOOSE_CASES = HintAction("cases", "Choose the cases…")
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
    failure: Failure | None
    case: Case | None
    notes: tuple[Note, ...]


class FailureView(QFrame):
    """Shows one failed task and offers the next; it reads nothing itself."""

    asked = Signal(str)
    """Name of the hint's action that was chosen."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("failure")
        self._header = PanelHeader("")
        self._case = ElidedLabel("", "mono-strong", mode=Qt.TextElideMode.ElideMiddle)
        self._case.setObjectName("failure-case")
        self._head = ElidedLabel("", "small-muted")
        self._head.setObjectName("failure-head")
        self._kind = Chip()
        self._kind.setObjectName("failure-kind")
        self._place = TextLabel("", "small-muted")
        self._place.setObjectName("failure-place")
        self._header.add_left(self._case)
        self._header.add_left(self._head)
        self._header.add_right(self._kind)
        self._header.add_right(self._place)
        for command, words, name in (
            ("runs.failure_before", "Previous", "failure-before"),
            ("runs.failure_next", "Next failure", "failure-next"),
            ("runs.open_case", "Open", "failure-open"),
        ):
            self._header.add_right(commands.button(command, words, name=name, kind=ButtonKind.GHOST))
        self._build_body()
        self._shown: _Shown | None = None
        self.show_nothing("No failed task", "Select a run with failed tasks.")

    def _build_body(self) -> None:
        look = theme()
        self._column = QVBoxLayout()
        self._column.setContentsMargins(*(look.px(12),) * 4)
        self._column.setSpacing(look.px(6))
        body = QWidget()
        body.setLayout(self._column)
        area = QScrollArea()
        area.setObjectName("failure-text")
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(body)
        self.case_view = CaseView(self, is_read_only=True)
        self._tabs = QTabWidget()
        self._tabs.setObjectName("failure-tabs")
        self._tabs.setDocumentMode(True)
        self._tabs.tabBar().setDrawBase(False)
        self._tabs.addTab(self.case_view.graph, "Graph")
        self._tabs.addTab(self.case_view.dialogue, "Dialogue")
        splitter = split(Qt.Orientation.Horizontal, (area, 460), (self._tabs, 420))
        self._empty = EmptyState("check-circle", "", "")
        self._stack = stacked(splitter, self._empty)
        vbox(self._header, (self._stack, 1), within=self)

    def show_nothing(self, title: str, text: str) -> None:
        """Say that there is no failure to show, and what to do."""
        self._shown = None
        self._case.setText("")
        self._head.setText("")
        self._place.setText("")
        self._kind.hide()
        self._empty.set_words(title, text)
        self._stack.setCurrentIndex(1)

    def show_waiting(self, score: TaskScore, *, place: str) -> None:
        """Name a failure whose case is still being read."""
        self._name(score, place)
        self._head.setText(f"task {score.task + 1} · reading …")

    def show_failure(
        self, score: TaskScore, failure: Failure, case: Case, *, place: str, notes: tuple[Note, ...] = ()
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
        self._head.setText(f"task {score.task + 1} · {failure.head}")
        self._fill(_Shown(score, failure, case, notes))
        self._show_case(case, score.task, failure)

    def show_only_words(self, score: TaskScore, note: Note, *, place: str) -> None:
        """Show what the scorecard alone says, with a note on what is missing."""
        self._name(score, place)
        self._head.setText(f"task {score.task + 1}")
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
        clear_layout(self._column)
        for note in shown.notes:
            hint = Hint(note.title, note.text, note.tone, actions=note.actions)
            hint.setObjectName("failure-note")
            hint.acted.connect(self.asked)
            self._column.addWidget(hint)
        if shown.case is not None and shown.failure is not None:
            self._add_request(shown.case.tasks[shown.score.task])
            self._add_failure(shown.failure)
        else:
            self._add_words("What the scorecard says", (shown.score.detail or "Nothing more is recorded.",))
        self._tabs.setVisible(shown.case is not None)
        self._column.addStretch(1)
        self._stack.setCurrentIndex(0)

    def _show_case(self, case: Case, task: int, failure: Failure) -> None:
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
        self._column.addWidget(SectionLabel("The user asked"))
        words = " ".join(task.user.split())
        short = words if len(words) <= _LONGEST_REQUEST else words[:_LONGEST_REQUEST] + "…"
        block = TextBlock()
        block.show_document(plain_document(short))
        self._column.addWidget(block)

    def _add_failure(self, failure: Failure) -> None:
        if failure.expected:
            self._column.addSpacing(theme().px(4))
            self._column.addWidget(SectionLabel("Expected next"))
            for line in failure.expected:
                self._column.addWidget(_line_box(line))
        if failure.said:
            self._column.addSpacing(theme().px(4))
            is_call = failure.said[0].is_call
            self._column.addWidget(SectionLabel("The model called" if is_call else "The model said"))
            for line in failure.said:
                self._column.addWidget(_line_box(line, tone=Tone.ERROR if line.is_wrong else Tone.NEUTRAL))
        if failure.why:
            self._column.addWidget(Hint(failure.why[0], " ".join(failure.why[1:]), Tone.WARN))
        self._add_words("After that", (failure.after,))

    def _add_words(self, heading: str, sentences: tuple[str, ...]) -> None:
        self._column.addSpacing(theme().px(4))
        self._column.addWidget(SectionLabel(heading))
        for sentence in sentences:
            label = TextLabel(sentence, "muted")
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._column.addWidget(label)


def _content(failure: Failure, failed: int, document: CaseDocument) -> CaseContent:
    """The case as it is, with what the model did in the failed task."""
    task = document.selection.task
    marks = failure.marks if task == failed else {}
    return CaseContent(document.case, CanvasContent(document.case.tasks[task], marks=marks))


def _line_box(line: Line, *, tone: Tone = Tone.NEUTRAL) -> QFrame:
    """A call with its arguments, or a text, in a box."""
    look = theme()
    box = QFrame()
    box.setProperty("hint", tone.value)
    column = QVBoxLayout(box)
    column.setContentsMargins(look.px(10), look.px(6), look.px(10), look.px(6))
    column.setSpacing(look.px(2))
    row = QHBoxLayout()
    row.addWidget(TextLabel(line.title, "mono-strong" if line.is_call else "small-muted"))
    row.addStretch(1)
    column.addLayout(row)
    if line.is_call and line.arguments is not None:
        block = TextBlock()
        block.show_document(json_document(write_json(line.arguments, line_length=56), troubled=line.troubled))
        column.addWidget(block)
    elif line.text:
        block = TextBlock()
        block.show_document(plain_document(line.text, is_code=line.is_call))
        column.addWidget(block)
    return box
