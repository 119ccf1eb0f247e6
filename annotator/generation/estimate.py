"""What a run will roughly take, before it starts: requests, tokens, dollars."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import mean

from pydantic import Field

from annotator.cases.coverage import ProjectCoverage, coverage_of
from annotator.cases.findings.text_findings import personal_data_in
from annotator.generation.plan import LANGUAGES, Chooser, GenerationPlan, Toolset, UserStyle
from annotator.generation.traversal import dealt, dealt_categories, dealt_steering, drawn_information
from scoring.groups import collected, summed
from scoring.measures.accuracy import RELATIONS
from scoring.measures.coverage import MAIN_TYPES
from scoring.measures.rates import Rate, rate
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


class PlannedShare(Record):
    """How often a project has a label, how often a run adds it, and among how many then.

    A main type is among tasks, a type of information among later tasks, a language or a category of
    toolsets among dialogues.
    """

    word: str
    present: int
    planned: int
    total: int

    @property
    def then(self) -> Rate:
        """The share of the label once the run is made."""
        return rate(self.present + self.planned, self.total)


class PlannedScenario(Record):
    """How often a run draws a scenario, and what its text holds that may tell who somebody is."""

    name: str
    planned: int
    personal: tuple[str, ...] = ()


class Estimate(Record):
    """What a run will take when no reply is rejected; dollars are None without prices.

    `shares` sets what is planned beside what the project has, for each main type and each other target;
    `tasks` has the main types alone. `styles` says how many users speak in which style.
    """

    dialogues: int
    requests: int
    prompt_tokens: int
    completion_tokens: int
    dollars: float | None = None
    tasks: tuple[PolicyTasks, ...] = ()
    shares: tuple[PlannedShare, ...] = ()
    scenarios: tuple[PlannedScenario, ...] = ()
    styles: dict[UserStyle, int] = Field(default_factory=dict)


def estimate_run(
    plan: GenerationPlan,
    toolsets: Sequence[Toolset],
    sequences: Sequence[tuple[str, ...]],
    *,
    present: ProjectCoverage | None = None,
) -> Estimate:
    """Estimate a run.

    Args:
        plan: What is made, and at which prices.
        toolsets: What its dialogues are drawn from.
        sequences: The policies of each dialogue.
        present: What the project has.
    """
    letters = [sum(len(to_json(tool.definition)) for tool in toolset.tools) for toolset in toolsets]
    tools = sum(letters) / len(letters) / _LETTERS_PER_TOKEN if letters else 0.0
    tools *= 2 if plan.native_tools else 1
    requests = prompt = 0.0
    words: list[str] = []
    for sequence in sequences:
        for position, word in enumerate(sequence[:1] if plan.is_layered else sequence):
            words.append(word.partition("_")[0])
            count = REQUESTS[word] + (plan.chooser is Chooser.MODEL) + max(0, len(plan.offered(position)) - 1)
            requests += count
            prompt += count * (_RULES_TOKENS + tools + _TASK_TOKENS * (position + 0.5))
    read, written = round(prompt), round(requests * _REPLY_TOKENS)
    filled = plan.model_copy(update={"sequences": sequences})
    steering = dealt_steering(filled)
    drawn = Counter(one.scenario for one in steering)
    styles = Counter(one.style for one in steering)
    shares = _planned_shares(filled, toolsets, words, present or coverage_of(()))
    return Estimate(
        dialogues=len(sequences),
        requests=round(requests),
        prompt_tokens=read,
        completion_tokens=written,
        dollars=plan.budget.cost(read, written),
        tasks=tuple(
            PolicyTasks(policy=one.word, present=one.present, planned=one.planned)
            for one in shares
            if one.word in MAIN_TYPES
        ),
        shares=shares,
        scenarios=tuple(
            PlannedScenario(name=one.name, planned=drawn[one], personal=tuple(personal_data_in(one.text)))
            for one in plan.scenarios
        ),
        styles={style: styles[style] for style in plan.styles},
    )


@collected
def _planned_shares(
    plan: GenerationPlan, toolsets: Sequence[Toolset], types: Sequence[str], has: ProjectCoverage
) -> Iterator[PlannedShare]:
    tasks = summed((str(one.policy.main_type), one.count) for one in has.labels if one.policy)
    later = summed((str(one.information), one.count) for one in has.labels if one.information in RELATIONS)
    drawn = [str(kind) for kinds in drawn_information(plan).values() for kind in kinds.values()]
    for words, planned, present in (
        (MAIN_TYPES, types, tasks),
        (plan.shares_of(RELATIONS), drawn, later),
        (plan.shares_of(LANGUAGES), dealt(plan, plan.languages), has.languages),
        (plan.categories, dealt_categories(plan, toolsets), has.categories),
    ):
        for word in words:
            yield PlannedShare(
                word=word,
                present=present.get(word, 0),
                planned=planned.count(word),
                total=len(planned) + sum(present.values()),
            )
