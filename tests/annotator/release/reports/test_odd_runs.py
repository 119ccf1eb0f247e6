"""Runs that do not fit together, and names that are markup: what reports and papers make of them."""

import shutil
import subprocess
from pathlib import Path

import pytest

from annotator.release.reports.album import album
from annotator.release.reports.effect_tables import size_series
from annotator.release.reports.report import latex_text, render, report, report_tables
from annotator.release.reports.run_groups import Cards, named
from annotator.release.reports.score_tables import (
    ScoreTable,
)
from scoring.errors import InputError
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Policy, Protocol, ReportFormat, Semantics
from scoring.model_card import ModelCard
from scoring.scorecard import Scorecard
from tests.annotator.release.cards import card, league, rights, text_of

NAMES = (
    "[draft] a_1 & 50% #2 $x^{2}$ {y} ~z \\w |v| <b>",
    "*starred* -- `quoted`",
    "$\\frac{$",
    "e\u202ext\x07ra",
)
"""Names that LaTeX or Markdown would take for commands, or that turn the rest of a line round."""
FOREIGN = ("模型一", "نموذج ٢", "מודל")
"""Names in letters that the fonts of pdfLaTeX lack, two of them written from right to left."""


def tables_of(tables: tuple[ScoreTable, ...], start: str) -> list[ScoreTable]:
    return [table for table in tables if table.title.startswith(start)]


def both_ways(model: str, semantics: Semantics, *, thinking: str = "off") -> list[Scorecard]:
    """A model run under both histories: of twelve later tasks some are lost and some are won."""
    policies = (Policy.SINGLE, Policy.SINGLE, Policy.CHAT, Policy.SINGLE)
    model_card = ModelCard.model_validate({"model": model, "family": "f", "size": 8, "thinking": thinking})
    return [
        card(
            *(task for n, one in enumerate(signs) for task in rights(one, policies=policies, case=f"c-{n}")),
            name=model,
            protocol=protocol,
            semantics=semantics,
        ).model_copy(update={"model_card": model_card})
        for protocol, signs in (
            (Protocol.C2, ("++++", "+-+-", "++-+")),
            (Protocol.C3, ("+-+-", "++++", "+++-")),
        )
    ]


def test_steadiness_under_different_rules_has_tables_and_pictures_of_its_own() -> None:
    runs = [*both_ways("a", Semantics.PAPER), *both_ways("b", Semantics.REFERENCE, thinking="on")]
    tables = report_tables(named(runs))
    for start in ("Challenge 2 against", "Effects of the history"):
        found = tables_of(tables, start)
        assert [table.title.partition(" · ")[2] for table in found] == [
            "semantics paper",
            "semantics reference",
        ]
        assert all("semantics" in table.columns[0] for table in found)
    assert [{row[0] for row in table.rows} for table in tables_of(tables, "Challenge 2 against")] == [
        {"a"},
        {"b"},
    ]
    pictures = {picture.name: picture.caption for picture in album(named(runs))}
    assert "volatility" not in pictures
    assert pictures["pairs-2-volatility"] == "Accuracy against volatility. Runs of semantics reference."
    # Without and with thinking, but under different rules: no pair.
    assert not [name for name in pictures if name.endswith("descent-thinking")]


def test_steadiness_under_the_same_rules_stands_together() -> None:
    runs = [*both_ways("a", Semantics.PAPER), *both_ways("b", Semantics.PAPER, thinking="on")]
    [table] = tables_of(report_tables(named(runs)), "Challenge 2 against")
    assert {row[0] for row in table.rows} == {"a", "b"}
    assert {"volatility", "descent", "descent-thinking"} <= {picture.name for picture in album(named(runs))}


def test_families_of_two_makers_that_share_a_name_are_two_series() -> None:
    def run(maker: str, size: int, signs: str) -> tuple[str, Scorecard]:
        known = {"model": f"{maker}-{size}", "maker": maker, "family": "base", "size": size}
        model_card = ModelCard.model_validate(known)
        return f"{maker}-{size}", card(*rights(signs), name=f"{maker}-{size}").model_copy(
            update={"model_card": model_card}
        )

    runs = [run("x", 2, "++++"), run("x", 4, "++++"), run("y", 2, "+---"), run("y", 8, "+++-")]
    assert {name: [size for size, *_ in one] for name, one in size_series(runs).items()} == {
        "x, base": [2, 4],
        "y, base": [2, 8],
    }
    [table] = tables_of(report_tables(runs), "Effects in points")
    # 0 for one doubling of x; of y 50 points for two, 25 for one: 12.5 in the mean.
    size = next(row for row in table.rows if row[0].startswith("Size"))
    assert size[1] == "+12.50"


def odd_runs(*names: str) -> Cards:
    """A run for each name, under the card of a model."""
    found = zip(names, league(dialogues=4), strict=False)
    return [(name, one.model_copy(update={"name": name})) for name, (_, one) in found]


@pytest.mark.parametrize("form", list(ReportFormat))
def test_no_name_breaks_a_report_and_foreign_ones_stand_in_it(form: ReportFormat) -> None:
    few = (NAMES[0], FOREIGN[1])  # the pictures of more take long
    names = few if form is ReportFormat.HTML else (*NAMES, *FOREIGN)
    text = text_of(report(odd_runs(*names), form, title=NAMES[0]))
    assert all(name in text for name in FOREIGN if name in names)


def test_latex_prints_every_name_as_it_is() -> None:
    # What OT1 fonts print as other signs, and what TeX reads as an option of the row before.
    assert latex_text("a<b>|c") == r"a\textless{}b\textgreater{}\textbar{}c"
    assert latex_text("[1] *") == "{[}1{]} {*}"
    assert latex_text("a\tb\u202ec\x07\n") == "a b c  "


def test_latex_says_which_program_it_needs_where_letters_are_not_latin() -> None:
    text = text_of(report(odd_runs(*FOREIGN), ReportFormat.LATEX, title="T"))
    assert text.startswith("% Compile with XeLaTeX or LuaLaTeX")
    assert all(name in text for name in FOREIGN)
    assert "XeLaTeX" not in text_of(report(odd_runs(*NAMES), ReportFormat.LATEX, title="T"))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX is installed (2026-11-28)")
def test_latex_of_such_names_compiles(tmp_path: Path) -> None:
    (tmp_path / "tables.tex").write_bytes(report(odd_runs(*NAMES), ReportFormat.LATEX, title="T"))
    lines = [
        r"\documentclass{article}\usepackage{booktabs,adjustbox}\begin{document}",
        r"\input{tables}\end{document}",
    ]
    (tmp_path / "check.tex").write_text("\n".join(lines))
    ran = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "check.tex"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-2000:]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("_em_ and snake_case", r"\_em\_ and snake_case"),
        ("~~struck~~ $x$", r"\~\~struck\~\~ \$x\$"),
        ("&lt; & R&D", r"\&lt; & R&D"),
        ("a|b `c` [d](e) <f>", r"a\|b \`c\` \[d\](e) \<f\>"),
    ],
)
def test_markdown_takes_nothing_of_a_name_for_markup(name: str, written: str) -> None:
    table = ScoreTable(title="T", columns=("run",), rows=((name,),))
    assert f"| {written} |" in text_of(render([table], ReportFormat.MARKDOWN, title="T"))


def long_run(model: str, *, places: int, known: bool = True) -> Scorecard:
    """A run of six dialogues of so many tasks, with the card of its model where it is known."""
    policies = (Policy.SINGLE, Policy.MULTI_PARALLEL, Policy.CHAT, Policy.CLARIFY)
    signs = ["+-+-"[n % 4 :] + "++--"[: n % 4] for n in range(6)]
    tasks = (rights(one[:places], policies=policies, case=f"c-{n}") for n, one in enumerate(signs))
    found = card(*(task for some in tasks for task in some), name=model)
    model_card = ModelCard.model_validate({"model": model, "kind": "open"}) if known else None
    return found.model_copy(update={"model_card": model_card})


def test_without_a_dialogue_of_four_tasks_what_needs_one_says_so_and_is_not_zero() -> None:
    tables = report_tables(named([long_run("a", places=3), long_run("b", places=3)]))
    [effects] = tables_of(tables, "Effects in points")
    said = {row[0]: row[1] for row in effects.rows}
    assert (
        said["One more task: (task 1 − task 4) / 3"]
        == "undefined: no task of these kinds: number 4 of its dialogue"
    )
    assert said["Task 3 − task 4"] == "undefined: no task of these kinds: number 4 of its dialogue"
    assert said["Task 1 − task 2"][0] in "+−"
    [order] = tables_of(tables, "Accuracy by task order")
    assert order.columns == ("run", "task 1", "task 2", "task 3")
    assert album(named([long_run("a", places=3), long_run("b", places=3)]))


def test_what_is_undefined_has_a_dash_and_every_table_with_one_says_why() -> None:
    tables = report_tables(named([long_run("a", places=1), long_run("b", places=1)]))
    [policy] = tables_of(tables, "Accuracy by policy")[:1]
    row = dict(zip(policy.columns, policy.rows[0], strict=True))
    assert (row["chat"], row["multi"]) == ("–", "–")  # only first tasks, which are all single
    assert "–: there is nothing of that kind to measure; it is not 0." in policy.notes
    [first] = [table for table in tables_of(tables, "Challenge 1") if "–" in table.rows[0]]
    assert "–: there is nothing of that kind to measure; it is not 0." in first.notes


def test_one_run_has_no_mean_no_rank_and_no_mark() -> None:
    tables = report_tables(named([long_run("alone", places=4)]))
    assert not [row for table in tables for row in table.rows if row[0].startswith("mean of")]
    assert not {"rank", "rank by multi"} & {column for table in tables for column in table.columns}
    assert {mark for table in tables for marks in table.marks for mark in marks} <= {0}


def test_fifty_seven_runs_are_ranked_and_named_one_by_one_in_every_form() -> None:
    runs = named([long_run(f"m-{n:02}", places=4, known=n > 0) for n in range(57)])
    tables = report_tables(runs)
    [accuracy] = tables_of(tables, "Accuracy")[:1]
    assert len(accuracy.rows) == 58
    assert accuracy.rows[-1][0] == "mean of 57"
    # One run has no card, and that is said; it is nobody's guess.
    assert accuracy.notes[-1] == "No model card, or nothing on it: m-00"
    for form in (ReportFormat.MARKDOWN, ReportFormat.LATEX, ReportFormat.CSV, ReportFormat.XLSX):
        text = text_of(render(tables, form, title="T"))
        assert all(f"m-{n:02}" in text for n in range(57))
    pictures = {picture.name: picture for picture in album(runs)}
    # A row or a bar for each run; the lines show the best eight and say so.
    assert len(pictures["overall"].draw().axes[0].get_yticklabels()) == 57
    assert len(pictures["information-map"].draw().axes[0].get_yticklabels()) == 57
    assert "best 8 of 57 runs" in pictures["decline"].draw().axes[0].get_title(loc="left")


def test_one_model_asked_twice_is_two_numbered_runs_and_no_pair() -> None:
    twice = [long_run("same", places=4), long_run("same", places=4)]
    twice[1] = twice[1].model_copy(update={"predictions_sha256": "ef" * 32})
    assert [name for name, _ in named(twice)] == ["same #1", "same #2"]
    [effects] = tables_of(report_tables(named(twice)), "Effects in points")
    assert [row[1] for row in effects.rows if row[0] == "Thinking: on − off"] == [
        "undefined: no two runs of one family and size, with thinking and without"
    ]


def test_one_run_given_twice_is_refused_and_named() -> None:
    run, other = long_run("m", places=2), long_run("other", places=2)
    copy = run.model_copy(update={"name": "copy of m"})
    for form in ReportFormat:
        with pytest.raises(InputError, match=r"m and copy of m are one run: the same replies"):
            report(named([run, other, copy]), form, title="T")
    # The same replies under other rules, or as another setting says, are another run.
    others = {"semantics": Semantics.REFERENCE}, {"setting": {"model": "m", "seed": 2}}
    for told in others:
        assert report_tables(named([run, copy.model_copy(update=told)]))


def test_a_setting_all_runs_share_is_no_part_of_their_names() -> None:
    def run(name: str, **sampling: float) -> Scorecard:
        setting: JsonObject = {"model": name.partition(" · ")[0], "sampling": dict(sampling)}
        return card(*rights("+"), name=name).model_copy(update={"setting": setting})

    runs = [
        run("a · seed 1 · temperature 0.5", seed=1, temperature=0.5),
        run("b · seed 1 · temperature 0.7", seed=1, temperature=0.7),
        run("b · seed 1", seed=1),
    ]
    assert [name for name, _ in named(runs)] == ["a · temperature 0.5", "b · temperature 0.7", "b"]
    assert [name for name, _ in named(runs[:1])] == ["a · seed 1 · temperature 0.5"]
    called = [run("seed 1", seed=1), run("a · seed 1", seed=1)]
    assert [name for name, _ in named(called)] == ["seed 1", "a"]
