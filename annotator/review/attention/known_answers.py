"""Known-answer cases, from making one to telling what was planted: held and submitted like any slot."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from annotator.cases.bodies import load_revision, read_body, read_record, write_body, write_record
from annotator.cases.copies import CopyComments
from annotator.project.stages import ENDED_WORDS
from annotator.project.workspace import Work
from annotator.review.attention.catches import is_caught
from annotator.review.attention.copy_ids import id_like
from annotator.review.attention.defects import KINDS_AT, Defect, DefectKind, Planted, plant
from db.read import known_answers as stored
from db.read import queries
from db.read.rows import AssignmentRow, CaseRow, KnownAnswerRow
from db.tables import Transaction
from db.write.known_answers import add_copy, change_copy, lock_person
from db.write.slots import next_number
from scoring.errors import ConflictError, ForbiddenError
from scoring.groups import collected
from scoring.model.case import Case
from scoring.model.labels import Judgment
from scoring.model.record import Record, with_texts
from scoring.model.taxonomy import SlotStatus, Stage

NO_CASE = 0
"""The number of the case of a slot on a known-answer case: it is none of the project's."""
_MOST_SOURCES = 5
"""How many gold cases are tried for a claim: each costs checks of the whole case."""


class KnownAnswerReveal(Record):
    """What the person is told after submitting a known-answer case.

    `is_counted` is false where the gold case was reopened or changed meanwhile: then nothing is known about
    the copy any more.
    """

    kind: DefectKind
    planted: str
    is_caught: bool
    is_counted: bool = True

    @property
    def words(self) -> str:
        """What was planted and whether it was caught, in sentences."""
        if not self.is_counted:
            return (
                "This was a known-answer case. Its gold case was reopened or changed meanwhile, "
                "so it does not count."
            )
        caught = "You caught it." if self.is_caught else "It was not caught."
        what = "This was a known-answer case: a copy of a gold case with one planted defect."
        return f"{what} {self.planted} {caught}"


def nothing_submitted(case_id: str) -> ForbiddenError:
    """What is said to who would take back what they have not said."""
    return ForbiddenError(
        f"You have not submitted anything about {case_id}.", "There is nothing to take back."
    )


def slot_of(row: KnownAnswerRow) -> AssignmentRow:
    """A copy as the slot its person holds."""
    return AssignmentRow(
        id=row.id,
        case_pk=NO_CASE,
        case_id=row.case_id,
        stage=row.stage,
        round=1,
        slot=0,
        person_id=row.person_id,
        person=row.person,
        status=row.status,
        case_version=1,
        claimed_at=row.claimed_at,
        lease_until=row.lease_until,
    )


def copy_of_slot(tx: Transaction, number: int, *, person_id: int) -> KnownAnswerRow | None:
    """A copy by the number of its slot, whoever's it is, as of any case; None where the number is no copy's.

    Raises:
        ForbiddenError: It was the person's; its gold case was reopened, and the copy with it taken away.
    """
    row = stored.find_copy(tx, number) or _left_before(tx, number)
    if row is not None and row.person_id == person_id and row.status == SlotStatus.DROPPED:
        raise ForbiddenError(
            f"{row.case_id} was a known-answer case, and its gold case was reopened meanwhile: "
            "it was taken away and does not count.",
            "Take the next case (N).",
        )
    return row


def _left_before(tx: Transaction, number: int) -> KnownAnswerRow | None:
    """A copy as it was in a slot that its person left, and took again under another number."""
    left_ones = (
        replace(row, id=left, status=status)
        for row in stored.copies_taken_again(tx)
        for left, status in read_record(CopyComments, row.remarks).left
        if left == number
    )
    return next(left_ones, None)


@collected
def held_slots(w: Work) -> Iterator[AssignmentRow]:
    """The copies a person holds; those whose gold case was reopened meanwhile are taken away first."""
    for row in stored.copies_of(w.tx, w.person.id, (SlotStatus.CLAIMED,)):
        if row.is_valid:
            yield slot_of(row)
        else:
            change_copy(
                w.tx,
                row.id,
                expected=SlotStatus.CLAIMED,
                values={"status": SlotStatus.DROPPED, "closed_at": w.at},
            )
            w.follow("attention:copy:drop", f"attention:{row.id}", {"because": "its gold case was reopened"})


def renewed(w: Work, number: int) -> AssignmentRow:
    """Renew the hold on a copy; nobody else can take it, so that it never ends by itself."""
    change_copy(w.tx, number, expected=SlotStatus.CLAIMED, values={"lease_until": w.policy.lease_end(w.at)})
    return slot_of(stored.get_copy(w.tx, number))


def taken_again(w: Work, row: KnownAnswerRow) -> AssignmentRow:
    """Give a copy back to the person who left it, under a fresh number as any slot has."""
    number = next_number(w.tx)
    kept = read_record(CopyComments, row.remarks)
    kept = kept.model_copy(update={"left": (*kept.left, (row.id, row.status))})
    again = {
        "id": number,
        "status": SlotStatus.CLAIMED,
        "claimed_at": w.at,
        "closed_at": None,
        "draft_sequence": 0,
        "remarks": write_record(kept),
    }
    change_copy(w.tx, row.id, expected=row.status, values=again)
    _record_claim(w, number, row.stage)
    w.touch(row.case_id)
    return renewed(w, number)


def find_left(w: Work, case_id: str) -> KnownAnswerRow | None:
    """A copy the person left and asks for by its id; None where the id is none of such a copy."""
    row = stored.copy_named(w.tx, case_id, person_id=w.person.id)
    return row if row is not None and row.status in stored.LEFT else None


def _record_claim(w: Work, number: int, stage: Stage) -> None:
    w.record(f"attention:{number}", {"stage": stage.value, "round": 1, "slot": 0})


def require_held(row: KnownAnswerRow) -> None:
    """Refuse work on a copy that was handed back or submitted.

    Raises:
        ForbiddenError: In the words that a slot on any other case has.
    """
    if row.status != SlotStatus.CLAIMED:
        ended = ENDED_WORDS.get(row.status, row.status)
        raise ForbiddenError(
            f"You do not hold {row.case_id} any more: it was {ended}.", "Open the case again to continue."
        )


def offer(w: Work, *, stage: Stage, like: CaseRow, language: str = "") -> AssignmentRow | None:
    """Give the person a known-answer case in place of a case that is new to them, where its turn has come.

    Two never follow each other, so that at a share s of all new cases the turn comes with probability
    s / (1 - s) after any other case. One the person handed back comes again first. Two windows of one
    person that ask at once get the same copy.

    Args:
        w: The claim.
        stage: Where the other case would be worked on.
        like: The other case: the copy's id looks like its id, and it is shown in its batch.
        language: The only one a new copy may be in; empty for any.

    Returns:
        The slot; None where it is not its turn, or no gold case is left for this person.
    """
    share = w.policy.attention_share
    if stage not in KINDS_AT or not share:
        return None
    for row in stored.copies_of(w.tx, w.person.id, (SlotStatus.RELEASED,)):
        if row.stage is stage and row.is_valid:
            return taken_again(w, row)
    chance = random.SystemRandom()
    if chance.random() >= share / (1 - share):
        return None
    lock_person(w.tx, w.person.id)  # another window of theirs may be here, too
    if held := held_slots(w):
        return renewed(w, held[0].id) if held[0].stage is stage else None
    if stored.was_last(w.tx, w.person.id):
        return None
    sources = list(stored.sources_for(w.tx, w.person.id, language=language))
    chance.shuffle(sources)
    for source_pk, revision_id in sources[:_MOST_SOURCES]:
        made = _made(w, load_revision(w.tx, revision_id), stage, chance)
        if made is not None:
            number = _keep(w, made, stage=stage, source=(source_pk, revision_id), like=like, chance=chance)
            return renewed(w, number)
    return None


def _made(w: Work, gold: Case, stage: Stage, chance: random.Random) -> Planted | None:
    """A defect of the kind this person was given least of, or of the next."""
    given = stored.kinds_given(w.tx, w.person.id)
    kinds = list(KINDS_AT[stage])
    chance.shuffle(kinds)
    kinds.sort(key=lambda kind: given.get(kind.value, 0))
    return plant(gold, stage=stage, kinds=kinds, policy=w.policy, chance=chance)


def _keep(
    w: Work,
    made: Planted,
    *,
    stage: Stage,
    source: tuple[int, int],
    like: CaseRow,
    chance: random.Random,
) -> int:
    copy, defect = made
    near = stored.cases_near(w.tx, like.pk, batch_id=like.batch_id)
    case_id = id_like(
        like.case_id,
        near=[one for one, _ in near],
        texts=[request for _, request in near],
        is_taken=partial(stored.is_taken, w.tx),
        chance=chance,
    )
    number = add_copy(
        w.tx,
        {
            "case_id": case_id,
            "batch": like.batch,
            "source_pk": source[0],
            "source_revision_id": source[1],
            "person_id": w.person.id,
            "stage": stage.value,
            "kind": defect.kind.value,
            "claimed_at": w.at,
            "lease_until": w.policy.lease_end(w.at),
            "defect": write_record(defect),
            "body": write_body(_disguised(w, copy, case_id, like)),
        },
    )
    _record_claim(w, number, stage)
    w.touch(case_id)
    return number


def _disguised(w: Work, copy: Case, case_id: str, like: CaseRow) -> Case:
    """A copy under its own id, as a further line of the file that the last case of the batch came from."""
    source = load_revision(w.tx, queries.batch_cases(w.tx, like.batch_id)[-1].head_id).source
    if source is not None and source.line is not None:
        source = source.model_copy(update={"line": source.line + 1})
    # Wherever the former id stands by itself, and not in a word.
    renamed = partial(re.compile(rf"(?<!\w){re.escape(copy.id)}(?!\w)").sub, lambda _: case_id)
    extras = {key: with_texts(value, renamed) for key, value in copy.extras.items()}
    return copy.model_copy(update={"id": case_id, "source": source, "extras": extras})


def leave_copy(w: Work, held: AssignmentRow, *, status: str, reason: str) -> None:
    """Hand a copy back, as `released` or `skipped`."""
    change_copy(w.tx, held.id, expected=SlotStatus.CLAIMED, values={"status": status, "closed_at": w.at})
    w.record(f"attention:{held.id}", {"status": status, "reason": reason})
    w.touch(held.case_id)


def save_copy_draft(w: Work, row: KnownAnswerRow, *, body: str, sequences: Sequence[int]) -> int:
    """Save the work in progress on a copy.

    Args:
        w: The operation.
        row: The copy.
        body: What to keep.
        sequences: The numbers of saved drafts that this one may replace.

    Returns:
        The number of the draft.

    Raises:
        ConflictError: Another window saved a later one.
    """
    require_held(row)
    if row.draft_sequence not in sequences:
        raise ConflictError(
            "This case is being edited in another window too.",
            "Close the other window, then open the case again.",
        )
    number = row.draft_sequence + 1
    change_copy(w.tx, row.id, expected=SlotStatus.CLAIMED, values={"draft": body, "draft_sequence": number})
    renewed(w, row.id)
    return number


def seal_copy(w: Work, row: KnownAnswerRow, *, judgment: Judgment, key: str) -> KnownAnswerReveal:
    """Take a submission about a copy, and tell what was planted; the draft goes with it.

    Where the gold case was reopened or changed meanwhile, the copy is dropped and counts for nothing.
    """
    defect = read_record(Defect, row.defect)
    places = tuple(comment.where for comment in read_record(CopyComments, row.remarks).remarks)
    caught = is_caught(defect, read_body(row.body), judgment, commented=places)
    values: dict[str, object] = {
        "status": SlotStatus.DROPPED,
        "idempotency_key": key,
        "closed_at": w.at,
        "draft": None,
    }
    if row.is_valid:
        values |= {"status": SlotStatus.SUBMITTED, "is_caught": caught, "judgment": write_record(judgment)}
    change_copy(w.tx, row.id, expected=SlotStatus.CLAIMED, values=values)
    w.record(f"attention:{row.id}", {"status": str(values["status"])})
    w.touch(row.case_id)
    return KnownAnswerReveal(
        kind=defect.kind, planted=defect.words, is_caught=caught, is_counted=row.is_valid
    )


def told(row: KnownAnswerRow) -> KnownAnswerReveal:
    """What was told about a copy when it was submitted."""
    defect = read_record(Defect, row.defect)
    is_counted = row.status == SlotStatus.SUBMITTED
    return KnownAnswerReveal(
        kind=defect.kind, planted=defect.words, is_caught=row.is_caught is True, is_counted=is_counted
    )


def refuse_taking_back(tx: Transaction, case_id: str, *, person_id: int) -> None:
    """Refuse to take back a submission after its reveal; passes where the id is none of a copy.

    Raises:
        ForbiddenError: What was planted has been shown, or nothing was submitted yet.
    """
    copy = stored.copy_named(tx, case_id, person_id=person_id)
    if copy is not None and copy.status in stored.OPEN:
        raise nothing_submitted(case_id)
    if copy is not None:
        raise ForbiddenError(
            f"{case_id} was a known-answer case: what was planted was shown, so it cannot be taken back.",
            "Go on with the next case (N).",
        )
