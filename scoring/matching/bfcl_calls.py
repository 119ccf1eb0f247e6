"""BFCL's check of the calls of a single turn, in its Python categories (scoring 4.6)."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from scoring.model.case import Tool
from scoring.model.record import JsonObject, items_in, members_in
from scoring.model.taxonomy import ActionDetail, C3Mistake

SaidCall = tuple[str, JsonObject]
"""The name of a call and its arguments."""

_TYPES: Mapping[JsonValue, type] = {
    "integer": int,
    "float": float,
    "number": float,
    "boolean": bool,
    "array": list,
    "tuple": list,
    "dict": dict,
    "object": dict,
    "string": str,
    "any": str,
}
"""What a value of each declared type is; `any` is a text there."""

_DROPPED = re.compile(r"[ ,./\-_*^]")


@dataclass(frozen=True)
class BfclMistake:
    """Why calls are wrong: the class of C3-Bench that comes nearest, and a sentence."""

    kind: C3Mistake
    message: str

    @property
    def detail(self) -> ActionDetail | None:
        """What is wrong with the names and the number of the calls; None where it is an argument."""
        return _DETAILS.get(self.kind)


_DETAILS = {
    C3Mistake.NAME_HALLUCINATION: ActionDetail.UNKNOWN_TOOL,
    C3Mistake.WRONG_FUNCTION: ActionDetail.WRONG_TOOL,
    C3Mistake.REDUNDANT: ActionDetail.REDUNDANT_CALL,
    C3Mistake.CALL_WITHOUT_REJECT: ActionDetail.REDUNDANT_CALL,
    C3Mistake.REJECT: ActionDetail.TEXT_TOO_EARLY,
    C3Mistake.EARLY_STOP: ActionDetail.NO_REPLY,
}


def calls_mistake(
    said: Sequence[SaidCall], accepted: Sequence[JsonObject], tools: Mapping[str, Tool]
) -> BfclMistake | None:
    """Compare the calls of a reply with those that are accepted; their order does not matter.

    Each accepted call in turn takes the first call left that fits it.

    Args:
        said: The calls.
        accepted: For each call its name with the accepted values of its arguments, as in BFCL's answers.
        tools: By name.

    Returns:
        What is wrong first, None where all fit.

    Example:
        >>> tool = {"name": "area", "parameters": {"properties": {"base": {"type": "float"}}}}
        >>> key, tools = [{"area": {"base": [10.0]}}], {"area": Tool(definition=tool)}
        >>> calls_mistake([("area", {"base": 10})], key, tools)
        >>> calls_mistake([("area", {"base": "10"})], key, tools).message
        'area: base is "10", which has the wrong type.'
    """
    if len(said) != len(accepted):
        return _count_mistake(len(said), len(accepted))
    left = list(said)
    for name, values in (item for one in accepted for item in one.items()):
        found = [_call_mistake(call, name, members_in(values), tools) for call in left]
        if None not in found:
            # The one with the right name says most.
            return max(filter(None, found), key=lambda one: one.detail is None)
        left.pop(found.index(None))
    return None


def _count_mistake(said: int, accepted: int) -> BfclMistake:
    if not said:
        kind = C3Mistake.REJECT
    elif not accepted:
        kind = C3Mistake.CALL_WITHOUT_REJECT
    else:
        kind = C3Mistake.REDUNDANT if said > accepted else C3Mistake.EARLY_STOP
    return BfclMistake(kind, f"Number of calls: {said} instead of {accepted}.")


def _call_mistake(
    call: SaidCall, name: str, accepted: JsonObject, tools: Mapping[str, Tool]
) -> BfclMistake | None:
    said, arguments = call
    if said not in (name, name.replace(".", "_")):
        known = any(said in (one, one.replace(".", "_")) for one in tools)
        kind = C3Mistake.WRONG_FUNCTION if known else C3Mistake.NAME_HALLUCINATION
        return BfclMistake(kind, f"{said} is called instead of {name}.")
    tool = tools.get(name)
    declared, required = (tool.properties, tool.required) if tool else ({}, ())
    missing = [one for one in required if one not in arguments]
    missing += [one for one, values in accepted.items() if one not in arguments and "" not in _items(values)]
    if missing:
        return BfclMistake(C3Mistake.MISS_REQUIRED, f"{name}: {missing[0]} is missing.")
    for one, value in arguments.items():
        if one not in accepted or one not in declared:
            return BfclMistake(C3Mistake.PARAM_HALLUCINATION, f"{name}: {one} is not accepted.")
        found = _value_mistake(value, _items(accepted[one]), members_in(declared[one]))
        if found:
            shown = json.dumps(value, ensure_ascii=False)
            wrong_type = f"{name}: {one} is {shown}, which has the wrong type."
            not_accepted = f"{name}: {one} is {shown}, which is not accepted."
            return BfclMistake(found, wrong_type if found is C3Mistake.TYPE_ERROR else not_accepted)
    return None


def _items(values: JsonValue) -> list[JsonValue]:
    """A list of accepted values; a text that stands where a list should counts letter by letter."""
    return [*values] if isinstance(values, list | str) else [values]


def _value_mistake(value: JsonValue, accepted: Sequence[JsonValue], schema: JsonObject) -> C3Mistake | None:
    """Why a value is not among the accepted ones."""
    expected = _TYPES.get(str(schema.get("type")))
    if expected is float and type(value) is int:
        value = float(value)
    item_type = members_in(schema.get("items")).get("type")
    of_items = _TYPES.get(str(item_type)) if expected is list else None
    has_type = expected and (
        any(all(_has_type(item, of_items, items_in(one)) for item in value) for one in accepted)
        if expected is list and isinstance(value, list)
        else _has_type(value, expected, accepted)
    )
    if not has_type:
        return C3Mistake.TYPE_ERROR
    is_variable = _first_type(accepted) not in (None, expected)
    fits = value in accepted if is_variable else _is_accepted(value, accepted, of_items)
    return None if fits else C3Mistake.VALUE_ERROR


def _has_type(value: JsonValue, expected: type | None, accepted: Sequence[JsonValue]) -> bool:
    """Whether a value has a type, or that of the first accepted value: that may be a variable's name."""
    return type(value) in (expected, _first_type(accepted))


def _first_type(accepted: Sequence[JsonValue]) -> type | None:
    return next((type(one) for one in accepted if one != ""), None)


def _is_accepted(value: JsonValue, accepted: Sequence[JsonValue], of_items: type | None) -> bool:
    if isinstance(value, dict):
        return any(_is_object(value, one) for one in accepted)
    if not isinstance(value, list):
        return _plain(value) in map(_plain, accepted)
    lists = [_items(one) for one in accepted]
    if of_items is dict:
        return any(len(one) == len(value) and all(map(_is_object, value, one)) for one in lists)
    return [*map(_plain, value)] in [[*map(_plain, one)] for one in lists]


def _is_object(value: JsonValue, accepted: JsonValue) -> bool:
    """Whether an object has an accepted value for each key; lists in it are compared letter by letter."""
    if not (isinstance(value, dict) and isinstance(accepted, dict)):
        return False
    listed = {key: _items(values) for key, values in accepted.items()}
    return all(_plain(one) in map(_plain, listed.get(key, ())) for key, one in value.items()) and all(
        key in value or "" in values for key, values in listed.items()
    )


def _plain(value: JsonValue) -> JsonValue:
    """A text without blanks and some punctuation, in small letters; anything else as it is."""
    return _DROPPED.sub("", value).lower().replace("'", '"') if isinstance(value, str) else value
