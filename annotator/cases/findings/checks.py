"""Automatic checks: everything a program can notice about a case (design section 3, Findings)."""

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.findings.call_findings import record_findings, source_findings, tool_findings
from annotator.cases.findings.task_findings import (
    ask_findings,
    completeness_findings,
    graph_findings,
    label_findings,
)
from annotator.cases.findings.text_findings import (
    request_text_findings,
    step_text_findings,
    tool_text_findings,
)
from scoring.errors import AnnotatorError
from scoring.formats.case_reader import Rejected, read_cases
from scoring.model import graph
from scoring.model.case import Case
from scoring.model.labels import Citation, Finding
from scoring.model.record import Record


def check_case(
    case: Case, *, citations: Sequence[Citation] = (), undrawn: Collection[int] | None = None
) -> tuple[Finding, ...]:
    """Notice everything about a case.

    Args:
        case: A case whose graphs hold (`scoring.model.graph.check_task`).
        citations: What people cited or marked; a cited value is no longer unsourced, and information
            labels are judged by it first. Those not accepted yet count for nothing.
        undrawn: Tasks whose graph says nothing yet. Null where only the case is known: those that have
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
    accepted = Accepted.of(citations)
    found = list(tool_text_findings(case))
    for task in range(len(case.tasks)):
        found += _check(dialogue, task, accepted, is_drawn=_is_drawn(case, task, undrawn))
    return tuple(found)


def _is_drawn(case: Case, task: int, undrawn: Collection[int] | None) -> bool:
    found = case.tasks[task]
    return task not in undrawn if undrawn is not None else bool(found.drawn_edges) or not found.needs_drawing


@dataclass(frozen=True)
class Accepted:
    """The citations that count, by task, and the arguments they are about."""

    by_task: Mapping[int, Sequence[Citation]]
    places: Set[tuple[int, int, str]]

    @classmethod
    def of(cls, citations: Sequence[Citation]) -> "Accepted":
        """Leave out what nobody has accepted yet."""
        by_task: dict[int, list[Citation]] = {}
        for citation in citations:
            if citation.accepted:
                by_task.setdefault(citation.task, []).append(citation)
        places = {(c.task, c.step, c.path) for found in by_task.values() for c in found}
        return cls(by_task, places)

    def of_task(self, task: int) -> Sequence[Citation]:
        """Those about arguments of one task."""
        return self.by_task.get(task, ())


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
    is_drawn = _is_drawn(case, task_index, None)
    return _check(Dialogue(case), task_index, Accepted.of(citations), is_drawn=is_drawn)


def _check(dialogue: Dialogue, task: int, accepted: "Accepted", *, is_drawn: bool) -> tuple[Finding, ...]:
    case = dialogue.case
    graph.check_task(case.tasks[task])
    tools = tuple(_of_calls(dialogue, task))
    wrong = {finding.where for finding in tools if finding.path}
    return (
        *completeness_findings(case, task),
        *tools,
        *source_findings(dialogue, task, settled=accepted.places, wrong=wrong),
        *record_findings(dialogue, task),
        *graph_findings(dialogue, task),
        *label_findings(dialogue, task, citations=accepted.of_task(task), is_drawn=is_drawn),
        *ask_findings(case, task),
        *_texts(dialogue, task),
    )


def _of_calls(dialogue: Dialogue, task: int) -> Iterator[Finding]:
    case = dialogue.case
    for step, call in case.tasks[task].calls:
        yield from tool_findings(case, call, place=(task, step))


def _texts(dialogue: Dialogue, task: int) -> Iterator[Finding]:
    found = dialogue.case.tasks[task]
    yield from request_text_findings(found, task)
    for step, content in enumerate(found.steps):
        yield from step_text_findings(content, place=(task, step))


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
