"""Batches led by a manager: returned, split, merged, moved between, due on a day; what holds them up.

A batch is sampled and flagged as a whole, so cases may not change places in a way that makes one look cleaner
than it is:

- While a sample of a batch is open, none of its cases leaves, and none comes.
- Cases that somebody but their owner has judged go together: the whole finished part, or the whole batch.
- Released cases stay: their release names the batch.
- Who takes cases of a flagged batch is flagged, and a flag never goes. After a merge or a move the share of
  escalated cases is measured again in the batch that took them.
- Samples stay with the batch they were drawn from, and go on counting as evidence for its cases.

Each is one operation that nobody else works beside, so a draw comes wholly before it or wholly after.
"""

from collections.abc import Collection, Sequence
from datetime import date

from annotator.cases.row_views import apart_in_figures, get_row
from annotator.project.changes import Changes
from annotator.project.lookups import batch_named
from annotator.project.stages import UNSETTLED, Actor
from annotator.project.workspace import Work, Workspace, operation, query
from annotator.review import samples, stage_moves
from db.read import batches, queries
from db.read import samples as drawn
from db.read.rows import BatchRow, CaseRow
from db.read.rows import HeldUpRow as HeldUpRow
from db.tables import Transaction
from db.write import known_answers, slots, store
from scoring.errors import BlockedError, ConflictError, ForbiddenError, InputError, filled, reworded
from scoring.groups import grouped
from scoring.model.record import Record
from scoring.model.taxonomy import OWNER_STAGES, SELF_CHECKS, Role, SampleOutcome, SampleStatus, Stage
from scoring.wording import counted

FINISHED = (Stage.APPROVED, Stage.FINAL, Stage.REJECTED)
"""Stages of the part of a batch that can be split off: done, and in no release."""

MOVABLE = (Stage.IMPORTED, *SELF_CHECKS)
"""Stages at which, in its first round, nobody but its owner has judged a case."""

RETURNABLE = (Stage.CROSS_CHECK, Stage.APPROVED)
"""Stages from which a manager sends cases back to their owners."""

_MOST_NAME = 200


class MovedCases(Record):
    """Cases that changed their batch: how many, to which, and how many stay where they were.

    `sampled` are the cases there that experts or reviewers got as a sample at once. `is_new` says that
    moving them made the batch.
    """

    batch: str
    moved: int
    left: int
    sampled: int
    is_new: bool = False

    @property
    def words(self) -> str:
        """What came of it in a sentence."""
        new = ", a new one" if self.is_new else ""
        drawn = f"{self.sampled:,} of its cases are sampled." if self.sampled else ""
        return " ".join(
            (f"{counted(self.moved, 'case is', 'cases are')} in batch {self.batch} now{new}.", drawn)
        ).rstrip()


def open_count(batch: BatchRow) -> int:
    """How many cases of a batch hold up its sample."""
    return sum(batch.stages.get(stage, 0) for stage in UNSETTLED)


def finished_count(batch: BatchRow) -> int:
    """How many cases of a batch could be split off as its finished part.

    0 while nothing is approved, or while what is waits for the experts and not for the rest of its batch.
    """
    if not batch.stages.get(Stage.APPROVED, 0) or batch.stages.get(Stage.EXPERT, 0):
        return 0
    return sum(batch.stages.get(stage, 0) for stage in FINISHED)


@query
def held_up(workspace: Workspace, tx: Transaction, batch: str) -> tuple[HeldUpRow, ...]:
    """What holds up the sample of a batch: cases by stage and by who is next, the longest wait first.

    Cases before their cross-check wait for their owner, escalated ones for an expert.

    Raises:
        NotFoundError: There is no such batch.
    """
    others = (Stage.CROSS_CHECK, Stage.ESCALATED)
    number, apart = batch_named(tx, batch), apart_in_figures(tx, workspace.somebody)
    return batches.held_up(tx, number, owned=OWNER_STAGES, others=others, without=apart)


@query
def movable(workspace: Workspace, tx: Transaction, batch: str) -> dict[str | None, tuple[str, ...]]:
    """Ids of the cases of a batch that can be moved by themselves, by owner; None for those of nobody."""
    rows = queries.batch_cases(tx, batch_named(tx, batch), stages=MOVABLE)
    by_owner = grouped((row.owner, row.case_id) for row in rows if row.round == 1)
    return {owner: tuple(ids) for owner, ids in sorted(by_owner.items(), key=lambda item: item[0] or "")}


def free_name(batch: str, taken: Sequence[str]) -> str:
    """A name for a part of a batch that no batch has: `week-1-part-1`, `week-1-part-2`, ..."""
    number = 1
    while (name := f"{batch[: _MOST_NAME - 20]}-part-{number}") in taken:
        number += 1
    return name


@operation(batches.SPLIT, roles=(Role.MANAGER,), is_alone=True)
def split_batch(w: Work, batch: str, *, name: str = "", cases: Sequence[str] | None = None) -> MovedCases:
    """Make a new batch of a part of one: of some cases, or of everything that is finished.

    The finished part is sampled at once, since nothing holds it up any more. Both parts keep flag and due
    day.

    Args:
        w: A manager's.
        batch: The batch that is split.
        name: Of the new one; empty for one that is free.
        cases: Ids of cases that only their owners have judged; None for the finished part.

    Raises:
        NotFoundError: There is no such batch or case.
        ConflictError: A batch is called `name` already.
        BlockedError: A sample of the batch is open, or nothing of it is finished, or everything.
        ForbiddenError: A case cannot be moved by itself.
    """
    source = batch_named(w.tx, batch)
    _refuse_open_sample(w, source, batch)
    rows = _finished(batch, queries.batch_cases(w.tx, source)) if cases is None else _chosen(w, cases)
    strangers = [row.case_id for row in rows if row.batch_id != source]
    if strangers:
        raise InputError(f"{strangers[0]} is not in {batch}.", "Use `batch move` for cases of others.")
    taken = [other.name for other in batches.list_batches(w.tx)]
    chosen = name.strip() or free_name(batch, taken)
    if chosen in taken:
        raise ConflictError(f"There is a batch named '{chosen}' already.", "Choose another name.")
    target = _make(w, chosen, sources=(source,))
    return _put(w, rows, sources=(source,), target=target, name=chosen, about=batch)


def _make(w: Work, name: str, *, sources: Collection[int]) -> int:
    """A new batch for cases of some others, due when the first of these is."""
    if not 0 < len(name) <= _MOST_NAME or not name.isprintable():
        raise InputError(
            f"'{name[:60]}' cannot be a batch's name.", f"Use 1 to {_MOST_NAME} printable characters."
        )
    dues = [other.due_on for other in batches.list_batches(w.tx) if other.id in sources and other.due_on]
    target = store.ensure_batch(w.tx, name, by=w.person.id, at=w.at)
    store.set_due(w.tx, target, min(dues, default=None))
    return target


@operation("review:batch:merge", roles=(Role.MANAGER,), is_alone=True)
def merge_batches(w: Work, batch: str, *, into: str) -> MovedCases:
    """Put all cases of a batch into another one; the empty batch is listed no more, its samples stay.

    Raises:
        NotFoundError: There is no such batch.
        BlockedError: A sample of either is open, or cases are released.
    """
    source, target = batch_named(w.tx, batch), batch_named(w.tx, into)
    if source == target:
        raise InputError("A batch cannot be merged with itself.", "Name two batches.")
    rows = queries.batch_cases(w.tx, source)
    released = sum(row.stage is Stage.RELEASED for row in rows)
    if released:
        raise BlockedError(
            f"{batch} has {counted(released, 'released case')}; released cases stay in their batch.",
            f"Merge {into} into {batch} instead, or move single cases.",
        )
    if not rows:
        raise InputError(f"{batch} has no cases.", "See `annotator batch list`.")
    _refuse_open_sample(w, source, batch)
    _refuse_open_sample(w, target, into)
    known_answers.rename_batch(w.tx, batch, into)
    done = _put(w, rows, sources=(source,), target=target, name=into, about=batch)
    samples.flag_if_needed(w, target)
    return done


@operation("review:batch:move", roles=(Role.MANAGER,), is_alone=True)
def move_cases(w: Work, cases: Sequence[str], *, to: str) -> MovedCases:
    """Put cases that only their owners have judged into another batch or a new one: all of them, or none.

    A batch they held up goes on: its sample is drawn.

    Raises:
        NotFoundError: There is no such case.
        InputError: They are there already, or no batch can be called that.
        BlockedError: A sample of a batch concerned is open.
        ForbiddenError: A case cannot be moved by itself.
    """
    to = to.strip()
    rows = movable_to(w, cases, to)
    known = batches.find_batch(w.tx, to)
    sources = {row.batch_id: row.batch for row in rows}
    target = _make(w, to, sources=sources) if known is None else known
    done = _put(w, rows, sources=tuple(sources), target=target, name=to, about=to)
    samples.flag_if_needed(w, target)
    return done.model_copy(update={"is_new": known is None})


def movable_to(w: Work, cases: Sequence[str], to: str) -> list[CaseRow]:
    """The cases among some that are not in a batch yet, each of which can be put there by itself.

    Raises:
        NotFoundError, InputError, BlockedError, ForbiddenError: See `move_cases`.
    """
    known = batches.find_batch(w.tx, to)
    rows = filled(
        [row for row in _chosen(w, cases) if row.batch_id != known],
        InputError(f"These cases are in {to} already.", "Choose another batch."),
    )
    concerned = {row.batch_id: row.batch for row in rows} | ({} if known is None else {known: to})
    for batch_id, name in concerned.items():
        _refuse_open_sample(w, batch_id, name)
    return rows


@operation("review:batch:return", roles=(Role.MANAGER,))
def return_batch(w: Work, batch: str, *, reason: str) -> int:
    """Send the cases of a batch that are in cross-check or approved back to their owners.

    Returns:
        How many went back.

    Raises:
        InputError: No reason.
        NotFoundError: No such batch.
    """
    batch_id = batch_named(w.tx, batch)
    store.lock_batch(w.tx, batch_id)
    rows = queries.batch_cases(w.tx, batch_id, stages=RETURNABLE)
    _return(w, rows, reason=reason)
    w.record(f"batch:{batch}", {"reason": reason, "cases": len(rows)})
    return len(rows)


@operation("review:case:return", roles=(Role.MANAGER,))
def return_case(w: Work, case_id: str, *, reason: str) -> None:
    """Send one case that is in cross-check or approved back to its owner, as `return_batch` does.

    Raises:
        InputError: No reason.
        NotFoundError: No such case.
        ForbiddenError: It is at another stage.
    """
    store.lock_batch(w.tx, get_row(w.tx, case_id).batch_id)
    _return(w, [returnable(get_row(w.tx, case_id), reason)], reason=reason)
    w.record_case(case_id, {"reason": reason})


def returnable(row: CaseRow, reason: str) -> CaseRow:
    """A case that can be sent back: it is with its reviewers, or approved by them.

    Raises:
        InputError: No reason.
        ForbiddenError: It is at another stage.
    """
    if row.stage not in RETURNABLE:
        raise ForbiddenError(
            f"{row.case_id} is at stage {row.stage}; only from cross-check, or approved, it goes back.",
            "An expert can return or reopen it.",
        )
    return row


def _return(w: Work, rows: Sequence[CaseRow], *, reason: str) -> None:
    if not reason.strip():
        raise InputError("Returning cases needs a reason.", "Say to the owners what is wrong.")
    for row in rows:
        stage_moves.move(w, row, "return_batch", to=Stage.RETURNED, who=Actor.MANAGER, note=reason)
        slots.close_assignments(w.tx, row.pk, at=w.at, note="batch returned")
    for row in rows:
        samples.note_outcome(w, row, SampleOutcome.RETURNED)


@operation("review:batch:due", roles=(Role.MANAGER,))
def set_due(w: Work, batch: str, *, due: date | None) -> None:
    """Say on which day a batch is due; None for no day.

    Raises:
        NotFoundError: There is no such batch.
    """
    store.set_due(w.tx, batch_named(w.tx, batch), due)
    w.record(
        f"batch:{batch}", {"due": due.isoformat() if due is not None else None}, Changes(has_new_cases=True)
    )


def parse_day(text: str) -> date:
    """Read a day such as `2026-12-09`.

    Raises:
        InputError: It is none.
    """
    with reworded(
        ValueError,
        into=lambda _: InputError(f"'{text}' is not a day.", "Write it as YEAR-MONTH-DAY, e.g. 2026-12-09."),
    ):
        return date.fromisoformat(text.strip())


def _finished(batch: str, rows: Sequence[CaseRow]) -> list[CaseRow]:
    found = [row for row in rows if row.stage in FINISHED]
    if not any(row.stage is Stage.APPROVED for row in found):
        raise BlockedError(
            f"No case of {batch} is approved, so there is nothing to sample.",
            "The finished part can be split off once reviewers have approved cases.",
        )
    if not any(row.stage in UNSETTLED for row in rows):
        raise BlockedError(
            f"Nothing holds up {batch}: all of its cases are finished.", "See `annotator stages`."
        )
    return found


def _chosen(w: Work, cases: Sequence[str]) -> list[CaseRow]:
    rows = filled(
        [get_row(w.tx, case_id) for case_id in dict.fromkeys(cases)],
        InputError("No case was named.", "Name the cases by their ids."),
    )
    for row in rows:
        if row.stage not in MOVABLE or row.round > 1:
            raise ForbiddenError(
                f"{row.case_id} is at stage {row.stage}: it stays with the cases it was judged with."
                if row.stage not in MOVABLE
                else f"{row.case_id} was judged before, and is open again: it stays with those cases.",
                "Split off the finished part of the batch, or merge the whole batch.",
            )
    return rows


def _refuse_open_sample(w: Work, batch_id: int, name: str) -> None:
    for sample in drawn.list_samples(w.tx, batch_id=batch_id):
        if sample.status == SampleStatus.OPEN:
            left = sample.open_count
            raise BlockedError(
                f"A sample of {name} is being checked: {counted(left, 'case')} of it not decided yet.",
                "Its cases can change their batch once the sample is decided.",
            )


def _put(
    w: Work, rows: Sequence[CaseRow], *, sources: Sequence[int], target: int, name: str, about: str
) -> MovedCases:
    """Move cases, let their new batch inherit flags, and let every batch go on that nothing holds up."""
    store.move_cases(w.tx, [row.pk for row in rows], to=target)
    if any(batches.is_flagged(w.tx, batch_id) for batch_id in sources):
        store.flag_batch(w.tx, target)
    w.record(
        f"batch:{about}", {"to": name, "cases": [row.case_id for row in rows]}, Changes(has_new_cases=True)
    )
    w.touch(*(row.case_id for row in rows))
    for batch_id in sorted({*sources, target}):
        samples.settle_batch(w, batch_id)
    open_samples = [
        sample for sample in drawn.list_samples(w.tx, batch_id=target) if sample.status == SampleStatus.OPEN
    ]
    return MovedCases(
        batch=name,
        moved=len(rows),
        left=sum(batches.count_batch(w.tx, batch_id) for batch_id in sources),
        sampled=sum(len(sample.outcomes) for sample in open_samples),
    )
