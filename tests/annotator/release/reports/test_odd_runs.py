"""Runs that do not fit together, and names that are markup: what reports and papers make of them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from annotator.release.reports.album import album
from annotator.release.reports.effect_tables import size_series
from annotator.release.reports.report import latex_text, render, report, report_tables
from annotator.release.reports.score_tables import Cards, ScoreTable, named
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
    assert pictures["pairs-2-volatility"] == "Volatility against accuracy. Runs of semantics reference."
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
        return f"{maker}-{size}", card(*rights(signs)).model_copy(update={"model_card": model_card})

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
def test_no_name_breaks_a_report(form: ReportFormat) -> None:
    assert report(odd_runs(*NAMES, *FOREIGN), form, title=NAMES[0])


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
    lines = [r"\documentclass{article}\usepackage{booktabs}\begin{document}", r"\input{tables}\end{document}"]
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


def test_every_run_of_a_name_from_right_to_left_has_its_row_in_every_form() -> None:
    for form in ReportFormat:
        text = text_of(report(odd_runs(*FOREIGN), form, title="T"))
        assert all(re.search(re.escape(name), text) for name in FOREIGN)
