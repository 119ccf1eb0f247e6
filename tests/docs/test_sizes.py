"""The page of sizes, which `.ci/sizes.py` measures, has every extra, and the manual says the same figures."""

import re
import tomllib

from tests.shared import ROOT

PAGE = (ROOT / "docs" / "reference" / "sizes.md").read_text(encoding="utf-8")
MANUAL = (ROOT / "docs" / "how_to" / "install_and_script.md").read_text(encoding="utf-8")
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = set(SETTINGS["project"]["optional-dependencies"])


def test_every_extra_was_measured_and_is_in_the_manual() -> None:
    assert set(re.findall(r"^\| `\[([\w-]+)\]` \|", PAGE, re.MULTILINE)) == EXTRAS
    [table] = re.findall(r"^\| extra \|.*?(?=^\n)", MANUAL, re.MULTILINE | re.DOTALL)
    named = "".join(row.split(" | ")[0] for row in table.splitlines())
    assert set(re.findall(r"`([\w-]+)`", named)) == EXTRAS


def test_the_manual_says_what_scoring_alone_was_measured_to_take() -> None:
    [figures] = re.findall(r"^\| what scoring alone needs \| \d+ \| (\d+) \| (\d+) \|", PAGE, re.MULTILINE)
    assert figures in re.findall(r"they take (\d+) MB, (\d+) MB of it without compiled modules", MANUAL)


def test_the_help_was_measured_within_its_bound() -> None:
    [ratio] = re.findall(r": ([\d.]+)\s+times as much", PAGE)
    assert 0 < float(ratio) <= 3
