"""The visible dialogue of a published line: messages cut into one segment for each task (formats 3.1)."""

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from scoring.formats.fields import list_at, refuse, same_count, text_at
from scoring.model.case import Answer, Ask, Task
from scoring.model.record import JsonObject, objects_in

SEPARATOR = "============"
_SEPARATOR_SIGN = "====="
_ENGLISH_LABELS = ("ai", "ai agent", "user", "ai agent assistant")
_CHINESE_LABELS = ("用户", "AI Agent助手", "AI Agent")


def label_of(content: str) -> str:
    """The role label a message begins with, its colon and one blank included; empty where it has none."""
    for colon, labels, fold in ((":", _ENGLISH_LABELS, True), ("：", _CHINESE_LABELS, False)):
        label, found, rest = content.partition(colon)
        if found and (label.casefold() if fold else label) in labels:
            return label + colon + (" " if rest.startswith(" ") else "")
    return ""


def first_labels(messages: JsonValue) -> tuple[str, str]:
    """The labels the first messages of user and assistant carry."""
    found = {"user": "", "assistant": ""}
    for message in reversed(objects_in(messages)):
        if isinstance(message.get("content"), str):
            found[str(message.get("role"))] = label_of(str(message["content"]))
    return found["user"], found["assistant"]


def read_segments(
    value: JsonValue, where: str, tasks: Sequence[Task], task_ids: JsonValue, notes: list[str]
) -> None:
    """Check that a recorded dialogue belongs to its tasks; the dialogue itself is kept beside the case.

    Args:
        value: The messages and separators.
        where: Their key.
        tasks: The tasks already read.
        task_ids: Offset of the request in each segment, or None for the first message everywhere.
        notes: Gets a sentence where a segment is not what it should be (IMP-17).

    Raises:
        InputError: An item is no message, or there are not as many segments as tasks.
    """
    segments = cut_segments(list_at(value, where), where)
    same_count(len(segments), f"{where} (segments)", expected=len(tasks))
    offsets = _offsets(task_ids, len(tasks))
    for t, (segment, task, offset) in enumerate(zip(segments, tasks, offsets, strict=True)):
        roles = [message["role"] for message in segment]
        if roles != ["user", "assistant"] * (len(roles) // 2):
            notes.append(f"{where}: the dialogue of task {t} does not alternate user and assistant.")
        if not 0 <= offset < len(segment) or task.user.strip() not in str(segment[offset]["content"]):
            notes.append(f"{where}: the dialogue of task {t} does not hold its request.")


def cut_segments(items: Sequence[JsonValue], where: str) -> list[list[JsonObject]]:
    """Cut messages at their separators into one segment for each task.

    Raises:
        InputError: An item is neither a message nor a separator.
    """
    segments: list[list[JsonObject]] = [[]]
    for i, item in enumerate(items):
        match item:
            case str() if _SEPARATOR_SIGN in item:
                segments.append([])
            case dict():
                text_at(item.get("role"), f"{where}[{i}].role")
                text_at(item.get("content"), f"{where}[{i}].content")
                segments[-1].append(item)
            case _:
                refuse(f"{where}[{i}]", item, "a message or a separator (=====)")
    return segments if segments[-1] else segments[:-1]


def _offsets(task_ids: JsonValue, count: int) -> list[int]:
    if task_ids is None or task_ids == []:
        return [0] * count
    offsets = []
    for i, item in enumerate(list_at(task_ids, "task_ids")):
        if isinstance(item, bool) or not isinstance(item, int):
            refuse(f"task_ids[{i}]", item, "a whole number")
        offsets.append(item)
    same_count(len(offsets), "task_ids", expected=count)
    return offsets


def write_segments(tasks: Sequence[Task], labels: tuple[str, str]) -> Iterator[JsonValue]:
    """Write the visible dialogue of all tasks: requests, questions, replies and answers, no tool traffic."""
    for task in tasks:
        texts = [task.user]
        for step in task.steps:
            if isinstance(step, Ask):
                texts.extend((step.text, step.reply))
        texts.extend(step.text for step in task.steps if isinstance(step, Answer))
        for i, text in enumerate(texts):
            role, label = (("user", labels[0]), ("assistant", labels[1]))[i % 2]
            yield {"role": role, "content": label + text}
        yield SEPARATOR
