#!/usr/bin/env python3
"""Bring the catalogues of `resources/locale` up to date with the texts of the program.

`python .ci/texts.py` adds texts that are new, takes out stale ones, compiles every catalogue, and prints what
has no translation yet. `--check` changes nothing and fails where a catalogue is behind or a text is missing.

The window says its texts through `tr` and `tr_count`. What the floors below say (messages, reasons,
findings) stands in the source as it is stored: every sentence of theirs outside the rooms of `UNSAID` is a
text too, with a named place for each value.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

LOCALES = Path("resources/locale")
UNSAID = re.compile(
    r"migrations|annotator/(api|llm|generation/(prompts|roles|traversal))"
    r"|release/(reports|card|croissant|front_matter|push)"
    r"|evidence/(dates|written_dates|relative_dates|quantities)|scoring/(teval|__init__|prompt_protocol|texts)"
    r"|formats/(dialects|chat/written)|scoring/measures/catalogue|db/tables"
)
"""Rooms below the window whose sentences are for models, files or papers, not for the window."""
CODE = re.compile(
    r"^[a-z0-9{}_.:/#-]+$|^[A-Z]+$|^PRAGMA|^SELECT|SET SESSION|^BEGIN |^LISTEN|READ$|IN \(|^NOT "
    r"|\\|sha256:|%Y|\{\}|\{:|\{0"
    r"|Current [Dd]ate|pg_hba|failed to resolve|^AI Agent|^https?:"
)
UNSHOWN_CALLS = {
    "compile",
    "sub",
    "match",
    "fullmatch",
    "search",
    "findall",
    "getattr",
    "setattr",
    "debug",
    "info",
    "warning",
    "exception",
    "TypeVar",
    "cast",
    "startswith",
    "endswith",
    "split",
    "replace",
    "removeprefix",
    "removesuffix",
    "strftime",
    "encode",
    "counted",
    "ValueError",
    "TypeError",
    "RuntimeError",
    "AssertionError",
    "KeyError",
    "NotImplementedError",
    "IndexError",
    "LookupError",
}

Text = str | tuple[str, str]
"""A text, or the singular and plural of a counted noun."""
Places = dict[Text, list[tuple[str, int]]]


def nouns(call: ast.Call) -> tuple[str, str] | None:
    """Singular and plural of a call of `tr_count` or `counted`; None where they are no literals."""
    words = [
        noun.value for noun in call.args[1:] if isinstance(noun, ast.Constant) and isinstance(noun.value, str)
    ]
    return (words[0], [*words, words[0] + "s"][1]) if words else None


def window_texts(tree: ast.Module) -> Iterator[tuple[int, Text]]:
    """Line and text of every call of `tr` and `tr_count`."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="tr"), args=[ast.Constant(value=str(text)), *_]):
                yield node.lineno, text
            case ast.Call(func=ast.Name(id="tr_count")) if words := nouns(node):
                yield node.lineno, (f"{{count:,}} {words[0]}", f"{{count:,}} {words[1]}")


def template(node: ast.JoinedStr) -> str:
    """An f-string with a named place for each value."""
    parts: list[str] = []
    names: list[str] = []
    for part in node.values:
        match part:
            case ast.Constant(value=str(text)):
                parts.append(text.replace("{", "{{").replace("}", "}}"))
            case ast.FormattedValue(value=value):
                name = place(value)
                names.append(name)
                parts.append(f"{{{name}{names.count(name) if name in names[:-1] else ''}}}")
    return "".join(parts)


def place(value: ast.expr) -> str:
    """A word for a value, so that who translates knows what stands there."""
    match value:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.strip("_").lower()
        case ast.Call(args=[inner, *_]):
            return place(inner)
        case ast.Subscript(value=inner) | ast.Call(func=ast.Attribute(value=inner)):
            return place(inner)
    return "value"


def said_texts(tree: ast.Module) -> Iterator[tuple[int, Text]]:
    """Line and text of every sentence and every counted noun of a floor below the window."""
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="counted")) if words := nouns(node):
                yield from ((node.lineno, f"{{count}} {word}") for word in words)
            case ast.JoinedStr() if is_said(node, parents) and is_sentence(template(node)):
                yield node.lineno, template(node)
            case ast.Constant(value=str(text)) if is_said(node, parents) and is_sentence(text):
                yield node.lineno, text


def is_said(node: ast.expr, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a text is more than a docstring, a key, or something for the program itself."""
    child: ast.AST = node
    while (parent := parents.get(child)) is not None:
        match parent:
            case ast.Expr():
                return child is not node
            case ast.JoinedStr() | ast.Compare() | ast.MatchValue() | ast.Assert() | ast.arg():
                return False
            case ast.Dict() if child in parent.keys:
                return False
            case ast.Subscript(slice=key) if child is key:
                return False
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in UNSHOWN_CALLS:
                return False
            case ast.FunctionDef(returns=kind) | ast.AnnAssign(annotation=kind) if child is kind:
                return False
            case ast.stmt():
                return True
        child = parent
    return True


def is_sentence(text: str) -> bool:
    """Whether a text is one for people: words, or a name with a capital."""
    plain = re.sub(r"\{[^}]*\}", "", text)
    if len(re.findall(r"[A-Za-z]", plain)) < 2 or CODE.search(text):
        return False
    return " " in text.strip() or plain[:1].isupper()


def all_texts() -> Places:
    """Every text of the tracked sources, with the places it stands in."""
    command = ["git", "ls-files", "ui", "annotator", "scoring", "db"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    found: Places = {}
    for name in listed:
        if not name.endswith(".py") or name.startswith("ui/cli") or UNSAID.search(name):
            continue
        tree = ast.parse(Path(name).read_text(encoding="utf-8"))
        for line, text in window_texts(tree) if name.startswith("ui/") else said_texts(tree):
            found.setdefault(text, []).append((name, line))
    return found


def updated(path: Path, texts: Places) -> Catalog:
    """A catalogue with exactly these texts, and with its translations of those it had."""
    with path.open("rb") as stream:
        old = read_po(stream, locale=path.parts[-3])
    day = datetime(2026, 1, 1, tzinfo=UTC)  # the same texts, the same bytes
    new = Catalog(old.locale, project="annotator", charset="utf-8", creation_date=day, revision_date=day)
    new.header_comment = "# Texts of Annotator."
    for text, places in sorted(texts.items(), key=lambda item: item[1][0]):
        known = old.get(text if isinstance(text, str) else text[0])
        string = known.string if known is not None else ""
        # Files without lines: else every change of the source would change the catalogue.
        new.add(text, string, locations=[(place, None) for place in sorted({file for file, _ in places})])
    return new


def po_bytes(catalog: Catalog) -> bytes:
    """A catalogue as its file has it; the same catalogue, the same bytes."""
    stream = BytesIO()
    write_po(stream, catalog, width=100, omit_header=False, include_lineno=False)
    lines = stream.getvalue().decode().splitlines()
    return (
        "\n".join(
            line
            for line in lines
            if not re.match(r'"(POT-Creation|PO-Revision|Generated-By|Last-Tr|Report)', line)
        ).encode()
        + b"\n"
    )


def mo_bytes(catalog: Catalog) -> bytes:
    """A catalogue as the program reads it."""
    stream = BytesIO()
    write_mo(stream, catalog)
    return stream.getvalue()


def missing(catalog: Catalog) -> list[str]:
    """The texts of a catalogue without a translation."""
    return [
        str(one.id)
        for one in catalog
        if one.id and not all(one.string if isinstance(one.string, tuple | list) else [one.string])
    ]


def main() -> int:
    """Update every catalogue, or check it; says what is missing."""
    texts, is_check, failed = all_texts(), "--check" in sys.argv, 0
    for path in sorted(LOCALES.glob("*/LC_MESSAGES/annotator.po")):
        catalog = updated(path, texts)
        files = {path: po_bytes(catalog), path.with_suffix(".mo"): mo_bytes(catalog)}
        behind = [
            file for file, content in files.items() if not file.exists() or file.read_bytes() != content
        ]
        lacking = missing(catalog)
        for line in [f"missing: {text}" for text in lacking] + [
            f"behind: {file} (run `make texts`)" for file in behind if is_check
        ]:
            print(line)
        if not is_check:
            for file, content in files.items():
                file.write_bytes(content)
        failed += bool(is_check and (behind or lacking))
        print(f"{path.parts[-3]}: {len(catalog):,} texts, {len(lacking):,} without a translation")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
