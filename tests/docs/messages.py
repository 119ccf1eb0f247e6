"""Reads from the source which messages the program has for people, without running it."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

from tests.shared import ROOT

FLOORS = ("annotator", "db", "scoring", "ui")
GAP = "…"
"""Stands for what a message is only told when it is shown: a name, a path, a number."""
HANDED_ON = "\0"
"""Stands for the message of another error, which has its own place on the page."""
OTHERS = {
    "BadParameter": "A command was typed in a way that does not fit.",
    "Ignored": "A prediction does not count.",
    "StoreFault": "`annotator doctor` found something in a project.",
}
"""What says something a person can act on and is no error of ours, and what its messages have in common."""
_AS_LISTED = "`annotator score` lists it with its file and line; correct the line, or leave it out."
_DEEPEST = 4
"""Names that lead to names: as many as are followed."""


@cache
def trees() -> tuple[tuple[Path, ast.Module], ...]:
    """Every file of the program, read."""
    files = (path for floor in FLOORS for path in sorted((ROOT / floor).rglob("*.py")))
    return tuple((path, ast.parse(path.read_text(encoding="utf-8"))) for path in files)


def error_kinds() -> dict[str, str]:
    """Every error a person can act on, with the sentence that says what it is."""
    classes = [node for _, tree in trees() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    kinds: dict[str, str] = {"AnnotatorError": "Something went wrong that the user can put right.", **OTHERS}
    grown = 0
    while grown != len(kinds):
        grown = len(kinds)
        for found in classes:
            if any(isinstance(base, ast.Name) and base.id in kinds for base in found.bases):
                kinds.setdefault(found.name, (ast.get_docstring(found) or "").split("\n\n")[0])
    return kinds


class Names:
    """What names may stand for in one function or file: the values they are given, and what functions return.

    Args:
        body: The statements that give values.
        around: What holds where these statements say nothing.
    """

    def __init__(self, body: Iterable[ast.AST], around: "Names | None" = None) -> None:
        self.around = around
        self.values: dict[str, list[ast.expr]] = {}
        self.returned: dict[str, list[ast.expr]] = {}
        for node in body:
            match node:
                case ast.Assign(targets=[target], value=value):
                    self.give(target, value)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    self.give(target, value)
                case ast.AugAssign(target=ast.Name(id=name), value=value):
                    self.values.setdefault(name, []).append(value)
                case ast.For(target=target, iter=ast.Tuple(elts=rows) | ast.List(elts=rows)):
                    self._give_rows(target, rows)
                case ast.For(target=target, iter=ast.Name(id=name)):
                    for listed in self.values.get(name, []):
                        self._give_rows(target, getattr(listed, "elts", []))
                case ast.FunctionDef(name=name):
                    found = [one.value for one in ast.walk(node) if isinstance(one, ast.Return) and one.value]
                    self.returned.setdefault(name, []).extend(found)

    def give(self, target: ast.expr, value: ast.expr) -> None:
        """Note a value that a name is given, or values of several."""
        match target, value:
            case ast.Tuple(), ast.IfExp(body=body, orelse=other):
                self.give(target, body)
                self.give(target, other)
            case ast.Name(id=name), _:
                self.values.setdefault(name, []).append(value)
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for one, given in zip(targets, values, strict=True):
                    self.give(one, given)

    def _give_rows(self, target: ast.expr, rows: list[ast.expr]) -> None:
        for row in rows:
            self.give(target, row)

    def value(self, name: str) -> list[ast.expr]:
        """Everything a name may stand for."""
        if name in self.values:
            return self.values[name]
        return self.around.value(name) if self.around else _imported().values.get(name, [])

    def result(self, name: str) -> list[ast.expr]:
        """Everything a function may return."""
        if name in self.returned:
            return self.returned[name]
        return self.around.result(name) if self.around else _imported().returned.get(name, [])


def texts_of(node: ast.AST, names: Names, deep: int = 0) -> list[str]:
    """Every text that may stand there, with a gap for each value; none where it cannot be told."""
    if deep > _DEEPEST:
        return []
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.Call(func=ast.Name(id="tr"), args=[ast.Constant(value=str(text)), *_]):
            return [re.sub(r"\{[^{}]*\}", GAP, text)]
        case ast.Call(func=ast.Name(id="tr" | "str"), args=[one]):
            return texts_of(one, names, deep)
        case ast.JoinedStr(values=parts):
            found = [_part(part, names, deep) for part in parts]
            return ["".join(one) for one in product(*found)]
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            both = [texts_of(side, names, deep) or [GAP] for side in (left, right)]
            return ["".join(one) for one in product(*both)]
        case ast.IfExp(body=body, orelse=other):
            return [*texts_of(body, names, deep), *texts_of(other, names, deep)]
        case ast.BoolOp(op=ast.Or(), values=values):
            return [text for value in values for text in texts_of(value, names, deep)]
        case ast.Name(id=name):
            return _all(names.value(name), names, deep + 1)
        case ast.Call(func=ast.Name(id=name)):
            return _all(names.result(name), names, deep + 1)
        case ast.Attribute(attr="message" | "hint"):
            return [HANDED_ON]
    return []


def _all(values: Sequence[ast.expr], names: Names, deep: int) -> list[str]:
    return [text for value in values for text in texts_of(value, names, deep)]


def _part(part: ast.expr, names: Names, deep: int) -> list[str]:
    """A piece of a formatted text: its letters, what another error said, words to choose from, or a gap."""
    match part:
        case ast.Constant():
            return texts_of(part, names, deep)
        case ast.FormattedValue(value=ast.Attribute(attr="message")):
            return [HANDED_ON]
        case ast.FormattedValue(value=ast.IfExp() as choice):
            return [text or GAP for text in texts_of(choice, names, deep)] or [GAP]
        case ast.FormattedValue(value=ast.Name(id=name)):
            choices = [one for one in names.value(name) if isinstance(one, ast.IfExp)]
            return [text or GAP for text in _all(choices, names, deep + 1)] or [GAP]
    return [GAP]


@cache
def _imported() -> Names:
    """The constants and functions of all files, for names a file imports."""
    names = Names(node for _, tree in trees() for node in tree.body)
    names.values = {name: value for name, value in names.values.items() if name.isupper()}
    return names


def _nodes() -> Iterator[tuple[Path, ast.AST, Names]]:
    """Each node of each file with the names that hold there: those of its function, then the file's."""
    for path, tree in trees():
        of_file = Names(tree.body)
        parts = [part for top in tree.body for part in (top.body if isinstance(top, ast.ClassDef) else [top])]
        functions = {part.name: part for part in parts if isinstance(part, ast.FunctionDef)}
        scopes = {id(part): Names(ast.walk(part), of_file) for part in parts}
        for part in parts:
            for call in ast.walk(part):
                match call:
                    case ast.Call(func=ast.Name(id=name), args=args) if name in functions:
                        called = functions[name]
                        for parameter, value in zip(called.args.args, args, strict=False):
                            for one in _known(value, scopes[id(part)]):
                                scopes[id(called)].give(ast.Name(parameter.arg), one)
        yield from ((path, top, of_file) for top in tree.body)
        for part in parts:
            yield from ((path, node, scopes[id(part)]) for node in ast.walk(part))


def _known(value: ast.expr, names: Names) -> list[ast.expr]:
    """What a function is called with: for a name, what its caller gave it so far."""
    return [*names.values.get(value.id, [])] if isinstance(value, ast.Name) else [value]


class Said(NamedTuple):
    """One error as it is made: its kind, and every message and hint it may have."""

    place: str
    kind: str
    messages: tuple[str, ...]
    hints: tuple[str, ...]


@cache
def errors() -> tuple[Said, ...]:
    """Each error that is made anywhere, in the order of the source."""
    kinds = error_kinds()
    classes = [
        node
        for _, tree in trees()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name in kinds
    ]
    own_words = {node.name for node in classes if _init(node)}
    found: list[Said] = []
    place = {
        node.name: _parameters(node).index("message") for node in classes if "message" in _parameters(node)
    }
    for path, node, names in _nodes():
        args: list[ast.expr]
        match node:
            case ast.Call(func=ast.Name(id="_Meaning"), args=[ast.Name(id=kind), *args]):
                pass  # of an error of the database
            case ast.Call(func=ast.Name(id="_unusable"), args=args):
                kind = "ServerAccessError"  # told without being raised
            case ast.Call(func=ast.Name(id="Refusal"), args=args):
                kind = "ForbiddenError"  # raised where a case is claimed
            case ast.Call(func=ast.Attribute(attr="BadParameter"), args=args):
                kind = "BadParameter"
            case ast.Call(func=ast.Name(id="Ignored"), keywords=[ast.keyword(arg="reason", value=said), *_]):
                kind, args = "Ignored", [said, ast.Constant(_AS_LISTED)]
            case ast.Call(func=ast.Name(id="_ignored"), args=[_, ast.Constant() as said]):
                kind, args = "Ignored", [said, ast.Constant(_AS_LISTED)]
            case ast.FunctionDef(name="_reason_against"):
                given = [one.value for one in ast.walk(node) if isinstance(one, ast.Return) and one.value]
                kind, args = "Ignored", [ast.BoolOp(ast.Or(), given), ast.Constant(_AS_LISTED)]
            case (
                ast.Call(
                    func=ast.Name(id="StoreFault") | ast.Attribute(attr="StoreFault"),
                    args=[rule, _, ast.Constant() | ast.JoinedStr() as said],
                )
                | ast.Tuple(elts=[rule, _, ast.Constant() as said, ast.Call()])
            ) if path.name in ("faults.py", "care.py"):
                kind, args = "StoreFault", [said, _doctors_hint(rule, names)]
            case ast.Call(func=ast.Name(id=kind), args=args) if (
                kind in kinds and kind not in own_words | OTHERS.keys()
            ):
                args = args[place.get(kind, 0) :]
            case ast.ClassDef(name=kind) if kind in own_words:
                args = _init(node)
            case _:
                continue
        messages, hints = ((*map(_plain, texts_of(one, names)),) for one in (*args, ast.Pass())[:2])
        found.append(Said(path.relative_to(ROOT).as_posix(), kind, messages, hints))
    return tuple(found)


def _init(node: ast.ClassDef) -> list[ast.expr]:
    """What a class of errors says by itself; empty where it is told what to say."""
    for one in ast.walk(node):
        match one:
            case ast.Call(
                func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"),
                args=[ast.Constant() | ast.JoinedStr(), *_] as args,
            ):
                return args
    return []


def _parameters(node: ast.ClassDef) -> list[str]:
    """What an error is made with, without itself."""
    return [
        parameter.arg
        for one in node.body
        if isinstance(one, ast.FunctionDef) and one.name == "__init__"
        for parameter in one.args.args[1:]
    ]


@cache
def _doctors_hints() -> dict[str, str]:
    """What `annotator doctor` says to do about a fault, by its rule."""
    [tree] = [tree for path, tree in trees() if path.parts[-2:] == ("project", "care.py")]
    names = Names(tree.body)
    [table] = names.value("_HINTS")
    assert isinstance(table, ast.Dict)
    said = zip(filter(None, table.keys), table.values, strict=True)
    return {
        rule: hint for key, value in said for rule in texts_of(key, names) for hint in texts_of(value, names)
    }


def _doctors_hint(rule: ast.expr, names: Names) -> ast.expr:
    known = "".join(texts_of(rule, names))
    return ast.Constant(_doctors_hints().get(known, "Repair it with `annotator doctor --repair`."))


def _plain(text: str) -> str:
    """A text in one line; a column that a message is filled from is a gap."""
    return re.sub(r"\{[\w:%-]+\}", GAP, " ".join(text.split()))


def is_told(text: str) -> bool:
    """Whether a text has words of its own."""
    return bool(text.strip(f"{GAP}{HANDED_ON}. :;,()'"))


def messages() -> Iterator[tuple[str, str, str]]:
    """Kind, message and hint of each error that is made anywhere, in the order of the source."""
    for said in errors():
        for message in dict.fromkeys(said.messages):
            if is_told(message):
                for hint in dict.fromkeys(said.hints or ("",)):
                    yield said.kind, message.replace(HANDED_ON, GAP), hint.replace(HANDED_ON, GAP)
