"""What a rater says about a case: labels, judgments and citations, and the fields raters are compared on."""

import operator
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from scoring.groups import collected
from scoring.model.case import Call, Case, Edge, Task, WrittenCase
from scoring.model.record import Record
from scoring.model.taxonomy import (
    CheckAnswer,
    EdgeKind,
    FeedbackCategory,
    Information,
    Policy,
    ReviewLabel,
    Severity,
    SourceMark,
    Verdict,
)

TASK_CHECKLIST: Mapping[str, str] = {
    "relevant": "The answer fits the request",
    "facts": "Facts match the observations",
    "language": "Language is natural and appropriate",
    "distinct": "The request differs from the others",
    "policy_fits": "The policy fits the request",
    "hidden": "Needed information is really hidden",
}
"""Self-check of one task (design 3.1): item id -> what the reviewer confirms."""

CASE_CHECKLIST: Mapping[str, str] = {
    "coherence": "The dialogue is coherent throughout",
    "retention": "What was said long ago is remembered",
    "completed": "Every task is completed",
    "gold_reference": "It stands beside the gold examples",
}
"""Self-check of the whole dialogue (design 3.2)."""


class DialogueSource(Record):
    """A place in the dialogue that holds a value.

    Without a `step`, `text` is "user" (the request), "now" (the simulated time) or "system". With a
    `step` it is a call's observation, at `path`, or the text of an ask or an answer; an ask's reply is
    its step with `text` "reply". `span` is [start, end) in characters of that text.
    """

    task: int | None = None
    step: int | None = None
    text: Literal["user", "now", "reply", "system"] | None = None
    path: str | None = None
    span: tuple[int, int] | None = None


class Citation(Record):
    """Where one argument value of one call comes from: a place in the dialogue, or a mark.

    `path` is a JSON Pointer into the call's arguments, e.g. `/city` or `/legs/0/to`. A proposal a person
    has not accepted yet counts for nothing. `note` says in words what a derived value was worked out from.
    """

    task: int
    step: int
    path: str
    source: DialogueSource | SourceMark
    accepted: bool = True
    note: str = Field(default="", exclude_if=operator.not_)


class Waiver(Record):
    """A finding left as it is, with the reason; `where` is the finding's `where`."""

    rule: str
    where: str
    reason: str = Field(min_length=1)


MistakeKind = Annotated[
    FeedbackCategory | Annotated[str, Field(min_length=1, max_length=40)], Field(union_mode="left_to_right")
]
"""A kind of mistake that somebody is told about: a shipped one, or one of the team's own, in its words."""


class Reason(Record):
    """Why a verdict other than approve was given."""

    category: MistakeKind
    note: str = ""


class Finding(Record):
    """One thing an automatic check noticed.

    `where` is a stable text made of task, step and path, e.g. `task 2, call 1, /city`; it identifies
    the finding together with its rule. `settle` says what would settle it, `proposal` the
    replacement value where the check knows one.
    """

    rule: str
    severity: Severity
    message: str
    settle: str = ""
    task: int | None = None
    step: int | None = None
    path: str | None = None
    edge: tuple[int, int] | None = None
    proposal: JsonValue = None

    @property
    def where(self) -> str:
        """Where it was noticed, as a text that names the place for people and for waivers."""
        edge = self.edge and f"{self.edge[0]}-{self.edge[1]}"
        numbered = {"task": self.task, "step": self.step, "edge": edge}
        parts = [f"{name} {number}" for name, number in numbered.items() if number is not None]
        return " ".join([*parts, *filter(None, [self.path])]) or "case"


EdgeTriple = tuple[int, int, EdgeKind]

UNDRAWN = "undrawn"
"""What a compared edge holds for a rater who has not drawn its task: neither an edge nor the lack of one."""


class TaskLabels(Record):
    """What one rater says about one task; None where nothing was said yet.

    `calls_correct` has one item per call of the task, in step order. `edges` holds triples
    (from, to, kind) of the drawn dependencies, never those at the answer. `drawn` says whether they are
    the rater's own word; while it is false they are a proposal, of the file for instance. It is None
    where the task has fewer than two calls and questions, and in judgments older than the question.
    `reviews` says how each call ended, in step order; empty where nobody said it of any.
    """

    policy: Policy | None = None
    information: Information | None = None
    drawn: bool | None = None
    edges: tuple[EdgeTriple, ...] = ()
    calls_correct: tuple[bool | None, ...] = ()
    completed: bool | None = None
    checklist: dict[str, CheckAnswer | None] = Field(default_factory=dict)
    reviews: tuple[ReviewLabel | None, ...] = Field(default=(), exclude_if=operator.not_)

    @property
    def is_drawn(self) -> bool | None:
        """Whether the rater has drawn the task; who was not asked has where there are edges, else unknown."""
        return self.drawn if self.drawn is not None else bool(self.edges) or None


class Judgment(Record):
    """What one reviewer submits for one case at one stage (contracts 4).

    `seconds` is active time. `edit` is the whole case as the reviewer would have it, or None.
    """

    tasks: tuple[TaskLabels, ...]
    checklist: dict[str, CheckAnswer | None] = Field(default_factory=dict)
    evidence: tuple[Citation, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    verdict: Verdict | None = None
    reasons: tuple[Reason, ...] = ()
    edit: WrittenCase | None = None
    seconds: Annotated[float, Field(ge=0)] = 0

    @property
    def undrawn(self) -> tuple[int, ...]:
        """Numbers of the tasks that wait to be drawn."""
        return tuple(number for number, said in enumerate(self.tasks) if said.drawn is False)


def labels_of(case: Case) -> tuple[TaskLabels, ...]:
    """The labels a case itself carries: its policies, information and edges; nobody has said anything yet."""
    return tuple(
        TaskLabels(
            policy=task.policy,
            information=task.information,
            drawn=False if task.needs_drawing else None,
            edges=tuple((edge.source, edge.target, edge.kind) for edge in task.drawn_edges),
            calls_correct=(None,) * len(task.calls),
            reviews=_reviews_of(task),
        )
        for task in case.tasks
    )


def _reviews_of(task: Task) -> tuple[ReviewLabel | None, ...]:
    said = tuple(call.review_label for _, call in task.calls)
    return said if any(said) else ()


def without_labels(case: Case) -> Case:
    """The blind view: policies, information and every drawn or derived edge removed.

    The recorded rounds go too, since they give the owner's order away, and so does `review`.
    """
    tasks = tuple(
        task.model_copy(
            update={
                "policy": None,
                "information": None,
                "edges": (),
                "steps": tuple(
                    step.model_copy(
                        update={"recorded_round": None} | ({"review": None} if isinstance(step, Call) else {})
                    )
                    for step in task.steps
                ),
            }
        )
        for task in case.tasks
    )
    return case.model_copy(update={"tasks": tasks, "extras": {}, "source": None})


class ComparedField(Record):
    """One field on which raters are compared, with what each of them said.

    `id` is `task.<t>.policy`, `.information`, `.completed`, `.call.<step>.correct`,
    `.call.<step>.review`, `.edge.<from>-<to>` or `.drawn`, which an expert settles and nobody is compared
    on. The value of an edge is its kind, None where the rater drew none, and `UNDRAWN` where they have not
    drawn the task: that is compared with nothing, as is a review nobody asked a rater for. `values` is
    aligned with the raters; None also where a rater left the field open. An expert also sees
    `task.<t>.checklist.<item>`, and `checklist.<item>` of the whole dialogue, which stands at task 0.
    """

    id: str
    task: int
    kind: Literal["policy", "information", "completed", "call", "review", "edge", "checklist", "drawn"]
    values: tuple[JsonValue, ...]
    step: int | None = None
    pair: tuple[int, int] | None = None

    @property
    def item(self) -> str:
        """The item of a checklist it is about; empty for another kind."""
        return self.id.partition("checklist.")[2]

    @property
    def is_of_case(self) -> bool:
        """Whether it is an item of the whole dialogue's checklist."""
        return self.id == f"checklist.{self.item}"

    @property
    def said(self) -> tuple[JsonValue, ...]:
        """The values of the raters who spoke: of an edge only those who have drawn its task."""
        unsaid = None if self.kind == "review" else UNDRAWN
        return tuple(value for value in self.values if value != unsaid)

    @property
    def differs(self) -> bool:
        """Whether any two raters say different things."""
        said = self.said
        return any(value != said[0] or type(value) is not type(said[0]) for value in said)

    @property
    def has_majority(self) -> bool:
        """Whether more than half of the raters say the same."""
        said = self.said
        return max(Counter(map(repr, said)).values(), default=0) * 2 > len(said)

    @property
    def majority(self) -> JsonValue:
        """The value more than half of the raters gave; None where there is none (see `has_majority`)."""
        said = self.said
        counts = Counter(map(repr, said))
        return next((value for value in said if counts[repr(value)] * 2 > len(said)), None)


@collected
def compare(case: Case, raters: Sequence[Sequence[TaskLabels]]) -> Iterator[ComparedField]:
    """Lay the labels of several raters side by side, field by field (design 3.3).

    Args:
        case: The case all raters judged; gives the calls of each task.
        raters: For each rater the labels of every task, in task order; at least one rater.

    Returns:
        Per task policy, information, completed, each call's correctness, how each call ended where two
        raters say it, and each edge in the union of the drawings, in this order. Edges of raters who have
        not drawn the task are only proposals. Nobody is asked for the information of the first task: who
        says nothing says `first`.
    """
    for t, task in enumerate(case.tasks):
        said = [labels[t] for labels in raters]
        prefix = f"task.{t}"
        policies: tuple[JsonValue, ...] = tuple(label.policy for label in said)
        unsaid = Information.FIRST if t == 0 else None
        informations: tuple[JsonValue, ...] = tuple(label.information or unsaid for label in said)
        yield from (
            ComparedField(id=f"{prefix}.policy", task=t, kind="policy", values=policies),
            ComparedField(id=f"{prefix}.information", task=t, kind="information", values=informations),
            ComparedField(
                id=f"{prefix}.completed", task=t, kind="completed", values=tuple(s.completed for s in said)
            ),
        )
        for position, (step, _) in enumerate(task.calls):
            answers = tuple(
                label.calls_correct[position] if position < len(label.calls_correct) else None
                for label in said
            )
            yield ComparedField(
                id=f"{prefix}.call.{step}.correct", task=t, kind="call", step=step, values=answers
            )
        yield from _reviews(case, t, said)
        drawings = [
            {(a, b): kind for a, b, kind in label.edges} if label.is_drawn else None for label in said
        ]
        for pair in sorted(set().union(*filter(None, drawings))):
            kinds: tuple[JsonValue, ...] = tuple(
                UNDRAWN if drawing is None else drawing.get(pair) for drawing in drawings
            )
            yield ComparedField(
                id=f"{prefix}.edge.{pair[0]}-{pair[1]}", task=t, kind="edge", pair=pair, values=kinds
            )


def _reviews(case: Case, task: int, raters: Sequence[TaskLabels]) -> Iterator[ComparedField]:
    """How each call of a task ended, where at least two raters say it."""
    for position, (step, _) in enumerate(case.tasks[task].calls):
        values: tuple[JsonValue, ...] = tuple(
            label.reviews[position] if position < len(label.reviews) else None for label in raters
        )
        if sum(value is not None for value in values) > 1:
            yield ComparedField(
                id=f"task.{task}.call.{step}.review", task=task, kind="review", step=step, values=values
            )


def failed_items(raters: Sequence[Judgment]) -> tuple[ComparedField, ...]:
    """Items of the checklists that at least one rater fails, task by task, then those of the dialogue.

    A value is true where the item holds or does not apply, false where it fails.
    """
    answers_of_items = [
        (f"task.{t}.checklist.{item}", t, [rater.tasks[t].checklist.get(item) for rater in raters])
        for t in range(min((len(rater.tasks) for rater in raters), default=0))
        for item in dict.fromkeys(chain(TASK_CHECKLIST, *(rater.tasks[t].checklist for rater in raters)))
    ]
    answers_of_items += [
        (f"checklist.{item}", 0, [rater.checklist.get(item) for rater in raters]) for item in CASE_CHECKLIST
    ]
    return tuple(
        ComparedField(id=name, task=task, kind="checklist", values=tuple(map(_holds, answers)))
        for name, task, answers in answers_of_items
        if CheckAnswer.FAIL in answers
    )


def _holds(answer: CheckAnswer | None) -> bool | None:
    return None if answer is None else answer is not CheckAnswer.FAIL


def edges_of(labels: TaskLabels) -> tuple[Edge, ...]:
    """The drawn edges of a judgment as edges of a task."""
    return tuple(Edge(source=a, target=b, kind=kind) for a, b, kind in labels.edges)
