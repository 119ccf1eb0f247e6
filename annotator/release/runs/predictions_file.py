"""The predictions file a run appends to: locked, safe at every moment, and whole again after a kill."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from io import BufferedRandom
from pathlib import Path
from typing import IO

from pydantic import JsonValue

from annotator.files import append_line, is_stream, opened_stream
from annotator.release.runs.conversation import Conversation, RunSetting
from db.project_files.unfinished import try_lock
from scoring.errors import ConflictError, InputError, StoreError, reworded
from scoring.formats.case_reader import parse_line
from scoring.measures.sample import Key
from scoring.model.record import JsonObject, to_json
from scoring.model_card import ModelCard
from scoring.predictions import Prediction, Usage, read_prediction

_LINE_START = b'{"case":'


@dataclass
class PredictionFile:
    """An open predictions file.

    Attributes:
        answered: The first answer to each task that is in the file, failures outside the model left out.
        usages: The tokens of every reply in the file, failed attempts included.
        unread: How many of its lines are no predictions; they stay as they are.
        model_card: What is known of the model, written with each answer; None for nothing.
    """

    cases_sha256: str
    setting: RunSetting
    _stream: IO[bytes]
    answered: dict[Key, Prediction] = field(default_factory=dict)
    usages: list[Usage | None] = field(default_factory=list)
    unread: int = 0
    model_card: ModelCard | None = None

    def append(self, conversation: Conversation) -> None:
        """Write one task and wait until it is on the disk.

        Raises:
            StoreError: The disk is full or gone; what was written before stays.
        """
        line: JsonObject = {
            "case": conversation.gold.case_id,
            "task": conversation.gold.task_number,
            "replies": [heard.dump() for heard in conversation.heard],
            "cases_sha256": self.cases_sha256,
            "setting": self.setting.dump(),
        }
        if self.model_card:
            line["model_card"] = self.model_card.dump()
        if conversation.error:
            line["error"] = conversation.error.model_dump(mode="json")
        with reworded(
            OSError,
            into=lambda exc: StoreError(
                f"The predictions cannot be written: {exc.strerror or exc}.",
                "Free some space, then run the same command again.",
            ),
        ):
            append_line(self._stream, to_json(line))


@contextmanager
def open_predictions(
    path: Path, *, cases_sha256: str, setting: RunSetting, model_card: ModelCard | None = None
) -> Iterator[PredictionFile]:
    """Open a predictions file to go on where it ends; a new one where there is none.

    What goes into a stream (a pipe, standard output) cannot be read again: every task is asked.
    A last line that was torn by a kill or a power cut is cut off: its task is asked again.

    Args:
        path: The file.
        cases_sha256: Hash of the cases that are asked.
        setting: What they are asked under.
        model_card: What is known of the model; None for nothing.

    Raises:
        InputError: It is no predictions file, or answers other cases, or another setting.
        ConflictError: Another run is writing it.
        StoreError: It cannot be opened or written.
    """
    if is_stream(path):
        with opened_stream(path) as stream:
            yield PredictionFile(cases_sha256, setting, stream, model_card=model_card)
        return
    with reworded(
        OSError,
        into=lambda exc: StoreError(
            f"{path} cannot be written: {exc.strerror or exc}.", "Choose another place."
        ),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = path.open("a+b")
    try:
        _lock(stream, path)
        file = PredictionFile(cases_sha256, setting, stream, model_card=model_card)
        stream.seek(0)
        tail = b""
        for number, line in enumerate(stream, start=1):
            tail = b"" if line.endswith(b"\n") else line
            if line.strip() and not (tail and _is_torn(tail)):
                _take_in(file, line, f"{path}, line {number}")
        if file.unread and not file.answered and not file.usages:
            raise InputError(f"{path} is not a predictions file.", "Name another file with -o.")
        if tail and _is_torn(tail):
            stream.truncate(stream.seek(0, os.SEEK_END) - len(tail))
        elif tail:
            stream.write(b"\n")
        stream.seek(0, os.SEEK_END)
        yield file
    finally:
        with suppress(OSError):  # a line that had no room was told; closing would try it again
            stream.close()


def _is_torn(tail: bytes) -> bool:
    """Whether a last line without its end is the beginning of one of ours, or what a power cut leaves."""
    begins_as_ours = tail.startswith(_LINE_START) or _LINE_START.startswith(tail)
    if not begins_as_ours and tail.strip(b"\0"):
        return False
    try:
        parse_line(tail)
    except InputError:
        return True
    return False


def _take_in(file: PredictionFile, line: bytes, where: str) -> None:
    try:
        record = parse_line(line)
        prediction = read_prediction(record)
    except InputError:
        file.unread += 1
        return
    if prediction.cases_sha256 not in (None, file.cases_sha256):
        raise InputError(
            f"{where}: it answers other cases; their hash differs.", "Name another file with -o."
        )
    _check_setting(record.get("setting"), file.setting, where)
    file.usages.extend(reply.usage for reply in prediction.replies)
    if prediction.error is None:
        file.answered.setdefault((prediction.case, prediction.task or 0), prediction)


def _check_setting(found: JsonValue, setting: RunSetting, where: str) -> None:
    if not isinstance(found, dict):
        return
    before = RunSetting.readable(found)
    if before == setting:
        return
    now, then = setting.dump(), before.dump() if before else found
    keys = [key for key in {**then, **now} if then.get(key) != now.get(key)]
    changes = "; ".join(f"{key}: {_shown(then, key)} there, {_shown(now, key)} now" for key in keys)
    raise InputError(f"{where}: it was asked otherwise ({changes}).", "Name another file with -o.")


def _shown(values: Mapping[str, JsonValue], key: str) -> str:
    return to_json(values[key]) if key in values else "as usual"


def _lock(stream: BufferedRandom, path: Path) -> None:
    """Keep other runs out of the file until it is closed; the system lets go when the process dies.

    Raises:
        ConflictError: Another run has it.
    """
    if try_lock(stream) is False:
        raise ConflictError(
            f"Another run is writing {path}.", "Wait for it or stop it, or name another file with -o."
        )
