"""The page as people use it: by keys, on a real project."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QMenu, QPlainTextEdit, QPushButton

from annotator.cases.file_import import import_files
from annotator.drafts.problems import problems_of
from annotator.jobs import JobContext
from scoring.model.taxonomy import CheckAnswer, EdgeKind, Information, Policy, Stage
from tests.annotator.team import two_step_case
from tests.shared import ROOT, SHARED, needs_shared
from tests.ui.find import chip_of, figure_of, find
from tests.ui.workbench.driving import Bench, click, policy_of, stage_of
from ui.desk import case_actions
from ui.dialogue.places import SpanPick
from ui.graph.gestures import Mode
from ui.theme import Hint, ToolButton

SAMPLES = ROOT / "resources" / "samples" / "cases.jsonl"


def bring(bench: Bench, *files: Path) -> None:
    """Import files in the manager's name."""
    import_files(bench.team["max"], list(files), context=JobContext(), batch="07")


def settle_by_keys(bench: Bench) -> None:
    """Navigation from problem to problem and settle each, all by keys, until the case can be submitted."""
    for _ in range(200):
        if not bench.document.assessment.blockers:
            return
        if bench.problem is None:
            bench.press("F8")
        problem = bench.problem
        assert problem is not None
        if problem.kind == "evidence":
            lines = bench.document.assessment.lines_of(problem.task or 0, problem.step)
            inexact = bench.document.assessment.inexact_places
            proposed = [line.place for line in lines if line.citation is not None and not line.is_settled]
            is_exact = any(place not in inexact for place in proposed)
            bench.press("Shift+E" if is_exact else "A" if proposed else "W")
        elif problem.kind == "drawing":
            at = problem.task or 0
            offered = (*edge_kinds(bench, at), *bench.document.assessment.suggestions[at])
            bench.press("G" if offered else "U")
        elif problem.kind == "label":
            is_policy = policy_of(bench, problem.task or 0) is None
            bench.press(*(("Shift+P",) if is_policy else ("I", "2")))
        elif problem.kind == "checklist":
            bench.check_all(problem.task)
        elif problem.kind == "judgment":
            bench.press("T" if problem.step is None else "R")
        else:
            bench.press("W")
            bench.type("seen\r")
    raise AssertionError(f"left: {problems_of(bench.document.assessment)}")


def edge_kinds(bench: Bench, task: int) -> list[EdgeKind]:
    return [edge.kind for edge in bench.document.case.tasks[task].drawn_edges]


# from start to end


@pytest.mark.parametrize(
    ("source", "case_id"),
    [
        pytest.param(
            SHARED / "data" / "published_cases.jsonl", "wild_tool_bench_0", marks=needs_shared, id="published"
        ),
        pytest.param(SAMPLES, "sample-13-momo-at-the-vet", id="sample"),
    ],
)
def test_a_case_is_finished_by_keys_alone_in_few_strokes(bench: Bench, source: Path, case_id: str) -> None:
    bring(bench, source)
    bench.open(case_id)
    settle_by_keys(bench)
    bench.press("Ctrl+Return")
    bench.wait(lambda: bench.is_open(case_id) and bench.document.stage is Stage.SELF_CHECK_DIALOGUE)
    bench.check_all(None)
    bench.press("Ctrl+Return")
    bench.wait(lambda: stage_of(bench, case_id) is Stage.CROSS_CHECK)
    # Three minutes are 180 seconds: a stroke a second leaves a hundred of them to read.
    assert bench.key_count <= 80


@needs_shared
def test_the_third_task_of_the_published_dialogue_shows_the_figures_of_the_issue(bench: Bench) -> None:
    bring(bench, SHARED / "data" / "published_cases.jsonl")
    bench.open("wild_tool_bench_0")
    bench.press("Alt+3", "G")
    assert figures(bench) == ("3", "4", "Mixed", "as declared")
    bench.press("V", "0", "Shift+Down", "Delete")
    assert figures(bench)[:3] == ("19", "3", "Mixed")
    bench.press("Ctrl+Z")
    assert figures(bench)[:2] == ("3", "4")
    bench.press("V", "2", "D", "3")
    assert figures(bench)[:3] == ("1", "5", "Serial")
    assert bench.document.assessment.findings[-1].rule
    assert [f.proposal for f in bench.document.assessment.findings if f.rule == "policy.differs"] == [
        "multi_serial"
    ]
    bench.press("Esc", "Ctrl+Z")
    assert figures(bench)[:2] == ("3", "4")
    bench.press("Ctrl+Shift+Z")
    assert figures(bench)[:2] == ("1", "5")
    bench.press("Ctrl+Z")
    assert figures(bench) == ("3", "4", "Mixed", "as declared")
    settle_by_keys(bench)
    bench.press("Ctrl+Return")
    bench.wait(lambda: stage_of(bench, "wild_tool_bench_0") is Stage.SELF_CHECK_DIALOGUE)


def figures(bench: Bench) -> tuple[str, str, str, str]:
    card = bench.panels.graph.summary
    return figure_of(card.orders), figure_of(card.rounds), figure_of(card.policy), chip_of(card.policy)


# keys


def test_a_digit_chooses_in_the_list_of_policies(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("P", "1")
    assert policy_of(bench, 0) is Policy.SINGLE
    bench.press("G", "Shift+P")
    assert policy_of(bench, 0) is Policy.MULTI_SERIAL


def test_a_digit_chooses_in_the_list_of_information_types(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Alt+2", "I", "3")
    assert bench.document.case.tasks[1].information is Information.REFERENCE


def test_c_confirms_item_after_item_and_then_leads_to_the_next_task(bench: Bench) -> None:
    bench.open("c-1")
    left_to_people = [
        item for item in bench.document.assessment.items if item.task == 0 and item.proof is None
    ]
    bench.press(*["C"] * len(left_to_people))
    assert list(bench.document.judgment.tasks[0].checklist) == [item.id for item in left_to_people]
    assert set(bench.document.judgment.tasks[0].checklist.values()) == {CheckAnswer.PASS}
    assert bench.document.selection.task == 0
    bench.press("C")
    assert bench.document.selection.task == 1
    assert bench.document.judgment.tasks[1].checklist == {}


def test_e_accepts_the_step_and_shift_e_the_task(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("J", "E")
    assert [(c.task, c.step) for c in bench.document.judgment.evidence] == [(0, 0)]
    bench.press("Shift+E")
    assert [(c.task, c.step) for c in bench.document.judgment.evidence] == [(0, 0), (0, 1)]


def test_j_and_k_walk_through_the_steps_of_all_tasks(bench: Bench) -> None:
    bench.open("c-1")
    seen = []
    for _ in range(5):
        bench.press("J")
        seen.append((bench.document.selection.task, bench.document.selection.step))
    assert seen == [(0, 0), (0, 1), (0, 2), (1, None), (1, 0)]
    bench.press("K", "K")
    assert (bench.document.selection.task, bench.document.selection.step) == (0, 2)


def test_alt_and_a_number_select_a_task(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Alt+2")
    assert bench.document.selection.task == 1
    assert bench.panels.dialogue.view.open_task == 1
    bench.press("Alt+7")
    assert bench.document.selection.task == 1


def test_t_says_that_the_task_is_completed_and_takes_it_back(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("T")
    assert bench.document.judgment.tasks[0].completed is True
    bench.press("T")
    assert bench.document.judgment.tasks[0].completed is None
    bench.press("Shift+T")
    assert bench.document.judgment.tasks[0].completed is False


def test_a_finding_is_settled_with_f_or_waived_with_w_and_a_reason(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("G", "P", "1", "F")
    assert policy_of(bench, 0) is Policy.MULTI_SERIAL
    bench.press("P", "1", "W")
    bench.type("the depot is known\r")
    (waiver,) = bench.document.judgment.waivers
    assert (waiver.rule, waiver.reason) == ("policy.differs", "the depot is known")


def test_a_missing_answer_is_found_and_written_by_keys(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("G", "J", "J", "J", "Ctrl+Del", "F8", "Return")
    bench.type("It is on its way.")
    bench.press("Ctrl+Return")
    answer = bench.document.case.tasks[0].answer
    assert answer is not None
    assert answer.text == "It is on its way."


def test_no_two_commands_of_the_page_share_a_shortcut(bench: Bench) -> None:
    for command in bench.commands.all():
        assert bench.commands.conflicts(command.id, bench.commands.keys(command.id)) == ()


def test_letters_typed_into_a_text_are_a_text(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("F2")
    assert isinstance(bench.target, QPlainTextEdit)
    bench.press("Ctrl+A")
    bench.type("Just reroute P-881 N")
    bench.press("Ctrl+Return")
    assert bench.document.case.tasks[0].user == "Just reroute P-881 N"
    assert bench.is_open("c-1")
    assert bench.document.stack.count() == 1


def test_typing_a_request_is_one_step_of_undo(bench: Bench) -> None:
    bench.open("c-1")
    before = bench.document.case.tasks[0].user
    bench.press("F2", "End")
    bench.type(" Thanks!")
    bench.press("Ctrl+Return", "Ctrl+Z")
    assert bench.document.case.tasks[0].user == before


def test_a_call_is_inserted_and_deleted_again(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("J", "A")
    bench.wait(lambda: bench.target.objectName() == "tool-filter")
    bench.press("2")
    assert [step.kind for step in bench.document.case.tasks[0].steps] == ["call", "call", "call", "answer"]
    inserted = bench.document.case.tasks[0].steps[1]
    assert inserted.model_dump()["arguments"] == {"depot": None}
    bench.wait(lambda: QApplication.focusWidget() is not None)  # the picker gives the keys back
    bench.press("Esc", "Ctrl+Del")
    assert len(bench.document.case.tasks[0].steps) == 3


def test_the_menu_of_steps_offers_what_the_keys_do(bench: Bench) -> None:
    bench.open("c-1")
    click(find(bench.page, ToolButton, "steps-menu-button"))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    names = [action.text() for action in menu.actions() if action.text()]
    assert names[:2] == ["Insert a call", "Insert a question"]
    menu.close()


def test_suggested_dependencies_are_drawn_with_one_key(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("V", "Ctrl+A", "Delete")
    assert edge_kinds(bench, 0) == []
    assert len(bench.document.assessment.suggestions[0]) == 1
    bench.press("Esc", "G")
    assert edge_kinds(bench, 0) == [EdgeKind.PARAMETER]


def test_s_plays_the_task(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("G", "S")
    assert bench.panels.graph.view.mode is Mode.SIMULATE


# the side panel and the bar


def test_the_bar_says_what_is_left_and_why_submitting_waits(bench: Bench) -> None:
    bench.open("c-1")
    assert bench.chip_words() == (
        "2 tasks not drawn",
        "2 warnings, not blocking",
        "evidence 0 of 3",
        "8 to confirm",
    )
    button = find(bench.page, QPushButton, "workbench-submit")
    assert not button.isEnabled()
    assert "13 points to settle first" in button.toolTip()


def test_what_was_pointed_out_is_not_said_any_longer_once_it_is_done(bench: Bench) -> None:
    bench.open("c-1")
    bench.document.select(1)
    case_actions.set_policy(bench.document, None)
    bench.press("F8")
    while "choose the policy" not in bench.next_keys:
        bench.press("F8")
    bench.page.submit_bar.tell("Choose the policy first.")
    with bench.qtbot.waitSignal(bench.page.undo_changed) as told:
        case_actions.set_policy(bench.document, Policy.CLARIFY)
    assert (told.args, bench.page.submit_bar.note) == (["Ctrl Z undoes: label it Clarify"], "")
    assert "choose the policy" not in bench.next_keys


def test_a_cross_check_shows_the_checklist_of_the_task(bench: Bench) -> None:
    bench.team.bring(two_step_case("c-2"), batch="b2")
    bench.team.self_check("bob", "c-2")
    bench.open("c-2")
    bench.press("C")
    assert bench.panels.review.task_checklist.isVisible()
    assert bench.document.judgment.tasks[0].checklist == {"relevant": CheckAnswer.PASS}


def test_enter_on_the_focused_next_case_takes_it(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Ctrl+Shift+B")
    bench.wait(lambda: bench.target is bench.page.empty.next)
    bench.press("Return")
    bench.wait(lambda: bench.is_open("c-1"))


def test_a_value_clicked_in_the_dialogue_is_the_current_row_of_the_evidence(bench: Bench) -> None:
    bench.open("c-1")
    bench.panels.dialogue.view.value_clicked.emit(0, 1, "/depot")
    assert bench.panels.tabs.currentWidget() is bench.panels.evidence
    table = bench.panels.evidence.table
    assert bench.panels.evidence.model.line(table.currentIndex().row()) is not None
    assert bench.document.selection.path == "/depot"


def test_in_the_evidence_table_letters_mark_the_value_and_go_on(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("J", "Alt+E", "W")
    bench.press("D")
    assert [(c.step, c.source) for c in bench.document.judgment.evidence] == [
        (0, "world"),
        (1, "default"),
    ]


def test_a_value_is_derived_from_something_that_is_asked_for(bench: Bench) -> None:
    bench.open("c-1")
    table = bench.panels.evidence.table
    bench.press("J", "Alt+E", "R")
    bench.wait(lambda: bench.target.objectName() == "derived-from")
    bench.press("Esc")
    bench.wait(table.hasFocus)
    assert list(bench.document.judgment.evidence) == []
    bench.press("R")
    bench.wait(lambda: bench.target.objectName() == "derived-from")
    bench.press("Return")
    assert list(bench.document.judgment.evidence) == []  # nothing was said yet
    bench.type("the last digit")
    bench.press("Return")
    (said,) = bench.document.judgment.evidence
    assert (said.source, said.note) == ("derived", "the last digit")
    line = next(one for one in bench.document.assessment.evidence if one.place == (0, 0, said.path))
    assert line.origin == "derived: the last digit"
    now = bench.panels.evidence.current_line
    assert now is not None
    assert now.place != line.place


def test_a_text_selected_in_the_dialogue_is_offered_as_the_source(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("J", "Alt+E")
    bench.panels.dialogue.view.span_picked.emit(
        SpanPick(task=0, step=None, field="user", span=(15, 20), words="P-881")
    )
    offer = find(bench.panels.evidence, Hint, "evidence-offer")
    assert "“P-881”" in offer.words
    bench.press("Shift+C")
    (citation,) = bench.document.judgment.evidence
    assert citation.path == "/number"
    assert citation.source.model_dump()["span"] == (15, 20)  # type: ignore[union-attr]


def test_a_comment_is_sent_with_ctrl_enter_and_counted(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Alt+M")
    bench.type("Is the depot real?")
    bench.press("Ctrl+Return")
    bench.wait(lambda: bench.panels.tabs.tabText(3) == "Comments 1")
    assert bench.is_open("c-1")


def test_the_first_revision_says_who_imported_it(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Alt+H")
    bench.wait(lambda: bench.panels.history.timeline.count() == 1)


def test_a_click_says_that_the_task_is_completed(bench: Bench) -> None:
    bench.open("c-1")
    bench.document.select(0)
    click(bench.panels.review.labels.completed.yes)
    assert bench.document.judgment.tasks[0].completed is True
