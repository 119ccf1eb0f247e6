"""Reading files of predictions: line by line, in constant memory, every bad line reported and none fatal."""

import codecs
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path

from scoring.errors import InputError
from scoring.formats.reading import MAX_LINE_BYTES, parse_line
from scoring.predictions import Ignored, Prediction, read_prediction
from scoring.published_results import (
    is_c3_result,
    is_wildtool_result,
    read_c3_result,
    read_wildtool_results,
)

_CHUNK_BYTES = 1024 * 1024


def read_predictions(*paths: Path) -> Iterator[Prediction | Ignored]:
    """Read files of predictions, one after another: they are parts of one run.

    Each line is recognised by itself: our own shape, or a result line of C3-Bench, Multi-Mission Tool
    Bench or WildToolBench (formats 6).

    Args:
        *paths: The files, each one JSON object a line.

    Yields:
        The predictions in order, and for each line that is none the reason.

    Raises:
        InputError: A file cannot be opened.
    """
    for path in paths:
        try:
            with path.open("rb") as stream:
                yield from _read(stream, str(path))
        except OSError as exc:
            raise InputError(
                f"{path} cannot be read: {exc.strerror or exc}.", "Check its name and permissions."
            ) from exc


def _read(stream: BufferedReader, file: str) -> Iterator[Prediction | Ignored]:
    if stream.peek(len(codecs.BOM_UTF8)).startswith(codecs.BOM_UTF8):
        stream.read(len(codecs.BOM_UTF8))
    for number, line in enumerate(_lines(stream), start=1):
        if line is not None and not line.strip():
            continue
        try:
            for prediction in _predictions_in(line):
                yield prediction.model_copy(update={"file": file, "line": number})
        except InputError as exc:
            yield Ignored(reason=exc.message, file=file, line=number)


def _lines(stream: BufferedReader) -> Iterator[bytes | None]:
    """Cut a stream at its line breaks; a line that is too long is skipped in pieces and given as null."""
    while line := stream.readline(MAX_LINE_BYTES):
        if len(line) < MAX_LINE_BYTES or line.endswith(b"\n"):
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(_CHUNK_BYTES)
        yield None


def _predictions_in(line: bytes | None) -> Iterator[Prediction]:
    if line is None:
        raise InputError(f"The line is longer than {MAX_LINE_BYTES // 2**20} MiB.")
    record = parse_line(line)
    if "replies" in record or "case" in record:
        yield read_prediction(record)
    elif is_c3_result(record):
        yield read_c3_result(record)
    elif is_wildtool_result(record):
        yield from read_wildtool_results(record)
    else:
        keys = ", ".join(repr(key[:40]) for key in list(record)[:6]) or "none"
        raise InputError(f"The line is no prediction of a known shape; its keys are {keys}.")
