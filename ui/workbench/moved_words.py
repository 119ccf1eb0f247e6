"""What the banner says when a case changed while somebody works on it."""

from annotator.review.moving_on import MovedOn
from ui.theme.words import STAGE
from ui.workbench.together import Together, who


def brought_words(together: Together | None, changed: str, *, place: str, keys: str) -> tuple[str, str]:
    """The sentence and the hint once one's work was brought together with the case as it is now.

    Args:
        together: What came of it; null where nothing had to be brought together.
        changed: Who changed what, in a sentence.
        place: The file that keeps what another window saved; empty where there was none.
        keys: How that is brought back.
    """
    is_changed = together is not None and bool(together.tasks or together.theirs or together.work.clashes)
    if place:
        hint = f"Undo shows what that window saved. {place} keeps it, and {keys} brings it back later."
        lead = f"{changed} " if is_changed and changed else ""
        return "Your work lies on top of what another window saved.", lead + hint
    if is_changed:
        hint = f"{changed} Undo shows the case without your work."
        return "Your work and the case as it is now are one again.", hint
    hint = "Nobody changed its content. Undo shows the case without your work."
    return "Your work lies on top of the case as it is now.", hint


def moved_words(moved: MovedOn, *, me: str) -> tuple[str, str]:
    """The sentence and the hint when a case that is open moved on."""
    if moved.has_other_content:
        hint = "Your work is saved. Bring both together now, or later: until then it cannot be submitted."
        return f"{who(moved.by, me)} changed {moved.case_id} while you work on it.", hint
    stage = STAGE[moved.stage].lower()
    hint = "Your work is saved. Open the case again before you submit."
    return f"{moved.case_id} moved on while you work on it: it is at {stage} now.", hint
