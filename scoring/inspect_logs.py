"""Logs of Inspect as predictions: the replies that the scorer of an exported task left in them."""

import json
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from scoring.errors import InputError, reworded
from scoring.formats.containers import first_keys, members
from scoring.formats.foreign import foreign_binary, foreign_by_keys
from scoring.model.record import JsonObject

_HEAD_BYTES = 128


class _Score(BaseModel):
    metadata: dict[str, Any] | None = None


class _Error(BaseModel):
    message: str = ""


class _Sample(BaseModel):
    """What is read of a sample; Inspect writes much more."""

    metadata: dict[str, Any] = {}
    scores: dict[str, _Score] | None = None
    error: _Error | None = None


def is_inspect_log(stream: BufferedReader) -> bool:
    """Whether a stream begins like a log of Inspect, packed or as JSON; nothing is read."""
    found = foreign_binary(stream.peek(_HEAD_BYTES)[:_HEAD_BYTES]) or foreign_by_keys(first_keys(stream))
    return found is not None and found.name.startswith("an Inspect log")


def read_samples(path: Path) -> Iterator[JsonObject]:
    """Give the prediction of each sample in the shape of contracts 2; empty for one that holds none.

    A sample that failed, as where the endpoint did, is a prediction with that error. A packed log is read
    sample by sample; one in JSON is read whole.

    Raises:
        InputError: The log is damaged, or packed in a way that needs a package that is not installed.
    """
    with reworded(
        json.JSONDecodeError,
        UnicodeDecodeError,
        KeyError,
        TypeError,
        ValidationError,
        into=lambda _: InputError(f"{path} is damaged: it cannot be read to its end.", "Copy the log again."),
    ):
        for place, stream in members(path):
            found = json.load(stream)
            for sample in found["samples"] if place == path else [found]:
                yield _record(_Sample.model_validate(sample))


def _record(sample: _Sample) -> JsonObject:
    for score in (sample.scores or {}).values():
        if score.metadata and "replies" in score.metadata:
            return score.metadata
    if sample.error and "case" in sample.metadata:
        return {
            **sample.metadata,
            "replies": [],
            "error": {"kind": "inspect", "message": sample.error.message},
        }
    return {}
