"""Automatic checks: everything a program can notice about a case (design section 3, Findings)."""

from collections.abc import Sequence

from annotator.cases.call_findings import record_findings, source_findings, tool_findings
from annotator.cases.dialogue import Dialogue
from annotator.cases.task_findings import (
    ask_findings,
    completeness_findings,
    graph_findings,
    label_findings,
)
from annotator.cases.text_findings import task_text_findings, tool_text_findings
from scoring.model import graph
from scoring.model.case import Case
from scoring.model.labels import Citation, Finding


def check_case(case: Case, *, citations: Sequence[Citation] = ()) -> tuple[Finding, ...]:
    """Notice everything about a case.

    Args:
        case: A case whose graphs hold (`scoring.model.graph.check_task`).
        citations: What people cited or marked; a cited value is no longer unsourced, and information
            labels are judged by it first. Those not accepted yet count for nothing.

    Returns:
        Findings on tools, then task by task in a fixed order; empty for a clean case.

    Raises:
        GraphError: A graph of the case breaks a rule.
    """
    dialogue = Dialogue(case)
    found = list(tool_text_findings(case))
    for task in range(len(case.tasks)):
        found += _check(dialogue, task, citations)
    return tuple(found)


def check_task(case: Case, task_index: int, *, citations: Sequence[Citation] = ()) -> tuple[Finding, ...]:
    """Notice everything about one task; `check_case` gives the same findings for it.

    Args:
        case: The case.
        task_index: Task number.
        citations: As for `check_case`.

    Returns:
        The findings of this task alone.

    Raises:
        GraphError: The graph of the task breaks a rule.
    """
    return _check(Dialogue(case), task_index, citations)


def recheck_case(
    case: Case, *, before: Case, findings: Sequence[Finding], citations: Sequence[Citation] = ()
) -> tuple[Finding, ...]:
    """Check a case again after an edit, looking only at what the edit can have changed.

    Args:
        case: The case after the edit.
        before: The case the findings belong to.
        findings: What `check_case` said about it, with the same citations.
        citations: As for `check_case`.

    Returns:
        What `check_case` says about the edited case. Tasks before the first edited one keep their
        findings, since a task depends on nothing after it.
    """
    if (case.tools, case.now, case.extras) != (before.tools, before.now, before.extras):
        return check_case(case, citations=citations)
    pairs = zip(case.tasks, before.tasks, strict=False)
    first = next((i for i, (one, other) in enumerate(pairs) if one is not other and one != other), None)
    if first is None:
        first = min(len(case.tasks), len(before.tasks))
    kept = [finding for finding in findings if finding.task is None or finding.task < first]
    dialogue = Dialogue(case)
    for task in range(first, len(case.tasks)):
        kept += _check(dialogue, task, citations)
    return tuple(kept)


def _check(dialogue: Dialogue, task: int, citations: Sequence[Citation]) -> tuple[Finding, ...]:
    case = dialogue.case
    graph.check_task(case.tasks[task])
    accepted = [citation for citation in citations if citation.accepted]
    tools = tuple(tool_findings(case, task))
    wrong = {finding.where for finding in tools if finding.path}
    settled = {(citation.task, citation.step, citation.path) for citation in accepted}
    return (
        *completeness_findings(case, task),
        *tools,
        *source_findings(dialogue, task, settled=settled, wrong=wrong),
        *record_findings(case, task),
        *graph_findings(dialogue, task),
        *label_findings(dialogue, task, citations=accepted),
        *ask_findings(case, task),
        *task_text_findings(case, task),
    )
