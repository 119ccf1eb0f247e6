"""The findings of a case with what settles them: a fix, a waiver with its reason, a look at the place."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from scoring.model.labels import Finding, Waiver
from scoring.model.taxonomy import Severity
from ui.theme import Button, ButtonKind, Hint, HintAction, Kbd, TextLabel, Tone, theme
from ui.theme.tokens import SEVERITY_TONE
from ui.theme.words import counted
from ui.workbench.fixes import fix_for
from ui.workbench.section import Section

_SHOWN_NOTES = 40


class _Reason(QLineEdit):
    """One line for the reason of a waiver; Escape gives it up."""

    given_up = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.given_up.emit()
        else:
            super().keyPressEvent(event)


class FindingRow(QWidget):
    """One finding. `acted` carries it with `fix`, `go` or `reopen`; `waived` with the reason.

    `left` is sent when the line for the reason is done with, before it is hidden.
    """

    acted = Signal(object, str)
    waived = Signal(object, str)
    left = Signal()

    def __init__(self, finding: Finding, waiver: Waiver | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.finding = finding
        self.setObjectName(f"finding-{finding.rule}")
        tone = Tone.NEUTRAL if waiver else SEVERITY_TONE[finding.severity]
        self.hint = Hint(finding.rule, _text(finding, waiver), tone, actions=_actions(finding, waiver))
        self.hint.setCursor(Qt.CursorShape.PointingHandCursor)
        self.hint.setToolTip("" if waiver else finding.settle)
        self.hint.acted.connect(self._act)
        self.reason = _Reason()
        self.reason.setObjectName("waive-reason")
        self.reason.setPlaceholderText("Why may it stay? Enter waives it")
        self.reason.setAccessibleName(f"Reason to waive {finding.rule}")
        self.reason.hide()
        self.reason.returnPressed.connect(self._waive)
        self.reason.given_up.connect(self._give_up)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(4))
        column.addWidget(self.hint)
        column.addWidget(self.reason)

    def ask_reason(self) -> None:
        """Open the line for the reason."""
        self.reason.show()
        self.reason.setFocus(Qt.FocusReason.OtherFocusReason)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.acted.emit(self.finding, "go")

    def _act(self, name: str) -> None:
        if name == "waive":
            self.ask_reason()
        else:
            self.acted.emit(self.finding, name)

    def _waive(self) -> None:
        text = self.reason.text().strip()
        if text:
            self.left.emit()
            self.waived.emit(self.finding, text)

    def _give_up(self) -> None:
        self.left.emit()
        self.reason.clear()
        self.reason.hide()


def _text(finding: Finding, waiver: Waiver | None) -> str:
    place = f"Task {finding.task + 1}: " if finding.task is not None else ""
    said = f" · waived: {waiver.reason}" if waiver else ""
    return f"{place}{finding.message}{said}"


def _actions(finding: Finding, waiver: Waiver | None) -> tuple[HintAction, ...]:
    if waiver:
        return (HintAction("reopen", "Open it again"),)
    fix = fix_for(finding)
    actions = [HintAction("fix", fix.title)] if fix else []
    if finding.severity is not Severity.INFO:
        actions.append(HintAction("waive", "Waive"))
    return tuple(actions)


class FindingsSection(Section):
    """Shows what is to resolve, what was waived, and on demand the notes that stop nothing."""

    acted = Signal(object, str)
    waived = Signal(object, str)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Findings", parent)
        self._found: dict[tuple[object, ...], FindingRow] = {}
        self._shown: tuple[tuple[Finding, ...], tuple[Waiver, ...]] = ((), ())
        self._has_notes = False
        self._fine = TextLabel("Nothing to resolve.", "small-muted")
        self._notes = Button("", ButtonKind.LINK)
        self._notes.setObjectName("show-notes")
        self._notes.clicked.connect(self._toggle_notes)
        self.add_beside(Kbd("F8"))
        self.rows.addWidget(self._fine)
        self._list = QVBoxLayout()
        self._list.setSpacing(theme().px(6))
        self.rows.addLayout(self._list)
        self.rows.addWidget(self._notes, 0, Qt.AlignmentFlag.AlignLeft)

    def show_findings(self, findings: Sequence[Finding], waivers: Sequence[Waiver]) -> None:
        """Show the findings of a case; those that did not change keep their row."""
        self._shown = (tuple(findings), tuple(waivers))
        said = {(waiver.rule, waiver.where): waiver for waiver in waivers}
        open_ones = [f for f in findings if f.severity is not Severity.INFO and (f.rule, f.where) not in said]
        settled = [f for f in findings if (f.rule, f.where) in said]
        notes = [f for f in findings if f.severity is Severity.INFO and (f.rule, f.where) not in said]
        self.set_heading(f"Findings · {len(open_ones)} to resolve" if open_ones else "Findings")
        self._fine.setVisible(not open_ones)
        self._notes.setVisible(bool(notes))
        self._notes.setText(("Hide " if self._has_notes else "Show ") + counted(len(notes), "note"))
        shown = [*open_ones, *settled, *(notes[:_SHOWN_NOTES] if self._has_notes else ())]
        self._show_rows([(finding, said.get((finding.rule, finding.where))) for finding in shown])

    def row(self, finding: Finding) -> FindingRow | None:
        """The row of a finding."""
        return next((row for row in self._found.values() if row.finding == finding), None)

    def _show_rows(self, wanted: Sequence[tuple[Finding, Waiver | None]]) -> None:
        kept: dict[tuple[object, ...], FindingRow] = {}
        for finding, waiver in wanted:
            key = (finding.model_dump_json(), waiver.reason if waiver else None)
            row = self._found.pop(key, None)
            if row is None:
                row = FindingRow(finding, waiver)
                row.acted.connect(self.acted)
                row.waived.connect(self.waived)
                row.left.connect(self.left)
            kept[key] = row
        for row in self._found.values():
            row.hide()
            self._list.removeWidget(row)
            row.deleteLater()
        self._found = kept
        for place, row in enumerate(kept.values()):
            if self._list.indexOf(row) != place:
                self._list.insertWidget(place, row)

    def _toggle_notes(self) -> None:
        self._has_notes = not self._has_notes
        self.show_findings(*self._shown)
