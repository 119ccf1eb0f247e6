"""One task asked of a model: reply after reply, each matched at once and answered from the gold."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from annotator.jobs import JobCancelled
from annotator.llm import ChatClient, ModelError
from annotator.llm.budget import Spending
from annotator.llm.endpoints import SamplingParameters
from annotator.llm.responses import Completion
from scoring.call_texts import read_call_text
from scoring.history import (
    MessageLayout,
    offered_tools,
    opening_messages,
    reply_messages,
    shown_time,
    with_call_ids,
)
from scoring.matching.gold import Gold
from scoring.matching.replay import Walk
from scoring.model.case import Case
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import ArgumentProfile, Protocol, ToolMode
from scoring.predictions import InfraError, Prediction, Reply, ToolCall, read_reply
from scoring.prompt_protocol import ReadReply, prompt_messages, read_prompted, without_thoughts

_FINISHED = ("stop", "tool_calls", "function_call")
"""Reasons to finish that say nothing unusual."""


class RunSetting(Record):
    """What a model was asked under; the answers of one run all have the same.

    `read_text_calls` also takes calls that a model writes as text in a way of its own.
    """

    model: str = Field(min_length=1, title="Model", examples=["e.g. careful-agent-32b"])
    protocol: Protocol = Field(default=Protocol.WILDTOOL, title="Shown history")
    tools: ToolMode = Field(default=ToolMode.NATIVE, title="Tools are passed")
    layout: MessageLayout = Field(default_factory=MessageLayout)
    read_text_calls: bool = False
    sampling: SamplingParameters = Field(default_factory=SamplingParameters)

    def dump(self) -> JsonObject:
        """Write it shortly: model, protocol and tools, and of the rest what is not as usual."""
        said = {"model": self.model, "protocol": self.protocol.value, "tools": self.tools.value}
        return said | self.model_dump(mode="json", exclude_defaults=True)


@dataclass(frozen=True)
class Heard:
    """One reply as it is kept: what counts, and what else the endpoint or the reader said about it."""

    reply: Reply
    finish_reason: str | None = None
    parse_error: str | None = None

    def dump(self) -> JsonObject:
        """Write it in OpenAI message shape (contracts 2)."""
        calls = [_dump_call(call) for call in self.reply.tool_calls]
        body: JsonObject = {"content": self.reply.content, "tool_calls": list(calls) or None}
        if self.reply.reasoning_content:
            body["reasoning_content"] = self.reply.reasoning_content
        if self.reply.usage:
            body["usage"] = self.reply.usage.model_dump(exclude_none=True)
        body["latency_seconds"] = self.reply.latency_seconds
        if self.reply.first_token_seconds is not None:
            body["first_token_seconds"] = self.reply.first_token_seconds
        if self.finish_reason and self.finish_reason not in _FINISHED:
            body["finish_reason"] = self.finish_reason
        if self.parse_error:
            body["parse_error"] = self.parse_error
        return body


def _dump_call(call: ToolCall) -> JsonObject:
    function: JsonObject = {"name": call.name, "arguments": call.arguments}
    known: JsonObject = {key: value for key, value in function.items() if value is not None}
    return {"id": call.id, "type": "function", "function": known}


@dataclass(frozen=True)
class Conversation:
    """A task that was asked to its end: every reply that was heard, and the failure that ended it early.

    `error` is what is written of the failure.
    """

    gold: Gold
    heard: tuple[Heard, ...]
    error: InfraError | None = None
    failure: ModelError | None = None

    @property
    def prediction(self) -> Prediction:
        """As the scorer takes it."""
        return Prediction(
            case=self.gold.case_id,
            task=self.gold.task_number,
            replies=tuple(heard.reply for heard in self.heard),
            error=self.error,
        )


def converse(
    case: Case,
    gold: Gold,
    *,
    client: ChatClient,
    setting: RunSetting,
    profile: ArgumentProfile,
    spending: Spending,
    stop: threading.Event,
) -> Conversation:
    """Ask a model one task of a case, until it answers, leaves the legal orders, or the endpoint fails.

    Only names decide whether the run goes on (scoring 3.1); observations are always the gold ones.

    Args:
        case: The case.
        gold: The task.
        client: The model.
        setting: What it is shown and how it is read.
        profile: Rules that decide which of several same-named steps a call takes.
        spending: Counts the tokens of each reply, and ends the run between two of them.
        stop: Ends the conversation between two replies once set.

    Raises:
        JobCancelled: `stop` was set before the end.
        OverBudget, BlockedError: See `Spending.check`.
        ModelError: The endpoint fails in a way that concerns all tasks.
    """
    walk = Walk(gold, profile=profile)
    tools = offered_tools(case)
    number, protocol, layout = gold.task_number, setting.protocol, setting.layout
    time_shown = shown_time(case, number, protocol=protocol)
    messages = opening_messages(case, number, protocol=protocol, layout=layout)
    heard: list[Heard] = []
    while not walk.ended:
        if stop.is_set():
            raise JobCancelled
        spending.check()
        try:
            completion = _ask(client, messages, tools, shown=time_shown, setting=setting, stop=stop)
        except ModelError as exc:
            if exc.is_hopeless:
                raise
            return Conversation(gold, tuple(heard), InfraError(kind=exc.kind, message=exc.message), exc)
        one = hear(completion, setting=setting)
        reply = with_call_ids(one.reply, gold, turn=len(heard))
        spending.add(reply.usage)
        heard.append(Heard(reply, one.finish_reason, one.parse_error))
        messages.extend(reply_messages(gold, reply, walk.feed(reply), layout=layout))
    return Conversation(gold, tuple(heard))


def _ask(
    client: ChatClient,
    messages: Sequence[JsonObject],
    tools: Sequence[JsonObject],
    *,
    shown: str | None,
    setting: RunSetting,
    stop: threading.Event,
) -> Completion:
    if setting.tools is ToolMode.PROMPT:
        return client.ask(prompt_messages(messages, tools, shown_time=shown), stop=stop)
    return client.ask(messages, tools=tools, stop=stop)


def hear(completion: Completion, *, setting: RunSetting) -> Heard:
    """Read what an endpoint answered, by the rules of the setting.

    Native calls count under either mode: some endpoints read the prompt protocol themselves.
    """
    message = completion.message
    native = read_reply(
        {
            **message,
            "reasoning_content": message.get("reasoning_content") or message.get("reasoning"),
            "usage": completion.usage,
            "latency_seconds": completion.latency_seconds,
            "first_token_seconds": completion.first_token_seconds,
        }
    )
    read = _read_text(native.content or "", setting) if not native.tool_calls else None
    if read is None:
        return Heard(native, completion.finish_reason)
    text = read.reply
    reply = native.model_copy(
        update={
            "content": text.content,
            "tool_calls": text.tool_calls,
            "reasoning_content": native.reasoning_content or text.reasoning_content,
        }
    )
    return Heard(reply, completion.finish_reason, read.parse_error)


def _read_text(text: str, setting: RunSetting) -> ReadReply | None:
    """Read a reply without native calls; None where it is to be taken as it stands."""
    read = read_prompted(text) if setting.tools is ToolMode.PROMPT else None
    if not setting.read_text_calls or (read and read.reply.tool_calls):
        return read
    said, thought = without_thoughts(text)
    found = read_call_text(said)
    if found is None:
        return read
    return ReadReply(reply=Reply(content=found.content, tool_calls=found.calls, reasoning_content=thought))
