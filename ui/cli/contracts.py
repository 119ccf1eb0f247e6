"""Contracts as JSON Schemas: files that others write or read, and what commands print with `--json`."""

from collections.abc import Iterator, Mapping
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Any, Union

import typer

from scoring.errors import NotFoundError
from ui.cli.command import CommandResult, Shape, command, versioned
from ui.cli.output import Table

if TYPE_CHECKING:
    from pydantic import BaseModel

app = typer.Typer()

_CALL: Shape = {"id?": (str, None), "type?": str, "function": {"name": (str, None), "arguments": (str, None)}}
_REPLY: Shape = {
    "content?": (str, None),
    "tool_calls?": ([_CALL], None),
    "reasoning_content?": (str, None),
    "usage?": ("scoring.predictions.Usage", None),
    "latency_seconds?": (float, None),
    "first_token_seconds?": (float, None),
}
CASE: Mapping[Any, Shape] = {"format": str, "version": int, "*": "scoring.model.case.Case"}
"""A case as files and `--json` have it (formats 10.2)."""
FILES: dict[str, Shape] = {
    "prediction": {
        "case": str,
        "task": int,
        "replies": [_REPLY],
        "cases_sha256?": (str, None),
        "error?": ("scoring.predictions.InfraError", None),
        "setting?": ("annotator.release.runs.conversation.RunSetting", None),
        "model_card?": ("scoring.model_card.ModelCard", None),
    },
    "preference": "annotator.release.runs.preferences.PreferenceLine",
    "scorecard": "scoring.scorecard.Scorecard",
    "judgment": "scoring.model.labels.Judgment",
    "decision": "annotator.review.expert.decisions.Decision",
    "case": CASE,
    "manifest": "annotator.release.manifest.Manifest",
    "bundle": "annotator.release.bundle.Bundle",
    "event": {
        **dict.fromkeys(("at", "actor", "action", "subject", "payload", "previous_hash", "hash"), str),
        "seq": int,
    },
}
"""The shapes of files; a prediction, a preference and an event are a line each."""


def schema_of(name: str, shape: Shape) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a contract.

    Args:
        name: What it is called.
        shape: What its documents look like.

    Returns:
        The schema; a document may hold more than it names.
    """
    from pydantic import TypeAdapter

    adapter: TypeAdapter[Any] = TypeAdapter(_type_of(shape, name))
    body = adapter.json_schema(mode="validation" if name in FILES else "serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_open(body), "title": name}


def _open(value: Any) -> Any:
    """A schema without what tells nobody anything, and open for keys of later versions."""
    if isinstance(value, list):
        return [_open(part) for part in value]
    if not isinstance(value, dict):
        return value
    is_text = isinstance(value.get("title"), str)
    return {
        key: _open(part)
        for key, part in value.items()
        if not (key == "title" and is_text) and not (key == "additionalProperties" and part is False)
    }


def _type_of(shape: Shape, name: str) -> Any:
    """The type of a shape, as Pydantic reads it."""
    match shape:
        case str():
            return resolve_name(shape)
        case list():
            return list[_type_of(shape[0], name)]  # type: ignore[misc]
        case tuple():
            return Union[tuple(_type_of(part, f"{name} {n}") for n, part in enumerate(shape))]  # noqa: UP007
        case Mapping() if str in shape:
            return dict[str, _type_of(shape[str], name)]  # type: ignore[misc]
        case Mapping():
            return _object(shape, name)
    return shape


def _object(shape: Mapping[str, Shape], name: str) -> "type[BaseModel]":
    from pydantic import create_model

    fields: dict[str, Any] = {}
    for key, part in shape.items():
        if key == "*":
            left_out = str(shape.get("-", "")).split()
            fields |= {key: kind for key, kind in _fields_of(part).items() if key not in left_out}
        elif key.endswith("?"):
            fields[key[:-1]] = (_type_of(part, f"{name} {key[:-1]}"), None)
        elif key != "-":
            fields[key] = (_type_of(part, f"{name} {key}"), ...)
    return create_model(name, **fields)


def _fields_of(record: Any) -> dict[str, Any]:
    """The fields of a record or a row, for `create_model`."""
    from typing import get_type_hints

    kind = resolve_name(record)
    if hasattr(kind, "model_fields"):
        return {key: (field.annotation, field) for key, field in kind.model_fields.items()}
    return {key: (hint, ...) for key, hint in get_type_hints(kind).items()}


def shapes(group: Any, *path: str) -> Iterator[tuple[str, Shape]]:
    """What each command of a group prints with `--json`, by the words that call it."""
    for name, part in group.commands.items():
        if hasattr(part, "commands"):
            yield from shapes(part, *path, name)
        else:
            yield " ".join((*path, name)), versioned(part.callback.gives)


@command(app, "schema", example="annotator schema prediction", gives=dict)
def schema(
    asked: typer.Context,
    name: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Such as prediction, or the words of a command."),
    ] = None,
) -> CommandResult:
    """Print the JSON Schema of a file or of a command. Without a name, list them."""
    known = {**FILES, **dict(shapes(asked.find_root().command))}
    words = " ".join(name or ())
    if not words:
        rows = [[key, "file" if key in FILES else "--json"] for key in known]
        return CommandResult({"names": list(known)}, [Table(["name", "what"], rows)])
    if words not in known:
        raise NotFoundError(f"There is no contract called {words}.", "`annotator schema` lists them.")
    return CommandResult(schema_of(words, known[words]))
