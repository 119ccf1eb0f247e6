"""What the words of the program mean: terms with a right and a wrong example, in several languages.

The files lie in `resources/guidelines`, one for each language. A topic names a section (`policy`) or one of
its terms (`policy.single`); the ids of terms are those of the program's closed sets.
"""

import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar

from pydantic import AfterValidator, Field, ValidationError

from annotator.resources import resource_path
from scoring.errors import InputError
from scoring.model.record import Record
from scoring.model.taxonomy import C3Mistake, WildtoolMistake

_Named = TypeVar("_Named", "Term", "GuidelineSection")


def _once(entries: tuple[_Named, ...]) -> tuple[_Named, ...]:
    ids = [entry.id for entry in entries]
    twice = sorted({entry_id for entry_id in ids if ids.count(entry_id) > 1})
    if twice:
        raise ValueError(f"named twice: {', '.join(twice)}")
    return entries


class Language(StrEnum):
    """The languages there is a file for."""

    ENGLISH = "en"
    CHINESE = "zh"


class Term(Record):
    """One word: what it means, an example of its right use, and one that looks like it and is wrong."""

    id: str
    title: str = Field(min_length=1)
    definition: str = Field(min_length=1)
    right: str = Field(min_length=1)
    wrong: str = Field(min_length=1)


class GuidelineSection(Record):
    """Terms of one kind; `text` says how to choose among them (Markdown)."""

    id: str = Field(pattern=r"^[a-z0-9_]+$")
    title: str = Field(min_length=1)
    text: str
    terms: Annotated[tuple[Term, ...], AfterValidator(_once)] = Field(alias="term", min_length=1)

    def topic(self, term: Term) -> str:
        """What names a term of this section."""
        return f"{self.id}.{term.id}"


class Guidelines(Record):
    """The guidelines in one language; `name` is what that language is called in itself."""

    language: Language
    name: str
    title: str
    text: str
    sections: Annotated[tuple[GuidelineSection, ...], AfterValidator(_once)] = Field(
        alias="section", min_length=1
    )

    def section_of(self, topic: str) -> GuidelineSection | None:
        """The section a topic names or lies in; None where there is none."""
        wanted = topic.partition(".")[0]
        return next((section for section in self.sections if section.id == wanted), None)

    def term_of(self, topic: str) -> Term | None:
        """The term a topic names; None where it names a whole section or nothing."""
        section = self.section_of(topic)
        wanted = topic.partition(".")[2]
        return next((term for term in section.terms if term.id == wanted), None) if section else None

    @property
    def markdown(self) -> str:
        """Everything as one text to read."""
        parts = [self.text]
        for section in self.sections:
            parts += [f"## {section.title}", section.text.strip()]
            parts += [
                f"**{term.title}.** {term.definition}\n\n- ✓ {term.right}\n- ✗ {term.wrong}"
                for term in section.terms
            ]
        return "\n\n".join(parts)


class OwnWords(NamedTuple):
    """What a team says of a topic: a definition, or with `example` a `right` or `wrong` one."""

    topic: str
    example: str
    text: str


def own_words(line: str) -> OwnWords:
    """Read a line of the policy's `guidelines`, e.g. `policy.single right: Where is it?`."""
    about, _, text = line.partition(": ")
    topic, _, example = about.partition(" ")
    return OwnWords(topic, example, text)


class LoadedGuidelines(Record):
    """Guidelines as read, and what to tell about it; empty where they are those that were wanted."""

    guidelines: Guidelines
    message: str = ""


def read_guidelines(language: Language, *, folder: Path | None = None) -> Guidelines:
    """Read the guidelines of one language.

    Args:
        language: The language.
        folder: Where the files lie; those of the program where None.

    Raises:
        InputError: The file is missing or damaged; says what is wrong with it.
    """
    name = f"{language}.toml"
    advice = "Install the program again, or restore the file in resources/guidelines."
    try:
        path = folder / name if folder is not None else resource_path("guidelines", name)
        read = Guidelines.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError as exc:
        raise InputError(f"The guidelines {name} are missing.", advice) from exc
    except OSError as exc:
        raise InputError(f"The guidelines {name} cannot be read: {exc.strerror}.", advice) from exc
    except ValidationError as exc:
        first = exc.errors()[0]
        place = " ".join(str(part + 1) if isinstance(part, int) else part for part in first["loc"])
        raise InputError(f"The guidelines {name} are damaged at {place}: {first['msg']}.", advice) from exc
    except ValueError as exc:  # no UTF-8, or no TOML
        raise InputError(f"The guidelines {name} are damaged: {exc}.", advice) from exc
    if read.language is not language:
        raise InputError(f"The guidelines {name} are in another language: {read.language}.", advice)
    return read


def load_guidelines(wanted: Language, *, folder: Path | None = None) -> LoadedGuidelines:
    """Read the guidelines in the wanted language, else in one that can be read.

    Raises:
        InputError: None can be read; says why of the wanted one.
    """
    try:
        return LoadedGuidelines(guidelines=read_guidelines(wanted, folder=folder))
    except InputError as exc:
        refused = exc
    for language in Language:
        if language is not wanted:
            try:
                found = read_guidelines(language, folder=folder)
            except InputError:
                continue
            return LoadedGuidelines(
                guidelines=found, message=f"{refused.message} Shown in {found.name} instead."
            )
    raise refused


def mistake_topic(kind: str) -> str:
    """What explains a class of errors, of WildToolBench or of C3-Bench; empty for another word."""
    topics = {mistake.value: f"c3.{mistake.name.lower()}" for mistake in C3Mistake}
    topics |= {mistake.value: f"wildtool.{mistake.name.lower()}" for mistake in WildtoolMistake}
    return topics.get(kind, "")
