"""The review policy of a project as data: which stages run, who checks how much, and the thresholds."""

from pydantic import Field, ValidationError

from scoring.errors import InputError
from scoring.model.record import Record


class ReviewPolicy(Record):
    """How cases are reviewed in this project (design section 3); changing it never rewrites history.

    `case_threshold` and `batch_threshold` are shares in [0, 1]: of differing fields per case, and of
    escalated cases per batch. `sample_share` of the approved cases goes to the expert, at least
    `sample_minimum`. `lease_minutes` is how long a claim is held without a sign of life.
    """

    solo: bool = Field(default=False, description="One person does everything: self-checks, then final.")
    cross_check: bool = Field(default=True, description="Independent reviewers judge every case blind.")
    expert_sample: bool = Field(default=True, description="An expert verifies a sample of approved cases.")
    reviewers: int = Field(default=2, ge=1, le=5, description="Cross-checkers per case (k).")
    case_threshold: float = Field(default=0.05, ge=0, le=1)
    batch_threshold: float = Field(default=0.05, ge=0, le=1)
    escalate_flagged_batch: bool = Field(default=False)
    sample_share: float = Field(default=0.10, ge=0, le=1)
    sample_minimum: int = Field(default=1, ge=0)
    seed: str = Field(default="annotator", max_length=60)
    lease_minutes: int = Field(default=60, ge=1, le=60 * 24 * 7)
    evidence_gate: bool = Field(default=True, description="Every argument value must be cited or marked.")

    @property
    def has_cross_check(self) -> bool:
        """Whether cases pass a cross-check after the self-checks."""
        return self.cross_check and not self.solo

    @property
    def has_expert_sample(self) -> bool:
        """Whether a sample of approved cases is verified."""
        return self.expert_sample and not self.solo


def changed_policy(policy: ReviewPolicy, assignments: tuple[str, ...]) -> ReviewPolicy:
    """Apply `KEY=VALUE` texts to a policy.

    Raises:
        InputError: A key does not exist or a value does not fit; names the keys there are.
    """
    values = policy.model_dump()
    for text in assignments:
        key, separator, value = text.partition("=")
        if not separator or key not in values:
            raise InputError(
                f"'{text}' is not a setting of the review policy.",
                f"Write KEY=VALUE with one of: {', '.join(values)}.",
            )
        values[key] = value
    try:
        return ReviewPolicy.model_validate(values)
    except ValidationError as exc:
        first = exc.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise InputError(
            f"The value for {key} does not fit: {first['msg']}.", "Correct it and repeat."
        ) from exc
