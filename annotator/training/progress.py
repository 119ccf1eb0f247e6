"""How far a person is in the training: answers as events of their own, and what real work asks for first.

Nothing is stored but events under `training:NAME`, which only grow: two people never meet, two windows of
one person add to the same answers, and what was answered first stays the first answer.
"""

import json
from collections.abc import Mapping, Sequence

from pydantic import Field, JsonValue

from annotator.guidelines import Language
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import Work, Workspace, operation
from annotator.training.lessons import Feedback, Lesson, State, read_lessons
from db.read import claims, reviews
from db.read.rows import PersonRow
from db.tables import Transaction
from scoring.errors import ForbiddenError
from scoring.model.record import Record
from scoring.wording import counted

_ANSWERED, _BEGUN = "training:lesson:answer", "training:lesson:begin"


class LessonProgress(Record):
    """What a person has answered in one training case since they began it last.

    `said` holds the last answer of each question, `right` whether it is right, `first` whether the first
    one was.
    """

    said: dict[str, JsonValue] = Field(default_factory=dict)
    right: dict[str, bool] = Field(default_factory=dict)
    first: dict[str, bool] = Field(default_factory=dict)


class TrainingProgress(Record):
    """How far a person is, by the id of the training case."""

    lessons: dict[str, LessonProgress] = Field(default_factory=dict)

    def of(self, lesson: Lesson) -> LessonProgress:
        """What they have answered in one."""
        return self.lessons.get(lesson.id, LessonProgress())

    def is_done(self, lesson: Lesson) -> bool:
        """Whether every question of a training case has its right answer."""
        right = self.of(lesson).right
        return all(right.get(name, False) for name in lesson.asks)

    def done_count(self, lessons: Sequence[Lesson]) -> int:
        """How many training cases are done."""
        return sum(self.is_done(lesson) for lesson in lessons)

    def share(self, lessons: Sequence[Lesson]) -> float:
        """Share of all questions whose first answer was right, 0 to 1; an open one counts as not right."""
        right = sum(self.of(lesson).first.get(name, False) for lesson in lessons for name in lesson.asks)
        return right / sum(len(lesson.asks) for lesson in lessons)

    def first_answers(self, lessons: Sequence[Lesson]) -> tuple[int, int]:
        """How many questions were right at the first answer, and how many were answered at all."""
        first = [
            self.of(lesson).first[name]
            for lesson in lessons
            for name in lesson.asks
            if name in self.of(lesson).first
        ]
        return sum(first), len(first)

    def meets(self, threshold: float, lessons: Sequence[Lesson]) -> bool:
        """Whether it is enough for real work: all cases done, and the share right at the first answer."""
        return self.done_count(lessons) == len(lessons) and self.share(lessons) >= threshold


def training_progress(workspace: Workspace) -> TrainingProgress:
    """How far the person of the workspace is."""
    return workspace.read(lambda tx: _progress(tx, workspace.person.name))


@operation(_ANSWERED)
def keep_answers(w: Work, lesson: Lesson, told: Sequence[Feedback]) -> TrainingProgress:
    """Record answers; those that are recorded already are left out.

    Args:
        w: In whose name.
        lesson: The training case.
        told: What was said and whether it is right; open questions are left out.
    """
    progress = _progress(w.tx, w.person.name)
    known = progress.of(lesson)
    fresh: list[JsonValue] = [
        {"id": one.question.id, "said": one.said, "right": one.state is State.RIGHT}
        for one in told
        if one.state is not State.OPEN
        and (one.question.id not in known.said or known.said[one.question.id] != one.said)
    ]
    if fresh:
        w.record(_subject(w.person.name), {"lesson": lesson.id, "answers": fresh})
    return _with_answers(progress, lesson.id, fresh)


@operation(_BEGUN)
def begin_again(w: Work, lesson: Lesson) -> TrainingProgress:
    """Begin a training case anew; the earlier answers stay on record and count no more."""
    w.record(_subject(w.person.name), {"lesson": lesson.id})
    return TrainingProgress(lessons={**_progress(w.tx, w.person.name).lessons, lesson.id: LessonProgress()})


def is_newcomer(tx: Transaction, person: PersonRow) -> bool:
    """Whether a person has neither submitted a judgment here nor finished a training case."""
    if claims.has_submitted(tx, person.id):
        return False
    progress = _progress(tx, person.name)
    return not any(progress.done_count(read_lessons(language)) for language in Language)


def offers_training(workspace: Workspace) -> bool:
    """Whether the window should offer the training first to whoever opens the project."""
    return workspace.read(lambda tx: is_newcomer(tx, workspace.person))


def refuse_untrained(tx: Transaction, person: PersonRow, policy: ReviewPolicy) -> None:
    """Refuse real work to who has not done the training the policy asks for.

    Raises:
        ForbiddenError: Says how far the person is and what is asked for.
    """
    if not policy.training_threshold:
        return
    progress = _progress(tx, person.name)
    trainings = [read_lessons(language) for language in Language]
    if any(progress.meets(policy.training_threshold, lessons) for lessons in trainings):
        return
    lessons = max(trainings, key=progress.done_count)
    done, share = progress.done_count(lessons), progress.share(lessons)
    far = (
        f"{done} of {counted(len(lessons), 'training case')} done"
        if done < len(lessons)
        else f"{100 * share:.0f} % right at the first answer"
    )
    raise ForbiddenError(
        f"This project asks for the training before real work: all cases done, "
        f"{100 * policy.training_threshold:.0f} % right at the first answer. {person.name} has {far}.",
        "Open Training in the window; a case can be begun again.",
    )


def _subject(name: str) -> str:
    return f"training:{name}"


def _progress(tx: Transaction, name: str) -> TrainingProgress:
    progress = TrainingProgress()
    for event in reversed(reviews.events_of(tx, [_subject(name)], limit=100_000)):
        payload = json.loads(event.payload)
        if event.action == _BEGUN:
            progress = TrainingProgress(lessons={**progress.lessons, payload["lesson"]: LessonProgress()})
        elif event.action == _ANSWERED:
            progress = _with_answers(progress, payload["lesson"], payload["answers"])
    return progress


def _with_answers(
    progress: TrainingProgress, lesson_id: str, answers: Sequence[JsonValue]
) -> TrainingProgress:
    before = progress.lessons.get(lesson_id, LessonProgress())
    given, right, first = dict(before.said), dict(before.right), dict(before.first)
    for answer in answers:
        assert isinstance(answer, Mapping)
        name, is_right = str(answer["id"]), bool(answer["right"])
        given[name], right[name] = answer["said"], is_right
        first.setdefault(name, is_right)
    after = LessonProgress(said=given, right=right, first=first)
    return TrainingProgress(lessons={**progress.lessons, lesson_id: after})
