"""Planted faults: what is planted is another program, and only in its one place."""

import ast
import json
from pathlib import Path

import pytest
from coverage import CoverageData

from tests import mutants
from tests.mutants import ROOT, Recording, draw, enclosing, fault_at, places_of

TEXT = """def is_small(n: int) -> bool:
    \"\"\"Whether n < 3.\"\"\"
    if n < 0:
        raise ValueError(f"{n} < 0")
    return n < 3 and not n == 1
"""


def test_every_fault_of_a_module_is_planted_in_its_place_alone() -> None:
    path = Path("scoring/small.py")
    planted = {
        fault_at(place, path, TEXT).planted(TEXT).splitlines()[-1].strip() for place in places_of(TEXT)
    }
    assert planted == {
        "return n < 3 and not n == 1",  # the fault is in another line
        "return None",
        "return (n < 3 or not n == 1)",
        "return (n < 3)",
        "return n <= 3 and not n == 1",
        "return n < 4 and not n == 1",
        "return n < 3 and (n == 1)",
        "return n < 3 and not n != 1",
        "return n < 3 and not n == 2",
    }


def test_what_is_drawn_is_a_program_and_the_seed_decides() -> None:
    drawn = draw(40, seed=7, within=["scoring"])
    assert drawn == draw(40, seed=7, within=["scoring"])
    assert drawn != draw(40, seed=8, within=["scoring"])
    for fault in drawn:
        text = (ROOT / fault.path).read_text(encoding="utf-8")
        assert ast.dump(ast.parse(fault.planted(text))) != ast.dump(ast.parse(text))


SMALL = """LIMIT = 3


def is_small(n: int, least: int = 0) -> bool:
    return n < (
        LIMIT
    )
"""


def test_the_tests_that_run_a_line_are_run_those_of_its_room_first(tmp_path: Path) -> None:
    module = Path("scoring/matching/small.py")
    (tmp_path / module).parent.mkdir(parents=True)
    (tmp_path / module).write_text(SMALL, encoding="utf-8")
    lines = CoverageData(str(tmp_path / "lines"))
    named, far, near, slow = (
        "tests/e2e/test_small.py::test_it",
        "tests/e2e/test_all.py::test_it",
        "tests/scoring/test_b.py::test_it[1]",
        "tests/x.py::test",
    )
    contexts = {"": [1, 4], f"{far} (call)": [5, 6], f"{near}|run": [5], f"{slow}|setup": [5], named: [5]}
    for context, numbers in contexts.items():
        lines.set_context(context)
        lines.add_lines({str(module): numbers})
    lines.write()
    seconds = {named: 2, far: 1.01, near: 0, slow: 500}
    (tmp_path / "tests.json").write_text(
        json.dumps({test.partition("::")[0]: {"seconds": {test: took}} for test, took in seconds.items()}),
        encoding="utf-8",
    )
    reaching = Recording(tmp_path, tmp_path)

    places = [fault_at(place, module, SMALL) for place in places_of(SMALL)]
    by_line = {fault.line: reaching.tests_of(fault) for fault in places}
    assert by_line[5] == (named, near, far)  # what takes longer than all others may is left out
    assert by_line[4] == by_line[5]  # a default is read where the body runs
    assert by_line[1] == (far,)  # a constant is reached where it is named
    assert reaching.longest_wait((near, far)) == pytest.approx(60 + 4 * 1.01)


def test_a_line_no_test_runs_is_reached_by_none(tmp_path: Path) -> None:
    (tmp_path / "scoring").mkdir()
    (tmp_path / "scoring/small.py").write_text(SMALL, encoding="utf-8")
    CoverageData(str(tmp_path / "lines")).write()
    places = [fault_at(place, Path("scoring/small.py"), SMALL) for place in places_of(SMALL)]
    assert {Recording(tmp_path, tmp_path).tests_of(fault) for fault in places} == {()}


def test_statements_are_found_from_the_outside_in() -> None:
    found = enclosing(SMALL, 6)
    assert [type(node) for node in found] == [ast.Module, ast.FunctionDef, ast.Return]


def test_a_second_run_plants_only_what_was_not_caught_and_gives_a_figure_for_each_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {
        "conftest.py": "from hypothesis import settings\nsettings.register_profile('short')\n",
        "scoring/small.py": "def total(n: int) -> int:\n    return n\n",
        "db/unused.py": "def doubled(n: int) -> int:\n    return n\n",
        "tests/test_small.py": "from scoring.small import total\ndef test_it(): assert total(3) == 3\n",
    }
    for path, text in texts.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    monkeypatch.delenv("PYTEST_CURRENT_TEST")  # or the recording would count its lines to this test
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    survived = "SURVIVED  db/unused.py:2: return n  ->  return None  (0 tests)"
    figures = [
        "scoring: 1 of 1 faults were caught (seed 7).",
        "db: 0 of 1 faults were caught (seed 7).",
    ]
    caught = "caught    scoring/small.py:2: return n  ->  return None  by tests/test_small.py::test_it"
    for printed in ([caught, survived, *figures], [survived, *figures]):
        assert mutants.main(["--seed", "7", "scoring", "db"]) == 1
        assert capsys.readouterr().out.splitlines() == printed
        for kept in (tmp_path / "build").iterdir():  # the next one records again, after one that broke off
            (kept / "part.lines").write_text("half a file", encoding="utf-8")
        with (tmp_path / "tests/test_small.py").open("a", encoding="utf-8") as changed:
            changed.write("# changed\n")
