"""The score of one task: labels, progress and error classes, as one line of the scorecard."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from scoring.matching.argument_problems import CallCheck
from scoring.matching.gold import CallChecks, Gold
from scoring.matching.mistakes import c3_mistake, wildtool_mistake
from scoring.matching.outcomes import Match, flawless_steps
from scoring.matching.replay import flawless_length, replay
from scoring.model.case import Tool
from scoring.model.record import JsonObject, Record, is_none
from scoring.model.taxonomy import (
    ActionDetail,
    ArgumentProfile,
    C3Mistake,
    Information,
    Policy,
    WildtoolMistake,
)
from scoring.predictions import InfraError, Prediction

Label = Literal["correct", "error"]
_LONGEST_DETAIL = 500


class TaskScore(Record):
    """What one run is worth on one task (contracts 3).

    `action_label` judges tool names only, `arguments_label` the arguments of the calls that found their
    step (None where none had to be judged before the run broke off), `label` both. `steps_done` of
    `steps_total` is the progress, questions and answer counted (scoring 5.4). `error` and `error_c3`
    are None for correct tasks and for failures outside the model. `detail` says in words what went
    wrong first. `analysed_as` is the kind of multi that the released analysis of C3-Bench counts the task
    under, whatever its policy, `single` for none; None elsewhere.
    """

    case: str
    task: int
    policy: Policy | None
    information: Information | None
    label: Label
    action_label: Label
    action_detail: ActionDetail | None
    arguments_label: Label | None
    arguments_profile: ArgumentProfile
    optimal: bool
    steps_done: int
    steps_total: int
    error: WildtoolMistake | None
    error_c3: C3Mistake | None
    detail: str | None
    analysed_as: Policy | None = Field(default=None, exclude_if=is_none)

    @property
    def shape(self) -> Policy | None:
        """The policy it has in the figures of each kind of multi, in progress and optimal paths."""
        return self.analysed_as or self.policy

    @property
    def is_correct(self) -> bool:
        """Names and arguments right."""
        return self.label == "correct"

    @property
    def is_answered(self) -> bool:
        """Whether there is a prediction, be it a failure."""
        return self.action_detail is not ActionDetail.NO_PREDICTION

    @property
    def is_outside_model(self) -> bool:
        """Wrong for reasons outside the model: counted in accuracies, not in error shares (scoring 3.8)."""
        return self.action_detail in (ActionDetail.INFRA_ERROR, ActionDetail.NO_PREDICTION)


def is_right(task: TaskScore) -> bool:
    """Names and arguments right: what counts as right unless another test is asked for."""
    return task.label == "correct"


def has_right_names(task: TaskScore) -> bool:
    """Tool names right, whatever the arguments: the test of the names-only tables."""
    return task.action_label == "correct"


def label(right: bool) -> Label:
    """The published word for a yes or no."""
    return "correct" if right else "error"


def unanswered(gold: Gold, detail: ActionDetail, message: str, *, profile: ArgumentProfile) -> TaskScore:
    """The score of a task that no model answered: wrong, without progress and without an error class."""
    return TaskScore.trusted(
        case=gold.case_id,
        task=gold.task_number,
        policy=gold.policy,
        information=gold.task.information,
        label="error",
        action_label="error",
        action_detail=detail,
        arguments_label=None,
        arguments_profile=profile,
        optimal=False,
        steps_done=0,
        steps_total=len(gold.graph),
        error=None,
        error_c3=None,
        detail=shortened(message) or None,
        analysed_as=gold.analysed_as,
    )


@dataclass(frozen=True)
class Judged:
    """The score of one prediction, and the declared types of its wrong arguments, one an argument."""

    score: TaskScore
    wrong_types: tuple[str, ...] = ()


def score_task(gold: Gold, prediction: Prediction, *, profile: ArgumentProfile) -> TaskScore:
    """Score one prediction under semantics `paper`; see `judge_task`."""
    return judge_task(gold, prediction, profile=profile).score


def judge_task(gold: Gold, prediction: Prediction, *, profile: ArgumentProfile) -> Judged:
    """Judge one prediction under semantics `paper`.

    Args:
        gold: The task.
        prediction: What the model answered to it.
        profile: Rules for arguments.

    Returns:
        The score. A prediction with an `error` failed outside the model, whatever it answered before.
    """
    if prediction.error:
        return Judged(failed_outside(gold, prediction.error, profile=profile))
    checks = CallChecks(gold, profile)
    length = flawless_length(gold, prediction.replies, checks)
    if length is not None:
        return Judged(_flawless(gold, length, profile=profile))
    match = replay(gold, prediction.replies, profile=profile, checks=checks)
    return Judged(score_match(gold, match, profile=profile), wrong_types(gold, match))


def _flawless(gold: Gold, length: int, *, profile: ArgumentProfile) -> TaskScore:
    """What `score_match` says of a run of so many replies that is right in every name and argument."""
    return TaskScore.trusted(
        case=gold.case_id,
        task=gold.task_number,
        policy=gold.policy,
        information=gold.task.information,
        label="correct",
        action_label="correct",
        action_detail=None,
        arguments_label="correct",
        arguments_profile=profile,
        optimal=length == gold.rounds,
        steps_done=len(gold.graph),
        steps_total=len(gold.graph),
        error=None,
        error_c3=None,
        detail=None,
        analysed_as=gold.analysed_as,
    )


def failed_outside(gold: Gold, error: InfraError, *, profile: ArgumentProfile) -> TaskScore:
    """The score of a task whose run failed outside the model."""
    message = f"{error.kind}: {error.message}".rstrip(": ")
    return unanswered(gold, ActionDetail.INFRA_ERROR, message, profile=profile)


def wrong_types(gold: Gold, match: Match) -> tuple[str, ...]:
    """The declared types of the wrong arguments of a run, in the order of its calls (scoring 5.8)."""
    return tuple(
        name
        for outcome in match.outcomes
        for step, check in zip(outcome.steps, outcome.checks, strict=False)
        for name in _wrong_types_of_call(gold.tools.get(gold.graph.names[step]), check)
    )


def _wrong_types_of_call(tool: Tool | None, check: CallCheck) -> Iterator[str]:
    names = dict.fromkeys(
        str(name)
        for problem in check.problems
        for name in (problem.place[:1] or (*problem.missing, *problem.extra))
    )
    return declared_types(names, tool.properties if tool else {})


def declared_types(names: Iterable[str], schemas: JsonObject) -> Iterator[str]:
    """The declared type of each argument; `undeclared` where the schema has none."""
    for name in names:
        schema = schemas.get(name)
        found = schema.get("type", "string") if isinstance(schema, dict) else "undeclared"
        yield found if isinstance(found, str) else "several"


def score_match(gold: Gold, match: Match, *, profile: ArgumentProfile) -> TaskScore:
    """Score a run that was matched already, live or replayed, under semantics `paper`."""
    right_arguments = match.first_bad_arguments is None
    right = match.names_correct and right_arguments
    judged = match.names_correct or not right_arguments
    return unanswered(gold, ActionDetail.NO_REPLY, "", profile=profile).model_copy(
        update={
            "label": label(right),
            "action_label": label(match.names_correct),
            "action_detail": match.failure.detail if match.failure else None,
            "arguments_label": label(right_arguments) if judged else None,
            "optimal": right and len(match.outcomes) == gold.rounds,
            "steps_done": progress(gold, match),
            "error": wildtool_mistake(gold, match),
            "error_c3": c3_mistake(gold, match),
            "detail": explain(gold, match),
        }
    )


def progress(gold: Gold, match: Match, *, calls_only: bool = False) -> int:
    """Gold steps completed before the first error (scoring 5.4 `paper`; AP of C3-Bench, MMTB, WildToolBench).

    See `flawless_steps`; all steps if nothing is wrong.

    Args:
        gold: The task.
        match: The run.
        calls_only: Leave out questions and the answer, which the published figures count.
    """
    done = flawless_steps(match.outcomes)
    return sum(step not in gold.graph.pseudo for step in done) if calls_only else len(done)


def shortened(text: str) -> str:
    """A message cut to what a table can hold: models invent names of any length."""
    return text if len(text) <= _LONGEST_DETAIL else f"{text[: _LONGEST_DETAIL - 1]}…"


def explain(gold: Gold, match: Match) -> str | None:
    """What went wrong first, in words: which reply, which call, which argument, which rule."""
    bad = match.first_bad_arguments
    if bad is not None:
        outcome = match.outcomes[bad]
        parts = [
            f"{gold.graph.names[step]} (step {step}) {check.message}"
            for step, check in zip(outcome.steps, outcome.checks, strict=True)
            if not check.correct
        ]
        return shortened(f"Reply {bad}: {'; '.join(parts)}")
    if match.failure:
        return shortened(f"Reply {len(match.outcomes) - 1}: {match.failure.message}")
    return None
