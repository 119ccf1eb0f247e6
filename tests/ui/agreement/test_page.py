"""The agreement page as an expert reads it: figures with what they rest on, and the cases behind them."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QPushButton, QTabBar
from pytestqt.qtbot import QtBot

from annotator.review.measures.accuracy_curve import AccuracyReading
from scoring.agreement.fields import AgreementMeasure
from scoring.agreement.rated_cases import RatedField
from tests.ui.agreement.conftest import Opener, is_quiet
from tests.ui.agreement.reading import line_of, table_of, tip_of, words_of
from tests.ui.find import find
from ui.agreement.page import AgreementPage
from ui.charts import CurveView
from ui.services.jobs import WindowJob
from ui.services.operations import Operations
from ui.theme.buttons import ChoiceChip


def _choose(qtbot: QtBot, page: AgreementPage, name: str, words: str, operations: Operations) -> None:
    chip = find(page, ChoiceChip, name)
    chip.open_menu()
    menu = find(chip, QMenu, f"menu-{name}")
    [action] = [action for action in menu.actions() if action.text() == words]
    action.trigger()
    menu.close()
    qtbot.waitUntil(lambda: is_quiet(operations))


def test_every_field_has_a_line_with_its_coefficients(page: AgreementPage) -> None:
    assert line_of(page, RatedField.POLICY) == [
        "Policy",
        "98.9 %",
        "0.99",
        "0.96 to 1.00",
        "59 of 59",
        "They agree: 1 of 59 differ.",
    ]
    assert len(table_of(page, "fields").rows) == 8


def test_an_undefined_coefficient_says_so_and_why(page: AgreementPage) -> None:
    line = line_of(page, RatedField.CALL)
    assert [line[2], line[3], line[5]] == [
        "undefined",
        "one label only",
        "Everybody says the same, 89 times.",
    ]
    reason = "Undefined: one label only: no disagreement to expect by chance."
    assert tip_of(page, RatedField.CALL, 2) == reason


def test_a_low_coefficient_beside_high_agreement_says_what_it_means(page: AgreementPage) -> None:
    # Of 59 tasks two have one rater of three who says no: alpha 0.33 beside 97.7 %.
    line = line_of(page, RatedField.COMPLETED)
    assert (line[1], line[2], line[5]) == ("97.7 %", "0.33", "Nearly always “yes”: 2 of 59 differ.")


def test_a_drawing_is_measured_by_f1(page: AgreementPage) -> None:
    line = line_of(page, RatedField.GRAPH)
    # 33 tasks with three drawings each make 99 pairs, of which 91 are the same
    assert line[1] == "F1 0.95"


def test_units_that_were_left_out_show_in_n_of_n(page: AgreementPage) -> None:
    assert line_of(page, RatedField.EDGE_KIND)[4] == "29 of 31"


def test_the_head_says_what_the_figures_rest_on(page: AgreementPage) -> None:
    assert words_of(page, "agreement-summary") == (
        "59 tasks in 16 cases · 3 raters · intervals 95 %, 1,000 resamples"
    )


def test_a_marked_field_lists_the_very_cases(page: AgreementPage) -> None:
    table_of(page, "fields").mark(RatedField.COMPLETED)
    assert words_of(page, "disagreement-words") == (
        "Task completed: 2 disagreements, most: no against yes (4 pairs of raters)"
    )
    assert [row.cells[0].text for row in table_of(page, "disagreements").rows] == [
        "sample-05-squealing-brakes",
        "sample-09-museum-sunday",
    ]


def test_a_field_without_disagreement_says_so(page: AgreementPage) -> None:
    table_of(page, "fields").mark(RatedField.CALL)
    assert words_of(page, "disagreement-words") == "Call correct: no disagreement"
    assert not table_of(page, "disagreements").isVisible()


def test_enter_goes_from_the_field_to_its_cases_and_from_there_to_the_case(
    qtbot: QtBot, page: AgreementPage
) -> None:
    fields, cases = table_of(page, "fields"), table_of(page, "disagreements")
    fields.setFocus()
    QTest.keyClick(fields, Qt.Key.Key_Return)
    assert cases.hasFocus()
    with qtbot.waitSignal(page.case_wanted) as asked:
        QTest.keyClick(cases, Qt.Key.Key_Return)
    assert asked.args == ["sample-08-back-to-the-cello"]


def test_o_opens_the_marked_case(qtbot: QtBot, page: AgreementPage) -> None:
    with qtbot.waitSignal(page.case_wanted):
        QTest.keyClick(page.window(), Qt.Key.Key_O)


def test_the_diagnosis_says_what_every_number_used_and_left_out(page: AgreementPage) -> None:
    find(page, QTabBar, "agreement-tabs").setCurrentIndex(1)
    rows = {tuple(cell.text for cell in row.cells[:2]): row.cells for row in table_of(page, "diagnosis").rows}
    cells = rows["Edge kind", "Krippendorff α"]
    assert (cells[2].text, cells[6].text, cells[7].text) == ("1.000", "29", "2")
    assert rows["Call correct", "Cohen κ"][8].text.startswith("one label only")


def test_pairs_show_alpha_and_leave_the_diagonal_empty(page: AgreementPage) -> None:
    texts = [[cell.text for cell in row.cells] for row in table_of(page, "pairs").rows]
    assert texts[0] == ["ann-1", "", "1.00", "0.98", ""]
    assert texts[2] == ["ann-3", "0.98", "0.98", "", ""]


def test_the_curve_shows_each_stage_with_its_interval(page: AgreementPage) -> None:
    points = find(page, CurveView, "stage-accuracy").points
    # 10, 13, 13, 15 and 16 of 16 cases.
    assert [point.value for point in points] == [0.625, 0.8125, 0.8125, 0.9375, 1.0]
    assert points[0].tip.startswith("Raw, as imported: 10 of 16 cases")
    # Wilson of 10 of 16.
    assert "\n95 % interval 38.6 to 81.5 %" in points[0].tip
    assert points[4].tip.endswith("100 % by construction")


def test_a_chosen_policy_measures_its_tasks_alone(
    qtbot: QtBot, page: AgreementPage, closed_operations: Operations
) -> None:
    _choose(qtbot, page, "agreement-policy", "Chat", closed_operations)
    assert words_of(page, "agreement-summary").startswith("7 tasks in 7 cases")


def test_a_pair_is_asked_about_by_naming_both(
    qtbot: QtBot, page: AgreementPage, closed_operations: Operations
) -> None:
    assert not find(page, ChoiceChip, "agreement-second").isVisible()
    _choose(qtbot, page, "agreement-person", "ann-2", closed_operations)
    _choose(qtbot, page, "agreement-second", "and ann-3", closed_operations)
    assert " · 2 raters · " in words_of(page, "agreement-summary")
    page.window().activateWindow()
    qtbot.waitUntil(page.window().isActiveWindow)
    QTest.keyClick(page.window(), Qt.Key.Key_X, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert " · 3 raters · " in words_of(page, "agreement-summary")


def test_an_opened_cell_of_the_matrix_shows_that_pair(
    qtbot: QtBot, page: AgreementPage, closed_operations: Operations
) -> None:
    pairs = table_of(page, "pairs")
    pairs.setCurrentIndex(pairs.model().index(2, 1))
    pairs.setFocus()
    QTest.keyClick(pairs, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert find(page, ChoiceChip, "agreement-person").text() == "ann-3"
    assert find(page, ChoiceChip, "agreement-second").text() == "and ann-1"
    assert " · 2 raters · " in words_of(page, "agreement-summary")


def test_pairs_of_drawings_have_precision_and_recall_that_mirror_each_other(page: AgreementPage) -> None:
    table_of(page, "fields").mark(RatedField.GRAPH)
    chip = find(page, ChoiceChip, "pair-measure")
    chip.open_menu()
    menu = find(chip, QMenu, "menu-pair-measure")
    assert [action.text() for action in menu.actions()] == [
        "Krippendorff α over sets",
        "F1",
        "Exact match",
        "Precision",
        "Recall",
    ]
    menu.actions()[3].trigger()
    precision = [[cell.text for cell in row.cells] for row in table_of(page, "pairs").rows]
    menu.actions()[4].trigger()
    recall = [[cell.text for cell in row.cells] for row in table_of(page, "pairs").rows]
    menu.close()
    assert precision[0][3] == recall[2][1]


def test_the_trend_by_week_opens_a_week_and_counts_its_units(
    qtbot: QtBot, page: AgreementPage, closed_operations: Operations
) -> None:
    QTest.keyClick(page.window(), Qt.Key.Key_T)
    trend = find(page, CurveView, "trend")
    [point] = trend.points
    assert point.note == "n 59"
    assert point.low is not None
    assert trend.hasFocus()
    QTest.keyClick(trend, Qt.Key.Key_Right)
    QTest.keyClick(trend, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert words_of(page, "agreement-summary").startswith("59 tasks in 16 cases")
    assert find(page, ChoiceChip, "agreement-week").value == point.name


def test_what_experts_kept_of_somebodys_labels_is_a_line_by_week(
    qtbot: QtBot, page: AgreementPage, closed_operations: Operations
) -> None:
    for _ in range(2):
        QTest.keyClick(page.window(), Qt.Key.Key_T)
    line = find(page, CurveView, "against-experts")
    [everybody] = line.points
    assert everybody.value is not None
    assert everybody.low is not None
    assert "stand as they were given" in everybody.tip
    total = int(everybody.note.split()[1].replace(",", ""))
    _choose(qtbot, page, "expert-person", "ann-2", closed_operations)
    [own] = line.points
    assert 0 < int(own.note.split()[1]) < total
    QTest.keyClick(line, Qt.Key.Key_Right)
    QTest.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert find(page, ChoiceChip, "agreement-week").value == own.name


def test_rounds_are_chosen_by_where_the_case_went(
    qtbot: QtBot, page: AgreementPage, closed_operations: Operations
) -> None:
    counts = []
    for words in ("Went to approved", "Went to escalated", "Went to returned"):
        _choose(qtbot, page, "agreement-stage", words, closed_operations)
        counts.append(int(words_of(page, "agreement-summary").split()[0]))
    assert all(counts)
    assert sum(counts) == 59


def test_stage_accuracy_is_compared_by_policy_line_by_line(
    qtbot: QtBot, page: AgreementPage, closed_operations: Operations
) -> None:
    _choose(qtbot, page, "accuracy-by", "By policy", closed_operations)
    table = table_of(page, "accuracy-lines")
    counts = {row.key: row.cells[-1].text for row in table.rows}
    assert counts["chat", AccuracyReading.UNCHANGED] == "7"  # final cases with a chat task
    table.mark(("chat", AccuracyReading.UNCHANGED))
    assert find(page, CurveView, "stage-accuracy").points[0].note == "n 7"
    _choose(qtbot, page, "accuracy-by", "Overall", closed_operations)
    assert find(page, CurveView, "stage-accuracy").points[0].value == 0.625


def test_both_readings_of_stage_accuracy_stand_one_below_the_other_with_a_sentence(
    qtbot: QtBot, page: AgreementPage, closed_operations: Operations
) -> None:
    table = table_of(page, "accuracy-lines")
    rows = [[cell.text for cell in row.cells] for row in table.rows]
    assert rows[0] == ["Unchanged since", "62.5 %", "81.2 %", "81.2 %", "93.8 %", "16"]
    assert rows[1] == ["Judged right", "50.0 %", "100.0 %", "100.0 %", "100.0 %", "2"]
    assert words_of(page, "accuracy-note").startswith("Unchanged since: of all final cases")
    table.mark(("", AccuracyReading.JUDGED))
    curve = find(page, CurveView, "stage-accuracy")
    assert [point.note for point in curve.points] == ["n 2"] * 4
    assert "left it as an expert holds them right\n95 % interval" in curve.points[3].tip
    cell = table.currentIndex().siblingAtColumn(4)
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(cell).center())
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert words_of(page, "disagreement-words") == "Cross-check, judged right: 2 of 2 cases right"


def test_where_no_expert_looked_the_cells_say_so_and_hold_no_figure(
    qtbot: QtBot, page: AgreementPage, closed_operations: Operations
) -> None:
    _choose(qtbot, page, "accuracy-by", "By policy", closed_operations)
    rows = {row.key: [cell.text for cell in row.cells] for row in table_of(page, "accuracy-lines").rows}
    assert rows["clarify", AccuracyReading.JUDGED][1:] == ["not judged"] * 4 + ["0"]


def test_a_clicked_point_of_the_curve_lists_its_cases_those_changed_later_first(
    qtbot: QtBot, page: AgreementPage, closed_operations: Operations
) -> None:
    curve = find(page, CurveView, "stage-accuracy")
    QTest.mouseClick(curve, Qt.MouseButton.LeftButton, pos=QPoint(80, curve.height() // 2))  # raw
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert words_of(page, "disagreement-words") == "Raw, as imported: 10 of 16 cases right"
    outcomes = [row.cells[1].text for row in table_of(page, "stage-cases").rows]
    assert outcomes == ["changed later"] * 6 + ["right"] * 10
    assert all(row.cells[2].text for row in table_of(page, "stage-cases").rows[:6])


def test_enter_goes_from_a_point_to_its_cases_and_from_there_to_the_case(
    qtbot: QtBot, page: AgreementPage, closed_operations: Operations
) -> None:
    curve, cases = find(page, CurveView, "stage-accuracy"), table_of(page, "stage-cases")
    curve.setFocus()
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Return):
        QTest.keyClick(curve, key)  # from the end: the expert, then the cross-check
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert words_of(page, "disagreement-words") == "Cross-check: 15 of 16 cases right"
    assert cases.hasFocus()
    with qtbot.waitSignal(page.case_wanted) as asked:
        QTest.keyClick(cases, Qt.Key.Key_Return)
    assert asked.args == [cases.rows[0].key]


def test_a_figure_of_a_line_lists_the_cases_of_that_line(
    qtbot: QtBot, page: AgreementPage, closed_operations: Operations
) -> None:
    _choose(qtbot, page, "accuracy-by", "By policy", closed_operations)
    lines = table_of(page, "accuracy-lines")
    lines.mark(("chat", AccuracyReading.UNCHANGED))
    chat = lines.currentIndex().siblingAtColumn(1)
    QTest.mouseClick(lines.viewport(), Qt.MouseButton.LeftButton, pos=lines.visualRect(chat).center())
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert len(table_of(page, "stage-cases").rows) == 7  # final cases with a chat task
    assert words_of(page, "disagreement-words").startswith("Raw, as imported, policy Chat: ")


def test_listed_cases_follow_the_chosen_slice(
    qtbot: QtBot, page: AgreementPage, closed_operations: Operations
) -> None:
    curve = find(page, CurveView, "stage-accuracy")
    QTest.mouseClick(curve, Qt.MouseButton.LeftButton, pos=QPoint(80, curve.height() // 2))
    _choose(qtbot, page, "agreement-policy", "Chat", closed_operations)
    assert len(table_of(page, "stage-cases").rows) == 7


def test_reviewers_open_the_cases_of_a_point_since_they_are_final(
    qtbot: QtBot, open_agreement: Opener, released_project: str, closed_operations: Operations
) -> None:
    page = open_agreement(released_project, "ann-2")
    curve = find(page, CurveView, "stage-accuracy")
    QTest.mouseClick(curve, Qt.MouseButton.LeftButton, pos=QPoint(80, curve.height() // 2))
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    assert len(table_of(page, "stage-cases").rows) == 16
    assert find(page, QPushButton, "agreement-open").isEnabled()


def test_without_a_chosen_point_the_tab_says_how_to_choose_one(page: AgreementPage) -> None:
    find(page, QTabBar, "agreement-tabs").setCurrentIndex(2)
    assert not table_of(page, "stage-cases").isVisible()
    assert find(page, QPushButton, "agreement-open").toolTip().startswith("No case is selected.")


def test_the_diagnosis_begins_with_the_rounds_and_opens_its_field(page: AgreementPage) -> None:
    QTest.keyClick(page.window(), Qt.Key.Key_D)
    table = table_of(page, "diagnosis")
    assert table.rows[0].cells[0].text == "Rounds"
    table.mark((RatedField.GRAPH, AgreementMeasure.F1))
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert table_of(page, "fields").marked_key is RatedField.GRAPH
    assert table_of(page, "disagreements").hasFocus()


def test_cancelled_intervals_leave_the_point_estimates_and_say_so(
    qtbot: QtBot, page: AgreementPage, closed_operations: Operations
) -> None:
    def cancel(job: WindowJob) -> None:
        if job.title.startswith("Draw intervals"):
            job.cancel()

    closed_operations.job_started.connect(cancel)
    closed_operations.reload()
    qtbot.waitUntil(lambda: is_quiet(closed_operations))
    closed_operations.job_started.disconnect(cancel)
    assert words_of(page, "agreement-summary").endswith("no intervals; press F5 to compute them")
    assert line_of(page, RatedField.POLICY)[2:4] == ["0.99", "–"]


def test_reviewers_compare_nobody_but_themselves(open_agreement: Opener, released_project: str) -> None:
    page = open_agreement(released_project, "ann-2")
    chip = find(page, ChoiceChip, "agreement-person")
    chip.open_menu()
    menu = find(chip, QMenu, "menu-agreement-person")
    assert [action.text() for action in menu.actions()] == ["Everybody", "ann-2"]
    menu.close()


def test_reviewers_see_the_figures_but_not_who_said_what(
    open_agreement: Opener, released_project: str
) -> None:
    page = open_agreement(released_project, "ann-2")
    assert line_of(page, RatedField.POLICY)[2] == "0.99"
    assert table_of(page, "disagreements").rows == ()
    assert "stay blind" in find(page, QPushButton, "agreement-open").toolTip()


def test_a_project_without_cross_checks_says_what_to_do(open_agreement: Opener, sample_project: str) -> None:
    page = open_agreement(sample_project, "expert-1")
    assert not table_of(page, "fields").isVisible()
    assert not find(page, QPushButton, "agreement-export").isEnabled()
