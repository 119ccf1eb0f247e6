"""A gold task made ready to be compared with many runs: its graph, its shortest length, its tools."""

from dataclasses import dataclass
from functools import cached_property, partial

from scoring.errors import AnnotatorError, GraphError, reworded
from scoring.matching.argument_problems import CallCheck
from scoring.matching.arguments import Arguments, UnreadableArguments, check_arguments, read_arguments
from scoring.matching.wildtool_arguments import value_bytes
from scoring.model.case import AcceptedValue, Ask, Call, Case, Task, Tool
from scoring.model.graph import StepGraph, derive_policy, step_graph
from scoring.model.record import JsonObject, canonical_bytes
from scoring.model.taxonomy import ArgumentProfile, Policy
from scoring.orders.lattice import Lattice, bits, lattice_of
from scoring.orders.legal_orders import optimal_rounds
from scoring.predictions import ToolCall


class NotScorableError(AnnotatorError):
    """A task has no complete gold solution yet, so no run can be compared with it."""


@dataclass(frozen=True)
class Gold:
    """One gold task.

    `policy` is the declared one, else the one the graph shows (scoring 8, D-20). `rounds` is the length of
    the shortest legal order, questions and answer included; `analysed_as` see `TaskScore`. `accepted_calls`
    are those of BFCL, as `calls_mistake` takes them: empty where no call is right, None where any is.
    `simulated` is BFCL's question of which the task is a turn, with the calls of all under `ground_truth`.
    """

    case_id: str
    task_number: int
    task: Task
    policy: Policy | None
    tools: dict[str, Tool]
    graph: StepGraph
    lattice: Lattice
    rounds: int
    analysed_as: Policy | None = None
    accepted_calls: tuple[JsonObject, ...] | None = ()
    simulated: JsonObject | None = None

    def calls_in(self, steps: int) -> tuple[int, ...]:
        """The tool calls in a set of steps."""
        return tuple(step for step in bits(steps) if isinstance(self.task.steps[step], Call))

    def asks_in(self, steps: int) -> tuple[int, ...]:
        """The questions in a set of steps."""
        return tuple(step for step in bits(steps) if isinstance(self.task.steps[step], Ask))

    @property
    def answer(self) -> int:
        """The step number of the answer."""
        return next(iter(self.graph.answers))

    @property
    def call_names(self) -> frozenset[str]:
        """Names of the tools the task calls."""
        return frozenset(step.name for _, step in self.task.calls)

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """How many calls and how many questions the solution has."""
        return len(self.task.calls), len(self.task.asks)

    @cached_property
    def kinds(self) -> tuple[int, ...]:
        """For each step the first that may stand for it: same name, right arguments and steps behind."""
        first: dict[tuple[str, bytes, str, int], int] = {}
        keys = (
            (name, canonical_bytes(self.arguments(step)), str(self.accepts(step)), self.lattice.after[step])
            for step, name in enumerate(self.graph.names)
        )
        return tuple(first.setdefault(key, step) for step, key in enumerate(keys))

    @cached_property
    def _own_checks(self) -> dict[tuple[int, ArgumentProfile], CallCheck]:
        """What the gold arguments are worth themselves, as far as anybody asked."""
        return {}

    def check(self, step: int, said: Arguments, *, profile: ArgumentProfile) -> CallCheck:
        """Judge the arguments of a call against one step; the gold ones themselves are judged once."""
        own, tool = self.arguments(step), self.tools.get(self.graph.names[step])
        judge = partial(check_arguments, gold=own, tool=tool, profile=profile, accepts=self.accepts(step))
        if isinstance(said, UnreadableArguments) or value_bytes(said) != value_bytes(own):
            return judge(said)
        checks = self._own_checks
        if (step, profile) not in checks:
            checks[step, profile] = judge(own)
        return checks[step, profile]

    def arguments(self, step: int) -> JsonObject:
        """Arguments of a call; empty for any other step."""
        gold = self.task.steps[step]
        return gold.arguments if isinstance(gold, Call) else {}

    def accepts(self, step: int) -> dict[str, AcceptedValue]:
        """What a call accepts besides its arguments, by place; nothing for any other step."""
        gold = self.task.steps[step]
        return gold.accepts if isinstance(gold, Call) else {}


class CallChecks:
    """What the calls of one run are worth against the steps of a task, each judged once.

    Args:
        gold: The task.
        profile: Rules for arguments.
    """

    def __init__(self, gold: Gold, profile: ArgumentProfile) -> None:
        self._gold = gold
        self._profile = profile
        self._said: dict[str, Arguments] = {}
        self._found: dict[tuple[str, int], CallCheck] = {}

    def of(self, call: ToolCall, step: int) -> CallCheck:
        """Judge the arguments of a call against one step."""
        text = call.arguments or ""
        key = text, step
        if key not in self._found:
            if text not in self._said:
                self._said[text] = read_arguments(text)
            self._found[key] = self._gold.check(step, self._said[text], profile=self._profile)
        return self._found[key]


def passes_itself(gold: Gold, profile: ArgumentProfile) -> bool:
    """Whether a reply with the gold arguments passes; not where they break the schema of their own tool."""
    return all(gold.check(step, call.arguments, profile=profile).correct for step, call in gold.task.calls)


def prepare(case: Case, task_number: int) -> Gold:
    """Make one task of a case ready for scoring.

    Raises:
        NotScorableError: The task has no step, no answer, or a graph that breaks a rule.
    """
    task = case.tasks[task_number]
    if not task.steps:
        raise NotScorableError("The task has no steps.", "Complete it first.")
    if sum(step.kind == "answer" for step in task.steps) != 1:
        raise NotScorableError("The task has no answer, or several.", "Write the one final answer first.")
    return gold_of(case, task_number)


def gold_of(case: Case, task_number: int) -> Gold:
    """One task of a case, be its solution complete or not.

    Raises:
        NotScorableError: Its graph breaks a rule.
    """
    task = case.tasks[task_number]
    with reworded(GraphError, into=lambda exc: NotScorableError(exc.message, exc.hint)):
        graph = step_graph(task)
    lattice = lattice_of(graph)
    return Gold(
        case_id=case.id,
        task_number=task_number,
        task=task,
        policy=task.policy or derive_policy(task, graph=graph),
        tools={tool.name: tool for tool in case.tools},
        graph=graph,
        lattice=lattice,
        rounds=optimal_rounds(lattice),
    )
