"""Where the scripted people go wrong: so many cases of every kind in each batch, always the same ones."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from scoring.model.case import Case
from tests.e2e.truths import OTHER, field_count

CASE_THRESHOLD_FIELDS = 20
"""At a threshold of 5 % one differing field of 20 is not above it, one of 19 is."""


class Plant(StrEnum):
    """One kind of planted mistake; `_below` and `_above` say on which side of the threshold it lies.

    An owner's mistake is a wrong information type of the last task, unless it says otherwise.
    """

    LATE = "late"  # the owner mends it at the dialogue check only
    OUTVOTED_BELOW = "outvoted_below"  # both reviewers say otherwise: the majority becomes content
    OVERRULED_ABOVE = "overruled_above"  # the same, but above: the expert decides against the owner
    MISSED_BELOW = "missed_below"  # nobody sees it in the first round
    MISSED_ABOVE = "missed_above"
    COMPLETED_BELOW = "completed_below"  # one reviewer calls the last task not completed
    COMPLETED_ABOVE = "completed_above"
    POLICY_BELOW = "policy_below"  # one reviewer names another policy of the first task
    POLICY_ABOVE = "policy_above"
    CALL_BELOW = "call_below"  # one reviewer calls the first call wrong
    EDGE_BELOW = "edge_below"  # one reviewer does not draw the first dependency
    EDGE_ABOVE = "edge_above"
    RETURNED = "returned"  # a wrong answer, which both reviewers send back
    REJECTED = "rejected"  # one reviewer rejects; the expert does too, and opens the case again later
    OWNER_ESCALATES = "owner_escalates"  # the owner asks the expert at the first self-check


ABOVE = frozenset(
    (Plant.OVERRULED_ABOVE, Plant.COMPLETED_ABOVE, Plant.POLICY_ABOVE, Plant.EDGE_ABOVE, Plant.REJECTED)
)
"""What the first cross-check escalates."""

OWNERS_MISTAKES = frozenset(
    (
        Plant.LATE,
        Plant.OUTVOTED_BELOW,
        Plant.OVERRULED_ABOVE,
        Plant.MISSED_BELOW,
        Plant.MISSED_ABOVE,
    )
)


def planted(cases: Sequence[Case], counts: Mapping[Plant, int]) -> dict[str, Plant]:
    """Choose the cases of a batch in which somebody goes wrong: the first that fit each kind.

    Args:
        cases: The batch as it should be in the end, in the order of its file.
        counts: How many of each kind; kinds are served in this order.
    """
    plan: dict[str, Plant] = {}
    for kind, count in counts.items():
        fitting = [case.id for case in cases if case.id not in plan and _fits(case, kind)]
        assert len(fitting) >= count, f"{kind}: {len(fitting)} of {count}"
        plan |= dict.fromkeys(fitting[:count], kind)
    return plan


def _fits(case: Case, kind: Plant) -> bool:
    fields = field_count(case)
    if kind.endswith("_below") and fields < CASE_THRESHOLD_FIELDS:
        return False
    if kind.endswith("_above") and fields >= CASE_THRESHOLD_FIELDS:
        return False
    if kind in OWNERS_MISTAKES:
        return case.tasks[-1].information in OTHER
    if kind in (Plant.EDGE_BELOW, Plant.EDGE_ABOVE):
        return bool(case.tasks[0].drawn_edges)
    if kind is Plant.CALL_BELOW:
        return bool(case.tasks[0].calls)
    return True
