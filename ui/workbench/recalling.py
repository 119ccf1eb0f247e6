"""Finding the work on a case again, in the store and on this computer, without losing either."""

from dataclasses import dataclass, replace
from pathlib import Path

from annotator.review.drafts import DraftBody, OpenCase
from scoring.errors import StoreError
from scoring.model.case import Case
from ui.theme.tokens import Tone
from ui.workbench.journal import Journal, Kept, WorkKey, is_later, window_of, written_at
from ui.workbench.opening import Restored, choose_work
from ui.workbench.snapshot import Snapshot


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
    is_newer = is_later(kept.body, opened.draft) if kept is not None and opened.draft is not None else None
    if kept is not None and is_newer is False:  # the store has it, or what became of it
        journal.drop(key)
        kept = None
    elif kept is not None and opened.draft is not None and is_newer:
        kept = kept.model_copy(update={"at": max(kept.at, written_at(opened.draft, kept.at))})
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


@dataclass(frozen=True)
class Brought:
    """Work that is carried over to the case as it is now, and what it went on from: a draft and a case.

    `by` names who is known to have changed the case since.
    """

    work: Snapshot
    known: DraftBody | None
    base: Case
    by: tuple[str, ...] = ()


def rival_of(opened: OpenCase, journal: Journal, brought: Brought) -> DraftBody | None:
    """What another window saved of the case, where the work that is brought did not go on from it.

    Args:
        opened: The case as it is now.
        journal: Says which window this is.
        brought: The work.

    Returns:
        Null where there is nothing, or nothing else than what is brought.
    """
    draft = opened.draft
    if draft is None or draft == brought.known or window_of(draft) == journal.window:
        return None
    return None if (draft.case, draft.judgment) == (brought.work.case, brought.work.judgment) else draft


def _damage_words(place: Path) -> str:
    return f"Changes kept on this computer while the project was away cannot be read any more: see {place}."


def _is_rival(kept: Kept, opened: OpenCase) -> bool:
    """Whether another window saved a draft since the kept work was begun, and says something else."""
    draft = opened.draft
    if draft is None or kept.basis is None or kept.basis >= opened.draft_sequence:
        return False
    return is_later(kept.body, draft) is None and (draft.case, draft.judgment) != (
        kept.body.case,
        kept.body.judgment,
    )
