"""JSON as somebody types it, with its problems, and the fields of a form for it; nothing of Qt."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import islice

from pydantic import JsonValue

from annotator.cases.argument_schemas import same_value, schemas_of
from scoring.errors import AnnotatorError
from scoring.model.case import Tool
from scoring.model.flow import escape
from scoring.model.record import JsonObject, Record
from scoring.model.strict_json import parse_embedded
from scoring.model.taxonomy import Severity
from scoring.texts import tr
from ui.dialogue.arguments.completions import SeenValue, declared_in, description_in, types_of
from ui.dialogue.arguments.json_source import places_in
from ui.dialogue.json_text import editable_json

_MOST_PROBLEMS = 100
"""Problems of one text that are marked; nobody looks at more."""
_PLAIN = {
    "Expecting value": tr("a value is missing"),
    "Expecting property name enclosed in double quotes": tr("a name in double quotes is missing"),
    "Expecting ',' delimiter": tr("a comma or a closing bracket is missing"),
    "Expecting ':' delimiter": tr("a colon is missing"),
    "Extra data": tr("nothing may follow the value"),
    "Illegal trailing comma before end of object": tr("the last comma has to go"),
    "Illegal trailing comma before end of array": tr("the last comma has to go"),
    "Unterminated string starting at": tr("the closing quote is missing"),
    "Invalid control character at": tr("a line break inside a text is written \\n"),
}


class JsonProblem(Record):
    """One thing wrong with a JSON value: where (a JSON Pointer, empty for the whole), and what."""

    message: str
    path: str = ""
    severity: Severity = Severity.ERROR


class TextProblem(JsonProblem):
    """A problem with its place in the typed text, as [start, end)."""

    span: tuple[int, int]


ValueCheck = Callable[[JsonValue], Sequence[JsonProblem]]
JsonCheck = Callable[[int, int, str, JsonValue], Sequence[JsonProblem]]
"""Checks a value against what is expected at (task, step, field)."""


def accept_any(*_: object) -> tuple[JsonProblem, ...]:
    """The check that finds nothing."""
    return ()


class EditedAs(StrEnum):
    """What a call's arguments are edited as."""

    JSON = "json"
    FORM = "form"
    BOTH = "both"
    """The form and the JSON at once, kept in step."""


@dataclass(frozen=True)
class FieldContext:
    """What is expected of a field, and what can be written there.

    `tool` is the tool of a call whose arguments are edited; None elsewhere and for unknown tools. `seen` is
    asked once completions are wanted. `edited_as` says what arguments open as.
    """

    check: ValueCheck = accept_any
    tool: Tool | None = None
    seen: Callable[[], Sequence[SeenValue]] = tuple
    edited_as: EditedAs = EditedAs.JSON


@dataclass(frozen=True)
class TypedJson:
    """Typed text; its value and its problems are found when they are asked for.

    Args:
        text: What stands in the editor.
        check: What is expected of the value.
        must_be_object: Whether only an object will do, as for arguments.
    """

    text: str
    check: ValueCheck = accept_any
    must_be_object: bool = False

    @property
    def value(self) -> JsonValue:
        """The value; None where the text has none."""
        return self._read[0]

    @property
    def is_json(self) -> bool:
        """Whether the text has a value."""
        return self._read[1] is None

    @property
    def refusal(self) -> str:
        """Why the text has no value; empty where it has one."""
        return self._read[1].message if self._read[1] is not None else ""

    @cached_property
    def problems(self) -> tuple[TextProblem, ...]:
        """What is wrong: why it has no value, else what the check finds in it."""
        value, broken = self._read
        return (broken,) if broken is not None else self._located(self.check(value))

    @property
    def worst(self) -> TextProblem | None:
        """The problem to name first: an error where there is one."""
        return next(
            (problem for problem in self.problems if problem.severity is Severity.ERROR),
            next(iter(self.problems), None),
        )

    def place_of(self, path: str) -> tuple[int, int] | None:
        """Where the value at a pointer stands, as [start, end); None where there is none."""
        return places_in(self.text, {path}).get(path) if self.is_json else None

    @cached_property
    def _read(self) -> tuple[JsonValue, TextProblem | None]:
        whole = (0, len(self.text))
        try:
            value = parse_embedded(self.text)
        except AnnotatorError as error:
            return None, self._grammar_problem() or TextProblem(message=tr(error.message), span=whole)
        if self.must_be_object and not isinstance(value, dict):
            return None, TextProblem(message=tr("Arguments are an object: { … }."), span=whole)
        return value, None

    def _grammar_problem(self) -> TextProblem | None:
        """Where the grammar is broken; None where it holds and something else is refused."""
        try:
            json.loads(self.text)
        except json.JSONDecodeError as error:
            at = min(error.pos, max(len(self.text) - 1, 0))
            words = _PLAIN.get(error.msg, error.msg[:1].lower() + error.msg[1:])
            message = tr(
                "Line {lineno}, column {colno}: {words}.", lineno=error.lineno, colno=error.colno, words=words
            )
            return TextProblem(message=message, span=(at, at + 1))
        except RecursionError:
            return TextProblem(message=tr("Nested too deep."), span=(0, 1))
        except ValueError:
            return None  # digits beyond what Python reads: the refusal says so
        return None

    def _located(self, problems: Sequence[JsonProblem]) -> tuple[TextProblem, ...]:
        """Problems with their places; what leads nowhere is marked at the nearest place above."""
        shown = problems[:_MOST_PROBLEMS]
        found = places_in(self.text, {path for problem in shown for path in _upwards(problem.path)})
        whole = (0, len(self.text))
        return tuple(
            TextProblem(
                message=tr(problem.message),
                path=problem.path,
                severity=problem.severity,
                span=next((found[path] for path in _upwards(problem.path) if path in found), whole),
            )
            for problem in shown
        )


def _upwards(path: str) -> tuple[str, ...]:
    """A pointer and those above it, without that of the whole value."""
    parts = path.split("/")
    return tuple("/".join(parts[:end]) for end in range(len(parts), 1, -1))


MOST_ROWS = 200
_MOST_ITEMS = 30
_DEEPEST = 5
_LONGEST_LINE = 90
_LONGEST_FIELD = 20_000


class FieldKind(StrEnum):
    """What a value is typed into."""

    TEXT = "text"
    LINES = "lines"
    NUMBER = "number"
    CHOICE = "choice"
    JSON = "json"
    GROUP = "group"
    """An object or a list, whose own values follow as rows of their own."""


@dataclass(frozen=True)
class FormRow:
    """One argument, or one value inside of one.

    `path` is a JSON Pointer. `is_given` is false where the argument is left out; `value` is null then.
    `is_declared` is false for a name the schema does not know. `options` are the values of a choice.
    `default` is JSON text; empty where there is none.
    """

    path: str
    name: str
    depth: int
    kind: FieldKind = FieldKind.JSON
    value: JsonValue = None
    is_given: bool = False
    is_required: bool = False
    is_declared: bool = True
    type_words: str = ""
    description: str = ""
    default: str = ""
    options: tuple[JsonValue, ...] = ()

    @cached_property
    def text(self) -> str:
        """What stands in the field; empty where nothing is given, and for None."""
        if not self.is_given or self.value is None:
            return ""
        is_text = self.kind in (FieldKind.TEXT, FieldKind.LINES)
        return str(self.value) if is_text else editable_json(self.value, indent=None)

    @property
    def is_item(self) -> bool:
        """Whether it stands in a list."""
        return self.name.isdecimal() and self.depth > 0

    @cached_property
    def can_be_typed(self) -> bool:
        """Whether the value is short enough for a field."""
        return len(self.text) <= _LONGEST_FIELD


class Absent:
    """Stands for an argument that is left out."""


ABSENT = Absent()


def rows_of(tool: Tool | None, arguments: JsonObject) -> tuple[FormRow, ...]:
    """List the fields: what the schema names in its order, then what it does not know.

    Args:
        tool: The tool; null where it is unknown, then every argument is one the schema does not know.
        arguments: The values there are.
    """
    schema = tool.parameters if tool else {}
    rows = tuple(islice(_object_rows(schema, arguments, "", 0), MOST_ROWS + 1))
    if len(rows) <= MOST_ROWS:
        return rows
    return tuple(replace(row, depth=0) for row in _object_rows(schema, arguments, "", _DEEPEST))


def read_field(row: FormRow, text: str) -> JsonValue:
    """The value of what is typed into a field.

    Raises:
        ValueError: It is no value of the field, with a sentence that says why.
    """
    if row.kind in (FieldKind.TEXT, FieldKind.LINES):
        return text
    try:
        value = parse_embedded(text)
    except AnnotatorError:
        wanted = tr("a number") if row.kind is FieldKind.NUMBER else tr("JSON")
        raise ValueError(f"This is not {wanted}.") from None
    if row.kind is FieldKind.NUMBER:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError("This is not a number.")
        if row.type_words == "integer" and not isinstance(value, int):
            raise ValueError("This is not a whole number.")
    return value


def item_to_add(row: FormRow, tool: Tool | None) -> JsonValue:
    """What is added at the end of a list: an empty value of the kind its items have."""
    empty: dict[str, JsonValue] = {"string": "", "object": {}, "array": [], "integer": 0, "number": 0}
    for schema in schemas_of(tool, f"{row.path}/0"):
        options = _options(schema)
        if options:
            return options[-1] if _single_type(schema) == "boolean" else options[0]
        if _single_type(schema) in empty:
            return empty[_single_type(schema)]
    return None


def _object_rows(schema: JsonObject, value: JsonObject, path: str, depth: int) -> Iterator[FormRow]:
    declared, needed = declared_in(schema)
    for name in (*declared, *(name for name in value if name not in declared)):
        inner = declared.get(name)
        row = FormRow(f"{path}/{escape(name)}", name, depth)
        row = replace(row, is_required=name in needed, is_declared=name in declared)
        yield from _rows(inner if isinstance(inner, dict) else {}, value.get(name, ABSENT), row)


def _rows(schema: JsonObject, value: JsonValue | Absent, place: FormRow) -> Iterator[FormRow]:
    """The row of a value, of which the place is known, and those of what stands in it."""
    is_given = not isinstance(value, Absent)
    found: JsonValue = None if isinstance(value, Absent) else value
    options = _options(schema)
    kind = _kind(schema, found, is_given=is_given, depth=place.depth, has_options=bool(options))
    if kind is FieldKind.CHOICE and found is not None and not any(same_value(o, found) for o in options):
        options = (*options, found)
    yield replace(
        place,
        kind=kind,
        value=found,
        is_given=is_given,
        type_words=_single_type(schema),
        description=description_in(schema),
        default=editable_json(schema["default"], indent=None) if "default" in schema else "",
        options=options,
    )
    if kind is FieldKind.GROUP and isinstance(found, dict):
        yield from _object_rows(schema, found, place.path, place.depth + 1)
    elif kind is FieldKind.GROUP and isinstance(found, list):
        items = schema.get("items")
        for number, item in enumerate(found):
            yield from _rows(
                items if isinstance(items, dict) else {},
                item,
                FormRow(f"{place.path}/{number}", str(number), place.depth + 1, is_required=True),
            )


def _kind(
    schema: JsonObject, value: JsonValue, *, is_given: bool, depth: int, has_options: bool
) -> FieldKind:
    """What a value is typed into; `value` is None where nothing is given, too."""
    if not schema.keys().isdisjoint(("anyOf", "oneOf", "allOf")):
        return FieldKind.JSON
    if has_options and not isinstance(value, dict | list):
        return FieldKind.CHOICE
    name = _single_type(schema)
    if name == "string" or (not name and isinstance(value, str)):
        return _text_kind(value)
    if name in ("integer", "number"):
        is_number = isinstance(value, int | float | None) and not isinstance(value, bool)
        return FieldKind.NUMBER if is_number else FieldKind.JSON
    is_group = depth < _DEEPEST and _has_inner_fields(schema, value, is_given=is_given)
    return FieldKind.GROUP if is_group else FieldKind.JSON


def _has_inner_fields(schema: JsonObject, value: JsonValue, *, is_given: bool) -> bool:
    """Whether the schema says what stands in a value, and a given value is of that shape and short enough."""
    name = _single_type(schema)
    if name == "object" and isinstance(schema.get("properties"), dict):
        return not is_given or isinstance(value, dict)
    if name == "array" and isinstance(schema.get("items"), dict):
        return not is_given or (isinstance(value, list) and len(value) <= _MOST_ITEMS)
    return False


def _text_kind(value: JsonValue) -> FieldKind:
    if value is None:
        return FieldKind.TEXT
    if not isinstance(value, str) or len(value) > _LONGEST_FIELD:
        return FieldKind.JSON
    bare = value.replace("\n", "")
    # What a field would not give back as it was is edited as JSON, with escapes.
    if not bare.isprintable() or editable_json(bare) != json.dumps(bare, ensure_ascii=False):
        return FieldKind.JSON
    return FieldKind.LINES if "\n" in value or len(value) > _LONGEST_LINE else FieldKind.TEXT


def _options(schema: JsonObject) -> tuple[JsonValue, ...]:
    found = schema.get("enum")
    if isinstance(found, list):
        return tuple(found)
    if "const" in schema:
        return (schema["const"],)
    return (True, False) if _single_type(schema) == "boolean" else ()


def _single_type(schema: JsonObject) -> str:
    """The one type a schema names beside null; empty where there is none or several."""
    known = [name for name in types_of(schema) if name != "null"]
    return known[0] if len(known) == 1 else ""
