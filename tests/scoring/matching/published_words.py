"""What is wrong with a call in the words of the published WildToolBench checker, to compare with its logs."""

from scoring.matching.argument_problems import ArgumentProblem, ArgumentRule, Place


def published_message(problem: ArgumentProblem | None) -> str:
    """The verdict on one call."""
    if problem is None:
        return "correct"
    rule, nested = problem.rule, bool(problem.place)
    if rule is ArgumentRule.INVALID_JSON:
        return "error: args invalid json format"
    if rule is ArgumentRule.SCHEMA_MISSING:
        return f"error_schema: required {'nested ' if nested else ''}args missing"
    if rule in _PUBLISHED_SCHEMA:
        return f"error_schema: {'nested ' if nested else ''}args {_PUBLISHED_SCHEMA[rule]}"
    at = f" at '{_dotted(problem.place)}'" if nested else ""
    return f"error_match: {_PUBLISHED_GOLD[rule]}{at}{_published_measure(problem)}"


_PUBLISHED_SCHEMA = {
    ArgumentRule.SCHEMA_UNDEFINED: "not defined",
    ArgumentRule.SCHEMA_TYPE: "type inconsistent",
    ArgumentRule.SCHEMA_ENUM: "value not in enum",
}
_PUBLISHED_GOLD = {
    ArgumentRule.GOLD_TYPE: "value type inconsistent",
    ArgumentRule.GOLD_KEYS: "args keys mismatch",
    ArgumentRule.GOLD_LENGTH: "array length mismatch",
    ArgumentRule.EDIT_RATIO: "string similarity too low",
    ArgumentRule.ROUGE: "string similarity too low",
    ArgumentRule.STRICT_TEXT: "string similarity too low",
    ArgumentRule.NOT_COMPUTABLE: "rouge calculation failed",
    ArgumentRule.VALUE: "value mismatch",
}


def _published_measure(problem: ArgumentProblem) -> str:
    if problem.rule is ArgumentRule.GOLD_KEYS:
        sides = (("missing", problem.missing), ("extra", problem.extra))
        return f" ({', '.join(f'{side}: {list(names)}' for side, names in sides if names)})"
    if problem.similarity is None:
        return ""
    score = "edit" if problem.rule is ArgumentRule.EDIT_RATIO else "rouge"
    return f" ({score} score: {problem.similarity:.2f})"


def _dotted(place: Place) -> str:
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in place]
    return "".join(parts).removeprefix(".")
