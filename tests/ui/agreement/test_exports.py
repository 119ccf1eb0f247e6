"""What the agreement page writes into files."""

import csv
import json
import re
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QTabBar
from pytestqt.qtbot import QtBot

from scoring.agreement.rated_cases import RatedField
from tests.ui.agreement.conftest import is_quiet
from tests.ui.agreement.reading import table_of, tip_of
from tests.ui.find import find
from ui.agreement.agreement_lines import Sheet
from ui.agreement.page import AgreementPage
from ui.cli.main import exit_code
from ui.services.operations import Operations


def test_ratings_are_written_as_json_where_the_file_ends_so(
    qtbot: QtBot, page: AgreementPage, closed_operations: Operations, tmp_path: Path
) -> None:
    page.export(Sheet.RATINGS, str(tmp_path / "ratings.json"))
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    units = json.loads((tmp_path / "ratings.json").read_text(encoding="utf-8"))["units"]
    assert {unit["field"] for unit in units} >= {"policy", "completed", "edge", "graph"}


def test_every_sheet_is_written_with_a_heading_and_lines(
    qtbot: QtBot, page: AgreementPage, closed_operations: Operations, tmp_path: Path
) -> None:
    for sheet in Sheet:
        page.export(sheet, str(tmp_path / f"{sheet}.csv"))
        qtbot.waitUntil(lambda: is_quiet(closed_operations))
        with (tmp_path / f"{sheet}.csv").open(encoding="utf-8", newline="") as stream:
            head, *lines = list(csv.reader(stream))
        assert (sheet, {len(line) for line in lines}) == (sheet, {len(head)})
        assert (sheet, len(lines) > 1) == (sheet, True)


def test_a_sheet_that_cannot_be_written_is_told_and_the_project_is_not_taken_for_lost(
    qtbot: QtBot, page: AgreementPage, closed_operations: Operations, tmp_path: Path
) -> None:
    (tmp_path / "folder.csv").mkdir()
    with qtbot.assertNotEmitted(closed_operations.connection_lost):
        page.export(Sheet.COEFFICIENTS, str(tmp_path / "folder.csv"))
        qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert "folder.csv" in find(page, QLabel, "error-message").text()


def _exported(
    qtbot: QtBot, page: AgreementPage, operations: Operations, file: Path
) -> dict[tuple[str, str], dict[str, str]]:
    page.export(Sheet.COEFFICIENTS, str(file))
    qtbot.waitUntil(lambda: is_quiet(operations))
    with file.open(encoding="utf-8", newline="") as stream:
        return {(row["field"], row["coefficient"]): row for row in csv.DictReader(stream)}


def test_the_page_exports_the_very_figures_the_command_prints(
    qtbot: QtBot,
    page: AgreementPage,
    closed_operations: Operations,
    released_project: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    exported = _exported(qtbot, page, closed_operations, tmp_path / "sheet.csv")
    assert exit_code(["agreement", "-p", released_project, "--as", "expert-1", "--json"]) == 0
    printed = {
        (row["field"], measure): found
        for row in json.loads(capsys.readouterr().out)["rows"]
        for measure, found in row["coefficients"].items()
    }
    assert printed.keys() == exported.keys()
    for key, found in printed.items():
        for name in ("value", "low", "high", "used", "total", "undefined", "no_interval"):
            assert exported[key][name] == ("" if found[name] is None else str(found[name]))


def test_a_missing_interval_has_its_reason_in_the_export_and_the_diagnosis(
    qtbot: QtBot, page: AgreementPage, closed_operations: Operations, tmp_path: Path
) -> None:
    row = _exported(qtbot, page, closed_operations, tmp_path / "sheet.csv")["completed", "kappa"]
    assert (row["low"], row["undefined"]) == ("", "")
    assert re.fullmatch(r"\d+ of 1,000 samples undefined, more than 5 %", row["no_interval"])
    find(page, QTabBar, "agreement-tabs").setCurrentIndex(1)
    rows = {tuple(cell.text for cell in line.cells[:2]): line for line in table_of(page, "diagnosis").rows}
    assert rows["Task completed", "Cohen κ"].cells[8].text == row["no_interval"]
    assert rows["Task completed", "Cohen κ"].cells[3].text == "–"
    assert tip_of(page, RatedField.COMPLETED, 3).startswith("No interval: ")


def test_the_exported_diagnosis_keeps_every_digit_and_the_reason(
    qtbot: QtBot, page: AgreementPage, closed_operations: Operations, tmp_path: Path
) -> None:
    page.export(Sheet.COEFFICIENTS, str(tmp_path / "sheet.csv"))
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    with (tmp_path / "sheet.csv").open(encoding="utf-8", newline="") as stream:
        rows = {(row["field"], row["coefficient"]): row for row in csv.DictReader(stream)}
    assert float(rows["policy", "percent"]["value"]) == pytest.approx(175 / 177)  # 59 tasks, 3 pairs each
    assert rows["call", "kappa"]["value"] == ""
    assert rows["call", "kappa"]["undefined"].startswith("one label only")
    assert rows["edge_kind", "alpha"]["excluded"] == "2"
