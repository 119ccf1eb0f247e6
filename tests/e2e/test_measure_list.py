"""One entry in the list of measures is enough: it is in every output."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from annotator.release.reports.report import report, report_tables
from annotator.release.runs.evaluation import read_scorecard, write_scorecard
from annotator.resources import resource_path
from db.read.rows import RunRow
from scoring.measures import catalogue
from scoring.measures.catalogue import Measure
from scoring.measures.rates import Rate, share_of
from scoring.measures.sample import ScoredSample
from scoring.model.taxonomy import ReportFormat
from tests.annotator.release.cards import text_of
from tests.e2e.command import annotator
from ui.cli.main import exit_code
from ui.runs.entries import RunEntry
from ui.runs.leaderboard import headings, leaderboard, shown_columns
from ui.runs.slices import slice_rows


def lucky(sample: ScoredSample) -> Rate:
    """Tasks with an even number / tasks: as good as any measure to be planted."""
    return share_of(sample.counted, lambda task: task.task % 2 == 0)


PLANTED = Measure(
    key="lucky_share",
    title="Lucky tasks",
    formula="tasks with an even number / tasks",
    paper="none",
    compute=lucky,
    heading="lucky",
    leaderboard={"total": "Luck"},
)
SLICED = Measure(
    key="luck_by_place",
    title="Luck by place",
    formula="lucky tasks / tasks at the place",
    paper="none",
    compute=lambda sample: {"here": lucky(sample), "there": lucky(sample)},
)


@pytest.fixture
def scored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[Path, str]:
    """The bundled samples scored with two more entries in the list: the folder, and what was printed."""
    monkeypatch.setattr(catalogue, "MEASURES", (*catalogue.MEASURES, PLANTED, SLICED))
    cases = resource_path("samples", "cases.jsonl")
    predictions = resource_path("samples", "predictions_careful.jsonl")
    assert exit_code(["score", str(cases), str(predictions), "-o", str(tmp_path / "careful")]) == 0
    return tmp_path / "careful", capsys.readouterr().out


def test_a_planted_measure_is_in_the_scorecard_and_in_what_the_command_prints(
    scored: tuple[Path, str],
) -> None:
    folder, printed = scored
    measures = read_scorecard(folder).summary.measures
    # Of the 56 tasks of the samples 31 have an even number.
    assert measures["lucky_share"]["total"] == Rate(value=31 / 56, count=31, total=56)
    assert list(measures["luck_by_place"]) == ["here", "there"]
    assert "lucky" in printed
    assert "Luck by place (%)" in printed


@pytest.mark.parametrize("form", list(ReportFormat))
def test_a_planted_measure_is_in_every_form_of_report(form: ReportFormat, scored: tuple[Path, str]) -> None:
    card = read_scorecard(scored[0])
    other = card.model_copy(update={"predictions_sha256": "0" * 64})
    text = text_of(report([("careful", card), ("again", other)], form, title="Scores"))
    parts = {
        ReportFormat.CSV: (
            "Accuracy,careful,lucky,55.36,31,56",
            "Luck by place,careful,there,55.36,31,56",
            "Luck by place,mean of 2,here,55.36,,",
            "Differences,difference,Lucky tasks,+0.00,,",
        ),
        ReportFormat.LATEX: (
            "& lucky",
            "% Luck by place",
            "Lucky tasks & 55.36 (31/56) & 55.36 (31/56) & +0.00",
        ),
        ReportFormat.MARKDOWN: ("| lucky |", "## Luck by place", "| Lucky tasks |"),
        ReportFormat.XLSX: ("lucky", "Luck by place (%)", "Lucky tasks"),
        ReportFormat.HTML: ("<th>lucky</th>", "<h2>Luck by place</h2>", "<td>Lucky tasks</td>"),
    }
    assert [part for part in parts[form] if part not in text] == []
    intervals = next(table for table in report_tables([("careful", card)]) if "intervals" in table.title)
    assert "Lucky tasks" in intervals.columns


def test_a_planted_measure_is_in_the_leaderboard_and_where_two_runs_are_compared(
    scored: tuple[Path, str],
) -> None:
    card = read_scorecard(scored[0])
    now = datetime.now(UTC)
    row = RunRow(1, "careful", None, now, card.cases_sha256, "{}", "c3", "paper", "auto", has_replies=False)
    entry = RunEntry(row, card.summary)
    [line] = leaderboard([entry])
    titles = (column.title for column in headings(shown_columns([entry])))
    cells = dict(zip(titles, line.cells, strict=True))
    assert (cells["Luck"].text, cells["Luck"].tip) == ("55.36", "31 of 56")
    rows = [[cell.text for cell in row.cells] for row in slice_rows([("one", card), ("two", card)])]
    assert ["Lucky tasks", "55.36", "55.36", "+0.00"] in rows
    at = rows.index(["Luck by place", "", "", ""])
    assert rows[at + 1 : at + 3] == [
        ["Here", "55.36", "55.36", "+0.00"],
        ["There", "55.36", "55.36", "+0.00"],
    ]


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """The careful predictions, but the endpoint failed at the first 14 of the 56 tasks."""
    lines = resource_path("samples", "predictions_careful.jsonl").read_text(encoding="utf-8").splitlines()
    for number in range(14):
        said = json.loads(lines[number])
        lines[number] = json.dumps(said | {"error": {"kind": "http", "message": "HTTP 500"}})
    path = tmp_path / "broken.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_the_command_counts_failures_of_the_endpoint_as_it_is_told(broken: Path, tmp_path: Path) -> None:
    cases = resource_path("samples", "cases.jsonl")
    out = tmp_path / "scores"
    wrong = annotator("score", cases, broken, "-o", out, "--json").document["summary"]
    assert (wrong["accuracy"]["tasks"]["total"], wrong["infra_errors"]) == (56, 14)
    assert (
        "14 failed outside the model (counted as wrong)" in annotator("score", cases, broken, "-o", out).out
    )
    ran = annotator("score", cases, broken, "-o", out, "--infra-errors", "left-out", "--json")
    left_out = ran.document["summary"]
    assert (left_out["accuracy"]["tasks"]["total"], left_out["infra_errors"]) == (42, 14)
    assert left_out["accuracy"]["tasks"]["count"] == wrong["accuracy"]["tasks"]["count"]
    # A report takes them as they were scored, or as it is told.
    for options, words in (((), "14 – left out"), (("--infra-errors", "wrong"), "14 – counted as wrong")):
        assert annotator("report", out, "--format", "md", "-o", tmp_path / "r.md", *options).code == 0
        assert words in (tmp_path / "r.md").read_text(encoding="utf-8")


def test_a_scorecard_without_the_measure_is_read_and_has_a_gap(
    scored: tuple[Path, str], tmp_path: Path
) -> None:
    card = read_scorecard(scored[0])
    measures = {key: found for key, found in card.summary.measures.items() if key != "luck_by_place"}
    older = card.model_copy(update={"summary": card.summary.model_copy(update={"measures": measures})})
    write_scorecard(older, tmp_path / "older")
    text = text_of(report([("older", read_scorecard(tmp_path / "older"))], ReportFormat.CSV, title="Scores"))
    assert "Luck by place" not in text
