"""Arguments of a call against the schema of its tool."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from annotator.cases.argument_schemas import same_value
from annotator.cases.quantities import as_number
from annotator.cases.quoting import listed, quoted
from scoring.model.case import Call, Tool
from scoring.model.flow import escape, squeeze
from scoring.model.record import JsonObject

_CHECKED_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
_KINDS: dict[str, type] = {"string": str, "array": list, "object": dict}
_MOST_OPTIONS = 8


@dataclass(frozen=True, slots=True)
class Violation:
    """One place where arguments do not fit the schema, with a value that would fit where one is known."""

    rule: str
    path: str
    message: str
    settle: str
    proposal: JsonValue = None


def violations_of(tool: Tool, call: Call) -> tuple[Violation, ...]:
    """Check the arguments of a call, nested ones too.

    Args:
        tool: The tool as the toolset has it; `float`, `dict` and their like are understood.
        call: The call; its name is not looked at.

    Returns:
        `args.missing`, `args.undefined`, `args.type`, `args.enum` in the order of the schema, at most
        one for each path.
    """
    return tuple(_object(tool.parameters, call.arguments, "", tool.name))


def restated_defaults(tool: Tool, call: Call) -> tuple[Violation, ...]:
    """Find optional arguments that say what their default says anyway (`args.default`)."""
    return tuple(_restated(tool.parameters, call.arguments, ""))


def _object(schema: JsonObject, value: JsonObject, path: str, owner: str = "") -> Iterator[Violation]:
    # An object inside is called by its place, and only once something has to be said about it.
    properties = schema.get("properties")
    declared = properties if isinstance(properties, dict) else {}
    required = _required(schema)
    for name in required:
        if _is_blank(value.get(name), declared.get(name)):
            yield _missing(name, declared.get(name), value, path, owner or _name_at(path))
    for name, inner in value.items():
        inner_path = f"{path}/{escape(name)}"
        rule = declared.get(name)
        if isinstance(rule, dict):
            if not (name in required and _is_blank(inner, rule)):
                yield from _value(rule, inner, inner_path)
        elif name not in declared and name not in required and not _is_open(schema):
            yield _undefined(name, declared, inner_path, owner or _name_at(path))
        elif isinstance(schema.get("additionalProperties"), dict) and name not in declared:
            yield from _value(schema["additionalProperties"], inner, inner_path)  # type: ignore[arg-type]


def _required(schema: JsonObject) -> list[str]:
    found = schema.get("required")
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def _is_open(schema: JsonObject) -> bool:
    # An object without declared properties stores anything (formats 9.4); false closes it.
    extra = schema.get("additionalProperties")
    if extra is False:
        return False
    return extra is not None or not isinstance(schema.get("properties"), dict)


def _is_blank(value: JsonValue, schema: JsonValue) -> bool:
    if value is not None and value != "":
        return False
    options = schema.get("enum") if isinstance(schema, dict) else None
    if isinstance(options, list) and value in options:
        return False
    return value == "" or not (isinstance(schema, dict) and _allows_null(schema))


def _allows_null(schema: JsonObject) -> bool:
    found = schema.get("type")
    return schema.get("nullable") is True or found == "null" or (isinstance(found, list) and "null" in found)


def _missing(name: str, schema: JsonValue, value: JsonObject, path: str, owner: str) -> Violation:
    said = f"gives only {quoted(value[name])}" if name in value else "does not give it"
    rule = schema if isinstance(schema, dict) else {}
    return Violation(
        "args.missing",
        f"{path}/{escape(name)}",
        f"{owner} requires {quoted(name)}, but the call {said}.",
        "Give a value, or let the agent ask the user for it first.",
        rule.get("default"),
    )


def _undefined(name: str, declared: JsonObject, path: str, owner: str) -> Violation:
    respelled = [key for key in declared if squeeze(key) == squeeze(name)]
    near = respelled or difflib.get_close_matches(name, list(declared), n=1, cutoff=0.7)
    known = f"it knows {listed([quoted(key) for key in declared])}" if declared else "it takes no arguments"
    return Violation(
        "args.undefined",
        path,
        f"{owner} has no argument {quoted(name)}; {known}.",
        f"Rename it to {quoted(near[0])}." if near else "Remove the argument or correct its name.",
        near[0] if near else None,
    )


def _value(schema: JsonObject, value: JsonValue, path: str) -> Iterator[Violation]:
    if value is None and _allows_null(schema):
        return
    for key in ("anyOf", "oneOf"):
        options = schema.get(key)
        if isinstance(options, list) and options:
            yield from _alternatives([option for option in options if isinstance(option, dict)], value, path)
    together = schema.get("allOf")
    for option in together if isinstance(together, list) else []:
        if isinstance(option, dict):
            yield from _value(option, value, path)
    types = _types(schema)
    if types and not _is_one_of(value, types):
        yield _wrong_type(types, value, path)
        return
    if "enum" in schema or "const" in schema:
        yield from _closed_set(schema, value, path, types)
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, dict):
        for position, inner in enumerate(value):
            yield from _value(items, inner, f"{path}/{position}")
    if isinstance(value, dict):
        yield from _object(schema, value, path)


def _alternatives(options: list[JsonObject], value: JsonValue, path: str) -> Iterator[Violation]:
    tried = [list(_value(option, value, path)) for option in options]
    if not tried or any(not found for found in tried):
        return
    # The alternative that fits the value's own type is the one that was meant.
    meant = [found for found in tried if not any(v.rule == "args.type" and v.path == path for v in found)]
    if meant:
        yield from min(meant, key=len)
    else:
        yield _wrong_type([name for option in options for name in _types(option)], value, path)


def _name_at(path: str) -> str:
    return quoted(path.rpartition("/")[2])


def _types(schema: JsonObject) -> list[str]:
    found = schema.get("type")
    if isinstance(found, str):
        return [found] if found in _CHECKED_TYPES else []
    names = found if isinstance(found, list) else []
    known = [name for name in names if isinstance(name, str)]
    return known if all(name in _CHECKED_TYPES for name in known) else []


def _is_one_of(value: JsonValue, types: list[str]) -> bool:
    for name in types:  # noqa: SIM110 - asked for every value of arguments of 200 kB, where any() costs more
        if _is_of(value, name):
            return True
    return False


def _is_of(value: JsonValue, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if name == "number":
        return isinstance(value, int | float)
    if name in ("null", "boolean"):
        return name == "null" and value is None
    return isinstance(value, _KINDS[name])


def _wrong_type(types: list[str], value: JsonValue, path: str) -> Violation:
    wanted = listed(list(dict.fromkeys(types)), last="or")
    return Violation(
        "args.type",
        path,
        f"{_name_at(path)} is {quoted(value)}, but the tool wants {wanted}.",
        f"Write the value as {wanted}.",
        next((found for found in (_converted(value, name) for name in types) if found is not None), None),
    )


def _converted(value: JsonValue, name: str) -> JsonValue:
    number = as_number(value) if isinstance(value, str) else None
    if name == "integer" and number is not None and float(number).is_integer():
        return int(number)
    if name == "number" and number is not None:
        return number
    if name == "boolean" and isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if name == "string" and isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    if name == "array" and isinstance(value, str | int | float):
        return [value]
    return None


def _closed_set(schema: JsonObject, value: JsonValue, path: str, types: list[str]) -> Iterator[Violation]:
    options = [schema["const"]] if "const" in schema else schema.get("enum")
    if not isinstance(options, list) or not options:
        return
    if isinstance(value, list) and not any(isinstance(option, list) for option in options):
        members = [(f"{path}/{position}", inner) for position, inner in enumerate(value)]
    else:
        # A schema whose options contradict its own type cannot be met; its type decides.
        options = [option for option in options if not types or _is_one_of(option, types)]
        members = [(path, value)] if options else []
    for place, inner in members:
        if not any(same_value(option, inner) for option in options):
            yield _not_among(options, inner, place)


def _not_among(options: list[JsonValue], value: JsonValue, path: str) -> Violation:
    by_text = {str(option).casefold(): option for option in options}
    near = difflib.get_close_matches(str(value).casefold(), list(by_text), n=1, cutoff=0.6)
    shown = listed([quoted(option) for option in options[:_MOST_OPTIONS]], last="or")
    more = f" (and {len(options) - _MOST_OPTIONS} more)" if len(options) > _MOST_OPTIONS else ""
    return Violation(
        "args.enum",
        path,
        f"{_name_at(path)} is {quoted(value)}, but only {shown}{more} is allowed.",
        "Choose one of the allowed values.",
        by_text[near[0]] if near else None,
    )


def _restated(schema: JsonObject, value: JsonValue, path: str) -> Iterator[Violation]:
    if isinstance(value, list):
        items = schema.get("items")
        for position, inner in enumerate(value):
            if isinstance(items, dict):
                yield from _restated(items, inner, f"{path}/{position}")
        return
    properties = schema.get("properties")
    if not isinstance(value, dict) or not isinstance(properties, dict):
        return
    required = _required(schema)
    for name, inner in value.items():
        rule = properties.get(name)
        if not isinstance(rule, dict):
            continue
        inner_path = f"{path}/{escape(name)}"
        if name not in required and "default" in rule and same_value(rule["default"], inner):
            yield Violation(
                "args.default",
                inner_path,
                f"{quoted(name)} is {quoted(inner)}, which is its default anyway.",
                "Remove the argument, unless the user asked for it by name.",
            )
        else:
            yield from _restated(rule, inner, inner_path)
