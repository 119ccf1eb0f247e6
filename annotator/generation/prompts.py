"""The words of the roles in one language, their version, and the two pseudo-actions as tools."""

import hashlib
import json
import re
from collections.abc import Sequence
from functools import lru_cache

from annotator.resources import resource_text
from scoring.model.case import Tool
from scoring.model.graph import ANSWER_NAME, ASK_NAME
from scoring.model.record import JsonObject

_SECTION = re.compile(r"^## (\w+)\n", re.MULTILINE)


class Prompts:
    """The prompts of one language.

    Attributes:
        language: `en` or `zh`.
        version: The number in the file and a few digits of its hash, so that every edit shows.
    """

    def __init__(self, language: str) -> None:
        text = resource_text("prompts", f"generation_{language}.md")
        head, *parts = _SECTION.split(text)
        self.language = language
        self._texts = {name: body.strip() for name, body in zip(parts[::2], parts[1::2], strict=True)}
        number = head.partition(":")[2].strip()
        self.version = f"{language}-{number}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"

    def text(self, name: str, /, **values: object) -> str:
        """One section with its places filled in; braces of JSON examples stay."""
        text = self._texts[name]
        known = {"label_user": self.label("user"), "label_agent": self.label("agent"), **values}
        known.setdefault("label_now", self._texts["label_now"])
        return re.sub(r"\{(\w+)\}", lambda found: str(known.get(found[1], found[0])), text)

    def label(self, speaker: str) -> str:
        """How texts of a speaker begin."""
        return self._texts[f"label_{speaker}"]

    def tools(self, tools: Sequence[Tool], *, is_planner: bool = False) -> str:
        """The tools as a prompt shows them, with a sentence on the parameters of each."""
        shown = [*definitions(tools), *(self.pseudo_actions() if is_planner else ())]
        return self.text(
            "tools",
            tools=json.dumps(shown, ensure_ascii=False),
            parameters="\n".join(map(self._parameters, tools)),
        )

    def _parameters(self, tool: Tool) -> str:
        needed = tool.required
        optional = [name for name in tool.properties if name not in needed]
        none = self._texts["none"]
        return self.text(
            "parameters_of_tool",
            name=tool.name,
            required=", ".join(needed) or none,
            optional=", ".join(optional) or none,
        )

    def pseudo_actions(self) -> list[JsonObject]:
        """The two pseudo-actions as tool definitions (formats 2.1), described in this language."""
        text: JsonObject = {"type": "string"}
        return [
            _definition(
                ASK_NAME,
                self._texts["ask_description"],
                {
                    "tool_name": {**text, "description": self._texts["ask_tool_description"]},
                    "missing_required_parameters": {
                        "type": "array",
                        "items": text,
                        "description": self._texts["ask_missing_description"],
                    },
                },
            ),
            _definition(
                ANSWER_NAME,
                self._texts["answer_description"],
                {
                    "answer_type": {
                        **text,
                        "enum": ["tool", "chat"],
                        "description": self._texts["answer_type_description"],
                    }
                },
            ),
        ]


def _definition(name: str, description: str, properties: JsonObject) -> JsonObject:
    parameters: JsonObject = {"type": "object", "properties": properties, "required": [*properties]}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def definitions(tools: Sequence[Tool]) -> list[JsonObject]:
    """Tools in the shape of chat requests, whatever shape their file had; schemas stay as they are."""
    return [
        tool.definition
        if "function" in tool.definition
        else {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.original_parameters or {"type": "object", "properties": {}},
            },
        }
        for tool in tools
    ]


@lru_cache(maxsize=4)
def prompts_in(language: str) -> Prompts:
    """The prompts of a language, read once."""
    return Prompts(language)
