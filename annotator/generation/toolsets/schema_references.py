"""Schemas with their local references put in place: cycles end, growth has a limit, nothing is fetched."""

from enum import StrEnum

from pydantic import JsonValue

from annotator.cases.pointers import value_at
from scoring.errors import InputError
from scoring.model.record import JsonObject, Record

MOST_NODES = 5000
"""Parts of one tool's schemas that are written out."""
DEEPEST = 24
"""Levels that are written out."""


class SchemaNote(StrEnum):
    """What reading a file left out or changed."""

    EXTERNAL_REFERENCE = "external_reference"
    BROKEN_REFERENCE = "broken_reference"
    CYCLE = "cycle"
    TOO_LARGE = "too_large"
    RENAMED = "renamed"
    REPEATED_NAME = "repeated_name"


class Remarked(Record):
    """One remark; `detail` names the reference, the tool or the former name."""

    remark: SchemaNote
    where: str
    detail: str = ""


class Resolver:
    """Follows the references of one document for one tool.

    Args:
        document: What local references point into.
        where: The tool, for remarks.
    """

    def __init__(self, document: JsonObject, where: str) -> None:
        self._document = document
        self._where = where
        self._left = MOST_NODES
        self.remarks: list[Remarked] = []

    def resolve(self, value: JsonValue, *, is_schema: bool = True) -> JsonObject:
        """An object without references.

        Args:
            value: A schema, or a parameter or body that may be a reference itself.
            is_schema: Whether what is inside is written out, too.

        Returns:
            The object; empty where there is none. A part that would repeat itself, that lies elsewhere or
            that is too much is an object without further rules.
        """
        if not is_schema:
            return self._target(value, ())[0]
        found = self._written_out(value, (), 0)
        return found if isinstance(found, dict) else {}

    def _written_out(self, value: JsonValue, inside: tuple[str, ...], depth: int) -> JsonValue:
        self._left -= 1
        if self._left < 0 or depth > DEEPEST:
            self._remark(SchemaNote.TOO_LARGE, "")
            return {} if isinstance(value, dict | list) else value
        if isinstance(value, list):
            return [self._written_out(item, inside, depth + 1) for item in value]
        if not isinstance(value, dict):
            return value
        target, inside = self._target(value, inside)
        return {key: self._written_out(item, inside, depth + 1) for key, item in target.items()}

    def _target(self, value: JsonValue, inside: tuple[str, ...]) -> tuple[JsonObject, tuple[str, ...]]:
        """What a reference leads to, with the references on the way; anything else is itself."""
        while isinstance(value, dict) and isinstance(reference := value.get("$ref"), str):
            beside = {key: item for key, item in value.items() if key != "$ref"}
            is_external = not reference.startswith("#")
            if is_external or reference in inside:
                self._remark(SchemaNote.EXTERNAL_REFERENCE if is_external else SchemaNote.CYCLE, reference)
                return {"type": "object", **beside}, inside
            found = self._at(reference)
            if found is None:
                self._remark(SchemaNote.BROKEN_REFERENCE, reference)
                return beside, inside
            inside = (*inside, reference)
            value = {**found, **beside}
        return (value if isinstance(value, dict) else {}), inside

    def _at(self, reference: str) -> JsonObject | None:
        try:
            value = value_at(self._document, reference[1:])
        except InputError:
            return None
        return value if isinstance(value, dict) else None

    def _remark(self, kind: SchemaNote, detail: str) -> None:
        remark = Remarked(remark=kind, where=self._where, detail=detail)
        if remark not in self.remarks:
            self.remarks.append(remark)
