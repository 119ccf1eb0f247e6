"""Sets of dialogues side by side."""

import json
from pathlib import Path

import pytest

from annotator.jobs import JobContext
from annotator.release.reports.dataset_tables import (
    dataset_pictures,
    dataset_tables,
    distinct,
    read_statistics,
    set_name,
)
from annotator.release.reports.figure_style import PictureFormat
from scoring.errors import InputError
from scoring.measures.dataset import dataset_statistics
from scoring.model.case import dump_case
from scoring.model.taxonomy import Information, Policy
from tests.factories import answer, call, case, task

LABELLED = dataset_statistics(
    [
        case(
            task(call(), answer(), policy=Policy.SINGLE, information=Information.FIRST),
            task(answer(), policy=Policy.CHAT, information=Information.REFERENCE),
        )
    ]
)
BARE = dataset_statistics([case(task(*[call()] * 12, answer()))])


def test_the_comparison_says_nothing_of_labels_a_set_lacks() -> None:
    comparison = dataset_tables([("ours", LABELLED), ("theirs", BARE)])[0]
    marks = ("yes", "yes", "no", "no", "no", "no", "0")
    assert comparison.rows[0] == ("ours", "yes", "100.00 (1/1)", "0.59 (2/340)", *marks)
    assert comparison.rows[1] == ("theirs", "no", *["–"] * 8, "1")


def test_distributions_stand_side_by_side_with_great_values_together() -> None:
    tables = {table.title: table for table in dataset_tables([("ours", LABELLED), ("theirs", BARE)])}
    assert tables["Calls per task that has one"].rows == (
        ("1", "100.00 (1/1)", "0.00 (0/1)"),
        *((f"{calls}", "0.00 (0/1)", "0.00 (0/1)") for calls in range(2, 10)),  # a gap is a figure, too
        ("10+", "0.00 (0/1)", "100.00 (1/1)"),
    )
    sizes = {row[0]: row[1:] for row in tables["Sizes, means with standard deviation and range"].rows}
    assert sizes["Calls per task that has one"] == ("1.00 (1 to 1)", "12.00 (12 to 12)")
    assert "Categories of tools" not in tables, "nobody has one"


def test_the_yield_is_of_the_cases_that_came_in_and_a_file_has_none() -> None:
    ours = LABELLED.model_copy(
        update={
            "stage_yield": {"imported": 8, "self_check_task": 6, "cross_check": 5, "final": 3, "rejected": 1}
        }
    )
    sets = [("ours", ours), ("theirs", BARE)]
    [table] = [one for one in dataset_tables(sets) if one.title == "Yield from imported to final"]
    # 6, 5 and 3 of 8 cases are 75, 62.5 and 37.5 %.
    assert table.rows == (
        ("imported", "100.00 (8/8)", "–"),
        ("self_check_task", "75.00 (6/8)", "–"),
        ("cross_check", "62.50 (5/8)", "–"),
        ("final", "37.50 (3/8)", "–"),
        ("rejected", "12.50 (1/8)", "–"),
    )
    assert "yield-from-imported-to-final" in {one.name for one in dataset_pictures(sets)}
    assert "yield-from-imported-to-final" not in {one.name for one in dataset_pictures(sets[1:])}


def test_every_distribution_of_more_than_one_label_has_a_picture() -> None:
    sets = [("ours", LABELLED), ("theirs", BARE)]
    pictures = {one.name: one for one in dataset_pictures(sets)}
    # All dialogues are written in one script.
    assert set(pictures) == {
        "policies-of-tasks",
        "how-tasks-hide-information",
        "tasks-per-dialogue",
        "user-messages-per-dialogue",
        "calls-per-task-that-has-one",
    }
    assert pictures["calls-per-task-that-has-one"].save(PictureFormat.SVG).startswith(b"<?xml")


def test_a_release_keeps_the_whole_name_of_its_folder(tmp_path: Path) -> None:
    folder, file = tmp_path / "2026.11", tmp_path / "bfcl.v4.jsonl"
    folder.mkdir()
    file.touch()
    assert (set_name(folder), set_name(file)) == ("2026.11", "bfcl.v4")


def test_sets_of_one_name_are_numbered() -> None:
    assert [name for name, _ in distinct([("a", BARE), ("a", LABELLED), ("b", BARE)])] == [
        "a #1",
        "a #2",
        "b",
    ]


def test_lines_that_are_no_cases_are_counted_and_none_at_all_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(dump_case(case(task(answer())))) + "\n{}\n", encoding="utf-8")
    found, unread = read_statistics(path, context=JobContext())
    assert (found.cases, unread) == (1, 1)
    path.write_text("{}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"cases\.jsonl, line 1: "):
        read_statistics(path, context=JobContext())
