"""The table of legal moves between review stages, as data (design 3)."""

from dataclasses import dataclass
from enum import StrEnum

from annotator.project.policy import ReviewPolicy
from scoring.errors import ForbiddenError
from scoring.model.taxonomy import OWNER_STAGES, SELF_CHECKS, Role, SlotStatus, Stage


class Actor(StrEnum):
    """Who may make a move."""

    OWNER = "owner"
    SYSTEM = "system"
    EXPERT = "expert"
    MANAGER = "manager"


@dataclass(frozen=True)
class StageMove:
    """One legal change of stage: from where, by whom, under which name, to where."""

    at: Stage
    who: Actor
    action: str
    to: Stage


ENDED_WORDS: dict[str, str] = {
    SlotStatus.RELEASED: "handed back or reassigned, or its round ended",
    SlotStatus.EXPIRED: "taken by somebody else",
}
"""What became of a slot that is not held any more, where its status does not say it in plain words."""

UNSETTLED = (*OWNER_STAGES, Stage.CROSS_CHECK, Stage.ESCALATED)
"""Stages that hold up the sample of a batch."""

UNDER_REVIEW = (*UNSETTLED, Stage.APPROVED, Stage.EXPERT)
"""Every stage before a case is final or rejected."""

APPROVE_BOTH = "approve_both"
"""The one approval of a case of one task: it passes both self-checks, since there is no more to compare."""

MOVES: tuple[StageMove, ...] = (
    StageMove(Stage.IMPORTED, Actor.OWNER, "start", Stage.SELF_CHECK_TASK),
    StageMove(Stage.RETURNED, Actor.OWNER, "start", Stage.SELF_CHECK_TASK),
    StageMove(Stage.SELF_CHECK_TASK, Actor.OWNER, "approve", Stage.SELF_CHECK_DIALOGUE),
    *(
        StageMove(stage, Actor.OWNER, "approve", to)
        for stage in SELF_CHECKS
        for to in (Stage.CROSS_CHECK, Stage.APPROVED, Stage.FINAL)
    ),
    *(
        StageMove(Stage.SELF_CHECK_TASK, Actor.OWNER, APPROVE_BOTH, to)
        for to in (Stage.CROSS_CHECK, Stage.APPROVED, Stage.FINAL)
    ),
    *(
        StageMove(stage, Actor.OWNER, verdict, Stage.ESCALATED)
        for stage in SELF_CHECKS
        for verdict in ("escalate", "reject")
    ),
    StageMove(Stage.SELF_CHECK_DIALOGUE, Actor.OWNER, "withdraw", Stage.SELF_CHECK_TASK),
    *(
        StageMove(at, Actor.OWNER, "withdraw", to)
        for at in (Stage.CROSS_CHECK, Stage.ESCALATED)
        for to in SELF_CHECKS
    ),
    StageMove(Stage.CROSS_CHECK, Actor.SYSTEM, "agree", Stage.APPROVED),
    StageMove(Stage.CROSS_CHECK, Actor.SYSTEM, "pass", Stage.APPROVED),
    StageMove(Stage.CROSS_CHECK, Actor.SYSTEM, "return", Stage.RETURNED),
    StageMove(Stage.CROSS_CHECK, Actor.SYSTEM, "disagree", Stage.ESCALATED),
    StageMove(Stage.APPROVED, Actor.SYSTEM, "sample", Stage.EXPERT),
    *(
        StageMove(stage, Actor.SYSTEM, "sample", Stage.EXPERT)  # drawn on top, to know more
        for stage in (Stage.FINAL, Stage.RELEASED)
    ),
    StageMove(Stage.APPROVED, Actor.SYSTEM, "finish", Stage.FINAL),
    StageMove(Stage.APPROVED, Actor.SYSTEM, "recheck", Stage.CROSS_CHECK),
    StageMove(Stage.APPROVED, Actor.SYSTEM, "escalate_batch", Stage.ESCALATED),
    *(
        StageMove(stage, Actor.EXPERT, action, to)
        for stage in (Stage.ESCALATED, Stage.EXPERT)
        for action, to in (
            ("approve", Stage.FINAL),
            ("return", Stage.RETURNED),
            ("reject", Stage.REJECTED),
        )
    ),
    StageMove(Stage.FINAL, Actor.MANAGER, "freeze", Stage.RELEASED),
    *(
        StageMove(stage, Actor.EXPERT, "reopen", Stage.SELF_CHECK_TASK)
        for stage in (Stage.FINAL, Stage.RELEASED, Stage.REJECTED)
    ),
    *(
        # The runs contradict its gold together, or an expert what another one has decided.
        StageMove(stage, Actor.EXPERT, "suspect", Stage.ESCALATED)
        for stage in (Stage.EXPERT, Stage.FINAL, Stage.RELEASED)
    ),
    *(
        StageMove(stage, Actor.MANAGER, "return_batch", Stage.RETURNED)
        for stage in (Stage.CROSS_CHECK, Stage.APPROVED)
    ),
)
"""Every legal move. Where one approval has several targets, which is taken follows from the policy."""

LEADS = (Role.EXPERT, Role.MANAGER)
"""Who leads: looks after everybody's cases and opens sessions."""

ROLE_OF_STAGE = {
    Stage.IMPORTED: Role.ANNOTATOR,
    Stage.RETURNED: Role.ANNOTATOR,
    Stage.SELF_CHECK_TASK: Role.ANNOTATOR,
    Stage.SELF_CHECK_DIALOGUE: Role.ANNOTATOR,
    Stage.CROSS_CHECK: Role.ANNOTATOR,
    Stage.ESCALATED: Role.EXPERT,
    Stage.EXPERT: Role.EXPERT,
}
"""Role that works on a case at a stage; stages that are missing wait for nobody."""


def passed_self_checks(stage: Stage, policy: ReviewPolicy, *, task_count: int) -> tuple[Stage, ...]:
    """The self-checks an approval passes: a case of one task has one round, which counts as both.

    Args:
        stage: The self-check that is approved.
        policy: The review policy as it holds for the owner.
        task_count: Tasks of the case as it is handed on.
    """
    is_one = task_count == 1 or policy.one_self_check
    is_both = stage is Stage.SELF_CHECK_TASK and policy.dialogue_check and is_one
    return SELF_CHECKS if is_both else (stage,)


def check_move(stage: Stage, action: str, *, actor: Actor, to: Stage) -> None:
    """Refuse a move that is not in the table.

    Raises:
        ForbiddenError: Names the stage and what is possible there instead.
    """
    if StageMove(stage, actor, action, to) in MOVES:
        return
    actions = sorted({move.action for move in MOVES if move.at is stage})
    raise ForbiddenError(
        f"'{action}' by the {actor} is not possible at stage {stage}.",
        f"Possible there: {', '.join(actions)}." if actions else "Nothing can be done at this stage.",
    )
