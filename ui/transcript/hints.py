"""The boxes in a card that say what the checks found, and what they offer."""

from scoring.model.labels import Finding
from scoring.model.taxonomy import Severity
from ui.theme import Hint, HintAction, Tone
from ui.theme.tokens import SEVERITY_TONE
from ui.theme.untrusted import visible
from ui.transcript.repairs import repair_words


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
    hint = Hint(
        finding.message,
        finding.settle,
        SEVERITY_TONE[finding.severity],
        actions=() if is_read_only else tuple(actions),
    )
    hint.setToolTip(finding.rule)
    return hint
