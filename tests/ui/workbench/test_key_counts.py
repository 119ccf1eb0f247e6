"""How many keys a case takes somebody who looks at everything: scripted, and counted as they are pressed.

A text that is written counts as no key; the keys that open and keep it do.
"""

import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget

from annotator.cases.access import show_case
from annotator.cases.edits.text_edits import set_information
from annotator.cases.file_import import import_files
from annotator.drafts.checklists import next_open
from annotator.drafts.problems import Problem, problems_of
from annotator.jobs import JobContext
from scoring.model.case import Case
from scoring.model.taxonomy import Information, Stage
from tests.shared import SHARED, needs_shared
from tests.ui.find import find
from tests.ui.workbench.driving import Bench, stage_of

PUBLISHED = SHARED / "data" / "published_cases.jsonl"
BARE = SHARED / "data" / "bfcl_multi_turn_base.openai.jsonl"


def bring(bench: Bench, source: Path, case_id: str, folder: Path) -> None:
    """Import one case of a file."""
    lines = source.read_text(encoding="utf-8").splitlines()
    path = folder / "one.jsonl"
    path.write_text(next(line for line in lines if json.loads(line)["id"] == case_id) + "\n")
    import_files(bench.team["max"], [path], context=JobContext(), batch="07")


def settle(bench: Bench) -> None:
    """Go to every open point by F8 and do what it asks for, until the case can be submitted."""
    for _ in range(200):
        if not bench.document.assessment.blockers:
            return
        problem = bench.problem or shown_problem(bench)
        if problem is None:
            bench.press("F8")
            problem = bench.problem
        assert problem is not None
        settle_one(bench, problem)
    raise AssertionError(f"left: {problems_of(bench.document.assessment)}")


def shown_problem(bench: Bench) -> Problem | None:
    """The checklist of the second round, which is in sight as the case opens; null for anything else."""
    if bench.document.stage is not Stage.SELF_CHECK_DIALOGUE:
        return None
    assert find(bench.page, QWidget, "check-coherence").visibleRegion().boundingRect().isValid()
    return problems_of(bench.document.assessment)[0]


def settle_one(bench: Bench, problem: Problem) -> None:
    """Do what one open point asks for."""
    task = problem.task or 0
    found = bench.document.case.tasks[task]
    if problem.finding is not None and problem.finding.rule == "answer.missing":
        bench.press("Return")
        bench.type_text("Done as you asked.")
        bench.press("Ctrl+Return")
    elif problem.kind == "evidence":
        lines = bench.document.assessment.lines_of(task, problem.step)
        inexact = bench.document.assessment.inexact_places
        proposed = [line.place for line in lines if line.citation is not None and not line.is_settled]
        if any(place not in inexact for place in proposed):
            bench.press("Shift+E")
        else:
            bench.press("A" if proposed else "W")
    elif problem.kind == "drawing":
        offered = found.drawn_edges or bench.document.assessment.suggestions[task]
        bench.press("G" if offered else "O")
    elif problem.kind == "label" and bench.document.assessment.offers_of(task):
        bench.press("=")
    elif problem.kind == "label" and found.policy is None:
        bench.press("Shift+P" if found.needs_drawing else "1")
    elif problem.kind == "label":
        bench.press("2")
    elif problem.kind == "checklist":
        place = None if bench.document.stage is Stage.SELF_CHECK_DIALOGUE else problem.task
        item = next_open(bench.document.assessment.items, bench.document.judgment, task=place)
        assert item is not None
        bench.check(item)
    elif problem.kind == "judgment":
        bench.press("T" if problem.step is None else "R")
    else:
        bench.press("W")
        bench.type_text("seen")
        bench.press("Return")


def submit(bench: Bench, case_id: str) -> Stage:
    """Submit the open case; gives where it stands then."""
    before = bench.document.stage
    bench.press("Ctrl+Return")
    bench.wait(lambda: stage_of(bench, case_id) is not before)
    return stage_of(bench, case_id)


def check_both_rounds(bench: Bench, case_id: str) -> int:
    """Bring a case from its import to the cross-check; gives the keys that took; a mouse scrolls."""
    bench.open(case_id)
    bench.key_count = 0
    for _ in range(2):
        settle(bench)
        stage = submit(bench, case_id)
        if stage is Stage.CROSS_CHECK:
            break
        bench.wait(lambda: bench.is_open(case_id) and bench.document.stage is Stage.SELF_CHECK_DIALOGUE)
        bench.read_dialogue()
    assert stage_of(bench, case_id) is Stage.CROSS_CHECK
    return bench.key_count


def with_information(bench: Bench, case_id: str) -> Case:
    """A case as its owner hands it on: each task but the first says what information it lacks."""
    shown = show_case(bench.team["max"], case_id)
    for task in range(1, len(shown.tasks)):
        shown = set_information(shown, task, information=Information.OMISSION)
    return shown


@needs_shared
@pytest.mark.parametrize(
    ("source", "case_id", "most"),  # besides a key a task, which goes on behind its checklist
    [
        pytest.param(PUBLISHED, "c3_e1_single", 7, id="one task"),
        pytest.param(PUBLISHED, "wild_tool_bench_0", 30, id="four tasks"),
        # 38, and a key a task that opens the editor of its answer
        pytest.param(BARE, "multi_turn_base_0", 42, id="four tasks without graphs and answers"),
    ],
)
def test_a_case_takes_few_keys(bench: Bench, tmp_path: Path, source: Path, case_id: str, most: int) -> None:
    bring(bench, source, case_id, tmp_path)
    count = check_both_rounds(bench, case_id)
    print(f"{case_id}: {count} keys")  # noqa: T201 (this is what the run is for)
    assert count <= most + len(show_case(bench.team["max"], case_id).tasks)


@needs_shared
def test_a_blind_cross_check_takes_few_keys_and_everything_is_drawn(bench: Bench, tmp_path: Path) -> None:
    bring(bench, PUBLISHED, "wild_tool_bench_0", tmp_path)
    bench.team.self_check("bob", "wild_tool_bench_0", edit=with_information(bench, "wild_tool_bench_0"))
    bench.open("wild_tool_bench_0")
    bench.key_count = 0
    settle(bench)
    said = bench.document.judgment.tasks
    bench.press("Ctrl+Return")
    bench.wait(lambda: bench.page.open_work.document is None)
    print(f"blind: {bench.key_count} keys")  # noqa: T201 (this is what the run is for)
    answered = sum(len(task.checklist) for task in said)
    assert False not in [task.drawn for task in said]
    assert bench.key_count <= 20 + answered + len(said)
