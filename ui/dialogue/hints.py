"""The boxes in a card that say what the checks found, and what accepting their proposal does."""

from pydantic import JsonValue

from annotator.cases.pointers import keys_of
from scoring.model.labels import Finding
from scoring.model.record import to_text
from scoring.model.taxonomy import Information, Policy, Severity
from ui.theme import Hint, HintAction, Tone
from ui.theme.tokens import SEVERITY_TONE
from ui.theme.words import INFORMATION, POLICY, visible

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
