"""What of a document the dialogue and the graph are shown, in their own words."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from annotator.cases.findings.argument_checks import violations_of
from annotator.cases.pointers import keys_of
from annotator.drafts.assessment import Assessment, EvidenceLine
from scoring.model.case import Call, Case
from scoring.model.graph import redundant_edges
from scoring.model.labels import DialogueSource, Finding, Waiver
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Severity
from ui.desk.document import CaseDocument, Selection
from ui.dialogue.arguments.model import JsonProblem
from ui.dialogue.content import Coverage
from ui.dialogue.text.picks import SpanPick
from ui.graph.canvas_content import CanvasContent, Mark, MarkKind, Pair, Suggestion

_MANY = 1000


@dataclass(frozen=True)
class CaseContent:
    """What the two panels show: a case with what is said at its cards, and the drawing of a task.

    `finished` are the tasks in which nothing is left to settle.
    """

    case: Case
    drawing: CanvasContent
    findings: Sequence[Finding] = ()
    coverage: Mapping[tuple[int, int], Coverage] = field(default_factory=dict)
    waivers: Sequence[Waiver] = ()
    sources: Sequence[DialogueSource] = ()
    finished: Collection[int] = ()


def content_of(document: CaseDocument) -> CaseContent:
    """Everything a program says about the case of a document."""
    assessment, task = document.assessment, document.selection.task
    return CaseContent(
        document.case,
        CanvasContent(
            document.case.tasks[task],
            suggestions_of(assessment, task),
            marks_of(assessment, task),
            redundant_in(assessment, task),
            edge_labels_of(assessment, task),
            document.judgment.tasks[task].drawn is not False,
        ),
        findings=assessment.findings,
        # Nobody asks a blind reviewer where values come from.
        coverage={} if document.is_blind else coverage_of(assessment),
        waivers=document.judgment.waivers,
        sources=sources_of(assessment, document.selection),
        finished=() if document.is_read_only else finished_tasks(assessment),
    )


def coverage_of(assessment: Assessment) -> dict[tuple[int, int], Coverage]:
    """How much of each call is settled, by task and step."""
    lines: dict[tuple[int, int], list[EvidenceLine]] = {}
    for line in assessment.evidence:
        lines.setdefault((line.task, line.step), []).append(line)
    return {
        place: Coverage(
            cited=sum(line.is_settled for line in found),
            total=len(found),
            paths=tuple(line.path for line in found if line.is_settled),
        )
        for place, found in lines.items()
    }


def evidence_words(assessment: Assessment) -> str:
    """The name of the tab with the argument values: how many are settled, in percent where they are many."""
    settled, total = assessment.settled_count, len(assessment.evidence)
    if not total:
        return "Evidence"
    share = f"{100 * settled // total} %" if total >= _MANY else f"{settled}/{total}"
    return f"Evidence {share}"


def sources_of(assessment: Assessment, selection: Selection) -> tuple[DialogueSource, ...]:
    """The places the selected value, or every value of the selected step, comes from."""
    if selection.step is None:
        return ()
    return tuple(
        line.citation.source.model_copy(
            update={"task": line.task if line.citation.source.task is None else line.citation.source.task}
        )
        for line in assessment.lines_of(selection.task, selection.step)
        if line.citation is not None
        and isinstance(line.citation.source, DialogueSource)
        and selection.path in (None, line.path)
    )


def suggestions_of(assessment: Assessment, task: int) -> tuple[Suggestion, ...]:
    """The dependencies to offer in a task."""
    return tuple(
        Suggestion(
            source=found.edge.source, target=found.edge.target, kind=found.edge.kind, reason=found.reason
        )
        for found in assessment.suggestions[task]
    )


def redundant_in(assessment: Assessment, task: int) -> tuple[Pair, ...]:
    """The drawn dependencies of a task that others imply."""
    return tuple(edge.pair for edge in redundant_edges(assessment.snapshot.case.tasks[task]))


def marks_of(assessment: Assessment, task: int) -> dict[int, Mark]:
    """Steps of a task something is wrong with."""
    return {
        finding.step: Mark(MarkKind.PROBLEM)
        for finding in assessment.open_findings()
        if finding.task == task and finding.step is not None and finding.severity is not Severity.INFO
    }


def edge_labels_of(assessment: Assessment, task: int) -> Mapping[Pair, str]:
    """Names of the arguments whose values flow along each pair of steps."""
    names: dict[Pair, list[str]] = {}
    for line in assessment.lines_of(task):
        source = line.citation.source if line.citation is not None else None
        if isinstance(source, DialogueSource) and source.step is not None and source.task in (None, task):
            names.setdefault((source.step, line.step), []).append(keys_of(line.path)[0])
    return {pair: ", ".join(dict.fromkeys(found)) for pair, found in names.items()}


def argument_problems(case: Case, task: int, *, step: int, arguments: JsonObject) -> tuple[JsonProblem, ...]:
    """What is wrong with the arguments of a call while they are typed."""
    found = case.tasks[task].steps[step] if step < len(case.tasks[task].steps) else None
    tool = case.tool(found.name) if isinstance(found, Call) else None
    if tool is None:
        return ()
    return tuple(
        JsonProblem(message=violation.message, path=violation.path)
        for violation in violations_of(tool, Call(name=tool.name, arguments=arguments))
    )


def field_of(source: DialogueSource, case: Case, *, task: int) -> tuple[int, int, str]:
    """The card and field a source stands in, as (task, step, field); -1 is the card of the request."""
    at = source.task if source.task is not None else task
    if source.step is None:
        return at, -1, "user"
    step = case.tasks[at].steps[source.step]
    if isinstance(step, Call):
        return at, source.step, "observation"
    return at, source.step, "reply" if source.text == "reply" else "text"


def picked_source(assessment: Assessment, pick: SpanPick) -> DialogueSource | None:
    """The source a place selected in the dialogue stands for.

    A place in the arguments of a call stands for the source of that argument.

    Args:
        assessment: What is said about the case.
        pick: What was selected.

    Returns:
        Null where a value cannot come from there.
    """
    if pick.field != "arguments" or pick.step is None:
        return pick.source
    places = (
        source.model_copy(update={"task": pick.task if source.task is None else source.task})
        for line in assessment.lines_of(pick.task, pick.step)
        if line.path == pick.path and line.citation is not None
        if isinstance(source := line.citation.source, DialogueSource)
    )
    return next(places, None)


def finished_tasks(assessment: Assessment) -> frozenset[int]:
    """The tasks in which nothing stands against a submission."""
    unsettled = {blocker.task for blocker in assessment.blockers}
    return frozenset(range(len(assessment.snapshot.case.tasks))) - unsettled


def search_start(line: EvidenceLine, case: Case) -> tuple[int, int | None]:
    """The card from which the source of a value is looked for, as task and step; null for the request.

    It is the one its proposal names, else the one before the call; the value may come from either.
    """
    source = line.citation.source if line.citation is not None else None
    if isinstance(source, DialogueSource) and source.text not in ("now", "system"):
        task, step, _ = field_of(source, case, task=line.task)
    else:
        task, step = line.task, line.step - 1
    return task, None if step < 0 else step
