"""Which commands of the page are possible now, and why the others are not."""

from collections.abc import Mapping

from scoring.model.taxonomy import Stage
from ui.workbench.document import WorkbenchDocument
from ui.workbench.submit_bar import why_blocked

_OF_A_CASE = ("submit", "reject", "escalate", "return", "hand-back", "skip", "undo", "redo", "over", "aside")


def reasons_against(document: WorkbenchDocument | None, *, was_submitted: bool) -> Mapping[str, str]:
    """Say of each command why it is not possible; empty where it is.

    Args:
        document: What is open.
        was_submitted: Whether there is a submission that could be taken back.
    """
    withdraw = "" if was_submitted else "Nothing was submitted yet."
    if document is None:
        closed = dict.fromkeys(_OF_A_CASE, "No case is open; N takes the next one.")
        return {**closed, "next": "", "withdraw": withdraw}
    clashing = "Choose first at the places that both changed (F8)." if document.snapshot.clashes else ""
    is_cross = document.stage is Stage.CROSS_CHECK
    return {
        **dict.fromkeys(_OF_A_CASE, ""),
        "next": "Submit, escalate or hand back this case first.",
        "withdraw": withdraw,
        "submit": why_blocked(document.shown),
        "reject": clashing,
        "escalate": clashing,
        "return": clashing if is_cross else "A self-check cannot return a case; escalate it instead.",
    }
