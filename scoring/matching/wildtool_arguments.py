"""Argument profile `wtb`: the schema pass, then the comparison with gold (scoring 4.1, WildToolBench).

`wtb-strict` differs in one rule: texts without blanks must be met exactly.
"""

import marshal
import re
from collections.abc import Iterable
from typing import Any

from pydantic import JsonValue

from scoring.matching.argument_problems import ArgumentProblem, ArgumentRule, Place
from scoring.matching.similarity import edit_ratio, has_chinese, rouge_l, segment
from scoring.model.record import JsonObject, items_in, members_in

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_SHORT_TEXT = 10
_LEAST_EDIT_RATIO = 0.8
_LEAST_ROUGE = 0.7


def schema_problem(value: JsonValue, schema: JsonObject, place: Place = ()) -> ArgumentProblem | None:
    """Test a value against a schema with normalised types (scoring 4.1, pass 1).

    Returns:
        The first rule broken in the published order: type, enum, required keys, then key by key.
    """
    branches = schema.get("anyOf")
    if isinstance(branches, list) and branches:
        found = [schema_problem(value, branch, place) for branch in branches if isinstance(branch, dict)]
        return None if None in found or not found else found[0]
    if not _has_type(value, schema.get("type", "string")):
        return ArgumentProblem(rule=ArgumentRule.SCHEMA_TYPE, place=place)
    if "enum" in schema and not _is_allowed(value, schema["enum"]):
        return ArgumentProblem(rule=ArgumentRule.SCHEMA_ENUM, place=place)
    if isinstance(value, dict):
        return _object_problem(value, schema, place)
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, dict):
        if all(_is_plainly_right(item, items) for item in value):
            return None
        return _first(schema_problem(item, items, (*place, i)) for i, item in enumerate(value))
    return None


def _has_type(value: JsonValue, wanted: JsonValue) -> bool:
    # Truth values pass as integers and numbers, as in the published checker; unknown names accept all.
    if isinstance(wanted, list):
        return any(_has_type(value, one) for one in wanted)
    return not isinstance(wanted, str) or wanted not in _TYPES or isinstance(value, _TYPES[wanted])


def _is_allowed(value: JsonValue, enum: JsonValue) -> bool:
    if isinstance(enum, dict):  # some published schemas group the values by heading
        return any(_is_allowed(value, group) for group in enum.values())
    return value in enum if isinstance(enum, list) else True


def _object_problem(value: JsonObject, schema: JsonObject, place: Place) -> ArgumentProblem | None:
    names = items_in(schema.get("required"))
    missing = {name for name in names if isinstance(name, str) and name not in value}
    if missing:
        return ArgumentProblem(rule=ArgumentRule.SCHEMA_MISSING, place=place, missing=tuple(sorted(missing)))
    declared = members_in(schema.get("properties"))
    for key, inner in value.items():
        if key not in declared:
            if schema.get("additionalProperties") is True:
                continue
            return ArgumentProblem(rule=ArgumentRule.SCHEMA_UNDEFINED, place=place, extra=(key,))
        wanted = declared[key]
        if not isinstance(wanted, dict) or _is_plainly_right(inner, wanted):
            continue
        problem = schema_problem(inner, wanted, (*place, key))
        if problem:
            return problem
    return None


def _is_plainly_right(value: JsonValue, schema: JsonObject) -> bool:
    """Whether a scalar has the one type its schema asks for, and no more; else `schema_problem` tells."""
    wanted = schema.get("type", "string")
    return (
        isinstance(wanted, str)
        and not isinstance(value, dict | list)
        and isinstance(value, _TYPES.get(wanted, object))
        and "enum" not in schema
        and "anyOf" not in schema
    )


def _first(problems: Iterable[ArgumentProblem | None]) -> ArgumentProblem | None:
    return next((problem for problem in problems if problem), None)


def gold_problem(
    predicted: JsonValue, gold: JsonValue, place: Place = (), *, strict: bool = False
) -> ArgumentProblem | None:
    """Compare a value with the gold value (scoring 4.1, pass 2).

    Args:
        predicted: The value to judge.
        gold: What it should be.
        place: Where both stand in the arguments.
        strict: Whether texts without blanks must be met exactly (profile `wtb-strict`).

    Returns:
        The first difference in gold order, or None where the value is correct.
    """
    if type(predicted) is not type(gold):
        return ArgumentProblem(rule=ArgumentRule.GOLD_TYPE, place=place)
    match gold, predicted:
        case dict(), dict():
            missing, extra = (
                tuple(sorted(set(gold) - set(predicted))),
                tuple(sorted(set(predicted) - set(gold))),
            )
            if missing or extra:
                return ArgumentProblem(rule=ArgumentRule.GOLD_KEYS, place=place, missing=missing, extra=extra)
            return _first(
                gold_problem(predicted[key], wanted, (*place, key), strict=strict)
                for key, wanted in gold.items()
            )
        case list(), list():
            if len(predicted) != len(gold):
                return ArgumentProblem(rule=ArgumentRule.GOLD_LENGTH, place=place)
            pairs = enumerate(zip(predicted, gold, strict=True))
            return _first(gold_problem(one, wanted, (*place, i), strict=strict) for i, (one, wanted) in pairs)
        case str(), str():
            return _text_problem(predicted, gold, place, strict=strict)
        case _:
            return None if predicted == gold else ArgumentProblem(rule=ArgumentRule.VALUE, place=place)


def normalised(text: str) -> str:
    """A text without white space, in lower case (scoring 4.1 rule 4b)."""
    return "".join(text.split()).lower()


def _text_problem(predicted: str, gold: str, place: Place, *, strict: bool) -> ArgumentProblem | None:
    if predicted == gold or normalised(predicted) == normalised(gold):
        return None
    if strict and not re.search(r"\s", gold) and not has_chinese(gold):
        return ArgumentProblem(rule=ArgumentRule.STRICT_TEXT, place=place)
    if len(gold) < _SHORT_TEXT:
        ratio = edit_ratio(predicted, gold)
        if ratio < _LEAST_EDIT_RATIO:
            return ArgumentProblem(rule=ArgumentRule.EDIT_RATIO, place=place, similarity=ratio)
    if has_chinese(gold) or has_chinese(predicted):
        predicted, gold = " ".join(segment(predicted)), " ".join(segment(gold))
    similarity = rouge_l(predicted, gold)
    if similarity is None:
        return ArgumentProblem(rule=ArgumentRule.NOT_COMPUTABLE, place=place)
    if similarity < _LEAST_ROUGE:
        return ArgumentProblem(rule=ArgumentRule.ROUGE, place=place, similarity=similarity)
    return None


def value_bytes(value: Any) -> bytes:
    """Bytes that are equal only for equal values, types of numbers and order of keys included."""
    return marshal.dumps(value, 2)


def compare_arguments(
    predicted: JsonObject, gold: JsonObject, *, strict: bool = False
) -> tuple[ArgumentProblem | None, float]:
    """Compare all arguments of a call with those of the gold call.

    Returns:
        The first difference, as `gold_problem` finds it, and the share of the argument names of both
        sides whose values agree: the score that assignment maximises (scoring 4.3), 1 where both are empty.
    """
    if predicted is gold or value_bytes(predicted) == value_bytes(gold):
        return None, 1.0  # nearly all calls of a good run
    names = predicted.keys() | gold.keys()
    found = {
        name: gold_problem(predicted[name], wanted, (name,), strict=strict)
        for name, wanted in gold.items()
        if name in predicted
    }
    agreeing = sum(problem is None for problem in found.values())
    if len(found) < len(names):
        return gold_problem(predicted, gold, strict=strict), agreeing / len(names)
    return _first(found.values()), agreeing / len(names)
