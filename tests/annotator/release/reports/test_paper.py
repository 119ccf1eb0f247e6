"""The results section of a paper, from the sample cases and their two runs."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from annotator.jobs import JobContext
from annotator.release.reports import paper
from annotator.release.reports.album import album
from annotator.release.reports.paper import methods_text, numbers_text, write_paper
from annotator.release.reports.report import report_tables
from annotator.release.runs.evaluation import evaluate, load_gold
from annotator.resources import resource_path
from scoring.errors import InputError, StoreError
from scoring.golds import GoldSet
from scoring.model.taxonomy import Protocol
from scoring.scorecard import Scorecard
from tests.annotator.release.cards import league
from tests.shared import full_disk

SAMPLES = resource_path("samples")
CASES = SAMPLES / "cases.jsonl"


@pytest.fixture(scope="module")
def gold() -> GoldSet:
    """The sample cases."""
    return load_gold(CASES)


@pytest.fixture(scope="module")
def runs(gold: GoldSet) -> list[Scorecard]:
    """The two sample runs, under names of models."""
    return [
        evaluate(gold, [SAMPLES / f"predictions_{kind}.jsonl"], context=JobContext(), name=name)
        for kind, name in (("careful", "gpt-4_a & b"), ("careless", "careless"))
    ]


@pytest.fixture
def one_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """A paper with one picture, for what is not about them: drawing them all takes ten seconds."""
    drawn = album
    monkeypatch.setattr(paper, "album", lambda cards: drawn(cards)[:1])
    monkeypatch.setattr(paper, "dataset_pictures", lambda sets: ())


def _hashes(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_same_inputs_give_the_same_bytes(gold: GoldSet, runs: list[Scorecard], tmp_path: Path) -> None:
    first, second = tmp_path / "one", tmp_path / "two"
    files = write_paper(gold, runs, first, release="2026.11")
    write_paper(gold, runs, second, release="2026.11")
    hashes = _hashes(first)
    assert hashes == _hashes(second)
    assert set(hashes) == {str(file.relative_to(first)) for file in files}
    assert {"tables.md", "tables.tex", "tables.csv", "tables.html", "tables.xlsx"} < set(hashes)
    assert {"numbers.tex", "methods.md"} < set(hashes)
    names = {Path(name).stem for name in hashes if name.startswith("figures")}
    assert {"policy", "decline", "errors", "types-of-arguments"} < names
    assert {f"figures/{name}.{form}" for name in names for form in ("png", "svg", "pdf")} < set(hashes)
    manifest = json.loads((first / "paper.json").read_text(encoding="utf-8"))
    assert manifest["cases_sha256"] == gold.cases_sha256
    assert manifest["files"] == {name: found for name, found in hashes.items() if name != "paper.json"}
    assert [run["predictions_sha256"] for run in manifest["runs"]] == [run.predictions_sha256 for run in runs]


def test_every_headline_is_a_macro_that_latex_takes(runs: list[Scorecard]) -> None:
    text = numbers_text([("gpt-4_a & b", runs[0]), ("careless", runs[1]), ("Careless", runs[1])])
    macros = dict(re.findall(r"^\\newcommand\{\\([A-Za-z]+)\}\{(.*)\}$", text, re.MULTILINE))
    assert len(macros) == text.count(r"\newcommand") == 3 * 8
    # 48 of 56 tasks are right, 20 of 56 (scoring 10).
    assert (macros["GptFourABTask"], macros["CarelessTask"], macros["CarelessTaskTwo"]) == (
        "85.71",
        "35.71",
        "35.71",
    )


def test_every_defined_effect_is_a_macro_with_its_bounds_and_models() -> None:
    tables = report_tables([(name, one) for name, one in league(dialogues=8)[:4]])
    [effects] = [table for table in tables if table.title == "Effects in points"]
    text = numbers_text([], tables)
    macros = dict(re.findall(r"^\\newcommand\{\\([A-Za-z]+)\}\{(.*)\}$", text, re.MULTILINE))
    assert len(macros) == text.count(r"\newcommand")
    rows = {row[0]: row for row in effects.rows}
    _, points, interval, models, *_ = rows["Thinking: on − off, progress"]
    said = [macros[f"EffectThinkingOnOffProgress{end}"] for end in ("", "From", "To", "Models")]
    assert said == [word.replace("−", "$-$") for word in (points, *interval.split(" to "), models)]
    undefined = {title for title, row in rows.items() if row[1].startswith("undefined")}
    assert undefined  # nothing is said of these, least of all 0
    assert not [name for name in macros if "Interface" in name]


@pytest.mark.usefixtures("one_picture")
def test_the_methods_say_rules_counts_and_failures_of_each_run(
    gold: GoldSet, runs: list[Scorecard], tmp_path: Path
) -> None:
    write_paper(gold, runs, tmp_path / "paper", release="2026.11")
    text = (tmp_path / "paper" / "methods.md").read_text(encoding="utf-8")
    assert "Release 2026.11: 16 cases, 56 scored tasks, 0 tasks that cannot be scored." in text
    assert (
        "* careless: usual setting, n = 56, undrawn tasks 0, accuracy in percent 35.71 (20/56), 0 without a"
        in text
    )
    assert "1 failed outside the model (counted as wrong)" in text


def test_no_name_becomes_markup_in_the_methods(gold: GoldSet, runs: list[Scorecard]) -> None:
    text = methods_text(gold, [(r"*a* <b> $x$", runs[0])], "<i>1</i>")
    assert r"* \*a\* \<b\> \$x\$: usual setting" in text
    assert r"Release \<i\>1\</i\>: 16 cases" in text


def test_runs_of_other_cases_are_refused_and_nothing_is_written(
    gold: GoldSet, runs: list[Scorecard], tmp_path: Path
) -> None:
    other = runs[1].model_copy(update={"cases_sha256": "0" * 64})
    with pytest.raises(InputError, match="careless was scored against other cases"):
        write_paper(gold, [runs[0], other], tmp_path / "paper", release="2026.11")
    assert not (tmp_path / "paper").exists()


@pytest.mark.usefixtures("one_picture")
def test_a_folder_of_something_else_stays_and_its_own_is_made_anew(
    gold: GoldSet, runs: list[Scorecard], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "thesis.tex").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match=r"thesis\.tex was not written by this command"):
        write_paper(gold, runs, folder, release="2026.11")
    (folder / "thesis.tex").rename(tmp_path / "thesis.tex")
    write_paper(gold, runs, folder, release="2026.11")
    assert (folder / "figures" / "overall.png").is_file()
    monkeypatch.setattr(paper, "album", lambda cards: ())
    write_paper(gold, runs[:1], folder, release="2026.11")
    assert not (folder / "figures" / "overall.png").exists()
    assert [path.name for path in tmp_path.iterdir() if "paper" in path.name] == ["paper"]


@pytest.mark.usefixtures("one_picture")
@pytest.mark.parametrize("name", ["figures/notes.txt", "methods.md"])
def test_what_somebody_wrote_into_a_paper_is_not_replaced(
    gold: GoldSet, runs: list[Scorecard], tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "paper"
    write_paper(gold, runs[:1], folder, release="2026.11")
    with (folder / name).open("a", encoding="utf-8") as stream:
        stream.write("Mine.")
    with pytest.raises(InputError, match="was not written by this command, or was changed") as failed:
        write_paper(gold, runs, folder, release="2026.11")
    assert name in str(failed.value).replace("\\", "/")
    assert (folder / name).read_text(encoding="utf-8").endswith("Mine.")


@pytest.mark.usefixtures("one_picture")
def test_a_full_disk_leaves_the_former_paper(gold: GoldSet, runs: list[Scorecard], tmp_path: Path) -> None:
    folder = tmp_path / "paper"
    write_paper(gold, runs[:1], folder, release="2026.11")
    before = _hashes(folder)
    with full_disk(10_000), pytest.raises(StoreError):
        write_paper(gold, runs, folder, release="2026.11")
    assert _hashes(folder) == before
    assert [path.name for path in tmp_path.iterdir()] == ["paper"]


def test_a_file_in_the_place_of_the_folder_is_left(
    gold: GoldSet, runs: list[Scorecard], tmp_path: Path
) -> None:
    (tmp_path / "paper").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="was not written by this command"):
        write_paper(gold, runs, tmp_path / "paper", release="2026.11")
    assert (tmp_path / "paper").read_text(encoding="utf-8") == "mine"


@pytest.mark.usefixtures("one_picture")
def test_a_paper_of_runs_under_two_protocols_has_them_apart_and_never_one_mean(
    gold: GoldSet, runs: list[Scorecard], tmp_path: Path
) -> None:
    other = runs[1].model_copy(update={"protocol": Protocol.C2})
    again = runs[0].model_copy(update={"predictions_sha256": "ef" * 32})
    write_paper(gold, [runs[0], again, other], tmp_path / "paper", release="2026.11")
    tables = (tmp_path / "paper" / "tables.md").read_text(encoding="utf-8")
    assert "## Runs scored under different rules are not averaged, ranked or tested together" in tables
    titles = [line for line in tables.splitlines() if line.startswith("## Accuracy ·")]
    assert titles == ["## Accuracy · protocol wildtool", "## Accuracy · protocol c2"]
    # The mean is of the two under one protocol; nothing is of three.
    assert "| mean of 2 |" in tables
    assert "mean of 3" not in tables
    methods = (tmp_path / "paper" / "methods.md").read_text(encoding="utf-8")
    assert [line for line in methods.splitlines() if line.startswith("## ")] == [
        "## protocol wildtool",
        "## protocol c2",
    ]


@pytest.mark.usefixtures("one_picture")
def test_a_paper_of_one_run_without_a_card_ranks_nobody_and_guesses_nothing(
    gold: GoldSet, runs: list[Scorecard], tmp_path: Path
) -> None:
    write_paper(gold, runs[1:], tmp_path / "paper", release="2026.11")
    tables = (tmp_path / "paper" / "tables.md").read_text(encoding="utf-8")
    assert runs[1].model_card is None
    assert "## Models" not in tables
    assert "mean of" not in tables
    assert "| rank |" not in tables
    assert "undefined: no two runs of one family and size, with thinking and without" in tables
