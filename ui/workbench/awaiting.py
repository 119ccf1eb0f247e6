"""What is shown of a long case while its checks run."""

from annotator.cases.evidence import leaf_paths
from annotator.cases.pointers import value_at
from annotator.cases.suggestions import SuggestedEdge
from scoring.model.case import Call, Case, Step
from ui.workbench.assessing import Assessment, EvidenceLine
from ui.workbench.snapshot import Snapshot

LONG_CASE_STEPS = 150
"""Steps from which on a look at a case may take longer than an edit should take to show."""


def is_long(case: Case) -> bool:
    """Whether a case is shown before the checks are through."""
    return sum(len(task.steps) for task in case.tasks) >= LONG_CASE_STEPS


def awaited(snapshot: Snapshot, before: Assessment | None) -> Assessment:
    """What was said before and still has its place.

    Args:
        snapshot: The document.
        before: What was said about an earlier snapshot; null where nobody looked yet.
    """
    case = snapshot.case
    if before is None:
        nothing: tuple[tuple[SuggestedEdge, ...], ...] = ((),) * len(case.tasks)
        return Assessment(snapshot, (), (), (), nothing, is_awaited=True)
    tasks = _unmoved_tasks(before.snapshot.case, case)
    return Assessment(
        snapshot=snapshot,
        findings=tuple(f for f in before.findings if f.task is None or f.task in tasks),
        blockers=tuple(b for b in before.blockers if b.task is None or b.task in tasks),
        evidence=tuple(
            line
            for line in before.evidence
            if line.task in tasks and _stands(line, before.snapshot.case, case)
        ),
        suggestions=tuple(
            _undrawn(before.suggestions[t], case, t) if t in tasks else () for t in range(len(case.tasks))
        ),
        dialogue=before.dialogue,
        is_awaited=True,
    )


def _unmoved_tasks(before: Case, case: Case) -> frozenset[int]:
    """Numbers of the tasks whose steps are where they were."""
    pairs = enumerate(zip(before.tasks, case.tasks, strict=False))
    return frozenset(
        t
        for t, (was, task) in pairs
        if was is task or list(map(_name, was.steps)) == list(map(_name, task.steps))
    )


def _name(step: Step) -> tuple[str, str]:
    return step.kind, step.name if isinstance(step, Call) else ""


def _stands(line: EvidenceLine, before: Case, case: Case) -> bool:
    """Whether a call still has the value a line is about."""
    call = case.tasks[line.task].steps[line.step]
    if call is before.tasks[line.task].steps[line.step]:
        return True
    if not isinstance(call, Call) or line.path not in leaf_paths(call.arguments):
        return False
    return value_at(call.arguments, line.path) == line.value


def _undrawn(offered: tuple[SuggestedEdge, ...], case: Case, task: int) -> tuple[SuggestedEdge, ...]:
    drawn = {edge.pair for edge in case.tasks[task].edges}
    return tuple(one for one in offered if one.edge.pair not in drawn)
