"""Argument profile `c3`: a mean over the predicted arguments, passed from 0.7 on (scoring 4.2, C3-Bench)."""

import json
import re
from collections.abc import Iterable

from pydantic import JsonValue

from scoring.errors import reworded
from scoring.matching.argument_problems import ArgumentProblem, ArgumentRule, Place
from scoring.matching.similarity import shared_tokens
from scoring.model.case import Tool
from scoring.model.record import JsonObject, members_in

PASS_SCORE = 0.7
"""Score from which a call passes."""

Scored = tuple[float, list[ArgumentProblem]]
ScoredCall = tuple[float, list[ArgumentProblem], tuple[str, ...]]
"""Score, problems, and the names of the arguments whose own score is below the threshold."""
_COORDINATES = re.compile(r"\d+\.\d+,\d+\.\d+")


class UncomparableError(Exception):
    """The published comparison breaks down at a place: unknown type name, a value unlike its schema."""


def call_score(predicted: JsonValue, gold: JsonObject, tool: Tool) -> ScoredCall:
    """Score the arguments of one call (scoring 4.2).

    Args:
        predicted: The arguments to judge. The published comparison looks for names in whatever it is given,
            so that a list is taken for the names in it and a text for its characters.
        gold: What they should be.
        tool: The called tool; its original type names count.

    Returns:
        The score 0..1, every problem found, and the arguments below the threshold.

    Raises:
        UncomparableError: The published comparison would break down.
    """
    schema = tool.original_parameters
    required = schema.get("required")
    if not isinstance(predicted, dict | list | str):
        raise UncomparableError(())
    names = map(str, required) if isinstance(required, list) else ()
    missing = tuple(name for name in names if name not in predicted)
    if missing:
        return 0.0, [ArgumentProblem(rule=ArgumentRule.SCHEMA_MISSING, missing=missing)], missing[:1]
    if not predicted:
        if gold:  # the published mean over nothing divides by zero
            raise UncomparableError(())
        return 1.0, [], ()
    declared = _properties(schema)
    if not isinstance(predicted, dict):
        # What is no object has no values: a name that is declared breaks the comparison down.
        if any(not isinstance(name, str) or name in declared for name in predicted):
            raise UncomparableError(())
        predicted = dict.fromkeys(map(str, predicted))
    scored = {name: _argument_score(name, predicted, gold, declared, ()) for name in predicted}
    return *_mean(scored.values()), tuple(name for name, (score, _) in scored.items() if score < PASS_SCORE)


def _argument_score(
    name: str, predicted: JsonObject, gold: JsonObject, declared: JsonObject, place: Place
) -> Scored:
    place = (*place, name)
    if name not in declared:
        return 0.0, [ArgumentProblem(rule=ArgumentRule.SCHEMA_UNDEFINED, place=place)]
    schema = declared[name]
    if not isinstance(schema, dict):
        raise UncomparableError(place)
    if name in gold:
        return _value_score(predicted[name], gold[name], schema, place)
    description = schema.get("description")
    text = str(predicted[name]).lower()
    hint = description.lower() if isinstance(description, str) else ""
    if text in hint or (text == "none" and "null" in hint):
        return 1.0, []
    return 0.0, [ArgumentProblem(rule=ArgumentRule.INVENTED_VALUE, place=place)]


def _mean(scored: Iterable[Scored]) -> Scored:
    pairs = list(scored)
    return sum(score for score, _ in pairs) / len(pairs), [one for _, found in pairs for one in found]


def _properties(schema: JsonObject) -> JsonObject:
    """The keys an object may have; those of its items where a list schema describes an object."""
    items = schema.get("items")
    inside = items if isinstance(items, dict) else schema
    return members_in(inside.get("properties"))


def _value_score(predicted: JsonValue, gold: JsonValue, schema: JsonObject, place: Place) -> Scored:
    predicted, gold = _as_float(predicted, place), _as_float(gold, place)
    if type(predicted) is not type(gold):
        return 0.0, [ArgumentProblem(rule=ArgumentRule.GOLD_TYPE, place=place)]
    if predicted == gold or _same_letters(predicted, gold):
        return 1.0, []
    if isinstance(predicted, dict) and isinstance(gold, dict):
        return _object_score(predicted, gold, schema, place)
    match schema.get("type"), predicted, gold:
        case "integer" | "boolean" | "float" | "number", _, _:
            return _wrong(place)
        case "string", str(), str():
            return _text_score(predicted, gold, place)
        case "array", list(), list():
            return _list_score(predicted, gold, schema, place)
        case _:
            raise UncomparableError(place)


def _as_float(value: JsonValue, place: Place) -> JsonValue:
    if isinstance(value, bool) or not isinstance(value, int):
        return value
    with reworded(OverflowError, into=lambda _: UncomparableError(place)):
        return float(value)


def _same_letters(predicted: JsonValue, gold: JsonValue) -> bool:
    if not isinstance(predicted, str) or not isinstance(gold, str):
        return False
    one, other = predicted.lower(), gold.lower()
    return one == other or "".join(one.split()) == "".join(other.split())


def _wrong(place: Place, similarity: float | None = None) -> Scored:
    return 0.0, [ArgumentProblem(rule=ArgumentRule.VALUE, place=place, similarity=similarity)]


def _object_score(predicted: JsonObject, gold: JsonObject, schema: JsonObject, place: Place) -> Scored:
    declared = _properties(schema)
    unknown = next((key for key in predicted if key not in declared), None)
    if unknown is not None:
        return 0.0, [ArgumentProblem(rule=ArgumentRule.SCHEMA_UNDEFINED, place=(*place, unknown))]
    if not predicted:  # an empty gold object would have been equal
        return _wrong(place)
    return _mean(_argument_score(key, predicted, gold, declared, place) for key in predicted)


def _text_score(predicted: str, gold: str, place: Place) -> Scored:
    if _COORDINATES.fullmatch(predicted) and _COORDINATES.fullmatch(gold):
        return 1.0, []
    score = shared_tokens(predicted, gold)
    if score > PASS_SCORE:
        return score, []
    return score, [ArgumentProblem(rule=ArgumentRule.ROUGE, place=place, similarity=score)]


def _list_score(
    predicted: list[JsonValue], gold: list[JsonValue], schema: JsonObject, place: Place
) -> Scored:
    if len(predicted) != len(gold):
        return 0.0, [ArgumentProblem(rule=ArgumentRule.GOLD_LENGTH, place=place)]
    items = schema.get("items", {"type": "string"})
    if not isinstance(items, dict):
        raise UncomparableError(place)
    pairs = zip(sorted(predicted, key=_sort_key), sorted(gold, key=_sort_key), strict=True)
    return _mean(_value_score(one, wanted, items, (*place, i)) for i, (one, wanted) in enumerate(pairs))


def _sort_key(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True)
