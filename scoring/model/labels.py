"""What a rater says about a case: labels, judgments and citations, and the fields raters are compared on."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from scoring.model.case import Answer, Ask, Call, Case, Edge
from scoring.model.record import Record
from scoring.model.taxonomy import (
    CheckAnswer,
    EdgeKind,
    FeedbackCategory,
    Information,
    Policy,
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
"""Self-check of one task (design section 3): item id -> what the reviewer confirms."""

CASE_CHECKLIST: Mapping[str, str] = {
    "coherence": "The dialogue is coherent throughout",
    "retention": "What was said long ago is remembered",
    "completed": "Every task is completed",
    "gold_reference": "It stands beside the gold examples",
}
"""Self-check of the whole dialogue (design section 3)."""


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
    has not accepted yet counts for nothing.
    """

    task: int
    step: int
    path: str
    source: DialogueSource | SourceMark
    accepted: bool = True


class Waiver(Record):
    """A finding left as it is, with the reason; `where` is the finding's `where`."""

    rule: str
    where: str
    reason: str = Field(min_length=1)


class Reason(Record):
    """Why a verdict other than approve was given."""

    category: FeedbackCategory
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
        parts = []
        if self.task is not None:
            parts.append(f"task {self.task}")
        if self.step is not None:
            parts.append(f"step {self.step}")
        if self.edge is not None:
            parts.append(f"edge {self.edge[0]}-{self.edge[1]}")
        if self.path:
            parts.append(self.path)
        return " ".join(parts) or "case"


EdgeTriple = tuple[int, int, EdgeKind]


class TaskLabels(Record):
    """What one rater says about one task; null where nothing was said yet.

    `calls_correct` has one item per call of the task, in step order. `edges` holds triples
    (from, to, kind) of the drawn dependencies, never those at the answer.
    """

    policy: Policy | None = None
    information: Information | None = None
    edges: tuple[EdgeTriple, ...] = ()
    calls_correct: tuple[bool | None, ...] = ()
    completed: bool | None = None
    checklist: dict[str, CheckAnswer | None] = Field(default_factory=dict)


class Judgment(Record):
    """What one reviewer submits for one case at one stage (cli.md, "A judgment").

    `seconds` is active time. `edit` is the whole case as the reviewer would have it, or null.
    """

    tasks: tuple[TaskLabels, ...]
    checklist: dict[str, CheckAnswer | None] = Field(default_factory=dict)
    evidence: tuple[Citation, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    verdict: Verdict | None = None
    reasons: tuple[Reason, ...] = ()
    edit: Case | None = None
    seconds: Annotated[float, Field(ge=0)] = 0


def labels_of(case: Case) -> tuple[TaskLabels, ...]:
    """The labels a case itself carries: its policies, information and drawn edges; judgments unsaid."""
    return tuple(
        TaskLabels(
            policy=task.policy,
            information=task.information,
            edges=tuple((edge.source, edge.target, edge.kind) for edge in task.drawn_edges),
            calls_correct=(None,) * len(task.calls),
        )
        for task in case.tasks
    )


def _without_traces(step: Call | Ask | Answer) -> Call | Ask | Answer:
    if isinstance(step, Call):
        return step.model_copy(update={"recorded_round": None, "review": None})
    return step.model_copy(update={"recorded_round": None})


def without_labels(case: Case) -> Case:
    """The blind view: policies, information and every drawn or derived edge removed.

    The recorded rounds go too, since they give the owner's order away, and so does `review`.
    """
    tasks = []
    for task in case.tasks:
        steps = tuple(
            step.model_copy(
                update={"recorded_round": None} | ({"review": None} if isinstance(step, Call) else {})
            )
            for step in task.steps
        )
        tasks.append(
            task.model_copy(update={"policy": None, "information": None, "edges": (), "steps": steps})
        )
    return case.model_copy(update={"tasks": tuple(tasks), "extras": {}, "source": None})


class ComparedField(Record):
    """One field on which raters are compared, with what each of them said.

    `id` is `task.<t>.policy`, `.information`, `.completed`, `.call.<step>.correct` or
    `.edge.<from>-<to>`; the value of an edge is its kind, or null where the rater drew none.
    `values` is aligned with the raters; null also where a rater left the field open.
    """

    id: str
    task: int
    kind: Literal["policy", "information", "completed", "call", "edge"]
    values: tuple[JsonValue, ...]
    step: int | None = None
    pair: tuple[int, int] | None = None

    @property
    def differs(self) -> bool:
        """Whether any two raters say different things."""
        return any(
            value != self.values[0] or type(value) is not type(self.values[0]) for value in self.values
        )

    @property
    def has_majority(self) -> bool:
        """Whether more than half of the raters say the same."""
        return max(Counter(map(repr, self.values)).values()) * 2 > len(self.values)

    @property
    def majority(self) -> JsonValue:
        """The value more than half of the raters gave; null where there is none (see `has_majority`)."""
        for value in self.values:
            if sum(1 for other in self.values if repr(other) == repr(value)) * 2 > len(self.values):
                return value
        return None


def compare(case: Case, raters: Sequence[Sequence[TaskLabels]]) -> tuple[ComparedField, ...]:
    """Lay the labels of several raters side by side, field by field (design section 3.3).

    Args:
        case: The case all raters judged; gives the calls of each task.
        raters: For each rater the labels of every task, in task order; at least one rater.

    Returns:
        Per task policy, information, completed, each call's correctness, and each edge in the union of
        the drawings, in this order.
    """
    fields: list[ComparedField] = []
    for t, task in enumerate(case.tasks):
        said = [labels[t] for labels in raters]
        prefix = f"task.{t}"
        policies: tuple[JsonValue, ...] = tuple(label.policy for label in said)
        informations: tuple[JsonValue, ...] = tuple(label.information for label in said)
        fields.append(ComparedField(id=f"{prefix}.policy", task=t, kind="policy", values=policies))
        fields.append(
            ComparedField(id=f"{prefix}.information", task=t, kind="information", values=informations)
        )
        fields.append(
            ComparedField(
                id=f"{prefix}.completed", task=t, kind="completed", values=tuple(s.completed for s in said)
            )
        )
        for position, (step, _) in enumerate(task.calls):
            answers = tuple(
                label.calls_correct[position] if position < len(label.calls_correct) else None
                for label in said
            )
            fields.append(
                ComparedField(
                    id=f"{prefix}.call.{step}.correct", task=t, kind="call", step=step, values=answers
                )
            )
        drawings = [{(a, b): kind for a, b, kind in label.edges} for label in said]
        for pair in sorted(set().union(*drawings)):
            kinds: tuple[JsonValue, ...] = tuple(drawing.get(pair) for drawing in drawings)
            fields.append(
                ComparedField(
                    id=f"{prefix}.edge.{pair[0]}-{pair[1]}", task=t, kind="edge", pair=pair, values=kinds
                )
            )
    return tuple(fields)


def edges_of(labels: TaskLabels) -> tuple[Edge, ...]:
    """The drawn edges of a judgment as edges of a task."""
    return tuple(Edge(source=a, target=b, kind=kind) for a, b, kind in labels.edges)
