"""The graph of a generated task, made of the planner's rounds and the flow of values, to be confirmed."""

from collections.abc import Sequence

from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.evidence.suggestions import undrawn_flows
from scoring.model.case import Answer, Case, Edge, Task
from scoring.model.graph import derive_policy, redundant_edges, with_drawn_edges
from scoring.model.taxonomy import EdgeKind


def with_graph(case: Case, task: int) -> Task:
    """Draw the dependencies of a task without any, and label its policy by them.

    A step waits for the steps of earlier rounds whose values it takes (`parameter`). One that takes none
    waits for the whole round before it (`logical`), since the planner waited for that. Dependencies that
    others imply are left out.

    Args:
        case: The case up to this task.
        task: Its number.
    """
    bare = case.tasks[task].model_copy(update={"edges": ()})
    flows = undrawn_flows(Dialogue(case.model_copy(update={"tasks": (*case.tasks[:task], bare)})), task)
    rounds = [step.recorded_round or 0 for step in bare.steps]
    pairs = {(flow.source, flow.target) for flow in flows if rounds[flow.source] < rounds[flow.target]}
    edges = [Edge(source=source, target=target, kind=EdgeKind.PARAMETER) for source, target in sorted(pairs)]
    for step in range(len(bare.steps)):
        edges += _order_edges(bare, rounds, step, drawn=edges)
    implied = {edge.pair for edge in redundant_edges(with_drawn_edges(bare, edges))}
    kept = with_drawn_edges(bare, [edge for edge in edges if edge.pair not in implied])
    return kept.model_copy(update={"policy": derive_policy(kept)})


def _order_edges(task: Task, rounds: Sequence[int], step: int, *, drawn: Sequence[Edge]) -> list[Edge]:
    """Edges from every step of the round before, for a step that waits for nothing yet."""
    if isinstance(task.steps[step], Answer) or any(edge.target == step for edge in drawn):
        return []
    before = max((number for number in rounds[:step] if number < rounds[step]), default=None)
    return [
        Edge(source=source, target=step, kind=EdgeKind.LOGICAL)
        for source in range(step)
        if rounds[source] == before
    ]
