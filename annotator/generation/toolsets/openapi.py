"""Operations of an OpenAPI 3 file as tools: local references are followed, others are not fetched."""

import re
from collections.abc import Iterator

from pydantic import JsonValue

from annotator.generation.toolsets.schema_references import Remarked, Resolver, SchemaNote
from scoring.errors import InputError, filled
from scoring.model.record import JsonObject, items_in, members_in

_METHODS = ("get", "put", "post", "delete", "patch", "head", "options", "trace")
_LONGEST_NAME = 64
_BODY = "body"


def is_openapi(value: JsonValue) -> bool:
    """Whether a document says it is OpenAPI (or Swagger)."""
    return isinstance(value, dict) and ("openapi" in value or "swagger" in value) and "paths" in value


def tools_of_openapi(
    document: JsonValue,
) -> tuple[list[JsonObject], dict[str, JsonObject], list[Remarked]]:
    """Turn every operation into a function schema.

    Parameters of the path, the query, headers and cookies and the fields of a JSON body are parameters of
    the function; a body that is no object is the parameter `body`.

    Args:
        document: The file.

    Returns:
        The functions; the schemas of their successful replies, by name; and what was left out or changed.

    Raises:
        InputError: It is another version, or has no operation.
    """
    assert isinstance(document, dict)
    if not str(document.get("openapi", "")).startswith("3"):
        version = document.get("swagger") or document.get("openapi")
        raise InputError(f"The file is OpenAPI {version}; 3 is read.", "Convert it to OpenAPI 3.")
    functions: list[JsonObject] = []
    returns: dict[str, JsonObject] = {}
    remarks: list[Remarked] = []
    names: set[str] = set()
    for where, path_item, method, operation in _operations(document):
        resolver = Resolver(document, where)
        wanted = str(operation.get("operationId") or f"{method}_{where.partition(' ')[2]}")
        name = _free_name(wanted, names)
        names.add(name)
        if name != wanted and operation.get("operationId"):
            remarks.append(Remarked(remark=SchemaNote.RENAMED, where=where, detail=wanted))
        functions.append(_function(name, where, path_item, operation, resolver))
        reply = _reply(operation, resolver)
        if reply is not None:
            returns[name] = reply
        remarks += resolver.remarks
    return (
        filled(functions, InputError("The OpenAPI file has no operation.", "Its `paths` are empty.")),
        returns,
        remarks,
    )


def _operations(document: JsonObject) -> Iterator[tuple[str, JsonObject, str, JsonObject]]:
    for path, value in members_in(document["paths"]).items():
        item = members_in(value)
        for method in _METHODS:
            operation = item.get(method)
            if isinstance(operation, dict):
                yield f"{method.upper()} {path}", item, method, operation


def _free_name(wanted: str, taken: set[str]) -> str:
    """A name every endpoint accepts: letters, digits, `_` and `-`, at most 64 of them."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", wanted).strip("_")[:_LONGEST_NAME] or "operation"
    name, number = plain, 2
    while name in taken:
        ending = f"_{number}"
        name, number = plain[: _LONGEST_NAME - len(ending)] + ending, number + 1
    return name


def _function(
    name: str, where: str, path_item: JsonObject, operation: JsonObject, resolver: Resolver
) -> JsonObject:
    properties: JsonObject = {}
    required: list[JsonValue] = []
    for parameter in _parameters(path_item, operation, resolver):
        key = str(parameter["name"])
        schema = parameter.get("schema")
        inner = resolver.resolve(schema if isinstance(schema, dict) else _content_schema(parameter))
        if isinstance(parameter.get("description"), str):
            inner = {"description": parameter["description"], **inner}
        properties[key] = inner
        if parameter.get("required") is True or parameter.get("in") == "path":
            required.append(key)
    body = resolver.resolve(operation.get("requestBody"), is_schema=False)
    schema = resolver.resolve(_content_schema(body))
    fields = schema.get("properties")
    if isinstance(fields, dict):
        properties = {**fields, **properties}
        required += [key for key in items_in(schema.get("required")) if key in fields]
    elif schema:
        properties[_BODY] = schema
        required += [_BODY] if body.get("required") is True else []
    said = [operation.get(key) for key in ("summary", "description")]
    texts = [text.strip().rstrip(".") for text in said if isinstance(text, str) and text.strip()]
    description = ". ".join(dict.fromkeys(texts)) or where
    parameters: JsonObject = {
        "type": "object",
        "properties": properties,
        "required": list(dict.fromkeys(map(str, required))),
    }
    return {
        "type": "function",
        "function": {"name": name, "description": f"{description}.", "parameters": parameters},
    }


def _parameters(path_item: JsonObject, operation: JsonObject, resolver: Resolver) -> list[JsonObject]:
    """The parameters of the path and the operation; the operation's win."""
    items = (item for holder in (path_item, operation) for item in items_in(holder.get("parameters")))
    parameters = (resolver.resolve(item, is_schema=False) for item in items)
    named = (one for one in parameters if isinstance(one.get("name"), str))
    return list({(str(one["name"]), str(one.get("in"))): one for one in named}.values())


def _content_schema(holder: JsonObject) -> JsonObject:
    """The schema of JSON content, else of the first content there is."""
    content = members_in(holder.get("content"))
    kind = min(content, key=lambda kind: "json" not in kind, default="")
    return members_in(members_in(content.get(kind)).get("schema"))


def _reply(operation: JsonObject, resolver: Resolver) -> JsonObject | None:
    responses = operation.get("responses")
    if not isinstance(responses, dict):
        return None
    status = next((key for key in sorted(responses) if key.startswith("2")), "default")
    schema = _content_schema(resolver.resolve(responses.get(status), is_schema=False))
    return resolver.resolve(schema) or None
