"""What the two published line formats share: keys, texts, tools, time and steps (formats 3-5)."""

from collections.abc import Mapping, Sequence

from pydantic import Field, JsonValue

from scoring.errors import InputError, filled
from scoring.formats.benchmark.nodes import read_nodes, write_nodes
from scoring.formats.benchmark.segments import first_labels, read_segments, write_segments
from scoring.formats.case_fields import has_chinese, read_now, write_now
from scoring.formats.fields import list_at, required, same_count, text_at
from scoring.model.case import Case, Task
from scoring.model.record import JsonObject, Record

KeyNames = Mapping[str, Sequence[str]]
"""Field -> names its key may have, English ones first (IMP-02)."""

REPEATED_FIELDS = ("messages", "task_ids")
"""Fields that only repeat what others say; not written for a line that leaves them out."""


class LineLayout(Record):
    """How one line lays its case out, where the format leaves it open.

    `names` are the keys that are not the usual ones of the format and language; an empty name means
    the line leaves the field out. `labels` stand before the texts of user and assistant in the
    recorded dialogue. A line with `time_per_task` gives the simulated time of each task.
    """

    names: dict[str, str] = Field(default_factory=dict)
    labels: tuple[str, str] = ("", "")
    with_idx: bool = True
    time_per_task: bool = False


class PublishedLine:
    """One published line being read: its fields by meaning, and the notes made on the way.

    Fields of the other language are unknown keys: written back as they were, whatever is edited.

    Args:
        record: The line as parsed.
        names: The key names of its format.
    """

    def __init__(self, record: JsonObject, names: KeyNames) -> None:
        self.record = record
        self.notes: list[str] = []
        self._preferred = {field: keys[0] for field, keys in names.items()}
        self.names = {field: key for field, keys in names.items() if (key := _present(record, keys))}
        texts = self.names.get("tasks", "")
        self.language = "en" if texts.startswith("english_") or not has_chinese(record.get(texts)) else "zh"
        messages = self.names.get("messages", "")
        if messages.startswith("english_") != texts.startswith("english_") or not record.get(messages):
            # The dialogue of the other language is a twin to keep, not this case's dialogue.
            self.names.pop("messages", None)

    def name(self, field: str) -> str:
        """The key the line uses for a field, or should use; for messages to the user."""
        return self.names.get(field, self._preferred[field])

    def get(self, field: str) -> JsonValue:
        """The value of a field; None where the line has none."""
        return self.record.get(self.names[field]) if field in self.names else None

    def layout(self, usual: Mapping[str, str]) -> JsonObject:
        """What differs from the usual layout of the format; `{}` where nothing does."""
        names = dict(usual) | dict.fromkeys(REPEATED_FIELDS, "") | self.names
        return LineLayout(
            names={field: key for field, key in names.items() if key != usual.get(field, "")},
            labels=first_labels(self.get("messages")),
            with_idx=_has_idx(self.get("answers")),
            time_per_task=isinstance(self.get("env"), list),
        ).model_dump(mode="json", exclude_defaults=True)


def _present(record: JsonObject, keys: Sequence[str]) -> str | None:
    present = [key for key in keys if key in record]
    return next((key for key in present if record[key] is not None), present[0] if present else None)


def _has_idx(answers: JsonValue) -> bool:
    stack, found_nodes = [answers], False
    while stack:
        item = stack.pop()
        match item:
            case list():
                stack.extend(item)
            case dict():
                found_nodes = True
                if "idx" in item:
                    return True
    return not found_nodes


def read_texts(line: PublishedLine) -> list[str]:
    """Read the user requests, at least one; a single text is one task (IMP-04)."""
    where = line.name("tasks")
    value = required(line.record, where)
    if isinstance(value, str):
        line.notes.append(f"{where} is a text; read as one task.")
        value = [value]
    return filled(
        [text_at(item, f"{where}[{i}]") for i, item in enumerate(list_at(value, where))],
        InputError(f"{where} is empty; a case has at least one task."),
    )


def read_labels(line: PublishedLine, field: str, count: int) -> list[JsonValue]:
    """Read one label for each task; nulls where the line has none, a single text is one task's label."""
    value, where = line.get(field), line.name(field)
    if value is None or value == []:
        return [None] * count
    labels = list_at([value] if isinstance(value, str) else value, where)
    same_count(len(labels), where, expected=count)
    return labels


def read_tasks(line: PublishedLine) -> list[Task]:
    """Read requests, steps, dependencies and times; labels are the codec's.

    Raises:
        InputError: A field has the wrong type, lists disagree in length, or a graph cannot be run.
    """
    texts = read_texts(line)
    where = line.name("answers")
    listed = list_at(required(line.record, where), where)
    if listed and all(isinstance(item, dict) for item in listed):
        line.notes.append(f"{where} is one flat list; read as the nodes of one task.")
        tasks = [read_nodes(listed, where, line.notes)]
    else:
        same_count(len(listed), where, expected=len(texts))
        tasks = [read_nodes(item, f"{where}[{t}]", line.notes) for t, item in enumerate(listed)]
    same_count(len(tasks), where, expected=len(texts))
    _, nows = read_now(line.get("env"), line.name("env"), len(texts))
    read = [
        Task.trusted(user=text, now=now, steps=steps, edges=edges)
        for text, now, (steps, edges) in zip(texts, nows, tasks, strict=True)
    ]
    if "messages" in line.names:
        read_segments(line.get("messages"), line.name("messages"), read, line.get("task_ids"), line.notes)
    return read


def write_tasks(case: Case, layout: LineLayout) -> list[JsonValue]:
    """Write the answer lists of all tasks.

    Raises:
        InputError: A task has no answer.
    """
    return [
        write_nodes(task, f"Case {case.id}, task {t}", with_idx=layout.with_idx)
        for t, task in enumerate(case.tasks)
    ]


def write_fields(
    case: Case, usual: Mapping[str, str], *, layout: JsonObject, labels: JsonObject
) -> JsonObject:
    """Write a line: the fields both formats have and the codec's labels, each under its key.

    Args:
        case: The case to write.
        usual: Field -> key, in the order of the format; fields named elsewhere are not written.
        layout: What the line did otherwise.
        labels: Field -> value of the labels.
    """
    shape = LineLayout.readable(layout) or LineLayout()  # one that somebody damaged counts as the usual one
    now = write_now(case, per_task=shape.time_per_task)
    fields: JsonObject = {
        "id": case.id,
        "tasks": [task.user for task in case.tasks],
        "tools": [tool.definition for tool in case.tools],
        "answers": write_tasks(case, shape),
        "messages": [*write_segments(case.tasks, shape.labels)],
        "task_ids": [0] * len(case.tasks),
        **labels,
    }
    if now is not None:
        fields["env"] = now
    names = dict(usual) | shape.names
    return {key: fields[field] for field, key in names.items() if key and field in fields}
