"""A case: one dialogue with its tools, tasks, steps and dependencies, as frozen values."""

import hashlib
import re
from collections.abc import Iterator
from datetime import datetime
from functools import cached_property
from operator import not_
from typing import Annotated, Any, Literal, cast

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    SerializeAsAny,
    field_validator,
    model_serializer,
    model_validator,
)

from scoring.model.record import (
    JsonObject,
    Record,
    canonical_bytes,
    is_none,
    items_in,
    members_in,
    texts_in,
    to_json,
)
from scoring.model.schemas import normalise_schema
from scoring.model.taxonomy import EdgeKind, Information, Policy, ReviewLabel

NATIVE_FORMAT = "annotator-case"
NATIVE_VERSION = 1
_BESIDE_CONTENT: Any = {
    "source": True,
    "extras": True,
    "tasks": {"__all__": {"steps": {"__all__": {"recorded_round"}}}},
}
_TIMESTAMP = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2}))?)?")


class Now(Record):
    """The simulated time of a dialogue: the raw text kept, beside it what could be read of it.

    `at` is ISO 8601 without a zone (the simulated world has none), or None where nothing could be read.
    """

    raw: str
    at: str | None = None

    @classmethod
    def read(cls, raw: str) -> "Now":
        """Read the first timestamp in a text; the text itself is kept whatever it says."""
        found = _TIMESTAMP.search(raw)
        if not found:
            return cls(raw=raw)
        try:
            moment = datetime(*(int(part or 0) for part in found.groups()))  # type: ignore[arg-type]  # noqa: DTZ001
        except ValueError:
            return cls(raw=raw)
        return cls(raw=raw, at=moment.isoformat())

    @classmethod
    def find(cls, text: str) -> "Now | None":
        """Take the first readable timestamp out of a longer text; None where there is none."""
        for found in _TIMESTAMP.finditer(text):
            now = cls.read(found[0])
            if now.at is not None:
                return now
        return None

    @property
    def moment(self) -> datetime | None:
        """The simulated instant, without a zone."""
        return datetime.fromisoformat(self.at) if self.at else None


class Tool(Record):
    """One function schema the agent may call, exactly as the file gave it.

    Serialised as the definition itself, so a toolset survives every trip unchanged.
    """

    model_config = ConfigDict(frozen=True, ignored_types=(cached_property,))

    definition: JsonObject

    @model_validator(mode="before")
    @classmethod
    def _wrap(cls, value: Any) -> Any:
        if isinstance(value, dict) and set(value) == {"definition"} and isinstance(value["definition"], dict):
            return value
        return {"definition": value}

    @model_validator(mode="after")
    def _named(self) -> "Tool":
        if not isinstance(self._function.get("name"), str):
            raise ValueError("a tool needs a name")
        return self

    @model_serializer
    def _plain(self) -> Any:  # a definition is JSON already; a narrower type would have it checked again
        return self.definition

    @property
    def _function(self) -> JsonObject:
        function = self.definition.get("function")
        return function if isinstance(function, dict) else self.definition

    @cached_property
    def name(self) -> str:
        """Name the agent calls it by."""
        return str(self._function["name"])

    @property
    def description(self) -> str:
        """What it does, for the agent; empty where the file has none."""
        text = self._function.get("description")
        return text if isinstance(text, str) else ""

    @property
    def original_parameters(self) -> JsonObject:
        """Schema of the arguments as the file gave it; `{}` where there is none."""
        for key in ("parameters", "inputSchema", "input_schema"):
            schema = self._function.get(key)
            if isinstance(schema, dict):
                return schema
        return {}

    @cached_property
    def text(self) -> str:
        """Every text of the definition, names of keys included, one a line."""
        return "\n".join(texts_in(self.definition))

    @cached_property
    def json_text(self) -> str:
        """The definition as compact ASCII JSON, keys in their order."""
        return to_json(self.definition)

    @cached_property
    def canonical(self) -> bytes:
        """The definition in the form that is hashed."""
        return canonical_bytes(self.definition)

    @cached_property
    def parameters(self) -> JsonObject:
        """Schema of the arguments with standard type names, `properties` and `required` always present."""
        schema = normalise_schema(self.original_parameters)
        return {
            **schema,
            "type": "object",
            "properties": members_in(schema.get("properties")),
            "required": [n for n in items_in(schema.get("required")) if isinstance(n, str)],
        }

    @property
    def properties(self) -> JsonObject:
        """Schemas of the declared arguments by name."""
        return cast("JsonObject", self.parameters["properties"])

    @property
    def required(self) -> list[str]:
        """Names of the arguments a call cannot do without, as the file lists them."""
        return cast("list[str]", self.parameters["required"])


class AskedTool(Record):
    """One tool a clarifying question is about, with the required parameters still missing."""

    tool_name: str
    missing_required_parameters: tuple[str, ...] = ()


class AcceptedValue(Record):
    """What may stand at one place of a call's arguments besides the value it has (formats 10.2)."""

    values: tuple[JsonValue, ...] = Field(
        default=(),
        title="Other right values",
        description="Put commas between them, and quotes around a text.",
    )
    optional: bool = Field(default=False, title="May be left out")
    any_text: bool = Field(default=False, title="Any text will do")
    tolerance: float | None = Field(
        default=None,
        ge=0,
        title="A number may be off by",
        description="Both ways; empty for not at all.",
    )
    any_order: bool = Field(default=False, title="Items in any order")


def checked_accepted(accepted: JsonObject | None) -> JsonObject | None:
    """What a call accepts besides, as it is stored: nothing at all is None.

    Raises:
        ValueError: It is no `AcceptedValue` for each JSON Pointer.
    """
    for path, rule in (accepted or {}).items():
        if not path.startswith("/"):
            raise ValueError(f"{path[:60]!r} is no JSON Pointer, such as /city")
        AcceptedValue.model_validate_json(to_json(rule), strict=True)
    return accepted or None


class Call(Record):
    """A tool call with what came back; a null observation was never recorded.

    `review` says how it ended, in the words of `ReviewLabel` or those of its file. `accepted` holds an
    `AcceptedValue` for places of the arguments, by JSON Pointer.
    """

    kind: Literal["call"] = "call"
    name: str
    arguments: SerializeAsAny[JsonObject]
    observation: SerializeAsAny[JsonValue] = None
    recorded_round: int | None = None
    thought: str | None = None
    review: str | None = None
    accepted: SerializeAsAny[JsonObject] | None = Field(default=None, exclude_if=not_)

    @field_validator("accepted")
    @classmethod
    def _readable(cls, accepted: JsonObject | None) -> JsonObject | None:
        return checked_accepted(accepted)

    @property
    def accepts(self) -> dict[str, AcceptedValue]:
        """What is right besides its arguments, by the JSON Pointer of a place in them."""
        return {path: AcceptedValue.model_validate(rule) for path, rule in (self.accepted or {}).items()}

    @property
    def review_label(self) -> ReviewLabel | None:
        """How it ended; None where nobody said, or in other words."""
        return next((label for label in ReviewLabel if label.value == self.review), None)


class Ask(Record):
    """A clarifying question with the user's reply."""

    kind: Literal["ask"] = "ask"
    text: str
    reply: str
    asks_for: tuple[AskedTool, ...] = ()
    recorded_round: int | None = None
    thought: str | None = Field(default=None, exclude_if=is_none)


class Answer(Record):
    """The final text of a task: a summary of tool results, or a direct reply (chat)."""

    kind: Literal["answer"] = "answer"
    text: str
    answer_type: Literal["tool", "chat"] = "tool"
    recorded_round: int | None = None
    thought: str | None = Field(default=None, exclude_if=is_none)


Step = Annotated[Call | Ask | Answer, Field(discriminator="kind")]


def spoken_texts(step: Call | Ask | Answer) -> tuple[tuple[Literal["text", "reply"], str], ...]:
    """What people and the agent say to each other in a step, with the field it stands in; none in a call."""
    match step:
        case Ask():
            return (("text", step.text), ("reply", step.reply))
        case Answer():
            return (("text", step.text),)
        case _:
            return ()


class Edge(Record):
    """One dependency: step `target` waits for step `source` (positions within the task, from 0)."""

    source: int = Field(alias="from")
    target: int = Field(alias="to")
    kind: EdgeKind = EdgeKind.LOGICAL

    @property
    def pair(self) -> tuple[int, int]:
        """Source and target, without the kind."""
        return self.source, self.target


class Task(Record):
    """One user request and everything done for it; `steps` is empty until someone answers it.

    `plan` is what its solver meant to do, in words.
    """

    user: str
    now: Now | None = None
    policy: Policy | None = None
    information: Information | None = None
    steps: tuple[Step, ...] = ()
    edges: tuple[Edge, ...] = ()
    plan: str | None = Field(default=None, exclude_if=is_none)

    @property
    def calls(self) -> tuple[tuple[int, Call], ...]:
        """Tool calls with their step numbers."""
        return tuple((i, step) for i, step in enumerate(self.steps) if isinstance(step, Call))

    @property
    def asks(self) -> tuple[tuple[int, Ask], ...]:
        """Clarifying questions with their step numbers."""
        return tuple((i, step) for i, step in enumerate(self.steps) if isinstance(step, Ask))

    @property
    def answer(self) -> Answer | None:
        """The final answer, None while nobody has written one."""
        return next((step for step in self.steps if isinstance(step, Answer)), None)

    @property
    def answer_index(self) -> int | None:
        """Step number of the final answer."""
        return next((i for i, step in enumerate(self.steps) if isinstance(step, Answer)), None)

    @property
    def needs_drawing(self) -> bool:
        """Whether it has two calls or questions and more, so that somebody has to say what waits for what."""
        return sum(not isinstance(step, Answer) for step in self.steps) > 1

    @property
    def drawn_edges(self) -> tuple[Edge, ...]:
        """Dependencies a person draws and raters are compared on: all but those at the answer."""
        return tuple(edge for edge in self.edges if edge.kind is not EdgeKind.DERIVED)


class Source(Record):
    """Where a case was read from; lines count from 1."""

    format: str
    file: str | None = None
    line: int | None = None


class Case(Record):
    """One dialogue: environment, toolset, 1..n tasks, and the unknown keys of its file."""

    id: str = Field(min_length=1, max_length=200)
    language: str = "en"
    now: Now | None = None
    tools: tuple[Tool, ...] = ()
    tasks: tuple[Task, ...] = Field(min_length=1)
    source: Source | None = None
    extras: SerializeAsAny[JsonObject] = Field(default_factory=dict)

    def tool(self, name: str) -> Tool | None:
        """Find a tool by name; of two with one name the last wins, as in a name-keyed table (IMP-07)."""
        return next((tool for tool in reversed(self.tools) if tool.name == name), None)

    def step_at(self, task: int, step: int) -> Call | Ask | Answer | None:
        """The step at a place; None where the case has no such step."""
        steps = self.tasks[task].steps if 0 <= task < len(self.tasks) else ()
        return steps[step] if 0 <= step < len(steps) else None

    def call_at(self, task: int, step: int) -> Call | None:
        """The call at a place; None where there is none."""
        found = self.step_at(task, step)
        return found if isinstance(found, Call) else None

    def steps(self) -> Iterator[tuple[int, int, Call | Ask | Answer]]:
        """Walk all steps as (task number, step number, step) in dialogue order."""
        return ((t, s, step) for t, task in enumerate(self.tasks) for s, step in enumerate(task.steps))


def dump_case(case: Case) -> JsonObject:
    """Write a case in its native shape (formats 10.2), keys in their documented order."""
    return {"format": NATIVE_FORMAT, "version": NATIVE_VERSION, **case.model_dump(mode="json", by_alias=True)}


def write_case(case: Case) -> str:
    """A case in its native shape as compact ASCII JSON; a tool that many cases share is written once."""
    body = to_json(dump_case(case.model_copy(update={"tools": ()})))
    tools = ",".join(tool.json_text for tool in case.tools)
    return body.replace('"tools":[]', f'"tools":[{tools}]', 1)  # nothing before it has such a key


def load_case(body: JsonObject) -> Case:
    """Read the native shape; the opposite of `dump_case`.

    Raises:
        pydantic.ValidationError: A field is missing, unknown or of the wrong type.
    """
    return Case.model_validate(_without_format(body))


def _without_format(body: Any) -> Any:
    if not isinstance(body, dict):
        return body
    return {key: value for key, value in body.items() if key not in ("format", "version")}


WrittenCase = Annotated[Case, BeforeValidator(_without_format)]
"""A case within another record, with or without what heads a case that stands alone."""


def content_of(case: Case) -> JsonObject:
    """The part of a case that its hash covers: texts, calls, observations, labels, edges, tools, now."""
    return case.model_dump(mode="json", by_alias=True, exclude=_BESIDE_CONTENT)


def content_sha256(case: Case) -> str:
    """Hash of the content; equal content, equal hash, whatever the key order or source (formats 10.2)."""
    rest = canonical_bytes(content_of(case.model_copy(update={"tools": ()})))
    tools = b",".join(tool.canonical for tool in case.tools)
    # Of the sorted keys `tools` is the last; a tool that many cases share is written once.
    return hashlib.sha256(rest.removesuffix(b"[]}") + b"[%b]}" % tools).hexdigest()
