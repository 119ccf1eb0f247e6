"""The result files of the published evaluators, read as predictions (formats 6)."""

from collections.abc import Iterator

from pydantic import JsonValue

from scoring.errors import InputError, existing, filled
from scoring.model.record import JsonObject, members_in
from scoring.predictions import InfraError, Prediction, Reply, Usage, read_id, read_index, read_reply


def is_c3_result(record: JsonObject) -> bool:
    """Whether a line is a C3-Bench or MMTB prediction (formats 6.1)."""
    return "predict_result" in record or ("predict_label" in record and "idx" in record)


def is_wildtool_result(record: JsonObject) -> bool:
    """Whether a line is a WildToolBench result (formats 6.2)."""
    return "id" in record and ("result" in record or "results" in record)


def is_wildtool_score(record: JsonObject) -> bool:
    """Whether a line was written by the released scorer, which deletes replies from the log (formats 6.3)."""
    results = record.get("results")
    return isinstance(results, list) and any(isinstance(r, dict) and "label" in r for r in results)


def read_c3_result(record: JsonObject) -> Prediction:
    """Read one C3-Bench or MMTB prediction: one task of one entry; its first line counts, a time-out too.

    Raises:
        InputError: It does not say which task of which entry it answers.
    """
    task = existing(
        read_index(record.get("idx")),
        InputError("The result names no task.", "Its number, counted from 0, belongs under `idx`."),
    )
    replies, label = record.get("predict_result"), record.get("predict_label")
    failed = not isinstance(replies, list)
    return Prediction(
        case=_entry_id(record),
        task=task,
        replies=tuple(map(read_reply, replies)) if isinstance(replies, list) else (),
        error=InfraError(kind=str(label or "unknown"), message="no replies recorded") if failed else None,
        is_final=True,
        request=_request_before(record.get("messages"), record.get("messages_length")),
        shown_messages=_message_count(record),
    )


def _message_count(record: JsonObject) -> int | None:
    """Under which number the released analysis counts a task by its messages; None where it cannot.

    It is what the line says, else the place of the last message that is the request, -1 where none is.
    """
    count, messages = record.get("messages_length"), record.get("messages")
    if isinstance(count, int) or not isinstance(messages, list):
        return count if isinstance(count, int) else None
    contents = [message.get("content") if isinstance(message, dict) else None for message in messages]
    return max((i for i, content in enumerate(contents) if content == record.get("task")), default=-1)


def _request_before(messages: JsonValue, count: JsonValue) -> str | None:
    """The request a model was asked: the last message before its first reply; None where it is not there."""
    if not isinstance(messages, list) or not isinstance(count, int) or not 0 < count <= len(messages):
        return None
    return _request(messages[count - 1])


def _request(message: JsonValue) -> str | None:
    if isinstance(message, dict) and message.get("role", "user") == "user":
        message = message.get("content")
    return message if isinstance(message, str) else None


def _entry_id(record: JsonObject) -> str:
    entry = record.get("id")
    if isinstance(entry, list):  # the published analysis joins the parts
        entry = "".join(part for part in entry if isinstance(part, str))
    return filled(read_id(entry), InputError("The result names no entry.", "Its id belongs under `id`."))


def read_wildtool_results(record: JsonObject) -> Iterator[Prediction]:
    """Read one WildToolBench line: all tasks of one entry, or the one error that ended its run.

    Raises:
        InputError: It names no entry, or its results are neither a list nor an error text.
    """
    entry = _entry_id(record)
    results = record.get("result", record.get("results"))
    if isinstance(results, str):
        yield Prediction(case=entry, task=None, error=InfraError(kind="run failed", message=results))
        return
    if not isinstance(results, list):
        raise InputError(f"The results of {entry} are not a list.", "One object per task is expected.")
    yield from (_wildtool_task(entry, position, result) for position, result in enumerate(results))


def _wildtool_task(entry: str, position: int, result: JsonValue) -> Prediction:
    if not isinstance(result, dict):
        error = InfraError(kind="run failed", message=result if isinstance(result, str) else "")
        return Prediction(case=entry, task=position, error=error)
    log = members_in(result.get("inference_log"))
    task = read_index(log.get("task_idx"))
    steps = (log.get(f"step_{number}") for number in range(len(log)))
    outputs = [step.get("inference_output") if isinstance(step, dict) else None for step in steps]
    return Prediction.trusted(
        case=entry,
        task=position if task is None else task,
        replies=tuple(
            _with_measures(read_reply(output), result, number)
            for number, output in enumerate(outputs)
            if isinstance(output, dict)
        ),
        request=_request(log.get("begin_of_current_task")),
    )


def _with_measures(reply: Reply, result: JsonObject, number: int) -> Reply:
    latency = _measure(result, "latency", number)
    prompt, completion = (
        read_index(_measure(result, key, number)) for key in ("input_token_count", "output_token_count")
    )
    return reply.model_copy(
        update={
            "latency_seconds": latency if isinstance(latency, int | float) else None,
            "usage": Usage.trusted(prompt_tokens=prompt, completion_tokens=completion)
            if (prompt, completion) != (None, None)
            else None,
        }
    )


def _measure(result: JsonObject, key: str, number: int) -> JsonValue:
    values = result.get(key)
    return values[number] if isinstance(values, list) and number < len(values) else None
