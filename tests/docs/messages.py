"""Reads from the source which messages the program has for people, without running it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.shared import ROOT

FLOORS = ("annotator", "db", "scoring", "ui")
GAP = "…"
"""Stands for what a message is only told when it is shown: a name, a path, a number."""


@cache
def _trees() -> tuple[tuple[Path, ast.Module], ...]:
    files = (path for floor in FLOORS for path in sorted((ROOT / floor).rglob("*.py")))
    return tuple((path, ast.parse(path.read_text(encoding="utf-8"))) for path in files)


def error_kinds() -> dict[str, str]:
    """Every error a person can act on, with the sentence that says what it is."""
    classes = [node for _, tree in _trees() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    kinds: dict[str, str] = {"AnnotatorError": "Something went wrong that the user can put right."}
    grown = 0
    while grown != len(kinds):
        grown = len(kinds)
        for found in classes:
            if any(isinstance(base, ast.Name) and base.id in kinds for base in found.bases):
                kinds.setdefault(found.name, (ast.get_docstring(found) or "").split("\n\n")[0])
    return kinds


def text_of(node: ast.AST, names: dict[str, ast.expr] | None = None) -> str:
    """A text as it stands in the source, with a gap for each value; empty where it is none."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Call(func=ast.Name(id="tr"), args=[ast.Constant(value=str(text)), *_]):
            return re.sub(r"\{[^{}]*\}", GAP, text)
        case ast.JoinedStr(values=parts):
            return "".join(text_of(part) if isinstance(part, ast.Constant) else GAP for part in parts)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return (text_of(left) or GAP) + (text_of(right) or GAP)
        case ast.Name(id=name) if names and name in names:
            return text_of(names[name])
    return ""


def messages() -> Iterator[tuple[str, str, str]]:
    """Kind, message and hint of each error that is made anywhere, in the order of the source."""
    kinds = error_kinds()
    for _, tree in _trees():
        names: dict[str, ast.expr] = {}
        for node in ast.walk(tree):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    names[name] = value
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id=kind), args=[first, *rest]) if kind in kinds:
                    message, hint = text_of(first, names), text_of(rest[0], names) if rest else ""
                    if message.strip(f"{GAP}. "):
                        yield kind, " ".join(message.split()), " ".join(hint.split())
