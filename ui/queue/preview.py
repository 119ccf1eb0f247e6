"""The pane beside the table: the marked case at a glance, as this person may see it."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from annotator.cases.findings.rules import ERROR_RULES
from annotator.review.queue.case_rows import CaseRow
from scoring.model.case import Answer, Ask, Call, Case, Task
from scoring.model.taxonomy import Stage
from ui.queue.columns import effect_of, finding_words, rules_by_weight
from ui.queue.today import Today
from ui.services.operations import Operations, Pending
from ui.services.topics import set_topic
from ui.theme import Dot, ElidedLabel, Hint, Kbd, PanelHeader, SectionLabel, TextLabel, Tone, theme
from ui.theme.words import INFORMATION, POLICY_SHORT, counted, visible

if TYPE_CHECKING:
    from annotator.project.workspace import Workspace

_SETTLED_MILLISECONDS = 80
"""How long a case is marked before it is read: whoever goes through the list waits for none."""
_LONGEST_REQUEST = 240
_LONGEST_READ = 2_000
"""Characters of a text that are looked at."""
_MOST_TASKS = 12
_MOST_STEPS = 8


class Preview(QFrame):
    """Reads the newest revision of the case that stays marked; one that is passed over is not read."""

    open_asked = Signal()

    def __init__(self, operations: Operations, *, keys: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preview")
        self._operations = operations
        self._pending: Pending | None = None
        self._row: CaseRow | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SETTLED_MILLISECONDS)
        self._soon.timeout.connect(self._read)
        header = PanelHeader("Preview")
        header.add_right(TextLabel("open", "small-muted"))
        header.add_right(Kbd(keys))
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(header)
        column.addWidget(self._area, 1)
        self.today = Today()
        column.addWidget(self.today)
        self.show_row(None)

    @property
    def row(self) -> CaseRow | None:
        """The case it shows or is about to show."""
        return self._row

    def show_row(self, row: CaseRow | None) -> None:
        """Show a case; null for none."""
        if self._pending is not None:
            self._pending.cancel()
            self._pending = None
        self._soon.stop()
        if row is None:
            self._row = None
            self._set_body(_note("Select a case to see its dialogue."))
            return
        if self._row is not None and (row.pk, row.version) == (self._row.pk, self._row.version):
            return
        self._row = row
        self._soon.start()

    def _read(self) -> None:
        if self._row is not None and not self._operations.is_closed:
            look = partial(_case, case_id=self._row.case_id)
            self._pending = self._operations.run(look, then=partial(self._show_case, self._row))

    def _show_case(self, row: CaseRow, case: Case) -> None:
        self._pending = None
        self._set_body(_body(row, case))

    def _set_body(self, body: QWidget) -> None:
        body.setObjectName("preview-body")
        self._area.setWidget(body)


def _case(workspace: "Workspace", *, case_id: str) -> Case:
    # Here, not above: the first rows are shown without reading any case.
    from annotator.cases.access import show_case

    return show_case(workspace, case_id)


def _note(text: str) -> QWidget:
    body = QWidget()
    column = QVBoxLayout(body)
    label = TextLabel(text, "muted")
    label.setWordWrap(True)
    label.setAlignment(Qt.AlignmentFlag.AlignTop)
    column.addWidget(label)
    return body


def _body(row: CaseRow, case: Case) -> QWidget:
    look = theme()
    body = QWidget()
    column = QVBoxLayout(body)
    column.setContentsMargins(look.px(12), look.px(12), look.px(12), look.px(12))
    column.setSpacing(look.px(4))
    if row.stage is Stage.RETURNED:
        column.addWidget(Hint("Returned", row.note or "without a note", Tone.ERROR))
    column.addWidget(ElidedLabel(row.case_id, "mono-strong", mode=Qt.TextElideMode.ElideMiddle))
    facts = [row.batch, counted(len(case.tasks), "task"), counted(len(case.tools), "tool")]
    column.addWidget(ElidedLabel(" · ".join(facts), "small-muted"))
    for number, task in enumerate(case.tasks[:_MOST_TASKS], 1):
        column.addSpacing(look.px(6))
        _add_task(column, task, number)
    if len(case.tasks) > _MOST_TASKS:
        column.addWidget(TextLabel(f"… {counted(len(case.tasks) - _MOST_TASKS, 'more task')}", "small-muted"))
    if row.rules:
        column.addSpacing(look.px(8))
        column.addWidget(SectionLabel(finding_words(row)))
        for rule in rules_by_weight(row):
            label = TextLabel(rule, "mono-muted")
            set_topic(f"finding.{rule}", label)
            line = QHBoxLayout()
            line.setSpacing(theme().px(8))
            line.addWidget(label)
            look_of = "error" if rule in ERROR_RULES else "small-muted"
            line.addWidget(ElidedLabel(effect_of(rule), look_of), 1)
            column.addLayout(line)
    column.addStretch(1)
    return body


def _add_task(column: QVBoxLayout, task: Task, number: int) -> None:
    labels = [POLICY_SHORT[task.policy]] if task.policy else []
    labels += [INFORMATION[task.information].lower()] if task.information and number > 1 else []
    column.addLayout(_line("user", f"User · task {number}", "user", detail=", ".join(labels)))
    words = _words(task.user)
    request = TextLabel(words if len(words) <= _LONGEST_REQUEST else words[:_LONGEST_REQUEST] + "…")
    request.setWordWrap(True)
    column.addWidget(request)
    for step in task.steps[:_MOST_STEPS]:
        column.addLayout(_step(step))
    if len(task.steps) > _MOST_STEPS:
        rest = counted(len(task.steps) - _MOST_STEPS, "more step")
        column.addWidget(TextLabel(f"… {rest}", "small-muted"))
    if not task.steps:
        column.addWidget(TextLabel("No steps yet.", "small-faint"))


def _step(step: Call | Ask | Answer) -> QHBoxLayout:
    match step:
        case Call():
            return _line("call", step.name, "mono")
        case Ask():
            return _line("answer", f"asks: {_words(step.text)}", "small-muted")
        case Answer():
            return _line("answer", _words(step.text), "small-muted")


def _words(text: str) -> str:
    """What a text of the dialogue says, without marks of Markdown: here one looks, and reads elsewhere."""
    # Here, not above: the first rows are shown without the means to show a dialogue.
    from ui.dialogue.documents import markdown_words

    return markdown_words(text[:_LONGEST_READ])


def _line(colour: str, text: str, look: str, *, detail: str = "") -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(theme().px(8))
    row.addWidget(Dot(colour))
    row.addWidget(ElidedLabel(visible(" ".join(text.split())), look), 1 if not detail else 0)
    if detail:
        row.addWidget(ElidedLabel(detail, "small-muted"), 1)
    return row
