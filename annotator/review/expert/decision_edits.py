"""Changes of a decision as it grows, and what it would make of the case so far."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from annotator.review.expert.decisions import (
    Adjudication,
    Decision,
    FeedbackItem,
    KeptField,
    Own,
    defects,
    preview,
    undecided,
)
from scoring.errors import AnnotatorError, CycleError, InputError
from scoring.generics import T
from scoring.model.case import Case, content_sha256
from scoring.model.taxonomy import Verdict

Answer = Literal["accept", "decline"]
Choice = str | Own | None
"""A side's letter, an own value, or None for open."""


def take_side(decision: Decision, field_id: str, *, choice: Choice) -> Decision:
    """Decide a field for a side or an own value; None opens it again."""
    return decision.model_copy(update={"fields": _with_last(decision.fields, field_id, choice)})


def answer_edit(decision: Decision, edit_id: str, *, answer: Answer | None) -> Decision:
    """Accept or decline a proposed edit; None opens it again."""
    return decision.model_copy(update={"edits": _with_last(decision.edits, edit_id, answer)})


def _with_last(entries: Mapping[str, T], name: str, entry: T | None) -> dict[str, T]:
    others = {other: held for other, held in entries.items() if other != name}
    return others if entry is None else {**others, name: entry}


def tell(decision: Decision, to: str, *, category: str | None, note: str) -> Decision:
    """Tell somebody about a mistake; without a category nothing is told to them."""
    kept = [item for item in decision.feedback if item.to != to]
    if category is not None:
        kept.append(FeedbackItem(to=to, category=category, note=note))
    return decision.model_copy(update={"feedback": tuple(sorted(kept, key=lambda item: item.to))})


def feedback_to(decision: Decision, to: str) -> FeedbackItem | None:
    """What is told to somebody; None for nothing."""
    return next((item for item in decision.feedback if item.to == to), None)


def keep(decision: Decision, field_id: str, *, reason: str) -> Decision:
    """Keep a known defect on purpose; without a reason it is not kept."""
    others = tuple(item for item in decision.kept if item.field != field_id)
    kept = (*others, KeptField(field=field_id, reason=reason)) if reason.strip() else others
    return decision.model_copy(update={"kept": kept})


def kept_reason(decision: Decision, field_id: str) -> str:
    """Why a known defect is kept; empty where it is not."""
    return next((item.reason for item in decision.kept if item.field == field_id), "")


def with_edit(decision: Decision, case: Case, *, shown: Case) -> Decision:
    """Keep the case as the expert would have it; where it is as shown, nothing is kept."""
    return decision.model_copy(update={"edit": None if case == shown else case})


def settled_decision(adjudication: Adjudication, decision: Decision, verdict: Verdict) -> Decision:
    """A decision as it is submitted: of what is kept only what is still wrong."""
    wrong = known_defects(adjudication, decision)
    kept = tuple(item for item in decision.kept if item.field in wrong)
    return decision.model_copy(update={"verdict": verdict, "kept": kept})


def known_defects(adjudication: Adjudication, decision: Decision) -> tuple[str, ...]:
    """What an approval would leave wrong; nothing is known of a decision that breaks a rule."""
    try:
        return defects(adjudication, decision)
    except AnnotatorError:
        return ()


def left_to_decide(adjudication: Adjudication, decision: Decision) -> tuple[str, ...]:
    """Ids of what an approval still needs decided, or corrected, or kept with a reason."""
    kept = {item.field for item in decision.kept}
    wrong = (name for name in known_defects(adjudication, decision) if name not in kept)
    return (*undecided(adjudication, decision.model_copy(update={"verdict": Verdict.APPROVE})), *wrong)


@dataclass(frozen=True)
class Result:
    """The case a decision makes; None where it breaks a rule, with the error that says which."""

    case: Case | None
    error: AnnotatorError | None = None

    @property
    def problem(self) -> str:
        """What is wrong, in words; empty for nothing."""
        return str(told(self.error)) if self.error is not None else ""


def result_of(adjudication: Adjudication, decision: Decision) -> Result:
    """Try a decision out on the case that is shown."""
    try:
        return Result(preview(adjudication, adjudication.case, decision))
    except AnnotatorError as error:
        return Result(None, error)


def told(error: AnnotatorError) -> AnnotatorError:
    """An error as the expert is told: a circle by its edges, with what can be done about it."""
    if not isinstance(error, CycleError):
        return error
    path = " → ".join(map(str, error.cycle))
    return InputError(f"This would close a circle: {path}.", "Leave one of its other edges out first.")


def is_correction(adjudication: Adjudication, result: Result) -> bool:
    """Whether a sampled case would come out another one than it was approved as."""
    return result.case is not None and content_sha256(result.case) != content_sha256(adjudication.case)
