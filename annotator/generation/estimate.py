"""What a run will roughly take, before it starts: requests, tokens, dollars."""

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import mean

from annotator.cases.coverage import LabelCount
from annotator.generation.plan import Chooser, GenerationPlan, Toolset
from scoring.groups import summed
from scoring.measures.coverage import MAIN_TYPES
from scoring.model.record import Record, to_json
from scoring.model.taxonomy import Policy

_LETTERS_PER_TOKEN = 4
_RULES_TOKENS = 600
_REPLY_TOKENS = 180
_TASK_TOKENS = 700
"""What a finished task adds to the dialogue that every later request holds."""

# A vague answer comes once in four, and the question is asked again: 1 + 1/4 + 1/16 ... = 4/3 times.
_QUESTIONS = 4 / 3
_SINGLE = 5.0
"""User, planner, tool, planner, agent."""
REQUESTS: dict[str, float] = {
    Policy.SINGLE.value: _SINGLE,
    # Rounds of calls: two, one and two, each with its tool, its planner and a look of the checker.
    Policy.MULTI_SERIAL.value: 3 + 3 * 2,
    Policy.MULTI_PARALLEL.value: 3 + 3 * 1,
    Policy.MULTI_MIXED.value: 3 + 3 * 2,
    # Planner, question and reply for each question, then as a single task.
    Policy.CLARIFY.value: _SINGLE + 3 * _QUESTIONS,
    Policy.CHAT.value: 3.0,
}
REQUESTS["multi"] = mean(REQUESTS[policy.value] for policy in Policy if policy.is_multi)
"""Requests of one task of a wanted kind when no reply is rejected; multi in general is any of its kinds."""


class PolicyTasks(Record):
    """How many tasks of a main type a project has, and how many a run would add."""

    policy: str
    present: int
    planned: int


class Estimate(Record):
    """What a run will take when no reply is rejected; dollars are None without prices.

    `tasks` sets what is planned beside what the project has, for each main type.
    """

    dialogues: int
    requests: int
    prompt_tokens: int
    completion_tokens: int
    dollars: float | None = None
    tasks: tuple[PolicyTasks, ...] = ()


def estimate_run(
    plan: GenerationPlan,
    toolsets: Sequence[Toolset],
    sequences: Sequence[tuple[str, ...]],
    *,
    labels: Iterable[LabelCount] = (),
) -> Estimate:
    """Estimate a run.

    Args:
        plan: What is made, and at which prices.
        toolsets: What its dialogues are drawn from.
        sequences: The policies of each dialogue.
        labels: How many tasks of each policy the project has.
    """
    letters = [sum(len(to_json(tool.definition)) for tool in toolset.tools) for toolset in toolsets]
    tools = sum(letters) / len(letters) / _LETTERS_PER_TOKEN if letters else 0.0
    tools *= 2 if plan.native_tools else 1
    requests = prompt = 0.0
    present = summed((one.policy.main_type, one.count) for one in labels if one.policy)
    planned = Counter[str]()
    for sequence in sequences:
        for position, word in enumerate(sequence[:1] if plan.is_layered else sequence):
            planned[word.partition("_")[0]] += 1
            count = REQUESTS[word] + (plan.chooser is Chooser.MODEL) + max(0, len(plan.offered(position)) - 1)
            requests += count
            prompt += count * (_RULES_TOKENS + tools + _TASK_TOKENS * (position + 0.5))
    read, written = round(prompt), round(requests * _REPLY_TOKENS)
    return Estimate(
        dialogues=len(sequences),
        requests=round(requests),
        prompt_tokens=read,
        completion_tokens=written,
        dollars=plan.budget.cost(read, written),
        tasks=tuple(
            PolicyTasks(policy=kind, present=present.get(kind, 0), planned=planned[kind])
            for kind in MAIN_TYPES
        ),
    )
