"""What people read, in the language of this process: texts with named places, looked up in a catalogue.

The catalogues are those of `gettext`, in `resources/locale`; `make texts` brings them up to date. What is
stored or is a contract (messages, reasons, findings in files and in `--json`) stays English; the window shows
it through `tr`, which knows such a text by the template it was made of.
"""

import gettext
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache, partial, reduce
from pathlib import Path

CATALOGUES = Path(__file__).parent.parent / "resources" / "locale"
_TELLING = 7
"""Letters of a plain part from which it tells a message from what people write themselves."""
_BEGINNING = re.compile(r"\(\?P<count>|[A-Za-z][a-z]{3,}\\ \(\?P<")
"""Of a pattern that tells a message by a word and a number, e.g. `Task {number}: {words}`."""
_PLACES = re.compile(r"\(\?P.*?\)|\\ ")
"""What of a pattern is no letter or mark of its text."""
_PLACE = re.compile(r"\{(\w+)(?:![rsa])?(?::[^{}]*)?\}")

_LINES = re.compile(r"(\n|(?<=[:.?!]) (?=\d\. ))")
_BULLET = re.compile(r"^(\s*(?:- |\d\. )?)(.*)$", re.DOTALL)
_SENTENCES = re.compile(r"(?<=[.!?]) (?=\S)")
_MOST_NAMES = 4
"""Names before words that a line of prose may have; with more it is data."""
_NAMED = (
    *("batch", "case", "run", "name", "pair", "person", "owner", "author", "by", "deciding", "handed to"),
    *("nominated by", "verified by", "profile", "tool", "toolset", "file", "folder", "request"),
)
"""Headings over what people named or wrote."""
_UNNAMED = re.compile(r"mean of \d|unnamed run |line \d+$")
"""What the program itself writes there."""
_OWN = (
    *(
        "batch",
        "case",
        "case_id",
        "directory",
        "file",
        "folder",
        "model",
        "owner",
        "path",
        "person",
        "project",
    ),
    *("release", "run"),
)
"""Places of a message in which a name stands that people gave."""
_NAMES = re.compile(r"[^\s,]+(?:, [^\s,]+)*")
"""Names of one word each, one after the other."""
_PARTS = re.compile(r"( · | > |(?<=\d) – | \(%\)$|(?<=\d) to (?=[\d+−])|(?<=\S); (?=\S))")
_JOINS = re.compile("[:;–] ")
"""Between messages: what begins a message in a place has none."""


class _Catalogue(gettext.GNUTranslations):
    """One language's texts, and what finds the template a text was made of."""

    _catalog: dict[object, str]  # of gettext, which offers no other way to list its texts

    def templates(self) -> list[tuple[str, re.Pattern[str], str]]:
        """The longest plain part, the pattern and the translation of every text with places.

        Too little of what people wrote themselves is told from `{one} and {other}`: such texts are left out.
        """
        known = self._catalog.items()
        found = [_template(key, said) for key, said in known if isinstance(key, str) and "{" in key]
        short = (one for one in found if len(one[0]) < _TELLING and _BEGINNING.match(one[1].pattern))
        numbered = (
            (plain, re.compile(pattern.pattern.replace(".*?", r"[\d,]+", 1), re.DOTALL), said)
            for plain, pattern, said in short
        )
        return [*(one for one in found if len(one[0]) >= _TELLING), *numbered]


_said: list[gettext.NullTranslations] = [gettext.NullTranslations()]
_apart: ContextVar[gettext.NullTranslations | None] = ContextVar("apart", default=None)
"""What is spoken in one thread only, whatever the process speaks."""


def speak(language: str, folder: Path = CATALOGUES) -> None:
    """Say all texts of this process in a language from now on; English where it has no catalogue.

    Modules keep texts from when they are imported, so this comes before the window's modules.

    Args:
        language: Its name as the system writes it, e.g. `zh_CN`.
        folder: Where the catalogues are.
    """
    _said[0] = gettext.translation("annotator", folder, [language], class_=_Catalogue, fallback=True)
    for kept in (_find, _templates, _english):
        kept.cache_clear()


@contextmanager
def in_english() -> Iterator[None]:
    """Say texts in English within; for what is the same in every language, such as the files of a paper."""
    before = _apart.set(gettext.NullTranslations())
    try:
        yield
    finally:
        _apart.reset(before)


def _spoken() -> gettext.NullTranslations:
    return _apart.get() or _said[0]


def tr(text: str, *, context: str = "", **values: object) -> str:
    """A text in the language of this process.

    Args:
        text: The English text, with places in braces where there are values; without values it may also be a
            finished message, e.g. of an error, whose template is in the catalogue.
        context: What is meant, where another language has other words for other meanings of the text.
        values: What stands in the places; their formats are those of the text.

    Example:
        >>> tr("{count:,} cases of {batch}", count=1200, batch="b1")
        '1,200 cases of b1'
    """
    # The empty text is a catalogue's own description.
    spoken = _spoken()
    said = spoken.pgettext(context, text) if context else text
    said = spoken.gettext(text) if text and said == text else said
    if values:
        return said.format(**values)
    return said if said != text or not isinstance(spoken, _Catalogue) else _find(text)


def tr_count(count: int, noun: str, plural: str = "") -> str:
    """A number with its noun in the language of this process, e.g. `1 finding`, `12,400 cases`.

    Args:
        count: How many.
        noun: The English noun for exactly one.
        plural: For all other counts, where an s behind the noun does not make it.
    """
    said = _spoken().ngettext(f"{{count:,}} {noun}", f"{{count:,}} {plural or noun + 's'}", count)
    return said.format(count=count)


def english_of(said: str) -> str:
    """The English text of one of the catalogue, so that either finds what it stands for."""
    return _english().get(said, said)


def in_language(text: str) -> str:
    """A finished text of several lines, sentences, counts or parts in the language of this process.

    What stands before a line or is its number, and a name with a colon before its words, stays.
    """
    if not isinstance(_spoken(), _Catalogue):
        return text
    blank = tr("{first} {next}", first="", next="")
    return "".join(blank if part == " " else _line(part) for part in _LINES.split(text))


def joined(*sentences: str) -> str:
    """Sentences in the language of this process, one behind the other, but for empty ones."""
    said = filter(None, sentences)
    return reduce(lambda one, other: tr("{first} {next}", first=one, next=other) if one else other, said, "")


def with_commas(words: Iterable[object]) -> str:
    """Words one after the other, with the comma that lists have in the language of this process."""
    return tr(", ").join(map(str, words))


def cell_in_language(text: str, *, heading: str) -> str:
    """A cell of a table in the language of this process; a name that people gave stays.

    Behind a name there may be settings that tell it from others. A word alone is said where it is a label.
    """
    if heading.partition(" · ")[0] not in _NAMED or _UNNAMED.match(text):
        return in_language(text) if " " in text else _spoken().pgettext("label", text)
    name, *settings = text.split(" · ")
    return " · ".join((name, *map(tr, settings)))


def _line(text: str) -> str:
    [(before, plain)] = _BULLET.findall(text)
    said = _word(plain)
    sentences, counts = _SENTENCES.split(plain), plain.rstrip(".").split(", ")
    if sentences[1:] and all(_line(one) != one for one in sentences):
        said = joined(*map(_line, sentences))
    elif said == plain and counts[1:] and all(_word(one) != one for one in counts):
        words = reduce(lambda one, other: tr("{first}, {next}", first=one, next=other), map(_word, counts))
        said = tr("{words}.", words=words) if plain.endswith(".") else words
    elif said == plain and _PARTS.search(plain):
        said = "".join((tr if at % 2 else _line)(part) for at, part in enumerate(_PARTS.split(plain)))
    elif said == plain and 0 < plain.count(": ") <= _MOST_NAMES:
        name, _, rest = plain.partition(": ")
        said = tr("{name}: {words}", name=_word(name), words=_line(rest))
    return f"{before}{said}"


_word = partial(tr, context="label")


def _template(text: str, said: str) -> tuple[str, re.Pattern[str], str]:
    parts = _PLACE.split(text.replace("{{", "\0").replace("}}", "\1"))
    plain = [part.replace("\0", "{").replace("\1", "}") for part in parts[::2]]
    pattern = re.escape(plain[0])
    for name, part in zip(parts[1::2], plain[1:], strict=True):
        place = f"(?P<{name}>"
        value = place + (r"[\d,]+)" if name == "count" else ".*?)")
        pattern += (f"(?P={name})" if place in pattern else value) + re.escape(part)
    return max(plain, key=len), re.compile(pattern, re.DOTALL), _PLACE.sub(r"{\1}", said)


@cache
def _english() -> dict[str, str]:
    return {
        said: key.rpartition("\4")[2]
        for one in _said
        if isinstance(one, _Catalogue)
        for key, said in one._catalog.items()
        if isinstance(key, str)
    }


@cache
def _templates() -> list[tuple[str, re.Pattern[str], str]]:
    found = (template for said in _said if isinstance(said, _Catalogue) for template in said.templates())
    return sorted(found, key=lambda one: (-len(one[0]), -len(_PLACES.sub("", one[1].pattern))))


@lru_cache(4096)
def _find(text: str) -> str:
    for plain, pattern, said in _templates():
        match = pattern.fullmatch(text) if plain in text else None
        if match and (match.start(1) or not _JOINS.search(match[1])):
            return said.format(**{place: _inner(place, value) for place, value in match.groupdict().items()})
    return text


def _inner(place: str, value: str) -> str:
    """What stands in a place of a message: a part of it, or a name, which stays.

    A word alone may be somebody's name for something, too; what the program calls something has an article. A
    value of a closed set, e.g. a stage, stands in a place that is called after the set.
    """
    is_name = place in _OWN or (place == "name" and not value.startswith(("a ", "an ", "the ")))
    is_list = _NAMES.fullmatch(value) is not None
    say = _line if _JOINS.search(value) else _spoken().gettext if is_list else tr
    said = value if is_name else _spoken().pgettext(place, value)
    if said == value and not is_name:
        said = say(value) if " " in value else _spoken().pgettext("label", value)
    if said == value and is_list:
        kind = place[:-1] if place.endswith("s") else ""  # what a `stage` may be is a list of keys
        return with_commas(_spoken().pgettext(kind, one) for one in value.split(", "))
    return said
