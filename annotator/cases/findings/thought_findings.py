"""Findings about reasoning: a thought that speaks against the calls it comes with."""

import re
from collections.abc import Iterator

from pydantic import JsonValue

from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.evidence.origins import find_value
from annotator.cases.evidence.passage_index import Known
from annotator.cases.evidence.passages import Passage, Speaker
from annotator.cases.evidence.quantities import as_number
from annotator.cases.phrases import is_code, listed, quoted
from scoring.model.case import Call
from scoring.model.flow import escape, squeeze
from scoring.model.labels import Finding
from scoring.model.taxonomy import Severity

_QUOTED = r"\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|`([^`\n]{1,80})`|(?<!\w)'([^'\n]{1,80})'(?!\w)"
_FIGURE = r"([-−]?\d+(?:\.\d+)?)(?![\w%:/-]|[.,]\d|\s*(?:to|or|至|到|或)\b)"
_SAYS = r"[`\"”']?\s*(?:=|[:：]|为|是|(?:is|as|to|of)(?: set to)?\b)\s*"
_VAGUE = {"code", "id", "key", "name", "number", "query", "status", "text", "title", "type", "value"}
"""Names of parameters that may be those of anything a thought speaks of, unless an equals sign follows."""
_NO_CALL = re.compile(
    r"\bno (?:tools?|functions?|tool calls?) (?:(?:is|are) )?(?:needed|required|necessary)\b"
    r"|\b(?:no need|(?:do|does|is)(?: not|n['’]t) (?:need|necessary)) to (?:call|use) (?:a|any) "
    r"(?:tool|function)s?\b"
    r"|(?:不需要|无需|不必)(?:调用|使用)任何(?:工具|函数)",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?:\b(?:not?|instead of|rather than|without|unlike)\b|n['’]t\b|\bavoid|\bskip|不|而非)[^.!?。]{0,40}\Z",
    re.IGNORECASE,
)
"""How a thought leads up to a tool that it decides against."""
_FAILS = re.compile(
    r"[^\w.,;!?。，]*(?:\w+[^\w.,;!?。，]+){0,3}?(?:cannot|fail|unable|not?\b|\w+n['’]t\b|不|没)",
    re.IGNORECASE,
)
"""How it goes on after such a tool."""


def thought_findings(dialogue: Dialogue, task: int) -> Iterator[Finding]:
    """Thoughts that name a tool no step calls, another value than the call has, or say that no call is due.

    A thought belongs to all calls of its round. Where it can be read in another way nothing is said.
    """
    case, calls = dialogue.case, dialogue.case.tasks[task].calls
    for step, call in calls:
        if not call.thought:
            continue
        round_ = call.recorded_round
        together = [one for one in calls if one[0] == step or one[1].recorded_round == round_ is not None]
        named = [tool.name for tool in case.tools if _names(call.thought, tool.name)]
        if any(one.name in named for _, one in together):
            named = []
        elif _NO_CALL.search(call.thought):
            yield Finding(
                rule="thought.no_call",
                severity=Severity.WARNING,
                message=f"The thought says that no tool is needed, but step {step} calls {call.name}.",
                settle="Correct the thought, or delete the call.",
                task=task,
                step=step,
            )
        if uncalled := [name for name in named if all(one.name != name for _, one in calls)]:
            yield Finding(
                rule="thought.tool",
                severity=Severity.WARNING,
                message=f"The thought names {listed(uncalled)}, but step {step} calls {call.name}.",
                settle="Correct the thought, or call the tool it names.",
                task=task,
                step=step,
            )
        yield from _values(dialogue, task, call.thought, together)


def is_technical(name: str) -> bool:
    """Whether the name of a tool is no plain word, which may stand in any sentence."""
    return len(name) > 3 and ("_" in name or name[1:] != name[1:].lower())


def _names(thought: str, tool: str) -> bool:
    """Whether a thought names a tool and does not decide against it."""
    found = re.finditer(rf"(?<![\w.]){re.escape(tool)}(?!\w)", thought) if is_technical(tool) else ()
    return any(
        not _DENIED.search(thought[: one.start()]) and not _FAILS.match(thought[one.end() :]) for one in found
    )


def _values(
    dialogue: Dialogue, task: int, thought: str, together: list[tuple[int, Call]]
) -> Iterator[Finding]:
    known = Known.of(Passage(Speaker.ANSWER, thought, today=dialogue.request(task).today))
    for step, call in together:
        for name, value in call.arguments.items():
            if isinstance(value, dict | list) or find_value(value, known):
                continue
            values = [one.arguments.get(name) for _, one in together]
            others = (said for said in _said(thought, name) if not any(_fits(one, said) for one in values))
            if other := next(others, None):
                yield Finding(
                    rule="thought.value",
                    severity=Severity.WARNING,
                    message=f"The thought gives {name} as {quoted(other)}, but the call has {quoted(value)}.",
                    settle="Correct the thought, or the value of the call.",
                    task=task,
                    step=step,
                    path=f"/{escape(name)}",
                )


def _said(thought: str, name: str) -> Iterator[str]:
    """The quoted texts and figures a thought gives for a parameter."""
    says = r"[`\"”']?\s*=\s*" if name in _VAGUE else _SAYS
    quotes = says if name in _VAGUE else rf"(?:{_SAYS}|\s+)"
    pattern = rf"(?<!\w){re.escape(name)}(?!\w)(?:{quotes}(?:{_QUOTED})|{says}{_FIGURE})"
    return (next(filter(None, one.groups())) for one in re.finditer(pattern, thought))


def _fits(value: JsonValue, said: str) -> bool:
    """Whether a value may be what was said: a number may be the id of a text, a code stands for a name."""
    text, numbers = str(value), (as_number(value), as_number(said))
    if numbers != (None, None):
        return None in numbers or numbers[0] == numbers[1]
    one, other = squeeze(text), squeeze(said)
    return one in other or other in one or is_code(text)
