"""Findings about single calls: the tool, its arguments, where their values come from, what came back."""

import difflib
from collections.abc import Collection, Iterator

from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.evidence.origins import Origin, OriginKind, origins_of
from annotator.cases.findings.argument_checks import restated_defaults, violations_of
from annotator.cases.phrases import contrasted, is_code, listed, quoted
from scoring.model.case import Call, Case
from scoring.model.flow import squeeze
from scoring.model.labels import Finding
from scoring.model.record import canonical_bytes
from scoring.model.taxonomy import Severity
from scoring.wording import counted

_MOST_NAMES = 8
_FEWEST_CHARACTERS = 3


def tool_findings(case: Case, call: Call, *, place: tuple[int, int]) -> tuple[Finding, ...]:
    """A call to an unknown tool, or its arguments against the schema: the rules that need no dialogue."""
    task, step = place
    tool = case.tool(call.name)
    if tool is None:
        return (_unknown_tool(case, task, step, call.name),)
    wrong = [(violation, Severity.ERROR) for violation in violations_of(tool, call)]
    restated = [(violation, Severity.INFO) for violation in restated_defaults(tool, call)]
    return tuple(
        Finding(
            rule=violation.rule,
            severity=severity,
            message=violation.message,
            settle=violation.settle,
            task=task,
            step=step,
            path=violation.path,
            proposal=violation.proposal,
        )
        for violation, severity in (*wrong, *restated)
    )


def _unknown_tool(case: Case, task: int, step: int, name: str) -> Finding:
    names = [tool.name for tool in case.tools]
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.7)
    many = counted(len(names), "tool") if names else "no tools"
    known = listed(names) if 0 < len(names) <= _MOST_NAMES else many
    return Finding(
        rule="call.unknown_tool",
        severity=Severity.ERROR,
        message=f"{quoted(name)} is not in the toolset, which has {known}.",
        settle=f"Call {quoted(near[0])} instead." if near else "Call a tool of the toolset.",
        task=task,
        step=step,
        proposal=near[0] if near else None,
    )


def record_findings(dialogue: Dialogue, task: int) -> Iterator[Finding]:
    """Calls made twice, and calls whose outcome was never recorded."""
    first: dict[tuple[str, bytes], int] = {}
    for step, call in dialogue.case.tasks[task].calls:
        earlier = first.setdefault((call.name, canonical_bytes(call.arguments)), step)
        if earlier != step:
            yield Finding(
                rule="call.duplicate",
                severity=Severity.WARNING,
                message=f"Step {step} calls {call.name} with the same arguments as step {earlier}.",
                settle="Delete one of the two, or say why the call has to be made again.",
                task=task,
                step=step,
            )
        if call.observation is None:
            yield Finding(
                rule="observation.missing",
                severity=Severity.WARNING,
                message=f"What {call.name} brought back was never recorded.",
                settle="Write the observation the call would have brought back.",
                task=task,
                step=step,
            )


def source_findings(
    dialogue: Dialogue, task: int, *, settled: Collection[tuple[int, int, str]], wrong: Collection[str]
) -> Iterator[Finding]:
    """Argument values that nothing said or returned before holds, or holds in another spelling.

    Args:
        dialogue: The prepared case.
        task: Task number.
        settled: (task, step, path) of the values a person has cited or marked.
        wrong: `where` of arguments that do not fit the schema; those need another value anyway.
    """
    for step, call in dialogue.case.tasks[task].calls:
        for origin in origins_of(dialogue, task, step=step):
            if (task, step, origin.path) not in settled:
                finding = _source_finding(dialogue, (task, step), call, origin)
                if finding and finding.where not in wrong:
                    yield finding


def _source_finding(dialogue: Dialogue, place: tuple[int, int], call: Call, origin: Origin) -> Finding | None:
    task, step = place
    name = origin.path.lstrip("/")
    if origin.kind is OriginKind.UNKNOWN:
        gap = dialogue.misses_observation(task, step)
        reason = " (an earlier observation is missing and may have held it)" if gap else ""
        return Finding(
            rule="args.unsourced",
            severity=Severity.INFO if gap else Severity.WARNING,
            message=f"{name} of {call.name} is {quoted(origin.value)}, which nothing said or returned "
            f"before this call holds{reason}.",
            settle="Cite where it comes from, mark it as derived or world knowledge, or correct it.",
            task=task,
            step=step,
            path=origin.path,
        )
    if not origin.is_respelled or origin.found is None or not _is_misspelling(origin):
        return None
    written, source = contrasted(str(origin.value), origin.found.text)
    return Finding(
        rule="args.differs",
        severity=Severity.WARNING,
        message=f"{name} of {call.name} is {written}, but its source says {source}.",
        settle="Take over the source's spelling, or waive this where the tool wants another.",
        task=task,
        step=step,
        path=origin.path,
        proposal=origin.found.text,
    )


def _is_misspelling(origin: Origin) -> bool:
    text = str(origin.value)
    # A code (ZETA for Zeta Corp) only looks like the word it stands for.
    return not is_code(text) and len(squeeze(text)) >= _FEWEST_CHARACTERS
