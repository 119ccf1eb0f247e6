"""Texts that could mislead a reader or a program: control characters, remote images, HTML."""

import re
from collections.abc import Iterator
from functools import lru_cache

from pydantic import JsonValue

from annotator.cases.phrases import listed
from scoring.model.case import Answer, Ask, Call, Case, Task
from scoring.model.flow import escape
from scoring.model.labels import Finding
from scoring.model.record import texts_in
from scoring.model.taxonomy import Severity

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_IMAGE = re.compile(r"!\[[^\]\n]{0,300}\]\(\s*<?(?:https?:)?//", re.IGNORECASE)
_TAGS = (
    "a|abbr|article|audio|b|base|blockquote|body|br|button|center|code|dd|del|details|div|dl|dt|em|embed|font|"
    "footer|form|frame|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|link|main|mark|meta|nav|"
    "object|ol|option|p|pre|q|s|script|section|select|small|source|span|strong|style|sub|summary|sup|svg|table|"
    "tbody|td|textarea|tfoot|th|thead|title|tr|tt|u|ul|video"
)
_HTML = re.compile(rf"</?(?:{_TAGS})(?:\s[^<>]{{0,500}})?/?>|<!--", re.IGNORECASE)
_SUSPICIOUS = re.compile(f"{_CONTROL.pattern}|{_DIRECTION.pattern}|!|<")
"""Without any of these none of the checks finds anything."""
_CHECKS = (
    ("control characters", _CONTROL),
    ("characters that change the reading direction", _DIRECTION),
    ("a remote image", _IMAGE),
    ("HTML", _HTML),
)


_DIGITS = re.compile(r"(?<![\w.:-])(?!\d{4}-\d\d-\d\d)\+?\d(?:[ ()/-]{0,2}\d){8,}(?![\w:])")
_PERSONAL = (
    ("an e-mail address", re.compile(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")),
    ("a long number, as of a telephone or a card", _DIGITS),
)


def personal_data_in(text: str) -> list[str]:
    """What a text holds that may tell who somebody is, in words; a rule, which knows no names."""
    return [name for name, pattern in _PERSONAL if pattern.search(text)]


def tool_text_findings(case: Case) -> Iterator[Finding]:
    """Untrusted texts in tool definitions; `path` points into the case."""
    for position, tool in enumerate(case.tools):
        if noticed := _noticed_in_tool(tool.text):
            yield _finding(noticed, f"The definition of {tool.name}", path=f"/tools/{position}")


def task_text_findings(task: Task, number: int) -> Iterator[Finding]:
    """Untrusted texts of a task, in its request and its steps; `path` names the field."""
    if noticed := _noticed(task.user):
        yield _finding(noticed, "The request", task=number, path="/user")
    for step, content in enumerate(task.steps):
        for field, value in _texts(content):
            if noticed := _noticed(value if isinstance(value, str) else "\n".join(texts_in(value))):
                subject = f"The {field} of step {step}"
                yield _finding(noticed, subject, task=number, step=step, path=f"/{escape(field)}")


def _texts(step: Call | Ask | Answer) -> Iterator[tuple[str, JsonValue]]:
    match step:
        case Call():
            yield "arguments", step.arguments
            yield "observation", step.observation
            yield "thought", step.thought
        case Ask():
            yield "text", step.text
            yield "reply", step.reply
        case _:
            yield "text", step.text
            yield "thought", step.thought


def _noticed(text: str) -> list[str]:
    return [name for name, pattern in _CHECKS if pattern.search(text)] if _SUSPICIOUS.search(text) else []


_noticed_in_tool = lru_cache(1024)(_noticed)
"""The same tools come with every case."""


def _finding(
    noticed: list[str], subject: str, *, path: str, task: int | None = None, step: int | None = None
) -> Finding:
    return Finding(
        rule="text.untrusted",
        severity=Severity.INFO,
        message=f"{subject} holds {listed(noticed)}.",
        settle="Remove it where it is no part of what the text has to say.",
        task=task,
        step=step,
        path=path,
    )
