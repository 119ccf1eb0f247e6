"""What a threshold would have done: the rounds that were closed, read under other settings of the policy."""

from annotator.project.workspace import Workspace, policy_of, query
from annotator.review.cross_check import excess_words
from annotator.review.measures.rater_agreement import RoundReader
from db.read import reviews
from db.tables import Transaction
from scoring.agreement.rated_cases import RatedCase
from scoring.model.record import Record
from scoring.model.taxonomy import Stage
from scoring.wording import counted

READINGS = (0, 1, 2)
"""Values of `case_fields` that are compared."""


class ThresholdEffects(Record):
    """How many of so many rounds would have gone to the experts, by how many fields may differ.

    Returned rounds are left out. What was escalated although few fields differed (a proposed edit, somebody
    who says no) counts under every reading. `raters` is the most in one round, the owner
    among them.
    """

    rounds: int
    raters: int
    escalated: dict[int, int]

    @property
    def words(self) -> str:
        """The effects in a sentence; empty before the first round."""
        if not self.rounds:
            return ""
        rounds = counted(self.rounds, "closed round")
        strict, one, two = (f"{self.escalated[allowed]:,}" for allowed in READINGS)
        if self.raters <= 2:
            return (
                f"Of {rounds} experts would have got {strict}, however many fields may differ. "
                "With one reviewer no field that differs has a majority."
            )
        return (
            f"Of {rounds} experts would have got: {strict} read strictly, {one} with 1 field, "
            f"{two} with 2 fields."
        )


@query
def threshold_effects(workspace: Workspace, tx: Transaction) -> ThresholdEffects:
    """Read the closed rounds of the project under the case threshold, with each number of fields."""
    threshold, read = policy_of(tx).case_threshold, RoundReader().read
    rounds = [(read(row.body), row.outcome) for row in reviews.closed_rounds(tx)]
    kept = [(rated, outcome) for rated, outcome in rounds if outcome is not Stage.RETURNED]

    def goes(rated: RatedCase, allowed: int) -> bool:
        open_ = any(not field.has_majority for field in rated.fields)
        return open_ or bool(excess_words(rated, threshold=threshold, allowed=allowed))

    anyway = [outcome is Stage.ESCALATED and not goes(rated, 0) for rated, outcome in kept]
    return ThresholdEffects(
        rounds=len(kept),
        raters=max((len(rated.raters) for rated, _ in kept), default=0),
        escalated={
            allowed: sum(goes(rated, allowed) for rated, _ in kept) + sum(anyway) for allowed in READINGS
        },
    )
