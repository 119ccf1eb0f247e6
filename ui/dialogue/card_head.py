"""The first line of a card, which says who speaks and how it stands, and the boxes with its findings."""

from collections.abc import Mapping

from pydantic import JsonValue
from PySide6.QtWidgets import QWidget

from annotator.cases.pointers import keys_of
from scoring.model.labels import Finding
from scoring.model.record import to_text
from scoring.model.taxonomy import Information, Policy, Severity
from ui.dialogue.content import CardContent, CardKind, Coverage
from ui.theme import Chip, Dot, ElidedLabel, Hint, HintAction, Kbd, TextLabel, Tone
from ui.theme.layouts import hbox
from ui.theme.tokens import SEVERITY_TONE
from ui.theme.words import INFORMATION, POLICY, counted, visible

_HUES: Mapping[CardKind, str] = {
    CardKind.USER: "user",
    CardKind.CALL: "call",
    CardKind.ASK: "answer",
    CardKind.ANSWER: "answer",
    CardKind.FOLDED: "faint",
}


class CardHead(QWidget):
    """First line of a card: square, who, name, note, chips, key; only what is said is made."""

    def __init__(self, kind: CardKind, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        hue = _HUES[kind]
        self._is_folded = kind is CardKind.FOLDED
        self._title = TextLabel("", "small-muted" if self._is_folded else hue)
        self._name: ElidedLabel | None = None
        self._note: TextLabel | None = None
        self._chip: Chip | None = None
        self._coverage: Chip | None = None
        self._comments: Chip | None = None
        self._key: Kbd | None = None
        self._row = hbox(
            TextLabel("▸", "small-faint") if self._is_folded else Dot(hue), self._title, within=self, gap=8
        )
        if not self._is_folded:
            self._row.addStretch(1)

    def show_content(self, content: CardContent) -> None:
        """Say who speaks and how it stands."""
        self._title.setText(content.title)
        if self._name is None and content.name:
            self._name = ElidedLabel("", "small-faint" if self._is_folded else "mono-muted")
            self._row.insertWidget(2, self._name, 1 if self._is_folded else 0)
        if self._note is None and content.note:
            self._note = TextLabel("", "small-muted")
            self._row.insertWidget(2 + (self._name is not None), self._note)
        if self._chip is None and content.chip:
            self._chip = Chip("", Tone.WARN if self._is_folded else Tone.NEUTRAL)
            self._row.addWidget(self._chip)
        if self._coverage is None and content.coverage is not None:
            self._coverage = Chip("", _coverage_tone(content.coverage))
            self._row.addWidget(self._coverage)
        if self._comments is None and content.comment_count:
            self._comments = Chip(
                "", Tone.ACCENT, objectName="card-comments", toolTip="Open conversations (Alt+M)"
            )
            self._row.insertWidget(self._row.count() - (self._key is not None), self._comments)
        for label, text in ((self._name, visible(content.name)), (self._note, content.note)):
            if label is not None:
                label.setText(text)
                label.setVisible(bool(text))
        self._show_chips(content)

    def show_keys(self, *, on: bool) -> None:
        """Show which key works on the card."""
        if on and self._key is None:
            self._key = Kbd("E", toolTip="Cite the values of this call")
            self._row.addWidget(self._key)
        if self._key is not None:
            self._key.setVisible(on)

    def _show_chips(self, content: CardContent) -> None:
        if self._chip is not None:
            self._chip.set_chip(content.chip, Tone.WARN if self._is_folded else Tone.NEUTRAL)
            self._chip.setVisible(bool(content.chip))
        if self._comments is not None:
            self._comments.setText(counted(content.comment_count, "remark"))
            self._comments.setVisible(content.comment_count > 0)
        if self._coverage is not None:
            words = coverage_words(content.coverage)
            self._coverage.set_chip(words, _coverage_tone(content.coverage))
            self._coverage.setVisible(bool(words))


def _coverage_tone(coverage: Coverage | None) -> Tone:
    return Tone.OK if coverage is not None and coverage.cited >= coverage.total else Tone.WARN


def coverage_words(coverage: Coverage | None) -> str:
    """How much of a call is cited, in words."""
    if coverage is None or not coverage.total:
        return ""
    return f"{coverage.cited} of {coverage.total} cited"


_LONGEST_VALUE = 28


def hint_of(finding: Finding, *, is_waived: bool, is_read_only: bool) -> Hint:
    """Make the box of a finding.

    Args:
        finding: What was noticed.
        is_waived: Whether it was kept with a reason; nothing is offered then.
        is_read_only: Whether nothing may be changed.
    """
    if is_waived:
        return Hint(finding.message, f"Kept with a reason ({finding.rule}).", Tone.NEUTRAL)
    actions = []
    if finding.proposal is not None:
        actions.append(HintAction("settle", visible(repair_words(finding)).replace("&", "&&")))
    if finding.severity is not Severity.INFO:
        actions.append(HintAction("waive", "Keep, with a reason"))
    return Hint(
        finding.message,
        finding.settle,
        SEVERITY_TONE[finding.severity],
        actions=() if is_read_only else tuple(actions),
        toolTip=finding.rule,
    )


def repair_words(finding: Finding) -> str:
    """What accepting the proposal of a finding does, in the few words of a button."""
    proposal = finding.proposal
    if finding.edge is not None:
        verb = "Remove" if finding.rule == "graph.redundant_edge" else "Draw"
        return f"{verb} {finding.edge[0]} → {finding.edge[1]}"
    if finding.rule == "policy.differs":
        return f"Label it {POLICY[Policy(str(proposal))]}"
    if finding.rule == "information.differs":
        return f"Label it {INFORMATION[Information(str(proposal))]}"
    if finding.rule == "graph.answer_early":
        return "Let the answer wait for every step"
    if finding.rule == "args.default":
        return f"Remove {argument_name(finding)}"
    if finding.rule == "ask.no_parameter":
        return "Name what it asks for"
    verb = {"args.undefined": "Rename to", "call.unknown_tool": "Call"}.get(finding.rule, "Use")
    return f"{verb} {_shown(proposal)}"


def argument_name(finding: Finding) -> str:
    """The name of the argument a finding is about."""
    return keys_of(finding.path or "/?")[-1]


def _shown(value: JsonValue) -> str:
    text = f"“{value}”" if isinstance(value, str) else to_text(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"
