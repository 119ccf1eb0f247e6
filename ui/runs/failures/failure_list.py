"""The failed tasks of a run as a list one walks through."""

from collections.abc import Sequence

from scoring.matching.task_scores import TaskScore
from scoring.model.taxonomy import ActionDetail
from scoring.scorecard import Scorecard
from ui.theme.tables import Cell, Column, Row
from ui.theme.tokens import Tone
from ui.theme.words import POLICY_SHORT

ALL = ""
OUTSIDE = "outside"
"""Kind of a failure that is not the model's."""

COLUMNS = (Column("Case"), Column("Task", 48, is_figure=True), Column("Policy", 72), Column("Error", 168))


def failed_tasks(card: Scorecard, kind: str = ALL) -> tuple[TaskScore, ...]:
    """The wrong tasks of a run in the order of the cases, or those of one error class."""
    return tuple(task for task in card.tasks if not task.is_correct and kind in (ALL, kind_of(task)))


def kind_of(task: TaskScore) -> str:
    """The error class of a wrong task, `OUTSIDE` where the failure is not the model's."""
    return task.error.value if task.error else OUTSIDE


def kind_words(task: TaskScore) -> str:
    """The error class as it is shown."""
    if task.action_detail is ActionDetail.NO_PREDICTION:
        return "No prediction"
    return task.error.value if task.error else "Outside the model"


def failure_rows(tasks: Sequence[TaskScore]) -> tuple[Row, ...]:
    """The lines of the list; the key is (case, task)."""
    return tuple(
        Row(
            (task.case, task.task),
            (
                Cell(task.case, is_mono=True),
                Cell(f"{task.task + 1}", task.task),
                Cell(POLICY_SHORT[task.policy] if task.policy else "–", colour="muted"),
                Cell(kind_words(task), tip=task.detail or "", chip=kind_tone(task)),
            ),
        )
        for task in tasks
    )


def kind_tone(task: TaskScore) -> Tone:
    """The tone of an error class: the model's own are errors, the others are not."""
    return Tone.ERROR if task.error else Tone.NEUTRAL
