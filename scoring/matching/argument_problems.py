"""What can be wrong with the arguments of a call: the rule that was broken, where, and how to say it."""

from dataclasses import dataclass
from enum import StrEnum

from scoring.model.flow import escape
from scoring.model.taxonomy import ArgumentProfile, C3Mistake, WildtoolMistake

Place = tuple[str | int, ...]
"""Way from the arguments to a value: names of keys and positions in lists; empty for the whole."""


def pointer_of(place: Place) -> str:
    """A place as a JSON Pointer; empty for the arguments as a whole."""
    return "".join(f"/{escape(str(part))}" for part in place)


class ArgumentRule(StrEnum):
    """A rule of one of the argument profiles (scoring 4)."""

    INVALID_JSON = "invalid_json"
    SCHEMA_MISSING = "schema_missing"
    SCHEMA_UNDEFINED = "schema_undefined"
    SCHEMA_TYPE = "schema_type"
    SCHEMA_ENUM = "schema_enum"
    GOLD_TYPE = "gold_type"
    GOLD_KEYS = "gold_keys"
    GOLD_LENGTH = "gold_length"
    EDIT_RATIO = "edit_ratio"
    ROUGE = "rouge"
    NOT_COMPUTABLE = "not_computable"
    STRICT_TEXT = "strict_text"
    VALUE = "value"
    INVENTED_VALUE = "invented_value"
    UNCOMPARABLE = "uncomparable"


@dataclass(frozen=True, slots=True)
class ArgumentProblem:
    """One broken rule.

    `similarity` is the measured value where the rule compares one with a threshold. `missing` and
    `extra` are names of keys, where the rule is about keys.
    """

    rule: ArgumentRule
    place: Place = ()
    similarity: float | None = None
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The place as a JSON Pointer; empty for the arguments as a whole."""
        return pointer_of(self.place)

    @property
    def message(self) -> str:
        """The problem in one clause for people, path first."""
        where, text = self.path or "arguments", _SAYINGS[self.rule]
        missing, extra = ", ".join(self.missing), ", ".join(self.extra)
        if self.rule is ArgumentRule.GOLD_KEYS:
            if missing and extra:
                return f"{where}: lacks {missing} and adds {extra}"
            return f"{where}: lacks {missing}" if missing else f"{where}: adds {extra}"
        if missing or extra:
            return f"{where}: {text}: {missing or extra}"
        if self.similarity is not None:
            text = _MEASURED[self.rule].format(similarity=self.similarity)
        return f"{where}: {text}"


_MEASURED = {
    ArgumentRule.EDIT_RATIO: "edit ratio below 0.8 ({similarity:.2f})",
    ArgumentRule.ROUGE: "similarity to the gold text below 0.7 ({similarity:.2f})",
    ArgumentRule.VALUE: "differs from the gold value ({similarity:.2f})",
}
_SAYINGS = {
    ArgumentRule.INVALID_JSON: "not a JSON object",
    ArgumentRule.SCHEMA_MISSING: "required but missing",
    ArgumentRule.SCHEMA_UNDEFINED: "not in the schema",
    ArgumentRule.SCHEMA_TYPE: "wrong type for the schema",
    ArgumentRule.SCHEMA_ENUM: "not one of the allowed values",
    ArgumentRule.GOLD_TYPE: "other type than the gold value",
    ArgumentRule.GOLD_KEYS: "other keys than the gold value",
    ArgumentRule.GOLD_LENGTH: "other length than the gold list",
    ArgumentRule.EDIT_RATIO: "edit ratio below 0.8",
    ArgumentRule.ROUGE: "similarity to the gold text below 0.7",
    ArgumentRule.NOT_COMPUTABLE: "cannot be compared with the gold text",
    ArgumentRule.STRICT_TEXT: "differs from the gold text, which must be met exactly",
    ArgumentRule.VALUE: "differs from the gold value",
    ArgumentRule.INVENTED_VALUE: "given although the gold call leaves it out",
    ArgumentRule.UNCOMPARABLE: "cannot be compared under this schema",
}


@dataclass(frozen=True, slots=True)
class CallCheck:
    """Whether the arguments of one call are right.

    `score` is 0..1: the numeric score that assignment maximises (scoring 4.3). `problems` is empty
    exactly when the call is flawless; profile c3 lets a call pass with problems. `weak` names the arguments
    that profile c3 scores below its threshold, of several missing ones the first (scoring 5.8).
    """

    profile: ArgumentProfile
    correct: bool
    score: float
    problems: tuple[ArgumentProblem, ...] = ()
    weak: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """All problems in one line; empty for a flawless call."""
        return "; ".join(problem.message for problem in self.problems)


_C3_PRIORITY = (
    C3Mistake.MISS_REQUIRED,
    C3Mistake.PARAM_HALLUCINATION,
    C3Mistake.TYPE_ERROR,
    C3Mistake.VALUE_HALLUCINATION,
    C3Mistake.VALUE_ERROR,
)
_C3_CLASS = {
    ArgumentRule.INVALID_JSON: C3Mistake.TYPE_ERROR,
    ArgumentRule.SCHEMA_MISSING: C3Mistake.MISS_REQUIRED,
    ArgumentRule.SCHEMA_UNDEFINED: C3Mistake.PARAM_HALLUCINATION,
    ArgumentRule.SCHEMA_TYPE: C3Mistake.TYPE_ERROR,
    ArgumentRule.SCHEMA_ENUM: C3Mistake.TYPE_ERROR,
    ArgumentRule.GOLD_TYPE: C3Mistake.TYPE_ERROR,
    ArgumentRule.INVENTED_VALUE: C3Mistake.VALUE_HALLUCINATION,
}
_WILDTOOL_PRIORITY = (
    WildtoolMistake.PARAM_TYPE,
    WildtoolMistake.PARAM_HALLUCINATION,
    WildtoolMistake.PARAM_VALUE,
)
WILDTOOL_OF_C3 = {
    C3Mistake.REJECT: WildtoolMistake.REFUSAL,
    C3Mistake.NAME_HALLUCINATION: WildtoolMistake.WRONG_NAME,
    C3Mistake.MISSING_INFORMATION: WildtoolMistake.WRONG_NAME,
    C3Mistake.CALL_WITHOUT_REJECT: WildtoolMistake.WRONG_REFUSAL,
    C3Mistake.REDUNDANT: WildtoolMistake.REDUNDANT_CALL,
    C3Mistake.WRONG_FUNCTION: WildtoolMistake.CALL_ERROR,
    C3Mistake.EARLY_STOP: WildtoolMistake.EARLY_TERMINATION,
    C3Mistake.TYPE_ERROR: WildtoolMistake.PARAM_TYPE,
    C3Mistake.MISS_REQUIRED: WildtoolMistake.PARAM_TYPE,
    C3Mistake.PARAM_HALLUCINATION: WildtoolMistake.PARAM_HALLUCINATION,
    C3Mistake.VALUE_HALLUCINATION: WildtoolMistake.PARAM_HALLUCINATION,
    C3Mistake.VALUE_ERROR: WildtoolMistake.PARAM_VALUE,
}
"""Which WildToolBench column a C3-Bench class is printed in (scoring 5.9)."""


def c3_mistake_of(problem: ArgumentProblem) -> C3Mistake:
    """The C3-Bench class of one problem; a wtb rule takes the nearest class (scoring 5.8, 5.9)."""
    if problem.rule is ArgumentRule.GOLD_KEYS and problem.extra:
        return C3Mistake.VALUE_HALLUCINATION
    return _C3_CLASS.get(problem.rule, C3Mistake.VALUE_ERROR)


def worst_mistakes(checks: tuple[CallCheck, ...]) -> tuple[WildtoolMistake, C3Mistake] | None:
    """The classes of the bad calls of one step, by the priorities of scoring 5.8 and 5.9.

    C3-Bench: missing required > hallucinated parameter > type > hallucinated value > value;
    WildToolBench: type > hallucination > value.

    Returns:
        Both classes, or None where no call is bad.
    """
    found = [c3_mistake_of(problem) for check in checks if not check.correct for problem in check.problems]
    if not found:
        return None
    columns = {WILDTOOL_OF_C3[mistake] for mistake in found}
    return min(columns, key=_WILDTOOL_PRIORITY.index), min(found, key=_C3_PRIORITY.index)
