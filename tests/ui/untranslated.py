"""What of a text in the pseudo-language did not go through the catalogue, or was glued together.

Every word of the catalogue has accents there and stands in brackets (`.ci/texts.py --pseudo`). A word without
them is content of the sample project, or one of the few in `CONTENT`; else it is a text nobody can translate.
"""

import gzip
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from annotator.resources import resource_path

CONTENT = {
    "names of projects, people, runs and presets": r"Annotator|Sample project|samples( \d+)?|founder|careful"
    "|careless|wildtoolbench|annotator|team|you|generated",
    "keys": r"((Ctrl|Alt|Shift|⇧)[ +]?)*"
    r"(Esc|Enter|Backspace|Space|Tab|Del|Delete|Home|End|PgUp|PgDown|F\d+|[A-Z0-9↵↑↓+-])?",
    "measures": r"(Krippendorff|Cohen|Conger|Gwet)( (α|κ|AC1|alpha).*)?|(?i:alpha) ）",
    "days of the locale": r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d\d [A-Z][a-z]{2}|\d+ [A-Z][a-z]{2}",
    "addresses": "https?",
    "kinds of wrong answers, as WildToolBench calls them": r"(Call Error|Param Hallucination"
    r"|Param Value Error|Wrong Name / Missing Info|Refusal)( \d+)?",
    "values of settings": r"pairing=\w+|en|zh",
    "keys of files": "multi|single|chat|clarify|logical|imported|omission( reference)?|reference",
    "abbreviations that are the same in every language": r"(MCP|TLS|JSON|MB|CSV|SHA|ID|API|BFCL"
    r"|(?i:T-EVAL)|tokens?|schema)( [）。]+)?|MCP tools/list|(-\d\d-\d\d （ )?UTC( ）)?",
    "titles of texts with files of their own": "Annotation guide",
    "what a line of the team's guidelines is about": r"[a-z_]+\.[a-z_.]+ (right|wrong)",
    "words of an answer that are quoted, and the last of a list of them": r"back|two|three|and|and \d+ more",
}
"""What is shown as it is, by what it is."""
_SAID = (
    *("about", "arguments", "asks", "content", "description", "function", "id", "message", "name", "note"),
    *("now", "observation", "reply", "system", "teaches", "text", "thought", "title", "tools", "user", "why"),
)
"""Fields of cases, lessons and predictions that hold what somebody said, not words of a closed set."""
BESIDE = ("ManualBrowser", "QTextBrowser", "TextBlock")
"""Kinds of widgets that show a file of the manual or a case, and nothing else."""
_ACCENTS = re.compile("[åéîöûýñçšžÅÉÎÖÛ\u4e00-\u9fff]")
"""What a text has that came from the catalogue: the accents of the pseudo-language, or Chinese characters."""
_BESIDE_CHINESE = re.compile(r"([\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]+)")
_PLAIN = re.compile(r"(?=.*[aeiouyncsAEIOUYNCSzZ])[A-Za-z]{2,}")
_NAME = re.compile(r"\S*[_/\d.$@\[\]]\S*|[a-z]+(-[a-z0-9]+)+|\w*[a-z][A-Z]\w*")
"""Names of tools, fields and cases, paths, values, numbers."""
_WORD = re.compile(r"[^\W_]+")
_ENDS = re.compile(r"[⟦⟧\n·:;,、“”\"→()|]|~+| – |(?<=[.!?]) ")
_GLUED = re.compile(r"[^.!?:…~⟦⟧\s]\s*~*⟧ ?⟦")
"""The end of a text that is no sentence, and another text directly behind it."""


def untranslated(text: str) -> list[str]:
    """The parts of a displayed text that no catalogue can change; empty where there are none."""
    for said in _sentences():
        text = text.replace(said, "å")
    text = _BESIDE_CHINESE.sub(r" \1 ", text)
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
    if len(left) < 3:
        return all(word in _words() for word in left)
    return _flat(part) in _corpus()


def _flat(text: str) -> str:
    return f" {' '.join(_WORD.findall(text))} "


@cache
def _texts() -> frozenset[str]:
    """What people, tools and models said in the sample project and the training, with names of fields."""
    found: set[str] = set()

    def collect(value: object, *, is_said: bool = False) -> None:
        match value:
            case dict():
                found.update(value if is_said else ())
                for key, one in value.items():
                    collect(one, is_said=is_said or key in _SAID)
            case list():
                for one in value:
                    collect(one, is_said=is_said)
            case str() if is_said:
                found.add(value.strip())
                with suppress(ValueError):
                    collect(json.loads(value) if value[:1] in ("{", "[") else None, is_said=True)

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
def _sentences() -> list[str]:
    """What is said in more than a word, the longest first; a line of it at a time."""
    lines = {line.strip() for text in _texts() for line in text.splitlines()}
    return sorted((line for line in lines if " " in line and len(line) > 6), key=len, reverse=True)


@cache
def _words() -> frozenset[str]:
    return frozenset(text for text in _texts() if len(text.split()) == 1)


@cache
def _corpus() -> str:
    return "".join(map(_flat, sorted(_texts())))
