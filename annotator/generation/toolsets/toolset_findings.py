"""What may be wrong with a toolset: a finding, the rule it comes from, and the parts a rule looks at."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from annotator.generation.toolsets.toolset_files import FoundToolset
from scoring.model.case import Tool
from scoring.model.flow import escape
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import Severity

_DEEPEST = 12


class ToolsetFinding(Record):
    """One thing a toolset lacks.

    Attributes:
        rule: Id of the rule; stable.
        severity: `error` where calls will fail, `warning` where dialogues will be poor, `info` to know.
        toolset: Name of the toolset.
        tool: Name of the tool.
        path: JSON Pointer to the part of its definition's parameters; empty for the tool as a whole.
        message: What is lacking.
        settle: What would settle it.
        other: The other tool of a pair.
        proposal: The part at `path` as it would be better, where the rule knows.
    """

    rule: str
    severity: Severity
    toolset: str
    tool: str
    path: str = ""
    message: str
    settle: str = ""
    other: str | None = None
    proposal: JsonObject | None = None


@dataclass(frozen=True)
class ParameterPlace:
    """One parameter or part of one: its schema, where it is, and what it is called."""

    tool: Tool
    path: str
    name: str
    schema: JsonObject

    @property
    def text(self) -> str:
        """Its description; empty where there is none."""
        said = self.schema.get("description")
        return said.strip() if isinstance(said, str) else ""

    @property
    def kind(self) -> JsonValue:
        """Its type as it stands there."""
        return self.schema.get("type")


@dataclass(frozen=True)
class RuleHit:
    """What a rule found: the rest of the sentence, the place, and the better part where it knows one."""

    detail: str = ""
    path: str = ""
    other: str | None = None
    proposal: JsonObject | None = None


@dataclass(frozen=True)
class Rule:
    """One rule. `message` may hold `{detail}`; exactly one of the three functions looks."""

    id: str
    severity: Severity
    message: str
    settle: str
    of_part: Callable[[ParameterPlace], RuleHit | None] | None = None
    of_tool: Callable[[Tool], RuleHit | None] | None = None
    of_toolset: Callable[[FoundToolset], Iterator[tuple[str, RuleHit]]] | None = None


def parts_of(tool: Tool) -> Iterator[ParameterPlace]:
    """Every parameter of a tool and every part of it, outermost first."""
    stack: list[tuple[JsonObject, str, str, int]] = [(tool.parameters, "", "", 0)]
    while stack:
        schema, path, name, depth = stack.pop()
        if path:
            yield ParameterPlace(tool, path, name, schema)
        if depth > _DEEPEST:
            continue
        properties = schema.get("properties")
        inner = [
            (value, f"{path}/properties/{escape(key)}", key, depth + 1)
            for key, value in (properties.items() if isinstance(properties, dict) else ())
            if isinstance(value, dict)
        ]
        items = schema.get("items")
        if isinstance(items, dict):
            inner.append((items, f"{path}/items", name, depth + 1))
        stack += reversed(inner)
