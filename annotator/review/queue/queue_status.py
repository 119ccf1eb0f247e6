"""What waits for a person, and one sentence about why nothing does."""

from annotator.cases.row_views import standing_in
from annotator.extensions import is_newcomer
from annotator.project.policy import ReviewPolicy
from annotator.project.stages import ROLE_OF_STAGE
from annotator.project.workspace import Workspace, policy_of, query
from annotator.review.queue.eligibility import claimant
from annotator.review.shortages import people_needed
from db.read import assignments, claims, known_answers, queries
from db.tables import Transaction
from scoring.model.record import Record
from scoring.model.taxonomy import EXPERT_STAGES, Role, Stage
from scoring.wording import counted


class Waiting(Record):
    """What a person can do now: cases they could take and slots they hold per kind of work, and importing."""

    returned: int
    self_check: int
    cross_check: int
    expert: int
    held: int
    lets_import: bool


@query
def waiting_for(workspace: Workspace, tx: Transaction) -> Waiting:
    """Count what waits for the person, and say what the queue's head lets them do."""
    person = workspace.person
    standing, policy = standing_in(tx, person)
    who = claimant(person, policy)
    is_annotator, is_expert = person.has_role(Role.ANNOTATOR), person.has_role(Role.EXPERT)
    own = (claims.self_check_for(who), claims.not_skipped(who))
    other = (
        claims.cross_check_for(who, reviewers=policy.needed_judgments),
        claims.not_skipped(who),
    )
    returned = queries.count(tx, *own, claims.at_stage(Stage.RETURNED)) if is_annotator else 0
    copies = known_answers.held_count(tx, person.id) if standing.has_copies else 0
    return Waiting(
        returned=returned,
        self_check=queries.count(tx, *own) - returned if is_annotator else 0,
        cross_check=queries.count(tx, *other) if is_annotator else 0,
        expert=queries.count(tx, claims.queued_decision(who)) if is_expert else 0,
        held=len(assignments.claimed_by(tx, person.id)) + copies,
        lets_import=policy.lets_import(person.roles),
    )


@query
def why_nothing(workspace: Workspace, tx: Transaction) -> str:
    """Say why a person has nothing to do, in one sentence with the next step."""
    person, policy = workspace.person, policy_of(tx)
    counts = queries.stage_counts(tx)
    if not counts:
        return "The project has no cases yet: import a file (Ctrl+I)."
    open_work = {stage: count for stage, count in counts.items() if stage in ROLE_OF_STAGE}
    if not open_work:
        return "Everything is decided: approved, final or rejected. A manager can freeze a release."
    if workspace.next_language:
        return (
            f"Nothing in the language {workspace.next_language} waits for you. "
            "Take the next case in any language, or choose another one."
        )
    if not person.has_role(Role.EXPERT) and set(open_work) <= set(EXPERT_STAGES):
        total = sum(open_work.values())
        missing = _missing_expert(tx, policy)
        return f"{_waits(total)} for an expert. {missing}" if missing else f"{_waits(total)} for an expert."
    if not person.has_role(Role.ANNOTATOR) and not set(open_work) & set(EXPERT_STAGES):
        count = sum(open_work.values())
        return f"{counted(count, 'case is', 'cases are')} still with annotators and reviewers."
    who = claimant(person, policy)
    if person.has_role(Role.ANNOTATOR) and is_newcomer(tx, person):
        others = queries.count(
            tx, claims.cross_check_for(who, reviewers=policy.needed_judgments), claims.not_skipped(who)
        )
        if others:
            return (
                f"{_waits(others)} for blind cross-checks, and nobody's first case should be one: "
                "do a training case first, or open a case from the list."
            )
    unchecked = claims.lacks_reviewer(policy.needed_judgments)
    stuck = queries.count(tx, unchecked) if policy.has_cross_check else 0
    if stuck:
        return (
            f"{_waits(stuck)} for cross-checks that nobody is left to make: reviewers neither own a case "
            f"nor have judged it before, so each needs {people_needed(policy)} people besides the "
            "expert, and more when it is checked again. A manager can add people, lower `reviewers`, or "
            "return the batch."
        )
    undecided = queries.count(tx, claims.lacks_expert(is_solo=policy.solo))
    if undecided:
        return (
            f"{_waits(undecided)} for an expert who has had no part so far. A manager can add another expert."
        )
    if Stage.CROSS_CHECK in open_work and not policy.solo:
        count = open_work[Stage.CROSS_CHECK]
        return (
            f"{_waits(count)} for cross-checks by people who have had no part so far: "
            f"a case needs {people_needed(policy)} people besides the expert."
        )
    return "What is left belongs to other people or is held by them."


def _missing_expert(tx: Transaction, policy: ReviewPolicy) -> str:
    count = queries.count(tx, claims.lacks_expert(is_solo=policy.solo))
    if not count:
        return ""
    return f"Every expert has had a part in {counted(count, 'case')}: a manager can add one."


def _waits(count: int) -> str:
    return counted(count, "case waits", "cases wait")
