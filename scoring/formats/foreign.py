"""Formats that are recognised but not read, so that a file in one of them is refused in one sentence."""

from collections.abc import Iterable
from dataclasses import dataclass

from scoring.errors import InputError


@dataclass(frozen=True)
class Foreign:
    """One format that is not read: its name, and what can be done about it."""

    name: str
    hint: str


class ForeignError(InputError):
    """A record that looks like one of a format that is not read."""

    def __init__(self, format: Foreign) -> None:  # noqa: A002
        super().__init__(f"This looks like {format.name}, which is not read.", format.hint)
        self.format = format


_CHAT = "OpenAI chat, one object a line with `messages` and `tools`"
_DIALOGUES = f"Write each dialogue as {_CHAT}."
_WITH_TOOLS = f"Write each dialogue, with the tools of its domain, as {_CHAT}."
_QUESTIONS = "Import the file of the same name in the folder above; the answers are found from there."
_TOOLSETS = "`annotator generate --toolsets` takes it."
_BY_KEYS: tuple[tuple[frozenset[str], Foreign], ...] = tuple(
    (frozenset(keys.split()), Foreign(name, hint))
    for name, keys, hint in (
        ("Hermes function calling", "conversations tools", _DIALOGUES),
        ("ShareGPT", "conversations", _DIALOGUES),
        ("BFCL", "question function", _DIALOGUES),
        ("BFCL", "question involved_classes", _DIALOGUES),
        ("BFCL answers without their questions", "id ground_truth", _QUESTIONS),
        ("a tau-bench results file", "traj reward", _WITH_TOOLS),
        ("a tau2-bench results file", "info simulations", _WITH_TOOLS),
        ("a tau2-bench results file", "timestamp info", _WITH_TOOLS),
        ("an Inspect log", "eval samples", _DIALOGUES),
        ("an Inspect log", "version status eval", _DIALOGUES),
        ("T-Eval", "origin_prompt ground_truth", "`annotator teval import` reads its folder."),
        ("xLAM function calling", "query answers tools", _DIALOGUES),
        ("Alpaca", "instruction output", _DIALOGUES),
        ("a toolset (tool definitions alone)", "type function", _TOOLSETS),
        ("a toolset (tool definitions alone)", "name parameters", _TOOLSETS),
    )
)
_BY_MAGIC: tuple[tuple[bytes, Foreign], ...] = (
    (b"PK\x03\x04", Foreign("a ZIP archive", "Unpack it, and name the files in it.")),
    (b"SQLite format 3\0", Foreign("an SQLite database", "A project is named with `-p`.")),
    (b"PAR1", Foreign("a Parquet table", "Save it as a file whose name ends in .parquet.")),
)
_INSPECT_PART = b"_journal/"
"""The folder that Inspect writes first into its packed logs."""


def foreign_format(value: object) -> Foreign | None:
    """What a JSON value that is no case of ours looks like; null where it is nothing we know by name."""
    if isinstance(value, list):
        return foreign_format(value[0]) if value and isinstance(value[0], dict) else None
    if not isinstance(value, dict):
        return None
    found = foreign_by_keys(value)
    if found is None and value and all(key.isdigit() for key in value):
        # T-Eval keeps its cases in one object, by number.
        first = next(iter(value.values()))
        found = foreign_by_keys(first) if isinstance(first, dict) else None
    return found


def foreign_by_keys(keys: Iterable[str]) -> Foreign | None:
    """What an object with these keys looks like; None where it is nothing we know by name."""
    return next((found for wanted, found in _BY_KEYS if wanted.issubset(keys)), None)


def foreign_binary(head: bytes) -> Foreign | None:
    """What a file that is no text looks like, by how it begins; None where it is nothing we know by name."""
    if head.startswith(b"PK") and _INSPECT_PART in head[:100]:
        return Foreign("an Inspect log, packed", "`inspect log dump` prints it as JSON.")
    return next((found for magic, found in _BY_MAGIC if head.startswith(magic)), None)
