"""The shapes of dialogues that are read by rewriting them; the first that fits counts (formats 11).

Packages of others add shapes by the entry point group `annotator.formats`: an object with
`recognise(record)`, `read(record)` (its dialogues, each with `id`, OpenAI `messages` and `tools`) and, where
it is written too, `write(chat)`, the way back. They are asked about lines that no format of ours reads.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from operator import attrgetter
from pathlib import Path

from pydantic import JsonValue

from scoring.errors import InputError
from scoring.formats.benchmark import bfcl
from scoring.formats.chat.written import chat
from scoring.formats.dialects import logs, providers, training_sets
from scoring.formats.dialects.dialogue import Dialect
from scoring.formats.fields import object_at
from scoring.generics import T
from scoring.model.record import JsonObject

DIALECTS: tuple[Dialect, ...] = (
    Dialect("BFCL", bfcl.is_question, bfcl.chats, bfcl.LOST),
    *logs.SHAPES,
    *training_sets.SHAPES,
    *providers.SHAPES,
)
GROUP = "annotator.formats"


def dialect_of(record: JsonObject) -> Dialect | None:
    """The shape of a record; None where it is none of these."""
    return next((dialect for dialect in DIALECTS if dialect.matches(record)), None)


@cache
def installed() -> tuple[Dialect, ...]:
    """The shapes that installed packages bring, by the names of their entry points."""
    return tuple(_installed(point) for point in sorted(entry_points(group=GROUP), key=attrgetter("name")))


def installed_format(name: str) -> Dialect | None:
    """The installed shape of a name; None where no package brings it."""
    return next((dialect for dialect in installed() if dialect.name == name), None)


def installed_dialect(record: JsonObject) -> Dialect | None:
    """The installed shape of a record; None where it is none.

    Raises:
        InputError: Two packages claim it, or nobody does and a package failed to look at it.
    """
    claims, failures = [], []
    for dialect in installed():
        try:
            claims += [dialect] if dialect.matches(record) else []
        except InputError as exc:
            failures.append(exc)
    if len(claims) > 1:
        names = " and ".join(dialect.name for dialect in claims)
        raise InputError(
            f"{len(claims)} installed formats claim this line: {names}.", "Uninstall all but one."
        )
    if failures and not claims:
        raise failures[0]
    return claims[0] if claims else None


def _installed(point: EntryPoint) -> Dialect:
    """What an entry point brings; whatever fails in it is said of it."""

    def asked(attribute: str, argument: object, finish: Callable[..., T]) -> T:
        try:
            return finish(getattr(point.load(), attribute)(argument))
        except InputError:
            raise
        except Exception as exc:
            raise InputError(
                f"The installed format {point.name} failed to {attribute} this: {type(exc).__name__}: {exc}.",
                f"Mend or uninstall the package{f' {point.dist.name}' if point.dist else ''}.",
            ) from exc

    def chats(records: Sequence[JsonObject], _: Path) -> Iterator[JsonObject]:
        for record in records:
            yield from asked("read", record, lambda found: list(map(_json, found)))

    return Dialect(
        point.name,
        lambda record: asked("recognise", record, bool),
        chats,
        write=lambda case: asked("write", chat(case), _json),
    )


def _json(value: JsonValue) -> JsonObject:
    """What a package gave, as JSON has it."""
    return object_at(json.loads(json.dumps(value, allow_nan=False)), "what it gave")
