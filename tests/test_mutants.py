"""Planted faults: what is planted is another program, and only in its one place."""

import ast
from pathlib import Path

import pytest

from tests.mutants import MOST_FILES, ROOT, ReachingTests, draw, fault_at, places_of

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


@pytest.fixture(scope="module")
def reaching() -> ReachingTests:
    return ReachingTests(ROOT)


def test_the_nearest_tests_of_a_module_come_first(reaching: ReachingTests) -> None:
    found = reaching.of(Path("db/project_files/files.py"))
    assert found[0] == "tests/db/project_files/test_files.py"
    assert len(found) <= MOST_FILES
    # Reached through the fixtures of a conftest alone.
    assert any("tests/annotator" in test for test in reaching.of(Path("db/events.py"), most=500))
    # Commands run in a process of their own: their names in the text lead to them.
    assert reaching.of(Path("ui/cli/teval.py"))[0] == "tests/e2e/test_teval.py"


def test_a_module_nothing_imports_is_reached_by_no_test(reaching: ReachingTests) -> None:
    assert reaching.of(Path("scoring/nowhere.py")) == ()


def test_tests_of_what_uses_the_function_come_before_others(reaching: ReachingTests) -> None:
    # The line is in `compare`, which most importers of labels do not use.
    path = Path("scoring/model/labels.py")
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "UNDRAWN if drawing is None" in text)
    near = reaching.of(path, line=line, most=40)
    assert near != reaching.of(path, most=40)
    assert any("agreement" in test or "review" in test for test in near)


def test_half_of_the_tests_are_those_that_share_words_with_the_function(reaching: ReachingTests) -> None:
    path = Path("annotator/review/expert/decisions.py")
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, 1) if text.startswith("def _is_wrong("))
    wrong = "tests/annotator/review/test_wrong_calls.py"
    assert wrong in reaching.of(path, line=line + 3)[MOST_FILES // 2 :]
    assert wrong not in reaching.of(path)
