"""Toolsets from every kind of file, hostile ones too; nothing is fetched."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.generation.toolsets.schema_references import SchemaNote
from annotator.generation.toolsets.toolset_files import FoundToolset, read_toolsets
from scoring.errors import InputError
from tests.shared import SHARED, needs_shared

FIND = {"name": "find", "description": "Find a parcel.", "parameters": {"type": "object", "properties": {}}}
SEND = {"type": "function", "function": {**FIND, "name": "send"}}


def written(folder: Path, *values: Any, name: str = "tools.json") -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(value) for value in values), encoding="utf-8")
    return path


def names(found: tuple[FoundToolset, ...]) -> list[list[str]]:
    return [[tool.name for tool in toolset.tools] for toolset in found]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([[FIND, SEND]], [["find", "send"]]),
        ([[FIND], [SEND]], [["find"], ["send"]]),
        ([[[FIND], [SEND]]], [["find"], ["send"]]),
        ([FIND, SEND], [["find", "send"]]),
        ([{"tools": [FIND]}], [["find"]]),
        ([{"jsonrpc": "2.0", "id": 1, "result": {"tools": [FIND]}}], [["find"]]),
        ([{"id": "c-1", "messages": [], "tools": [SEND]}], [["send"]]),
        ([FIND], [["find"]]),
    ],
)
def test_a_file_of_functions_is_read_in_every_shape(
    tmp_path: Path, values: list[Any], expected: list[list[str]]
) -> None:
    assert names(read_toolsets(written(tmp_path, *values))) == expected


def test_a_tools_list_reply_becomes_functions_models_can_be_sent(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    output = {"type": "object", "properties": {"depot": {"type": "string"}}}
    tool = {"name": "find", "title": "Find", "inputSchema": schema, "outputSchema": output}
    (found,) = read_toolsets(written(tmp_path, {"tools": [tool]}))

    assert found.tools[0].definition == {
        "type": "function",
        "function": {"name": "find", "description": "Find", "parameters": schema},
    }
    assert found.returns == {"find": output}


def test_of_two_tools_with_one_name_the_last_stays_and_it_is_said(tmp_path: Path) -> None:
    (found,) = read_toolsets(written(tmp_path, [FIND, {**FIND, "description": "Another."}]))

    assert [tool.description for tool in found.tools] == ["Another."]
    assert [remark.remark for remark in found.remarks] == [SchemaNote.REPEATED_NAME]


def openapi(**paths: Any) -> dict[str, Any]:
    return {"openapi": "3.1.0", "paths": {"/parcels/{id}": paths}, "components": {"schemas": {}}}


def test_an_openapi_operation_is_a_tool(tmp_path: Path) -> None:
    document = openapi(
        parameters=[{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
        post={
            "operationId": "sendOn",
            "summary": "Send it on.",
            "parameters": [{"name": "fast", "in": "query", "schema": {"type": "boolean"}}],
            "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/To"}}}},
            "responses": {"200": {"content": {"application/json": {"schema": {"type": "object"}}}}},
        },
    )
    document["components"]["schemas"]["To"] = {
        "type": "object",
        "properties": {"depot": {"type": "string"}},
        "required": ["depot"],
    }
    (found,) = read_toolsets(written(tmp_path, document))

    assert found.tools[0].name == "sendOn"
    assert found.tools[0].description == "Send it on."
    assert found.tools[0].parameters["required"] == ["id", "depot"]
    assert list(found.tools[0].parameters["properties"]) == ["depot", "id", "fast"]  # type: ignore[arg-type]
    assert found.returns == {"sendOn": {"type": "object"}}
    assert found.remarks == ()


def test_an_external_reference_is_not_fetched_and_said(tmp_path: Path) -> None:
    schema = {"$ref": "https://example.org/parcel.json"}
    body = {"content": {"application/json": {"schema": schema}}}
    (found,) = read_toolsets(written(tmp_path, openapi(put={"operationId": "put", "requestBody": body})))

    assert found.tools[0].parameters["properties"] == {"body": {"type": "object"}}
    remark = found.remarks[0]
    assert (remark.remark, remark.detail) == (
        SchemaNote.EXTERNAL_REFERENCE,
        "https://example.org/parcel.json",
    )


def test_a_schema_that_contains_itself_ends(tmp_path: Path) -> None:
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}}
    document = openapi(put={"operationId": "put", "requestBody": body})
    document["components"]["schemas"]["Node"] = {
        "type": "object",
        "properties": {"next": {"$ref": "#/components/schemas/Node"}},
    }
    (found,) = read_toolsets(written(tmp_path, document))

    assert found.tools[0].parameters["properties"] == {"next": {"type": "object"}}
    assert [remark.remark for remark in found.remarks] == [SchemaNote.CYCLE]


def test_a_schema_that_doubles_at_every_level_stays_small(tmp_path: Path) -> None:
    """Thirty levels of two references each would be a thousand million parts."""
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/L0"}}}}
    document = openapi(put={"operationId": "put", "requestBody": body})
    for level in range(30):
        inner = {"$ref": f"#/components/schemas/L{level + 1}"}
        document["components"]["schemas"][f"L{level}"] = {
            "type": "object",
            "properties": {"a": inner, "b": inner},
        }
    document["components"]["schemas"]["L30"] = {"type": "string"}
    (found,) = read_toolsets(written(tmp_path, document))

    assert len(json.dumps(found.tools[0].definition)) < 1_000_000
    assert SchemaNote.TOO_LARGE in {remark.remark for remark in found.remarks}


def test_a_tool_with_500_parameters_is_read(tmp_path: Path) -> None:
    many = [{"name": f"p{i}", "in": "query", "schema": {"type": "integer"}} for i in range(500)]
    (found,) = read_toolsets(written(tmp_path, openapi(get={"parameters": many})))

    properties = found.tools[0].parameters["properties"]
    assert isinstance(properties, dict)
    assert len(properties) == 500


def test_names_no_model_can_call_are_changed_and_stay_different(tmp_path: Path) -> None:
    document = openapi(get={"operationId": "a b"}, put={"operationId": "a/b"})
    (found,) = read_toolsets(written(tmp_path, document))

    assert [tool.name for tool in found.tools] == ["a_b", "a_b_2"]
    assert [remark.detail for remark in found.remarks] == ["a b", "a/b"]


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("", "t.json", "JSON"),
        ("[]", "t.json", "holds no tools"),
        ("{", "t.json", "JSON"),
        ('{"swagger": "2.0", "paths": {}}', "t.json", "OpenAPI 2.0; 3 is read"),
        ('{"openapi": "3.0.0", "paths": {}}', "t.json", "has no operation"),
        ("openapi: 3.0.0", "t.yaml", "is YAML"),
        ('[{"name": "a", "description": "b"}]\n{"x"', "t.jsonl", "t.jsonl:2"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, text: str, name: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text)

    with pytest.raises(InputError, match=message) as caught:
        read_toolsets(path)
    assert caught.value.hint


@needs_shared
def test_the_published_toolsets_are_all_read() -> None:
    found = read_toolsets(SHARED / "data" / "toolsets_en.jsonl")

    assert len(found) == 256
    repeated = sum(int(remark.detail) for toolset in found for remark in toolset.remarks)
    assert sum(len(toolset.tools) for toolset in found) + repeated == 1248
