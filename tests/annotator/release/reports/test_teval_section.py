"""T-Eval in reports and papers: what its tables say, what stands apart, what is refused."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from matplotlib.patches import Rectangle

from annotator.jobs import JobContext
from annotator.release.reports.figure_style import DARK, LIGHT, PictureFormat, picture
from annotator.release.reports.paper import methods_text, numbers_text, write_paper
from annotator.release.reports.report import report
from annotator.release.reports.teval_section import columns_figure, read_teval, teval_pictures, teval_tables
from annotator.release.runs.evaluation import evaluate, load_gold
from annotator.resources import resource_path
from scoring.errors import InputError
from scoring.model.taxonomy import ReportFormat
from scoring.teval.columns import AbilityColumn
from scoring.teval.evaluators import TEvalProfile
from scoring.teval.scores import SubsetScore, TevalScores, abilities, overall
from scoring.teval.similarity import SimilarityModel

SAMPLES = resource_path("samples")
FIRST: Mapping[str, Mapping[str, float]] = {
    "instruct_json": {
        "string_format_metric": 1.0,
        "string_args_em_metric": 0.5,
        "json_format_metric": 0.8,
        "json_args_em_metric": 0.4,
    },
    "plan_str": {"f1_score": 0.7},
    "plan_json": {"f1_score": 0.5},
    "reason_str": {"thought": 0.6},
    "rru_json": {"thought": 0.4, "name": 0.9, "args": 0.3},
    "retrieve_str": {"name": 0.8},
    "understand_str": {"args": 0.55},
    "review_str": {"review_quality": 0.65},
}
"""Means of the files of a model.

By hand: instruct S = (1.0 + 0.5) / 2 = 75.0 and J = (0.8 + 0.4) / 2 = 60.0. The abilities are instruct 67.5,
plan 60, reason 50, retrieve 85, understand 42.5 and review 65, whose mean is 370 / 6 = 61.7.
"""


def scores(
    means: Mapping[str, Mapping[str, float]], *, rules: str = "paper", items: str = "a"
) -> TevalScores:
    own = {
        name: SubsetScore(
            items=10, failed=0, missing=1, empty=0, hit_limit=0, metrics=dict(found), parsed_only={}
        )
        for name, found in means.items()
    }
    return TevalScores(
        profile=TEvalProfile(rules),
        similarity=SimilarityModel(name="char3"),
        items_sha256=items * 64,
        subsets=own,
        abilities=abilities(means),
        overall=overall(abilities(means)),
        beside={},
        splits=(),
        choices={},
    )


def folder_of(place: Path, *found: TevalScores) -> Path:
    place.mkdir(parents=True)
    body = [one.model_dump(mode="json") for one in found]
    (place / "teval.json").write_text(json.dumps(body), encoding="utf-8")
    return place


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Two models; the second is 20 points better at plans as text, and nobody asked it for a review."""
    second = {**FIRST, "plan_str": {"f1_score": 0.9}}
    del second["review_str"]
    return [
        folder_of(tmp_path / "model_a & b", scores(FIRST)),
        folder_of(tmp_path / "second", scores(second)),
    ]


def test_the_columns_are_those_of_the_published_table_with_one_decimal(folders: list[Path]) -> None:
    table, gaps = teval_tables(read_teval(folders))
    assert table.title == "T-Eval · rules: paper"
    assert table.columns == ("run", *AbilityColumn, "overall")
    first, second, mean = table.rows
    assert first == (
        "model_a & b",
        *("75.0", "60.0", "70.0", "50.0", "60.0", "40.0", "80.0", "90.0", "55.0", "30.0", "65.0", "61.7"),
    )
    assert second[3] == "90.0"
    assert second[-2:] == ("–", "–")  # no review, so no mean of six abilities
    assert mean[3] == "80.0"
    assert mean[-1] == "61.7 (mean of 1)"
    # The best and the second best plan as text; where both reach the same, neither is marked.
    assert [row[2] for row in table.marks] == [2, 1, 0]
    assert [row[0] for row in table.marks] == [0, 0, 0]
    assert any("char3" in note for note in table.notes)
    assert gaps.title == "T-Eval, text minus JSON · rules: paper"
    assert gaps.columns == ("run", "instr", "plan", "reas", "retr", "und")
    assert gaps.rows[0] == ("model_a & b", "15.0", "20.0", "20.0", "-10.0", "25.0")


def test_scores_under_other_rules_or_over_other_items_stand_apart(tmp_path: Path) -> None:
    places = [
        folder_of(tmp_path / "a", scores(FIRST), scores(FIRST, rules="ref_v2")),
        folder_of(tmp_path / "b", scores(FIRST, items="b")),
    ]
    groups = read_teval(places)
    assert {words: [name for name, _ in models] for words, models in groups.items()} == {
        "rules: paper; items: aaaaaaaa": ["a"],
        "rules: ref_v2; items: aaaaaaaa": ["a"],
        "rules: paper; items: bbbbbbbb": ["b"],
    }
    assert len(list(teval_tables(groups))) == 6
    names = [one.name for one in teval_pictures(groups)]
    assert len(set(names)) == len(names) == 6


def test_folders_of_one_name_are_told_apart_and_one_named_twice_counts_once(tmp_path: Path) -> None:
    places = [folder_of(tmp_path / parent / "model", scores(FIRST)) for parent in ("x", "y")]
    [models] = read_teval([*places, places[0]]).values()
    assert [name for name, _ in models] == [str(place) for place in places]


@pytest.mark.parametrize(("text", "said"), [(None, "holds no T-Eval scores"), ("[{}]", "cannot be read")])
def test_a_folder_without_scores_is_refused_with_the_command_that_makes_them(
    tmp_path: Path, text: str | None, said: str
) -> None:
    if text is not None:
        (tmp_path / "teval.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said) as failed:
        read_teval([tmp_path])
    assert "annotator teval score -o" in failed.value.hint


@pytest.mark.parametrize(
    "form", [ReportFormat.MARKDOWN, ReportFormat.LATEX, ReportFormat.HTML, ReportFormat.CSV]
)
def test_every_form_of_a_report_has_the_columns_and_takes_any_name(
    folders: list[Path], form: ReportFormat
) -> None:
    text = report((), form, title="T", teval=read_teval(folders)).decode()
    name = {ReportFormat.LATEX: r"model\_a \& b", ReportFormat.HTML: "model_a &amp; b"}.get(
        form, "model_a & b"
    )
    assert name in text
    assert "61.7" in text


def test_a_paper_has_macros_methods_hashes_and_pictures_of_t_eval(
    folders: list[Path], tmp_path: Path
) -> None:
    gold = load_gold(SAMPLES / "cases.jsonl")
    run = evaluate(gold, [SAMPLES / "predictions_careful.jsonl"], context=JobContext(), name="careful")
    groups = read_teval(folders)
    text = numbers_text([("careful", run)], (), groups)
    macros = dict(re.findall(r"^\\newcommand\{\\([A-Za-z]+)\}\{(.*)\}$", text, re.MULTILINE))
    assert macros["ModelABTEvalRulesPaperOverall"] == "61.7"
    assert "SecondTEvalRulesPaperOverall" not in macros  # it has none: no macro says 0
    methods = methods_text(gold, [("careful", run)], "2026.11", groups)
    assert "sentences compared by char3" in methods
    # Eight files of ten items each, of which the second model lacks one file.
    assert "model_a & b 8 of 80 items, second 7 of 70 items" in methods
    files = write_paper(gold, [run], tmp_path / "paper", release="2026.11", teval=groups)
    names = {path.name for path in files}
    assert {"teval-abilities-1.pdf", "teval-columns-1.svg"} <= names
    manifest = json.loads((tmp_path / "paper" / "paper.json").read_text(encoding="utf-8"))
    assert [one["name"] for one in manifest["teval"]] == ["model_a & b", "second"]
    assert "61.7" in (tmp_path / "paper" / "tables.tex").read_text(encoding="utf-8")


def test_many_models_are_rows_of_a_map_and_the_circle_has_the_best(tmp_path: Path) -> None:
    places = [
        folder_of(tmp_path / f"m{number}", scores({**FIRST, "plan_str": {"f1_score": number / 10}}))
        for number in range(8)
    ]
    circle, columns = teval_pictures(read_teval(places))
    assert circle.caption == "T-Eval: six abilities of the best 6 models, rules: paper."
    [legend] = circle.draw(palette=LIGHT).legends
    assert [text.get_text() for text in legend.get_texts()] == [f"m{number}" for number in range(2, 8)]
    figure = columns.draw(palette=DARK)
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == [f"m{n}" for n in range(8)]
    assert picture(figure, PictureFormat.PDF).startswith(b"%PDF")


def test_the_circle_has_the_best_also_where_an_ability_was_not_measured(tmp_path: Path) -> None:
    bare = {name: values for name, values in FIRST.items() if not name.startswith("review")}
    places = [
        folder_of(tmp_path / f"m{number}", scores({**bare, "plan_str": {"f1_score": number / 10}}))
        for number in range(8)
    ]
    figure = next(teval_pictures(read_teval(places))).draw(palette=LIGHT)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [f"m{n}" for n in range(2, 8)]
    assert figure.get_suptitle() == "T-Eval: six abilities of the best 6 models (%)"


def test_a_column_without_a_value_is_a_dash_and_0_is_a_bar() -> None:
    values: dict[AbilityColumn, float | None] = dict.fromkeys(AbilityColumn, 0.5)
    values |= {AbilityColumn.REVIEW: None, AbilityColumn.PLAN_J: 0.0}
    [axes] = columns_figure([("m", values), ("n", dict.fromkeys(AbilityColumn, 0.5))], palette=LIGHT).axes
    assert [text.get_text() for text in axes.texts] == ["–"]
    heights = sorted(bar.get_height() for bar in axes.patches if isinstance(bar, Rectangle))
    assert len(heights) == 21
    assert 0 < heights[0] < 2
    assert heights[1:] == [50.0] * 20
