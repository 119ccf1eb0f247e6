"""Every rule for toolsets has an example that breaks only it."""

from typing import Any

import pytest

from annotator.generation.plan import Toolset
from annotator.generation.toolsets.toolset_checks import RULES, check_toolset
from annotator.generation.toolsets.toolset_files import FoundToolset
from scoring.model.case import Tool

DEPOT: Any = {"type": "string", "description": "Name of the depot."}


def tool(name: str = "find", description: str = "Find where a parcel lies.", **properties: Any) -> Tool:
    schema = {"type": "object", "properties": properties or {"depot": DEPOT}, "required": []}
    return Tool(definition={"name": name, "description": description, "parameters": schema})


def requiring(made: Tool, *names: str) -> Tool:
    schema = {**made.original_parameters, "required": list(names)}
    return Tool(definition={**made.definition, "parameters": schema})


def checked(*tools: Tool, **returns: Any) -> list[Any]:
    toolset = Toolset(name="t", tools=tools)
    return list(check_toolset(FoundToolset(toolset=toolset, returns=returns)))


def of(description: str = "What it is.", **schema: Any) -> Tool:
    """A tool with one parameter."""
    return tool(value={"description": description, **schema})


MANY: dict[str, Any] = {f"p{i}": DEPOT for i in range(101)}
BROKEN = {
    "tool.name": [tool("find parcel")],
    "tool.description": [tool(description="Find.")],
    "tool.constraint": [tool(description="Find a parcel of the post in Portugal.")],
    "tool.parameters": [tool(**MANY)],
    "required.undeclared": [requiring(tool(), "sender")],
    "parameter.description": [tool(value={"type": "string"})],
    "type.missing": [of()],
    "type.unknown": [of(type="parcel")],
    "enum.in_words": [of("Speed, supports 'fast' or 'slow'.", type="string")],
    "enum.empty": [of(type="string", enum=[])],
    "enum.type": [of(type="integer", enum=["fast"])],
    "default.in_words": [of("Speed, the default is 'fast'.", type="string")],
    "range.in_words": [of("Pieces, from 1 to 9.", type="integer")],
    "format.in_words": [of("Day of arrival as YYYY-MM-DD.", type="string")],
    "array.items": [of(type="array")],
    "object.properties": [of(type="object")],
    "tools.similar": [tool("findParcel"), tool("find_parcels")],
    "tools.dependency": [
        tool("searchDepot", "Search a depot near a street.", street=DEPOT),
        requiring(tool("send", "Send the goods on their way.", depotId=DEPOT), "depotId"),
    ],
}


def test_a_good_toolset_lacks_nothing() -> None:
    assert checked(requiring(tool(), "depot")) == []


@pytest.mark.parametrize("rule", [rule.id for rule in RULES])
def test_a_toolset_that_breaks_one_rule_breaks_only_that(rule: str) -> None:
    assert [finding.rule for finding in checked(*BROKEN[rule])] == [rule]


@pytest.mark.parametrize(
    ("rule", "key", "value"),
    [
        ("enum.in_words", "enum", ["fast", "slow"]),
        ("default.in_words", "default", "fast"),
        ("range.in_words", "maximum", 9),
        ("format.in_words", "pattern", r"^\d{4}-\d{2}-\d{2}$"),
        ("array.items", "items", {"type": "string"}),
        ("type.missing", "type", "string"),
    ],
)
def test_a_rule_that_knows_better_proposes_it_and_is_content_with_it(rule: str, key: str, value: Any) -> None:
    (finding,) = checked(*BROKEN[rule])
    assert finding.proposal[key] == value

    assert rule not in [later.rule for later in checked(tool(value=finding.proposal))]


def test_what_is_only_an_example_is_no_closed_set() -> None:
    assert checked(of("Speed, such as 'fast' or 'slow'.", type="string")) == []


def test_a_part_of_a_part_is_looked_at_too() -> None:
    inner = {"type": "object", "description": "Where to.", "properties": {"depot": {"type": "string"}}}
    (finding,) = checked(tool(to=inner))

    assert (finding.rule, finding.path) == ("parameter.description", "/properties/to/properties/depot")


def test_what_a_reply_is_said_to_hold_can_be_required_elsewhere() -> None:
    source = tool("search", "Search by the name of a street.", street=DEPOT)
    target = requiring(tool("send", "Send the goods on their way.", depot=DEPOT), "depot")
    reply = {"type": "array", "items": {"type": "object", "properties": {"Depot": {"type": "string"}}}}
    (finding,) = checked(source, target, search=reply)

    assert (finding.rule, finding.tool, finding.other) == ("tools.dependency", "send", "search")
