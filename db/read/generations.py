"""Queries about runs of the generator: plans, attempts at dialogues, requests and what they took."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, exists, func, select

from db.columns import given
from db.tables import (
    CaseHead,
    GeneratedDialogue,
    Generation,
    GenerationRequest,
    Revision,
    TeamPrompts,
    Transaction,
)


@dataclass(frozen=True)
class GenerationRow:
    """A run of the generator without its toolsets; `plan` is JSON text."""

    id: int
    name: str
    at: datetime
    identity: str
    status: str
    prompt_version: str
    plan: str


@dataclass(frozen=True)
class SpentRow:
    """What the stored requests of a run took together."""

    requests: int
    prompt_tokens: int
    completion_tokens: int


def list_generations(tx: Transaction) -> tuple[GenerationRow, ...]:
    """All runs, newest first."""
    rows = tx.execute(
        select(
            Generation.id,
            Generation.name,
            Generation.at,
            Generation.identity,
            Generation.status,
            Generation.prompt_version,
            Generation.plan,
        ).order_by(Generation.id.desc())
    )
    return tuple(GenerationRow(*row) for row in rows)


def toolsets_of(tx: Transaction, run: int) -> str | None:
    """The toolsets of a run as JSON text; null where there is no such run."""
    return tx.scalar(select(Generation.toolsets).where(Generation.id == run))


def prompts_used(tx: Transaction, language: str) -> str:
    """The team's prompts for new runs of a language; empty where it uses the shipped ones."""
    newest = select(TeamPrompts.body).where(TeamPrompts.language == language).order_by(TeamPrompts.id.desc())
    return tx.scalar(newest.limit(1)) or ""


def prompts_of(tx: Transaction, version: str) -> str:
    """The team's prompts of a version; empty where it is not theirs."""
    return tx.scalar(select(TeamPrompts.body).where(TeamPrompts.version == version).limit(1)) or ""


def run_of_case(tx: Transaction, case_id: str) -> int | None:
    """The newest run that made a case; None where none did."""
    return tx.scalar(
        select(GeneratedDialogue.generation_id)
        .where(GeneratedDialogue.case_id == case_id)
        .order_by(GeneratedDialogue.generation_id.desc())
        .limit(1)
    )


def attempts_of(tx: Transaction, run: int) -> Iterator[GeneratedDialogue]:
    """Every attempt at a dialogue of a run, by dialogue and attempt."""
    statement = select(GeneratedDialogue).where(GeneratedDialogue.generation_id == run)
    yield from tx.scalars(statement.order_by(GeneratedDialogue.dialogue, GeneratedDialogue.attempt))


def requests_of(
    tx: Transaction, run: int, *, dialogue: int | None = None, attempt: int | None = None
) -> Iterator[GenerationRequest]:
    """The requests of a run, of one dialogue, or of one attempt at it, in order."""
    is_asked = (given(GenerationRequest.dialogue, dialogue), given(GenerationRequest.attempt, attempt))
    yield from tx.scalars(_requests(run).where(*is_asked))


def open_requests(tx: Transaction, run: int) -> Iterator[GenerationRequest]:
    """The requests of attempts that are neither finished nor failed, in order; memory stays flat."""
    ended = exists().where(
        GeneratedDialogue.generation_id == GenerationRequest.generation_id,
        GeneratedDialogue.dialogue == GenerationRequest.dialogue,
        GeneratedDialogue.attempt == GenerationRequest.attempt,
        GeneratedDialogue.status.in_(("finished", "failed")),
    )
    yield from tx.scalars(_requests(run).where(~ended))


def _requests(run: int) -> Select[GenerationRequest]:
    return (
        select(GenerationRequest)
        .where(GenerationRequest.generation_id == run)
        .order_by(GenerationRequest.dialogue, GenerationRequest.attempt, GenerationRequest.number)
        .execution_options(yield_per=200)
    )


def fault_counts(tx: Transaction, run: int) -> dict[str, int]:
    """How many stored replies broke each set of rules; the key lists them with blanks between."""
    rows = tx.execute(
        select(GenerationRequest.faults, func.count())
        .where(GenerationRequest.generation_id == run, GenerationRequest.faults != "")
        .group_by(GenerationRequest.faults)
    )
    return {row[0]: row[1] for row in rows}


def spent(tx: Transaction, run: int) -> SpentRow:
    """What a run took so far."""
    row = tx.execute(
        select(
            func.count(),
            func.coalesce(func.sum(GenerationRequest.prompt_tokens), 0),
            func.coalesce(func.sum(GenerationRequest.completion_tokens), 0),
        ).where(GenerationRequest.generation_id == run)
    ).one()
    return SpentRow(row[0], int(row[1] or 0), int(row[2] or 0))


def dollars_spent(tx: Transaction) -> float | None:
    """What all replies to all runs cost; None where none has a price."""
    return tx.scalar(select(func.sum(GenerationRequest.dollars)))


def gold_bodies(tx: Transaction) -> Iterator[str]:
    """Bodies of the cases that are marked as gold, oldest first."""
    statement = (
        select(Revision.body)
        .join(CaseHead, CaseHead.head_id == Revision.id)
        .where(CaseHead.is_gold.is_(True))
        .order_by(CaseHead.id)
    )
    yield from tx.scalars(statement.execution_options(yield_per=50))
