"""The case that comes next is read ahead, and shown only where the claim brings that very case."""

from annotator.cases.history import replace_content, revision_case
from annotator.review.claiming import claim_case, leave
from tests.annotator.team import two_step_case
from tests.ui.workbench.driving import Bench


def case_ahead(bench: Bench) -> str | None:
    ready = bench.page.ahead.ready
    return ready.case_id if ready is not None else None


def take_next(bench: Bench, case_id: str) -> bool:
    """Press N; whether what was read ahead could be used."""
    bench.press("N")
    bench.wait(lambda: bench.is_open(case_id))
    assert bench.page.desk.loaded is not None
    return bench.page.desk.loaded.was_ahead


def bring_two(bench: Bench) -> None:
    bench.team.bring(two_step_case("c-2"), two_step_case("c-3"))


def test_while_one_works_the_next_case_is_read_and_not_claimed(bench: Bench) -> None:
    bring_two(bench)
    bench.open("c-1")
    bench.wait(lambda: case_ahead(bench) == "c-2")
    assert claim_case(bench.team["bob"], "c-2").value.person == "bob"


def test_the_case_that_was_read_ahead_is_used(bench: Bench) -> None:
    bench.wait(lambda: case_ahead(bench) == "c-1")
    assert take_next(bench, "c-1")
    assert bench.editor.transcript.task_chips == ("1 Serial", "2 Clarify")
    assert bench.document.stack.count() == 0


def test_a_case_somebody_else_took_meanwhile_is_not_shown(bench: Bench) -> None:
    bring_two(bench)
    bench.wait(lambda: case_ahead(bench) == "c-1")
    claim_case(bench.team["bob"], "c-1")
    assert not take_next(bench, "c-2")


def test_content_that_changed_meanwhile_is_read_again(bench: Bench) -> None:
    bench.wait(lambda: case_ahead(bench) == "c-1")
    held = claim_case(bench.team["bob"], "c-1").value
    leave(bench.team["bob"], held.id, skip=False)
    change_request(bench, "Send it home.")
    assert not take_next(bench, "c-1")
    assert bench.document.case.tasks[0].user == "Send it home."


def change_request(bench: Bench, text: str) -> None:
    shown = revision_case(bench.team["max"], "c-1", number=1)
    first = shown.tasks[0].model_copy(update={"user": text})
    changed = shown.model_copy(update={"tasks": (first, *shown.tasks[1:])})
    replace_content(bench.team["max"], "c-1", case=changed, reason="said otherwise")


def test_what_is_ready_out_of_sight_cannot_be_edited(bench: Bench) -> None:
    bench.wait(lambda: case_ahead(bench) == "c-1")
    bench.press("J", "E", "Ctrl+Z")
    assert bench.page.desk.document is None
