"""The training cases: what is shown of each, what is asked, and what is right.

They lie in `resources/training` and are never stored as cases of a project, so that no queue, batch, sample,
export or figure can know them.
"""

import re
from enum import StrEnum

from pydantic import Field, JsonValue, ValidationError, field_validator

from annotator.guidelines import Language
from annotator.resources import resource_text
from scoring.errors import InputError, existing
from scoring.model.case import Case, load_case
from scoring.model.record import Record
from scoring.model.taxonomy import Stage

_QUESTION = re.compile(
    r"task\.(\d+)\.(?:(policy|information|drawing|completed)|(call|value|evidence)\.(\d+)|item\.(\w+))"
)


_TOPICS = {
    "policy": "policy",
    "information": "information",
    "drawing": "dependency",
    "value": "finding",
}
"""What of the guidelines explains a question, by its kind; others are explained as judgments."""


class LessonQuestion(Record):
    """One thing a training case asks, and why the right answer is right.

    `kind` is `policy`, `information`, `drawing`, `completed`, `call` (is it right), `value` (repair its
    arguments), `evidence` (say where they come from) or `item` (of the task's checklist).
    """

    id: str
    kind: str
    task: int
    step: int | None = None
    item: str = ""
    why: str

    @property
    def topic(self) -> str:
        """What of the guidelines explains it."""
        if self.kind == "item":
            return f"checklist.{self.item}"
        return _TOPICS.get(self.kind, f"judgment.{self.kind}")

    @property
    def is_told_at_once(self) -> bool:
        """Whether one answer says it all; a drawing and repaired values are looked at when asked for."""
        return self.kind not in ("drawing", "value")


class State(StrEnum):
    """How far a question is."""

    OPEN = "open"
    WRONG = "wrong"
    RIGHT = "right"


class Feedback(Record):
    """One question with what was said; `said` is None while it is open."""

    question: LessonQuestion
    state: State
    said: JsonValue = None


class Planted(Record):
    """A wrong value that is shown in the place of the right one."""

    task: int
    step: int
    argument: str
    value: JsonValue


class Lesson(Record):
    """One training case.

    `about` names its subject, `teaches` says what to do and with which keys. `gold` is right in every label
    and edge, and what is wrong on purpose (`wrong_calls`, `not_completed`, `fails`) is to be noticed;
    `planted` is to be repaired. `asks` holds the reason by the question's id.
    """

    title: str
    about: str
    teaches: str
    stage: Stage
    gold: Case
    asks: dict[str, str] = Field(min_length=1)
    planted: tuple[Planted, ...] = ()
    wrong_calls: tuple[tuple[int, int], ...] = ()
    not_completed: tuple[int, ...] = ()
    fails: tuple[tuple[int, str], ...] = ()

    @field_validator("gold", mode="before")
    @classmethod
    def _native(cls, body: object) -> object:
        return load_case(body) if isinstance(body, dict) else body

    @property
    def id(self) -> str:
        """What names it for good."""
        return self.gold.id

    @property
    def is_blind(self) -> bool:
        """Whether it is judged like somebody else's case."""
        return self.stage is Stage.CROSS_CHECK

    @property
    def questions(self) -> tuple[LessonQuestion, ...]:
        """What is asked, in the order it is listed."""
        return tuple(_question(name, why) for name, why in self.asks.items())


class _Lessons(Record):
    lessons: tuple[Lesson, ...] = Field(min_length=1)


def read_lessons(language: Language = Language.ENGLISH) -> tuple[Lesson, ...]:
    """Read the training cases of a language in the order of their difficulty.

    Each language has cases of its own that ask the same; whoever has done those of one is trained.

    Raises:
        InputError: The program's file is missing or damaged.
    """
    advice = "Install the program again; your progress is kept in the project."
    try:
        return _Lessons.model_validate_json(resource_text("training", f"{language}.json")).lessons
    except FileNotFoundError as exc:
        raise InputError("The training cases are missing.", advice) from exc
    except (OSError, ValidationError, ValueError) as exc:
        raise InputError("The training cases are damaged.", advice) from exc


def _question(name: str, why: str) -> LessonQuestion:
    match = existing(_QUESTION.fullmatch(name), ValueError(f"a training case cannot ask {name!r}"))
    task, label, of_step, step, item = match.groups()
    return LessonQuestion(
        id=name,
        kind=label or of_step or "item",
        task=int(task),
        step=int(step) if step else None,
        item=item or "",
        why=why,
    )
