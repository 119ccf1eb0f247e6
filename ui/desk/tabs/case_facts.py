"""The Labels tab of the page that only reads: what a task is labelled, what the checks say, whose it is."""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from annotator.review.queue.case_rows import CaseRow
from scoring.model.case import Task
from scoring.model.graph import derive_policy
from scoring.model.labels import Finding, Waiver
from ui.desk.read_only_case import Happened, ReadOnlyCase
from ui.desk.tabs.section import Section
from ui.theme import Hint, TextLabel, Tone, theme
from ui.theme.layouts import clear_layout, vbox
from ui.theme.times import ago, exactly
from ui.theme.tokens import SEVERITY_TONE
from ui.theme.words import INFORMATION, POLICY, ago, counted, exactly

_NOT_LABELLED, _HIDDEN = "not labelled", "hidden from you for now"


class _Facts(QWidget):
    """Names and what they say, a line each."""

    def __init__(self, names: Sequence[str], *, prefix: str) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(theme().px(12))
        grid.setVerticalSpacing(theme().px(6))
        grid.setColumnMinimumWidth(0, theme().px(84))
        grid.setColumnStretch(1, 1)
        self._names: dict[str, TextLabel] = {}
        self._words: dict[str, TextLabel] = {}
        for row, name in enumerate(names):
            label, words = TextLabel(name, "muted"), TextLabel("")
            words.setObjectName(f"{prefix}-{name.lower().replace(' ', '-')}")
            words.setWordWrap(True)
            words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(words, row, 1)
            self._names[name], self._words[name] = label, words

    def show_fact(self, name: str, words: str, *, look: str = "body", tip: str = "") -> None:
        """Show what a name says; a line that says nothing is left out."""
        self._words[name].setText(words)
        self._words[name].set_look(look)
        self._words[name].setToolTip(tip)
        for label in (self._names[name], self._words[name]):
            label.setVisible(bool(words))


class CaseFacts(QScrollArea):
    """Shows the labels of one task as text, its findings, and the facts of the case."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reading-labels")
        self.setAccessibleName("Labels")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._labels, self._findings, self._about = Section("Labels"), Section("Findings"), Section("Case")
        self._course = Section("What happened")
        self._shown: ReadOnlyCase | None = None
        self._said = _Facts(("Policy", "Drawn as", "Information"), prefix="read")
        self._facts = _Facts(("Owner", "Round", "Changed", "Note", "Gold"), prefix="case")
        self._labels.rows.addWidget(self._said)
        self._about.rows.addWidget(self._facts)
        holder = QWidget()
        look = theme()
        column = QVBoxLayout(holder)
        column.setContentsMargins(*(look.px(12),) * 4)
        column.setSpacing(look.px(20))
        for section in (self._labels, self._findings, self._about, self._course):
            # Wrapped words would take room they do not fill.
            section.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
            column.addWidget(section)
        column.addStretch(1)
        self.setWidget(holder)

    def set_case(self, shown: ReadOnlyCase) -> None:
        """Show another case, or the one that is shown as it is now."""
        self._shown = shown
        self._show_case(shown.read.row)
        self._show_course(shown.happened)

    def show_task(self, number: int) -> None:
        """Show a task of the case, counted from 0."""
        if self._shown is None:
            return
        task, is_blind = self._shown.case.tasks[number], self._shown.read.row.is_blind
        self._labels.set_heading(f"Labels · task {number + 1}")
        self._show_labels(task, is_blind=is_blind, drawn=self._shown.read.drawn[number])
        self._show_findings(self._shown, number)

    def _show_labels(self, task: Task, *, is_blind: bool, drawn: bool | None) -> None:
        nothing = _HIDDEN if is_blind else _NOT_LABELLED
        for name, words in (
            ("Policy", POLICY[task.policy] if task.policy else nothing),
            ("Information", INFORMATION[task.information] if task.information else nothing),
        ):
            self._said.show_fact(name, words, look="muted" if words is nothing else "body")
        derived = derive_policy(task) if drawn else None
        is_other = derived is not None and task.policy is not None and derived is not task.policy
        nobody = "not known: its judgments do not say" if drawn is None else "not drawn yet"
        words = POLICY[derived] if derived else nobody
        is_hidden = is_blind and not task.drawn_edges
        look = "warn" if is_other else "body" if derived and not is_hidden else "muted"
        self._said.show_fact("Drawn as", _HIDDEN if is_hidden else words, look=look)

    def _show_findings(self, reading: ReadOnlyCase, number: int) -> None:
        clear_layout(self._findings.rows)
        waivers = {(w.rule, w.where): w for w in reading.assessment.snapshot.judgment.waivers}
        found = [f for f in reading.assessment.findings if f.task in (None, number)]
        self._findings.set_heading(f"{counted(len(found), 'finding')} · task {number + 1}")
        self._findings.setVisible(bool(found))
        for finding in found:
            self._findings.rows.addWidget(_hint(finding, waivers.get((finding.rule, finding.where))))

    def _show_case(self, row: CaseRow) -> None:
        now = datetime.now().astimezone()
        self._facts.show_fact("Owner", row.owner or "nobody")
        self._facts.show_fact("Round", str(row.round) if row.round > 1 else "")
        self._facts.show_fact("Changed", ago(row.changed_at, now), tip=exactly(row.changed_at, now))
        self._facts.show_fact("Note", row.note)
        self._facts.show_fact("Gold", "an example of a case done right" if row.is_gold else "")

    def _show_course(self, happened: Sequence[Happened]) -> None:
        clear_layout(self._course.rows)
        self._course.setVisible(bool(happened))
        now = datetime.now().astimezone()
        for one in happened:
            line = TextLabel(one.words, wordWrap=True)
            when = TextLabel(
                " · ".join(part for part in (one.who, ago(one.at, now)) if part),
                "small-muted",
                toolTip=exactly(one.at, now),
            )
            holder = QWidget()
            vbox(line, when, within=holder, margins=(0, 0, 0, 4))
            self._course.rows.addWidget(holder)


def _hint(finding: Finding, waiver: Waiver | None) -> Hint:
    if waiver is not None:
        return Hint(finding.rule, f"{finding.message} Kept: {waiver.reason}", Tone.NEUTRAL)
    return Hint(finding.rule, finding.message, SEVERITY_TONE[finding.severity], toolTip=finding.settle)
