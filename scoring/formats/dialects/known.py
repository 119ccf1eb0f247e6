"""The shapes of dialogues that are read by rewriting them; the first that fits counts (formats 11)."""

from scoring.formats.benchmark import bfcl
from scoring.formats.dialects import logs, providers, training_sets
from scoring.formats.dialects.dialogue import Dialect
from scoring.model.record import JsonObject

DIALECTS: tuple[Dialect, ...] = (
    Dialect("BFCL", bfcl.is_question, bfcl.chats, bfcl.LOST),
    *logs.SHAPES,
    *training_sets.SHAPES,
    *providers.SHAPES,
)


def dialect_of(record: JsonObject) -> Dialect | None:
    """The shape of a record; None where it is none of these."""
    return next((dialect for dialect in DIALECTS if dialect.matches(record)), None)
