"""Which cases reviewers judge where the policy has a share of them checked (docs/checking.md, 6)."""

import json
import random
from collections.abc import Iterator
from enum import StrEnum

from annotator.cases.bodies import load_revision
from annotator.cases.findings.checks import check_case
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import Work
from db.read import known_answers, queries, reviews
from db.read.rows import AssignmentRow, CaseRow
from db.tables import Transaction
from scoring.measures.intervals import score_interval
from scoring.model.case import Case
from scoring.model.labels import Judgment
from scoring.model.taxonomy import Severity, Stage

DRAWN = "review:case:draw"
ONE_CHECK = "review:case:once"
KNOWN_AFTER = 10
"""Closed rounds of an owner before anything is known of them."""


class CheckReason(StrEnum):
    """Why a case is checked whatever the draw says: of itself, or of its owner."""

    RETURNED = "returned"
    FINDING = "finding"
    RELABELLED = "relabelled"
    NEW = "new"
    WEAK = "weak"
    MISSED = "missed"


def is_checked(w: Work, row: CaseRow, case: Case) -> bool:
    """Whether reviewers judge a case; its event keeps the share, what was drawn, and the first reason.

    Args:
        w: The submission.
        row: The case as it was before.
        case: Its content as it is handed on.
    """
    share = w.policy.checked_share
    if share == 1:
        return True
    is_drawn = random.Random(f"{w.policy.seed}:check:{row.case_id}:{row.round}").random() < share
    reason = next(_reasons(w.tx, row, case), None)
    w.follow(DRAWN, f"case:{row.case_id}", {"share": share, "drawn": is_drawn, "reason": reason})
    return is_drawn or reason is not None


def policy_for(
    tx: Transaction, policy: ReviewPolicy, held: AssignmentRow, *, judgment: Judgment | None = None
) -> ReviewPolicy:
    """The review policy as it holds for who works on a case: whether they do one self-check in place of two.

    Args:
        tx: The transaction.
        policy: The policy of the project.
        held: Their slot.
        judgment: What they submit; one that answers nothing about the dialogue has to be followed by another.
    """
    is_one = (
        policy.one_self_check
        and held.stage is Stage.SELF_CHECK_TASK
        and held.round == 1
        and (judgment is None or any(judgment.checklist.values()))
        and next(_doubts(tx, held.person_id, held.person), None) is None
    )
    return policy.model_copy(update={"one_self_check": is_one})


def chance(tx: Transaction, row: CaseRow) -> tuple[float, bool]:
    """How likely it was that a case at cross-check is checked, and whether that was by choice alone.

    By choice are those with a reason that were not drawn, and those a sample with errors sent back.
    """
    told = reviews.events_of(tx, [f"case:{row.case_id}"], action=DRAWN, limit=1)
    if not told:
        return 1, False
    payload = json.loads(told[0].payload)
    is_drawn, reason = payload["drawn"], payload["reason"]
    return (float(payload["share"]) if is_drawn and not reason else 1), not is_drawn


def not_drawn(tx: Transaction) -> frozenset[str]:
    """Cases that their last draw left out: judged for another reason, or not at all."""
    last = {subject: json.loads(text)["drawn"] for subject, text in reviews.payloads_named(tx, DRAWN)}
    return frozenset(subject.removeprefix("case:") for subject, is_drawn in last.items() if not is_drawn)


def _reasons(tx: Transaction, row: CaseRow, case: Case) -> Iterator[CheckReason]:
    if row.round > 1:
        yield CheckReason.RETURNED
    if any(finding.severity is not Severity.INFO for finding in check_case(case, undrawn=())):
        yield CheckReason.FINDING
    if _is_relabelled(load_revision(tx, queries.list_revisions(tx, row.pk)[0].id), case):
        yield CheckReason.RELABELLED
    yield from _doubts(tx, row.owner_id, row.owner)


def _is_relabelled(came: Case, case: Case) -> bool:
    """Whether a case has other labels than it came with; what it came without was no proposal."""
    return any(
        one.policy not in (None, other.policy)
        or one.information not in (None, other.information)
        or {edge.pair for edge in one.drawn_edges} not in (set(), {edge.pair for edge in other.drawn_edges})
        for one, other in zip(came.tasks, case.tasks, strict=False)
    )


def _doubts(tx: Transaction, owner_id: int | None, owner: str | None) -> Iterator[CheckReason]:
    """What speaks against passing an owner's cases unread."""
    rounds = reviews.rounds_by_owner(tx)
    failed, total = rounds.pop(owner_id, (0, 0))
    if total < KNOWN_AFTER:
        yield CheckReason.NEW
        return
    others = [sum(counts) for counts in zip(*rounds.values(), strict=True)]
    if others and score_interval(failed, total).low > score_interval(*others).high:
        yield CheckReason.WEAK
    caught = [one.is_caught for one in known_answers.catches(tx) if one.person == owner and one.is_valid]
    if caught and not caught[-1]:
        yield CheckReason.MISSED
