"""What the proposal of a finding would do, in words for its button."""

from pydantic import JsonValue

from annotator.cases.pointers import keys_of
from scoring.model.labels import Finding
from scoring.model.record import to_text
from scoring.model.taxonomy import Information, Policy
from ui.theme.words import INFORMATION, POLICY

_LONGEST_VALUE = 28


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
