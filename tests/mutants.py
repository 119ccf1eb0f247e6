"""Plants faults at random in the program, one at a time, and says which of them no test notices.

`make mutants` plants 15 in each room with a fixed seed; `make mutants MUTANTS="--count 10 --seed 7 db"` ten
of `db`. All tests (or those of `--tests tests/db tests/scoring`) are run once under coverage, which takes
twice as long as `make test`. For each fault the tests that run its line are run, in a copy of the checkout.

What was recorded and caught is kept in `build` until the sources change: a run that broke off goes on where
it was, and only test files that are new or changed are recorded again. Survivors are planted each time.
A survivor is a test that is missing, or a fault that changes nothing: write the one or name the other.
"""

import argparse
import ast
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from coverage import CoverageData

ROOT = Path(__file__).parents[1]
ROOMS = ("scoring", "db", "annotator", "ui")
LEAST_WAIT_SECONDS, WAIT_FACTOR = 60.0, 4.0
"""Tests that take longer than this and so many times what they took without the fault never end."""
MOST_SECONDS = 240.0
"""Of the tests that run a line, as many as take so long are run; a loop everybody runs needs no more."""
_LINES, _PART, _TESTS, _CAUGHT = "lines", "part.lines", "tests.json", "caught.json"
_SUITE = ("-m", "not slow and not every_database", "--hypothesis-profile", "short", "-p", "no:cacheprovider")
_COVERAGE = """
[run]
source = scoring,db,annotator,ui
relative_files = true
parallel = true
patch = subprocess
context = ${PYTEST_CURRENT_TEST-}
"""
NEVER_ENDED = "a test that never ended"
NOTHING_COLLECTED = 5
"""How pytest ends where every test is deselected."""

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

    @property
    def key(self) -> str:
        """The fault among all of one state of the sources."""
        return f"{self.path}:{self.line}:{self.column} {self.before} -> {self.after}"

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


class Recording:
    """Which tests run which line of a checkout, and how many seconds each takes."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._lines = CoverageData(folder / _LINES)
        self._lines.read()
        self._texts = {path: (root / path).read_text(encoding="utf-8") for path in sources(root)}
        self._seconds: dict[str, float] = {}
        for file in _kept(folder / _TESTS).values():
            self._seconds |= file["seconds"]

    def knows(self, test: str) -> bool:
        """Whether a test still stands in the file it was recorded from."""
        return test in self._seconds

    def tests_of(self, fault: Fault) -> tuple[str, ...]:
        """The tests that run the line of a fault, those called like its module and those of its room first.

        What runs while modules are imported, such as a constant, is reached where its name is used.
        """
        around = enclosing(self._texts[fault.path], fault.line)
        found = self._on(fault.path, range(fault.line, fault.end[0] + 1)) or self._on(
            fault.path, _head(around[-1])
        )
        if not found:
            found = set().union(*(self._naming(name) for name in _names(around)))
        own = ("tests", *fault.path.parts[:-1], f"test_{fault.path.name}")

        def order(test: str) -> tuple[bool, int, float, str]:
            file = Path(test.partition("::")[0])
            shared = len(Path(os.path.commonpath([Path(*own), file])).parts)
            return file.name != f"test_{fault.path.name}", -shared, self._seconds[test], test

        chosen = sorted(filter(self.knows, found), key=order)
        spent = accumulate(self._seconds[test] for test in chosen)
        return tuple(test for test, so_far in zip(chosen, spent, strict=True) if so_far < MOST_SECONDS)

    def longest_wait(self, tests: Sequence[str]) -> float:
        """Seconds after which tests that still run are held to run for ever."""
        return LEAST_WAIT_SECONDS + WAIT_FACTOR * sum(self._seconds[test] for test in tests)

    def _on(self, path: Path, numbers: Iterable[int]) -> set[str]:
        """The tests that run one of some lines."""
        self._lines.set_query_contexts(None)
        contexts = self._lines.contexts_by_lineno(str(path))
        return {_test(context) for number in numbers for context in contexts.get(number, ())} - {""}

    def _naming(self, name: str) -> set[str]:
        """The tests that run a line with a name in it."""
        word = re.compile(rf"\b{re.escape(name)}\b")
        return set().union(
            *(
                self._on(path, [at for at, line in enumerate(text.splitlines(), 1) if word.search(line)])
                for path, text in self._texts.items()
                if word.search(text)
            )
        )


def _test(context: str) -> str:
    """The test of a context of coverage: its own process ("|run") or one that it started ("(call)")."""
    return re.sub(r"( \((setup|call|teardown)\)|\|(setup|run|teardown))+$", "", context).strip("|")


def enclosing(text: str, line: int) -> list[ast.AST]:
    """The module and the statements a line stands in, the innermost last."""
    nodes: list[ast.AST] = [ast.parse(text)]
    while inner := [
        node
        for node in ast.walk(nodes[-1])
        if isinstance(node, ast.stmt)
        and node is not nodes[-1]
        and node.lineno <= line <= (node.end_lineno or 0)
    ]:
        nodes.append(min(inner, key=lambda node: (node.lineno, -(node.end_lineno or 0))))
    return nodes


def _head(node: ast.AST) -> range:
    """The lines of a statement without those of the statements in it; all lines of a function."""
    if not isinstance(node, ast.stmt):
        return range(0)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return range(node.lineno, (node.end_lineno or node.lineno) + 1)
    inner = [child.lineno for child in ast.walk(node) if isinstance(child, ast.stmt) and child is not node]
    return range(node.lineno, min([(node.end_lineno or node.lineno) + 1, *inner]))


def _names(around: Sequence[ast.AST]) -> Iterator[str]:
    """What the innermost definition around a line is called by others."""
    for node in reversed(around):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
                return
            case ast.AnnAssign(target=target) | ast.Assign(targets=[target]):
                yield from (name.id for name in ast.walk(target) if isinstance(name, ast.Name))
                return


def sources(root: Path) -> list[Path]:
    """The modules faults are planted in, relative to the checkout."""
    paths = [path.relative_to(root) for room in ROOMS for path in sorted((root / room).rglob("*.py"))]
    return [path for path in paths if "migrations" not in path.parts]


def recorded(checkout: Path, kept: Path, tests: Sequence[str]) -> Recording:
    """The recording of a checkout, where the test files that are new or changed since are run first."""
    files = {
        str(path.relative_to(checkout)): hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in tests
        for path in sorted((checkout / folder).rglob("test_*.py"))
    }
    known = _kept(kept / _TESTS)
    stale = [file for file, digest in files.items() if known.get(file, {}).get("digest") != digest]
    if stale:
        for left in kept.glob(f"{_PART}*"):  # by a run that broke off, in the midst of writing it
            left.unlink()
        if (kept / _LINES).exists():
            shutil.copy(kept / _LINES, kept / _PART)
        settings = kept / "coverage.ini"
        settings.write_text(f"{_COVERAGE}data_file = {kept / _PART}\n", encoding="utf-8")
        options = ["-n", "auto", "--dist", "worksteal", "--durations=0", "--durations-min=0", *_SUITE]
        options += [
            "--cov",
            "--cov-append",
            f"--cov-config={settings}",
            "--cov-context=test",
            "--cov-report=",
        ]
        done = _pytest(checkout, [*options, *stale], seconds=None)
        if done.returncode not in (0, NOTHING_COLLECTED):
            raise SystemExit(f"Faults can be planted once all tests pass.\n{done.stdout[-2000:]}")
        if (kept / _PART).exists():
            (kept / _PART).replace(kept / _LINES)
        known |= {file: {"digest": files[file], "seconds": {}} for file in stale}
        for took, test in re.findall(r"^([\d.]+)s (?:setup|call|teardown) +(.+)$", done.stdout, re.MULTILINE):
            seconds = known[test.partition("::")[0]]["seconds"]
            seconds[test] = seconds.get(test, 0) + float(took)
    _keep(kept / _TESTS, {file: entry for file, entry in known.items() if (checkout / file).exists()})
    return Recording(kept, checkout)


def _kept(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def _keep(file: Path, content: dict[str, Any]) -> None:
    written = file.with_suffix(".part")
    written.write_text(json.dumps(content), encoding="utf-8")
    written.replace(file)


def draw(count: int, *, seed: int, within: Sequence[str]) -> tuple[Fault, ...]:
    """Draw faults among all places where one can be planted; each is as likely as any other."""
    texts = {
        path: (ROOT / path).read_text(encoding="utf-8")
        for room in within
        for path in sources(ROOT)
        if path.is_relative_to(room)
    }
    places = [(path, place) for path, text in texts.items() for place in places_of(text)]
    drawn = random.Random(seed).sample(places, min(count, len(places)))
    return tuple(fault_at(place, path, texts[path]) for path, place in drawn)


def caught_by(
    fault: Fault, copy: Path, tests: Sequence[str], say: Callable[[str], object], *, seconds: float
) -> str:
    """Plant a fault in a copy of the checkout, run the tests that reach it, and take it out again.

    Tests that take longer than `seconds` notice it, too: a loop has no end.

    Returns:
        The test that fails with the fault and not without it; empty where there is none.
    """
    with planted(fault, copy):
        failed = _surely_failed(copy, tests, seconds)
    if failed and failed != NEVER_ENDED and _first_failed(copy, [failed], seconds):
        say(f"FAILS WITHOUT THE FAULT, TOO  {failed}")
        failed = ""
    say(f"caught    {fault}  by {failed}" if failed else f"SURVIVED  {fault}  ({len(tests)} tests)")
    return failed


@contextmanager
def planted(fault: Fault, copy: Path) -> Iterator[None]:
    """A copy of the checkout with a fault in it."""
    module = copy / fault.path
    whole = module.read_text(encoding="utf-8")
    module.write_text(fault.planted(whole), encoding="utf-8")
    try:
        yield
    finally:
        module.write_text(whole, encoding="utf-8")


def _surely_failed(copy: Path, tests: Sequence[str], seconds: float) -> str:
    """The first test that fails by itself, too; one that fails now and then says nothing of the fault."""
    doubtful: list[str] = []
    while failed := _first_failed(copy, [test for test in tests if test not in doubtful], seconds):
        if failed == NEVER_ENDED or _first_failed(copy, [failed], seconds):
            return failed
        doubtful.append(failed)
    return ""


def _first_failed(copy: Path, tests: Sequence[str], seconds: float) -> str:
    """The first test that fails; empty where none does."""
    if not tests:
        return ""
    try:
        done = _pytest(copy, ["-n", "0", "-x", "-q", "-rfE", "--tb=no", *_SUITE, *tests], seconds=seconds)
    except subprocess.TimeoutExpired:
        return NEVER_ENDED  # a loop without end is noticed
    if done.returncode in (0, NOTHING_COLLECTED):
        return ""
    named = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", done.stdout, re.MULTILINE)
    return named[0] if named else tests[0]


def _pytest(
    checkout: Path, options: Sequence[str], *, seconds: float | None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=checkout,
        env=os.environ | {"PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant, run and print; ends with 1 where fewer than 9 of 10 were caught in a room."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument(
        "--count", type=int, default=15, help="how many faults are planted in each room (15)"
    )
    options.add_argument("--seed", type=int, default=20261122, help="which ones; fix it beforehand")
    options.add_argument("--list", action="store_true", help="only say what would be planted")
    options.add_argument("--tests", nargs="+", default=["tests"], help="folders of tests that are run (all)")
    options.add_argument("rooms", nargs="*", default=ROOMS, help="folders, e.g. db or annotator/review")
    chosen = options.parse_args(arguments)
    drawn = {room: draw(chosen.count, seed=chosen.seed, within=[room]) for room in chosen.rooms}
    if chosen.list:
        _say("\n".join(str(fault) for faults in drawn.values() for fault in faults))
        return 0
    ignored = shutil.ignore_patterns(".git", ".venv", "build", "__pycache__", ".*_cache", ".hypothesis")
    with tempfile.TemporaryDirectory(prefix="annotator-mutants-") as folder:
        copy = Path(folder) / "checkout"
        shutil.copytree(ROOT, copy, ignore=ignored)
        if (shared := ROOT.parent / "shared").exists():  # what some tests read stands beside the checkout
            (copy.parent / "shared").symlink_to(shared)
        figures = _figures(drawn, copy, chosen.tests)
    for room, caught in figures.items():
        _say(f"{room}: {caught} of {len(drawn[room])} faults were caught (seed {chosen.seed}).")
    return 0 if all(caught >= 0.9 * len(drawn[room]) for room, caught in figures.items()) else 1


def _figures(drawn: dict[str, tuple[Fault, ...]], copy: Path, tests: Sequence[str]) -> dict[str, int]:
    """How many of its faults were caught, by room."""
    digest = hashlib.sha256(b"".join((copy / path).read_bytes() for path in sources(copy))).hexdigest()
    kept = ROOT / "build" / f"reached-{digest[:12]}"
    kept.mkdir(parents=True, exist_ok=True)
    recording = recorded(copy, kept, tests)
    caught = {
        fault: test
        for fault, test in _kept(kept / _CAUGHT).items()
        if test == NEVER_ENDED or recording.knows(test)
    }
    for fault in [fault for faults in drawn.values() for fault in faults if fault.key not in caught]:
        tests_of = recording.tests_of(fault)
        if test := caught_by(fault, copy, tests_of, _say, seconds=recording.longest_wait(tests_of)):
            _keep(kept / _CAUGHT, caught := caught | {fault.key: test})
    return {room: sum(fault.key in caught for fault in faults) for room, faults in drawn.items()}


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
