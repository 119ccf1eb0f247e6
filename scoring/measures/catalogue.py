"""The one list of measures: what is in it appears in every output (recipe: CONTRIBUTING.md)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

from scoring.matching.task_scores import has_right_names, is_right
from scoring.measures.accuracy import (
    Right,
    accuracy_by_information,
    accuracy_by_messages,
    accuracy_by_policy,
    accuracy_by_position,
    accuracy_by_transitions,
    session_accuracy,
    subsequent_accuracy,
    task_accuracy,
)
from scoring.measures.effort import calls_per_task, first_token_seconds, tokens_per_task, turns_per_task
from scoring.measures.failures import error_columns, error_shares, error_shares_c3, failing_argument_types
from scoring.measures.progress import accomplished_progress, optimal_path_rates
from scoring.measures.rates import Figure, Number, Rate
from scoring.measures.routes import layer_variance, policy_matrix, route_table
from scoring.measures.sample import ScoredSample
from scoring.wording import counted, half_up

TOTAL = "total"
"""The slice that stands for the whole; the only one of a measure with a single figure."""
NOTHING = "–"
"""What stands where nothing was measured."""


class Form(StrEnum):
    """How a figure is printed; `tenths` is percent with one decimal, as T-Eval has it."""

    PERCENT = "percent"
    TENTHS = "tenths"
    MEAN = "mean"
    VARIANCE = "variance"
    SECONDS = "seconds"

    def text(self, figure: Figure | None) -> str:
        """The bare figure, e.g. `66.67`, `1,204.5` or `0.0312`; a dash where there is none."""
        if figure is None or figure.value is None:
            return NOTHING
        if isinstance(figure, Rate):
            return figure.percent or NOTHING
        return format(half_up((100 if self.unit else 1) * figure.value), self.digits)

    @property
    def unit(self) -> str:
        """What stands beside the title of a table: the sign of percent, or nothing."""
        return "%" if self in (Form.PERCENT, Form.TENTHS) else ""

    @property
    def digits(self) -> str:
        """How numbers of this form are written."""
        return {
            Form.PERCENT: ".2f",
            Form.TENTHS: ".1f",
            Form.MEAN: ",.1f",
            Form.VARIANCE: ".4f",
            Form.SECONDS: ".3f",
        }[self]


class SliceLayout(StrEnum):
    """How the slices of a measure stand in a table.

    `across`: one row a run, one column a slice; `down`: one row a slice, one column a run; `matrix`: slices
    are named "row/column", and every run has as many rows.
    """

    ACROSS = "across"
    DOWN = "down"
    MATRIX = "matrix"


class Direction(StrEnum):
    """Which of two figures is the better one."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One measure of a run.

    Attributes:
        key: Where the summary of a scorecard holds it: below `measures`, or at the place a dot names.
        title: What its table is called.
        formula: What is divided by what, in one line.
        paper: Which papers print it, and where our specification has it.
        compute: The figures of a sample: one, or one for each slice.
        form: How a figure is printed.
        direction: Which of two figures is better.
        heading: Its column in the table of overall figures, with an interval where it is a rate; empty for
            none.
        headline: The plain number of the summary that is its total; empty for none.
        leaderboard: Headings of its columns in the leaderboard, by slice.
        layout: How its slices stand in a table.
        label: How a slice is called.
        is_detail: Whether it is left out where room is short: in the terminal.
    """

    key: str
    title: str
    formula: str
    paper: str
    compute: Callable[[ScoredSample], Figure | Mapping[str, Figure]]
    form: Form = Form.PERCENT
    direction: Direction = Direction.HIGHER
    heading: str = ""
    headline: str = ""
    leaderboard: Mapping[str, str] = field(default_factory=dict)
    layout: SliceLayout = SliceLayout.ACROSS
    label: Callable[[str], str] = str
    is_detail: bool = False

    def figures(self, sample: ScoredSample) -> dict[str, Figure]:
        """Its figures by slice; a single figure is the `total`."""
        found = self.compute(sample)
        return {TOTAL: found} if isinstance(found, Rate | Number) else dict(found)

    def difference(self, first: Figure | None, second: Figure | None) -> str:
        """How much more the second figure is, signed, rates in points; a dash where one is missing."""
        if first is None or second is None or first.value is None or second.value is None:
            return NOTHING
        scale = 100 if isinstance(first, Rate) else 1
        return f"{half_up(scale * (second.value - first.value)):+{self.form.digits}}"

    def total(self, sample: ScoredSample) -> Rate:
        """Its rate over the whole sample, for intervals.

        Raises:
            TypeError: The measure has no rate over the whole.
        """
        found = self.figures(sample)[TOTAL]
        if not isinstance(found, Rate):
            raise TypeError(f"{self.key} is not a rate")
        return found


def _task_name(position: str) -> str:
    return f"task {int(position) + 1}"


def _matrix_name(cell: str) -> str:
    row, _, column = cell.partition("/")
    return f"{'all tasks' if row == 'all' else _task_name(row)}/{column}"


def _matrix(sample: ScoredSample) -> dict[str, Rate]:
    rows = policy_matrix(sample).items()
    return {f"{row}/{column}": rate for row, rates in rows for column, rate in rates.items()}


def _variance(sample: ScoredSample) -> dict[str, Number]:
    return {str(length): found for length, found in layer_variance(route_table(sample)).items()}


def _accuracies(place: str, *, right: Right, words: str, is_detail: bool) -> tuple[Measure, ...]:
    """The slices of an accuracy; C3-Bench prints them for whole tasks and for tool names alone."""
    what = "right tasks / tasks of the group" if right is is_right else "tasks with right names / tasks"
    return (
        Measure(
            key=f"{place}.by_policy",
            title=f"{words}by policy",
            formula=what,
            paper="C3-Bench, MMTB, WildToolBench (scoring 5.1)",
            compute=partial(accuracy_by_policy, right=right),
            leaderboard={}
            if is_detail
            else {"single": "Single", "multi": "Multi", "clarify": "Clarify", "chat": "Chat"},
            is_detail=is_detail,
        ),
        Measure(
            key=f"{place}.by_position",
            title=f"{words}by task order",
            formula=what,
            paper="C3-Bench, MMTB, WildToolBench (scoring 5.1)",
            compute=partial(accuracy_by_position, right=right),
            label=_task_name,
            is_detail=is_detail,
        ),
        Measure(
            key=f"{place}.by_information",
            title=f"{words}by information",
            formula=what,
            paper="C3-Bench, MMTB, WildToolBench (scoring 5.1)",
            compute=partial(accuracy_by_information, right=right),
            is_detail=is_detail,
        ),
        Measure(
            key=f"{place}.by_transitions",
            title=f"{words}by policy transitions",
            formula=what,
            paper="WildToolBench, C3-Bench PTF (scoring 5.1, 5.5)",
            compute=partial(accuracy_by_transitions, right=right),
            label=lambda count: counted(int(count), "transition"),
            is_detail=is_detail,
        ),
    )


MEASURES: tuple[Measure, ...] = (
    Measure(
        key="accuracy.tasks",
        title="Task accuracy",
        formula="tasks with right calls and right arguments / tasks",
        paper="C3-Bench, MMTB, WildToolBench (scoring 5.1)",
        compute=task_accuracy,
        heading="task",
        headline="task_accuracy",
        leaderboard={TOTAL: "Task"},
    ),
    Measure(
        key="accuracy.sessions",
        title="Session accuracy",
        formula="cases whose tasks are all right / cases",
        paper="WildToolBench (scoring 5.1)",
        compute=session_accuracy,
        heading="session",
        headline="session_accuracy",
        leaderboard={TOTAL: "Session"},
    ),
    Measure(
        key="after_first",
        title="Accuracy after the first task",
        formula="right tasks / tasks, first tasks left out",
        paper="the overall figure of C3-Bench (scoring 3.7)",
        compute=subsequent_accuracy,
        heading="after the first",
        headline="subsequent_accuracy",
    ),
    Measure(
        key="names.tasks",
        title="Tool names alone",
        formula="tasks with right tool names / tasks, whatever the arguments",
        paper="C3-Bench (scoring 5.1)",
        compute=partial(task_accuracy, right=has_right_names),
        heading="names only",
        headline="names_accuracy",
    ),
    Measure(
        key="names.sessions",
        title="Session accuracy of tool names alone",
        formula="cases whose tasks all have right tool names / cases",
        paper="C3-Bench (scoring 5.1)",
        compute=partial(session_accuracy, right=has_right_names),
        heading="session, names only",
        is_detail=True,
    ),
    *_accuracies("accuracy", right=is_right, words="Accuracy ", is_detail=False),
    Measure(
        key="progress",
        title="Accomplished progress",
        formula="steps done before the first error / steps, serial and mixed tasks",
        paper="AP of C3-Bench, MMTB, WildToolBench (scoring 5.4)",
        compute=accomplished_progress,
        heading="progress",
        headline="accomplished_progress",
        leaderboard={TOTAL: "Progress"},
    ),
    Measure(
        key="optimal",
        title="Optimal paths",
        formula="right tasks in the fewest rounds / tasks, parallel and mixed ones",
        paper="OP of C3-Bench, MMTB, WildToolBench (scoring 5.3)",
        compute=optimal_path_rates,
        heading="optimal",
        headline="optimal_path_rate",
        leaderboard={TOTAL: "Optimal"},
    ),
    Measure(
        key="errors",
        title="Error classes of failed tasks",
        formula="tasks of the class / failed tasks, failures outside the model left out",
        paper="WildToolBench (scoring 5.9)",
        compute=error_shares,
        direction=Direction.NEITHER,
    ),
    Measure(
        key="error_columns",
        title="Errors as C3-Bench prints them",
        formula="tasks of the column's classes / failed tasks",
        paper="C3-Bench, MMTB (scoring 5.8)",
        compute=error_columns,
        direction=Direction.NEITHER,
    ),
    Measure(
        key="errors_c3",
        title="Error classes of failed tasks, as C3-Bench",
        formula="tasks of the class / failed tasks",
        paper="C3-Bench, MMTB (scoring 5.8)",
        compute=error_shares_c3,
        direction=Direction.NEITHER,
        is_detail=True,
    ),
    Measure(
        key="failing_argument_types",
        title="Declared types of wrong arguments",
        formula="wrong arguments of the type / wrong arguments",
        paper="C3-Bench, MMTB (scoring 5.8)",
        compute=failing_argument_types,
        direction=Direction.NEITHER,
        is_detail=True,
    ),
    Measure(
        key="by_messages",
        title="Accuracy by messages before the first reply",
        formula="right tasks / tasks of the group, groups of fewer than ten left out",
        paper="C3-Bench, MMTB (scoring 5.1)",
        compute=accuracy_by_messages,
        layout=SliceLayout.DOWN,
        label=lambda count: f"{count} messages",
        is_detail=True,
    ),
    *_accuracies("names", right=has_right_names, words="Tool names alone, ", is_detail=True),
    Measure(
        key="tokens_per_task",
        title="Tokens per task",
        formula="tokens of all replies to a task, mean over the tasks whose replies say",
        paper="WildToolBench logs them (formats 6.2)",
        compute=tokens_per_task,
        form=Form.MEAN,
        direction=Direction.LOWER,
    ),
    Measure(
        key="first_token_seconds",
        title="Seconds to the first token",
        formula="seconds from the request of a task to the first token of its first reply, where known",
        paper="named by WildToolBench (results, What a run must know for them)",
        compute=first_token_seconds,
        form=Form.SECONDS,
        direction=Direction.LOWER,
    ),
    Measure(
        key="calls_per_task",
        title="Calls per task",
        formula="tasks with so many calls in their gold solution / tasks",
        paper="WildToolBench (scoring 7)",
        compute=calls_per_task,
        direction=Direction.NEITHER,
        is_detail=True,
    ),
    Measure(
        key="turns_per_task",
        title="User turns per task",
        formula="tasks with so many user messages, replies to questions included / tasks",
        paper="WildToolBench (scoring 7)",
        compute=turns_per_task,
        direction=Direction.NEITHER,
        is_detail=True,
    ),
    Measure(
        key="layer_variance",
        title="Layer variance by tasks before",
        formula="sample variance of the mean correctness of the tasks that follow each sequence of policies",
        paper="C3-Bench (scoring 5.2)",
        compute=_variance,
        form=Form.VARIANCE,
        direction=Direction.LOWER,
        is_detail=True,
    ),
    Measure(
        key="policy_matrix",
        title="Accuracy by policy and task order",
        formula="right tasks / tasks of the cell",
        paper="C3-Bench (scoring 5.2)",
        compute=_matrix,
        layout=SliceLayout.MATRIX,
        label=_matrix_name,
        is_detail=True,
    ),
    Measure(
        key="routes",
        title="Accuracy of the last task by the policies up to it",
        formula="right last tasks / cases that begin with the sequence",
        paper="the route pyramid of C3-Bench (scoring 5.2)",
        compute=lambda sample: {" > ".join(route): rate for route, rate in route_table(sample).items()},
        layout=SliceLayout.DOWN,
        is_detail=True,
    ),
)
"""Every measure, in printed order."""


def headlines() -> dict[str, Measure]:
    """The rates among the overall figures, by the name of their plain number, else by their key."""
    found = (measure for measure in MEASURES if measure.heading and measure.form is Form.PERCENT)
    return {measure.headline or measure.key: measure for measure in found}
