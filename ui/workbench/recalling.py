"""Finding the work on a case again, in the store and on this computer, without losing either."""

from dataclasses import replace
from pathlib import Path

from annotator.review.drafts import DraftBody, OpenCase
from scoring.errors import StoreError
from ui.theme.tokens import Tone
from ui.workbench.journal import Journal, Kept, WorkKey, window_of
from ui.workbench.opening import Restored, choose_work


def recall(opened: OpenCase, journal: Journal, key: WorkKey) -> Restored:
    """Choose the state of the work to go on from, and set aside what it would overwrite.

    Args:
        opened: The case with the store's draft.
        journal: What this computer kept.
        key: Whose work on what.

    Returns:
        What to go on from; its words name every file that something was set aside in.
    """
    kept = journal.find(key)
    damaged = journal.damaged
    if kept is not None and opened.draft is not None and _is_earlier(kept.body, opened.draft):
        journal.drop(key)
        kept = None
    restored = choose_work(opened, kept)
    notes = []
    if restored.is_newer_here and kept is not None and opened.draft is not None and _is_rival(kept, opened):
        try:
            place = journal.lay_aside(Kept(key=key, at=kept.at, body=opened.draft))
            notes.append(f"What another window saved in the meantime was set aside in {place}.")
        except StoreError:  # then the store's draft is what must not be overwritten
            restored = choose_work(opened, None)
            restored = replace(restored, sets_aside=True, tone=Tone.WARN)
            notes.append("What was kept on this computer differs from it and was set aside.")
    if restored.sets_aside:
        journal.set_aside(key)
    if damaged is not None:
        notes.append(_damage_words(damaged))
    if not notes:
        return replace(restored, sets_aside=False)
    words = " ".join((restored.words, *notes)).strip()
    return replace(restored, words=words, tone=Tone.WARN, sets_aside=False)


def _damage_words(place: Path) -> str:
    return f"Changes kept on this computer while the project was away cannot be read any more: see {place}."


def _is_earlier(kept: DraftBody, draft: DraftBody) -> bool:
    """Whether one window wrote both, and the store's is the same or later."""
    if not window_of(kept) or window_of(kept) != window_of(draft):
        return False
    return str(kept.cursor.get("at", "")) <= str(draft.cursor.get("at", ""))


def _is_rival(kept: Kept, opened: OpenCase) -> bool:
    """Whether another window saved a draft since the kept work was begun, and says something else."""
    draft = opened.draft
    if draft is None or kept.basis is None or kept.basis >= opened.draft_sequence:
        return False
    is_own = bool(window_of(draft)) and window_of(draft) == window_of(kept.body)
    return not is_own and (draft.case, draft.judgment) != (kept.body.case, kept.body.judgment)
