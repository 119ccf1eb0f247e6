"""Dependencies worth drawing, each with the value that flows along it."""

from collections.abc import Sequence
from functools import partial

from annotator.cases.evidence.dialogue import Dialogue, ancestors_along
from annotator.cases.evidence.origins import parameter_of
from annotator.cases.evidence.passages import Likeness, are_named_the_same
from annotator.cases.evidence.value_flow import Flow, flows_into
from annotator.cases.phrases import quoted
from scoring.groups import grouped
from scoring.model.case import Case, Edge
from scoring.model.record import Record
from scoring.model.taxonomy import EdgeKind


class SuggestedEdge(Record):
    """A dependency that is not drawn yet, and why it should be.

    `path` points to the argument of the later call that receives the value.
    """

    edge: Edge
    reason: str
    path: str


def suggest_edges(case: Case, task_index: int) -> tuple[SuggestedEdge, ...]:
    """Suggest dependencies from value flow; nothing is drawn.

    Args:
        case: The case.
        task_index: Task number.

    Returns:
        Edges of kind `parameter` between steps that no drawn path connects yet, without those that
        others of them imply, in order of the later step.
    """
    return suggestions_for(Dialogue(case), task_index)


def suggestions_for(dialogue: Dialogue, task: int) -> tuple[SuggestedEdge, ...]:
    """As `suggest_edges`, for a case that is prepared already."""
    return tuple(
        SuggestedEdge(
            edge=Edge(source=flow.source, target=flow.target, kind=EdgeKind.PARAMETER),
            reason=reason_of(flow),
            path=flow.path,
        )
        for flow in undrawn_flows(dialogue, task)
    )


def undrawn_flows(dialogue: Dialogue, task: int) -> tuple[Flow, ...]:
    """Flows whose two steps no path of the drawing connects, one for each pair of steps.

    A value with several possible sources counts as drawn as soon as one of them is connected. Pairs
    that the drawing and the other pairs together imply are left out.
    """
    found = dialogue.case.tasks[task]
    flows = tuple(
        flows_into(dialogue, task, step=step, drawn=dialogue.ancestors(task, step)) for step, _ in found.calls
    )
    return dialogue.once(("undrawn", task), partial(_undrawn, dialogue, task, flows))


def _undrawn(dialogue: Dialogue, task: int, all_flows: Sequence[Sequence[Flow]]) -> tuple[Flow, ...]:
    chosen: dict[tuple[int, int], Flow] = {}
    for into in all_flows:
        by_path = grouped(
            (f"{flow.path} {flow.source}" if flow.is_part else flow.path, flow) for flow in into
        )
        for flows in by_path.values():
            before = dialogue.ancestors(task, flows[0].target)
            if not any(before >> flow.source & 1 for flow in flows):
                # A small id stands in many observations; the one about the same kind of thing gave it.
                named = (f for f in flows if are_named_the_same(parameter_of(f.path), f.found.path))
                best = next(named, flows[0])
                chosen.setdefault((best.source, best.target), best)
    if not chosen:
        return ()
    found = dialogue.case.tasks[task]
    pairs = {*chosen, *(edge.pair for edge in found.drawn_edges)}
    ancestors = ancestors_along(len(found.steps), pairs)
    sources = grouped((target, source) for source, target in pairs)
    # A pair says nothing new where another source of the same step waits for its source already.
    return tuple(
        flow
        for (source, target), flow in chosen.items()
        if not any(ancestors[other] >> source & 1 for other in sources[target])
    )


def reason_of(flow: Flow) -> str:
    """Say in a sentence what flows and from where."""
    name = flow.path.lstrip("/")
    if flow.from_reply:
        return f"{name} {quoted(flow.value)} comes from the reply to step {flow.source}."
    where = f" {flow.found.path}" if flow.found.path else ""
    source = f"step {flow.source}'s observation{where}"
    if flow.is_part:
        return f"{name} contains {quoted(flow.value)} from {source}."
    if flow.found.likeness is Likeness.ROUNDED:
        return f"{name} {quoted(flow.value)} is {flow.found.text} from {source}, rounded."
    return f"{name} {quoted(flow.value)} comes from {source}."
