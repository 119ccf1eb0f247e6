#!/usr/bin/env python3
"""Bring the catalogues of `resources/locale` up to date with the texts of the program.

`python .ci/texts.py` adds texts that are new, takes out stale ones, compiles every catalogue, and prints
what has no translation yet. `--check` changes nothing and fails where a catalogue is behind, a text is
missing, or a translation has other places than its text. `--pseudo FOLDER` writes a catalogue of the
language `en_XA` there: every text with accents, in brackets and 40 % longer, so that a window shows what
does not go through it.

The window says its texts through `tr` and `tr_count`. What the floors below say (messages, reasons,
findings) stands in the source as it is stored: every sentence of theirs outside the rooms of `UNSAID` is a
text too, with a named place for each value. So do the sentences of the command line, which are translated
where they are printed, and the words of its help.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from string import Formatter

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

LOCALES = Path("resources/locale")
UNSAID = re.compile(
    r"migrations|annotator/(api|generation/prompts)"
    r"|reports/paper"
    r"|release/(card|croissant|front_matter|push)"
    r"|evidence/(dates|written_dates|relative_dates|quantities)|scoring/(teval|__init__|prompt_protocol|texts)"
    r"|formats/(dialects|chat/written)|db/tables"
)
"""Rooms below the window whose sentences are for models, files or papers, not for the window."""
SHOWN_SETS = {
    "AccuracyDimension",
    "AgentRole",
    "BlindField",
    "Chooser",
    "Grouping",
    "OpenLabels",
    "Pairing",
    "Policies",
    "RatedField",
    "SampleOutcome",
    "SampleStatus",
    "SamplingMethod",
    "SlotStatus",
    "State",
    "Strata",
    "TrendStep",
}
"""Closed sets whose values are shown as words."""
PLACE_SETS = {
    "Actor": ("actor",),
    "Role": ("role",),
    "SlotStatus": ("status", "ended"),
    "Stage": ("stage",),
    "Verdict": ("verdict", "action"),
}
"""Closed sets whose values fill places of messages, with the names of these places."""
CODE = re.compile(
    r"^[a-z0-9{}_.:/#-]+$|^[A-Z]+$|^PRAGMA|^SELECT|SET SESSION|^BEGIN |^LISTEN|READ$|IN \(|^NOT "
    r"|\.otf$|^(Inter$|DejaVu|Noto |WenQuan|SimHei|Source Han|PingFang|Hiragino|Microsoft)"
    r"|\\|sha256:|%Y|\{\}|\{:|\{0"
    r"|Current [Dd]ate|pg_hba|failed to resolve|^AI Agent|^https?:|^X-"
)
NOT_SAID = re.compile(r"^\s*annotator |^ANNOTATOR_|^(case_)?pk |^id parent_id|^SpokenContext|<h1>|^type \|")
"""Of the command line: examples to type, variables and names of fields."""
WITH_HEADINGS = ("ui/cli", "scoring/measures/catalogue", "annotator/release/reports/score_tables")
"""Where the headings of tables stand that the command line prints."""
REPORTS = ("annotator/release/reports", "annotator/release/project_site")
WITH_CELLS = (*REPORTS, "scoring/m")
"""Where the words stand that fill a cell of a report."""
CELLS = {
    *("usual", "yes", "no", "excluded", "temperature", "native", "prompt"),
    *(
        "max tokens",
        "active size",
        "interface",
        "seed",
        "prompt price",
        "completion price",
        "total",
        "overall",
    ),
    *("open", "closed", "specialised", "Dialogues", "Tasks", "Calls"),
}
"""Words that stand alone in a cell of a report, or in a part of one."""
ACCENTS = str.maketrans("AEIOUaeiouyncsz", "ÅÉÎÖÛåéîöûýñçšž")
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
    "Random",
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
    "IndexError",
    "LookupError",
}

Text = str | tuple[str, str]
"""A text, behind its context and `BEHIND` where it has one, or the singular and plural of a counted noun."""
BEHIND = "\4"
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
                yield node.lineno, in_context(text, node)
            case ast.Call(func=ast.Name(id="tr_count")) if words := nouns(node):
                yield node.lineno, (f"{{count:,}} {words[0]}", f"{{count:,}} {words[1]}")


def in_context(text: str, call: ast.Call) -> str:
    """A text of `tr` behind its context, where the call has one."""
    found = [
        str(one.value.value)
        for one in call.keywords
        if one.arg == "context" and isinstance(one.value, ast.Constant)
    ]
    return BEHIND.join((*found, text))


def template(node: ast.JoinedStr) -> str:
    """An f-string with a named place for each value."""
    parts: list[str] = []
    names: dict[str, list[str]] = {}
    for part in node.values:
        match part:
            case ast.Constant(value=str(text)):
                parts.append(text.replace("{", "{{").replace("}", "}}"))
            case ast.FormattedValue(value=value):
                alike, said = names.setdefault(place(value), []), ast.dump(part)
                alike += [] if said in alike else [said]
                parts.append(f"{{{place(value)}{alike.index(said) + 1 if said != alike[0] else ''}}}")
    return "".join(parts)


def place(value: ast.expr) -> str:
    """A word for a value, so that who translates knows what stands there."""
    match value:
        case ast.Call(func=ast.Name(id="counted"), args=[inner, *_]):
            # A place called `count` takes digits alone, and this one has its noun.
            return {"count": "counted"}.get(place(inner), place(inner))
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
            case ast.Call(func=ast.Name(id="tr" | "say"), args=[ast.Constant(value=str(text)), *_]):
                yield node.lineno, in_context(text, node)
            case ast.Call(func=ast.Name(id="tr_count")) if words := nouns(node):
                yield node.lineno, (f"{{count:,}} {words[0]}", f"{{count:,}} {words[1]}")
            case ast.Assign(targets=[ast.Name(id="LABELS")], value=value):
                labels = (one for one in ast.walk(value) if isinstance(one, ast.Constant))
                yield from ((one.lineno, f"label{BEHIND}{one.value}") for one in labels)
            case ast.ClassDef(name=name) if name in SHOWN_SETS or name in PLACE_SETS:
                places = PLACE_SETS.get(name, ())
                for line, value in set_values(node):
                    words = value.replace("_", " ")
                    yield from (
                        (line, f"{place}{BEHIND}{word}") for place in places for word in (value, words)
                    )
                    yield from [(line, words)] * (name in SHOWN_SETS)
            case (
                ast.Call(func=ast.Name(id="StageMove"), args=[*_, ast.Constant(value=str(word)), _])
                | ast.Assign(targets=[ast.Name(id="APPROVE_BOTH")], value=ast.Constant(value=str(word)))
            ):
                yield node.lineno, f"action{BEHIND}{word}"
            case ast.keyword(arg="examples", value=ast.List(elts=[ast.Constant(value=str(text)), *_])):
                if text.isalpha():
                    yield node.value.lineno, text
            case ast.AnnAssign(target=ast.Name(id=name)) if is_titled(node):
                yield node.lineno, name.replace("_", " ").capitalize()
            case ast.JoinedStr() if is_said(node, parents) and is_sentence(template(node)):
                yield node.lineno, template(node)
            case ast.Constant(value=str(text)) if is_said(node, parents) and is_sentence(text):
                yield node.lineno, text


def set_values(node: ast.ClassDef) -> Iterator[tuple[int, str]]:
    """Line and value of every member of a closed set."""
    for member in node.body:
        match member:
            case ast.Assign(value=ast.Constant(value=str(value))):
                yield member.lineno, value


def is_titled(node: ast.AnnAssign) -> bool:
    """Whether a field of a record is one that forms show by its name, for want of a title."""
    words = {
        keyword.arg
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        for keyword in call.keywords
        if call.func.id in ("Field", "FieldHints")
    }
    return bool(words & {"description", "examples", "group", "unit"}) and "title" not in words


def is_said(node: ast.expr, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a text is more than a docstring, a key, or something for the program itself."""
    child: ast.AST = node
    while (parent := parents.get(child)) is not None:
        match parent:
            case ast.Expr():
                return child is not node
            case ast.JoinedStr() | ast.Compare() | ast.MatchValue() | ast.Assert() | ast.arg():
                return False
            case ast.Dict() if child in parent.keys and " " not in ast.unparse(child):
                return False
            case ast.Subscript(slice=key) if child is key:
                return False
            case ast.Call(func=ast.Name(id="Field" | "FieldHints")):
                return True
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
        if not name.endswith(".py") or UNSAID.search(name):
            continue
        tree = ast.parse(Path(name).read_text(encoding="utf-8"))
        kinds = {"ui/cli/": command_texts, "ui/": window_texts, "": said_texts}
        texts_of = next(kind for place, kind in kinds.items() if name.startswith(place))
        heads = [] if not name.startswith(WITH_HEADINGS) else [*heading_words(tree)]
        cells = [*cell_words(tree)] if name.startswith(WITH_CELLS) else []
        heads += [*cells, *report_headings(tree)] if name.startswith(REPORTS) else cells
        for line, text in (
            *texts_of(tree),
            *((line, f"heading{BEHIND}{word}") for word, line in heads if word),
            *((line, f"label{BEHIND}{word}") for word, line in cells),
        ):
            found.setdefault(text, []).append((name, line))
    return found


def command_texts(tree: ast.Module) -> Iterator[tuple[int, Text]]:
    """Line and text of what commands say: their help, each line of a message, headings of tables."""
    heads = dict(heading_words(tree))
    for line, text in said_texts(tree):
        if isinstance(text, tuple):
            yield line, text
        elif text not in heads and not NOT_SAID.search(text):
            yield from ((line, part) for part in text.split("\n") if is_sentence(part))
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(decorator_list=[ast.Call(), *_]) if text := ast.get_docstring(node):
                yield node.lineno, text
            case ast.keyword(arg="help", value=ast.Constant(value=str(text))) if is_sentence(text):
                yield node.value.lineno, text
            case ast.keyword(arg="help", value=ast.JoinedStr() as value) if is_sentence(template(value)):
                yield value.lineno, template(value)
            case ast.Assign(targets=[ast.Name(id="LIBRARY" | "SECTIONS")], value=value):
                for part in ast.walk(value):
                    if isinstance(part, ast.Constant):
                        yield part.lineno, str(part.value)


def heading_words(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Each heading of a table of the command line, and its line."""
    for node in ast.walk(tree):
        match node:
            case ast.keyword(arg="heading", value=ast.Constant(value=str(word))):
                yield word, node.value.lineno
            case ast.AnnAssign(target=ast.Name(id="RANKS"), value=ast.Dict(keys=keys)):
                yield from ((str(key.value), key.lineno) for key in keys if isinstance(key, ast.Constant))
            case ast.Call(func=ast.Name(id="Table"), args=[ast.List(elts=heads) | ast.Tuple(elts=heads), *_]):
                yield from (
                    (str(head.value), head.lineno)
                    for head in heads
                    if isinstance(head, ast.Constant) and head.value
                )


def report_headings(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Each heading of a table of a report, and its line: named as columns, or the name of a figure."""
    for node in ast.walk(tree):
        match node:
            case (
                ast.keyword(arg="columns", value=value)
                | ast.Assign(
                    targets=[ast.Name(id="columns" | "_COLUMNS" | "_WIN_COLUMNS" | "_MARKS")], value=value
                )
            ):
                yield from ((one.value, one.lineno) for one in ast.walk(value) if is_text(one))
            case ast.FunctionDef(returns=ast.Subscript(value=ast.Name(id="dict"))):
                named = (key for one in ast.walk(node) if isinstance(one, ast.Dict) for key in one.keys)
                yield from ((key.value, key.lineno) for key in named if is_text(key))


def cell_words(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Each word that fills a cell of a report, and its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and (word := str(node.value).replace("_", " ")) in CELLS:
            yield word, node.lineno


def is_text(node: ast.AST | None) -> bool:
    """Whether a node is a text that is no key of a file."""
    said = node.value if isinstance(node, ast.Constant) else None
    return isinstance(said, str) and said.isascii() and said.strip() != "" and "_" not in said


def split(text: Text) -> tuple[str | None, Text]:
    """Context and text; None for no context."""
    if not isinstance(text, str) or BEHIND not in text:
        return None, text
    context, _, said = text.partition(BEHIND)
    return context, said


def updated(path: Path, texts: Places) -> Catalog:
    """A catalogue with exactly these texts, and with its translations of those it had."""
    with path.open("rb") as stream:
        old = read_po(stream, locale=path.parts[-3])
    day = datetime(2026, 1, 1, tzinfo=UTC)  # the same texts, the same bytes
    new = Catalog(old.locale, project="annotator", charset="utf-8", creation_date=day, revision_date=day)
    new.header_comment = "# Texts of Annotator."
    for text, places in sorted(texts.items(), key=lambda item: item[1][0]):
        context, said = split(text)
        key = said if isinstance(said, str) else said[0]
        known = old.get(key, context) or old.get(key)  # a text that gets a context begins with what it had
        string = known.string if known is not None else ""
        # Files without lines: else every change of the source would change the catalogue.
        new.add(
            said,
            string,
            context=context,
            locations=[(place, None) for place in sorted({file for file, _ in places})],
        )
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


def misplaced(catalog: Catalog) -> list[str]:
    """The translations that name a place their text lacks, or lack one that every form of it has."""
    found = []
    for one in catalog:
        forms = one.id if isinstance(one.id, tuple | list) else [one.id]
        wanted = [places_of(form) for form in forms]
        for said in one.string if isinstance(one.string, tuple | list) else [one.string]:
            told = places_of(said)
            if said and not set.intersection(*wanted) <= told <= set.union(*wanted):
                found.append(f"{forms[0]!r} is said as {said!r}")
    return found


def places_of(text: str) -> set[str]:
    """The names of a text's places; of one that cannot be filled, what Python says of it."""
    try:
        return {name for _, name, _, _ in Formatter().parse(text) if name is not None}
    except ValueError as exc:
        return {str(exc)}


def pseudo(text: str) -> str:
    """A text with accents, in brackets and 40 % longer; places, HTML, keys and marks between words stay."""
    if text in (", ", "; "):
        return text
    parts = re.split(r"(\{\{|\}\}|\{[^}]*\}|<[^>]*>|&\w+;)", text)
    plain = "".join(parts[::2])
    said = "".join(part if at % 2 else part.translate(ACCENTS) for at, part in enumerate(parts))
    return f"⟦{said}{'~' * max(1, round(len(plain) * 0.4) - 2)}⟧"


def write_pseudo(texts: Places, folder: Path) -> None:
    """Write the catalogue of the pseudo-language, as the program reads it."""
    catalog = Catalog("en_US", charset="utf-8")
    for context, text in map(split, texts):
        said = pseudo(text) if isinstance(text, str) else tuple(map(pseudo, text))
        catalog.add(text, said, context=context)
    path = folder / "en_XA" / "LC_MESSAGES" / "annotator.mo"
    path.parent.mkdir(parents=True)
    path.write_bytes(mo_bytes(catalog))


def main() -> int:
    """Update every catalogue, or check it; says what is missing."""
    texts, is_check, failed = all_texts(), "--check" in sys.argv, 0
    if "--pseudo" in sys.argv:
        write_pseudo(texts, Path(sys.argv[-1]))
        return 0
    for path in sorted(LOCALES.glob("*/LC_MESSAGES/annotator.po")):
        catalog = updated(path, texts)
        files = {path: po_bytes(catalog), path.with_suffix(".mo"): mo_bytes(catalog)}
        behind = [
            file for file, content in files.items() if not file.exists() or file.read_bytes() != content
        ]
        lacking, wrong = missing(catalog), misplaced(catalog)
        for line in (
            *(f"missing: {text}" for text in lacking),
            *(f"other places: {text}" for text in wrong),
            *(f"behind: {file} (run `make texts`)" for file in behind if is_check),
        ):
            print(line)
        if not is_check:
            for file, content in files.items():
                file.write_bytes(content)
        failed += bool(is_check and (behind or lacking or wrong))
        print(f"{path.parts[-3]}: {len(catalog):,} texts, {len(lacking):,} without a translation")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
