"""What the person at the keys has made up their mind about: answers, dependencies and labels of one case."""

from pydantic import Field

from scoring.model.case import Case
from scoring.model.record import Record
from scoring.model.taxonomy import Information, Policy


class TaskPlan(Record):
    """One task as it is to leave the self-check.

    `answer` is written where none is there; null where one is. `edges` are drawn by hand unless a suggestion
    brings them. `marks` are keys of the Evidence tab for values nothing is proposed for, by step.
    """

    policy: Policy
    information: Information
    answer: str | None = None
    edges: tuple[tuple[int, int], ...] = ()
    marks: dict[int, str] = Field(default_factory=dict)


class CasePlan(Record):
    """A whole case."""

    case_id: str
    tasks: tuple[TaskPlan, ...]


MILEAGE = CasePlan(
    case_id="multi_turn_base_61",
    tasks=(
        TaskPlan(
            policy=Policy.MULTI_MIXED,
            information=Information.FIRST,
            answer="It is 980 miles, and your fuel does not suffice for it.",
        ),
        TaskPlan(
            policy=Policy.SINGLE,
            information=Information.OMISSION,
            answer="I filled in 7 gallons; the tank holds 49 now.",
            marks={0: "R"},
        ),
        TaskPlan(
            policy=Policy.MULTI_MIXED,
            information=Information.OMISSION,
            answer="The engine runs; the battery is at 12.6 volts.",
            edges=((0, 2), (1, 2)),
        ),
        TaskPlan(
            policy=Policy.SINGLE,
            information=Information.OMISSION,
            answer="All four tires are in order.",
        ),
    ),
)
"""A published dialogue: three values flow in its first task, one value stands nowhere, no answer is there."""


def plan_of(case: Case, *, writes: int, answer: str) -> CasePlan:
    """The plan of somebody who makes a case again as it is, but for one answer.

    Args:
        case: The case as it is to become; every value of it has a proposed origin.
        writes: Number of the task whose answer is missing.
        answer: What they write there; plain ASCII.
    """
    return CasePlan(
        case_id=case.id,
        tasks=tuple(
            TaskPlan(
                policy=Policy(task.policy or Policy.CHAT),
                information=Information(task.information or Information.FIRST),
                answer=answer if number == writes else None,
                edges=tuple(edge.pair for edge in task.drawn_edges),
            )
            for number, task in enumerate(case.tasks)
        ),
    )
