"""The prose of the command line in another language: help, what is refused, tables and messages.

What is a contract stays as it is: names of commands and options, keys, ids, exit codes, what `--json` prints.
"""

import re
from enum import StrEnum
from inspect import cleandoc
from typing import Any

import typer
from typer.core import TyperGroup

from scoring.texts import CATALOGUES, speak, tr

_AFTER_WIDE = re.compile("(?<=[\u2018-\u201d\u3000-\u30ff\u3400-\u9fff\uff00-\uffef])[ \u2060]")
_WIDE = re.compile("[（《「“]?[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef][，。、；：？！）》」”]?")
_OF_CLICK = re.compile(r"(?<=[\[ ])(default: |env var: |required(?=[;\]]))")
_CLICK: Any = TyperGroup.context_class
LIBRARY = (
    "Usage: ",
    " to ",
    "{first} {next}",
    "{first}, {next}",
    ", ",
    "{name}: {words}",
    "{words}.",
    "Options",
    "Arguments",
    "Commands",
    "{heading}:",
    "default: ",
    "required",
    "env var: ",
    "Show this message and exit.",
    "Install completion for the current shell.",
    "Show completion for the current shell, to copy it or customize the installation.",
    "Error: {message}",
    "Try '{command} -h' for help.",
    "Invalid value: {message}",
    "Invalid value for {option}: {message}",
    "Missing argument {name}.",
    "Missing option {name}.",
    "Missing command.",
    "No such option: {name}",
    "No such option: {name} Did you mean {other}?",
    "No such option: {name} (Possible options: {others})",
    "No such command {name}.",
    "No such command {name}. Did you mean {other}?",
    "Option {name} requires an argument.",
    "Option {name} does not take a value.",
    "Got unexpected extra argument ({name})",
    "Got unexpected extra arguments ({names})",
    "{value} is not one of {choices}.",
    "{value} is not a valid integer.",
    "{value} is not a valid float.",
    "{value} is not in the range {range}.",
)
"""What joins sentences and counts, and what the library below the command line says."""


_NAMES = ("en", *sorted(path.name for path in CATALOGUES.iterdir()))
Language = StrEnum("Language", dict(zip(_NAMES, _NAMES, strict=True)))  # type: ignore[misc]
"""English and what has a catalogue."""


def follow(asked: typer.Context, language: Language | None) -> Language | None:
    """Say everything this command prints for people in a language; `asked` is of the whole program."""
    if language is not None:
        speak(language)
        asked.formatter_class = _Formatter
        _translate(asked.command, type("SpokenContext", (_CLICK,), {"formatter_class": _Formatter}))
    return language


class _Formatter(_CLICK.formatter_class):  # type: ignore[misc]
    """Writes the help of a command; a line has room for half as many wide characters."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, prefix or tr("Usage: "))

    def write_heading(self, heading: str) -> None:
        self.write(tr("{heading}:", heading=tr(heading)) + "\n")

    def write_dl(self, rows: Any, *widths: int) -> None:
        super().write_dl([(name, _in_language(words)) for name, words in rows], *widths)

    def write(self, string: str) -> None:
        super().write(_AFTER_WIDE.sub("", string))


def _in_language(words: str) -> str:
    """What stands beside a name: translated before, but for what the library adds."""
    return _OF_CLICK.sub(
        lambda found: _spaced(tr(found[0])), _spaced(tr(words)) if words in LIBRARY else words
    )


def _translate(part: Any, context: type) -> None:
    """Give a command, and those in it, their help in the language."""
    part.context_class = context
    said = tr(cleandoc(part.help or ""))
    part.help, part.epilog = _spaced(said), _spaced(tr(part.epilog or ""))
    part.short_help = _spaced(re.split("。|\n", said)[0])
    for parameter in part.params:
        if getattr(parameter, "help", None):
            parameter.help = _spaced(tr(parameter.help))
    for inner in getattr(part, "commands", {}).values():
        _translate(inner, context)


def _spaced(text: str) -> str:
    """A text whose wide characters count twice and may begin a line, where none stands alone before an end.

    `_Formatter.write` takes out what is put in.
    """
    return _WIDE.sub(lambda found: "\u2060".join(found[0]) + " ", text)
