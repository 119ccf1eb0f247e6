"""No step between two cases: submitting opens the next of the same kind, and can be undone from its bar."""

from datetime import UTC, datetime

from PySide6.QtWidgets import QPushButton

from annotator.review.measures.guideline_versions import unseen_changes
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.claims import claim_case
from db.engine import disposed, open_engine, writing
from db.read.queries import find_case
from db.write.messages import add_feedback
from scoring.model.taxonomy import Stage
from tests.annotator.drafts.cases import parcel_case
from tests.ui.find import find, said_in
from tests.ui.workbench.driving import Bench, click, stage_of
from ui.theme.dialogs import FormDialog


def bring_more(bench: Bench, *case_ids: str) -> None:
    """Import copies of the parcel case."""
    copies = [parcel_case().model_copy(update={"id": case_id}) for case_id in case_ids]
    bench.team.bring(*copies, batch="b2")


def tell(bench: Bench, case_id: str, *, note: str) -> None:
    """Tell ann in eve's name about a correction."""
    to, sender = bench.team["ann"].person.id, bench.team["eve"].person.id
    with disposed(open_engine(bench.team.url)) as engine, writing(engine) as tx:
        row = find_case(tx, case_id)
        assert row is not None
        add_feedback(
            tx, row.pk, to_id=to, from_id=sender, category="wrong_value", note=note, at=datetime.now(UTC)
        )


def escalate(bench: Bench) -> None:
    """Submit the open case in the shortest way."""
    bench.press("Ctrl+Shift+E")
    bench.give_reason("unclear")


def test_submitting_opens_the_next_case_of_the_same_kind(bench: Bench) -> None:
    bring_more(bench, "c-2")
    bench.open("c-1")
    escalate(bench)
    bench.wait(lambda: bench.is_open("c-2"))
    assert bench.document.stage is Stage.SELF_CHECK_TASK
    assert bench.page.submit_bar.note.startswith("Submitted, now at: escalated. ")
    assert "takes c-1 back" in bench.page.submit_bar.note
    assert bench.panels.isEnabled()


def test_feedback_nobody_has_read_comes_before_the_next_case_of_the_kind(bench: Bench) -> None:
    bring_more(bench, "c-2", "c-3")
    bench.team.self_check("bob", "c-3")
    bench.open("c-1")
    tell(bench, "c-3", note="The date was the 14th.")
    escalate(bench)
    bench.wait(
        lambda: "1 correction of your work" in said_in(bench.page.empty, "between-title", "between-text")
    )
    assert "c-3, eve: wrong value: The date was the 14th." in said_in(
        bench.page.empty, "between-title", "between-text"
    )
    assert bench.page.open_work.document is None
    bench.press("Return")
    bench.wait(lambda: bench.is_open("c-2"))
    escalate(bench)
    bench.wait(
        lambda: "Submitted" in said_in(bench.page.empty, "between-title", "between-text")
    )  # what was read is not shown again


def test_a_change_of_the_guidelines_is_shown_before_the_next_case_of_the_kind(bench: Bench) -> None:
    bring_more(bench, "c-2")
    bench.open("c-1")
    change_review_policy(bench.team["max"], ("guidelines=policy.single: One call.",))
    escalate(bench)
    bench.wait(lambda: bench.page.findChild(FormDialog, "news-dialog") is not None)
    assert "Submitted" in said_in(bench.page.empty, "between-title", "between-text")
    find(bench.page, FormDialog, "news-dialog").reject()
    bench.wait(lambda: bench.page.findChild(FormDialog, "news-dialog") is None)
    assert bench.page.empty.isVisible()
    assert bench.page.open_work.document is None
    bench.press("N")
    bench.wait(lambda: bench.page.findChild(FormDialog, "news-dialog") is not None)
    click(find(bench.page, QPushButton, "news-go"))
    bench.wait(lambda: bench.is_open("c-2"))
    assert unseen_changes(bench.team["ann"]) == ()


def test_next_case_shows_a_change_of_the_guidelines_first(bench: Bench) -> None:
    change_review_policy(bench.team["max"], ("guidelines=policy.single: One call.",))
    bench.page.next_case()
    bench.wait(lambda: bench.page.findChild(FormDialog, "news-dialog") is not None)
    assert bench.page.open_work.document is None
    click(find(bench.page, QPushButton, "news-go"))
    bench.wait(lambda: bench.is_open("c-1"))


def test_undo_submit_opens_the_case_before_again_and_keeps_what_was_begun(bench: Bench) -> None:
    bring_more(bench, "c-2")
    bench.open("c-1")
    bench.press("T")
    escalate(bench)
    bench.wait(lambda: bench.is_open("c-2"))
    bench.press("Shift+T")
    undo = find(bench.page, QPushButton, "workbench-withdraw")
    bench.wait(undo.isVisible)
    assert undo.accessibleName().startswith("Undo submit of c-1")
    click(undo)
    bench.wait(lambda: bench.is_open("c-1"))
    assert stage_of(bench, "c-1") is Stage.SELF_CHECK_TASK
    assert bench.document.judgment.tasks[0].completed is True
    bench.wait(lambda: not undo.isVisible())
    escalate(bench)
    bench.wait(lambda: bench.is_open("c-2"))
    assert bench.document.judgment.tasks[0].completed is False


def test_an_unsent_comment_stays_with_the_case_that_was_submitted(bench: Bench) -> None:
    bring_more(bench, "c-2")
    bench.open("c-1")
    bench.press("Alt+M")
    bench.type("Is this the parcel?")
    escalate(bench)
    bench.wait(lambda: bench.is_open("c-2"))
    field = bench.panels.comments.field
    assert field.toPlainText() == ""
    assert bench.page.unsaved_words() == "Your comment on c-1 has not been added yet."
    bench.press("Ctrl+Shift+U")
    bench.wait(lambda: bench.is_open("c-1"))
    assert field.toPlainText() == "Is this the parcel?"
    bench.wait(bench.is_saved)
    assert bench.page.unsaved_words() == ""


def test_a_comment_on_a_case_that_is_read_anew_is_still_in_its_field(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Alt+M")
    bench.type("Is this the parcel?")
    bench.page.open_work.open_again()
    bench.wait(lambda: bench.is_open("c-1"))
    assert bench.panels.comments.field.toPlainText() == "Is this the parcel?"


def test_undo_submit_goes_once_somebody_has_built_on_it(bench: Bench) -> None:
    bring_more(bench, "c-2")
    bench.open("c-1")
    escalate(bench)
    bench.wait(lambda: bench.is_open("c-2"))
    undo = find(bench.page, QPushButton, "workbench-withdraw")
    bench.wait(undo.isVisible)
    claim_case(bench.team["eve"], "c-1")
    bench.page.submission.look_again()
    bench.wait(lambda: not undo.isVisible())
    bench.press("Ctrl+Shift+U")
    assert bench.is_open("c-2")


def test_a_cross_check_is_followed_by_a_cross_check(bench: Bench) -> None:
    bring_more(bench, "c-2", "c-3")
    bench.team.self_check("bob", "c-1")
    bench.team.self_check("bob", "c-2")
    bench.open("c-1")
    assert bench.document.is_blind
    escalate(bench)
    bench.wait(lambda: bench.is_open("c-2"))
    assert bench.document.is_blind


def test_the_summary_page_is_the_end_of_the_kind(bench: Bench) -> None:
    bring_more(bench, "c-2", "c-3")
    bench.team.self_check("bob", "c-3")
    bench.open("c-1")
    escalate(bench)
    bench.wait(lambda: bench.is_open("c-2"))
    escalate(bench)
    bench.wait(
        lambda: (
            bench.page.open_work.document is None
            and "Submitted" in said_in(bench.page.empty, "between-title", "between-text")
        )
    )
    assert "2 cases submitted in this sitting, last c-2, c-1." in said_in(
        bench.page.empty, "between-title", "between-text"
    )
    bench.press("Return")
    bench.wait(lambda: bench.is_open("c-3"))
