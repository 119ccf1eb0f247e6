"""The pane beside the table: the marked case at a glance as this person may see it, and the person's day."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from annotator.cases.access import show_case
from annotator.cases.findings.rules import ERROR_RULES
from annotator.review.queue.case_rows import CaseRow
from scoring.model.case import Answer, Ask, Call, Case, Task
from scoring.model.taxonomy import Stage
from scoring.texts import tr, tr_count, with_commas
from ui.queue.case_table import effect_of, finding_words, rules_by_weight
from ui.services.operations import Operations
from ui.services.topics import set_topic
from ui.theme import Dot, ElidedLabel, Hint, Kbd, PanelHeader, SectionLabel, TextLabel, Tone, theme
from ui.theme.layouts import STRETCH, build, column, hbox, vbox
from ui.theme.words import FINDING, INFORMATION, POLICY_SHORT, duration, visible

if TYPE_CHECKING:
    from annotator.review.measures.workload import MyDay


_SETTLED_MILLISECONDS = 80
"""How long a case is marked before it is read: whoever goes through the list waits for none."""
_LONGEST_REQUEST = 240
_LONGEST_READ = 2_000
"""Characters of a text that are looked at."""
_MOST_TASKS = 12
_MOST_STEPS = 8


class Preview(QFrame):
    """Reads the newest revision of the case that stays marked; one that is passed over is not read."""

    def __init__(self, operations: Operations, *, keys: str, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="preview")
        self._operations = operations
        self.row: CaseRow | None = None
        """The case it shows or is about to show."""
        self._soon = build(QTimer, self, singleShot=True, interval=_SETTLED_MILLISECONDS, timeout=self._read)
        header = PanelHeader(tr("Preview"), STRETCH, TextLabel(tr("Open it"), "small-muted"), Kbd(keys))
        self._area = build(
            QScrollArea,
            widgetResizable=True,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            focusPolicy=Qt.FocusPolicy.NoFocus,
        )
        self.today = Today()
        vbox(header, (self._area, 1), self.today, within=self)
        self.show_row(None)

    def show_row(self, row: CaseRow | None) -> None:
        """Show a case; None if there is none."""
        self._operations.drop_look(self)
        self._soon.stop()
        if row is None:
            self.row = None
            self._set_body(_note(tr("Select a case to see its dialogue.")))
        elif self.row is None or (row.pk, row.version) != (self.row.pk, self.row.version):
            self.row = row
            self._soon.start()

    def _read(self) -> None:
        if self.row is not None and not self._operations.is_closed:
            self._operations.run(
                partial(show_case, case_id=self.row.case_id),
                then=partial(self._show_case, self.row),
                newest_of=self,
            )

    def _show_case(self, row: CaseRow, case: Case) -> None:
        self._set_body(_body(row, case))

    def _set_body(self, body: QWidget) -> None:
        body.setObjectName("preview-body")
        self._area.setWidget(body)


def _note(text: str) -> QWidget:
    return column(TextLabel(text, "muted", wordWrap=True, alignment=Qt.AlignmentFlag.AlignTop), margins=9)


def _body(row: CaseRow, case: Case) -> QWidget:
    look = theme()
    body = QWidget()
    lines = vbox(within=body, gap=4, margins=12)
    if row.stage is Stage.RETURNED:
        lines.addWidget(Hint(tr("Returned"), row.note or tr("without a note"), Tone.ERROR))
    lines.addWidget(ElidedLabel(row.case_id, "mono-strong", mode=Qt.TextElideMode.ElideMiddle))
    facts = [row.batch, tr_count(len(case.tasks), "task"), tr_count(len(case.tools), "tool")]
    lines.addWidget(ElidedLabel(" · ".join(facts), "small-muted"))
    for number, task in enumerate(case.tasks[:_MOST_TASKS], 1):
        lines.addSpacing(look.px(6))
        _add_task(lines, task, number)
    if len(case.tasks) > _MOST_TASKS:
        lines.addWidget(TextLabel(f"… {tr_count(len(case.tasks) - _MOST_TASKS, 'more task')}", "small-muted"))
    if row.rules:
        lines.addSpacing(look.px(8))
        lines.addWidget(SectionLabel(finding_words(row)))
        for rule in rules_by_weight(row):
            label = TextLabel(FINDING.get(rule, rule), "small-muted", toolTip=rule)
            set_topic(f"finding.{rule}", label)
            look_of = "error" if rule in ERROR_RULES else "small-muted"
            lines.addLayout(hbox(label, (ElidedLabel(effect_of(rule), look_of), 1), gap=8))
    lines.addStretch(1)
    return body


def _add_task(lines: QVBoxLayout, task: Task, number: int) -> None:
    labels = [POLICY_SHORT[task.policy]] if task.policy else []
    labels += [INFORMATION[task.information].lower()] if task.information and number > 1 else []
    lines.addLayout(
        _line("user", tr("User · task {number}", number=number), "user", detail=with_commas(labels))
    )
    words = _words(task.user)
    lines.addWidget(
        TextLabel(words if len(words) <= _LONGEST_REQUEST else words[:_LONGEST_REQUEST] + "…", wordWrap=True)
    )
    for step in task.steps[:_MOST_STEPS]:
        lines.addLayout(_step(step))
    if len(task.steps) > _MOST_STEPS:
        rest = tr_count(len(task.steps) - _MOST_STEPS, "more step")
        lines.addWidget(TextLabel(f"… {rest}", "small-muted"))
    if not task.steps:
        lines.addWidget(TextLabel(tr("No steps yet."), "small-faint"))


def _step(step: Call | Ask | Answer) -> QHBoxLayout:
    match step:
        case Call():
            return _line("call", step.name, "mono")
        case Ask():
            return _line("answer", tr("asks: {words}", words=_words(step.text)), "small-muted")
        case Answer():
            return _line("answer", _words(step.text), "small-muted")


def _words(text: str) -> str:
    """What a text of the dialogue says, without marks of Markdown: here one looks, and reads elsewhere."""
    # Here, not above: the first rows are shown without the means to show a dialogue.
    from ui.dialogue.documents import markdown_words

    return markdown_words(text[:_LONGEST_READ])


def _line(colour: str, text: str, look: str, *, detail: str = "") -> QHBoxLayout:
    row = hbox(
        Dot(colour), (ElidedLabel(visible(" ".join(text.split())), look), 1 if not detail else 0), gap=8
    )
    if detail:
        row.addWidget(ElidedLabel(detail, "small-muted"), 1)
    return row


def attention_words(share: float) -> str:
    """What everybody is told of known-answer cases; empty where none are mixed in."""
    return (
        tr(
            "{value:.3g} % of your new cases are known-answer cases: copies of gold cases with one "
            "planted defect. What was planted is shown after submitting.",
            value=100 * share,
        )
        if share
        else ""
    )


def day_lines(day: "MyDay") -> tuple[tuple[str, str, str], ...]:
    """Each figure of a day as its name, its value and what it means; a dash where there is none."""
    agreement = day.agreement
    agreed = "–" if agreement.percent is None else f"{agreement.count / agreement.total:.2f}"
    of = f"· n = {agreement.total:,}" if agreement.total else ""
    caught = day.caught
    lines = (
        (
            tr("Finished"),
            f"{day.finished:,}",
            tr("Cases you submitted or decided since midnight, each once."),
        ),
        (
            tr("Median time"),
            "–" if day.median_seconds is None else duration(day.median_seconds),
            tr("Active time per judgment; idle time is excluded."),
        ),
        (
            tr("Agreement with your pair {of}", of=of).strip(),
            agreed,
            tr(
                "{count:,} of {total:,} values were the same, in rounds closed today.",
                count=agreement.count,
                total=agreement.total,
            ),
        ),
    )
    if not (day.attention_share or caught.total):
        return lines
    known = f"· n = {caught.total:,}" if caught.total else ""
    return (
        *lines,
        (
            tr("Planted defects caught {known}", known=known).strip(),
            "–" if caught.value is None else f"{caught.value:.2f}",
            tr("{count:,} of {total:,} known-answer cases so far.", count=caught.count, total=caught.total),
        ),
    )


class Today(QFrame):
    """Three figures, and a fourth where attention is measured; hidden until there is a day to show."""

    def __init__(self, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="today", visible=False, look="bar")
        self._values = [
            (TextLabel(), TextLabel("", "strong", objectName=f"today-{row}")) for row in range(1, 5)
        ]
        self._attention = TextLabel("", "small-muted", objectName="today-attention", wordWrap=True)
        rows = (hbox((name, 1), value) for name, value in self._values)
        vbox(SectionLabel(tr("Today")), *rows, self._attention, within=self, gap=6, margins=(12, 8, 12, 12))

    def show_day(self, day: "MyDay") -> None:
        """Show these figures."""
        self._attention.say(attention_words(day.attention_share))
        lines = (*day_lines(day), *[("", "", "")] * len(self._values))
        for labels, (*words, tip) in zip(self._values, lines, strict=False):
            for label, text in zip(labels, words, strict=True):
                label.say(text)
                label.setToolTip(tip)
        self.show()
