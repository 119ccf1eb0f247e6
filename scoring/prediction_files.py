"""Reading files of predictions: line by line, in constant memory, every bad line reported and none fatal."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from io import BufferedReader
from pathlib import Path

from scoring.errors import InputError, existing
from scoring.formats.benchmark.line_format import CASE_ID, is_published_id
from scoring.formats.case_reader import parse_line, read_records
from scoring.formats.codecs import sniff
from scoring.formats.containers import (
    MAX_LINE_BYTES,
    after_mark,
    first_keys,
    lines,
    require_text,
)
from scoring.formats.foreign import foreign_by_keys
from scoring.inspect_logs import is_inspect_log, read_samples
from scoring.model.record import JsonObject, members_in
from scoring.model.taxonomy import CaseFormat
from scoring.model_card import ModelCard
from scoring.predictions import Ignored, Prediction, read_prediction
from scoring.published_results import (
    is_c3_result,
    is_wildtool_result,
    is_wildtool_score,
    read_c3_result,
    read_wildtool_results,
)

OwnIds = Callable[[], Mapping[str, str]]
_OWN_KEYS = frozenset({"case", "replies", "result", "predict_result", "predict_label"})
"""Keys that of all formats only predictions have."""


def read_predictions(
    *paths: Path, exported: Path | Mapping[str, str] | None = None
) -> Iterator[Prediction | Ignored]:
    """Read files of predictions, one after another: they are parts of one run.

    Each line is recognised by itself: our own shape, or a result line of C3-Bench, Multi-Mission Tool
    Bench or WildToolBench (formats 6). Of a log of Inspect each sample is one.

    Args:
        *paths: The files, each one JSON object a line, or logs of Inspect, packed or as JSON.
        exported: The cases as the model was asked them, or the ids of their lines with those of the cases.
            Where it is named, the ids of WildToolBench results, which are numbers of its lines, become the
            ids of its cases; where it is None, they are taken as they are.

    Yields:
        The predictions in order, and for each line that is none the reason.

    Raises:
        InputError: A file cannot be opened, is in a format that is not read, or is a score file of
            WildToolBench: replies are missing there.
    """
    own_ids = None if exported is None else cache(partial(_own_ids, exported))
    for path in paths:
        try:
            with path.open("rb") as stream:
                if is_inspect_log(stream):
                    yield from _read_log(path)
                    continue
                _require_predictions(after_mark(stream), path)
                yield from _read(stream, str(path), own_ids)
        except OSError as exc:
            raise InputError(
                f"{path} cannot be read: {exc.strerror or exc}.", "Check its name and permissions."
            ) from exc


def recorded_setting(paths: Sequence[Path]) -> JsonObject:
    """What the model was asked under as a run's own predictions say, model and protocol among it.

    The first line that can be read decides; empty where it says nothing.
    """
    return members_in(_first_record(paths).get("setting"))


def recorded_card(paths: Sequence[Path]) -> ModelCard | None:
    """The card of the model as a run's own predictions say; None where their first line has none."""
    return ModelCard.readable(_first_record(paths).get("model_card"))


def _first_record(paths: Sequence[Path]) -> JsonObject:
    """The first line, or sample of a log, that can be read; empty for none."""
    for path in paths:
        with suppress(InputError, OSError), path.open("rb") as stream:
            return next(read_samples(path), {}) if is_inspect_log(stream) else parse_line(stream.readline())
    return {}


def _own_ids(exported: Path | Mapping[str, str]) -> Mapping[str, str]:
    """Id of a WildToolBench line -> id of its case."""
    if not isinstance(exported, Path):
        return exported
    records = (record for record in read_records(exported) if sniff(record) is CaseFormat.WILDTOOL)
    ids = [(record.get("id"), record.get(CASE_ID)) for record in records]
    # Of two lines with one id the first counts.
    return {line: own if isinstance(own, str) else line for line, own in ids[::-1] if isinstance(line, str)}


def _under_own_id(prediction: Prediction, own_ids: OwnIds | None) -> Prediction:
    if own_ids is None or not is_published_id(prediction.case):
        return prediction
    own_id = existing(
        own_ids().get(prediction.case),
        InputError(
            f"{prediction.case} is the number of a line, and the cases that are scored have no such line.",
            "Score against the WildToolBench file that was run, or the release folder it is from.",
        ),
    )
    return prediction.model_copy(update={"case": own_id})


def _require_predictions(stream: BufferedReader, path: Path) -> None:
    require_text(stream, path)
    keys = first_keys(stream)
    found = None if keys & _OWN_KEYS else foreign_by_keys(keys)
    if found is not None:
        raise InputError(
            f"{path} looks like {found.name}, which is not read as predictions.",
            "Predictions have `case`, `task` and `replies`, or are results of C3-Bench, Multi-Mission Tool"
            " Bench or WildToolBench.",
        )


def _read(stream: BufferedReader, file: str, own_ids: OwnIds | None) -> Iterator[Prediction | Ignored]:
    for number, line in enumerate(lines(after_mark(stream)), start=1):
        if line is not None and not line.strip():
            continue
        try:
            record = _record(line)
        except InputError as exc:
            yield Ignored(reason=exc.message, file=file, line=number)
            continue
        if is_wildtool_score(record):
            raise InputError(
                f"{file} was written by the WildToolBench scorer, which removes replies from the log.",
                f"Name the result file it was made from: {_result_file(file)}.",
            )
        try:
            if "replies" in record or "case" in record:
                yield read_prediction(record, file=file, line=number)
                continue
            place = {"file": file, "line": number}
            yield from (found.model_copy(update=place) for found in _predictions_in(record, own_ids))
        except InputError as exc:
            yield Ignored(reason=exc.message, file=file, line=number)


def _read_log(path: Path) -> Iterator[Prediction | Ignored]:
    for number, record in enumerate(read_samples(path), start=1):
        try:
            yield read_prediction(record, file=str(path), line=number)
        except InputError:
            reason = "The sample of the log holds no replies that the scorer of an exported task left."
            yield Ignored(reason=reason, file=str(path), line=number)


def _record(line: bytes | None) -> JsonObject:
    return parse_line(existing(line, InputError(f"The line is longer than {MAX_LINE_BYTES // 2**20} MiB.")))


def _result_file(score_file: str) -> str:
    """What the released code calls the result file of a score file; it stands in another folder."""
    name = Path(score_file).name
    return name.replace("_score", "_result") if "_score" in name else "the one that ends in _result.jsonl"


def _predictions_in(record: JsonObject, own_ids: OwnIds | None) -> Iterator[Prediction]:
    if is_c3_result(record):
        yield read_c3_result(record)
    elif is_wildtool_result(record):
        yield from (_under_own_id(prediction, own_ids) for prediction in read_wildtool_results(record))
    else:
        keys = ", ".join(repr(key[:40]) for key in list(record)[:6]) or "none"
        raise InputError(f"The line is not a prediction of a known shape; its keys are {keys}.")
