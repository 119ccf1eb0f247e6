"""Everything the workbench reads before it shows a case, and which state of the work it goes on from."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from annotator.project.changes import Changes
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import Done, Workspace
from annotator.review.claiming import AssignmentRow, claim_case, claim_next, leave
from annotator.review.drafts import DraftBody, OpenCase, OpenEditor, open_assignment
from annotator.review.feedback import RecurringMistake, recurring_mistakes
from annotator.review.foreseeing import foresee_next
from annotator.review.moving_on import is_behind
from scoring.errors import ForbiddenError
from scoring.model.case import Case
from scoring.model.labels import Judgment
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Stage
from ui.theme.tokens import Tone
from ui.workbench.assessing import Assessment, assess
from ui.workbench.awaiting import awaited, is_long
from ui.workbench.document import WorkbenchDocument
from ui.workbench.journal import Kept
from ui.workbench.restoring import restored_words
from ui.workbench.snapshot import Snapshot, opening_snapshot, with_answers_last

ANNOTATION_STAGES = (Stage.SELF_CHECK_TASK, Stage.SELF_CHECK_DIALOGUE, Stage.CROSS_CHECK)
"""Stages whose work is done on this page, the most urgent first."""


@dataclass(frozen=True)
class Loaded:
    """A case as its reviewer may see it, with what the page needs besides.

    `assessment` is what the checks say about the state the store has, null for a long case, which is shown
    before they are through; `was_ahead` says that it was there before the case was asked for.
    """

    opened: OpenCase
    policy: ReviewPolicy
    mistakes: tuple[RecurringMistake, ...]
    assessment: Assessment | None
    was_ahead: bool = False


@dataclass(frozen=True)
class Ready:
    """A case that may come next, looked at with everything a program can say about it.

    A long one is not looked at: the way to the project must not be held up by it.
    """

    case_id: str
    head_id: int
    stage: Stage
    is_blind: bool
    policy: ReviewPolicy
    assessment: Assessment

    def document(self) -> WorkbenchDocument:
        """The case as it would open, for columns to make themselves ready for."""
        shown = self.assessment.snapshot
        return WorkbenchDocument(
            shown.case,
            shown.judgment,
            stage=self.stage,
            policy=self.policy,
            is_blind=self.is_blind,
            draft=shown,
            assessment=self.assessment,
        )


def load(workspace: Workspace, assignment_id: int, *, ready: Ready | None = None) -> Loaded:
    """Read everything about a slot in one go.

    Args:
        workspace: In whose name.
        assignment_id: The slot.
        ready: What was prepared ahead; used only where the store has that very case, content and draft.
    """
    opened = open_assignment(workspace, assignment_id)
    policy = workspace.policy()
    mistakes = recurring_mistakes(workspace)
    draft = opened.draft if opened.draft_base is None else None
    snapshot = _state(opened.base, opened.template, draft=draft, is_blind=opened.is_blind)
    if ready is not None and _is_the_same(ready, opened, policy) and ready.assessment.snapshot == snapshot:
        known = None if ready.assessment.is_awaited else ready.assessment
        return Loaded(opened, policy, mistakes, assessment=known, was_ahead=True)
    stage = opened.assignment.stage
    assessment = None if is_long(snapshot.case) else assess(snapshot, stage=stage, policy=policy)
    return Loaded(opened, policy, mistakes, assessment=assessment)


def take_up(workspace: Workspace, assignment_id: int) -> Done[Loaded]:
    """Open a slot; one on an earlier state of its case is claimed anew, so that it can be submitted."""
    loaded = load(workspace, assignment_id)
    held, row = loaded.opened.assignment, loaded.opened.row
    is_same_part = (row.stage, row.round) == (held.stage, held.round)
    if held.status == "claimed" and is_same_part and is_behind(held, row):
        return take_again(workspace, held)
    return Done(loaded, Changes())


def take_next(workspace: Workspace, *, ready: Ready | None = None) -> Done[Loaded | None]:
    """Claim the next case to check and read it; null where nothing waits."""
    done = claim_next_annotation(workspace)
    held = done.value
    loaded = load(workspace, held.id, ready=ready) if held is not None else None
    return Done(loaded, done.changes)


def take_case(workspace: Workspace, case_id: str) -> Done[Loaded]:
    """Claim one particular case and read it.

    Raises:
        ForbiddenError: It waits for nobody, for somebody else, or every slot is taken; says which.
    """
    claimed = claim_case(workspace, case_id)
    return Done(load(workspace, claimed.value.id), claimed.changes)


def take_again(workspace: Workspace, held: AssignmentRow) -> Done[Loaded]:
    """Claim a case anew whose slot or content is not what it was, and read it as it is now.

    Raises:
        ForbiddenError: Somebody else has it by now, or nobody works on it any more; says which.
    """
    changes = Changes()
    with suppress(ForbiddenError):  # a slot that is gone already need not be left
        changes = leave(workspace, held.id, skip=False).changes
    taken = take_case(workspace, held.case_id)
    return Done(taken.value, changes | taken.changes)


def prepare_next(workspace: Workspace, *, besides: str | None) -> Ready | None:
    """Look at the case that would come next, without claiming it; null where nothing waits.

    Args:
        workspace: In whose name.
        besides: Id of the case that is open; null for none.
    """
    found = foresee_next(workspace, stages=ANNOTATION_STAGES, besides=besides)
    if found is None:
        return None
    is_blind = found.stage is Stage.CROSS_CHECK
    begun = found.beginning
    draft = begun.draft if begun.draft_base is None else None
    snapshot = _state(found.base, begun.template, draft=draft, is_blind=is_blind)
    if is_long(snapshot.case):
        said = awaited(snapshot, None)
    else:
        said = assess(snapshot, stage=found.stage, policy=found.policy)
    return Ready(
        case_id=found.case_id,
        head_id=found.head_id,
        stage=found.stage,
        is_blind=is_blind,
        policy=found.policy,
        assessment=said,
    )


def claim_next_annotation(workspace: Workspace) -> Done[AssignmentRow | None]:
    """Take the next case to check, own work before that of others; null where nothing waits."""
    done: Done[AssignmentRow | None] | None = None
    for stage in ANNOTATION_STAGES:
        done = claim_next(workspace, stage=stage)
        if done.value is not None:
            return done
    assert done is not None
    return done


def _state(base: Case, template: Judgment, *, draft: DraftBody | None, is_blind: bool) -> Snapshot:
    """Where a document of a case begins."""
    if draft is not None:
        return opening_snapshot(draft.case, draft.judgment, draft.clashes)
    return opening_snapshot(with_answers_last(base) if is_blind else base, template)


def _is_the_same(ready: Ready, opened: OpenCase, policy: ReviewPolicy) -> bool:
    held = opened.assignment
    is_case = (ready.case_id, ready.head_id) == (held.case_id, opened.row.head_id)
    is_part = (ready.stage, ready.is_blind) == (held.stage, opened.is_blind)
    return is_case and is_part and ready.policy == policy


@dataclass(frozen=True)
class Restored:
    """Work to go on from, and what to tell the person about it.

    `is_newer_here` says that it was kept on this computer and the store has not got it yet;
    `sets_aside` that what was kept here is older and must be moved out of the way. `base` is the earlier
    state of the case that the work began with; null where it is the present one.
    """

    body: DraftBody | None
    words: str = ""
    tone: Tone = Tone.ACCENT
    is_newer_here: bool = False
    sets_aside: bool = False
    base: Case | None = None


def choose_work(opened: OpenCase, kept: Kept | None) -> Restored:
    """Choose between the store's draft and what was kept on this computer: the later one wins.

    Args:
        opened: The case with its draft.
        kept: What the journal holds of it.
    """
    draft = opened.draft
    drafted_at = _moment(draft.cursor) if draft is not None else None
    if kept is not None and (draft is None or drafted_at is None or kept.at >= drafted_at):
        where = f"what was kept on this computer at {_clock(kept.at)} while the project did not answer"
        base = kept.base if kept.base != opened.base else None
        words = _words(opened, kept.body, f"Restored {where}", is_counted=base is None)
        return Restored(kept.body, words, Tone.WARN, is_newer_here=True, base=base)
    if draft is None:
        return Restored(None, sets_aside=kept is not None)
    when = f" of {_clock(drafted_at)}" if drafted_at is not None else ""
    words = _words(opened, draft, f"Restored your draft{when}", is_counted=opened.draft_base is None)
    if kept is not None:
        words = f"{words} An older state kept on this computer was set aside.".strip()
    return Restored(draft, words, sets_aside=kept is not None, base=opened.draft_base)


def document_for(loaded: Loaded, body: DraftBody | None) -> WorkbenchDocument:
    """Make the document of a case; the draft is where it stands, the case is what undoing leads to.

    Raises:
        AnnotatorError: What was saved does not hold together.
    """
    opened = loaded.opened
    draft = opening_snapshot(body.case, body.judgment, body.clashes) if body is not None else None
    return WorkbenchDocument(
        opened.base,
        opened.template,
        stage=opened.assignment.stage,
        policy=loaded.policy,
        is_blind=opened.is_blind,
        draft=draft,
        seconds=body.judgment.seconds if body is not None else 0.0,
        assessment=loaded.assessment,
    )


def draft_body(
    document: WorkbenchDocument, at: datetime, *, open_editor: OpenEditor | None = None
) -> DraftBody:
    """What is saved of a document: case, judgment, active time, and where the person was when."""
    cursor: JsonObject = {
        "task": document.selection.task,
        "step": document.selection.step,
        "at": at.isoformat(),
    }
    judgment = document.judgment.model_copy(update={"seconds": document.seconds})
    return DraftBody(
        case=document.case,
        judgment=judgment,
        cursor=cursor,
        open_editor=open_editor,
        clashes=document.snapshot.clashes,
    )


def cursor_of(body: DraftBody) -> tuple[int, int | None]:
    """Where the person was, as task and step."""
    task, step = body.cursor.get("task"), body.cursor.get("step")
    return (task if isinstance(task, int) else 0), (step if isinstance(step, int) else None)


def returned_words(opened: OpenCase) -> str:
    """Why a case came back to its owner; empty where it did not."""
    is_own = opened.assignment.stage in (Stage.SELF_CHECK_TASK, Stage.SELF_CHECK_DIALOGUE)
    return opened.returned_note if is_own else ""


def _words(opened: OpenCase, body: DraftBody, beginning: str, *, is_counted: bool) -> str:
    """What a draft holds; only its beginning where it has to be brought together with the case first."""
    if not is_counted:
        return f"{beginning}."
    start = opening_snapshot(opened.base, opened.template)
    changed = restored_words(start, Snapshot(body.case, body.judgment))
    typed = "what was being typed is in its editor again" if body.open_editor is not None else ""
    words = "; ".join(part for part in (changed, typed) if part)
    return f"{beginning}: {words}." if words else ""


def _moment(cursor: JsonObject) -> datetime | None:
    found = cursor.get("at")
    try:
        return datetime.fromisoformat(found) if isinstance(found, str) else None
    except ValueError:
        return None


def _clock(at: datetime) -> str:
    local = at.astimezone()
    today = datetime.now().astimezone().date()
    return f"{local:%H:%M}" if local.date() == today else f"{local:%Y-%m-%d %H:%M}"
