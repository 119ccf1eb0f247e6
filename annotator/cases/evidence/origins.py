"""Where each argument value of a call comes from, as far as a program can tell."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import islice

from pydantic import JsonValue

from annotator.cases.argument_schemas import allows_by_name, has_default, is_described, schemas_at
from annotator.cases.evidence.dates import read_clock
from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.evidence.passage_index import Known, PassageIndex, stem_of
from annotator.cases.evidence.passages import (
    Found,
    Likeness,
    Passage,
    decimals_of,
    squeezed,
    words_of,
)
from annotator.cases.evidence.quantities import as_number, combines, quantities_in
from annotator.cases.evidence.written_dates import read_day, read_month
from annotator.cases.pointers import keys_of
from scoring.model.case import Call, Tool
from scoring.model.flow import Scalar, leaves, number_text
from scoring.model.record import JsonObject

_MOST_OPERANDS = 80
_FEWEST_WORDS = 3
_KNOWN_SHARE = 0.5
_CUES = (
    "double twice triple half quarter add plus minus more less difference total sum average convert percent "
    "increase decrease raise lower additional remaining rest full fully complete completely max maximum"
)
_ARITHMETIC_CUES = frozenset(_CUES.split())
_LITTLE = (
    "the and for with from that this are was were has have had will would can could should not but you your "
    "our his her its their they them she him who what when where how all any please"
)
_LITTLE_WORDS = frozenset(_LITTLE.split())


_RUNS = re.compile(r"\d+|[^\d]+")
_FEW_OPERANDS = 12
_SMALLEST_RESULT = 10
_ONE = frozenset({"a", "an", "one", "my", "this"})
_NONE = frozenset({"no", "none", "without"})


class OriginKind(StrEnum):
    """How the origin of a value is known."""

    SAID = "said"
    SCHEMA = "schema"
    PLAIN = "plain"
    CARRIED = "carried"
    ASSEMBLED = "assembled"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where one argument value of a call comes from.

    `said` (found in a passage, see `found`), `schema` (default, closed set or described option),
    `plain` (yes or no, blank, bare punctuation: nothing to look for), `carried` (an earlier call was
    made with it), `assembled` (put together from known words or numbers), `unknown`.
    """

    path: str
    value: Scalar
    kind: OriginKind
    found: Found | None = None

    @property
    def is_respelled(self) -> bool:
        """Whether the value is said only with other spacing, case or punctuation."""
        return self.found is not None and self.found.likeness is Likeness.SPELLING


def origins_of(dialogue: Dialogue, task: int, *, step: int) -> tuple[Origin, ...]:
    """Trace every innermost argument value of a call.

    Args:
        dialogue: The prepared case.
        task: Task number.
        step: Step number of a call.

    Returns:
        One origin per scalar, in order; empty for a step that is no call.
    """
    call = dialogue.case.tasks[task].steps[step]
    if not isinstance(call, Call):
        return ()
    return dialogue.once(("origins", task, step), partial(_origins, dialogue, (task, step), call))


def exact_paths(dialogue: Dialogue, task: int, *, step: int) -> frozenset[str]:
    """The argument values of a call that stand as they are at exactly one place before it, as paths.

    A place that holds the letters and digits otherwise, or inside a longer word, counts as another one.
    """
    return dialogue.once(("exact", task, step), partial(_exact_paths, dialogue, task, step))


def _exact_paths(dialogue: Dialogue, task: int, step: int) -> frozenset[str]:
    told = dialogue.before_call(task, step).told
    return frozenset(
        origin.path
        for origin in origins_of(dialogue, task, step=step)
        if origin.found is not None
        and origin.found.likeness is Likeness.EXACT
        and origin.found.text == number_text(origin.value)
        and _count_of(squeezed(origin.found.text), told) == 1
    )


def _count_of(needle: str, told: Known) -> int:
    return sum(passage.squeezed.count(needle) for passage in told.among(told.index.holding(needle)))


def _origins(dialogue: Dialogue, place: tuple[int, int], call: Call) -> tuple[Origin, ...]:
    known = dialogue.before_call(*place)
    return tuple(_origin(dialogue, place, call, known, path, value) for path, value in leaves(call.arguments))


def _origin(
    dialogue: Dialogue,
    place: tuple[int, int],
    call: Call,
    known: Known,
    path: str,
    value: Scalar,
) -> Origin:
    if value is None or isinstance(value, bool) or (isinstance(value, str) and not squeezed(value)):
        return Origin(path, value, OriginKind.PLAIN)
    found = find_value(value, known, parameter=parameter_of(path))
    if found and found.likeness is not Likeness.SPELLING:
        return Origin(path, value, OriginKind.SAID, found)
    tool = dialogue.case.tool(call.name)
    schemas = schemas_at(tool, path) if tool else ()
    if found and (exact := _without_sign(str(value), known, schemas)):
        return Origin(path, value, OriginKind.SAID, exact)
    if tool and _is_offered(value, tool, schemas):
        return Origin(path, value, OriginKind.SCHEMA)
    if found:
        return Origin(path, value, OriginKind.SAID, found)
    if _is_carried(value, dialogue, place):
        return Origin(path, value, OriginKind.CARRIED)
    if is_assembled(value, known, beside=call.arguments, tool=tool):
        return Origin(path, value, OriginKind.ASSEMBLED)
    return Origin(path, value, OriginKind.UNKNOWN)


def parameter_of(path: str) -> str:
    """The innermost name on the way to a value; places in lists have none."""
    return next((key for key in reversed(keys_of(path)) if not key.isdecimal()), "")


def _is_offered(value: Scalar, tool: Tool, schemas: tuple[JsonObject, ...]) -> bool:
    """Whether the tool itself names the value: as an option, as the default or in its description."""
    offered = allows_by_name(schemas, value) or has_default(schemas, value)
    return offered or is_described(tool, schemas, value=value)


def _is_carried(value: Scalar, dialogue: Dialogue, place: tuple[int, int]) -> bool:
    """Whether a call that this one could know was made with the value."""
    task, step = place
    before = dialogue.steps_before(task, step)
    return any(t < task or (t == task and before >> s & 1) for t, s in dialogue.uses(value))


def _without_sign(value: str, known: Known, schemas: tuple[JsonObject, ...]) -> Found | None:
    # A tool may ask for "#topic" or "@name" where people say topic or name.
    sign = value[:1]
    if sign not in ("#", "@") or not any(sign in str(schema.get("description", "")) for schema in schemas):
        return None
    found = find_value(value[1:], known)
    return found if found and found.likeness is Likeness.EXACT else None


def find_value(value: Scalar, known: Known, *, parameter: str = "") -> Found | None:
    """Find the best place that holds a value.

    Args:
        value: A text or a number.
        known: Passages to search, the preferred first.
        parameter: Name of the argument, to choose among equal values of one observation.

    Returns:
        The first exact place; else the first that states it as a number or a date in other form, or as
        a longer number; else the first that differs in spacing, case or punctuation; None where there is
        none.
    """
    if value is None or isinstance(value, bool):
        return None
    told = known.told
    first: Found | None = None
    for found in _in_letters(value, told, parameter):
        if found.likeness is Likeness.EXACT:
            return found
        first = first or found
    number = as_number(value)
    if number is not None:
        stated = _find_number(number, told, parameter) or _find_year(number, known)
        stated = stated or _find_rounded(number, told)
        if stated:
            return stated
    return _find_date(value, known) or first


def places_of(value: Scalar, index: PassageIndex) -> int:
    """Passages that may hold a value in any likeness, as numbers of the index; others do not."""
    if value is None or isinstance(value, bool):
        return 0
    if read_day(value) or read_month(value):
        return index.all
    number = as_number(value)
    return index.holding(squeezed(number_text(value))) | (
        index.stating_about(number) if number is not None else 0
    )


def _find_number(number: float | int, told: Known, parameter: str) -> Found | None:
    # Small numbers are everywhere: the request comes first, then a place that carries the same name.
    stating = told.index.stating(number)
    if not stating & told.all:
        return None
    passage = told.first(told.index.stating_alike(number, parameter)) or told.first(stating)
    return passage.find_number(number, parameter=parameter) if passage else None


def _find_rounded(number: float | int, told: Known) -> Found | None:
    decimals = decimals_of(number)
    if decimals is None:
        return None
    passage = told.first(told.index.rounding_to(number, decimals))
    return passage.find_rounded(number) if passage else None


def _find_year(number: float | int, known: Known) -> Found | None:
    # Other figures of the simulated time (its hour, its minute) equal an argument by accident only.
    of_year = (time for time in known.among(known.index.now) if time.today and number == time.today.year)
    return next((time.find_number(number) for time in of_year), None)


def _in_letters(value: str | int | float, told: Known, parameter: str) -> Iterator[Found]:
    needle = squeezed(number_text(value))
    for passage in told.among(told.index.holding(needle)):
        found = passage.find(value, needle, parameter=parameter)
        if found is not None:
            yield found


def _find_date(value: str | int | float, known: Known) -> Found | None:
    day = read_day(value)
    meant = day or read_month(value)
    if meant is None:
        return None
    look = Passage.find_day if day else Passage.find_month
    found = next(filter(None, (look(passage, meant) for passage in known.among(known.index.dated))), None)
    return found if found and (day is None or _clock_is_known(str(value), known)) else None


def _clock_is_known(value: str, known: Known) -> bool:
    clock = read_clock(value)
    if clock is None or clock in ((0, 0), (23, 59)):
        return True
    return bool(known.index.clocks.get(clock, 0) & known.all)


def is_assembled(value: Scalar, known: Known, *, beside: JsonValue = None, tool: Tool | None = None) -> bool:
    """Whether a value is put together from what is known: arithmetic, joined parts, a text composed of it.

    Args:
        value: A text or a number.
        known: What was said and returned before.
        beside: The other arguments of the same call, whose words a composed text may repeat.
        tool: The tool called; a figure of its description (the size of a tank) may enter a computation.
    """
    number = as_number(value)
    if number is not None:
        return _is_implied(number, known) or _is_computed(number, known, tool)
    if not isinstance(value, str):
        return False
    clock = read_clock(value)
    if clock and len(value) <= 8:
        return bool(known.index.clocks.get(clock, 0) & known.all)
    # The figures of the simulated time are in a date by accident.
    told = known.told
    words = words_of(value)
    if len(words) == 1:
        return _is_joined(words[0], told)
    if all(told.know(word) for word in words):
        return True
    beside_words = {word for _, text in leaves(beside) if text != value for word in words_of(str(text))}
    return _is_composed(words, told, beside_words)


def _is_joined(word: str, told: Known) -> bool:
    # "P followed by 12345678": letters and a telling figure, each known by itself.
    parts = _RUNS.findall(word)
    figures = [part for part in parts if part.isdigit()]
    return len(parts) > 1 and max(map(len, figures), default=0) >= 3 and all(map(told.know, parts))


def _is_composed(words: list[str], told: Known, beside: set[str]) -> bool:
    content = [w for w in words if (len(w) > 2 or w.isdigit()) and w not in _LITTLE_WORDS]
    if len(words) < _FEWEST_WORDS or not content:
        return False
    # A figure or code nobody mentioned is no matter of wording.
    if any(any(c.isdigit() for c in word) and word not in beside and not told.know(word) for word in content):
        return False
    stems = {stem_of(word) for word in beside}
    known = sum(stem_of(word) in stems or told.know_stem(stem_of(word)) for word in content)
    return known >= _KNOWN_SHARE * len(content)


def _is_implied(number: float | int, known: Known) -> bool:
    # "a ticket" is one ticket, "no luggage" is none; that holds for what was asked for in this task.
    words = _ONE if number == 1 else _NONE if number == 0 else frozenset()
    nearest = next(iter(known), None)
    return nearest is not None and nearest.is_asked and not words.isdisjoint(nearest.vocabulary)


def _is_computed(number: float | int, known: Known, tool: Tool | None) -> bool:
    operands: list[float | int] = []
    for passage in known:
        operands += [operand for operand in passage.numbers if operand not in (0, 1, -1)]
        if len(operands) >= _MOST_OPERANDS:
            break
    operands = operands[:_MOST_OPERANDS]
    cues = any(not _ARITHMETIC_CUES.isdisjoint(passage.vocabulary) for passage in islice(known, 2))
    digits = len(str(number).strip("-").replace(".", "").strip("0"))
    # Among few numbers even a short result is no accident.
    is_telling = digits >= 3 or (abs(number) >= _SMALLEST_RESULT and len(set(operands)) <= _FEW_OPERANDS)
    if not (is_telling or cues):
        return False
    limits = [quantity.number for quantity in quantities_in(tool.description)] if tool else []
    return combines(number, operands + limits)
