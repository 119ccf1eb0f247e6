"""What of a document the dialogue and the graph are shown, in their own words."""

from collections.abc import Mapping

from annotator.cases.argument_checks import violations_of
from annotator.cases.pointers import keys_of
from scoring.model.case import Ask, Call, Case
from scoring.model.labels import DialogueSource
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Severity
from ui.graph.drawing import Pair, Suggestion
from ui.graph.items import Mark, MarkKind
from ui.transcript.content import Coverage
from ui.transcript.json_checking import JsonProblem
from ui.transcript.json_text import write_json
from ui.workbench.assessing import Assessment, EvidenceLine
from ui.workbench.document import Selection


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


def picked_source(
    case: Case, task: int, *, step: int, field: str, span: tuple[int, int]
) -> tuple[DialogueSource, str] | None:
    """The source a text selected in the dialogue stands for, with its words.

    Args:
        case: The case that is shown.
        task: Task of the card.
        step: Step of the card; below 0 for the request.
        field: Field of the card.
        span: [start, end) in the text as it is shown.

    Returns:
        Null where a value cannot come from there.
    """
    start, end = span
    if step < 0:
        text = case.tasks[task].user
        return DialogueSource(task=task, text="user", span=span), text[start:end]
    found = case.tasks[task].steps[step]
    if isinstance(found, Ask):
        text = found.reply if field == "reply" else found.text
        where = "reply" if field == "reply" else None
        return DialogueSource(task=task, step=step, text=where, span=span), text[start:end]
    if not isinstance(found, Call) or field != "observation":
        return None
    if isinstance(found.observation, str):
        return DialogueSource(task=task, step=step, path="", span=span), found.observation[start:end]
    written = write_json(found.observation)
    path = written.path_at(start)
    return (DialogueSource(task=task, step=step, path=path), written.text[start:end]) if path else None
