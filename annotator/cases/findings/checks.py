"""Automatic checks: everything a program can notice about a case (design 3.7)."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.findings.call_findings import record_findings, source_findings, tool_findings
from annotator.cases.findings.task_findings import (
    ask_findings,
    completeness_findings,
    graph_findings,
    label_findings,
)
from annotator.cases.findings.text_findings import task_text_findings, tool_text_findings
from annotator.cases.findings.thought_findings import thought_findings
from scoring.errors import AnnotatorError
from scoring.formats.case_reader import Rejected, read_cases
from scoring.model import graph
from scoring.model.case import Case
from scoring.model.labels import Citation, Finding
from scoring.model.record import Record

LISTED = 1000
"""Rejected lines whose reasons are kept; what is beyond them is counted."""


def check_case(
    case: Case, *, citations: Sequence[Citation] = (), undrawn: Collection[int] | None = None
) -> tuple[Finding, ...]:
    """Notice everything about a case.

    Args:
        case: A case whose graphs hold (`scoring.model.graph.check_task`).
        citations: What people cited or marked; a cited value is no longer unsourced, and information
            labels are judged by it first. Those not accepted yet count for nothing.
        undrawn: Tasks whose graph says nothing yet. None where only the case is known: those that have
            steps to connect and no dependency.

    Returns:
        Findings on tools, then task by task in a fixed order; empty for a clean case.

    Raises:
        GraphError: A graph of the case breaks a rule.
    """
    return check_dialogue(Dialogue(case), citations=citations, undrawn=undrawn)


def check_dialogue(
    dialogue: Dialogue, *, citations: Sequence[Citation] = (), undrawn: Collection[int] | None = None
) -> tuple[Finding, ...]:
    """As `check_case`, for a case that is prepared already."""
    case = dialogue.case
    accepted = [citation for citation in citations if citation.accepted]
    settled = {(citation.task, citation.step, citation.path) for citation in accepted}
    found = list(tool_text_findings(case))
    for number, task in enumerate(case.tasks):
        graph.check_task(task)
        own = [citation for citation in accepted if citation.task == number]
        says_drawn = bool(task.drawn_edges) or not task.needs_drawing
        is_drawn = says_drawn if undrawn is None else number not in undrawn
        calls = [
            finding
            for step, call in task.calls
            for finding in tool_findings(case, call, place=(number, step))
        ]
        wrong = {finding.where for finding in calls if finding.path}
        found += completeness_findings(case, number)
        found += calls
        found += source_findings(dialogue, number, settled=settled, wrong=wrong)
        found += record_findings(dialogue, number)
        found += graph_findings(dialogue, number)
        found += label_findings(dialogue, number, citations=own, is_drawn=is_drawn)
        found += ask_findings(case, number)
        found += thought_findings(dialogue, number)
        found += task_text_findings(task, number)
    return tuple(found)


def visible_findings(shown: Case, *, is_blind: bool) -> tuple[Finding, ...]:
    """The findings of a case as it is shown.

    Whoever sees it blind gets none about labels and drawing: they would be about the blank that hides them.
    """
    return tuple(
        finding
        for finding in check_case(shown)
        if not (is_blind and finding.rule.startswith(("graph.", "policy.", "information.")))
    )


class CheckedCase(Record):
    """The findings of one case; a line that could not be read has a reason instead."""

    case_id: str
    line: int | None
    findings: tuple[Finding, ...]
    reason: str = ""


def check_file(path: Path) -> Iterator[CheckedCase]:
    """Check every case of a file that is in no project.

    Raises:
        InputError: The file cannot be read at all.
    """
    for item in read_cases(path):
        if isinstance(item, Rejected):
            yield CheckedCase(case_id="", line=item.line, findings=(), reason=item.reason)
            continue
        try:
            found = check_case(item.case)
        except AnnotatorError as exc:
            yield CheckedCase(case_id=item.case.id, line=item.line, findings=(), reason=str(exc))
        else:
            yield CheckedCase(case_id=item.case.id, line=item.line, findings=found)
