"""Argument profile `accepted`: values are met exactly, but for what a call accepts besides (scoring 4.5)."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from pydantic import JsonValue

from scoring.matching.argument_problems import ArgumentProblem, ArgumentRule, Place, pointer_of
from scoring.model.case import AcceptedValue
from scoring.model.record import JsonObject, canonical_bytes

Rules = Mapping[str, AcceptedValue]
"""What is accepted, by the JSON Pointer of its place in the arguments."""


class _Absent:
    """No value stands there."""


_ABSENT = _Absent()
_Found = JsonValue | _Absent
_Pair = tuple[str | int, _Found, _Found]
"""A key or position, what stands there, and what should."""


def compare_accepted(
    predicted: JsonObject, gold: JsonObject, rules: Rules
) -> tuple[ArgumentProblem | None, float]:
    """Compare all arguments of a call with those of the gold call and what it accepts besides.

    Returns:
        The first difference, those of gold's arguments first, and the share of the argument names of both
        sides whose values agree, 1 where both are empty.

    Example:
        >>> compare_accepted({"city": "NYC"}, {"city": "New York"}, {"/city": AcceptedValue(values=("NYC",))})
        (None, 1.0)
    """
    found = [_first([pair], rules, ()) for pair in _pairs(predicted, gold)]
    agreeing = sum(problem is None for problem in found)
    return next(filter(None, found), None), agreeing / len(found) if found else 1.0


def _pairs(predicted: JsonObject, gold: JsonObject) -> list[_Pair]:
    return [(name, predicted.get(name, _ABSENT), gold.get(name, _ABSENT)) for name in {**gold, **predicted}]


def _first(pairs: Iterable[_Pair], rules: Rules, place: Place) -> ArgumentProblem | None:
    problems = (_problem(one, wanted, rules, (*place, key)) for key, one, wanted in pairs)
    return next(filter(None, problems), None)


def _problem(predicted: _Found, gold: _Found, rules: Rules, place: Place) -> ArgumentProblem | None:
    """The first difference at a place or below it."""
    rule = rules.get(pointer_of(place))
    if rule is not None and _is_accepted(predicted, gold, rule):
        return None
    match predicted, gold:
        case _Absent(), _:
            return ArgumentProblem(rule=ArgumentRule.GOLD_KEYS, place=place[:-1], missing=(str(place[-1]),))
        case _, _Absent():
            return ArgumentProblem(rule=ArgumentRule.GOLD_KEYS, place=place[:-1], extra=(str(place[-1]),))
        case dict(), dict():
            return _first(_pairs(predicted, gold), rules, place)
        case list(), list() if len(gold) != len(predicted):
            return ArgumentProblem(rule=ArgumentRule.GOLD_LENGTH, place=place)
        case list(), list():
            return _first(zip(range(len(gold)), predicted, gold, strict=True), rules, place)
    if _kind(predicted) is not _kind(gold):
        return ArgumentProblem(rule=ArgumentRule.GOLD_TYPE, place=place)
    return None if predicted == gold else ArgumentProblem(rule=ArgumentRule.VALUE, place=place)


def _kind(value: _Found) -> type:
    """The type of a value; whole numbers and others are one type, truth values are another."""
    return float if isinstance(value, int) and not isinstance(value, bool) else type(value)


def _is_accepted(predicted: _Found, gold: _Found, rule: AcceptedValue) -> bool:
    if isinstance(predicted, _Absent):
        return rule.optional
    values = rule.values if isinstance(gold, _Absent) else (gold, *rule.values)
    return (
        (rule.any_text and isinstance(predicted, str))
        or any(_problem(predicted, value, {}, ()) is None for value in values)
        or any(_is_near(predicted, value, rule) for value in values)
    )


def _is_near(predicted: JsonValue, value: JsonValue, rule: AcceptedValue) -> bool:
    """Whether a number is within the tolerance of a value, or a list has its items in another order."""
    if rule.any_order and isinstance(predicted, list) and isinstance(value, list):
        return sorted(map(canonical_bytes, predicted)) == sorted(map(canonical_bytes, value))
    if rule.tolerance is None or not (_kind(predicted) is _kind(value) is float):
        return False
    # As decimals, so that 1.1 is within 0.1 of 1.
    return abs(Decimal(str(predicted)) - Decimal(str(value))) <= Decimal(str(rule.tolerance))
