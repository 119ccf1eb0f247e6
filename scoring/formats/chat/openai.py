"""Dialogues in the OpenAI chat shape (formats 10.1): reading them as cases and writing cases as them."""

from collections.abc import Sequence

from scoring.errors import InputError
from scoring.formats import preserved_fields
from scoring.formats.case_fields import has_chinese, read_id, read_now, read_tools, write_now
from scoring.formats.chat.layout import ChatLayout, call_ids, write_task
from scoring.formats.chat.messages import Message, read_messages
from scoring.formats.chat.tasks import read_chat
from scoring.formats.fields import required
from scoring.formats.outcome import Reading
from scoring.formats.remainder import with_remainder, without_remainder
from scoring.model.case import Case, Now, Source
from scoring.model.record import JsonObject, objects_in
from scoring.model.taxonomy import CaseFormat


def decode(record: JsonObject, *, file: str, line: int) -> Case:
    """Read one dialogue.

    Every user message opens a task, unless it answers a question the assistant has just asked in a task
    that goes on with calls. No dependency is invented; the answer follows every other step.

    Args:
        record: The line as parsed.
        file: Name of the file it stands in; with the line it makes the id of a dialogue without one.
        line: Its number, from 1.

    Raises:
        InputError: The line is no dialogue, with the field and what is wrong with it.
    """
    return read(record, file=file, line=line).case


def read(record: JsonObject, *, file: str, line: int) -> Reading:
    """Read one dialogue as `decode` does, with the notes made on the way."""
    dialogue = _Dialogue(without_remainder(record), file=file, line=line)
    case = with_remainder(dialogue.case, record, dialogue.notes)
    layout = dialogue.layout.with_ids(dialogue.case, dialogue.ids)
    tools_key = layout.tools_key
    case = preserved_fields.remember(
        case,
        dialogue.record,
        format=CaseFormat.OPENAI,
        layout=layout.dump(),
        write=write,
        origins={"/messages": dialogue.origins},
        as_read=(tools_key,) if case is dialogue.case and record.get(tools_key) is not None else (),
    )
    return Reading(case=case, warnings=tuple(dialogue.notes), has_dependencies=False)


def parse(record: JsonObject, *, file: str, line: int) -> Case:
    """Read what a line says, as `decode` does, without noting what its file did its own way."""
    return with_remainder(_Dialogue(without_remainder(record), file=file, line=line).case, record, [])


class _Dialogue:
    """One line taken apart: the case, its layout, the ids of its calls, where each message was read."""

    def __init__(self, record: JsonObject, *, file: str, line: int) -> None:
        self.record = record
        self.notes: list[str] = []
        messages = read_messages(required(record, "messages"), "messages", self.notes)
        head = _leading_system(messages)
        chat = read_chat(messages[len(head) :], self.notes)
        if not chat.tasks:
            raise InputError("messages holds no user message, so there is no task.")
        now, nows = read_now(record.get("env_info"), "env_info", len(chat.tasks))
        system_now = Now.find("\n".join(message.text or "" for message in head))
        tools_key = "tools" if record.get("tools") is not None or "functions" not in record else "functions"
        self.case = Case(
            id=read_id(record.get("id"), file=file, line=line),
            language="zh" if has_chinese([task.user for task in chat.tasks]) else "en",
            now=now or system_now,
            tools=read_tools(record.get(tools_key), tools_key),
            tasks=tuple(
                task.model_copy(update={"now": own}) if own else task
                for task, own in zip(chat.tasks, nows, strict=True)
            ),
            source=Source(format=CaseFormat.OPENAI, file=file, line=line),
        )
        self.ids = chat.ids
        self.origins = (*(message.at for message in head), *chat.origins)
        self.layout = ChatLayout(
            tools_key=tools_key,
            system=tuple(objects_in(record.get("messages"))[: len(head)]),
            system_now=system_now.raw if system_now else None,
            legacy=_is_legacy(record),
        )


def encode(case: Case) -> JsonObject:
    """Write a case as a dialogue, as its file had it where it came from one.

    Rounds are the recorded ones while nobody drew a dependency, else those of the first optimal order.
    """
    return preserved_fields.recall(case, format=CaseFormat.OPENAI, write=write, parse=parse)


def system_text(case: Case) -> str:
    """What the system message of the case's dialogue said; empty where there was none."""
    kept = preserved_fields.kept_of(case)
    layout = (ChatLayout.readable(kept.layout) if kept else None) or ChatLayout()
    texts = [message.get("content") for message in layout.system]
    return "\n".join(text for text in texts if isinstance(text, str))


def full_system_text(case: Case) -> str:
    """What a system message has to say of a case: what its own said, and its time where that says none."""
    said = system_text(case)
    if case.now is None or case.now.raw in said:
        return said
    return "\n".join(filter(None, [said, f"Current time: {case.now.raw}"]))


def _is_legacy(record: JsonObject) -> bool:
    messages = objects_in(record.get("messages"))
    return any("function_call" in message for message in messages) and not any(
        "tool_calls" in message for message in messages
    )


def _leading_system(messages: Sequence[Message]) -> Sequence[Message]:
    count = next((i for i, m in enumerate(messages) if m.role not in ("system", "developer")), len(messages))
    return messages[:count]


def write(case: Case, layout: JsonObject) -> JsonObject:
    """Write a case as a dialogue under the layout of its file; `{}` is the usual one."""
    shape = ChatLayout.readable(layout) or ChatLayout()  # one that somebody damaged counts as the usual one
    ids = call_ids(case, shape)
    messages = list(shape.system)
    for t, task in enumerate(case.tasks):
        messages.extend(write_task(task, t, ids=ids, legacy=shape.legacy))
    line: JsonObject = {
        "id": case.id,
        shape.tools_key: [tool.definition for tool in case.tools],
        "messages": list(messages),
    }
    now = write_now(case)
    if isinstance(now, list) and not _reads_as(line, count=len(case.tasks)):
        now = case.now.raw if case.now else None
    if now is not None and now != shape.system_now:
        line["env_info"] = now
    return line


def _reads_as(line: JsonObject, *, count: int) -> bool:
    """Whether a reader cuts the messages into that many tasks; only then can each have its time."""
    messages = read_messages(line["messages"], "messages", [])
    return len(read_chat(messages[len(_leading_system(messages)) :], []).tasks) == count
