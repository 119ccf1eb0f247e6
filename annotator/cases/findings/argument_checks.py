"""Arguments of a call against the schema of its tool."""

import difflib
import marshal
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend
from pydantic import JsonValue

from annotator.cases.argument_schemas import same_value, schemas_of
from annotator.cases.evidence.quantities import as_number
from annotator.cases.phrases import listed, quoted
from scoring.model.case import Call, Tool
from scoring.model.flow import escape, squeeze
from scoring.model.record import JsonObject, items_in, members_in
from scoring.model.schemas import SCHEMA_TYPES

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
    found: dict[str, Violation] = {}
    for error in _validator_of(marshal.dumps(tool.parameters, 2)).iter_errors(call.arguments):
        for violation in _violations(error, tool):
            found.setdefault(violation.path, violation)
    return tuple(found.values())


def restated_defaults(tool: Tool, call: Call) -> tuple[Violation, ...]:
    """Find optional arguments that say what their default says anyway (`args.default`)."""
    return tuple(_restated(tool.parameters, call.arguments, ""))


# The schemas of tools as Draft 2020-12 schemas. Keywords that no published tool uses are left out: a pattern
# or a reference of a stranger's file could take any time, or reach out of it.


def _translated(schema: JsonValue) -> JsonObject:
    """A schema as the validator takes it, keys in the order they are checked.

    What makes no sense in it allows anything. `required` names for each argument the values that count as
    not given.
    """
    if not isinstance(schema, dict):
        return {}
    made: JsonObject = {}
    together = [_translated(option) for option in items_in(schema.get("allOf"))]
    for key in ("anyOf", "oneOf"):
        options = [_translated(option) for option in items_in(schema.get(key)) if isinstance(option, dict)]
        if options:
            together.append({"anyOf": [*options]})
    if together:
        made["allOf"] = [*together]
    types = _types(schema)
    if types:
        made["type"] = [*types]
    made |= _closed_set(schema, types)
    if not types or "object" in types:
        made |= _members(schema)
    if isinstance(schema.get("items"), dict) and (not types or "array" in types):
        made["items"] = _translated(schema["items"])
    if _allows_null(schema):
        made = {"if": {"not": {"type": "null"}}, "then": made}
    return made


def _members(schema: JsonObject) -> JsonObject:
    properties, extra = schema.get("properties"), schema.get("additionalProperties")
    declared = properties if isinstance(properties, dict) else {}
    required = [name for name in items_in(schema.get("required")) if isinstance(name, str)]
    made: JsonObject = {
        "required": {name: _blanks(declared.get(name)) for name in required},
        "properties": {name: _translated(inner) for name, inner in declared.items()},
    }
    # An object without declared properties stores anything (formats 9, no. 4); false closes it.
    if extra is False or (extra is None and isinstance(properties, dict)):
        made["additionalProperties"] = False
    elif isinstance(extra, dict):
        made["additionalProperties"] = _translated(extra)
    return made


def _types(schema: JsonObject) -> list[str]:
    declared = schema.get("type")
    names = [
        name for name in (declared if isinstance(declared, list) else [declared]) if isinstance(name, str)
    ]
    return names if all(name in SCHEMA_TYPES for name in names) else []


def _allows_null(schema: JsonObject) -> bool:
    return schema.get("nullable") is True or "null" in _types(schema)


def _blanks(schema: JsonValue) -> list[JsonValue]:
    """The values that do not count as given: None and the empty text, unless they are allowed by name."""
    rule = members_in(schema)
    allowed = items_in(rule.get("enum"))
    return [blank for blank in ("", None) if blank not in allowed and (blank == "" or not _allows_null(rule))]


def _closed_set(schema: JsonObject, types: list[str]) -> JsonObject:
    options = [schema["const"]] if "const" in schema else items_in(schema.get("enum"))
    # A schema whose options contradict its own type cannot be met; its type decides.
    fitting = Draft202012Validator({"type": types}) if types else Draft202012Validator({})
    met = [option for option in options if fitting.is_valid(option)]
    own: JsonObject = {"enum": met} if met else {}
    is_about_items = not any(isinstance(option, list) for option in options)
    if not options or not is_about_items or (types and "array" not in types):
        return own
    return {"if": {"type": "array"}, "then": {"items": {"enum": options}}, "else": own}


def _check_properties(
    validator: Any, properties: Any, instance: JsonValue, schema: JsonObject
) -> Iterator[ValidationError]:
    for name, value in instance.items() if isinstance(instance, dict) else ():
        rule = properties.get(name)
        # Most have a type and no more, and looking at that takes a tenth of the way through the library.
        if rule and (
            len(rule) > 1 or not any(validator.is_type(value, kind) for kind in rule.get("type", ()))
        ):
            yield from validator.descend(value, rule, path=name)


def _check_required(
    validator: Any, blanks: Any, instance: JsonValue, schema: JsonObject
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for name, values in blanks.items():
            if name not in instance or instance[name] in values:
                yield ValidationError("", path=(name,))


def _check_others(
    validator: Any, rule: JsonValue, instance: JsonValue, schema: Any
) -> Iterator[ValidationError]:
    for name, value in instance.items() if isinstance(instance, dict) else ():
        if name in schema["properties"]:
            continue
        if rule is not False:
            yield from validator.descend(value, rule, path=name)
        elif name not in schema["required"]:
            yield ValidationError("", path=(name,))


_Checker: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        "properties": _check_properties,
        "required": _check_required,
        "additionalProperties": _check_others,
    },
)


@lru_cache(1024)
def _validator_of(parameters: bytes) -> Any:
    # As bytes, because the same tool comes with every case; marshal takes half as long as JSON.
    return _Checker(_translated(marshal.loads(parameters)))


# What the validator found, in the words of a finding.


def _violations(error: ValidationError, tool: Tool) -> Iterator[Violation]:
    keys = [str(key) for key in error.absolute_path]
    path = "".join(f"/{escape(key)}" for key in keys)
    value: Any = error.instance
    wanted: Any = error.validator_value
    schema: Any = error.schema
    match error.validator:
        case "required":
            yield _missing(keys[-1], value, path, tool)
        case "additionalProperties":
            yield _undefined(keys[-1], list(schema["properties"]), path, tool)
        case "type":
            yield _wrong_type(wanted, value, path)
        case "enum":
            yield _not_among(wanted, value, path)
        case "anyOf":
            yield from _of_alternatives(error, path, tool)


def _of_alternatives(error: ValidationError, path: str, tool: Tool) -> Iterator[Violation]:
    tried = [list(errors) for _, errors in groupby(error.context, lambda inner: inner.schema_path[0])]
    wrong_types = [[e for e in errors if e.validator == "type" and not e.path] for errors in tried]
    # The alternative that fits the value's own type is the one that was meant.
    meant = [errors for errors, wrong in zip(tried, wrong_types, strict=True) if not wrong]
    if meant:
        for inner in min(meant, key=len):
            yield from _violations(inner, tool)
    else:
        value: Any = error.instance
        wanted: list[Any] = [e.validator_value for wrong in wrong_types for e in wrong]
        yield _wrong_type([name for names in wanted for name in names], value, path)


def _owner_of(path: str, tool: Tool) -> str:
    outer = path.rpartition("/")[0]
    return _name_at(outer) if outer else tool.name


def _missing(name: str, value: JsonObject, path: str, tool: Tool) -> Violation:
    words = f"gives only {quoted(value[name])}" if name in value else "does not give it"
    return Violation(
        "args.missing",
        path,
        f"{_owner_of(path, tool)} requires {quoted(name)}, but the call {words}.",
        "Give a value, or let the agent ask the user for it first.",
        next((schema["default"] for schema in schemas_of(tool, path) if "default" in schema), None),
    )


def _undefined(name: str, declared: list[str], path: str, tool: Tool) -> Violation:
    respelled = [key for key in declared if squeeze(key) == squeeze(name)]
    near = respelled or difflib.get_close_matches(name, declared, n=1, cutoff=0.7)
    known = f"it knows {listed([quoted(key) for key in declared])}" if declared else "it takes no arguments"
    return Violation(
        "args.undefined",
        path,
        f"{_owner_of(path, tool)} has no argument {quoted(name)}; {known}.",
        f"Rename it to {quoted(near[0])}." if near else "Remove the argument or correct its name.",
        near[0] if near else None,
    )


def _name_at(path: str) -> str:
    return quoted(path.rpartition("/")[2])


def _wrong_type(types: list[str], value: JsonValue, path: str) -> Violation:
    wanted = listed(list(dict.fromkeys(types)), last="or")
    return Violation(
        "args.type",
        path,
        f"{_name_at(path)} is {quoted(value)}, but the tool wants {wanted}.",
        f"Write the value as {wanted}.",
        next(
            (converted for converted in (_converted(value, name) for name in types) if converted is not None),
            None,
        ),
    )


def _converted(value: JsonValue, name: str) -> JsonValue:
    number = as_number(value) if isinstance(value, str) else None
    match name:
        case "integer" if number is not None and float(number).is_integer():
            return int(number)
        case "number" if number is not None:
            return number
        case "boolean" if isinstance(value, str) and value.lower() in ("true", "false"):
            return value.lower() == "true"
        case "string" if isinstance(value, int | float):
            return str(value).lower() if isinstance(value, bool) else str(value)
        case "array" if isinstance(value, str | int | float):
            return [value]
        case _:
            return None


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
    required = items_in(schema.get("required"))
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
