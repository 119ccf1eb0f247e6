"""A known-answer case travels like any other, tells what was planted, and leaves no trace anywhere else."""

import json
import random
from collections.abc import Callable, Iterator, MutableSequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from annotator.cases import copies
from annotator.cases.access import sees_blind, show_case
from annotator.cases.bodies import read_record
from annotator.cases.coverage import project_coverage
from annotator.cases.file_export import check_project, export_cases
from annotator.cases.history import (
    add_comment,
    case_events,
    case_history,
    comments_of,
    mark_gold,
    resolve_comment,
    revision_case,
)
from annotator.drafts.draft_body import DraftBody
from annotator.drafts.precedents import toolset_of
from annotator.jobs import JobContext
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import Workspace, open_workspace
from annotator.release.freeze import freeze, freeze_preview, list_releases
from annotator.review.attention.defects import KINDS_AT, Defect
from annotator.review.drafts import OpenCase, SeenDraft, open_assignment, save_draft
from annotator.review.expert.decisions import Decision
from annotator.review.feedback import feedback_over_time
from annotator.review.loaded_case import load, read_case
from annotator.review.measures.attention import attention
from annotator.review.measures.progress import samples, stage_report
from annotator.review.measures.rater_agreement import AgreementSlice, agreement, rated_rounds
from annotator.review.measures.workload import my_day, throughput, workloads
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue import checked
from annotator.review.queue.case_rows import batches, case_of, count_cases, list_cases
from annotator.review.queue.claims import claim_case, claim_next, keep_alive, leave
from annotator.review.queue.queue_status import waiting_for
from annotator.review.shortages import shortages_now
from annotator.review.submissions import Submitted, submission_key, submit
from annotator.review.withdrawals import may_withdraw, reopen, withdraw
from db.read.generations import gold_bodies
from db.read.known_answers import find_copy, sources_for
from db.read.people import list_people
from db.read.precedents import order_counts
from db.read.queries import ORDERS
from db.read.reviews import events_of, payloads_named
from db.read.rows import CaseFilter
from db.tables import Transaction
from scoring.errors import BlockedError, ConflictError, ForbiddenError, NotFoundError
from scoring.model.taxonomy import CaseFormat, CheckAnswer, Information, Policy, Priority, Stage, Verdict
from tests.annotator.team import Team, approval, team_on, two_round_case

HALF = ReviewPolicy(attention_share=0.5, cross_check=False, expert_sample=False)


def _begin(team: Team) -> None:
    team.bring(*(two_round_case(f"c-{number}") for number in range(1, 6)))
    team.self_check("ann", "c-1")
    mark_gold(team["eve"], "c-1", gold=True)


@pytest.fixture
def team(store_url: str, tmp_path: Path) -> Iterator[Team]:
    """A project where c-1 is gold and c-2 to c-5 wait; every other new case is a known-answer case."""
    with team_on(store_url, tmp_path, policy=HALF) as found:
        found.walk(_begin)
        yield found


def take(team: Team, name: str = "bob") -> OpenCase:
    """Claim the next case and open it."""
    held = claim_next(team[name]).value
    assert held is not None
    return open_assignment(team[name], held.id)


def planted(team: Team, opened: OpenCase) -> Defect:
    """What was planted, as the store has it."""
    row = team["max"].read(lambda tx: find_copy(tx, opened.assignment.id))
    assert row is not None
    return read_record(Defect, row.defect)


def approve(team: Team, opened: OpenCase, *, name: str = "bob", key: str = "") -> Submitted:
    """Approve what is shown."""
    judgment = approval(opened.base)
    if opened.is_blind:
        said = {"policy": Policy.CHAT, "information": Information.OMISSION}
        tasks = tuple(labels.model_copy(update=said) for labels in judgment.tasks)
        judgment = judgment.model_copy(update={"tasks": tasks})
    return submit(team[name], opened.assignment.id, judgment=judgment, key=key or submission_key()).value


def test_every_other_new_case_is_a_copy_that_looks_like_the_ones_that_wait(team: Team) -> None:
    opened = take(team)
    assert opened.assignment.case_id not in {f"c-{number}" for number in range(1, 6)}
    assert opened.assignment.case_id.startswith("c-")
    assert opened.assignment.stage is Stage.SELF_CHECK_TASK
    assert (opened.row.batch, opened.row.batch_id) == ("b1", batches(team["max"])[0].id)
    done = approve(team, opened)
    assert done.known_answer is not None
    assert not done.known_answer.is_caught
    assert "planted defect" in done.known_answer.words
    real = take(team)
    assert real.assignment.case_id == "c-2"
    assert real.assignment.id == opened.assignment.id + 1


# nowhere else

Way = Callable[[Team], object]


def _export(team: Team) -> object:
    target = team.folder.parent / "export.jsonl"
    export_cases(team["max"], target, format=CaseFormat.NATIVE, stages=())
    return sorted(target.read_text(encoding="utf-8").splitlines())


def _release(team: Team) -> object:
    number = len(list_releases(team["max"]))
    directory = team.folder.parent / f"release-{number}"
    freeze(team["max"], f"r{number}", directory=directory, context=JobContext())
    return (directory / "cases.jsonl").read_text(encoding="utf-8")


def _edge_statistics(team: Team) -> object:
    case = two_round_case("c-9")
    names = {call.name for task in case.tasks for _, call in task.calls}

    def read(tx: Transaction) -> object:
        counts = partial(order_counts, tx, toolset=toolset_of(case), names=names, besides=0)
        return [counts(person.id) for person in list_people(tx)]

    return team["max"].read(read)


def _precedents(team: Team) -> object:
    held = claim_case(team["dan"], "c-5").value
    return open_assignment(team["dan"], held.id).precedents


WAYS: dict[str, Way] = {
    "queue": lambda team: list_cases(team["max"], CaseFilter()),
    "search": lambda team: list_cases(team["max"], CaseFilter(text="parcel")),
    "counts": lambda team: count_cases(team["max"], CaseFilter()),
    "batches": lambda team: batches(team["max"]),
    "samples": lambda team: samples(team["max"]),
    "export": _export,
    "release": _release,
    "release preview": lambda team: freeze_preview(team["max"]),
    "findings": lambda team: check_project(team["max"]),
    "agreement": lambda team: (agreement(team["max"]), rated_rounds(team["max"], AgreementSlice())),
    "stage accuracy": lambda team: stage_report(team["max"]),
    "coverage": lambda team: project_coverage(team["max"]),
    "workload": lambda team: (workloads(team["max"]), throughput(team["max"])),
    "feedback": lambda team: feedback_over_time(team["max"], everybody=True),
    "edge statistics": _edge_statistics,
    "similar cases": _precedents,
    "few-shot examples": lambda team: team["max"].read(lambda tx: tuple(gold_bodies(tx))),
}
"""Every way in which cases are listed, counted, written or taught by; a further one is a further line."""


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_is_counted_nowhere_before_and_after_its_submission(team: Team, way: str) -> None:
    before = WAYS[way](team)
    opened = take(team)
    held = WAYS[way](team)
    approve(team, opened)
    after = WAYS[way](team)
    assert held == before
    assert after == before
    assert opened.assignment.case_id not in repr(after)


def test_only_the_id_is_another_in_what_a_file_says_of_the_gold_case(
    sqlite_path: Path, tmp_path: Path
) -> None:
    extras = {"turns": 7, "from": "dialogue 7 of 77", "notes": ["7", {"size": 7.7}]}
    with team_on(str(sqlite_path), tmp_path, policy=HALF) as team:
        team.bring(
            two_round_case("7").model_copy(update={"extras": extras}),
            *(two_round_case(f"c-{number}") for number in range(2, 6)),
        )
        team.self_check("ann", "7")
        mark_gold(team["eve"], "7", gold=True)
        taken = take(team)
        name = taken.assignment.case_id
        assert taken.base.extras == {
            "turns": 7,
            "from": f"dialogue {name} of 77",
            "notes": [name, {"size": 7.7}],
        }


def test_a_case_with_the_content_of_a_copy_is_no_duplicate_of_it(team: Team) -> None:
    opened = take(team)
    assert team.bring(opened.base).imported == 1
    assert claim_case(team["ann"], opened.assignment.case_id).value.case_pk > 0


def test_events_of_a_copy_name_no_case(team: Team) -> None:
    opened = take(team)
    approve(team, opened)
    subjects = [f"attention:{opened.assignment.id}"]
    found = team["max"].read(lambda tx: events_of(tx, subjects))
    assert {event.action for event in found} == {"review:case:claim", "review:judgment:submit"}
    assert not any("c-" in event.payload for event in found)


# the source meanwhile

LOOKS: dict[str, Callable[[Workspace, Path], object]] = {
    "list": lambda bob, _: [row.case_id for row in list_cases(bob, CaseFilter())],
    "gold examples": lambda bob, _: [row.case_id for row in list_cases(bob, CaseFilter(only_gold=True))],
    "export": lambda bob, folder: _ids_exported(bob, folder / "bob.jsonl"),
    "findings": lambda bob, _: [one.case_id for one in check_project(bob)],
}
REFUSED: dict[str, Callable[[Workspace], object]] = {
    "show": lambda bob: show_case(bob, "c-1"),
    "line": lambda bob: case_of(bob, "c-1"),
    "page": lambda bob: read_case(bob, "c-1"),
    "history": lambda bob: case_history(bob, "c-1"),
    "revision": lambda bob: revision_case(bob, "c-1", number=1),
    "events": lambda bob: case_events(bob, "c-1"),
    "comments": lambda bob: comments_of(bob, "c-1"),
    "one case's findings": lambda bob: check_project(bob, case_id="c-1"),
}


def _ids_exported(bob: Workspace, target: Path) -> list[str]:
    export_cases(bob, target, format=CaseFormat.NATIVE, stages=())
    return [json.loads(line)["id"] for line in target.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("look", LOOKS)
def test_the_gold_case_is_missing_in_what_its_person_sees_until_they_submit(
    team: Team, tmp_path: Path, look: str
) -> None:
    assert "c-1" in LOOKS[look](team["bob"], tmp_path)  # type: ignore[operator]
    opened = take(team)
    seen = LOOKS[look](team["bob"], tmp_path)
    assert "c-1" not in seen  # type: ignore[operator]
    assert (opened.assignment.case_id in seen) is (look in ("list", "findings"))  # type: ignore[operator]
    others = LOOKS[look](team["ann"], tmp_path)
    assert "c-1" in others  # type: ignore[operator]
    assert opened.assignment.case_id not in others  # type: ignore[operator]
    approve(team, opened)
    assert "c-1" in LOOKS[look](team["bob"], tmp_path)  # type: ignore[operator]


def test_an_export_before_submitting_says_what_it_leaves_out(team: Team, tmp_path: Path) -> None:
    opened = take(team)
    report = export_cases(team["bob"], tmp_path / "bob.jsonl", format=CaseFormat.NATIVE, stages=())
    reason = "you are working on it, or have left it"
    assert [(one.case_id, one.reason) for one in report.skipped] == [(opened.assignment.case_id, reason)]
    assert (report.written, report.withheld) == (4, 1)  # no gold case is named
    assert '"c-1"' not in report.model_dump_json()  # the copy's own id may begin so


@pytest.mark.parametrize("look", REFUSED)
def test_the_gold_case_is_refused_to_its_person_until_they_submit(team: Team, look: str) -> None:
    opened = take(team)
    with pytest.raises(ForbiddenError, match="not shown to you at the moment"):
        REFUSED[look](team["bob"])
    REFUSED[look](team["ann"])
    approve(team, opened)
    REFUSED[look](team["bob"])


def test_the_gold_case_stays_away_while_a_copy_is_held_and_no_more_are_given(team: Team) -> None:
    take(team)
    change_review_policy(team["max"], ("attention_share=0",))
    assert "c-1" not in {row.case_id for row in list_cases(team["bob"], CaseFilter())}


# like any other case


def test_history_and_comments_of_a_copy_are_those_of_a_fresh_case(team: Team) -> None:
    copy, real = take(team), claim_case(team["dan"], "c-2").value
    (seen,), (fresh,) = (
        case_history(team["bob"], copy.assignment.case_id),
        case_history(team["dan"], real.case_id),
    )
    assert (seen.number, seen.author, seen.stage, seen.reason) == (1, fresh.author, fresh.stage, fresh.reason)
    assert revision_case(team["bob"], copy.assignment.case_id, number=1) == copy.base
    (claimed,), (claim, *_) = (
        case_events(team["bob"], copy.assignment.case_id),
        case_events(team["dan"], real.case_id),
    )
    assert (claimed.action, claimed.payload, claimed.actor) == (claim.action, claim.payload, "bob")
    add_comment(team["bob"], copy.assignment.case_id, where="case", text="odd")
    (said,) = comments_of(team["bob"], copy.assignment.case_id)
    resolve_comment(team["bob"], copy.assignment.case_id, comment=said.id)
    (said,) = comments_of(team["bob"], copy.assignment.case_id)
    assert (said.text, said.person, said.is_resolved) == ("odd", "bob", True)
    with pytest.raises(NotFoundError, match="The project has no case"):
        case_history(team["ann"], copy.assignment.case_id)


def test_a_comment_at_the_planted_place_catches_it(team: Team) -> None:
    opened = take(team)
    defect = planted(team, opened)
    where = f"task {defect.task}" + (f" step {defect.step}" if defect.step is not None else "")
    add_comment(team["bob"], opened.assignment.case_id, where=where, text="Is that right?")
    done = approve(team, opened)
    assert done.known_answer is not None
    assert done.known_answer.is_caught


def test_a_draft_survives_the_process_and_its_window(team: Team) -> None:
    opened = take(team)
    body = DraftBody(case=opened.base, judgment=opened.template, cursor={"window": "w1"})
    first = save_draft(team["bob"], opened.assignment.id, body=body, sequence=0).value
    assert first == 1
    other = body.model_copy(update={"cursor": {"window": "w2"}})
    with pytest.raises(ConflictError, match="edited in another window"):
        save_draft(team["bob"], opened.assignment.id, body=other, sequence=0)
    again = open_workspace(team.url, "bob", clock=team.clock)  # as after a process that was killed
    held = claim_next(again).value
    assert held is not None
    assert held.id == opened.assignment.id
    assert open_assignment(again, held.id).draft == body
    again.close()
    with pytest.raises(ConflictError, match="Another window has saved"):
        submit(
            team["bob"],
            held.id,
            judgment=approval(opened.base),
            key=submission_key(),
            seen=SeenDraft(0, "w2"),
        )
    assert approve(team, opened).known_answer is not None


def test_a_copy_handed_back_comes_again_and_a_skipped_one_does_not(team: Team) -> None:
    opened = take(team)
    shown = opened.assignment.case_id
    assert leave(team["bob"], opened.assignment.id, skip=False).changes.has_case(shown)
    with pytest.raises(ForbiddenError, match=f"You do not hold {shown} any more: it was handed back"):
        keep_alive(team["bob"], opened.assignment.id)
    assert claim_next(team["bob"]).changes.has_case(shown)
    again = take(team).assignment
    assert (again.case_id, again.id) == (shown, opened.assignment.id + 1)  # a slot of its own, as of any case
    with pytest.raises(ForbiddenError, match=f"You do not hold {shown} any more: it was handed back"):
        keep_alive(team["bob"], opened.assignment.id)
    assert len(case_events(team["bob"], shown)) == 3
    leave(team["bob"], again.id, skip=True, reason="too long")
    assert take(team).assignment.case_id == "c-2"


@pytest.mark.parametrize("error_count", [0, 1])
def test_a_copy_is_listed_among_the_cases_with_errors_where_it_has_one(
    team: Team, monkeypatch: pytest.MonkeyPatch, error_count: int
) -> None:
    shown = take(team).assignment.case_id
    read = copies.row_of
    monkeypatch.setattr(copies, "row_of", lambda *found: replace(read(*found), error_count=error_count))
    assert shown in [row.case_id for row in list_cases(team["bob"], CaseFilter())]
    with_errors = list_cases(team["bob"], CaseFilter(only_with_errors=True))
    assert (shown in [row.case_id for row in with_errors]) is bool(error_count)


class _Reversing(random.Random):
    """Chance that turns a list round."""

    def shuffle(self, x: MutableSequence[Any]) -> None:
        x.reverse()


def test_chance_says_which_gold_case_is_copied(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    team.self_check("ann", "c-2")
    mark_gold(team["eve"], "c-2", gold=True)
    sources = team["max"].read(lambda tx: sources_for(tx, team["bob"].person.id))
    assert len(sources) == 2
    monkeypatch.setattr("annotator.review.attention.known_answers.random.SystemRandom", _Reversing)
    opened = take(team)
    row = team["max"].read(lambda tx: find_copy(tx, opened.assignment.id))
    assert row is not None
    assert row.source_pk == sources[-1][0]


def test_what_was_drafted_and_remarked_comes_back_with_a_copy(team: Team) -> None:
    opened = take(team)
    shown = opened.assignment.case_id
    body = DraftBody(case=opened.base, judgment=opened.template, cursor={"window": "w1"})
    save_draft(team["bob"], opened.assignment.id, body=body, sequence=0)
    add_comment(team["bob"], shown, where="case", text="odd")
    leave(team["bob"], opened.assignment.id, skip=True, reason="later")
    again = open_assignment(team["bob"], claim_case(team["bob"], shown).value.id)
    assert (again.draft, again.draft_sequence) == (body, 0)
    assert [said.text for said in comments_of(team["bob"], shown)] == ["odd"]


def test_a_copy_counts_on_the_day_it_was_submitted(team: Team) -> None:
    opened = take(team)
    team.clock.forward(minutes=50)
    submitted_after = team.clock.at
    approve(team, opened)
    (told,) = attention(team["bob"]).told
    assert told.at > submitted_after


def test_a_submission_sent_twice_counts_once_and_tells_the_same(team: Team) -> None:
    opened = take(team)
    key = submission_key()
    first = approve(team, opened, key=key)
    assert approve(team, opened, key=key) == first
    with pytest.raises(ForbiddenError, match="was submitted already"):
        approve(team, opened)
    assert attention(team["max"]).rates[0].caught.total == 1


def test_nothing_is_taken_back_after_the_reveal(team: Team) -> None:
    opened = take(team)
    approve(team, opened)
    assert not may_withdraw(team["bob"], opened.assignment.case_id)
    with pytest.raises(ForbiddenError, match="cannot be taken back"):
        withdraw(team["bob"], opened.assignment.case_id)


def test_the_gates_are_those_of_any_case(team: Team) -> None:
    opened = take(team)
    judgment = opened.template.model_copy(update={"verdict": Verdict.APPROVE})
    with pytest.raises(BlockedError):
        submit(team["bob"], opened.assignment.id, judgment=judgment, key=submission_key())


@pytest.mark.parametrize("is_known", [True, False])
def test_a_copy_is_checked_in_one_like_the_cases_of_who_is_known(
    sqlite_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_known: bool
) -> None:
    policy = HALF.model_copy(update={"one_self_check": True})
    with team_on(str(sqlite_path), tmp_path, policy=policy) as team:
        _begin(team)
        monkeypatch.setattr(checked, "KNOWN_AFTER", 0 if is_known else 1)
        opened = take(team)
        items = load(team["bob"], opened.assignment.id).assessment.items
        assert any(item.task is None for item in items) is is_known
        if is_known:
            half = approval(opened.base).model_copy(update={"checklist": {"coherence": CheckAnswer.PASS}})
            with pytest.raises(BlockedError, match="The dialogue: confirm"):
                submit(team["bob"], opened.assignment.id, judgment=half, key=submission_key())
        assert approve(team, opened).known_answer is not None
        one_checks = team["max"].read(lambda tx: dict(payloads_named(tx, checked.ONE_CHECK)))
        assert not one_checks.keys() - {"case:c-1"}
        assert take(team).assignment.case_id == "c-2"


def bring_gold(team: Team) -> None:
    """Lead c-1 through every stage of its own batch, to be gold."""
    team.bring(two_round_case("c-1"), batch="gold")
    team.self_check("ann", "c-1")
    team.cross_check("dan", "c-1")
    team.decide("c-1", Decision(verdict=Verdict.APPROVE))
    mark_gold(team["eve"], "c-1", gold=True)


def test_who_holds_a_copy_to_self_check_gets_a_case_where_they_ask_for_a_cross_check(
    store_url: str, tmp_path: Path
) -> None:
    with team_on(store_url, tmp_path, policy=ReviewPolicy(attention_share=0.5, reviewers=1)) as team:
        bring_gold(team)
        team.bring(two_round_case("c-2"), two_round_case("c-3"))
        team.self_check("ann", "c-2")
        copy = claim_next(team["bob"], stage=Stage.SELF_CHECK_TASK).value
        assert copy is not None
        assert copy.case_pk == 0
        other = claim_next(team["bob"], stage=Stage.CROSS_CHECK).value
        assert other is not None
        assert (other.case_id, other.stage) == ("c-2", Stage.CROSS_CHECK)


def test_two_copies_never_follow_each_other(team: Team) -> None:
    team.self_check("ann", "c-2")
    mark_gold(team["eve"], "c-2", gold=True)
    copy = take(team)
    assert waiting_for(team["bob"]).held == 1
    approve(team, copy)
    assert waiting_for(team["bob"]).held == 0
    assert take(team).assignment.case_id == "c-3"


def test_a_blind_reviewer_gets_a_copy_without_labels(store_url: str, tmp_path: Path) -> None:
    with team_on(store_url, tmp_path, policy=ReviewPolicy(attention_share=0.5, reviewers=1)) as team:
        bring_gold(team)
        team.bring(two_round_case("c-2"))
        team.self_check("ann", "c-2")
        opened = take(team, "cleo")
        assert opened.assignment.stage is Stage.CROSS_CHECK
        assert opened.assignment.case_id != "c-2"
        assert opened.is_blind
        assert all(task.policy is None and not task.edges for task in opened.base.tasks)
        assert sees_blind(team["cleo"], opened.assignment.case_id)
        assert not sees_blind(team["ann"], "c-2")
        done = approve(team, opened, name="cleo")
        assert done.known_answer is not None
        assert done.known_answer.kind in KINDS_AT[Stage.CROSS_CHECK]


# bad luck


def test_a_copy_whose_gold_case_was_reopened_is_taken_away_and_its_person_told(team: Team) -> None:
    opened = take(team)
    reopen(team["eve"], "c-1", reason="the answer is wrong")
    real = take(team)
    assert real.assignment.case_id.startswith("c-")
    assert real.assignment.case_pk > 0
    with pytest.raises(ForbiddenError, match="gold case was reopened meanwhile"):
        open_assignment(team["bob"], opened.assignment.id)


def test_a_submission_after_its_gold_case_was_reopened_does_not_count(team: Team) -> None:
    opened = take(team)
    reopen(team["eve"], "c-1", reason="the answer is wrong")
    done = approve(team, opened)
    assert done.known_answer is not None
    assert not done.known_answer.is_counted
    assert "does not count" in done.known_answer.words
    assert attention(team["max"]).rates == ()


def test_what_was_submitted_counts_no_longer_once_the_gold_case_is_reopened(team: Team) -> None:
    approve(team, take(team))
    assert attention(team["max"]).rates[0].caught.total == 1
    reopen(team["eve"], "c-1", reason="the answer is wrong")
    found = attention(team["max"])
    assert found.rates == ()
    assert found.dropped_count == 1


def test_a_share_without_gold_cases_mixes_nothing_in_and_says_so(team: Team) -> None:
    mark_gold(team["eve"], "c-1", gold=False)
    assert take(team).assignment.case_id == "c-2"
    assert "no final case is marked gold" in attention(team["max"]).problem
    assert any("no final case is marked gold" in words for words in shortages_now(team["max"]))


def test_nobody_gets_a_copy_of_a_case_they_had_a_part_in_or_twice(team: Team) -> None:
    assert take(team, "ann").assignment.case_id == "c-2"
    approve(team, take(team))
    team.self_check("bob", take(team).assignment.case_id)
    assert take(team).assignment.case_pk > 0


def test_annotators_see_their_own_rate_alone(team: Team) -> None:
    approve(team, take(team))
    seen = attention(team["bob"])
    assert [one.person for one in seen.rates] == ["bob", "bob"]
    (told,) = seen.told
    assert (told.person, told.is_caught, told.is_counted) == ("bob", False, True)
    assert "Task" in told.planted
    assert attention(team["dan"]).rates == ()
    own = my_day(team["bob"])
    assert (own.attention_share, own.caught.count, own.caught.total) == (0.5, 0, 1)


@pytest.mark.parametrize("order", [sign + name for name in ORDERS for sign in ("", "-")])
def test_a_copy_stands_in_its_persons_list_where_its_case_would(team: Team, order: str) -> None:
    opened = take(team)
    where = CaseFilter(order=order)
    rows = list_cases(team["bob"], where)
    assert opened.assignment.case_id in [row.case_id for row in rows]
    assert count_cases(team["bob"], where) == len(rows) == 5
    pages = [row for start in range(5) for row in list_cases(team["bob"], where, offset=start, limit=1)]
    assert pages == list(rows)
    values: dict[str, list[Any]] = {
        "case": [row.case_id for row in rows],
        "request": [row.request for row in rows],
        "owner": [row.owner for row in rows if row.owner is not None],
        "changed": [row.changed_at for row in rows],
        "stage": [list(Stage).index(row.stage) for row in rows],
        "tasks": [row.task_count for row in rows],
        "batch": [row.batch for row in rows],
        "priority": [list(Priority).index(row.priority) for row in rows],
        "findings": [row.finding_count for row in rows],
        "policies": [",".join(row.policies) for row in rows],
        "information": [",".join(row.informations) for row in rows],
    }
    in_order = values[order.lstrip("-")]
    assert in_order == sorted(in_order, reverse=order.startswith("-"))
