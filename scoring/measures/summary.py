"""The summary of a run: every measure by name, as a scorecard holds it (contracts 3)."""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, Optional

from pydantic import Field

from scoring.matching.task_scores import TaskScore
from scoring.measures import catalogue
from scoring.measures.catalogue import TOTAL, Measure
from scoring.measures.rates import Figure, Number, Rate
from scoring.measures.sample import ScoredSample
from scoring.model.record import Record
from scoring.model.taxonomy import ActionDetail, InfraErrors, Undrawn


class AccuracyTable(Record):
    """Accuracy of all tasks and of their slices (scoring 5.1).

    `by_policy` has the six policies and `multi` for the three of them together; `by_position` the task's
    place from "0"; `by_task_count` the same as number of tasks so far from "1" (C3-Bench);
    `by_information` the first tasks, all `subsequent` ones (the overall figure of C3-Bench), and these by
    relation, and apart from that the tasks that need the earlier dialogue (`related`, the true multi-turn
    of C3-Bench) and those that do not (`unrelated`); `by_transitions` the number of policy changes up to
    the task.
    """

    tasks: Rate
    sessions: Rate
    by_policy: dict[str, Rate]
    by_position: dict[str, Rate]
    by_task_count: dict[str, Rate]
    by_information: dict[str, Rate]
    by_transitions: dict[str, Rate]


class ReplyTotals(Record):
    """What the replies of a run took; None where no reply said. `timed` of them said their seconds."""

    replies: int = 0
    timed: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency_seconds: float | None = None


class UndrawnTasks(Record):
    """How many tasks their file leaves without an order, and how they were matched; None for no such task."""

    count: int = 0
    matched: Undrawn | None = None

    @property
    def words(self) -> str:
        """Their number and what became of them."""
        return f"{self.count:,} – {self.matched.words}" if self.matched else "0"


class Summary(Record):
    """The metrics of a run by name; plain numbers are 0..1 or None for an empty group.

    `names_accuracy` counts a task as right where all tool names are, whatever the arguments;
    `subsequent_accuracy` leaves out first tasks (the overall figure of C3-Bench). `missing` tasks have no
    prediction and `infra_errors` failed outside the model. Both are left out of the error shares; in
    accuracies the missing count as wrong, the others as `infra_errors_count` says, and
    `infra_errors_otherwise` has the figures the other way round where there are any such failures.
    `measures` has every measure the list has gained since, by slice. `unpassable` are the tasks that not even
    their gold would pass, since its arguments break the schema of their tool.
    """

    task_accuracy: float | None
    session_accuracy: float | None
    subsequent_accuracy: float | None
    names_accuracy: float | None
    optimal_path_rate: float | None
    accomplished_progress: float | None
    tasks: int
    sessions: int
    predictions: int
    infra_errors: int
    missing: int
    ignored: int
    accuracy: AccuracyTable
    names: AccuracyTable
    optimal: dict[str, Rate]
    progress: dict[str, Rate]
    errors: dict[str, Rate]
    errors_c3: dict[str, Rate]
    error_columns: dict[str, Rate]
    replies: ReplyTotals = Field(default_factory=ReplyTotals)
    measures: dict[str, dict[str, Rate | Number]] = Field(default_factory=dict)
    infra_errors_count: InfraErrors = InfraErrors.WRONG
    infra_errors_otherwise: Optional["Summary"] = None
    undrawn: UndrawnTasks = UndrawnTasks()
    unpassable: int = 0

    @property
    def seconds_per_task(self) -> float | None:
        """Seconds of waiting for the replies to a task; replies that do not say count like the others."""
        replies, waited = self.replies, self.replies.latency_seconds
        answers = self.predictions * (replies.timed or replies.replies)
        return waited * replies.replies / answers if waited is not None and answers else None

    @property
    def first_token(self) -> Number | None:
        """Mean seconds to the first token of a task, of so many tasks that say; None where none does."""
        found = self.measures.get("first_token_seconds", {}).get("mean")
        return found if isinstance(found, Number) else None

    def figures(self, measure: Measure) -> dict[str, Figure]:
        """The figures of a measure by slice; empty where the scorecard is older than the measure."""
        if "." not in measure.key and measure.key not in Summary.model_fields:
            return dict(self.measures.get(measure.key, {}))
        found: object = attrgetter(measure.key)(self)
        if isinstance(found, Rate):
            return {TOTAL: found}
        return dict(found) if isinstance(found, dict) else {}

    def counting(self, infra_errors: InfraErrors) -> "Summary":
        """The summary with failures outside the model counted in one way."""
        other = self.infra_errors_otherwise
        if not self.infra_errors:  # either way gives the same figures
            return self.model_copy(update={"infra_errors_count": infra_errors})
        if other is None or infra_errors is self.infra_errors_count:
            return self
        return other.model_copy(
            update={"infra_errors_otherwise": self.model_copy(update={"infra_errors_otherwise": None})}
        )


def summarise(
    tasks: Sequence[TaskScore] | ScoredSample,
    *,
    ignored: int = 0,
    replies: ReplyTotals | None = None,
    undrawn: UndrawnTasks | None = None,
) -> Summary:
    """Compute every measure of a run.

    Args:
        tasks: Every scored task, those of a case next to each other and in order; or these as a sample.
        ignored: How many predictions or tasks did not count.
        replies: Tokens and time, where known.
        undrawn: How many tasks of the cases are undrawn, and what became of them.

    Returns:
        The measures. A run without a single prediction has measured nothing: its rates are None.
    """
    sample = tasks if isinstance(tasks, ScoredSample) else ScoredSample(tasks)
    told = {"ignored": ignored, "replies": replies or ReplyTotals(), "undrawn": undrawn or UndrawnTasks()}
    found = _summary(sample, told)
    if not found.infra_errors:
        return found
    other = ScoredSample(sample.tasks, sample.facts, leaves_out_infra=not sample.leaves_out_infra)
    return found.model_copy(update={"infra_errors_otherwise": _summary(other, told)})


def _summary(sample: ScoredSample, told: Mapping[str, object]) -> Summary:
    missing = sum(task.action_detail is ActionDetail.NO_PREDICTION for task in sample.tasks)
    measured = sample if missing < len(sample.tasks) else ScoredSample(())
    body: dict[str, Any] = {
        "tasks": len(sample.tasks),
        "sessions": len(sample.sessions),
        "predictions": len(sample.tasks) - missing,
        "infra_errors": sum(task.action_detail is ActionDetail.INFRA_ERROR for task in sample.tasks),
        "missing": missing,
        "unpassable": sum(not one.is_passable for one in sample.facts.values()),
        **told,
        "infra_errors_count": InfraErrors.LEFT_OUT if sample.leaves_out_infra else InfraErrors.WRONG,
    }
    found = {measure.key: measure.figures(measured) for measure in catalogue.MEASURES}
    for measure in catalogue.MEASURES:
        if measure.headline:
            body[measure.headline] = found[measure.key][TOTAL].value
    for table in ("accuracy", "names"):
        by_position = found[f"{table}.by_position"]
        found[f"{table}.by_task_count"] = {str(int(p) + 1): one for p, one in by_position.items()}
    for key, figures in found.items():
        table, _, name = key.partition(".")
        if name:
            body.setdefault(table, {})[name] = figures.get(TOTAL, figures)
        elif key in Summary.model_fields:
            body[key] = figures
        else:
            body.setdefault("measures", {})[key] = figures
    return Summary.model_validate(body)
