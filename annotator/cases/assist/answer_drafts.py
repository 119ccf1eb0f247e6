"""Answers to write from: an outline of the observations, or a model's draft whose every value is cited."""

import re
from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from annotator.cases.assist.assist_replies import ModelReply, nonsense, parsed, short
from annotator.cases.edits.text_edits import set_answer_text
from annotator.cases.phrases import quoted
from annotator.cases.pointers import has_value, value_at
from scoring.errors import ConflictError
from scoring.model.case import Case
from scoring.model.flow import leaves
from scoring.model.record import Record

_MOST_LINES = 40
_FIGURE = re.compile(r"\d+(?:[.,:/-]\d+)*")


class OutlineLine(Record):
    """One value an answer can be written from: which call returned it, and where in what it returned."""

    step: int
    tool_name: str
    path: str
    value: str


class CitedValue(Record):
    """One value of a draft and the place of an observation it was taken from."""

    value: str
    step: int
    path: str


class AnswerDraft(Record):
    """The answer of a task as a model would write it; `before` is the text it would replace, often empty."""

    kind: Literal["answer"] = "answer"
    task: int
    before: str
    after: str
    cited: tuple[CitedValue, ...]
    reason: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change."""
        return self.after == self.before


class _SaidValue(ModelReply):
    value: str = Field(min_length=1)
    step: int
    path: str


class _SaidAnswer(ModelReply):
    text: str = Field(min_length=1, max_length=20_000)
    cited: list[_SaidValue]


def answer_outline(case: Case, task: int) -> tuple[OutlineLine, ...]:
    """List what the calls of a task returned, value by value, to write its answer from.

    Returns:
        At most 40 values, those of the last calls where there are more, since an answer rests on these.
    """
    lines = [
        OutlineLine(step=step, tool_name=call.name, path=path, value=str(leaf))
        for step, call in case.tasks[task].calls
        for path, leaf in leaves(call.observation)
        if leaf is not None and str(leaf).strip()
    ]
    return tuple(lines[-_MOST_LINES:])


def answer_text(case: Case, task: int) -> str:
    """The answer of a task as it stands; empty where there is none."""
    answer = case.tasks[task].answer
    return answer.text if answer is not None else ""


def read_answer(reply: str, case: Case, *, task: int) -> AnswerDraft:
    """Read a draft; every figure of it has to be cited, and every citation has to hold.

    Raises:
        AssistError: The reply holds no draft, cites what is not there, or states a figure without a source.
    """
    draft = parsed(_SaidAnswer, reply)
    cited = tuple(CitedValue(value=value.value, step=value.step, path=value.path) for value in draft.cited)
    text = draft.text.strip()
    for citation in cited:
        if not _holds(case, task, citation):
            place = f"step {citation.step} {citation.path}"
            raise nonsense(f"it cites {quoted(citation.value)} from {place}, which does not hold it")
        if citation.value not in text:
            raise nonsense(f"it cites {quoted(citation.value)}, which its text does not say")
    for figure in _uncited(text, case, task, cited):
        raise nonsense(f"it states {quoted(figure)} without a source")
    return AnswerDraft(
        task=task, before=answer_text(case, task), after=text, cited=cited, reason=short(draft.reason)
    )


def with_answer(case: Case, draft: AnswerDraft) -> Case:
    """The case with a draft a person accepted.

    Raises:
        ConflictError: The answer, or an observation it was written from, has changed since.
    """
    if draft.task >= len(case.tasks) or answer_text(case, draft.task) != draft.before:
        raise ConflictError("The answer has changed since the model was asked.", "Ask again.")
    gone = next((one for one in draft.cited if not _holds(case, draft.task, one)), None)
    if gone is not None:
        raise ConflictError(
            f"Step {gone.step} does not say {quoted(gone.value)} any more: it was edited meanwhile.",
            "Ask again.",
        )
    return set_answer_text(case, draft.task, text=draft.after)


def _holds(case: Case, task: int, cited: CitedValue) -> bool:
    call = case.call_at(task, cited.step)
    if call is None or not has_value(call.observation, cited.path):
        return False
    found = value_at(call.observation, cited.path)
    return not isinstance(found, dict | list) and cited.value.casefold() in str(found).casefold()


def _uncited(text: str, case: Case, task: int, cited: tuple[CitedValue, ...]) -> Iterator[str]:
    """Figures of a draft that neither a citation nor what the user said holds."""
    shown = case.tasks[task]
    told = [shown.user, *(ask.reply or "" for _, ask in shown.asks)]
    now = shown.now or case.now
    asked = _FIGURE.findall("\n".join([*told, now.raw if now is not None else ""]))
    known = {figure for value in cited for figure in (value.value, *_FIGURE.findall(value.value))}
    yield from (figure for figure in _FIGURE.findall(text) if figure not in known and figure not in asked)
