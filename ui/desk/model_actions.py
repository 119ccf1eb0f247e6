"""What a model may be asked to make for an open case, and what it made, for a person to take or leave."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from annotator.settings import AssistSettings
from scoring.model.case import Case
from ui.desk.document import CaseDocument


@dataclass(frozen=True)
class ShownProposal:
    """A proposal that is shown and can be accepted.

    Attributes:
        title: What it is.
        about: Where it comes from.
        lines: What would change, and why.
        undo_words: What accepting it is called in the undo list.
        applied: Puts it into a case; an `AnnotatorError` says that it does not fit.
        record: Writes down that a person accepted or declined it.
        texts: A text as it is and as it would be, compared word by word.
        new_task: The task it adds, which is selected then; None where it adds none.
    """

    title: str
    about: str
    lines: tuple[str, ...]
    undo_words: str
    applied: Callable[[Case], Case]
    record: Callable[..., object]
    texts: tuple[str, str] | None = None
    new_task: int | None = None


@dataclass(frozen=True)
class ModelAction:
    """What a part that can be left out lets a model make for the open case.

    Attributes:
        name: What the names of its command and of its panel are made of.
        title: The words of its command.
        keys: Its keys.
        job: What the job is called.
        reason: Why a document has none of it now, in a sentence; empty where it can be asked for.
        waiting: What is said while it is made by a model.
        ask: The job: gets the workspace, `case`, `settings`, `context`, `is_another` (whether what was made
            before was declined), and `listen`, which it tells every step on its own thread.
        line: A step, in a line.
        shown: What was made, as it is shown.
    """

    name: str
    title: str
    keys: str
    job: str
    reason: Callable[[CaseDocument], str]
    waiting: Callable[[AssistSettings], str]
    ask: Callable[..., object]
    line: Callable[[Any], str]
    shown: Callable[[Any], ShownProposal]
