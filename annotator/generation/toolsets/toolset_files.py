"""Toolsets from files: function schemas, OpenAPI 3, MCP `tools/list` replies, cases; nothing is fetched."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import Field, JsonValue

from annotator.files import decoded
from annotator.generation.plan import Toolset
from annotator.generation.toolsets.openapi import is_openapi, tools_of_openapi
from annotator.generation.toolsets.schema_references import Remarked, SchemaNote
from scoring.errors import InputError, filled
from scoring.formats.containers import MAX_LINE_BYTES, open_unpacked
from scoring.model.case import Tool
from scoring.model.record import JsonObject, Record
from scoring.model.strict_json import parse

_MAX_BYTES = 64 * 2**20
PARAMETER_KEYS = ("parameters", "inputSchema", "input_schema")
_RETURNS = ("returns", "outputSchema", "output_schema", "response", "responses")
_HOLDERS = ("tools", "functions", "function", "result")
_YAML_NAMES = (".yaml", ".yml")
_SHAPES = "Give a list of function schemas, one such list a line, an OpenAPI 3 file or a tools/list reply."


class FoundToolset(Record):
    """A toolset as a file has it.

    Attributes:
        toolset: What a dialogue is given.
        returns: Schema of what a tool brings back, by its name, where the file says so.
        remarks: What was left out or changed.
    """

    toolset: Toolset
    returns: Mapping[str, JsonObject] = Field(default_factory=dict)
    remarks: tuple[Remarked, ...] = ()

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Its tools."""
        return self.toolset.tools


def read_toolsets(path: Path) -> tuple[FoundToolset, ...]:
    """Read every toolset of a file.

    Args:
        path: A JSON file, or JSON lines; packed by gzip or not.

    Returns:
        One toolset for each list of tools, in order; single functions, one a line, are one toolset together.

    Raises:
        InputError: The file cannot be read, or holds no tools; the message says where and what to do.
    """
    text = _text_of(path)
    found: list[FoundToolset] = []
    single: list[JsonObject] = []
    for line, value in _values_of(text, path):
        where = path.name if line is None else f"{path.name}:{line}"
        if is_openapi(value):
            tools, returns, remarks = tools_of_openapi(value)
            found.append(_toolset(tools, where, returns=returns, remarks=tuple(remarks)))
            continue
        if isinstance(value, dict) and _is_function(value):
            single.append(value)
            continue
        lists = filled(_lists_in(value), InputError(f"{where} holds no tools.", _SHAPES))
        for i, items in enumerate(lists):
            named = where if len(lists) == 1 else f"{where}[{i}]"
            found.append(_toolset(items, named))
    if single:
        found.append(_toolset(single, path.name))
    return tuple(filled(found, InputError(f"{path} holds no tools.", _SHAPES)))


def _text_of(path: Path) -> str:
    if path.suffix.casefold() in _YAML_NAMES:
        raise InputError(f"{path.name} is YAML, which is not read.", "Convert it to JSON and name that file.")
    with open_unpacked(path) as stream:
        content = stream.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise InputError(f"{path} is longer than {_MAX_BYTES // 2**20} MB.", "Split it into smaller files.")
    return decoded(content, path)


def _values_of(text: str, path: Path) -> Iterator[tuple[int | None, JsonValue]]:
    """The JSON values of a text with their lines; null where it is one document."""
    try:
        yield None, parse(text)
        return
    except InputError as exc:
        lines = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip()]
        if len(lines) < 2:
            raise InputError(f"{path}: {exc.message}", exc.hint or _SHAPES) from exc
    for i, line in lines:
        if len(line) > MAX_LINE_BYTES:
            raise InputError(f"{path.name}:{i} is too long to be read.", "Split the line.")
        try:
            yield i, parse(line)
        except InputError as exc:
            raise InputError(f"{path.name}:{i}: {exc.message}", exc.hint or _SHAPES) from exc


def _is_function(value: JsonValue) -> bool:
    if not isinstance(value, dict):
        return False
    inner = value.get("function", value)
    return (
        isinstance(inner, dict)
        and isinstance(inner.get("name"), str)
        and ("description" in inner or any(key in inner for key in PARAMETER_KEYS))
        and not any(key in inner for key in ("tools", "messages", "tasks"))
    )


def _lists_in(value: JsonValue) -> list[list[JsonObject]]:
    """Every list of functions in a value: itself, its items, or what stands under `tools`."""
    if isinstance(value, list):
        if value and all(_is_function(item) for item in value):
            return [[item for item in value if isinstance(item, dict)]]
        return [found for item in value for found in _lists_in(item)]
    if isinstance(value, dict):
        return [found for key in _HOLDERS for found in _lists_in(value.get(key))]
    return []


def _toolset(
    items: Sequence[JsonObject],
    name: str,
    *,
    returns: Mapping[str, JsonObject] | None = None,
    remarks: tuple[Remarked, ...] = (),
) -> FoundToolset:
    """One toolset; of two tools with one name the last stays, as a name-keyed table would have it."""
    tools = filled(
        {tool.name: tool for tool in map(_tool, items)}, InputError(f"{name} holds no tools.", _SHAPES)
    )
    repeated = len(items) - len(tools)
    if repeated:
        remarks = (*remarks, Remarked(remark=SchemaNote.REPEATED_NAME, where=name, detail=str(repeated)))
    known = {_tool(item).name: schema for item in items if (schema := _returns(item))}
    return FoundToolset(
        toolset=Toolset(name=name, tools=tuple(tools.values())),
        returns={**known, **(returns or {})},
        remarks=remarks,
    )


def _tool(item: JsonObject) -> Tool:
    """The function in the shape models are sent: its name, description and parameters."""
    inner = item.get("function")
    if isinstance(inner, dict) and not any(key in inner for key in _RETURNS):
        return Tool(definition=item)
    said = inner if isinstance(inner, dict) else item
    schema = next((said[key] for key in PARAMETER_KEYS if isinstance(said.get(key), dict)), None)
    function: JsonObject = {
        "name": said["name"],
        "description": said.get("description") or said.get("title") or "",
        "parameters": schema or {"type": "object", "properties": {}},
    }
    return Tool(definition={"type": "function", "function": function})


def _returns(item: JsonObject) -> JsonObject | None:
    for holder in (item.get("function"), item):
        for key in _RETURNS:
            found = holder.get(key) if isinstance(holder, dict) else None
            if isinstance(found, dict):
                return found
    return None
