"""What of a text in the pseudo-language did not go through the catalogue, or was glued together.

Every word of the catalogue has accents there and stands in brackets (`.ci/texts.py --pseudo`). A word without
them is content of the sample project, or one of the few in `CONTENT`; else it is a text nobody can translate.
"""

import gzip
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from annotator.resources import resource_path

CONTENT = {
    "names of projects, people, runs and presets": r"Annotator|Sample project|samples( \d+)?|founder|careful"
    "|careless|wildtoolbench|annotator|team|you|generated",
    "keys": r"((Ctrl|Alt|Shift|⇧)[ +]?)*"
    r"(Esc|Enter|Space|Tab|Del|Delete|Home|End|PgUp|PgDown|F\d+|[A-Z0-9↵])?",
    "days of the locale": r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d\d [A-Z][a-z]{2}|\d+ [A-Z][a-z]{2}",
    "addresses": "https?|//… or http",
    "what is wrong with arguments, as a scorecard keeps it": "adds .*|similarity to the gold text below .*"
    "|differs from the gold value|wrong type for the schema",
    "keys of files": "multi|single|chat|clarify|omission|reference|parameter|logical|imported",
    "abbreviations that are the same in every language": "MCP|TLS|JSON|MB|CSV|SHA",
    "titles of texts with files of their own": "Annotation guide",
    "the last of a list that quotes a case": r"and|and \d+ more",
}
"""What is shown as it is, by what it is."""
BESIDE = ("ManualBrowser", "QTextBrowser", "TextBlock")
"""Kinds of widgets that show a file of the manual or a case, and nothing else."""
_ACCENTS = re.compile("[åéîöûýñçšžÅÉÎÖÛ]")
_PLAIN = re.compile(r"(?=.*[aeiouyncsAEIOUYNCSzZ])[A-Za-z]{2,}")
_NAME = re.compile(r"\S*[_/\d.$@\[\]]\S*|[a-z]+(-[a-z0-9]+)+|\w*[a-z][A-Z]\w*")
"""Names of tools, fields and cases, paths, values, numbers."""
_WORD = re.compile(r"[^\W_]+")
_ENDS = re.compile(r"[⟦⟧\n·:;,“”\"→()|]|~+| – |(?<=[.!?]) ")
_GLUED = re.compile(r"[^.!?:…~⟦⟧\s]\s*~*⟧ ?⟦")
"""The end of a text that is no sentence, and another text directly behind it."""


def untranslated(text: str) -> list[str]:
    """The parts of a displayed text that no catalogue can change; empty where there are none."""
    return [part for part in _plain_parts(text) if not _is_content(part)]


def is_glued(text: str) -> bool:
    """Whether two texts of a catalogue stand beside each other with nothing that separates them."""
    return _GLUED.search(text) is not None


def _plain_parts(text: str) -> Iterator[str]:
    for piece in _ENDS.split(text):
        run: list[str] = []
        for word in [*piece.split(), "å"]:
            if _ACCENTS.search(word) is None:
                run.append(word)
                continue
            part = " ".join(run).strip(" .!?…'‘’")
            part = part.lstrip("0123456789 ") if len(run) > 2 else part
            run = []
            if any(map(_PLAIN.fullmatch, re.findall(r"\w+", part))):
                yield part


def _is_content(part: str) -> bool:
    if part in _texts() or any(re.fullmatch(kind, part) for kind in CONTENT.values()):
        return True
    first, _, rest = part.partition(" ")
    if rest and first in _words() and _is_content(rest):
        return True
    words = [word.strip(".,'’!?") for word in part.split()]
    left = [word for word in words if _PLAIN.search(word) and _NAME.fullmatch(word) is None]
    return (all(word in _words() for word in left) and len(left) < 3) or _flat(part) in _corpus()


def _flat(text: str) -> str:
    return f" {' '.join(_WORD.findall(text))} "


@cache
def _texts() -> frozenset[str]:
    """Every key and every text of the sample project and of the training."""
    found: set[str] = set()

    def collect(value: object) -> None:
        match value:
            case dict():
                found.update(value)
                collect(list(value.values()))
            case list():
                for one in value:
                    collect(one)
            case str() if value[:1] in ("{", "["):
                found.add(value)
                try:
                    collect(json.loads(value))
                except ValueError:
                    return
            case str():
                found.add(value.strip())

    for file in (*resource_path("samples").iterdir(), *resource_path("training").iterdir()):
        for line in _lines(file):
            collect(json.loads(line))
    return frozenset(found)


def _lines(file: Path) -> list[str]:
    if file.suffix == ".gz":
        return [gzip.decompress(file.read_bytes()).decode()]
    text = file.read_text(encoding="utf-8")
    return {".jsonl": text.splitlines(), ".json": [text]}.get(file.suffix, [])


@cache
def _words() -> frozenset[str]:
    return frozenset(text for text in _texts() if len(text.split()) == 1)


@cache
def _corpus() -> str:
    return "".join(map(_flat, sorted(_texts())))
