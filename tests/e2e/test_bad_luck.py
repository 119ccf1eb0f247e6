"""What goes wrong among people, met on the command line: it says what to do, and nothing is lost."""

import json
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest

from annotator.cases.access import show_case
from annotator.cases.edits.text_edits import set_user_text
from annotator.cases.history import put_case
from annotator.drafts.draft_body import DraftBody
from annotator.project.people import set_active
from annotator.project.workspace import utc_now
from annotator.review.drafts import open_assignment, save_draft
from annotator.review.expert.decisions import Decision
from annotator.review.queue.claims import claim_case
from scoring.model.case import dump_case
from scoring.model.taxonomy import Stage, Verdict
from tests.annotator.team import Team, approval, team_on, two_step_case
from tests.e2e.command import Ran
from ui.cli.main import exit_code


@pytest.fixture
def team(sqlite_path: Path, tmp_path: Path) -> Iterator[Team]:
    """A team with one case, by the same clock as the commands."""
    with team_on(str(sqlite_path), tmp_path) as found:
        found.clock.at = utc_now()
        found.bring(two_step_case())
        yield found


def run(team: Team, name: str, *arguments: object) -> Ran:
    """The command as `annotator` runs it, within this process."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = exit_code([*map(str, arguments), "-p", team.url, "--as", name])
    return Ran(code, out.getvalue(), err.getvalue())


def submitted(team: Team, name: str, assignment: int, *more: object) -> Ran:
    """`review submit` of an approval of the case as the manager sees it."""
    file = team.folder.parent / f"judgment-{assignment}.json"
    judgment = approval(show_case(team["max"], "c-1"))
    file.write_text(json.dumps(judgment.model_dump(mode="json", by_alias=True)))
    return run(team, name, "review", "submit", assignment, "--file", file, *more)


def refused(ran: Ran, *words: str) -> None:
    assert (ran.code, ran.out) == (1, "")
    assert "Traceback" not in ran.err
    for word in words:
        assert word in ran.err


def test_an_expert_who_owns_the_case_is_told_who_can_decide_it(team: Team) -> None:
    team.self_check("max", "c-1")
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1", verdict=Verdict.ESCALATE)
    refused(
        run(team, "max", "adjudicate", "c-1"),
        "You own this case",
        "An expert who had no part in it must decide it",
    )
    team.decide("c-1", Decision(verdict=Verdict.APPROVE))
    assert team.stage("c-1") is Stage.FINAL


def test_a_submission_sent_twice_counts_once(team: Team) -> None:
    held = claim_case(team["ann"], "c-1").value
    first = submitted(team, "ann", held.id, "--key", "once", "--json")
    second = submitted(team, "ann", held.id, "--key", "once", "--json")
    assert (first.code, second.code) == (0, 0)
    assert first.document == second.document
    assert team.stage("c-1") is Stage.CROSS_CHECK


def test_a_case_that_changed_meanwhile_is_not_overwritten(team: Team) -> None:
    held = claim_case(team["ann"], "c-1").value
    changed = set_user_text(show_case(team["max"], "c-1"), 0, text="Send parcel P-881 on, please.")
    file = team.folder.parent / "changed.json"
    file.write_text(json.dumps(dump_case(changed)))
    put_case(team["max"], "c-1", file=file, reason="clearer")
    refused(submitted(team, "ann", held.id), "c-1 changed since you opened it", "kept as a draft")
    assert show_case(team["max"], "c-1").tasks[0].user == "Send parcel P-881 on, please."


def test_who_lost_the_lease_is_told_and_keeps_the_work(team: Team) -> None:
    team.self_check("ann", "c-1")
    team.clock.at -= timedelta(hours=2)
    held = claim_case(team["bob"], "c-1").value
    shown = open_assignment(team["bob"], held.id)
    save_draft(team["bob"], held.id, body=DraftBody(case=shown.base, judgment=shown.template), sequence=0)
    team.clock.at = utc_now()
    claim_case(team["cleo"], "c-1")
    claim_case(team["dan"], "c-1")
    refused(submitted(team, "bob", held.id), "somebody else took the case", "kept as a draft")
    assert open_assignment(team["bob"], held.id).draft is not None


def test_somebody_disabled_in_the_middle_is_told_and_the_slot_is_free(team: Team) -> None:
    team.self_check("ann", "c-1")
    held = claim_case(team["bob"], "c-1").value
    set_active(team["max"], "bob", active=False)
    refused(submitted(team, "bob", held.id), "bob is disabled", "Ask a manager")
    for name in ("cleo", "dan"):
        team.cross_check(name, "c-1")
    assert team.stage("c-1") is Stage.EXPERT


def test_a_case_is_skipped_handed_back_and_given_to_somebody_else(team: Team) -> None:
    held = run(team, "ann", "review", "next", "--json").document["assignment"]
    refused(run(team, "ann", "review", "skip", held, "--reason", ""), "needs a reason")
    assert run(team, "ann", "review", "skip", held, "--reason", "too long for today").code == 0
    nothing = run(team, "ann", "review", "next", "--json").document
    assert nothing["assignment"] is None
    assert nothing["why"]
    taken = run(team, "bob", "review", "next", "--json").document["assignment"]
    assert run(team, "bob", "review", "hand-back", taken).out == "Handed back.\n"
    assert run(team, "max", "reassign", "c-1", "--to", "cleo").code == 0
    assert run(team, "cleo", "review", "next", "--json").document["case"]["id"] == "c-1"


def test_a_judgment_is_taken_back_and_a_final_case_opened_again(team: Team) -> None:
    team.check_once("ann", "c-1")
    back = run(team, "ann", "review", "withdraw", "c-1", "--json")
    assert back.document["stage"] == "self_check_task"
    team.self_check("ann", "c-1")
    for name in ("bob", "cleo"):
        team.cross_check(name, "c-1")
    team.decide("c-1", Decision(verdict=Verdict.APPROVE))
    refused(run(team, "ann", "review", "reopen", "c-1", "--reason", "x"), "is not an expert")
    assert run(team, "eve", "review", "reopen", "c-1", "--reason", "the depot has moved").code == 0
    assert team.stage("c-1") is Stage.SELF_CHECK_TASK
