"""The saved work on a case, in the store and on this computer: which to go on from."""

from dataclasses import dataclass, replace
from datetime import datetime

from annotator.drafts.difference import restored_words
from annotator.drafts.draft_body import DraftBody
from annotator.drafts.journal import (
    Journal,
    JournalEntry,
    WorkKey,
    is_later,
    moment_of,
    window_of,
    written_at,
)
from annotator.drafts.snapshot import Snapshot, opening_snapshot
from annotator.review.drafts import OpenCase
from scoring.errors import StoreError
from scoring.model.case import Case
from scoring.texts import joined, tr


@dataclass(frozen=True)
class RestoredWork:
    """Work to go on from, and what to tell the person about it.

    `is_newer_here` says that it was kept on this computer and the store has not got it yet;
    `sets_aside` that what was kept here is older and must be moved out of the way. `base` is the earlier
    state of the case that the work began with; None where it is the present one.
    """

    body: DraftBody | None
    words: str = ""
    is_warning: bool = False
    is_newer_here: bool = False
    sets_aside: bool = False
    base: Case | None = None


def choose_work(opened: OpenCase, kept: JournalEntry | None) -> RestoredWork:
    """Choose between the store's draft and what was kept on this computer: the later one wins.

    Args:
        opened: The case with its draft.
        kept: What the journal holds of it.
    """
    draft = opened.draft
    drafted_at = moment_of(draft) if draft is not None else None
    if kept is not None and (draft is None or drafted_at is None or kept.at >= drafted_at):
        words = tr(
            "Restored what was kept on this computer at {clock} while the project did not answer",
            clock=_clock(kept.at),
        )
        base = kept.base if kept.base != opened.base else None
        words = _words(opened, kept.body, words, is_counted=base is None)
        return RestoredWork(kept.body, words, is_warning=True, is_newer_here=True, base=base)
    if draft is None:
        return RestoredWork(None, sets_aside=kept is not None)
    words = (
        tr("Restored your draft of {clock}", clock=_clock(drafted_at))
        if drafted_at is not None
        else tr("Restored your draft")
    )
    words = _words(opened, draft, words, is_counted=opened.draft_base is None)
    if kept is not None:
        words = joined(words, tr("An older state kept on this computer was set aside."))
    return RestoredWork(draft, words, sets_aside=kept is not None, base=opened.draft_base)


def recall(opened: OpenCase, journal: Journal, key: WorkKey) -> RestoredWork:
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
            place = journal.lay_aside(JournalEntry(key=key, at=kept.at, body=opened.draft))
            notes.append(
                tr("What another window saved in the meantime was set aside in {place}.", place=place)
            )
        except StoreError:  # then the store's draft is what must not be overwritten
            restored = choose_work(opened, None)
            restored = replace(restored, sets_aside=True, is_warning=True)
            notes.append(tr("What was kept on this computer differs from it and was set aside."))
    if restored.sets_aside:
        journal.set_aside(key)
    if damaged is not None:
        notes.append(
            tr(
                "Changes kept on this computer while the project was away cannot be read any more: "
                "see {place}.",
                place=damaged,
            )
        )
    if not notes:
        return replace(restored, sets_aside=False)
    return replace(restored, words=joined(restored.words, *notes), is_warning=True, sets_aside=False)


@dataclass(frozen=True)
class Brought:
    """Work that is carried over to the case as it is now, and what it went on from: a draft and a case.

    `by` names who is known to have changed the case since, `seconds` is the active time so far.
    """

    work: Snapshot
    known: DraftBody | None
    base: Case
    by: tuple[str, ...] = ()
    seconds: float = 0.0


def rival_of(opened: OpenCase, journal: Journal, brought: Brought) -> DraftBody | None:
    """What another window saved of the case, where the work that is brought did not go on from it.

    Args:
        opened: The case as it is now.
        journal: Says which window this is.
        brought: The work.

    Returns:
        None where there is nothing, or nothing else than what is brought.
    """
    draft = opened.draft
    if draft is None or draft == brought.known or window_of(draft) == journal.window:
        return None
    return None if (draft.case, draft.judgment) == (brought.work.case, brought.work.judgment) else draft


def _is_rival(kept: JournalEntry, opened: OpenCase) -> bool:
    """Whether another window saved a draft since the kept work was begun, and says something else."""
    draft = opened.draft
    if draft is None or kept.basis is None or kept.basis >= opened.draft_sequence:
        return False
    return is_later(kept.body, draft) is None and (draft.case, draft.judgment) != (
        kept.body.case,
        kept.body.judgment,
    )


def _words(opened: OpenCase, body: DraftBody, beginning: str, *, is_counted: bool) -> str:
    """What a draft holds; only its beginning where it has to be brought together with the case first."""
    if not is_counted:
        return tr("{words}.", words=beginning)
    start = opening_snapshot(opened.base, opened.template)
    changed = restored_words(start, Snapshot(body.case, body.judgment))
    typed = tr("what was being typed is in its editor again") if body.open_editor is not None else ""
    words = tr("; ").join(filter(None, (changed, typed)))
    return tr("{beginning}: {words}.", beginning=beginning, words=words) if words else ""


def _clock(at: datetime) -> str:
    local = at.astimezone()
    today = datetime.now().astimezone().date()
    return f"{local:%H:%M}" if local.date() == today else f"{local:%Y-%m-%d %H:%M}"
