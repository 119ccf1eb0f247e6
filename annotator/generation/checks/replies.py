"""What a role replied, read with distrust and bounded repair (generation 1, 3.2, 4; formats 7)."""

import json
import re
from collections.abc import Iterator, Mapping

from pydantic import Field, JsonValue

from annotator.llm.repaired_json import LONGEST_REPLY, is_cut_off, json_values, parsed_json
from scoring.errors import existing, filled
from scoring.model.record import JsonObject, Record, to_text

_LABEL = re.compile(
    r"^\s*[*_#]*\s*(user|agent assistant|agent|assistant|ai|planner|tool|checker[_ ]?\w*|"
    r"用户|agent助手|助手|规划器?|工具)\s*[*_]*\s*[:：][*_]*\s*",
    re.IGNORECASE,
)
_THOUGHTS = re.compile(
    # The second kind begins in the prompt of the server, so that only its end is in the reply.
    r"<think(?:ing)?>.*?</think(?:ing)?>|\A(?:(?!<think).)*?</think(?:ing)?>",
    re.DOTALL | re.IGNORECASE,
)
_CALL_TAG = re.compile(r"<(tool_call|function_call)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_NAMED_INPUT = re.compile(
    r"^[ \t*]*Action[ \t*]*[:：][ \t*`]*([\w.-]+)[ \t`]*\n[ \t*]*Action[ _]Input[ \t*]*[:：]"
    r"(.*?)(?=^[ \t*]*(?:Thought|Action|Observation)[ \t*]*[:：]|\Z)",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_SPOKEN = re.compile(
    r"(?:\W*Thoughts?[ \t*]*[:：])?(.*?)(?=<(?:tool|function)_call>|^[ \t*]*Action[ \t*]*[:：]|\Z)",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
"""What a model says before its call where it has no key for its thought."""
_REFUSAL = re.compile(
    r"\W*((I('|’)m|I am) sorry, (but )?I\b|I('d| would) (rather|prefer) not\b|as an AI\b|"
    r"I (can('|’)?t|cannot|can not|won('|’)t|am unable to|am not able to|must decline to) "
    r"(help|assist|comply|fulfil|create|generate|invent|write|produce|provide|do (that|this|so)|continue)\b|"
    r"(很?抱歉|对不起)，?(但)?我(不能|无法|不便)|作为(一个|一名)?(AI|人工智能)|我(不能|无法)(帮助|协助|生成|提供|满足))",
    re.IGNORECASE,
)
_THINKING_PARTS = ("reasoning", "thinking", "redacted_thinking")
_YES = re.compile(r"^\W*(yes|true|correct|ok|right|accept(ed)?|approved?|是|正确)\b", re.IGNORECASE)
_NO = re.compile(r"^\W*(no|false|incorrect|wrong|reject(ed)?|否|不|错误)\b", re.IGNORECASE)


class ReplyError(Exception):
    """A reply that cannot be read; the text says what is missing."""


class Action(Record):
    """One action a planner wants done."""

    name: str
    arguments: JsonObject = Field(default_factory=dict)
    purpose: str = ""


class PlannerDecision(Record):
    """What a planner decided."""

    thought: str = ""
    plan: str = ""
    actions: tuple[Action, ...] = ()
    is_finished: bool | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the actions."""
        return tuple(action.name for action in self.actions)


class Opinion(Record):
    """What the Checker thinks of a plan."""

    is_correct: bool
    analysis: str = ""


def text_of(message: Mapping[str, JsonValue]) -> str:
    """The text of a message: its content, or the parts of it that are texts; without thinking aloud."""
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(filter(None, map(_text_of_part, content)))
    text = content if isinstance(content, str) else ""
    return _THOUGHTS.sub("", text[: LONGEST_REPLY + 1])


def _text_of_part(part: JsonValue) -> str:
    if isinstance(part, dict):
        part = None if part.get("type") in _THINKING_PARTS else part.get("text")
    return part if isinstance(part, str) else ""


def _said(message: Mapping[str, JsonValue]) -> str:
    """What a role other than the planner says: its text, else what it hands to the first call it makes.

    Raises:
        ReplyError: It is too long.
    """
    text = text_of(message)
    if not text.strip():
        handed = next((call.arguments for call in _native_actions(message)), None)
        text = json.dumps(handed, ensure_ascii=False) if handed else text
    if len(text) > LONGEST_REPLY:
        raise ReplyError("the reply is too long")
    return text


def plain_text(message: Mapping[str, JsonValue]) -> str:
    """A reply that is one text: without its label, and without a fence around all of it.

    Raises:
        ReplyError: Nothing is left.
    """
    text = _bare(_said(message))
    if text.startswith("{"):
        value = next(_objects(text), None)
        words = [part for part in value.values() if isinstance(part, str)] if isinstance(value, dict) else []
        text = _bare(words[0]) if len(words) == 1 else text
    return filled(text, ReplyError("the reply is empty"))


def _bare(text: str) -> str:
    text = text.strip()
    for _ in range(2):
        text = _LABEL.sub("", text, count=1).strip()
        fenced = re.fullmatch(r"```[A-Za-z]*\s*\n?(.*?)\n?```", text, re.DOTALL)
        text = fenced[1].strip() if fenced and "```" not in fenced[1] else text
    return text.strip().strip('"').strip() if text.count('"') == 2 and text.strip()[:1] == '"' else text


def read_decision(message: Mapping[str, JsonValue]) -> PlannerDecision:
    """What a planner decided: the fenced JSON it was asked for, native calls, or calls written as text.

    Raises:
        ReplyError: None of them is there.
    """
    text = text_of(message)
    calls = tuple(_native_actions(message)) or tuple(_tagged_calls(text)) or tuple(_named_actions(text))
    found = _object_with(_NAMED_INPUT.sub("", _CALL_TAG.sub("", text)), _DECISION)
    if found is not None and _is_call(found):
        calls, found = calls or (_action(found),), None
    spoken = _SPOKEN.match(text) if calls and found is None else None
    calls = calls or (() if found or is_cut_off(text) else _bare_calls(text))
    if found is None and not calls:
        raise ReplyError("no JSON object with an Action_List")
    keys = _folded(found or {})
    listed = _first(keys, "actionlist", "actions", "action", "toolcalls")
    return PlannerDecision(
        thought=to_text(_first(keys, "thought", "thoughts") or (spoken[1].strip() if spoken else "")),
        plan=to_text(_first(keys, "plan") or ""),
        actions=tuple(_actions(listed)) or calls,
        is_finished=_yes_or_no(_first(keys, "taskfinish", "missionfinish", "finish", "finished")),
    )


_DECISION = ("actionlist", "actions", "action", "thought", "plan", "toolcalls")


def _native_actions(message: Mapping[str, JsonValue]) -> Iterator[Action]:
    calls = message.get("tool_calls")
    listed = calls if isinstance(calls, list) else [message.get("function_call")]
    return (_action(call) for call in listed if isinstance(call, dict))


def _tagged_calls(text: str) -> Iterator[Action]:
    """Calls in tags, as they come from a server that does not read the calls of its model."""
    values = (parsed_json(inside) for _, inside in _CALL_TAG.findall(text))
    return (_action(value) for value in values if isinstance(value, dict))


def _named_actions(text: str) -> Iterator[Action]:
    """Actions by name with their input below (ReAct)."""
    found = _NAMED_INPUT.findall(text)
    return (Action(name=name, arguments=next(_objects(given), {})) for name, given in found)


def _bare_calls(text: str) -> tuple[Action, ...]:
    """A call, or a list of calls, that stands there without an Action_List around it."""
    for value in json_values(text):
        items = value if isinstance(value, list) else [value]
        calls = [item for item in items if isinstance(item, dict) and _is_call(item)]
        if calls and len(calls) == len(items):
            return tuple(map(_action, calls))
    return ()


def _is_call(item: Mapping[str, JsonValue]) -> bool:
    keys = _folded(item)
    if isinstance(keys.get("function"), dict):
        return True
    name = _first(keys, "name", "tool", "toolname", "action")
    given = ("arguments", "parameters", "args", "input", "actioninput")
    return isinstance(name, str) and any(key in keys for key in given)


def _actions(listed: JsonValue) -> Iterator[Action]:
    for item in listed if isinstance(listed, list) else [listed]:
        if isinstance(item, dict):
            yield _action(item)
        elif item:
            raise ReplyError("an action is no object")


def _action(item: Mapping[str, JsonValue]) -> Action:
    keys = _folded(item)
    function = keys.get("function")
    if isinstance(function, dict):
        keys |= _folded(function)
    name = _first(keys, "name", "action", "tool", "toolname", "function")
    arguments = _first(keys, "arguments", "parameters", "args", "input", "actioninput")
    if arguments is None or isinstance(arguments, str):
        arguments = parsed_json(arguments) if arguments and arguments.strip() else {}
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise ReplyError("an action has no name, or its arguments are no object")
    purpose = _first(keys, "toolcallpurpose", "purpose")
    return Action(name=name.strip(), arguments=arguments, purpose=to_text(purpose or ""))


def read_observations(message: Mapping[str, JsonValue]) -> tuple[JsonValue, ...]:
    """What a tool brought back, one observation for each action.

    Raises:
        ReplyError: There is no list of observations.
    """
    for value in json_values(_said(message)):
        listed: JsonValue = value
        if isinstance(value, dict):
            listed = _first(_folded(value), "observationlist", "observations", "observation", "results")
            listed = [listed] if isinstance(listed, dict) else listed
        if isinstance(listed, list):
            return tuple(listed)
    raise ReplyError("no JSON object with an Observation_List")


def read_candidates(message: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """The candidate requests of a user: an object of tasks, or a list; what refuses to be one is left out.

    Raises:
        ReplyError: There is none, or the reply is cut off.
    """
    text = _said(message)
    if is_cut_off(text):
        raise ReplyError("its JSON is cut off")
    for value in json_values(text):
        found = tuple(dict.fromkeys(filter(None, map(_bare, _requests(value)))))
        if found and all(map(_REFUSAL.match, found)):
            raise ReplyError("it refuses instead of making a request")
        if found:
            return tuple(one for one in found if not _REFUSAL.match(one))
    raise ReplyError("no JSON object of requests")


_DESCRIPTIONS = ("taskdescription", "description", "task", "text", "content", "request", "query", "question")


def _requests(value: JsonValue, level: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and level < 4:
        for item in value:
            yield from _requests(item, level + 1)
    elif isinstance(value, dict) and level < 4 and not {"error", "refusal"} & value.keys():
        described = _first(_folded(value), *_DESCRIPTIONS)
        if isinstance(described, str):
            yield described
            return
        for item in value.values():
            yield from _requests(item, level + 1)


def read_opinion(message: Mapping[str, JsonValue]) -> Opinion:
    """What the Checker thinks: its verdict object, or a sentence that begins with yes or no.

    Raises:
        ReplyError: There is no verdict.
    """
    text = _said(message)
    found = _object_with(text, ("correct", "verdict", "iscorrect"))
    if found is not None:
        keys = _folded(found)
        verdict = existing(
            _yes_or_no(_first(keys, "correct", "verdict", "iscorrect")),
            ReplyError("the verdict is neither yes nor no"),
        )
        return Opinion(
            is_correct=verdict, analysis=to_text(_first(keys, "toolcallanalysis", "analysis") or "")
        )
    bare = _bare(text)
    if bare and (_YES.search(bare) or _NO.search(bare)):
        return Opinion(is_correct=_NO.search(bare) is None, analysis=bare)
    raise ReplyError("there is no verdict")


def read_choice(message: Mapping[str, JsonValue], *, count: int) -> tuple[int, str | None]:
    """Which candidate a model picks, from 0, and how it would word it.

    Raises:
        ReplyError: It picks none there is.
    """
    text = _said(message)
    found = _object_with(text, ("choice", "chosen", "task", "number"))
    keys = _folded(found or {})
    picked = _first(keys, "choice", "chosen", "number", "task")
    digits = re.search(r"\d+", to_text(picked) if found else text)
    if digits is None or not 1 <= int(digits[0][:6]) <= count:
        raise ReplyError(f"it picks none of the {count} candidates")
    edited = _first(keys, "text", "edited")
    return int(digits[0][:6]) - 1, edited.strip() if isinstance(edited, str) and edited.strip() else None


def _yes_or_no(value: JsonValue) -> bool | None:
    if isinstance(value, bool):
        return value
    text = to_text(value) if value is not None else ""
    return False if _NO.search(text) else True if _YES.search(text) else None


def _folded(value: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The keys of an object without what separates words, in small letters."""
    return {re.sub(r"[\W_]+", "", key).casefold(): item for key, item in value.items()}


def _first(keys: Mapping[str, JsonValue], *names: str) -> JsonValue:
    return next((keys[name] for name in names if keys.get(name) is not None), None)


def _object_with(text: str, names: tuple[str, ...]) -> JsonObject | None:
    if len(text) > LONGEST_REPLY:
        raise ReplyError("the reply is too long")
    return next((value for value in _objects(text) if any(name in _folded(value) for name in names)), None)


def _objects(text: str) -> Iterator[JsonObject]:
    return (value for value in json_values(text) if isinstance(value, dict))
