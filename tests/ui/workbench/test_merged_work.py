"""Two people change one case: what each did is there, a sentence says so, and nothing goes unseen."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest
import shiboken6
from PySide6.QtWidgets import QListWidget, QPushButton
from pytestqt.qtbot import QtBot

from annotator.cases.access import show_case
from annotator.cases.edits.edge_edits import set_edge_kind
from annotator.cases.edits.step_edits import delete_step, insert_step
from annotator.cases.edits.text_edits import set_answer_text, set_user_text
from annotator.cases.history import replace_content
from annotator.drafts.carry_over import gone_words
from annotator.drafts.merged_work import merge_work, merged_words, settled, who
from annotator.drafts.snapshot import Snapshot, opening_snapshot
from annotator.drafts.statements import cite, set_task_check
from annotator.review.drafts import open_assignment
from annotator.review.queue.claims import claim_case
from scoring.model.case import Case
from scoring.model.taxonomy import CheckAnswer, EdgeKind, Stage
from tests.annotator.drafts.cases import judgment_of, mark, parcel_case
from tests.annotator.team import Team
from tests.factories import ask
from tests.ui.find import find
from tests.ui.workbench.driving import Bench, click
from ui.desk.tabs.findings_section import ClashRow
from ui.services.operations import Operations
from ui.theme import Hint

Change = Callable[[Case], Case]


def shot(case: Case) -> Snapshot:
    return opening_snapshot(case, judgment_of(case))


# the values


def test_what_was_confirmed_about_a_task_they_changed_is_open_again_and_the_rest_stays(parcel: Case) -> None:
    judgment = judgment_of(parcel)
    for task in (0, 1):
        judgment = set_task_check(judgment, task, item="facts", answer=CheckAnswer.PASS)
    theirs = shot(set_user_text(parcel, 1, text="Theirs."))
    merged = merge_work(parcel, opening_snapshot(parcel, judgment), theirs)
    assert merged.work.case.tasks[1].user == "Theirs."
    assert [dict(said.checklist) for said in merged.work.judgment.tasks] == [
        {"facts": CheckAnswer.PASS},
        {},
    ]
    assert (merged.tasks, merged.reopened) == ((1,), (1,))


def test_citations_follow_the_steps_they_inserted(parcel: Case) -> None:
    mine = opening_snapshot(parcel, cite(judgment_of(parcel), [mark(0, 1, "/depot")]))
    theirs = shot(insert_step(parcel, 0, index=0, step=ask("Which parcel?", "P-881")))
    work = merge_work(parcel, mine, theirs).work
    assert [(c.task, c.step, c.path, c.accepted) for c in work.judgment.evidence] == [(0, 2, "/depot", True)]


def test_work_on_a_case_nobody_changed_is_as_it_was(parcel: Case) -> None:
    mine = shot(set_user_text(parcel, 0, text="Mine."))
    assert merge_work(parcel, mine, shot(parcel)).work is mine


def test_a_later_change_of_a_clashing_place_takes_the_place_of_the_earlier_one(parcel: Case) -> None:
    mine, first, second = (set_user_text(parcel, 0, text=text) for text in ("Mine.", "One.", "Two."))
    work = merge_work(parcel, shot(mine), shot(first)).work
    again = merge_work(first, work, shot(second)).work
    (clash,) = again.clashes
    assert clash.theirs is not None
    assert clash.theirs.value == "Two."
    kept = merge_work(first, work, shot(set_answer_text(first, 1, text="Else."))).work
    assert kept.clashes == work.clashes


@pytest.mark.parametrize(("side", "text"), [("mine", "Mine."), ("theirs", "Theirs.")])
def test_a_clash_is_settled_for_either_side(parcel: Case, side: str, text: str) -> None:
    mine, theirs = set_user_text(parcel, 0, text="Mine."), set_user_text(parcel, 0, text="Theirs.")
    work = merge_work(parcel, shot(mine), shot(theirs)).work
    after = settled(work, work.clashes[0], "mine" if side == "mine" else "theirs")
    assert (after.case.tasks[0].user, after.clashes) == (text, ())


def test_the_sentence_says_what_came_from_whom_and_what_is_left(parcel: Case) -> None:
    mine = set_answer_text(set_user_text(parcel, 0, text="Mine."), 0, text="Mine, too.")
    theirs = set_user_text(set_user_text(parcel, 0, text="Theirs."), 1, text="Theirs, too.")
    merged = merge_work(parcel, shot(mine), shot(theirs))
    assert merged_words(merged, by=("max",), person="ann") == (
        "max changed 2 texts and values meanwhile: what only they changed is in (task 2). "
        "From you: 2 texts and values. "
        "1 place that both changed waits for your choice (F8)."
    )


@pytest.mark.usefixtures("said_in_chinese")
def test_the_sentence_is_said_whole_in_chinese(parcel: Case) -> None:
    mine = shot(set_user_text(parcel, 0, text="Mine."))
    clash = merge_work(parcel, mine, shot(set_user_text(parcel, 0, text="Theirs.")))
    apart = merge_work(parcel, mine, shot(set_user_text(parcel, 1, text="Theirs.")))
    assert merged_words(clash, by=("ann", "max"), person="ann") == (
        "你 和 max 在此期间更改了 1 处文本或值：只有对方更改之处已合入。"
        "你的更改：1 处文本或值。有 1 处双方都更改过，等你选择 (F8)。"
    )
    assert merged_words(apart, by=(), person="ann") == (
        "某人 在此期间更改了 1 处文本或值（任务 2）：已合入。你的更改：1 处文本或值。"
    )


@pytest.mark.usefixtures("said_in_chinese")
def test_what_is_gone_is_named_in_chinese(parcel: Case) -> None:
    mine = Snapshot(parcel, cite(judgment_of(parcel), [mark(0, 1, "/depot")]))
    gone = merge_work(parcel, mine, shot(delete_step(parcel, 0, step=1))).gone
    assert gone
    assert gone_words(gone).startswith("任务 1，步骤 1 (reroute)：depot 的来源")


@pytest.mark.parametrize(
    ("by", "words"),
    [((), "Somebody"), (("ann",), "You"), (("max",), "max"), (("max", "ann", "eve"), "max, you and eve")],
)
def test_who_changed_it_is_named(by: tuple[str, ...], words: str) -> None:
    assert who(by, "ann") == words


# the window


def change(bench: Bench, edit: Change) -> None:
    """Change the case in the manager's name, as `annotator case put` does in another process."""
    changed = edit(show_case(bench.team["max"], "c-1"))
    replace_content(bench.team["max"], "c-1", case=changed, reason="said otherwise")


def write(bench: Bench, edit: Change) -> None:
    """Edit the open case and wait for the draft."""
    bench.document.edit_case("write", edit)
    bench.wait(bench.is_saved)


def open_as_it_is(bench: Bench) -> None:
    button = find(bench.page, QPushButton, "error-action")
    assert button.accessibleName() == "Open it as it is now (Ctrl ⇧ M)"
    bench.press("Ctrl+Shift+M")


theirs_elsewhere = partial(set_user_text, task=1, text="And now to Gjovik.")
mine_elsewhere = partial(set_answer_text, task=0, text="Mine.")


def test_a_change_elsewhere_in_the_case_is_taken_and_one_undo_shows_the_case_without_my_work(
    bench: Bench,
) -> None:
    bench.open("c-1")
    write(bench, mine_elsewhere)
    change(bench, theirs_elsewhere)
    bench.page.open_work.look_again()
    bench.wait(lambda: "max changed c-1 while you work on it" in bench.page.banner.words)
    bench.page.clock.start(100)
    open_as_it_is(bench)
    bench.wait(lambda: "was merged with" in bench.page.banner.words)
    assert bench.document.seconds >= 100
    assert "max changed 1 text or value in task 2 meanwhile: that is in." in bench.page.banner.words
    assert bench.document.case == theirs_elsewhere(mine_elsewhere(parcel_case()))
    bench.press("Ctrl+Z")
    assert bench.document.case == theirs_elsewhere(parcel_case())
    assert not bench.document.stack.canUndo()
    bench.press("Ctrl+Shift+Z")
    assert bench.document.case == theirs_elsewhere(mine_elsewhere(parcel_case()))


def clash(bench: Bench) -> None:
    """Have both sides change the first request, and open the case as it is then."""
    bench.open("c-1")
    write(bench, partial(set_user_text, task=0, text="Send P-881 on, please."))
    change(bench, partial(set_user_text, task=0, text="Send P-881 back."))
    bench.page.open_work.look_again()
    bench.wait(lambda: bool(bench.page.banner.words))
    open_as_it_is(bench)
    bench.wait(lambda: "1 place that both changed waits for your choice" in bench.page.banner.words)


def test_f8_goes_to_the_clash_first_and_f_takes_their_side_as_one_step_of_undo(bench: Bench) -> None:
    clash(bench)
    assert bench.document.case.tasks[0].user == "Send P-881 on, please."
    bench.press("Alt+2", "F8")
    assert bench.document.selection.task == 0
    assert "Task 1: the request, changed by both" in bench.next_keys
    bench.wait(lambda: find(bench.page, ClashRow, "clash").isVisible())  # the tab is laid out first
    bench.press("F")
    assert bench.document.case.tasks[0].user == "Send P-881 back."
    assert bench.document.snapshot.clashes == ()
    bench.press("Ctrl+Z")
    assert len(bench.document.snapshot.clashes) == 1
    bench.press("W")
    assert bench.document.case.tasks[0].user == "Send P-881 on, please."
    assert bench.document.snapshot.clashes == ()


def test_a_step_that_was_removed_under_a_dependency_of_mine_is_asked_about_and_what_i_said_is_named(
    bench: Bench,
) -> None:
    bench.open("c-1")
    bench.document.edit_judgment("cite", partial(cite, citations=[mark(1, 1, "/depot")]))
    write(bench, partial(set_edge_kind, task=0, source=0, target=1, kind=EdgeKind.PARAMETER))
    change(bench, lambda found: delete_step(delete_step(found, 0, step=1), 1, step=1))
    bench.page.open_work.look_again()
    bench.wait(lambda: bool(bench.page.banner.words))
    open_as_it_is(bench)
    bench.wait(lambda: "1 place that both changed waits for your choice" in bench.page.banner.words)
    assert "removed: task 2, step 1 (reroute): source of depot." in bench.page.banner.words
    row = find(bench.page, ClashRow, "clash")
    assert row.hint.words == "Task 1, step 1 (reroute) Theirs: removed. Yours: changed or connected."
    bench.press("F8", "F")
    assert [step.name for _, step in bench.document.case.tasks[0].calls] == ["findParcel"]


def test_nothing_is_submitted_or_given_up_over_a_clash(bench: Bench) -> None:
    clash(bench)
    for task in (0, 1):
        bench.press(f"Alt+{task + 1}", "Shift+E", "G")
        bench.check_all(task)
    assert "1 place changed by both" in bench.chip_words()
    assert not bench.page.submit_bar.submit.isEnabled()
    refused: list[str] = []
    bench.commands.refused.connect(lambda title, _: refused.append(title))
    bench.press("Ctrl+Shift+E")
    assert refused == ["Escalate to an expert"]
    bench.press("F8", "W", "Ctrl+Return")
    bench.wait(lambda: bench.team.stage("c-1") is Stage.SELF_CHECK_DIALOGUE)


def test_both_sides_stand_on_the_side_panel_with_a_button_each(bench: Bench) -> None:
    clash(bench)
    row = find(bench.page, ClashRow, "clash")
    assert row.hint.words == "Task 1: the request Theirs: Send P-881 back.. Yours: Send P-881 on, please.."
    click(find(row, QPushButton, "action-theirs"))
    assert bench.document.case.tasks[0].user == "Send P-881 back."


def test_a_restored_draft_of_an_earlier_state_keeps_what_changed_meanwhile_and_says_so(
    bench: Bench,
) -> None:
    bench.open("c-1")
    write(bench, mine_elsewhere)
    bench.page.open_work.close()
    change(bench, theirs_elsewhere)
    bench.open("c-1")
    assert bench.document.case == theirs_elsewhere(mine_elsewhere(parcel_case()))
    words = find(bench.page, Hint, "restored-note").words
    assert words.startswith("Restored your draft of")
    assert "max changed 1 text or value in task 2 meanwhile: that is in. From you: 1 text or value." in words
    bench.press("Ctrl+Z")
    assert bench.document.case == theirs_elsewhere(parcel_case())


def test_restored_work_brought_together_can_be_submitted_at_once(bench: Bench) -> None:
    bench.open("c-1")
    write(bench, mine_elsewhere)
    bench.page.open_work.close()
    change(bench, theirs_elsewhere)
    bench.open("c-1")
    for task in (0, 1):
        bench.press(f"Alt+{task + 1}", "Shift+E", "G")
        bench.check_all(task)
    bench.press("Ctrl+Return")
    bench.wait(lambda: bench.team.stage("c-1") is Stage.SELF_CHECK_DIALOGUE)
    kept = show_case(bench.team["max"], "c-1")
    assert (kept.tasks[0].answer, kept.tasks[1].user) == (
        mine_elsewhere(parcel_case()).tasks[0].answer,
        "And now to Gjovik.",
    )


def test_an_open_clash_is_there_again_when_the_case_is_opened_again(bench: Bench) -> None:
    clash(bench)
    bench.wait(bench.is_saved)
    before = bench.document.snapshot.clashes
    bench.page.open_work.close()
    bench.open("c-1")
    assert bench.document.snapshot.clashes == before
    assert "1 place changed by both" in bench.chip_words()


def test_a_draft_saved_over_a_case_that_moved_on_still_says_what_it_began_with(bench: Bench) -> None:
    bench.open("c-1")
    change(bench, theirs_elsewhere)
    write(bench, mine_elsewhere)
    bench.wait(lambda: "max changed c-1" in bench.page.banner.words)
    held = claim_case(bench.team["ann"], "c-1").value
    assert open_assignment(bench.team["ann"], held.id).draft_base == parcel_case()


def test_the_footer_does_not_say_saved_alone_while_the_case_is_another_one(bench: Bench) -> None:
    bench.open("c-1")
    change(bench, theirs_elsewhere)
    write(bench, mine_elsewhere)
    bench.wait(lambda: bench.save_words().endswith("but the case changed meanwhile"))
    write(bench, partial(set_answer_text, task=0, text="More."))
    assert bench.save_words().endswith("but the case changed meanwhile")


def test_a_banner_that_was_closed_comes_back_only_when_the_case_moves_on_again(bench: Bench) -> None:
    bench.open("c-1")
    change(bench, theirs_elsewhere)
    write(bench, mine_elsewhere)
    bench.wait(lambda: bool(bench.page.banner.words))
    bench.page.banner.dismiss()
    write(bench, partial(set_answer_text, task=0, text="More."))
    assert bench.page.banner.words == ""
    change(bench, partial(set_user_text, task=1, text="Elsewhere again."))
    write(bench, partial(set_answer_text, task=0, text="And more."))
    bench.wait(lambda: "max changed c-1" in bench.page.banner.words)


def test_the_history_says_which_revision_is_open_and_offers_no_newer_one(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Alt+H")
    change(bench, theirs_elsewhere)
    bench.page.open_work.look_again()
    timeline = find(bench.page, QListWidget, "revision-list")
    bench.wait(lambda: timeline.count() == 2)
    assert "not open here yet" in timeline.item(0).text()
    assert "open here" in timeline.item(1).text()
    restore = find(bench.page, QPushButton, "revision-restore")
    assert "newer than what you have open" in restore.toolTip()
    open_as_it_is(bench)
    bench.wait(lambda: timeline.count() == 2 and "open here" not in timeline.item(0).text())


# another window


@pytest.fixture
def managers(qtbot: QtBot, team: Team) -> Iterator[Operations]:
    """Another window's way to the project, in the manager's name."""
    found = Operations(retry_milliseconds=20)
    with qtbot.waitSignal(found.opened):
        found.open(team.url, "max")
    yield found
    found.close()
    shiboken6.delete(found)


def test_a_change_made_in_another_window_is_noticed_with_the_next_letter_that_is_saved(
    bench: Bench, managers: Operations
) -> None:
    bench.open("c-1")
    changed = theirs_elsewhere(parcel_case())
    with bench.qtbot.waitSignal(managers.changed):
        managers.run(partial(replace_content, case_id="c-1", case=changed, reason="said otherwise"))
    write(bench, mine_elsewhere)
    bench.wait(lambda: "max changed c-1 while you work on it" in bench.page.banner.words)
