"""What a model proposes, read out of its reply with distrust."""

from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from annotator.llm.repaired_json import json_values
from scoring.errors import AnnotatorError, GraphError, existing, filled
from scoring.model.case import Case, Edge
from scoring.model.graph import check_new_edge, with_drawn_edges
from scoring.model.record import Record
from scoring.model.taxonomy import EdgeKind, Information, Policy, ReviewLabel

_LONGEST_REASON = 300


_Shape = TypeVar("_Shape", bound=BaseModel)


class AssistError(AnnotatorError):
    """A model gave no proposal that could be shown."""


class Rewording(Record):
    """Another wording of one text: the request of a task, or the text of a question or an answer."""

    kind: Literal["wording"] = "wording"
    task: int
    step: int | None
    before: str
    after: str
    reason: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change."""
        return self.after == self.before


class ProposedEdge(Record):
    """A dependency a model would draw, and why."""

    edge: Edge
    reason: str = ""


class Edges(Record):
    """Dependencies of one task that are not drawn yet."""

    kind: Literal["edges"] = "edges"
    task: int
    edges: tuple[ProposedEdge, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change."""
        return not self.edges


class Labels(Record):
    """Labels of one task that differ from today's; None where a label would stay as it is."""

    kind: Literal["labels"] = "labels"
    task: int
    policy: Policy | None = None
    information: Information | None = None
    reason: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change."""
        return self.policy is None and self.information is None


class CallReview(Record):
    """How a call ended in the eyes of a model, and why."""

    step: int
    label: ReviewLabel
    reason: str = ""


class Reviews(Record):
    """How calls of one task ended, where a model says otherwise than today's labels (T-Eval).

    `is_finished` says whether it finds that nothing is left to do for the task; a person confirms that.
    """

    kind: Literal["reviews"] = "reviews"
    task: int
    reviews: tuple[CallReview, ...]
    is_finished: bool
    reason: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing would change."""
        return not self.reviews


class ModelReply(BaseModel):
    """What a model writes; keys it adds of its own accord are left unread."""

    model_config = ConfigDict(extra="ignore", strict=True)

    reason: str = ""


class _SaidWording(ModelReply):
    text: str = Field(min_length=1, max_length=20_000)


class _SaidEdge(ModelReply):
    source: int = Field(alias="from")
    target: int = Field(alias="to")
    kind: Literal["parameter", "logical"]


class _SaidEdges(ModelReply):
    edges: list[_SaidEdge]


class _SaidLabels(ModelReply):
    policy: Literal["single", "multi_serial", "multi_parallel", "multi_mixed", "clarify", "chat"] | None
    information: Literal["first", "omission", "reference", "long_range"] | None


class _SaidReview(ModelReply):
    step: int
    label: Literal["Success", "Internal Error", "Input Error", "Irrelevant Response", "Unable to Accomplish"]


class _SaidReviews(ModelReply):
    reviews: list[_SaidReview]
    finished: bool


def read_wording(reply: str, *, task: int, step: int | None, before: str) -> Rewording:
    """Read a wording; blanks around it are dropped.

    Raises:
        AssistError: The reply holds none.
    """
    said = parsed(_SaidWording, reply)
    after = filled(said.text.strip(), nonsense("its text is empty"))
    return Rewording(task=task, step=step, before=before, after=after, reason=short(said.reason))


def read_edges(reply: str, case: Case, *, task: int) -> Edges:
    """Read dependencies; those that are drawn, break a rule, or would close a circle are left out.

    Raises:
        AssistError: The reply holds no list of dependencies, or names a step that does not exist.
    """
    shown = case.tasks[task]
    proposed: list[ProposedEdge] = []
    for item in parsed(_SaidEdges, reply).edges:
        if not (0 <= item.source < len(shown.steps) and 0 <= item.target < len(shown.steps)):
            raise nonsense(f"it names step {max(item.source, item.target)}, which does not exist")
        edge = Edge(source=item.source, target=item.target, kind=EdgeKind(item.kind))
        if any(drawn.pair == edge.pair for drawn in shown.edges):
            continue
        try:
            check_new_edge(shown, edge.source, edge.target)
        except GraphError:
            continue
        shown = with_drawn_edges(shown, [*shown.drawn_edges, edge])
        proposed.append(ProposedEdge(edge=edge, reason=short(item.reason)))
    return Edges(task=task, edges=tuple(proposed))


def read_labels(reply: str, case: Case, *, task: int) -> Labels:
    """Read labels; those the task has already are left out.

    Raises:
        AssistError: The reply holds none, or another word than those there are.
    """
    answer = parsed(_SaidLabels, reply)
    shown = case.tasks[task]
    policy = Policy(answer.policy) if answer.policy else None
    information = Information(answer.information) if answer.information else None
    return Labels(
        task=task,
        policy=policy if policy is not shown.policy else None,
        information=information if information is not shown.information else None,
        reason=short(answer.reason),
    )


def read_reviews(reply: str, case: Case, *, task: int) -> Reviews:
    """Read how calls ended; those that are labelled so already are left out.

    Raises:
        AssistError: The reply holds none, another word than those there are, or names a step that is no call.
    """
    answer = parsed(_SaidReviews, reply)
    found: dict[int, CallReview] = {}
    for said in answer.reviews:
        no_call = nonsense(f"it says how step {said.step} ended, which is no call")
        if existing(case.call_at(task, said.step), no_call).review != said.label:
            found[said.step] = CallReview(
                step=said.step, label=ReviewLabel(said.label), reason=short(said.reason)
            )
    return Reviews(
        task=task,
        reviews=tuple(found.values()),
        is_finished=answer.finished,
        reason=short(answer.reason),
    )


def parsed(shape: type[_Shape], reply: str) -> _Shape:
    """Read the object a reply holds, whatever stands around it.

    Raises:
        AssistError: It holds none of that shape.
    """
    last: ValidationError | None = None
    for value in json_values(reply):
        try:
            return shape.model_validate(value)
        except ValidationError as error:
            last = error
    if last:
        first = last.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise nonsense(f"{where}: {first['msg'].lower()}") from last
    raise nonsense("it holds no JSON object")


def short(reason: str) -> str:
    """A reason as one line of bounded length."""
    words = " ".join(reason.split())
    return words if len(words) <= _LONGEST_REASON else words[: _LONGEST_REASON - 1] + "…"


def nonsense(what: str) -> AssistError:
    """The error that says what is wrong with a reply."""
    return AssistError(
        f"The model's reply is not a proposal: {what}.", "Ask again, or name another model in the settings."
    )
