"""Reports: every table and form, the Challenge tables, robustness, and two runs compared."""

import csv
import html
import io
import re
import zipfile
from collections.abc import Sequence
from html.parser import HTMLParser

import pytest

from annotator.release.reports.album import album
from annotator.release.reports.challenge_tables import (
    challenge_tables,
    comparison_tables,
    history_groups,
    model_robustness,
    robustness_table,
    unpaired_table,
)
from annotator.release.reports.report import render, report, report_tables
from annotator.release.reports.run_groups import Cards, named
from annotator.release.reports.score_figures import (
    ModelRobustness,
    Slice,
    accuracy_groups,
    orchestration_groups,
)
from annotator.release.reports.score_tables import (
    ScoreTable,
    basis_table,
    interval_table,
    printed_table,
    score_tables,
)
from scoring.matching.task_scores import TaskScore
from scoring.measures.catalogue import Form
from scoring.measures.rates import Number, rate
from scoring.measures.robustness import compare_histories
from scoring.measures.summary import ReplyTotals, UndrawnTasks
from scoring.model.taxonomy import (
    ActionDetail,
    ArgumentProfile,
    Grouping,
    Information,
    InfraErrors,
    Policy,
    Protocol,
    ReportFormat,
    Semantics,
    Undrawn,
    WildtoolMistake,
)
from scoring.model_card import ModelCard
from scoring.scorecard import Basis, Scorecard
from tests.annotator.release.cards import card, mixed_card, rights, scored, spent, text_of

ODD = "m_1 & 50% | <b>\\x~"
CARDS = [("careful", mixed_card(0)), (ODD, mixed_card(2))]


def table_of(tables: tuple[ScoreTable, ...], start: str) -> ScoreTable:
    return next(table for table in tables if table.title.startswith(start))


def row_of(table: ScoreTable, name: str) -> dict[str, str]:
    row = next(row for row in table.rows if row[0] == name)
    return dict(zip(table.columns, row, strict=True))


def steadiness(cards: Cards) -> list[ModelRobustness]:
    """How steady the models are that were run both ways, whatever the rules."""
    return [model for pairs in history_groups(cards).values() for model in model_robustness(pairs)]


def test_rates_are_printed_in_percent_with_what_they_are_made_of() -> None:
    table = table_of(score_tables([("a", card(*rights("++-")))]), "Accuracy")
    assert row_of(table, "a")["task"] == "66.67 (2/3)"
    assert row_of(table, "a")["session"] == "0.00 (0/1)"


def test_an_empty_group_is_a_dash_and_never_zero() -> None:
    table = table_of(score_tables([("a", card(*rights("++")))]), "Accuracy by policy")
    assert row_of(table, "a")["chat"] == "–"


def test_a_run_without_a_group_that_another_has_gets_a_dash() -> None:
    runs = [("long", card(*rights("++-"))), ("short", card(*rights("+")))]
    assert row_of(table_of(score_tables(runs), "Accuracy by task order"), "short")["task 3"] == "–"


def test_intervals_are_given_for_the_headline_rates() -> None:
    sessions = [task for number in range(8) for task in rights("+-+-"[number % 4] * 2, case=f"c-{number}")]
    low, high = row_of(interval_table([("a", card(*sessions))]), "a")["Task accuracy"].split(" to ")
    assert 0 < float(low) < 50 < float(high) < 100


def outside(number: int, case: str) -> TaskScore:
    """A task whose run met an HTTP 500."""
    update = {"action_detail": ActionDetail.INFRA_ERROR, "error": None, "error_c3": None}
    return scored(number, case=case, right=False).model_copy(update=update)


def test_failures_outside_the_model_stand_beside_the_figures_with_how_they_count() -> None:
    broken = card(*rights("++-"), outside(0, "c-2"), outside(1, "c-2"))
    whole = card(*rights("++-"))
    table = table_of(score_tables([("broken", broken), ("whole", whole)]), "Accuracy")
    # 2 of 5 tasks; left out, 2 of 3.
    assert row_of(table, "broken")["task"] == "40.00 (2/5)"
    assert row_of(table, "broken")["failed outside"] == "2 – counted as wrong"
    assert row_of(table, "whole")["failed outside"] == "0"
    without = [("broken", broken.counting(InfraErrors.LEFT_OUT))]
    row = row_of(table_of(score_tables(without), "Accuracy"), "broken")
    assert (row["task"], row["session"]) == ("66.67 (2/3)", "0.00 (0/1)")
    assert row["failed outside"] == "2 – left out"
    assert row_of(basis_table(without), "broken")["failed outside"] == "2 – left out"


def test_an_older_scorecard_is_measured_again_to_leave_failures_out() -> None:
    older = card(*rights("++-"), outside(0, "c-2"))
    older = older.model_copy(
        update={"summary": older.summary.model_copy(update={"infra_errors_otherwise": None})}
    )
    without = older.counting(InfraErrors.LEFT_OUT)
    assert without.summary.accuracy.tasks == rate(2, 3)
    assert without.counting(InfraErrors.WRONG).summary.accuracy.tasks == rate(2, 4)


def test_runs_without_such_failures_have_no_column_for_them() -> None:
    assert "failed outside" not in table_of(score_tables(CARDS), "Accuracy").columns


def test_what_is_left_out_is_in_no_interval_and_in_no_comparison() -> None:
    tasks = [task for n in range(6) for task in rights("+", case=f"c-{n}")]
    broken = card(*tasks, *(outside(0, f"d-{n}") for n in range(6)))
    without = broken.counting(InfraErrors.LEFT_OUT)
    assert row_of(interval_table([("a", without)]), "a")["Task accuracy"] == "100.0 to 100.0"
    assert row_of(interval_table([("a", broken)]), "a")["Task accuracy"] != "100.0 to 100.0"
    changes, *_ = comparison_tables([("a", without), ("b", without)])
    assert {row[0]: row[1] for row in changes.rows}["right in both"] == "6"
    assert {row[0]: row[1] for row in changes.rows}["wrong in both"] == "0"


RULES: tuple[dict[str, object], ...] = (
    {"semantics": Semantics.REFERENCE},
    {"arguments": ArgumentProfile.C3},
    {"protocol": Protocol.C2},
    {"cases_sha256": "ef" * 32},
    {"infra_errors": InfraErrors.LEFT_OUT},
    {"undrawn": Undrawn.PARALLEL},
    {"scorer_version": "1.0"},
)
"""Each entry of a basis, with another value than the scorecards of these tests have."""


def under(rules: dict[str, object], one: Scorecard) -> Scorecard:
    """A scorecard as if scored under other rules."""
    if "infra_errors" in rules:
        return one.counting(InfraErrors.LEFT_OUT)
    if "undrawn" in rules:
        undrawn = UndrawnTasks(count=1, matched=Undrawn.PARALLEL)
        return one.model_copy(update={"summary": one.summary.model_copy(update={"undrawn": undrawn})})
    return one.model_copy(update=rules)


def test_every_entry_of_a_basis_is_tested() -> None:
    assert [name for rules in RULES for name in rules] == list(Basis.model_fields)
    assert all(card().basis.words(name) for name in Basis.model_fields)


def test_means_are_given_of_runs_that_answered_the_same_under_the_same_rules() -> None:
    first, second = card(*rights("++-+")), card(*rights("+---"))
    row = row_of(table_of(score_tables([("a", first), ("b", second)]), "Accuracy"), "mean of 2")
    # (75 + 25) / 2
    assert row["task"] == "50.00"
    for rules in RULES:
        table = table_of(score_tables([("a", first), ("b", under(rules, second))]), "Accuracy")
        assert [line[0] for line in table.rows] == ["a", "b"]


def test_the_matrix_has_a_row_for_each_place_and_the_routes_a_column_for_each_run() -> None:
    runs = [("a", card(*rights("+-", policies=(Policy.SINGLE, Policy.CHAT)))), ("b", card(*rights("+")))]
    tables = score_tables(runs)
    matrix = table_of(tables, "Accuracy by policy and task order")
    assert row_of(matrix, "a · task 2")["chat"] == "0.00 (0/1)"
    assert row_of(matrix, "a · task 2")["single"] == "–"
    assert row_of(matrix, "b · all tasks")["all"] == "100.00 (1/1)"
    routes = table_of(tables, "Accuracy of the last task")
    assert routes.columns == ("", "a", "b", "mean of 2")
    assert routes.rows[1] == ("single > chat", "0.00 (0/1)", "–", "0.00 (mean of 1)")


def test_a_table_of_the_terminal_leaves_details_out() -> None:
    brief = {table.title for table in score_tables(CARDS, is_brief=True)}
    assert "Accuracy by policy" in brief
    assert not any(title.startswith(("Tool names alone", "Accuracy of the last task")) for title in brief)


def test_challenge_1_looks_at_tasks_with_several_calls() -> None:
    tasks = [
        scored(0, policy=Policy.MULTI_PARALLEL, optimal=False),
        scored(1, policy=Policy.MULTI_SERIAL, right=False, done=1, steps=4),
        scored(2, policy=Policy.MULTI_MIXED, steps=4),
        scored(3, policy=Policy.SINGLE, right=False),
    ]
    row = row_of(table_of(challenge_tables([("a", card(*tasks))]), "Challenge 1"), "a")
    assert row["all multi"] == "66.67 (2/3)"
    assert row["OP"] == "50.00 (1/2)"
    assert row["AP"] == "62.50 (5/8)"


def test_challenge_2_leaves_first_tasks_beside() -> None:
    tasks = [
        scored(0, right=False),
        scored(1, information=Information.REFERENCE),
        scored(2, information=Information.LONG_RANGE, right=False),
    ]
    (table,) = challenge_tables([("a", card(*tasks, protocol=Protocol.C2))])
    row = row_of(table, "a")
    assert table.title.startswith("Challenge 2")
    assert row["overall"] == "50.00 (1/2)"
    assert (row["omission"], row["reference"], row["long range"]) == ("–", "100.00 (1/1)", "0.00 (0/1)")
    assert row["first tasks"] == "0.00 (0/1)"


def test_challenge_3_counts_tasks_and_transitions() -> None:
    tasks = rights("+-+", policies=(Policy.SINGLE, Policy.CHAT))
    row = row_of(table_of(challenge_tables([("a", card(*tasks, protocol=Protocol.C3))]), "Challenge 3"), "a")
    assert (row["overall"], row["2 tasks"], row["3 tasks"]) == ("50.00 (1/2)", "0.00 (0/1)", "100.00 (1/1)")
    assert (row["PTF 1"], row["PTF 2"]) == ("0.00 (0/1)", "100.00 (1/1)")
    assert "PTF 0" not in row  # the first task has no change before it and is left out of Challenge 3


def test_robustness_pairs_the_same_tasks_under_both_histories() -> None:
    before = card(*rights("++--+"), name="m-c2", protocol=Protocol.C2)
    after = card(*rights("+-+-+"), name="m-c3", protocol=Protocol.C3)
    (model,) = steadiness([("m-c2", before), ("m-c3", after)])
    # Right in both: 4, and 0, which as a first task does not count; lost: 1; won: 2; wrong in both: 3.
    found = model.table.overall
    counts = (found.right_right, found.right_wrong, found.wrong_right, found.wrong_wrong)
    assert (model.name, counts) == ("m", (1, 1, 1, 1))
    table = robustness_table([model])
    row, first = (dict(zip(table.columns, table.rows[i], strict=True)) for i in (0, -1))
    # VF = 2/4, Acc2 = 1/4, DDD = 1/1 x 1/0.25.
    assert (row["VF"], row["Acc2"], row["DDD"]) == ("50.00", "25.00", "4.00")
    assert (first["PTF"], first["right in both"], first["VF"]) == ("first tasks", "1", "0.00")
    # The accuracy beside it leaves the first task out, too: 2 of 4.
    assert model.accuracy == 0.5


def test_an_undefined_descent_says_why() -> None:
    before = card(*rights("+++"), name="m", protocol=Protocol.C2)
    (model,) = steadiness(named([before, card(*rights("++-"), name="m")]))
    assert "undefined: WR=0" in robustness_table([model]).rows[0]


def test_models_are_paired_by_name_where_there_are_several() -> None:
    runs = named(
        [
            mixed_card(0, name="small c2", protocol=Protocol.C2),
            mixed_card(1, name="big_c2", protocol=Protocol.C2),
            mixed_card(2, name="big.c3", protocol=Protocol.C3),
            mixed_card(3, name="small-wildtool"),
            mixed_card(3, name="lonely-c3", protocol=Protocol.C3),
        ]
    )
    assert [model.name for model in steadiness(runs)] == ["big", "small"]
    [(run, _, why)] = unpaired_table(runs).rows
    assert (run, why) == ("lonely-c3", "models small and lonely")


def both_ways(**later: object) -> Cards:
    """One model under both histories, the run after the full process under other rules or another setting."""
    before = mixed_card(0, name="m", protocol=Protocol.C2)
    after = mixed_card(1, name="m", protocol=Protocol.C3)
    return named([before, under(later, after) if later else after])


@pytest.mark.parametrize(
    ("later", "why"),
    [
        ({"name": "other"}, "models m and other"),
        ({"name": ""}, "a model is not named"),
        ({"setting": {"model": "m", "tools": "prompt"}}, "settings nothing unusual against tools prompt"),
        ({"semantics": Semantics.REFERENCE}, "semantics paper against semantics reference"),
        ({"arguments": ArgumentProfile.C3}, "argument rules auto against argument rules c3"),
        ({"cases_sha256": "ef" * 32}, "set of cases abababababab against set of cases efefefefefef"),
        (
            {"infra_errors": InfraErrors.LEFT_OUT},
            "failures outside the model counted as wrong against failures outside the model left out",
        ),
    ],
)
def test_runs_are_paired_only_for_one_model_one_setting_and_equal_rules(
    later: dict[str, object], why: str
) -> None:
    assert len(steadiness(both_ways())) == 1
    assert unpaired_table(both_ways()).rows == ()
    runs = both_ways(**later)
    assert steadiness(runs) == []
    [row] = unpaired_table(runs).rows
    assert row[2] == why
    for form in ReportFormat:
        text = html.unescape(text_of(render(report_tables(runs), form, title="T")))
        assert "Not paired for VF and DDD" in text
        assert "Challenge 2 against Challenge 3" not in text


def test_each_repetition_is_paired_with_one_of_the_other_history() -> None:
    repeated = [
        mixed_card(n, name=f"m run {n}", protocol=p) for p in (Protocol.C2, Protocol.C3) for n in (1, 2)
    ]
    paired = steadiness(named(repeated))
    expected = [compare_histories(repeated[n].sample, repeated[n + 2].sample) for n in (0, 1)]
    assert [one.table for one in paired] == expected


def test_a_run_asked_in_parts_is_no_pair_where_there_is_a_whole_one() -> None:
    ua, upta = (mixed_card(1, name="m", protocol=one) for one in (Protocol.C2, Protocol.C3))
    part = under({"summary": ua.summary.model_copy(update={"missing": 4})}, mixed_card(2, name="m"))
    part = part.model_copy(update={"protocol": Protocol.C2})
    repeated = [part, ua, upta, mixed_card(0, name="m", protocol=Protocol.C3)]
    paired = steadiness(named(repeated))
    assert [one.table for one in paired[:2]] == [
        compare_histories(ua.sample, again.sample) for again in repeated[2:]
    ]


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: next(iter(rules)))
def test_runs_under_different_rules_stand_apart_in_every_form(rules: dict[str, object]) -> None:
    first = mixed_card(0, name="careful")
    runs = named([first, under(rules, first)])
    [name] = rules
    words = [card.basis.words(name) for _, card in runs]
    assert [run for run, _ in runs] == [f"careful · {one}" for one in words]
    tables = report_tables(runs)
    assert tables[0].rows == tuple(("careful", one) for one in words)
    accuracy = [table for table in tables if table.title.startswith("Accuracy ·")]
    assert [table.title for table in accuracy] == [f"Accuracy · {one}" for one in words]
    assert [table.columns[0] for table in accuracy] == [f"run · {one}" for one in words]
    assert [[row[0] for row in table.rows] for table in accuracy] == [["careful"], ["careful"]]
    for form in ReportFormat:
        text = html.unescape(text_of(render(report_tables(runs), form, title="T")))
        assert "Runs scored under different rules are not averaged, ranked or tested together" in text
        assert "mean of" not in text
        assert "McNemar" not in text
        assert "exact permutation test" not in text


def test_each_group_has_its_means_and_its_comparison() -> None:
    cards = [mixed_card(n, name=name) for n, name in enumerate(("a", "b"))]
    runs = named([*cards, *(under(RULES[0], one) for one in cards)])
    titles = [table.title for table in report_tables(runs) if " against " in table.title]
    assert titles == [f"b against a · {words}" for words in ("semantics paper", "semantics reference")]
    assert len({one.name for one in album(runs)}) == len(album(runs))


def test_runs_without_failures_stand_with_runs_whose_failures_are_left_out() -> None:
    broken = card(*rights("++-"), outside(0, "c-2"), name="broken")
    runs = [one.counting(InfraErrors.LEFT_OUT) for one in (broken, card(*rights("++-"), name="whole"))]
    assert [row[0] for row in table_of(report_tables(named(runs)), "Accuracy").rows][-1] == "mean of 2"


def test_runs_are_named_by_model_and_setting() -> None:
    cards = [card(name="m"), card(name="m · tools prompt"), card(name="m"), card(name="m")]
    assert [name for name, _ in named(cards)] == ["m #1", "m · tools prompt", "m #2", "m #3"]
    assert named([card()])[0][0] == f"unnamed run {card().predictions_sha256[:8]}"
    setting = {"model": "m", "protocol": "c2", "tools": "prompt", "sampling": {"temperature": 0.7}}
    basis = row_of(basis_table([("m", card().model_copy(update={"setting": setting}))]), "m")
    assert basis["setting"] == "tools prompt, temperature 0.7"


@pytest.mark.parametrize("form", [ReportFormat.MARKDOWN, ReportFormat.LATEX])
def test_forms_without_pictures_carry_the_intervals_the_pictures_draw(form: ReportFormat) -> None:
    runs = named([mixed_card(0, name="careful"), mixed_card(1, name="careless")])
    text = text_of(report(runs, form, title="T"))
    drawn = [accuracy_groups(runs, by) for by in (Slice.POLICY, Slice.INFORMATION, Slice.TRANSITIONS)]
    bounds = [
        value.interval
        for groups in (*drawn, orchestration_groups(runs))
        for group in groups
        for value in group.values
        if value is not None and value.interval is not None
    ]
    assert len(bounds) > 20
    for one in bounds:
        assert f"{100 * one.low:.1f} to {100 * one.high:.1f}" in text


def test_two_runs_are_compared_task_by_task() -> None:
    first, second = card(*rights("+++++++-")), card(*rights("+-----++"))
    changes, differences, flips = comparison_tables([("one", first), ("two", second)])
    said = {row[0]: row[1] for row in changes.rows}
    assert (said["right in both"], said["right only in one"], said["right only in two"]) == ("2", "5", "1")
    # McNemar, exact: 2 x (1 + 6) / 2^6 = 0.219; all of it is one session, which says nothing.
    assert said["p, McNemar's exact test over tasks"] == "0.219"
    assert said["p, exact permutation test over sessions"] == "1.000"
    assert said["difference in points (95 %)"].startswith("−50.00")
    assert differences.rows[0] == ("Task accuracy", "87.50 (7/8)", "37.50 (3/8)", "-50.00")
    assert ("Accuracy by policy: single", "87.50 (7/8)", "37.50 (3/8)", "-50.00") in differences.rows
    assert [row[1:3] for row in flips.rows] == [(str(t), "one") for t in range(1, 6)] + [("7", "two")]
    assert flips.rows[0][3] == "Reply 0: A text although calls are due: x y."


def test_a_negative_figure_has_a_minus_in_latex_and_no_hyphen() -> None:
    cards = [("one", card(*rights("+++++++-"))), ("two", card(*rights("+-----++")))]
    text = text_of(render(comparison_tables(cards), ReportFormat.LATEX, title="Runs"))
    assert "difference in points (95 \\%) & $-$50.00" in text
    assert "Task accuracy & 87.50 (7/8) & 37.50 (3/8) & $-$50.00" in text
    assert b"one-run" in render(
        [ScoreTable(title="T", columns=("run",), rows=(("one-run",),))], ReportFormat.LATEX, title=""
    )


def test_only_two_runs_over_the_same_cases_are_compared() -> None:
    assert comparison_tables([*CARDS, ("third", mixed_card(1))]) == ()
    assert comparison_tables([("a", mixed_card(0)), ("b", mixed_card(0, sha="ef" * 32))]) == ()


def test_what_figures_rest_on_stands_beside_them() -> None:
    row = row_of(basis_table([("a", mixed_card(0, protocol=Protocol.C2))]), "a")
    assert (row["protocol"], row["arguments"], row["tasks"], row["cases"]) == ("c2", "auto", "8", "ab" * 6)
    assert row["tokens read"] == "–"


def test_csv_has_a_line_for_each_figure_with_count_and_total() -> None:
    lines = list(
        csv.DictReader(
            io.StringIO(text_of(report([("a", card(*rights("++-")))], ReportFormat.CSV, title="T")))
        )
    )
    (line,) = [one for one in lines if one["table"] == "Accuracy" and one["measure"] == "task"]
    assert line == {
        "table": "Accuracy",
        "run": "a",
        "measure": "task",
        "value": "66.67",
        "count": "2",
        "total": "3",
    }


def test_markdown_keeps_its_columns_whatever_a_name_holds() -> None:
    text = text_of(report(CARDS, ReportFormat.MARKDOWN, title="T"))
    for block in text.split("\n## ")[1:]:
        table = [line for line in block.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table}) == 1
    assert "<b>" not in text


def test_latex_escapes_what_would_break_it() -> None:
    text = text_of(render(score_tables(CARDS), ReportFormat.LATEX, title="T"))
    assert r"m\_1 \& 50\% \textbar{} \textless{}b\textgreater{}\textbackslash{}x\textasciitilde{}" in text
    for line in text.splitlines():
        if line.endswith(r"\\"):
            assert "%" not in line.replace(r"\%", "")


class Page(HTMLParser):
    """What a page refers to, and the ids it defines."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.references: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "src", "xlink:href", "clip-path", "fill", "style"):
                self.references += re.findall(r"url\(([^)]+)\)", value or "")
            if name in ("href", "src", "xlink:href"):
                self.references.append(value or "")


def test_html_is_one_page_that_needs_no_other_file() -> None:
    page = Page(text_of(report(CARDS, ReportFormat.HTML, title="Two <runs>")))
    assert "script" not in page.tags
    assert page.references
    assert {reference[0] for reference in page.references} == {"#"}
    assert {reference[1:] for reference in page.references} <= set(page.ids)


def test_pictures_in_a_page_do_not_share_their_ids() -> None:
    page = Page(text_of(report(CARDS, ReportFormat.HTML, title="T")))
    assert len(page.ids) == len(set(page.ids))


def test_latex_says_a_total_that_all_runs_share_once_below_the_heading() -> None:
    figures = ((rate(2, 4), rate(1, 3)), (rate(1, 4), rate(2, 2)))
    table = printed_table("T", ("alike", "not"), ("a", "b"), figures, form=Form.PERCENT)
    lines = render([table], ReportFormat.LATEX, title="T").decode().splitlines()
    assert [line for line in lines if line.endswith(r"\\")] == [
        r"run & alike & not \\",
        r"n & 4 &  \\",
        r"a & 50.00 & 33.33 (1/3) \\",
        r"b & 25.00 & 100.00 (2/2) \\",
    ]


def test_html_shows_six_tables_and_folds_the_others() -> None:
    page = report(
        named([mixed_card(0, name="careful"), mixed_card(1, name="careless")]), ReportFormat.HTML, title="T"
    )
    assert (page.count(b"<details open>"), page.count(b"<details>") > 20) == (6, True)
    assert b"<details open><summary><h2>Accuracy</h2>" in page
    assert page.count(b"<summary>") == page.count(b"<table>")


def test_html_shows_names_as_they_are() -> None:
    text = text_of(report(CARDS, ReportFormat.HTML, title="Two <runs>"))
    assert "<b>" not in text
    assert "m_1 &amp; 50% | &lt;b&gt;" in text
    assert "<title>Two &lt;runs&gt;</title>" in text


@pytest.mark.parametrize("form", list(ReportFormat))
def test_a_report_without_runs_or_predictions_can_be_written(form: ReportFormat) -> None:
    assert report([("empty", card())], form, title="T")


def test_every_table_has_as_many_cells_as_columns() -> None:
    both = [("m-c2", mixed_card(0, protocol=Protocol.C2)), ("m-c3", mixed_card(1, protocol=Protocol.C3))]
    for table in report_tables(both):
        assert {len(row) for row in table.rows} == {len(table.columns)}, table.title


def run_of(name: str, pattern: str, **known: object) -> tuple[str, Scorecard]:
    """A run whose tasks are right where the pattern has a `+`, with the card of its model."""
    tasks = [scored(number, case=f"c-{number}", right=sign == "+") for number, sign in enumerate(pattern)]
    model_card = ModelCard.model_validate({"model": name, **known}) if known else None
    return name, card(*tasks, name=name).model_copy(update={"model_card": model_card})


GROUPED = [
    run_of("large", "+++-", kind="open", size=72, guessed=("size",)),
    run_of("o", "++--", kind="closed"),
    run_of("small", "+---", kind="open", size=8),
    run_of("middle", "++--", kind="open", size=32),
    run_of("older", "----"),
]


def test_runs_stand_in_groups_each_with_its_mean_and_its_best_two() -> None:
    table = table_of(report_tables(GROUPED, by=[Grouping.KIND], order="task_accuracy"), "Accuracy")
    # Open: (75 + 50 + 25) / 3; all five: (75 + 50 + 50 + 25 + 0) / 5.
    place = table.columns.index("task")
    found = zip(table.groups, table.rows, table.marks, strict=True)
    assert [(group, row[0], row[place].split()[0], marks[place - 1]) for group, row, marks in found] == [
        ("closed", "o", "50.00", 0),
        ("open", "large", "75.00", 1),
        ("open", "middle", "50.00", 2),
        ("open", "small", "25.00", 0),
        ("open", "mean of 3, open", "50.00", 0),
        ("kind unknown", "older", "0.00", 0),
        ("", "mean of 5", "40.00", 0),
    ]


def test_a_mean_says_of_how_many_runs_it_is_where_some_lack_the_figure() -> None:
    def with_multi(name: str, right: bool) -> tuple[str, Scorecard]:
        serial = scored(0, policy=Policy.MULTI_SERIAL, right=right, done=1, steps=4)
        model_card = ModelCard.model_validate({"model": name, "kind": "open"})
        return name, card(serial, name=name).model_copy(update={"model_card": model_card})

    runs = [with_multi("a", True), with_multi("b", False), *GROUPED[:3]]
    table = table_of(report_tables(runs, by=[Grouping.KIND]), "Accuracy")
    # Progress 4/4 and 1/4; large and small, of the same kind, and the closed one have no serial task.
    assert row_of(table, "mean of 4, open")["progress"] == "62.50 (mean of 2)"
    assert row_of(table, "mean of 5")["progress"] == "62.50 (mean of 2)"
    assert row_of(table, "mean of 5")["task"] == "50.00"  # (100 + 0 + 75 + 50 + 25) / 5


def test_equal_figures_share_their_mark_and_their_rank() -> None:
    table = table_of(report_tables(GROUPED), "Accuracy")
    marks = dict(zip((row[0] for row in table.rows), table.marks, strict=True))
    assert [marks[name][0] for name in ("large", "o", "middle", "small", "mean of 5")] == [1, 2, 2, 0, 0]
    assert [row_of(table, name)["rank"] for name, _ in GROUPED] == ["1", "2", "4", "2", "5"]
    assert row_of(table, "large")["rank by multi"] == "–"  # nobody was asked such a task
    assert table.groups == ()


def test_what_is_better_when_lower_or_neither_is_marked_so() -> None:
    slow, quick = (
        one.model_copy(update={"measures": {"tokens_per_task": {"read": Number(value=value, of=1)}}})
        for one, value in ((GROUPED[0][1].summary, 9.0), (GROUPED[1][1].summary, 3.0))
    )
    runs = [
        (name, one.model_copy(update={"summary": summary}))
        for (name, one), summary in zip(GROUPED[:2], (slow, quick), strict=True)
    ]
    tables = report_tables(runs)
    assert [marks[0] for marks in table_of(tables, "Tokens per task").marks] == [2, 1, 0]
    assert {mark for marks in table_of(tables, "Error classes of").marks for mark in marks} == {0}


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: next(iter(rules)))
def test_nothing_is_marked_or_ranked_across_rules(rules: dict[str, object]) -> None:
    first, second = GROUPED[0][1], under(rules, GROUPED[1][1])
    for table in report_tables(named([first, second]), by=[Grouping.KIND]):
        assert {mark for marks in table.marks for mark in marks} <= {0}
        assert "rank" not in table.columns


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("", ["large", "o", "small", "middle", "older"]),
        ("name", ["large", "middle", "o", "older", "small"]),
        ("size", ["large", "middle", "small", "o", "older"]),
        ("task_accuracy", ["large", "o", "middle", "small", "older"]),
    ],
)
def test_runs_are_sorted_by_name_size_or_a_figure(order: str, names: list[str]) -> None:
    table = table_of(report_tables(GROUPED, order=order), "Accuracy")
    assert [row[0] for row in table.rows][:-1] == names


def test_dollars_and_seconds_of_a_task_stand_in_a_table_of_their_own() -> None:
    name, bare = run_of("a", "++--", prompt_price=2, completion_price=10)
    priced = spent(bare, read=1000, written=50)
    replies = ReplyTotals(replies=8, timed=4, latency_seconds=6.0)
    timed = priced.model_copy(update={"summary": priced.summary.model_copy(update={"replies": replies})})
    other = run_of("b", "++--")
    table = table_of(report_tables([(name, timed), other]), "Dollars and seconds")
    # 1,000 · $2 and 50 · $10 a million; four replies took 1.5 s each, eight for four tasks take 3 s a task.
    assert list(row_of(table, "a").values())[1:] == ["0.0025", "3.0000"]
    assert list(row_of(table, "b").values())[1:] == ["–", "–"]
    assert not [one for one in report_tables([other]) if one.title.startswith("Dollars")]


def test_the_time_to_the_first_token_says_of_how_many_tasks_where_some_have_none() -> None:
    def first_token(run: str, value: float, of: int) -> tuple[str, Scorecard]:
        name, one = run_of(run, "++--")
        said = {"first_token_seconds": {"mean": Number(value=value, of=of)}}
        summary = one.summary.model_copy(update={"measures": said})
        return name, one.model_copy(update={"summary": summary.model_copy(update={"predictions": 4})})

    runs = [first_token("a", 0.25, 4), first_token("b", 0.75, 3), run_of("c", "++--")]
    table = table_of(report_tables(runs), "Dollars and seconds")
    column = table.columns.index("seconds to the first token")
    # (0.25 + 0.75) / 2: the third run says nothing, and nothing is taken for it.
    assert [row[column] for row in table.rows] == ["0.2500", "0.7500 (mean of 3)", "–", "0.5000 (mean of 2)"]
    assert table.marks[0][column - 1] == 1
    assert any("whose reply came as a stream" in note for note in table.notes)
    assert "first token" not in " ".join(table_of(report_tables([run_of("c", "++--")]), "Accuracy").notes)
    csv = report(runs, ReportFormat.CSV, title="Runs").decode()
    latex = report(runs, ReportFormat.LATEX, title="Runs").decode()
    assert "seconds to the first token" in csv
    assert "0.7500 (mean of 3)" in latex


def test_many_models_are_described_once_and_several_runs_of_one_are_named() -> None:
    runs = [run_of(f"m{n}", "++--", size=n + 1) for n in range(9)]
    notes = table_of(report_tables(runs), "Accuracy by policy").notes
    assert "What is known of the models stands in the table Models." in notes
    assert not [note for note in notes if note.startswith("m0: ")]
    assert not [note for note in notes if "weighs the same" in note]
    first = runs[0][1]
    again = named([first, first.model_copy(update={"predictions_sha256": "ef" * 32}), runs[1][1]])
    assert "Each run weighs the same in means and effects, also several of one model: m0: 2 runs." in (
        table_of(report_tables(again), "Accuracy by policy").notes
    )


def test_a_card_that_says_nothing_has_no_note_of_its_own() -> None:
    runs = [run_of("bare", "++--"), run_of("plain", "++--")]
    empty = [(name, one.model_copy(update={"model_card": ModelCard(model=name)})) for name, one in runs]
    table = table_of(report_tables([run_of("large", "++--", size=72), empty[0]]), "Accuracy")
    assert table.notes[-2:] == ("large: 72 B", "No model card, or nothing on it: bare")
    for form in (ReportFormat.LATEX, ReportFormat.MARKDOWN):
        text = report(empty, form, title="Runs").decode()
        assert not re.search(r"(bare|plain): ?\}?$", text, re.MULTILINE)


def test_every_table_says_what_is_known_of_the_models() -> None:
    tables = report_tables(GROUPED)
    notes = table_of(tables, "Accuracy by policy").notes
    assert "large: 72 B (guessed) · open" in notes
    assert notes[-1] == "No model card, or nothing on it: older"
    assert row_of(table_of(tables, "Models"), "small") == {"run": "small", "size": "8 B", "kind": "open"}
    # Runs of older files say nothing, and nothing is said of them.
    older = report_tables(CARDS)
    said = {note for table in older if "Effects" not in table.title for note in table.notes}
    assert said == {"–: there is nothing of that kind to measure; it is not 0."}
    assert "Models" not in [table.title for table in older]


def test_groups_marks_and_notes_are_written_in_every_form() -> None:
    odd = [run_of(ODD, "++--", kind="open", maker="R&D <50%> | lab_1"), run_of("b", "+---", kind="open")]
    said = {form: text_of(report(odd, form, title="T", by=[Grouping.KIND])) for form in ReportFormat}
    markdown, latex, page = (said[f] for f in (ReportFormat.MARKDOWN, ReportFormat.LATEX, ReportFormat.HTML))
    assert "| **open** |" in markdown
    assert "| **50.00 (2/4)** |" in markdown
    assert "| *25.00 (1/4)* |" in markdown
    assert r"R&D \<50%\> \| lab_1 · open" in markdown
    assert r"}{l}{\textit{open}} \\" in latex
    assert r"\textbf{50.00} & " in latex
    assert r"\underline{25.00}" in latex
    assert r"R\&D \textless{}50\%\textgreater{} \textbar{} lab\_1 · open\par}" in latex
    assert [latex.count(f"\\{rule}rule") for rule in ("top", "bottom")] == [latex.count("{tabular}") // 2] * 2
    assert '<td class="best">50.00 (2/4)</td>' in page
    assert '<td class="second">25.00 (1/4)</td>' in page
    assert "R&amp;D &lt;50%&gt; | lab_1 · open</p>" in page
    assert "R&D <50%> | lab_1 · open" in said[ReportFormat.XLSX]


def sheets_of(written: bytes) -> dict[str, str]:
    """The sheets of a workbook by name, each as XML."""
    with zipfile.ZipFile(io.BytesIO(written)) as book:
        names = re.findall(r'<sheet name="([^"]+)"', book.read("xl/workbook.xml").decode())
        return {
            html.unescape(name): book.read(f"xl/worksheets/sheet{number}.xml").decode()
            for number, name in enumerate(names, start=1)
        }


def test_a_workbook_has_numbers_that_can_be_calculated_with_and_no_formula() -> None:
    runs = [run_of("=1+1", "++-"), run_of("b", "---")]
    written = report(runs, ReportFormat.XLSX, title="T")
    sheets = sheets_of(written)
    assert "<f>" not in "".join(sheets.values())
    assert "=1+1" in text_of(written)
    [value] = re.findall(r'<c r="B4"[^>]*><v>([^<]+)</v>', sheets["Accuracy"])
    assert float(value) == pytest.approx(200 / 3)
    assert written == report(runs, ReportFormat.XLSX, title="T")


def test_sheets_have_names_a_workbook_takes_and_no_two_the_same() -> None:
    odd = "a [very] long/name: with?*marks and more"
    runs = named([one for _, one in (run_of(odd, "++-"), run_of(odd, "---"))])
    names = list(sheets_of(report(runs, ReportFormat.XLSX, title="T")))
    assert len({name.lower() for name in names}) == len(names) > 5
    assert [name for name in names if len(name) > 31 or set(name) & set("[]:*?/\\")] == []


def test_sheets_whose_titles_differ_in_case_only_are_numbered() -> None:
    tables = [ScoreTable(title=title, columns=("run",), rows=(("a",),)) for title in ("Rank", "rank", "RANK")]
    names = list(sheets_of(render(tables, ReportFormat.XLSX, title="T")))
    assert names == ["Rank", "rank (2)", "RANK (3)", "All figures"]


def test_effects_stand_in_a_table_with_pairs_found_by_the_cards_of_the_models() -> None:
    runs = [
        run_of("f-8", "++--", family="f", size=8, thinking="off"),
        run_of("f-8-slow", "+++-", family="f", size=8, thinking="on"),
        run_of("f-32", "+++-", family="f", size=32, thinking="off"),
        run_of("other", "----", family="g", thinking="on"),
        run_of("other-fast", "++++", family="g", thinking="off"),  # of unknown size: maybe another model
        run_of("nameless", "++++"),
    ]
    table = table_of(report_tables(runs), "Effects")
    points = {row[0]: row[1] for row in table.rows}
    # 3/4 - 2/4 over the same tasks; from 8 to 32 billion two doublings bring 1/4.
    assert points["Thinking: on − off"] == "+25.00"
    assert points["Size: one doubling within a family"] == "+12.50"
    sheet = sheets_of(report(runs, ReportFormat.XLSX, title="T"))["Effects in points"]
    line = 4 + [row[0] for row in table.rows].index("Thinking: on − off")
    # Points, models and tasks are numbers in the workbook: one pair, four tasks.
    assert [re.findall(rf'<c r="{place}{line}"[^>]*><v>([^<]+)</v>', sheet) for place in ("B", "D", "H")] == [
        ["25"],
        ["1"],
        ["4"],
    ]
    assert points["Interface: native calls − prompt protocol"].startswith(
        "undefined: no two runs of one model"
    )
    assert points["Dependencies: parallel − average of serial and mixed"] == (
        "undefined: no task of these kinds: parallel; serial; mixed"
    )
    assert not {"0.00", "+0.00"} & {cell for row in table.rows if "undefined" in row[1] for cell in row}
    assert any("resamples of whole dialogues" in note for note in table.notes)


def test_what_thinking_writes_more_is_said_in_tokens_without_an_interval() -> None:
    runs = [
        run_of(f"{family}-{thinking}", "++--", family=family, size=8, thinking=thinking)
        for family in "fgh"
        for thinking in ("off", "on")
    ]
    tokens = (100, 500, 100, 200, 100, None)  # for a task; the last does not say
    said = [(name, spent(one, written=count)) for (name, one), count in zip(runs, tokens, strict=True)]
    table = table_of(report_tables(said), "Effects")
    row = row_of(table, "Thinking: on − off, tokens written for a task")
    assert list(row.values())[1:6] == ["+250.0 tokens", "–", "2", "2/2", "+100.0 to +400.0"]
    assert (row["p"], row["p (Holm)"]) == ("–", "–")
    assert "Interface: native calls − prompt protocol, tokens written for a task" not in {
        row[0] for row in table.rows
    }


def test_pairs_under_one_setting_go_first_and_others_are_named() -> None:
    def run(name: str, pattern: str, thinking: str, **known: object) -> tuple[str, Scorecard]:
        return run_of(name, pattern, family="f", size=8, thinking=thinking, **known)

    runs = [
        run("warm", "++++", "off", temperature=0.6),
        run("cold", "+---", "off", temperature=0),
        run("slow", "++--", "on", temperature=0),
    ]
    table = table_of(report_tables(runs), "Effects")
    assert row_of(table, "Thinking: on − off")["points"] == "+25.00"  # 2/4 - 1/4, though warm stands first
    assert not [note for note in table.notes if "differ in settings or tasks" in note]
    table = table_of(report_tables([runs[0], run("bare", "++--", "on", max_tokens=512)]), "Effects")
    assert [note for note in table.notes if "differ in settings or tasks" in note] == [
        "Of 1 pair of “Thinking: on − off” 1 also differ in settings or tasks: the pair of bare and warm: "
        "temperature unknown against temperature 0.6; at most 512 tokens against max tokens unknown."
    ]


def test_a_pair_says_what_was_not_asked_and_is_one_of_whole_runs_where_there_are_any() -> None:
    def run(name: str, pattern: str, thinking: str) -> tuple[str, Scorecard]:
        """A run whose tasks with `?` were not asked."""
        _, one = run_of(name, pattern, family="f", size=8, thinking=thinking)
        tasks = [
            task.model_copy(update={"action_detail": ActionDetail.NO_PREDICTION}) if sign == "?" else task
            for task, sign in zip(one.tasks, pattern, strict=True)  # `?` is wrong, too
        ]
        return name, card(*tasks, name=name).model_copy(update={"model_card": one.model_card})

    first, second, slow = run("1", "++??", "off"), run("2", "??+-", "off"), run("slow", "++-+", "on")
    table = table_of(report_tables([first, slow]), "Effects")
    # Of the tasks that both were asked each gets both right; as wrong the others would give 3/4 - 2/4.
    assert row_of(table, "Thinking: on − off")["points"] == "+0.00"
    assert row_of(table, "Thinking: on − off")["tasks"] == "2"
    [note] = [note for note in table.notes if "differ in settings or tasks" in note]
    assert "the pair of slow and 1: 4 tasks against 2 tasks with a prediction and 2 with one in both." in note
    [note] = [note for note in table.notes if note.startswith("Tasks without a prediction")]
    assert note.endswith(": 1: 2 of 4")
    [both] = [one for one in comparison_tables([first, slow]) if one.title == "slow against 1"]
    assert ("right in both", "2") in both.rows
    assert ("without a prediction in one of them, excluded", "2") in both.rows
    # Each repetition is paired with the run that was asked every task, where there is one.
    whole = run("whole", "+---", "off")
    again = run("again", "++++", "on")
    table = table_of(report_tables([first, second, whole, slow, again]), "Effects")
    assert row_of(table, "Thinking: on − off")["points"] == "+62.50"  # (3/4 - 1/4 + 4/4 - 1/4) / 2
    assert not [note for note in table.notes if "differ in settings or tasks" in note]


def test_both_interfaces_of_one_model_are_a_pair() -> None:
    native, prompt = (
        run_of(name, pattern, interface=name)[1] for name, pattern in (("native", "++--"), ("prompt", "+---"))
    )
    runs = named(
        [
            one.model_copy(
                update={"model_card": ModelCard(model="m", interface=one.name), "name": f"m {one.name}"}
            )
            for one in (native, prompt)
        ]
    )
    table = table_of(report_tables(runs), "Effects")
    assert row_of(table, "Interface: native calls − prompt protocol")["points"] == "+25.00"


def test_the_effect_of_the_history_and_the_share_of_unsettled_models_pair_both_protocols() -> None:
    def tasks(pattern: str) -> list[TaskScore]:
        return [task for n in range(3) for task in rights(pattern, case=f"c-{n}")]

    runs = named(
        [
            card(*tasks("+++-"), name="m", protocol=Protocol.C2),
            card(*tasks("-+--"), name="m", protocol=Protocol.C3),
        ]
    )
    table = table_of(report_tables(runs), "Effects of the history")
    assert row_of(table, table.rows[0][0])["points"] == "+33.33"  # 2/3 - 1/3
    # Never lost and won back: DDD is undefined, nothing is decided, and no share is printed as 0.
    assert table.rows[1][1] == "undefined: no model has two DDD"


def test_thinking_changes_how_steeply_descent_rises() -> None:
    single, chat = Policy.SINGLE, Policy.CHAT

    def run(thinking: str, patterns: Sequence[str], protocol: Protocol) -> Scorecard:
        tasks = [
            task
            for n, pattern in enumerate(patterns)
            for task in rights(pattern, policies=(single, chat) if n > 3 else (single,), case=f"c-{n}")
        ]
        known = {"model": thinking, "family": "f", "size": 8, "thinking": thinking}
        found = card(*tasks, name=thinking, protocol=protocol)
        return found.model_copy(update={"model_card": ModelCard.model_validate(known)})

    # Second tasks, without and after one switch: right under both, lost, and won once each but for the
    # slow one after a switch, which loses one more and keeps one less.
    fast = [(Protocol.C2, ("++", "++", "+-", "+-") * 2), (Protocol.C3, ("++", "+-", "++", "+-") * 2)]
    slow = [
        (Protocol.C2, ("++", "++", "+-", "+-", "++", "++", "++", "+-")),
        (Protocol.C3, ("++", "+-", "++", "+-", "++", "+-", "+-", "++")),
    ]
    cards = named(
        [run(name, pattern, one) for name, both in (("off", fast), ("on", slow)) for one, pattern in both]
    )
    table = table_of(report_tables(cards), "Effects of the history")
    # DDD: fast 1/1 · 4/1 = 4 and 4; slow 4 and 2/1 · 4/1 = 8: slopes 0 and 4.
    row = row_of(table, "Thinking: on − off, slope of DDD")
    assert list(row.values())[1:6] == ["+4.00 a switch", "–", "1", "1/1", "+4.00 to +4.00"]
    assert any("least squares" in note for note in table.notes)


def test_habits_are_errors_by_what_the_task_before_asked_for() -> None:
    single, parallel, chat = Policy.SINGLE, Policy.MULTI_PARALLEL, Policy.CHAT
    run = card(
        *rights("+-+-", policies=(parallel, single, single, chat), case="a"),
        *rights("+-++", policies=(chat, chat, single, chat), case="b"),
    )
    row = row_of(table_of(report_tables([("m", run)]), "Wrong tasks by"), "m")
    assert row == {
        "run": "m",
        "no call due first, after calls": "50.00 (1/2)",  # the last of a is wrong, that of b right
        "no call due first, after none": "100.00 (1/1)",
        "one call due, after parallel": "100.00 (1/1)",
        "one call due, after others": "0.00 (0/2)",
    }


def test_profiles_set_refusals_against_wrong_names() -> None:
    refusal, name, value = WildtoolMistake.REFUSAL, WildtoolMistake.WRONG_NAME, WildtoolMistake.PARAM_VALUE
    tasks = [scored(n, right=False, error=error) for n, error in enumerate((refusal, refusal, name, value))]
    row = row_of(table_of(report_tables([("m", card(*tasks))]), "Refusals and"), "m")
    assert list(row.values())[1:] == ["50.00 (2/4)", "25.00 (1/4)", "25.00"]
    none = row_of(table_of(report_tables([("m", card(*rights("++")))]), "Refusals and"), "m")
    assert list(none.values())[1:] == ["–", "–", "–"]  # nothing failed: undefined, not 0
