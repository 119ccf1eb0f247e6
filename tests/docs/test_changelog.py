"""The changelog is grouped by version, day and kind, in lines that can be read."""

import re
from datetime import date
from itertools import groupby

from tests.shared import ROOT

LINES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
KINDS = ["Added", "Changed", "Fixed"]


def test_no_line_is_longer_than_160_characters() -> None:
    assert [number for number, line in enumerate(LINES, 1) if len(line) > 160] == []


def test_days_stand_newest_first_and_under_each_what_was_added_changed_and_fixed() -> None:
    headings = [line for line in LINES if line.startswith("##")]
    assert re.fullmatch(r"## \d+\.\d+\.\d+ \((unreleased|\d{4}-\d\d-\d\d)\)", headings[0])
    days: list[date] = []
    for is_kind, found in groupby(headings, key=lambda line: line.startswith("#### ")):
        named = [line.split(" ", 1)[1] for line in found]
        if is_kind:
            assert named == [kind for kind in KINDS if kind in named]
        else:
            days += [date.fromisoformat(name) for name in named if "(" not in name]
    assert days
    assert days == sorted(set(days), reverse=True)


def test_every_entry_stands_under_a_kind() -> None:
    above = ""
    for line in LINES[4:]:
        if line.startswith("#"):
            above = line
        assert line == "" or line.startswith(("#", "- ", "  ")), line
        assert not line.startswith("- ") or above.startswith("#### "), line
