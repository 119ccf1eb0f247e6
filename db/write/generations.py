"""Writes of the generator's runs; functions take the open transaction and never commit by themselves."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from db.tables import GeneratedDialogue, Generation, GenerationRequest, TeamPrompts, Transaction
from db.write.store import add_row, add_rows
from scoring.errors import ConflictError, reworded


def add_generation(
    tx: Transaction,
    name: str,
    *,
    person_id: int | None,
    identity: str,
    status: str,
    prompt_version: str,
    plan: str,
    toolsets: str,
    at: datetime,
) -> int:
    """Begin a run; returns its number."""
    return add_row(
        tx,
        Generation,
        name=name,
        person_id=person_id,
        at=at,
        identity=identity,
        status=status,
        prompt_version=prompt_version,
        plan=plan,
        toolsets=toolsets,
    )


def add_prompts(tx: Transaction, language: str, *, version: str, body: str) -> None:
    """Let new runs of a language use other prompts; an empty body stands for the shipped ones."""
    add_row(tx, TeamPrompts, language=language, version=version, body=body)


def set_generation(tx: Transaction, run: int, values: Mapping[str, object]) -> None:
    """Change columns of a run."""
    tx.execute(update(Generation).where(Generation.id == run).values(dict(values)))


def set_dialogue(
    tx: Transaction, run: int, *, dialogue: int, attempt: int, values: Mapping[str, object]
) -> None:
    """Write how an attempt at a dialogue stands; it is added where it is unknown."""
    key = {"generation_id": run, "dialogue": dialogue, "attempt": attempt}
    found = tx.scalar(select(GeneratedDialogue.id).filter_by(**key))
    added = insert(GeneratedDialogue).values({"note": "", **key, **values})
    changed = update(GeneratedDialogue).where(GeneratedDialogue.id == found).values(dict(values))
    tx.execute(added if found is None else changed)


def change_dialogue(
    tx: Transaction, run: int, *, dialogue: int, attempt: int, expected: str, values: Mapping[str, object]
) -> bool:
    """Change an attempt at a dialogue where it still stands as expected; whether it did.

    Of two who do so at once the second waits for the first, and is told no.
    """
    changed = tx.scalars(
        update(GeneratedDialogue)
        .filter_by(generation_id=run, dialogue=dialogue, attempt=attempt, status=expected)
        .values(dict(values))
        .returning(GeneratedDialogue.id)
    )
    return changed.first() is not None


def add_requests(tx: Transaction, run: int, rows: Sequence[Mapping[str, object]]) -> None:
    """Store requests with their replies.

    Raises:
        ConflictError: One is stored already: another program makes the same run.
    """
    with reworded(
        IntegrityError,
        into=lambda _: ConflictError(
            "Another program makes the same run.", "Wait for it or stop it, then run the same command again."
        ),
    ):
        add_rows(tx, GenerationRequest, ({"generation_id": run, **row} for row in rows))


def set_verdict(tx: Transaction, run: int, *, dialogue: int, attempt: int, number: int, verdict: str) -> None:
    """Write what a person chose among the candidates of a request."""
    tx.execute(
        update(GenerationRequest)
        .where(
            GenerationRequest.generation_id == run,
            GenerationRequest.dialogue == dialogue,
            GenerationRequest.attempt == attempt,
            GenerationRequest.number == number,
        )
        .values(verdict=verdict)
    )
