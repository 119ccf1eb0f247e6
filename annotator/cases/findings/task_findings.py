"""Findings about a task as a whole: its graph, its labels, its questions and whether it is complete."""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.evidence.passages import squeezed, telling_leaves, words_of
from annotator.cases.evidence.suggestions import reason_of, undrawn_flows
from annotator.cases.findings.information import unmet_information
from annotator.cases.phrases import listed, quoted
from scoring.model.case import Ask, Call, Case, Task
from scoring.model.graph import derive_policy, redundant_edges
from scoring.model.labels import Citation, Finding
from scoring.model.taxonomy import Policy, Severity
from scoring.wording import POLICY

_SHOWN: Mapping[Policy, str] = {
    **POLICY,
    Policy.SINGLE: "a single call",
    Policy.CLARIFY: "a question back",
    Policy.CHAT: "chat alone",
}
"""Policies in a sentence; a word alone could be anybody's name and would stand in no other language."""
_FEWEST_WORDS = 3
"""An answer of fewer words is as likely a key that was pressed by mistake."""


def completeness_findings(case: Case, task: int) -> Iterator[Finding]:
    """Tasks without steps, request or answer, and answers that hardly say anything."""
    found = case.tasks[task]
    if not found.steps or not found.user.strip():
        lacks = "has no steps" if not found.steps else "has steps but no request"
        yield Finding(
            rule="task.empty",
            severity=Severity.ERROR,
            message=f"The task {lacks}.",
            settle="Complete the task or delete it.",
            task=task,
        )
    if found.steps and (found.answer is None or not found.answer.text.strip()):
        lacks = "has no answer" if found.answer is None else "ends in an answer without text"
        yield Finding(
            rule="answer.missing",
            severity=Severity.ERROR,
            message=f"The task {lacks}.",
            settle="Write what the agent tells the user at the end.",
            task=task,
            step=found.answer_index,
        )
    elif found.answer is not None and len(words_of(found.answer.text)) < _FEWEST_WORDS:
        yield Finding(
            rule="answer.short",
            severity=Severity.WARNING,
            message=f"The answer is only {quoted(found.answer.text.strip())}.",
            settle="Write a sentence that tells the user what came out.",
            task=task,
            step=found.answer_index,
        )


def graph_findings(dialogue: Dialogue, task: int) -> Iterator[Finding]:
    """Values that flow without an edge, edges that others imply, an answer before its time."""
    found = dialogue.case.tasks[task]
    for flow in (one for one in undrawn_flows(dialogue, task) if not one.from_reply):
        yield Finding(
            rule="graph.missing_edge",
            severity=Severity.WARNING,
            message=f"{reason_of(flow)} No dependency leads from step {flow.source} to step {flow.target}.",
            settle=f"Draw the dependency {flow.source} -> {flow.target}.",
            task=task,
            step=flow.target,
            path=flow.path,
            edge=(flow.source, flow.target),
            proposal=[flow.source, flow.target, "parameter"],
        )
    yield from (
        Finding(
            rule="graph.redundant_edge",
            severity=Severity.INFO,
            message=f"Step {edge.target} waits for step {edge.source} through other steps anyway.",
            settle="Remove the dependency; the order stays the same.",
            task=task,
            edge=edge.pair,
        )
        for edge in redundant_edges(found)
    )
    yield from _early_answer(dialogue, task)


def _early_answer(dialogue: Dialogue, task: int) -> Iterator[Finding]:
    found = dialogue.case.tasks[task]
    answer = found.answer_index
    if answer is None:
        return
    awaited = dialogue.ancestors(task, answer)
    free = [step for step in range(len(found.steps)) if step != answer and not awaited >> step & 1]
    if not free:
        return
    steps = f"step {free[0]}" if len(free) == 1 else f"steps {listed(free)}"
    yield Finding(
        rule="graph.answer_early",
        severity=Severity.WARNING,
        message=f"The file lets the answer (step {answer}) run before {steps}.",
        settle="Draw any dependency of the task again, and the answer follows every step by itself.",
        task=task,
        step=answer,
        proposal=[[step, answer] for step in free],
    )


def label_findings(
    dialogue: Dialogue, task: int, *, citations: Sequence[Citation], is_drawn: bool
) -> Iterator[Finding]:
    """Declared policy and information against what the graph, once it is drawn, and the evidence show."""
    found = dialogue.case.tasks[task]
    derived = derive_policy(found)
    if is_drawn and found.policy is not None and derived is not None and found.policy is not derived:
        yield Finding(
            rule="policy.differs",
            severity=Severity.ERROR,
            message=f"The policy says {_SHOWN[found.policy]}, but the graph shows {_SHOWN[derived]}.",
            settle="Correct the policy, or the dependencies and steps it should describe.",
            task=task,
            proposal=derived.value,
        )
    unmet = unmet_information(dialogue, task, citations=citations)
    if unmet:
        yield Finding(
            rule="information.differs",
            severity=Severity.WARNING,
            message=unmet.message,
            settle="Correct the label, or the request so that it hides what the label says.",
            task=task,
            proposal=unmet.proposal,
        )


def ask_findings(case: Case, task: int) -> Iterator[Finding]:
    """Questions that name no required parameter of a tool."""
    found = case.tasks[task]
    for step, ask in (asked for asked in found.asks if not _names_required(case, asked[1])):
        yield Finding(
            rule="ask.no_parameter",
            severity=Severity.WARNING,
            message=_unnamed(case, ask),
            settle="Name the tool and the required parameters the question is about.",
            task=task,
            step=step,
            proposal=_asked_for(case, found, step),
        )


def _names_required(case: Case, ask: Ask) -> bool:
    named = ((case.tool(asked.tool_name), asked.missing_required_parameters) for asked in ask.asks_for)
    return any(tool and not set(tool.required).isdisjoint(names) for tool, names in named)


def _unnamed(case: Case, ask: Ask) -> str:
    named = [name for asked in ask.asks_for for name in asked.missing_required_parameters]
    unknown = [asked.tool_name for asked in ask.asks_for if case.tool(asked.tool_name) is None]
    if unknown:
        return f"The question is about {listed(list(map(quoted, unknown)))}, which is not in the toolset."
    if named:
        return f"The question asks for {listed(list(map(quoted, named)))}, which no tool it names requires."
    return "The question names no missing required parameter."


def _asked_for(case: Case, task: Task, step: int) -> list[JsonValue] | None:
    """The required parameters of the following calls whose values the reply holds."""
    ask = task.steps[step]
    reply = squeezed(ask.reply) if isinstance(ask, Ask) else ""
    lacking: dict[str, list[str]] = {}
    for call in task.steps[step + 1 :]:
        if isinstance(call, Call) and (tool := case.tool(call.name)):
            for name in tool.required:
                values = [squeezed(str(leaf)) for _, leaf in telling_leaves(call.arguments.get(name))]
                known = lacking.setdefault(call.name, [])
                if any(value in reply for value in values) and name not in known:
                    known.append(name)
    asked: list[JsonValue] = [
        {"tool_name": tool, "missing_required_parameters": [*names]}
        for tool, names in lacking.items()
        if names
    ]
    return asked or None
