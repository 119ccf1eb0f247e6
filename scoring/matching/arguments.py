"""Judging the arguments of one call under a profile: the schema, then the gold call (scoring 4)."""

import json
from collections.abc import Mapping

from pydantic import JsonValue

from scoring.matching.accepted_values import compare_accepted
from scoring.matching.argument_problems import ArgumentProblem, ArgumentRule, CallCheck
from scoring.matching.c3_arguments import PASS_SCORE, UncomparableError, call_score
from scoring.matching.wildtool_arguments import compare_arguments, schema_problem
from scoring.model.case import AcceptedValue, Tool
from scoring.model.record import JsonObject
from scoring.model.taxonomy import ArgumentProfile


class UnreadableArguments:
    """The text of some arguments is no JSON."""


UNREADABLE = UnreadableArguments()
Arguments = JsonValue | UnreadableArguments
"""What the arguments of a predicted call say, if anything."""


def read_arguments(text: str) -> Arguments:
    """Parse the argument text of a predicted call.

    Args:
        text: JSON, as a model wrote it.

    Returns:
        The value, an object if all is well; `UNREADABLE` where it is no JSON, too deep, or holds a number
        too long to read.
    """
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return UNREADABLE
    return value


def check_arguments(
    predicted: str | Arguments,
    gold: JsonObject,
    *,
    tool: Tool | None,
    profile: ArgumentProfile,
    accepts: Mapping[str, AcceptedValue] | None = None,
) -> CallCheck:
    """Judge the arguments of one call.

    Args:
        predicted: The argument text, or what `read_arguments` made of it.
        gold: Arguments of the gold step.
        tool: The called tool; null where the toolset lacks it, then no schema is tested (profile c3
            cannot compare such a call).
        profile: The rules to apply.
        accepts: What the gold step accepts besides, by place; only profile accepted looks at it.

    Returns:
        Verdict, score and problems.

    Example:
        >>> check = check_arguments('{"city": "Las Vegas"}', {"city": "LasVegas"}, tool=None,
        ...                         profile=ArgumentProfile.WTB)
        >>> check.correct
        True
    """
    if isinstance(predicted, str):
        predicted = read_arguments(predicted)
    is_c3 = profile is ArgumentProfile.C3
    if isinstance(predicted, UnreadableArguments) or (is_c3 and not isinstance(predicted, dict)):
        return _failed(ArgumentProblem(rule=ArgumentRule.INVALID_JSON), profile)
    if is_c3:
        return _compare_c3(predicted, gold, tool)
    if not isinstance(predicted, dict):
        return _failed(ArgumentProblem(rule=ArgumentRule.SCHEMA_TYPE), profile)
    if profile is ArgumentProfile.ACCEPTED:
        difference, agreement = compare_accepted(predicted, gold, accepts or {})
    else:
        difference, agreement = compare_arguments(
            predicted, gold, strict=profile is ArgumentProfile.WTB_STRICT
        )
    problem = (schema_problem(predicted, _argument_schema(tool)) if tool else None) or difference
    return CallCheck(
        profile=profile, correct=not problem, score=agreement, problems=(problem,) if problem else ()
    )


def _failed(problem: ArgumentProblem, profile: ArgumentProfile) -> CallCheck:
    return CallCheck(profile=profile, correct=False, score=0.0, problems=(problem,))


def _argument_schema(tool: Tool) -> JsonObject:
    """Only the required list and the properties count at the root, as in the published checker."""
    return {
        "type": "object",
        "required": [*tool.required],
        "properties": tool.properties,
    }


def check_as_released(text: str, gold: JsonObject, *, tool: Tool | None) -> CallCheck:
    """Judge the arguments of one call as the released C3-Bench analysis does, which takes any JSON.

    Args:
        text: The argument text.
        gold: Arguments of the gold step.
        tool: The called tool.
    """
    predicted = read_arguments(text)
    if isinstance(predicted, UnreadableArguments):
        return _failed(ArgumentProblem(rule=ArgumentRule.INVALID_JSON), ArgumentProfile.C3)
    return _compare_c3(predicted, gold, tool)


def _compare_c3(predicted: JsonValue, gold: JsonObject, tool: Tool | None) -> CallCheck:
    try:
        if tool is None:
            raise UncomparableError(())
        score, problems, weak = call_score(predicted, gold, tool)
    except UncomparableError as exc:
        return _failed(ArgumentProblem(rule=ArgumentRule.UNCOMPARABLE, place=exc.args[0]), ArgumentProfile.C3)
    return CallCheck(ArgumentProfile.C3, score >= PASS_SCORE, score, problems=tuple(problems), weak=weak)


def is_readable(check: CallCheck) -> bool:
    """Whether the published C3-Bench analysis could compare the call at all (scoring 4.2)."""
    broken = (ArgumentRule.INVALID_JSON, ArgumentRule.UNCOMPARABLE)
    return all(problem.rule not in broken for problem in check.problems)
