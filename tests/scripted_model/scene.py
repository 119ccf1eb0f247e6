"""What one request shows of a dialogue: the role to play, the tools, and who said what so far."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from pydantic import JsonValue

from scoring.groups import grouped
from scoring.model.case import Tool
from scoring.model.record import JsonObject
from tests.scripted_model.wordings import Wording, wording_for

ASK = "ask_user_for_required_parameters"
ANSWER = "prepare_to_answer"
ROLE_HEADER = "x-annotator-role"
_SPEAKERS = {
    "user": ("User", "用户"),
    "planner": ("Planner", "规划者", "规划器", "计划者"),
    "tool": ("Tool", "工具"),
    "agent": (
        "AI Agent Assistant",
        "AI Agent",
        "Agent",
        "AI",
        "Assistant",
        "AI智能体助手",
        "AI助手",
        "智能体",
        "助手",
        "Agent助手",
    ),
    "checker": ("Checker Planner", "Checker Tool", "Checker", "检查者", "检查员"),
}
_SPEAKER_OF = {label.casefold(): speaker for speaker, labels in _SPEAKERS.items() for label in labels}
_LABELS = "|".join(re.escape(label) for labels in _SPEAKERS.values() for label in labels)
_LABEL = re.compile(rf"^[ \t]*({_LABELS})[ \t]*[:：][ \t]*", re.MULTILINE)
_REJECTION = re.compile(r"\breject|拒绝|驳回", re.IGNORECASE)
_DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class Turn:
    """One labelled text of the dialogue."""

    speaker: str
    text: str

    @cached_property
    def value(self) -> JsonObject:
        """The JSON object in the text; empty where there is none."""
        start, end = self.text.find("{"), self.text.rfind("}")
        try:
            value = json.loads(self.text[start : end + 1]) if start >= 0 else {}
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def actions(self) -> list[JsonObject]:
        """What a planner decided on."""
        listed = self.value.get("Action_List")
        return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []

    @property
    def observations(self) -> list[JsonValue]:
        """What tools brought back."""
        listed = self.value.get("Observation_List")
        return listed if isinstance(listed, list) else []


@dataclass(frozen=True)
class Scene:
    """One request, read.

    Attributes:
        role: Who is to speak.
        instruction: The last text of the request.
        rules: Everything that is no dialogue.
        tools: The tools, without the two pseudo-actions.
        turns: Who said what so far.
        wording: The language.
    """

    role: str
    instruction: str
    rules: str
    tools: tuple[Tool, ...]
    turns: tuple[Turn, ...]
    wording: Wording

    @cached_property
    def task_start(self) -> int:
        """Where the request of the current task stands among the turns."""
        starts = [
            i for i, turn in enumerate(self.turns) if turn.speaker == "user" and not _is_reply(self.turns[:i])
        ]
        return starts[-1] if starts else 0

    @property
    def task_count(self) -> int:
        """How many tasks were begun."""
        return sum(
            turn.speaker == "user" and not _is_reply(self.turns[:i]) for i, turn in enumerate(self.turns)
        )

    @property
    def words(self) -> str:
        """The instructions without the schemas in them."""
        return _without_json(self.rules)

    @property
    def task(self) -> tuple[Turn, ...]:
        """The turns of the current task."""
        return self.turns[self.task_start :]

    @property
    def before(self) -> tuple[Turn, ...]:
        """The turns before the current task."""
        return self.turns[: self.task_start]

    @property
    def decision(self) -> list[JsonObject]:
        """What the planner decided on last."""
        return next((turn.actions for turn in reversed(self.turns) if turn.speaker == "planner"), [])

    @property
    def asked(self) -> tuple[tuple[Tool, str], ...]:
        """The parameters the last decision asks for, each with its tool."""
        arguments = self.decision[0].get("arguments") if self.decision else None
        listed = arguments.get("tool_list", [arguments]) if isinstance(arguments, dict) else []
        found: dict[str, tuple[Tool, str]] = {}
        for item in listed if isinstance(listed, list) else []:
            if not isinstance(item, dict):
                continue
            listed_names = item.get("missing_required_parameters")
            names = listed_names if isinstance(listed_names, list) else []
            for tool in self.tools:
                if tool.name == item.get("tool_name"):
                    found |= {name: (tool, name) for name in names if isinstance(name, str)}
        return tuple(found.values())


def _is_reply(before: Sequence[Turn]) -> bool:
    """Whether a user who speaks now replies to a question."""
    last = next((turn for turn in reversed(before) if turn.speaker in ("agent", "planner")), None)
    if last is None or last.speaker != "agent":
        return False
    decided = next((turn.actions for turn in reversed(before) if turn.speaker == "planner"), [])
    return bool(decided) and decided[0].get("name") == ASK


def used_values(turns: Sequence[Turn]) -> dict[str, list[JsonValue]]:
    """The values each parameter had in calls that were made, in order."""
    used: dict[str, list[JsonValue]] = {}
    for i, turn in enumerate(turns):
        later = (other.speaker for other in turns[i + 1 :] if other.speaker in ("planner", "tool", "agent"))
        for action in turn.actions if next(later, "") == "tool" else []:
            arguments = action.get("arguments")
            for name, value in arguments.items() if isinstance(arguments, dict) else ():
                used.setdefault(name, []).append(value)
    return used


def found_values(turns: Sequence[Turn]) -> dict[str, list[JsonValue]]:
    """The values tools brought back, by name, in order."""
    return grouped(
        pair
        for turn in turns
        if turn.speaker == "tool"
        for observation in turn.observations
        if isinstance(observation, dict) and isinstance(response := observation.get("response"), dict)
        for pair in response.items()
    )


def read_scene(body: Mapping[str, JsonValue], headers: Mapping[str, str]) -> Scene:
    """Read a request.

    Args:
        body: The request; its messages may have any roles, texts of a dialogue begin with a speaker's label.
        headers: With the role in `X-Annotator-Role`.
    """
    listed = body.get("messages")
    texts = [_text_of(message) for message in listed] if isinstance(listed, list) else []
    offered = body.get("tools")
    tools = list(_tools_among(offered)) if isinstance(offered, list) else []
    rules: list[str] = []
    turns: list[Turn] = []
    was_labelled = False
    for text in texts:
        found = tools_in(text)
        tools += [tool for tool in found if tool.name not in {known.name for known in tools}]
        own = [] if found else turns_in(text)
        if not own and was_labelled and _REJECTION.search(text):
            turns.pop()  # what was rejected is not part of the dialogue
        turns += own
        was_labelled = bool(own)
        if not own:
            rules.append(text)
    if not turns:
        turns = [turn for text in texts for turn in turns_in(_after_tools(text))]
    joined = "\n".join(rules)
    return Scene(
        role=headers.get(ROLE_HEADER, ""),
        instruction=texts[-1] if texts else "",
        rules=joined,
        tools=tuple(tool for tool in tools if tool.name not in (ASK, ANSWER)),
        turns=tuple(turns),
        wording=wording_for("\n".join(_without_json(text) for text in rules)),
    )


def turns_in(text: str) -> list[Turn]:
    """The labelled texts of a message; none where it does not begin with a label."""
    marks = list(_LABEL.finditer(text))
    if not marks or text[: marks[0].start()].strip():
        return []
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [
        Turn(_SPEAKER_OF[mark[1].casefold()], text[mark.end() : end].strip())
        for mark, end in zip(marks, ends, strict=True)
    ]


@lru_cache(256)
def tools_in(text: str) -> tuple[Tool, ...]:
    """Every tool definition that stands in a text as JSON."""
    found: dict[str, Tool] = {}
    at = 0
    while (match := re.compile(r"[\[{]").search(text, at)) is not None:
        try:
            value, at = _DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            at = match.end()
            continue
        for tool in _tools_among(value if isinstance(value, list) else [value]):
            found.setdefault(tool.name, tool)
    return tuple(found.values())


def _tools_among(values: Sequence[JsonValue]) -> Iterator[Tool]:
    for value in values:
        if not isinstance(value, dict):
            continue
        inner = value.get("function", value)
        if isinstance(inner, dict) and isinstance(inner.get("name"), str) and "parameters" in inner:
            yield Tool(definition=value)


def _text_of(message: JsonValue) -> str:
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _after_tools(text: str) -> str:
    mark = _LABEL.search(text, text.rfind('"parameters"') + 1)
    return text[mark.start() :] if mark else ""


def _without_json(text: str) -> str:
    return re.sub(r"[\[{]\s*[\[{\"].*[\]}]", "", text, flags=re.DOTALL)
