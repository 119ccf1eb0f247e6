"""The words of the roles, shipped or a team's own, their version, and the two pseudo-actions as tools."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from annotator.files import read_bytes, read_text, replace_text
from annotator.generation.plan import LANGUAGES
from annotator.project.changes import Changes
from annotator.project.workspace import Work, operation
from annotator.resources import resource_text
from db.read import generations
from db.tables import Transaction
from db.write import generations as writes
from scoring.errors import ConflictError, InputError, NotFoundError, filled
from scoring.model.case import Case, Tool
from scoring.model.graph import ANSWER_NAME, ASK_NAME
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Policy, Role

_SECTION = re.compile(r"^## (\w+)[ \t]*\n", re.MULTILINE)
_PLACE = re.compile(r"\{(\w+)\}")
_FIXED = ("label_user", "label_agent")
"""By these `replies.plain_text` knows what is no part of a reply."""


def file_name(language: str) -> str:
    """What the file with the prompts of a language is called."""
    return f"generation_{language}.md"


def shipped_text(language: str) -> str:
    """The prompts of a language that come with the program."""
    return resource_text("prompts", file_name(language))


class Prompts:
    """The prompts of one language.

    Attributes:
        language: `en` or `zh`.
        own: The text of a team; empty where it is the shipped one.
        version: `own` or the number in the shipped file, and a few digits of the text's hash, so that every
            edit shows.

    Args:
        language: `en` or `zh`.
        text: That of a team; empty for the shipped one. A section it lacks, since the program came to need
            it later, is the shipped one.
    """

    def __init__(self, language: str, text: str = "") -> None:
        shipped = shipped_text(language)
        own = "" if text == shipped else text
        number = "own" if own else shipped.partition("\n")[0].partition(":")[2].strip()
        self.language = language
        self.own = own
        self._texts = {**_sections(shipped), **_sections(own)}
        self.version = f"{language}-{number}-{hashlib.sha256((own or shipped).encode()).hexdigest()[:8]}"

    def text(self, name: str, /, **values: object) -> str:
        """One section with its places filled in; braces of JSON examples stay."""
        text = self._texts[name]
        known = {"label_user": self.label("user"), "label_agent": self.label("agent"), **values}
        known.setdefault("label_now", self._texts["label_now"])
        return _PLACE.sub(lambda found: str(known.get(found[1], found[0])), text)

    def label(self, speaker: str) -> str:
        """How texts of a speaker begin."""
        return self._texts[f"label_{speaker}"]

    def tools(self, tools: Sequence[Tool], *, is_planner: bool = False) -> str:
        """The tools as a prompt shows them, with a sentence on the parameters of each."""
        shown = [*definitions(tools), *(self.pseudo_actions() if is_planner else ())]
        return self.text(
            "tools",
            tools=json.dumps(shown, ensure_ascii=False),
            parameters="\n".join(map(self._parameters, tools)),
        )

    def _parameters(self, tool: Tool) -> str:
        needed = tool.required
        optional = [name for name in tool.properties if name not in needed]
        none = self._texts["none"]
        return self.text(
            "parameters_of_tool",
            name=tool.name,
            required=", ".join(needed) or none,
            optional=", ".join(optional) or none,
        )

    def pseudo_actions(self) -> list[JsonObject]:
        """The two pseudo-actions as tool definitions (formats 2.1), described in this language."""
        text: JsonObject = {"type": "string"}
        return [
            _definition(
                ASK_NAME,
                self._texts["ask_description"],
                {
                    "tool_name": {**text, "description": self._texts["ask_tool_description"]},
                    "missing_required_parameters": {
                        "type": "array",
                        "items": text,
                        "description": self._texts["ask_missing_description"],
                    },
                },
            ),
            _definition(
                ANSWER_NAME,
                self._texts["answer_description"],
                {
                    "answer_type": {
                        **text,
                        "enum": ["tool", "chat"],
                        "description": self._texts["answer_type_description"],
                    }
                },
            ),
        ]


def _definition(name: str, description: str, properties: JsonObject) -> JsonObject:
    parameters: JsonObject = {"type": "object", "properties": properties, "required": [*properties]}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def definitions(tools: Sequence[Tool]) -> list[JsonObject]:
    """Tools in the shape of chat requests, whatever shape their file had; schemas stay as they are."""
    return [
        tool.definition
        if "function" in tool.definition
        else {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.original_parameters or {"type": "object", "properties": {}},
            },
        }
        for tool in tools
    ]


@lru_cache(maxsize=8)
def prompts_in(language: str, text: str = "") -> Prompts:
    """The prompts of a language, shipped or a team's own, read once."""
    return Prompts(language, text)


def _sections(text: str) -> dict[str, str]:
    """Names and texts of the sections of a file."""
    _, *parts = _SECTION.split(text)
    return {name: body.strip() for name, body in zip(parts[::2], parts[1::2], strict=True)}


# What a team makes of them.


def prompts_used(tx: Transaction, language: str) -> Prompts:
    """The prompts that new runs of a project use."""
    return prompts_in(language, generations.prompts_used(tx, language))


def used_texts(tx: Transaction) -> dict[str, str]:
    """The texts of the prompts that new runs of a project use, by language."""
    return {one: generations.prompts_used(tx, one) or shipped_text(one) for one in LANGUAGES}


def shipped_texts() -> dict[str, str]:
    """The texts of the prompts that come with the program, by language."""
    return {one: shipped_text(one) for one in LANGUAGES}


def read_prompts(folder: Path) -> dict[str, str]:
    """The prompt files of a folder by language, not checked yet; a language without a file is left out.

    Raises:
        InputError: There is none, or one cannot be read.
    """
    files = {language: folder / file_name(language) for language in LANGUAGES}
    # No database holds a NUL.
    found = {
        language: read_text(path).replace("\0", " ") for language, path in files.items() if path.exists()
    }
    return filled(
        found, InputError(f"{folder} holds no prompts.", f"Make some with `annotator prompts copy {folder}`.")
    )


def preview(texts: Mapping[str, str], section: str, case: Case) -> str:
    """A section as a role reads it where the last task of a case is made.

    The tools, the time and the wanted policy are those of the case; what a run draws stays in braces.

    Args:
        texts: Prompts by language.
        section: Its name.
        case: Which task of which tools is made.

    Raises:
        NotFoundError: There is no such section.
    """
    language = case.language if case.language in texts else LANGUAGES[0]
    text, wanted = texts[language], case.tasks[-1].policy or Policy.SINGLE
    if section not in _sections(text):
        raise NotFoundError(
            f"There is no section '{section}'.",
            f"See the headings in {file_name(language)}, as `annotator prompts copy` writes it.",
        )
    prompts = prompts_in(language, text)
    tools = prompts.tools(case.tools, is_planner=section == "planner")
    return prompts.text(section, tools=tools, wanted=wanted.value, now=case.now.raw if case.now else "{now}")


def copy_prompts(texts: Mapping[str, str], folder: Path) -> list[Path]:
    """Write prompts by language as files into a folder; those that are there as they are stay.

    Raises:
        ConflictError: One is there already and differs; nothing is written.
        StoreError: They cannot be written.
    """
    files = {folder / file_name(language): text for language, text in texts.items()}
    for path, text in files.items():
        if path.exists() and read_bytes(path) != text.encode():
            raise ConflictError(
                f"{path} is there and differs.", "Name another folder; `annotator prompts diff` compares."
            )
    for path, text in files.items():
        replace_text(path, text)
    return [*files]


def check_prompts(language: str, text: str) -> None:
    """Hold prompts of a team against the shipped ones.

    Raises:
        InputError: A section or a placeholder is missing, or unknown.
    """
    file, shipped, own = file_name(language), _sections(shipped_text(language)), _sections(text)
    names = _SECTION.findall(text)
    for name in names:
        if name not in shipped:
            raise InputError(
                f"{file}: section '{name}' is unknown.",
                "Take it out; a heading within a section begins with ###.",
            )
        if names.count(name) > 1:
            raise InputError(f"{file}: section '{name}' is there twice.", "Leave one of them.")
    for name, body in shipped.items():
        if not own.get(name):
            raise InputError(
                f"{file}: section '{name}' is missing.", f"Write '## {name}' and its text below it."
            )
        if name in _FIXED and own[name] != body:
            raise InputError(f"{file}: section '{name}' differs.", f"Replies are read by it: write {body}")
        wanted, found = set(_PLACE.findall(body)), set(_PLACE.findall(own[name]))
        for place in sorted(found - wanted):
            known = ", ".join(f"{{{one}}}" for one in sorted(wanted)) or "none"
            raise InputError(
                f"{file}: section '{name}' has an unknown placeholder {{{place}}}.",
                f"This section knows: {known}.",
            )
        for place in sorted(wanted - found):
            raise InputError(
                f"{file}: section '{name}' lacks the placeholder {{{place}}}.",
                "Put it where its value belongs.",
            )


@operation("project:prompts:use", roles=(Role.MANAGER,), is_alone=True)
def use_prompts(w: Work, texts: Mapping[str, str]) -> list[Prompts]:
    """Let new runs use prompts by language; others stay as they are, and so do runs that have begun.

    Raises:
        InputError: They do not fit; see `check_prompts`.
        ForbiddenError: The person is no manager.
    """
    changed: JsonObject = {}
    for language, text in texts.items():
        check_prompts(language, text)
        before, after = prompts_used(w.tx, language), prompts_in(language, text)
        if before.version != after.version:
            writes.add_prompts(w.tx, language, version=after.version, body=after.own)
            changed[language] = [before.version, after.version]
    if changed:
        w.record("project:prompts", changed, Changes(has_policy=True))
    return [prompts_used(w.tx, language) for language in LANGUAGES]
