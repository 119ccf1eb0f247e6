"""What parts that can be left out ask before real work begins, each joined here and nowhere else."""

from collections.abc import Callable
from dataclasses import dataclass

from annotator.project.policy import ReviewPolicy
from annotator.training import progress as training
from db.read.rows import PersonRow
from db.tables import Transaction


@dataclass(frozen=True)
class ClaimGate:
    """What stands between a person and their first case.

    Attributes:
        refuse: Raises ForbiddenError where the policy asks for more than the person has done.
        is_newcomer: Whether their first case should be no blind cross-check.
    """

    refuse: Callable[[Transaction, PersonRow, ReviewPolicy], None]
    is_newcomer: Callable[[Transaction, PersonRow], bool]


CLAIM_GATES: tuple[ClaimGate, ...] = (ClaimGate(training.refuse_untrained, training.is_newcomer),)


def refuse_unprepared(tx: Transaction, person: PersonRow, policy: ReviewPolicy) -> None:
    """Refuse real work to who has not passed every gate.

    Raises:
        ForbiddenError: Says what is asked for.
    """
    for gate in CLAIM_GATES:
        gate.refuse(tx, person, policy)


def is_newcomer(tx: Transaction, person: PersonRow) -> bool:
    """Whether a person's first case should be no blind cross-check."""
    return any(gate.is_newcomer(tx, person) for gate in CLAIM_GATES)
