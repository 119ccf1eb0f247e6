"""What is said about cases and what comes of it: judgments, decisions, exits and rounds, written."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import update

from db.tables import ClosedRound, DecisionRecord, JudgmentRecord, StageExit, Transaction
from db.write.store import add_row
from scoring.model.taxonomy import Stage


def add_judgment(tx: Transaction, values: Mapping[str, object]) -> int:
    """Write a submitted judgment; columns as in `JudgmentRecord`."""
    return add_row(tx, JudgmentRecord, **values)


def withdraw_judgment(tx: Transaction, judgment_id: int) -> None:
    """Mark a judgment as taken back; it stays readable."""
    tx.execute(update(JudgmentRecord).where(JudgmentRecord.id == judgment_id).values(is_withdrawn=True))


def add_decision(tx: Transaction, values: Mapping[str, object]) -> int:
    """Write an expert's decision; columns as in `DecisionRecord`."""
    return add_row(tx, DecisionRecord, **values)


def add_exit(
    tx: Transaction,
    case_pk: int,
    *,
    stage: Stage,
    round_: int,
    sha256: str,
    at: datetime,
    judgment_id: int | None = None,
    differing: Sequence[str] = (),
) -> None:
    """Record that a case left a stage with this content, and by which self-check."""
    add_row(
        tx,
        StageExit,
        case_pk=case_pk,
        stage=stage.value,
        round=round_,
        sha256=sha256,
        differing="|".join(differing) or None,
        at=at,
        judgment_id=judgment_id,
    )


def add_round(tx: Transaction, case_pk: int, *, round_: int, at: datetime, outcome: Stage, body: str) -> None:
    """Record what every rater said in a cross-check round that was closed."""
    add_row(tx, ClosedRound, case_pk=case_pk, round=round_, at=at, outcome=outcome.value, body=body)
