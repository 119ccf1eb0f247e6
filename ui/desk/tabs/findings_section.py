"""What is to settle in a case: its findings with fix, waiver and place, and what others changed too."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from annotator.cases.versions.conflicts import Clash
from annotator.cases.versions.differences import word_diff
from annotator.drafts.clash_words import clash_place, compared_texts, side_words
from annotator.drafts.problems import findings_words
from scoring import groups
from scoring.model.case import Case
from scoring.model.labels import Finding, Waiver
from scoring.model.taxonomy import Severity
from scoring.texts import tr, tr_count, with_commas
from ui.desk.case_actions import WRITTEN, fix_for
from ui.desk.tabs.section import Section
from ui.diffs import WordDiffLabel
from ui.theme import Button, ButtonKind, Hint, HintAction, Kbd, TextLabel, Tone
from ui.theme.events import on_keys
from ui.theme.layouts import build, clear_layout, lay, take_out, vbox
from ui.theme.tokens import SEVERITY_TONE
from ui.theme.words import FINDING

_SHOWN_NOTES = 40
_FEWEST_OF_A_GROUP = 3


class FindingRow(QWidget):
    """One finding; its section says what is wanted of it."""

    def __init__(
        self, finding: Finding, waiver: Waiver | None, *, is_blocking: bool, section: "FindingsSection"
    ) -> None:
        build(super().__init__, objectName=f"finding-{finding.rule}", topic=f"finding.{finding.rule}")
        self._section = section
        self.finding = finding
        tone = Tone.NEUTRAL if waiver else SEVERITY_TONE[finding.severity]
        self.hint = Hint(
            FINDING.get(finding.rule, finding.rule),
            _text(finding, waiver, is_blocking=is_blocking),
            tone,
            actions=_actions(finding, waiver),
            cursor=Qt.CursorShape.PointingHandCursor,
            toolTip=f"{tr(finding.settle)} ({finding.rule})",
            acted=partial(section.acted.emit, finding),
        )
        self.reason = build(
            QLineEdit,
            objectName="waive-reason",
            placeholderText=tr("Why may it stay? Enter waives it"),
            accessibleName=tr("Reason to waive {rule}", rule=finding.rule),
            visible=False,
            returnPressed=self._waive,
        )
        on_keys(self.reason, {Qt.Key.Key_Escape: self._give_up})
        vbox(self.hint, self.reason, within=self, gap=4)

    def ask_reason(self) -> None:
        """Open the line for the reason."""
        self.reason.show()
        self.reason.setFocus(Qt.FocusReason.OtherFocusReason)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._section.acted.emit(self.finding, "go")

    def _waive(self) -> None:
        text = self.reason.text().strip()
        if text:
            self._section.left.emit()
            self._section.waived.emit(self.finding, text)

    def _give_up(self) -> None:
        self._section.left.emit()
        self.reason.clear()
        self.reason.hide()


def _text(finding: Finding, waiver: Waiver | None, *, is_blocking: bool) -> str:
    """Where a finding stands and what follows; what it says, its card says, where it has one."""
    said = [place_words(finding), "" if finding.task is not None else tr(finding.message)]
    said += [tr("blocks the submission")] * (is_blocking and waiver is None)
    said += [tr("waived: {reason}", reason=waiver.reason)] if waiver else []
    return " · ".join(filter(None, said))


def place_words(finding: Finding) -> str:
    """Which card a finding stands on, in a few words."""
    if finding.task is None:
        return tr("Whole case")
    task = tr("Task {task}", task=finding.task + 1)
    return task if finding.step is None else tr("{task}, step {step}", task=task, step=finding.step)


def _actions(finding: Finding, waiver: Waiver | None) -> tuple[HintAction, ...]:
    """What the card does not offer."""
    if waiver:
        return (HintAction("reopen", tr("Open it again")),)
    fix = None if finding.proposal is not None else fix_for(finding)
    actions = [HintAction("fix", fix.title)] if fix else []
    if finding.rule in WRITTEN:
        actions.append(HintAction("write", tr("Write it")))
    return tuple(actions)


class GroupRow(QWidget):
    """Several warnings of one rule on one line; its `hint` offers to show each."""

    def __init__(self, rule: str, findings: Sequence[Finding]) -> None:
        build(super().__init__, objectName=f"group-{rule}", topic=f"finding.{rule}")
        tasks = sorted({finding.task + 1 for finding in findings if finding.task is not None})
        where = (
            tr("task {tasks}", tasks=tasks[0])
            if len(tasks) == 1
            else tr("tasks {map}", map=with_commas(tasks))
        )
        self.hint = Hint(
            FINDING.get(rule, rule),
            tr("{time} in {where}", time=tr_count(len(findings), "time"), where=where),
            Tone.WARN,
            actions=(HintAction("open", tr("Show each")),),
            toolTip=rule,
        )
        vbox(self.hint, within=self, gap=None)


def grouped(findings: Sequence[Finding], opened: Collection[str]) -> list[Finding | list[Finding]]:
    """Findings with errors first, and many warnings of one rule gathered where the rule is not opened."""
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    rest = [finding for finding in findings if finding.severity is not Severity.ERROR]
    by_rule = groups.grouped((finding.rule, finding) for finding in rest)
    shown: list[Finding | list[Finding]] = [*errors]
    for finding in rest:
        group = by_rule[finding.rule]
        if finding.rule in opened or len(group) < _FEWEST_OF_A_GROUP:
            shown.append(finding)
        elif group[0] is finding:
            shown.append(group)
    return shown


class FindingsSection(Section):
    """Shows what is to resolve, what was waived, and on demand the notes that stop nothing.

    `acted` carries a finding with `fix`, `write`, `go` or `reopen`; `waived` with the reason. `left` is sent
    when the line for the reason is done with, before it is hidden.
    """

    acted = Signal(object, str)
    waived = Signal(object, str)
    left = Signal()

    def __init__(self) -> None:
        super().__init__(tr("Findings"), Kbd("F8"))
        self._found: dict[tuple[object, ...], FindingRow | GroupRow] = {}
        self._opened: set[str] = set()
        self._do_errors_block = True
        self._shown: tuple[tuple[Finding, ...], tuple[Waiver, ...]] = ((), ())
        self._has_notes = False
        self._fine = TextLabel(tr("Nothing to resolve."), "small-muted")
        self._notes = Button("", ButtonKind.LINK, objectName="show-notes", clicked=self._toggle_notes)
        self._list = vbox(gap=6)
        lay(self.rows, self._fine, self._list)
        self.rows.addWidget(self._notes, 0, Qt.AlignmentFlag.AlignLeft)

    def show_findings(
        self, findings: Sequence[Finding], waivers: Sequence[Waiver], *, do_errors_block: bool = True
    ) -> None:
        """Show the findings of a case; those that did not change keep their row.

        In a cross-check nothing of them blocks: `do_errors_block` is false there.
        """
        self._do_errors_block = do_errors_block
        self._shown = (tuple(findings), tuple(waivers))
        said = {(waiver.rule, waiver.where): waiver for waiver in waivers}
        open_ones = [f for f in findings if f.severity is not Severity.INFO and (f.rule, f.where) not in said]
        settled = [f for f in findings if (f.rule, f.where) in said]
        notes = [f for f in findings if f.severity is Severity.INFO and (f.rule, f.where) not in said]
        self.heading.set_heading(
            tr("Findings · {findings_words}", findings_words=findings_words(open_ones))
            if open_ones
            else tr("Findings")
        )
        self._fine.setVisible(not open_ones)
        self._notes.setVisible(bool(notes))
        count = tr_count(len(notes), "note")
        self._notes.setText(
            tr("Hide {count}", count=count) if self._has_notes else tr("Show {count}", count=count)
        )
        last = [*settled, *(notes[:_SHOWN_NOTES] if self._has_notes else ())]
        self._show_rows([*grouped(open_ones, self._opened), *last], said)

    def forget(self) -> None:
        """Fold everything again, for another case."""
        self._opened.clear()
        self._has_notes = False

    def row(self, finding: Finding) -> FindingRow | None:
        """The row of a finding, taken out of its group where it is in one."""
        if finding.severity is Severity.WARNING:
            self._open_rule(finding.rule)
        rows = (row for row in self._found.values() if isinstance(row, FindingRow))
        return next((row for row in rows if row.finding == finding), None)

    def _show_rows(
        self, wanted: Sequence[Finding | list[Finding]], said: Mapping[tuple[str, str], Waiver]
    ) -> None:
        kept: dict[tuple[object, ...], FindingRow | GroupRow] = {}
        for item in wanted:
            key = (self._do_errors_block, *_key_of(item, said))
            row = self._found.pop(key, None)
            kept[key] = self._made(item, said) if row is None else row
        for row in self._found.values():
            take_out(self._list, row)
        self._found = kept
        for place, row in enumerate(kept.values()):
            if self._list.indexOf(row) != place:
                self._list.insertWidget(place, row)

    def _made(
        self, item: Finding | list[Finding], said: Mapping[tuple[str, str], Waiver]
    ) -> FindingRow | GroupRow:
        if isinstance(item, list):
            group = GroupRow(item[0].rule, item)
            group.hint.acted.connect(partial(self._open_rule, item[0].rule))
            return group
        is_blocking = self._do_errors_block and item.severity is Severity.ERROR
        return FindingRow(item, said.get((item.rule, item.where)), is_blocking=is_blocking, section=self)

    def _open_rule(self, rule: str, _: str = "") -> None:
        if rule not in self._opened:
            self._opened.add(rule)
            self.show_findings(*self._shown, do_errors_block=self._do_errors_block)

    def _toggle_notes(self) -> None:
        self._has_notes = not self._has_notes
        self.show_findings(*self._shown, do_errors_block=self._do_errors_block)


def _key_of(item: Finding | list[Finding], said: Mapping[tuple[str, str], Waiver]) -> tuple[object, ...]:
    if isinstance(item, list):
        return ("group", *(finding.model_dump_json() for finding in item))
    waiver = said.get((item.rule, item.where))
    return (item.model_dump_json(), waiver.reason if waiver else None)


class ClashRow(QWidget):
    """One clash with both sides; its `hint` offers `theirs` and `mine`."""

    def __init__(self, clash: Clash, case: Case) -> None:
        build(super().__init__, objectName="clash")
        self.clash = clash
        texts = compared_texts(clash)
        sides = tr(
            "Theirs: {side_words}. Yours: {side_words2}.",
            side_words=side_words(clash, clash.theirs),
            side_words2=side_words(clash, clash.mine),
        )
        words = tr("Somebody else changed it too.") if texts else sides
        actions = (HintAction("theirs", tr("Take theirs (F)")), HintAction("mine", tr("Keep mine (W)")))
        self.hint = Hint(clash_place(clash, case), words, Tone.WARN, actions=actions)
        column = vbox(self.hint, within=self, gap=4)
        if texts:
            compared = WordDiffLabel(word_diff(*texts))
            lay(column, TextLabel(tr("From theirs to yours:"), "small-muted"), compared)


class ClashesSection(Section):
    """Lists the clashes of a document, if any; `chosen` carries one with `mine` or `theirs`."""

    chosen = Signal(object, str)

    def __init__(self) -> None:
        super().__init__(tr("Changed by both"), Kbd("F8"), objectName="clashes-section", visible=False)
        self._shown: tuple[Clash, ...] = ()

    def show_clashes(self, clashes: Sequence[Clash], case: Case) -> None:
        """Show the clashes of a case."""
        self.setVisible(bool(clashes))
        if tuple(clashes) == self._shown:
            return
        self._shown = tuple(clashes)
        self.heading.set_heading(tr("Changed by both · {place}", place=tr_count(len(clashes), "place")))
        clear_layout(self.rows)
        for clash in clashes:
            row = ClashRow(clash, case)
            row.hint.acted.connect(partial(self.chosen.emit, clash))
            self.rows.addWidget(row)

    def row(self, clash: Clash) -> ClashRow | None:
        """The row of a clash."""
        return next((row for row in self.findChildren(ClashRow) if row.clash == clash), None)
