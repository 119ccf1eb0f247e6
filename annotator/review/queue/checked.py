"""Which cases reviewers judge where the policy has a share of them checked (docs/checking.md, 6)."""

import json
import random
from collections.abc import Iterator
from enum import StrEnum

from annotator.cases.findings.checks import check_case
from annotator.project.workspace import Work
from db.read import known_answers, reviews
from db.read.rows import CaseRow
from db.tables import Transaction
from scoring.measures.intervals import score_interval
from scoring.model.case import Case
from scoring.model.taxonomy import Severity

DRAWN = "review:case:draw"
KNOWN_AFTER = 10
"""Closed rounds of an owner before anything is known of them."""


class CheckReason(StrEnum):
    """Why a case is checked whatever the draw says: of itself, or of its owner."""

    RETURNED = "returned"
    FINDING = "finding"
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
    rounds = reviews.rounds_by_owner(tx)
    failed, total = rounds.pop(row.owner_id, (0, 0))
    if total < KNOWN_AFTER:
        yield CheckReason.NEW
        return
    others = [sum(counts) for counts in zip(*rounds.values(), strict=True)]
    if others and score_interval(failed, total).low > score_interval(*others).high:
        yield CheckReason.WEAK
    caught = [one.is_caught for one in known_answers.catches(tx) if one.person == row.owner and one.is_valid]
    if caught and not caught[-1]:
        yield CheckReason.MISSED
