"""The formats of case files: a format is a module that reads and writes it, and one entry here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from scoring.formats import native
from scoring.formats.benchmark import bfcl_writer, c3, wildtool
from scoring.formats.chat import openai, written
from scoring.formats.foreign import foreign_by_keys
from scoring.formats.outcome import Reading
from scoring.model.case import NATIVE_FORMAT, Case
from scoring.model.record import JsonObject
from scoring.model.taxonomy import CaseFormat, WrittenFormat

_WILDTOOL_KEYS = ("english_tasks", "english_task_types", "english_turn_subtypes", "tasks", "task_types")
_C3_KEYS = ("english_task", "task", "task_ids", "turn_type")
_ANSWER_KEYS = ("english_answer_list", "answer_list")


@dataclass(frozen=True)
class Codec:
    """One format, both ways.

    Attributes:
        title: Its name as people know it.
        read: A line as a case, with notes about what was understood but is not in order.
        encode: A case as a line, as its file had it where it came from one.
        parse: A line as a case, without what its file did its own way.
        has_dependencies: As in what `read` gives.
    """

    title: str
    read: Callable[..., Reading]
    encode: Callable[[Case], JsonObject]
    parse: Callable[..., Case]
    has_dependencies: bool = True


CODECS: Mapping[CaseFormat, Codec] = {
    CaseFormat.NATIVE: Codec("Annotator (native)", native.read, native.encode, native.decode),
    CaseFormat.WILDTOOL: Codec("WildToolBench", wildtool.read, wildtool.encode, wildtool.LINE.parse),
    CaseFormat.C3: Codec("C3-Bench", c3.read, c3.encode, c3.LINE.parse),
    CaseFormat.OPENAI: Codec(
        "OpenAI messages", openai.read, openai.encode, openai.parse, has_dependencies=False
    ),
}
"""Every format that is read and written; import, export and the window list these."""

WRITERS: Mapping[str, Callable[[Case], JsonObject]] = {
    WrittenFormat.BFCL: bfcl_writer.write,
    WrittenFormat.SHAREGPT: written.sharegpt,
    WrittenFormat.HERMES: written.hermes,
    WrittenFormat.HUGGINGFACE: written.huggingface,
    WrittenFormat.ANTHROPIC: written.anthropic,
}
"""The formats that are written for others to read; what a case says beyond them is left out."""


def sniff(record: JsonObject) -> CaseFormat | None:
    """Recognise the format of one line by its keys; None where it is none of ours."""
    if record.get("format") == NATIVE_FORMAT:
        return CaseFormat.NATIVE
    if is_prediction(record):
        return None
    has_answers = any(key in record for key in _ANSWER_KEYS)
    if "messages" in record and not has_answers:
        return CaseFormat.OPENAI
    if not has_answers and foreign_by_keys(record):  # `task` and `tasks` are keys of many formats
        return None
    wildtool_keys, c3_keys = (sum(key in record for key in keys) for keys in (_WILDTOOL_KEYS, _C3_KEYS))
    if wildtool_keys != c3_keys:
        return CaseFormat.WILDTOOL if wildtool_keys > c3_keys else CaseFormat.C3
    if "env_info" in record and not str(record.get("id")).startswith("wild_tool_bench"):
        return CaseFormat.C3
    return CaseFormat.WILDTOOL if has_answers or wildtool_keys else None


def is_prediction(record: JsonObject) -> bool:
    """Whether a line holds a model's replies instead of a case."""
    is_case = any(key in record for key in ("messages", *_ANSWER_KEYS))
    return "predict_result" in record or (not is_case and ("replies" in record or "result" in record))
