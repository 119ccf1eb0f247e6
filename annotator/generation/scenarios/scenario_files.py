"""Scenarios from files: texts, one a line or in paragraphs, or JSON lines with who, why and what is known."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from annotator.files import read_text
from annotator.generation.plan import Scenario
from scoring.errors import InputError, filled
from scoring.groups import collected
from scoring.model.strict_json import parse
from scoring.texts import tr, tr_count, with_commas

MOST_LETTERS = 1000
"""Of one scenario: it stands in every request for a first task."""
MOST_SCENARIOS = 500
"""Of a file: they are kept with the run."""
_MOST_BYTES = 4 * MOST_SCENARIOS * MOST_LETTERS
_MOST_NAMED = 5
_KEYS = ("who", "why", "known")
_JSON_NAMES = (".jsonl", ".json")
_SHAPE = (
    'Write {"text": "...", "who": "...", "why": "...", "known": "..."}; all but the text may be left out.'
)


@collected
def read_scenarios(path: Path) -> Iterator[Scenario]:
    """Read the scenarios of a file, each named by the line it begins at.

    Args:
        path: JSON lines where its name says so, else text: paragraphs divided by blank lines, or one
            scenario a line where no blank line divides two.

    Raises:
        InputError: The file cannot be read or holds none, or one cannot be used; the message says where.
    """
    text = read_text(path, most_bytes=_MOST_BYTES)
    is_json = path.suffix.casefold() in _JSON_NAMES
    parts = _lines(text) if is_json else _paragraphs(text)
    none = InputError(
        f"{path} holds no scenario.", "Write one a line, or paragraphs with a blank line between."
    )
    if len(filled(parts, none)) > MOST_SCENARIOS:
        raise InputError(
            f"{path} holds {len(parts)} scenarios, more than {MOST_SCENARIOS}.",
            "Divide the file, and begin a run with each part.",
        )
    for line, part in parts:
        where = f"{path.name}:{line}"
        said = _said(part, where) if is_json else part
        if len(said) > MOST_LETTERS:
            raise InputError(
                f"{where}: the scenario has {len(said)} characters, more than {MOST_LETTERS}.",
                "Shorten it to what a user would know, or divide it into several.",
            )
        yield Scenario(name=where, text=said.replace("\0", " "))


def personal_warning(found: Mapping[str, Sequence[str]]) -> str:
    """A warning that names the scenarios with personal data and what they hold; empty where none does."""
    marked = [f"{name} ({with_commas(map(tr, kinds))})" for name, kinds in found.items() if kinds]
    if not marked:
        return ""
    left_out = ["…"] if len(marked) > _MOST_NAMED else []
    return tr(
        "{scenarios} may tell who somebody is: {names}. Take that out, or be sure that models may read it.",
        scenarios=tr_count(len(marked), "scenario"),
        names=with_commas([*marked[:_MOST_NAMED], *left_out]),
    )


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines of a text that are not blank, with their numbers."""
    return [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def _paragraphs(text: str) -> list[tuple[int, str]]:
    """The paragraphs of a text with the numbers of their first lines; its lines where it is but one."""
    found = [*re.finditer(r"\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*", text)]
    if len(found) < 2:
        return _lines(text)
    return [(1 + text.count("\n", 0, part.start()), part[0].strip()) for part in found]


def _said(line: str, where: str) -> str:
    """What a JSON line says, in the words of its keys; a text in quotes is the scenario itself."""
    try:
        value: JsonValue = parse(line)
    except InputError as exc:
        raise InputError(f"{where}: {exc.message}", _SHAPE) from exc
    fields = {"text": value} if isinstance(value, str) else value
    if (
        not isinstance(fields, dict)
        or not fields.get("text")
        or fields.keys() - {"text", *_KEYS}
        or not all(isinstance(one, str) for one in fields.values())
    ):
        raise InputError(f"{where} is no scenario.", _SHAPE)
    told = [f"{key}: {fields[key]}" for key in _KEYS if fields.get(key)]
    return "\n".join([str(fields["text"]).strip(), *told])
