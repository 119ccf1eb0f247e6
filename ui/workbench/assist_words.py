"""Proposals of a model in words, as the panel shows them and the undo list names them."""

from collections.abc import Sequence

from annotator.cases.assist_replies import Edges, Labels, ProposedEdge, Wording
from scoring.model.case import Case
from ui.theme.words import EDGE_KIND, INFORMATION, POLICY, counted

What = Wording | Edges | Labels


def title_of(what: What) -> str:
    """What is proposed, in a few words."""
    if isinstance(what, Wording):
        return "Proposed wording"
    if isinstance(what, Labels):
        return "Proposed labels"
    return f"{counted(len(what.edges), 'proposed dependency', 'proposed dependencies')}"


def nothing_of(what: What) -> str:
    """That nothing is proposed, in a sentence."""
    if isinstance(what, Wording):
        return "The model finds the wording natural"
    if isinstance(what, Labels):
        return "The model would label it as it is"
    return "The model would draw nothing else"


def undo_words(what: What) -> str:
    """What accepting it is called in the undo list."""
    if isinstance(what, Wording):
        return "accept the proposed wording"
    if isinstance(what, Labels):
        return "accept the proposed labels"
    return "draw " + ", ".join(f"{item.edge.source} → {item.edge.target}" for item in what.edges)


def lines_of(what: What, case: Case) -> tuple[str, ...]:
    """What would change, line by line, against the case as it is; then why."""
    if isinstance(what, Wording):
        return (what.reason,)
    task = case.tasks[what.task]
    if isinstance(what, Edges):
        names = [f"{number} {getattr(step, 'name', step.kind)}" for number, step in enumerate(task.steps)]
        return tuple(_edge_line(item, names) for item in what.edges)
    lines = []
    if what.policy is not None:
        today = POLICY[task.policy] if task.policy else "not labelled"
        lines.append(f"Policy: {today} → {POLICY[what.policy]}")
    if what.information is not None:
        today = INFORMATION[task.information] if task.information else "not labelled"
        lines.append(f"Information: {today} → {INFORMATION[what.information]}")
    return (*lines, what.reason)


def _edge_line(item: ProposedEdge, names: Sequence[str]) -> str:
    edge = item.edge
    return f"{names[edge.source]} → {names[edge.target]}, {EDGE_KIND[edge.kind]}. {item.reason}"
