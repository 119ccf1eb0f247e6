"""Batches on their last mile: the flag, the expert's random sample, and what its outcome does to the rest."""

import math
import random
from collections.abc import Sequence
from fractions import Fraction

from annotator.project.stages import Actor, check_move
from annotator.project.workspace import Done, Work, Workspace
from db import queries, reviews, store
from db.rows import CaseRow, SampleRow
from scoring.errors import NotFoundError
from scoring.model.taxonomy import Role, Stage

UNDER_REVIEW = (
    Stage.IMPORTED,
    Stage.RETURNED,
    Stage.SELF_CHECK_TASK,
    Stage.SELF_CHECK_DIALOGUE,
    Stage.CROSS_CHECK,
    Stage.ESCALATED,
)


def settle_batch(w: Work, batch_id: int) -> None:
    """Draw the sample of a batch that is wholly approved, or finish it where nothing is sampled.

    Waits while any case is under review or a sample is open; does nothing where nobody is approved.
    """
    store.lock_batch(w.tx, batch_id)
    rows = queries.batch_cases(w.tx, batch_id)
    approved = [row for row in rows if row.stage is Stage.APPROVED]
    if not approved or any(row.stage in UNDER_REVIEW for row in rows):
        return
    if any(sample.status == "open" for sample in reviews.list_samples(w.tx, batch_id=batch_id)):
        return
    if not w.policy.has_expert_sample:
        finish(w, approved)
        return
    sequence = len(reviews.list_samples(w.tx, batch_id=batch_id)) + 1
    seed = f"{w.policy.seed}:{approved[0].batch}:{sequence}"
    size = sample_size(len(approved), share=w.policy.sample_share, minimum=w.policy.sample_minimum)
    if size == 0:
        finish(w, approved)
        return
    drawn = draw(approved, size=size, seed=seed)
    store.add_sample(
        w.tx,
        batch_id,
        seed=seed,
        share=w.policy.sample_share,
        population=len(approved),
        cases=[row.pk for row in drawn],
        at=w.at,
    )
    for row in drawn:
        move(w, row, "sample", to=Stage.EXPERT)
    w.follow(
        "review:sample:draw",
        f"batch:{approved[0].batch}",
        {"sequence": sequence, "seed": seed, "of": len(approved), "cases": [row.case_id for row in drawn]},
    )


def sample_size(count: int, *, share: float, minimum: int) -> int:
    """How many of `count` cases are sampled: the share rounded up, at least the minimum, at most all."""
    return min(count, max(minimum, math.ceil(Fraction(str(share)) * count)))


def draw(rows: Sequence[CaseRow], *, size: int, seed: str) -> tuple[CaseRow, ...]:
    """Draw a random sample stratified by the policies of the cases; the same seed draws the same cases.

    Places go to the strata by largest remainder of their proportional share, ties by chance.
    """
    chance = random.Random(seed)
    strata: dict[tuple[str, ...], list[CaseRow]] = {}
    for row in sorted(rows, key=lambda row: row.case_id):
        strata.setdefault(tuple(sorted(set(row.policies))), []).append(row)
    keys = sorted(strata)
    ideal = {key: Fraction(size * len(strata[key]), len(rows)) for key in keys}
    places = {key: int(ideal[key]) for key in keys}
    ties = {key: chance.random() for key in keys}
    by_remainder = sorted(keys, key=lambda key: (places[key] - ideal[key], ties[key]))
    for key in by_remainder[: size - sum(places.values())]:
        places[key] += 1
    drawn = [row for key in keys for row in chance.sample(strata[key], places[key])]
    return tuple(sorted(drawn, key=lambda row: row.case_id))


def move(w: Work, row: CaseRow, action: str, *, to: Stage, **columns: object) -> None:
    """Let the system make a legal move of one case."""
    check_move(row.stage, action, who=Actor.SYSTEM, to=to)
    store.change_case(
        w.tx, row.pk, expected_version=row.version, at=w.at, values={"stage": to.value, **columns}
    )
    w.touch(row.case_id)


def finish(w: Work, approved: Sequence[CaseRow]) -> None:
    """Make the approved cases of a batch final."""
    for row in approved:
        move(w, row, "finish", to=Stage.FINAL)
    w.follow(
        "review:batch:finish", f"batch:{approved[0].batch}", {"cases": [row.case_id for row in approved]}
    )


def settle_sample(w: Work, sample: SampleRow) -> None:
    """Close a sample whose cases are all decided: clean lets the batch through, an error sends it back.

    After any correction the unsampled approved cases go to cross-check again, to other reviewers.
    """
    if any(outcome == "open" for outcome in sample.outcomes.values()):
        return
    is_clean = all(outcome == "unchanged" for outcome in sample.outcomes.values())
    store.close_sample(w.tx, sample.id, status="clean" if is_clean else "corrected", at=w.at)
    rest = queries.batch_cases(w.tx, sample.batch_id, stages=(Stage.APPROVED,))
    payload = {"sequence": sample.sequence, "clean": is_clean, "rest": len(rest)}
    w.follow("review:sample:close", f"batch:{sample.batch}", {**payload})
    if not rest:
        return
    if is_clean:
        finish(w, rest)
    elif w.policy.has_cross_check:
        for row in rest:
            move(w, row, "recheck", to=Stage.CROSS_CHECK, round=row.round + 1)
    else:
        settle_batch(w, sample.batch_id)


def flag_if_needed(w: Work, batch_id: int) -> None:
    """Flag a batch whose share of escalated cases is above the threshold (design section 3.3)."""
    rows = queries.batch_cases(w.tx, batch_id)
    escalated = reviews.escalated_count(w.tx, batch_id)
    if Fraction(escalated, len(rows)) <= Fraction(str(w.policy.batch_threshold)):
        return
    store.flag_batch(w.tx, batch_id)
    if w.policy.escalate_flagged_batch:
        for row in rows:
            if row.stage is Stage.APPROVED:
                move(w, row, "escalate_batch", to=Stage.ESCALATED, note="its batch is flagged")


def return_batch(workspace: Workspace, batch: str, *, reason: str) -> Done[int]:
    """Send the cases of a batch that are in cross-check or approved back to their owners.

    Raises:
        NotFoundError: No such batch.
    """

    def work(w: Work) -> int:
        found = [row for row in queries.list_batches(w.tx) if row.name == batch]
        if not found:
            raise NotFoundError(f"There is no batch '{batch}'.", "See `annotator batch list`.")
        rows = queries.batch_cases(w.tx, found[0].id, stages=(Stage.CROSS_CHECK, Stage.APPROVED))
        for row in rows:
            check_move(row.stage, "return_batch", who=Actor.MANAGER, to=Stage.RETURNED)
            store.close_assignments(w.tx, row.pk, at=w.at, note="batch returned")
            values = {"stage": Stage.RETURNED.value, "round": row.round + 1, "note": reason}
            store.change_case(w.tx, row.pk, expected_version=row.version, at=w.at, values=values)
            w.touch(row.case_id)
        w.record(f"batch:{batch}", {"reason": reason, "cases": len(rows)})
        return len(rows)

    return workspace.run("review:batch:return", work, roles=(Role.MANAGER,))
