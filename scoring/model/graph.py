"""Rules of a task's dependency graph: what is refused, and what the drawing says about the task.

networkx is imported where a circle is looked for: it takes a tenth of a second, and lists of cases are shown,
cases imported and runs scored without.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter
from itertools import pairwise, product
from typing import TYPE_CHECKING

from scoring.errors import CycleError, GraphError
from scoring.groups import grouped
from scoring.model.case import Answer, Ask, Call, Edge, Task
from scoring.model.taxonomy import EdgeKind, Policy, Structure

if TYPE_CHECKING:
    import networkx as nx

ANSWER_NAME = "prepare_to_answer"
ASK_NAME = "ask_user_for_required_parameters"
PSEUDO_ACTIONS = (ANSWER_NAME, ASK_NAME)


@dataclass(frozen=True)
class StepGraph:
    """A task as the scorer walks it: names, and for each step the steps that must be done before.

    `names` uses the published pseudo-action names for asks and the answer, so that the same type
    also holds the graphs of the golden files. Cycles are impossible once built by `step_graph`.
    """

    names: tuple[str, ...]
    before: tuple[frozenset[int], ...]

    def __post_init__(self) -> None:
        check_edges(len(self.names), [(source, i) for i, deps in enumerate(self.before) for source in deps])

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def answers(self) -> frozenset[int]:
        """Steps that are final answers."""
        return frozenset(i for i, name in enumerate(self.names) if name == ANSWER_NAME)

    @cached_property
    def asks(self) -> frozenset[int]:
        """Steps that are clarifying questions."""
        return frozenset(i for i, name in enumerate(self.names) if name == ASK_NAME)

    @cached_property
    def pseudo(self) -> frozenset[int]:
        """Asks and answers: steps that never run beside another step."""
        return frozenset(i for i, name in enumerate(self.names) if name in PSEUDO_ACTIONS)


def step_name(step: Call | Ask | Answer) -> str:
    """Name a step carries in the published files: the tool, or a pseudo-action."""
    if isinstance(step, Call):
        return step.name
    return ASK_NAME if isinstance(step, Ask) else ANSWER_NAME


def step_graph(task: Task) -> StepGraph:
    """Build the graph of a task from its steps and all its edges, those at the answer included.

    Raises:
        GraphError: An edge is out of range, from a step to itself, or part of a circle.
    """
    return _graph(tuple(map(step_name, task.steps)), [edge.pair for edge in task.edges])


def _graph(names: tuple[str, ...], pairs: Sequence[tuple[int, int]]) -> StepGraph:
    check_edges(len(names), pairs)
    before = grouped((target, source) for source, target in pairs)
    return StepGraph(names, tuple(frozenset(before.get(step, ())) for step in range(len(names))))


def check_edges(step_count: int, pairs: Iterable[tuple[int, int]]) -> None:
    """Refuse edges that name unknown steps, loop on one step or run in a circle.

    Raises:
        GraphError: The first rule broken, in this order; a `CycleError` with the circle.
    """
    edges = list(pairs)
    if all(0 <= source < target < step_count for source, target in edges):
        return  # no circle without an edge that leads back
    for source, target in edges:
        _check_ends(source, target, step_count=step_count)
    import networkx as nx

    cycle = find_cycle(nx.DiGraph(edges))
    if cycle:
        raise CycleError(cycle)


def _check_ends(source: int, target: int, *, step_count: int) -> None:
    for step in (source, target):
        if not 0 <= step < step_count:
            known = f"steps 0 to {step_count - 1}" if step_count else "no steps"
            raise GraphError(
                f"Dependency on step {step}, but the task has {known}.",
                "Correct the step number or add the step.",
            )
    if source == target:
        raise GraphError(f"Step {source} cannot depend on itself.", "Connect two different steps.")


def _drawn_twice(source: int, target: int) -> GraphError:
    return GraphError(
        f"The dependency {source} -> {target} exists already.", "Change its kind instead of drawing it again."
    )


def find_cycle(graph: "nx.DiGraph[int]") -> tuple[int, ...]:
    """Name one circle of a graph, its first step repeated at the end; empty where there is none."""
    import networkx as nx

    if nx.is_directed_acyclic_graph(graph):
        return ()
    edges = nx.find_cycle(graph)
    return (*(source for source, _ in edges), edges[0][0])


def check_task(task: Task) -> None:
    """Refuse what makes a task unsafe to run: bad edges, a repeated edge, two answers, work after the answer.

    Raises:
        GraphError: The first rule broken.
    """
    answers = [i for i, step in enumerate(task.steps) if isinstance(step, Answer)]
    if len(answers) > 1:
        raise GraphError(
            f"The task has {len(answers)} answers (steps {', '.join(map(str, answers))}).",
            "Keep one answer, the last step.",
        )
    seen: set[tuple[int, int]] = set()
    for edge in task.edges:
        if edge.pair in seen:
            raise _drawn_twice(edge.source, edge.target)
        seen.add(edge.pair)
    check_edges(len(task.steps), [edge.pair for edge in task.edges])
    for edge in task.edges:
        if edge.source in answers:
            raise GraphError(
                f"Step {edge.target} depends on the answer (step {edge.source}), but the answer comes last.",
                "Remove this dependency.",
            )


def check_new_edge(task: Task, source: int, target: int) -> None:
    """Refuse an edge a person is about to draw.

    Raises:
        GraphError: With the circle the edge would close, or the other rule it breaks.
    """
    import networkx as nx

    _check_ends(source, target, step_count=len(task.steps))
    for step in (source, target):
        if isinstance(task.steps[step], Answer):
            raise GraphError(
                f"Step {step} is the answer; it follows every step automatically.",
                "Connect calls and questions only.",
            )
    if any(edge.pair == (source, target) for edge in task.drawn_edges):
        raise _drawn_twice(source, target)
    graph: nx.DiGraph[int] = nx.DiGraph([edge.pair for edge in task.drawn_edges])
    graph.add_nodes_from((source, target))
    if nx.has_path(graph, target, source):
        raise CycleError((source, *nx.shortest_path(graph, target, source)))


def answer_edges(task: Task) -> tuple[Edge, ...]:
    """The derived edges of a task: from every step nothing else waits for, to the answer."""
    answer = task.answer_index
    if answer is None:
        return ()
    awaited = {edge.source for edge in task.drawn_edges}
    return tuple(
        Edge(source=i, target=answer, kind=EdgeKind.DERIVED)
        for i in range(len(task.steps))
        if i != answer and i not in awaited
    )


def with_drawn_edges(task: Task, drawn: Sequence[Edge]) -> Task:
    """Replace the drawn edges; the edges into the answer follow the new sinks.

    Raises:
        GraphError: The drawing breaks a rule.
    """
    bare = task.model_copy(update={"edges": tuple(sorted(drawn, key=lambda edge: edge.pair))})
    check_task(bare)
    return bare.model_copy(update={"edges": (*bare.edges, *answer_edges(bare))})


def recorded_order(task: Task) -> list[tuple[int, int]]:
    """Who waits for whom in the order recorded: every step for all steps of the round before its own.

    A step whose round is not known, as in the blind view, is a round of its own, behind the step before it.
    """
    rounds: dict[tuple[int, int], list[int]] = {}
    last = -1
    for number, step in enumerate(task.steps):
        if not isinstance(step, Answer):
            last, place = (last, number + 1) if step.recorded_round is None else (step.recorded_round, 0)
            rounds.setdefault((last, place), []).append(number)
    ordered = [rounds[key] for key in sorted(rounds)]
    return [pair for before, after in pairwise(ordered) for pair in product(before, after)]


def structure_of(graph: StepGraph) -> Structure:
    """Shape of the calls: n calls, L the most calls on one chain (scoring 1.3).

    Pseudo-actions transmit dependency but do not count.
    """
    calls = [i for i in range(len(graph)) if i not in graph.pseudo]
    if len(calls) <= 1:
        return Structure.SINGLE if calls else Structure.NONE
    longest = longest_chain(graph, counted=frozenset(calls))
    if len(longest) == 1:
        return Structure.PARALLEL
    return Structure.SERIAL if len(longest) == len(calls) else Structure.MIXED


def longest_chain(graph: StepGraph, *, counted: frozenset[int]) -> tuple[int, ...]:
    """The chain of dependencies with most counted steps; only counted steps are returned, in order."""
    best: dict[int, tuple[int, ...]] = {}
    order: Iterable[int] = range(len(graph))
    if any(source > node for node, sources in enumerate(graph.before) for source in sources):
        order = TopologicalSorter(dict(enumerate(graph.before))).static_order()
    for node in order:
        longest = max((best[source] for source in sorted(graph.before[node])), key=len, default=())
        best[node] = (*longest, node) if node in counted else longest
    return max((best[node] for node in sorted(best)), key=len, default=())


def redundant_edges(task: Task) -> tuple[Edge, ...]:
    """Drawn edges that other drawn edges imply already (the transitive ones)."""
    drawn = task.drawn_edges
    sources = grouped((edge.target, edge.source) for edge in drawn)
    before: dict[int, set[int]] = {}
    for step in TopologicalSorter(sources).static_order():
        own = sources.get(step, [])
        before[step] = set(own).union(*(before[source] for source in own))
    # An edge says nothing new where another source of the same step waits for its source already.
    return tuple(
        edge for edge in drawn if any(edge.source in before[other] for other in sources[edge.target])
    )


_BY_STRUCTURE = {
    Structure.NONE: Policy.CHAT,
    Structure.SINGLE: Policy.SINGLE,
    Structure.PARALLEL: Policy.MULTI_PARALLEL,
    Structure.SERIAL: Policy.MULTI_SERIAL,
    Structure.MIXED: Policy.MULTI_MIXED,
}


def policy_of_calls(count: int, pairs: Iterable[tuple[int, int]]) -> Policy:
    """The policy of a task of so many calls, by the dependencies between them.

    Raises:
        GraphError: A dependency is out of range, or they run in a circle.
    """
    return _BY_STRUCTURE[structure_of(_graph(("",) * count, list(pairs)))]


def derive_policy(task: Task, *, graph: StepGraph | None = None) -> Policy | None:
    """The policy the drawing shows: a question makes it clarify, else the shape of the calls decides.

    Args:
        task: The task.
        graph: Its graph, where it is built already.

    Returns:
        The policy, or None for a task without any step: nothing is drawn yet.
    """
    if not task.steps:
        return None
    if task.asks:
        return Policy.CLARIFY
    return _BY_STRUCTURE[structure_of(graph or step_graph(task))]
