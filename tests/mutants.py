"""Plants faults at random in the program, one at a time, and says which of them no test notices.

`make mutants` plants 60 with a fixed seed; `make mutants MUTANTS="--count 10 --seed 7 db"` ten of `db`.
Each fault is planted in a copy of the checkout. Of the tests that reach the module by imports eight files are
run, by nearness and by name, so a survivor may still be caught elsewhere: read it, and write the test that is
missing or name it as equivalent.
"""

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = ("scoring", "db", "annotator", "ui")
LONGEST_SECONDS = 900
MOST_FILES = 8
_FAR = 4
NEVER_ENDED = "a test that never ended"

_OPPOSITES: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,  # codespell:ignore
    ast.NotIn: ast.In,  # codespell:ignore
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
}


@dataclass(frozen=True)
class Fault:
    """A change of one place: lines and columns as `ast` counts them, and what stands there instead."""

    path: Path
    line: int
    column: int
    end: tuple[int, int]
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before}  ->  {self.after}"

    def planted(self, text: str) -> str:
        """The module with the fault in it."""
        lines = text.splitlines(keepends=True)
        first, last = lines[self.line - 1].encode(), lines[self.end[0] - 1].encode()
        changed = first[: self.column].decode() + self.after + last[self.end[1] :].decode()
        return "".join([*lines[: self.line - 1], changed, *lines[self.end[0] :]])


Place = tuple[ast.expr | ast.stmt, str]
"""What is changed, and what stands there instead."""


def places_of(text: str) -> Iterator[Place]:
    """Where faults can be planted in a module; annotations, messages and docstrings are left alone."""
    for node in _walk(ast.parse(text)):
        if isinstance(node, ast.expr | ast.stmt):
            yield from ((node, changed) for changed in _changes(node))


def fault_at(place: Place, path: Path, text: str) -> Fault:
    """The fault in one place of a module."""
    node, changed = place
    end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
    before = ast.get_source_segment(text, node) or ""
    return Fault(path, node.lineno, node.col_offset, end, before, changed)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list") or isinstance(node, ast.JoinedStr | ast.Raise):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _walk(child)


def _changes(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Compare(left=left, ops=[op, *rest], comparators=others) if type(op) in _OPPOSITES:
            opposite: list[ast.cmpop] = [_OPPOSITES[type(op)](), *rest]  # type: ignore[list-item]
            yield ast.unparse(ast.Compare(left, opposite, others))
        case ast.BoolOp(op=op, values=values):
            yield f"({ast.unparse(ast.BoolOp(_OPPOSITES[type(op)](), values))})"  # type: ignore[arg-type]
            yield f"({ast.unparse(values[0])})"
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPPOSITES and not _is_text(left, right):
            yield f"({ast.unparse(ast.BinOp(left, _OPPOSITES[type(op)](), right))})"  # type: ignore[arg-type]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield f"({ast.unparse(operand)})"
        case ast.Constant(value=bool(value)):
            yield str(not value)
        case ast.Constant(value=int(value)):
            yield str(value + 1)
        case ast.IfExp(body=body, orelse=other):
            yield f"({ast.unparse(other)})"
            yield f"({ast.unparse(body)})"
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield "return None"
        case ast.Expr(value=ast.Call()):
            yield "pass"


def _is_text(*sides: ast.expr) -> bool:
    return any(
        isinstance(side, ast.JoinedStr) or isinstance(getattr(side, "value", 0), str) for side in sides
    )


class ReachingTests:
    """Which tests reach a module: the imports of the checkout, read backwards from the module."""

    def __init__(self, root: Path) -> None:
        paths = [path for room in (*ROOMS, "tests") for path in sorted((root / room).rglob("*.py"))]
        modules = {_module(path.relative_to(root)): path.relative_to(root) for path in paths}
        self._texts = {path.relative_to(root): path.read_text(encoding="utf-8") for path in paths}
        self._importers: dict[Path, set[Path]] = {}
        for path, text in self._texts.items():
            for name in _imported(ast.parse(text)):
                if name in modules:
                    self._importers.setdefault(modules[name], set()).add(path)
            for folder in path.parents if path.parts[0] == "tests" else ():
                if (shared := folder / "conftest.py") in self._texts and shared != path:
                    self._importers.setdefault(shared, set()).add(path)

        self._words = {
            path: Counter(_words([path.stem, *re.findall(r"def (test_\w+)", text)]))
            for path, text in self._texts.items()
            if path.match("test_*.py")
        }
        self._spread = Counter(word for words in self._words.values() for word in words)

    def of(self, path: Path, *, line: int = 0, most: int = MOST_FILES) -> tuple[str, ...]:
        """The files of tests that reach a line of a module, nearest first.

        First the module's own tests, then by the imports between; an importer that names nothing of what the
        line decides is further away than one that does. The second half are those, of all others, whose names
        share most words with those of the functions and classes the line stands in.
        """
        is_command = path.parts[:2] == ("ui", "cli")  # run in a process of its own, which no import tells
        room = Path("tests/e2e" if is_command else "tests" / path.parent)
        tests = {
            test: far
            for test, far in self._steps_from(path, line).items()
            if test.match("test_*.py") and "bench" not in test.parts
        }
        words = _commands(self._texts.get(path, "")) if is_command else ()
        for test, text in self._texts.items() if words else ():
            if (
                test.match("test_*.py")
                and test.parent == room
                and (named := sum(f'"{word}"' in text for word in words))
            ):
                tests[test] = -named

        def order(test: Path) -> tuple[bool, int, str]:
            is_own = test.parent == room and test.stem.startswith(f"test_{path.stem}")
            return (not is_own, tests[test] - (2 if test.is_relative_to(room) else 0), str(test))

        near = sorted(tests, key=order)
        likely = sorted(
            near[most - most // 2 :],
            key=lambda test: (test.parts[1] != path.parts[0], -self._likeness(test, path, line)),
        )
        return tuple(map(str, [*near[: most - most // 2], *likely][:most]))

    def _likeness(self, test: Path, path: Path, line: int) -> float:
        """How often a test's names have words of what a line stands in; words few tests have weigh more."""
        has = self._words.get(test, Counter[str]())
        return sum(
            has[word] / self._spread[word]
            for word in set(_words(_enclosing(self._texts.get(path, ""), line)))
            if word in has
        )

    def _steps_from(self, path: Path, line: int) -> dict[Path, int]:
        """How many imports lie between a line of a module and each file that reaches it."""
        names = _deciding(self._texts.get(path, ""), line)
        named = re.compile(rf"\b({'|'.join(map(re.escape, sorted(names)))})\b") if names else None
        steps = {path: 0}
        for importer in sorted(self._importers.get(path, set())):
            steps[importer] = 1 if named is None or named.search(self._texts[importer]) else _FAR
        waiting = sorted(steps, key=lambda near: steps[near])[1:]
        for near in waiting:
            for further in sorted(self._importers.get(near, set()) - steps.keys()):
                steps[further] = steps[near] + 1
                waiting.append(further)
        return steps


def _deciding(text: str, line: int) -> set[str]:
    """The functions and classes of a module whose doing depends on a line: its own, and what uses that."""
    owned = {
        node.name: (node.lineno, ast.unparse(node), node.end_lineno or 0)
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    found = {name for name, (first, _, last) in owned.items() if first <= line <= last}
    while more := {
        name
        for name, (_, body, _) in owned.items()
        if name not in found and any(re.search(rf"\b{re.escape(one)}\b", body) for one in found)
    }:
        found |= more
    return found


def _enclosing(text: str, line: int) -> list[str]:
    """The names of the functions and classes a line stands in."""
    return [
        node.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node.lineno <= line <= (node.end_lineno or 0)
    ]


def _words(names: Iterable[str]) -> Iterator[str]:
    return (word.lower() for name in names for word in re.findall(r"[A-Za-z][a-z]{2,}", name))


def _module(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield module
                yield from (f"{module}.{alias.name}" for alias in names)


def _commands(text: str) -> set[str]:
    """The commands that a module of the command line registers, out of the examples of their help."""
    return {word for line in re.findall(r"annotator ((?:[a-z]+ ?)+)", text) for word in line.split()[:2]}


def draw(count: int, *, seed: int, within: Sequence[str]) -> tuple[Fault, ...]:
    """Draw faults among all places where one can be planted; each is as likely as any other."""
    texts = {
        path.relative_to(ROOT): path.read_text(encoding="utf-8")
        for room in within
        for path in sorted((ROOT / room).rglob("*.py"))
        if "migrations" not in path.parts
    }
    places = [(path, place) for path, text in texts.items() for place in places_of(text)]
    drawn = random.Random(seed).sample(places, min(count, len(places)))
    return tuple(fault_at(place, path, texts[path]) for path, place in drawn)


def is_caught(fault: Fault, copy: Path, tests: Sequence[str], say: Callable[[str], object]) -> bool:
    """Plant a fault in a copy of the checkout, run the tests that reach it, and take it out again."""
    module = copy / fault.path
    whole = module.read_text(encoding="utf-8")
    module.write_text(fault.planted(whole), encoding="utf-8")
    try:
        failed = _surely_failed(copy, tests)
    finally:
        module.write_text(whole, encoding="utf-8")
    if failed and failed != NEVER_ENDED and _first_failed(copy, [failed]):
        say(f"FAILS WITHOUT THE FAULT, TOO  {failed}")
        failed = ""
    say(f"caught    {fault}  by {failed}" if failed else f"SURVIVED  {fault}")
    return bool(failed)


def _surely_failed(copy: Path, tests: Sequence[str]) -> str:
    """The first test that fails by itself, too; one that fails now and then says nothing of the fault."""
    doubtful: list[str] = []
    # The nearest by themselves first: most faults are caught there, in a second or two.
    for group in (tests[:1], tests[1:]):
        while failed := _first_failed(copy, group, without=doubtful):
            if failed == NEVER_ENDED or _first_failed(copy, [failed]):
                return failed
            doubtful.append(failed)
    return ""


def _first_failed(copy: Path, tests: Sequence[str], *, without: Sequence[str] = ()) -> str:
    """The first test that fails; empty where none does."""
    if not tests:
        return ""
    options = ["-n", "0", "-x", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider"]
    options += ["-m", "not slow and not every_database", "--hypothesis-profile", "short"]
    options += [f"--deselect={test}" for test in without]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *tests],
            cwd=copy,
            env=os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return NEVER_ENDED  # a loop without end is noticed
    if done.returncode in (0, 5):  # 5: nothing was collected
        return ""
    named = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", done.stdout, re.MULTILINE)
    return named[0] if named else tests[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant, run and print; ends with 1 where fewer than 95 % were caught."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--count", type=int, default=60, help="how many faults are planted (60)")
    options.add_argument("--seed", type=int, default=20261122, help="which ones; fix it beforehand")
    options.add_argument("--list", action="store_true", help="only say what would be planted")
    options.add_argument("rooms", nargs="*", default=ROOMS, help="folders, e.g. db or annotator/review")
    chosen = options.parse_args(arguments)
    drawn = draw(chosen.count, seed=chosen.seed, within=chosen.rooms)
    reaching = ReachingTests(ROOT)
    if chosen.list:
        _say(
            "\n".join(f"{fault}\n    {' '.join(reaching.of(fault.path, line=fault.line))}" for fault in drawn)
        )
        return 0
    ignored = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis")
    with tempfile.TemporaryDirectory(prefix="annotator-mutants-") as folder:
        copy = Path(folder) / "checkout"
        shutil.copytree(ROOT, copy, ignore=ignored)
        if (shared := ROOT.parent / "shared").exists():  # what some tests read stands beside the checkout
            (copy.parent / "shared").symlink_to(shared)
        caught = sum(
            is_caught(fault, copy, reaching.of(fault.path, line=fault.line), _say) for fault in drawn
        )
    _say(f"{caught} of {len(drawn)} faults were caught (seed {chosen.seed}).")
    return 0 if caught >= 0.95 * len(drawn) else 1


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
