"""How many statements a list takes does not depend on how long it is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, event

from annotator.cases.file_export import check_project
from annotator.project.people import add_person, list_people, set_active
from annotator.project.workspace import Workspace
from annotator.release.freeze import freeze_preview, list_releases
from annotator.release.runs.recorded_runs import list_runs, record_run
from annotator.review.drafts import open_assignment
from annotator.review.expert.decisions import Decision
from annotator.review.feedback import feedback_over_time, recurring_mistakes
from annotator.review.measures.accuracy_curve import AccuracySlice, accuracy, accuracy_by, stage_cases
from annotator.review.measures.progress import samples, stage_report
from annotator.review.measures.rater_agreement import AgreementSlice, agreement, diagnosis, rated_rounds
from annotator.review.measures.trends import agreement_trend
from annotator.review.measures.workload import my_day, throughput, workloads
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.case_rows import CaseFilter, batches, count_cases, list_cases
from annotator.review.queue.claims import claim_next, leave
from annotator.review.queue.notices import notifications
from annotator.review.queue.queue_status import waiting_for, why_nothing
from scoring.model.taxonomy import Role, Stage, Verdict
from tests.annotator.release.cards import card, scored
from tests.annotator.review.walked import decided
from tests.annotator.team import Team, two_step_case


@contextmanager
def _counted() -> Iterator[list[str]]:
    """The statements that are run within the block, whatever the engine."""
    seen: list[str] = []

    def note(_: object, __: object, statement: str, *rest: object) -> None:
        seen.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def _grow(team: Team, size: int) -> None:
    """Bring cases in a batch of their own, take some through the self-check, add people, runs, comments."""
    names = [f"n-{size}-{number}" for number in range(size)]
    team.bring(*(two_step_case(name) for name in names), batch=f"batch {size}")
    for name in names[: size // 2]:
        team.self_check("ann", name)
    for number in range(size):
        add_person(team["max"], f"q{size}-{number}", roles=[Role.ANNOTATOR])
        record_run(team["max"], f"run {size}-{number}", card=card(scored()))


LISTS: dict[str, Callable[[Workspace], object]] = {
    "cases": lambda w: list_cases(w, CaseFilter()),
    "cases by owner": lambda w: list_cases(w, CaseFilter(order="owner")),
    "count of cases": lambda w: count_cases(w, CaseFilter()),
    "people": list_people,
    "batches": batches,
    "samples": samples,
    "stages": stage_report,
    "releases": list_releases,
    "runs": list_runs,
    "workload": workloads,
    "throughput": throughput,
    "own day": my_day,
    "what waits": waiting_for,
    "why nothing waits": why_nothing,
    "notifications": notifications,
    "feedback over time": feedback_over_time,
    "recurring mistakes": recurring_mistakes,
    "cases with a word": lambda w: count_cases(w, CaseFilter(text="parcel")),
    "agreement": lambda w: agreement(w, resamples=0),
    "diagnosis": lambda w: diagnosis(w, rated_rounds(w, AgreementSlice()), ()),
    "trend": lambda w: agreement_trend(w, AgreementSlice()),
    "accuracy": lambda w: accuracy(w, AccuracySlice(field="edges")),
    "accuracy by batch": lambda w: accuracy_by(w, "batch"),
    "cases of a stage": lambda w: stage_cases(w, AccuracySlice(), stage=Stage.CROSS_CHECK),
    "everybody's feedback": lambda w: feedback_over_time(w, everybody=True),
    "findings": check_project,
}


def _counts(team: Team) -> dict[str, int]:
    found = {}
    for name, look in LISTS.items():
        with _counted() as seen:
            look(team["max"])
        found[name] = len(seen)
    return found


def test_no_list_takes_more_statements_when_it_is_longer(team: Team) -> None:
    _grow(team, 2)
    short = _counts(team)
    assert all(short.values())
    _grow(team, 8)
    assert _counts(team) == short


def test_no_list_takes_more_statements_when_more_was_judged_and_decided(team: Team) -> None:
    decided(team)
    few = _counts(team)
    team.bring(*(two_step_case(f"d-{i}") for i in range(3)), batch="b3")
    for i in range(3):
        team.self_check("ann", f"d-{i}")
        team.cross_check("bob", f"d-{i}")
        team.cross_check("cleo", f"d-{i}")
    for row in list_cases(team["max"], CaseFilter(stages=(Stage.EXPERT,))):
        team.decide(row.case_id, Decision(verdict=Verdict.APPROVE))
    assert _counts(team) == few


def test_taking_and_opening_a_case_asks_as_much_among_many_people_and_cases(team: Team) -> None:
    def taking() -> int:
        with _counted() as seen:
            held = claim_next(team["bob"]).value
            assert held is not None
            open_assignment(team["bob"], held.id)
        leave(team["bob"], held.id, skip=False)
        return len(seen)

    _grow(team, 2)
    few = max(taking(), taking())  # a case that was handed back takes another way than a fresh one
    _grow(team, 8)
    for number in range(8):
        set_active(team["max"], f"q8-{number}", active=False)
    assert max(taking(), taking()) <= few


def test_a_preview_of_a_release_reads_no_case_its_owner_was_asked_to_draw(team: Team) -> None:
    change_review_policy(team["max"], ("solo=true",))
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    for name in ("c-1", "c-2"):
        team.self_check("max", name)
    with _counted() as seen:
        assert freeze_preview(team["max"]).case_count == 2
    assert not [statement for statement in seen if "revisions.body" in statement]
