"""Strategies that decide many fields at once: what all sides say, what most say, or all of one side."""

from collections import Counter
from collections.abc import Callable
from enum import StrEnum

from annotator.review.expert.decided_edges import choice_for
from annotator.review.expert.decision_edits import Choice
from annotator.review.expert.decisions import Adjudication, Decision
from annotator.review.expert.proposed_edits import ProposedEdit
from scoring.model.labels import UNDRAWN, ComparedField
from scoring.model.record import canonical_bytes


class Strategy(StrEnum):
    """Whose word is taken for fields that are still open."""

    UNANIMOUS = "unanimous"
    MAJORITY = "majority"


STRATEGY_WORDS = {
    Strategy.UNANIMOUS: "what all reviewers say",
    Strategy.MAJORITY: "what most reviewers say",
}


def merged(adjudication: Adjudication, decision: Decision, strategy: Strategy) -> Decision:
    """Decide every open field and edit on which enough sides say the same; the rest stays open.

    `unanimous` asks for all sides, `majority` for more than half of them. An edit is accepted where
    enough sides propose the very same change; what fewer propose stays for the expert to judge.
    """
    side_count = len(adjudication.sides)
    needed = side_count if strategy is Strategy.UNANIMOUS else side_count // 2 + 1

    def choice(field: ComparedField) -> Choice:
        (said, count) = Counter(map(canonical_bytes, field.values)).most_common(1)[0]
        value = next(value for value in field.values if canonical_bytes(value) == said)
        is_left_open = (value is None and field.kind != "edge") or value == UNDRAWN or field.kind == "drawn"
        return None if count < needed or is_left_open else choice_for(adjudication, field, value)

    proposed = Counter((edit.place, canonical_bytes(edit.after)) for edit in adjudication.edits)
    return _filled(
        adjudication,
        decision,
        choice,
        accepts=lambda edit: proposed[edit.place, canonical_bytes(edit.after)] >= needed,
    )


def taken_from(adjudication: Adjudication, decision: Decision, letter: str) -> Decision:
    """Decide every open field for one side and accept its edits; edits of others stay open."""
    place = [side.letter for side in adjudication.sides].index(letter)
    return _filled(
        adjudication,
        decision,
        lambda field: None if field.kind == "drawn" or field.values[place] == UNDRAWN else letter,
        accepts=lambda edit: edit.side == letter,
    )


def merges(adjudication: Adjudication, decision: Decision) -> tuple[tuple[str, Decision], ...]:
    """Every way to merge, in words, with the decision it would make."""
    strategies = tuple(
        (words, merged(adjudication, decision, strategy)) for strategy, words in STRATEGY_WORDS.items()
    )
    sides = tuple(
        (f"everything open as {side.letter} says", taken_from(adjudication, decision, side.letter))
        for side in adjudication.sides
    )
    return strategies + sides


def decided_count(before: Decision, after: Decision) -> int:
    """How many fields and edits a merge decides."""
    return len(after.fields) - len(before.fields) + len(after.edits) - len(before.edits)


def _filled(
    adjudication: Adjudication,
    decision: Decision,
    choice: Callable[[ComparedField], Choice],
    *,
    accepts: Callable[[ProposedEdit], bool],
) -> Decision:
    """The decision with a choice for every open field that has one, and the edits that are accepted."""
    fields = {
        field.id: found
        for field in adjudication.differing
        if field.id not in decision.fields and (found := choice(field)) is not None
    }
    edits = {
        edit.id: "accept" for edit in adjudication.edits if edit.id not in decision.edits and accepts(edit)
    }
    return decision.model_copy(
        update={"fields": decision.fields | fields, "edits": {**decision.edits, **edits}}
    )
