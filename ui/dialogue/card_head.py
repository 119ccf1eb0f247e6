"""The first line of a card, which says who speaks and how it stands, and the boxes with its findings."""

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue
from PySide6.QtWidgets import QWidget

from annotator.cases.pointers import keys_of
from scoring.model.labels import Finding
from scoring.model.record import to_text
from scoring.model.taxonomy import Information, Policy, Severity
from scoring.texts import tr, tr_count
from ui.dialogue.content import CardContent, CardKind, EvidenceCoverage
from ui.theme import Chip, Dot, ElidedLabel, Hint, HintAction, Kbd, TextLabel, Tone
from ui.theme.labels import restyle
from ui.theme.layouts import STRETCH, hbox
from ui.theme.tokens import SEVERITY_TONE
from ui.theme.words import INFORMATION, POLICY, visible

_HUES: Mapping[CardKind, str] = {
    CardKind.USER: "user",
    CardKind.CALL: "call",
    CardKind.ASK: "answer",
    CardKind.ANSWER: "answer",
    CardKind.FOLDED: "faint",
}


class CardHead(QWidget):
    """First line of a card: square, who, name, note, chips, key; shown is only what is said."""

    def __init__(self, kind: CardKind, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        hue, is_folded = _HUES[kind], kind is CardKind.FOLDED
        self._title = TextLabel("", "small-muted" if is_folded else hue)
        self._name = ElidedLabel("", "small-faint" if is_folded else "mono-muted")
        self._note = TextLabel("", "small-muted")
        self._chip = Chip("", Tone.WARN if is_folded else Tone.NEUTRAL)
        self._coverage = Chip()
        self._comments = Chip(
            "", Tone.ACCENT, objectName="card-comments", toolTip=tr("Unresolved comments (Alt+M)")
        )
        self._key = Kbd("E", toolTip=tr("Cite the values of this call"), visible=False)
        hbox(
            TextLabel("▸", "small-faint") if is_folded else Dot(hue),
            self._title,
            (self._name, int(is_folded)),
            self._note,
            *(() if is_folded else (STRETCH,)),
            self._key,  # in the free room, so that nothing moves when the card is selected
            self._chip,
            self._coverage,
            self._comments,
            within=self,
            gap=8,
        )

    def show_content(self, content: CardContent) -> None:
        """Say who speaks and how it stands."""
        self._title.setText(content.title)
        count = content.comment_count
        for label, words in (
            (self._name, visible(content.name)),
            (self._note, content.note),
            (self._chip, content.chip),
            (self._coverage, coverage_words(content.coverage)),
            (self._comments, tr_count(count, "comment") if count else ""),
        ):
            label.setText(words)
            label.setVisible(bool(words))
        covered = content.coverage
        is_full = covered is not None and covered.cited + covered.found >= covered.total
        restyle(self._coverage, "chip", (Tone.OK if is_full else Tone.WARN).value)

    def show_keys(self, *, on: bool) -> None:
        """Show which key works on the card."""
        self._key.setVisible(on)


def coverage_words(coverage: EvidenceCoverage | None) -> str:
    """How much of a call is cited, in words, and how much needs no citation."""
    if coverage is None or not coverage.total:
        return ""
    cited = tr("{cited} of {total} cited", cited=coverage.cited, total=coverage.total)
    found = tr(", {count} taken as found", count=coverage.found) if coverage.found else ""
    return cited + found


_LONGEST_VALUE = 28


def hint_of(finding: Finding, *, is_waived: bool, is_read_only: bool, **properties: Any) -> Hint:
    """Make the box of a finding.

    Args:
        finding: What was noticed.
        is_waived: Whether it was waived; nothing is offered then.
        is_read_only: Whether nothing may be changed.
        properties: Of the box, and what its signals call.
    """
    if is_waived:
        return Hint(
            tr(finding.message), tr("Waived with a reason."), Tone.NEUTRAL, toolTip=finding.rule, **properties
        )
    actions = []
    if finding.proposal is not None:
        actions.append(HintAction("settle", visible(repair_words(finding)).replace("&", "&&")))
    if finding.severity is not Severity.INFO:
        actions.append(HintAction("waive", tr("Waive")))
    return Hint(
        tr(finding.message),
        tr(finding.settle),
        SEVERITY_TONE[finding.severity],
        actions=() if is_read_only else tuple(actions),
        toolTip=finding.rule,
        **properties,
    )


def repair_words(finding: Finding) -> str:
    """What accepting the proposal of a finding does, in the few words of a button."""
    proposal = finding.proposal
    if finding.edge is not None:
        verb = tr("Remove") if finding.rule == "graph.redundant_edge" else tr("Draw")
        return f"{verb} {finding.edge[0]} → {finding.edge[1]}"
    match finding.rule:
        case "policy.differs":
            return tr("Label it {policy}", policy=POLICY[Policy(str(proposal))])
        case "information.differs":
            return tr("Label it {information}", information=INFORMATION[Information(str(proposal))])
        case "graph.answer_early":
            return tr("Let the answer wait for every step")
        case "args.default":
            return tr("Remove {argument_name}", argument_name=argument_name(finding))
        case "ask.no_parameter":
            return tr("Name what it asks for")
    verb = {"args.undefined": tr("Rename to"), "call.unknown_tool": tr("Call")}.get(finding.rule, tr("Use"))
    return f"{verb} {_shown(proposal)}"


def argument_name(finding: Finding) -> str:
    """The name of the argument a finding is about."""
    return keys_of(finding.path or "/?")[-1]


def _shown(value: JsonValue) -> str:
    text = f"“{value}”" if isinstance(value, str) else to_text(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"
