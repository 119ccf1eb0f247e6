"""The card of a model: what is known of it beside its scores, in words, and what runs are grouped by."""

import re
from collections.abc import Sequence
from datetime import date
from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, Field, ValidationError, field_validator, model_validator

from scoring.model.record import JsonObject, Record, members_in
from scoring.model.taxonomy import Grouping, ModelKind, Thinking, ToolMode


def _day(value: object) -> object:
    """Take a date, or its text; a bare number would be read as seconds since 1970."""
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, int | float) or (
        isinstance(text, str) and text and not re.fullmatch(r"\d{4}-\d\d-\d\d", text)
    ):
        raise ValueError("a date is written like 2026-05-01")
    return text or None


_WORDS = {
    "maker": "{value}",
    "family": "family {value}",
    "size": "{value:g} B",
    "active_size": "{value:g} B active",
    "kind": "{value}",
    "thinking": "thinking {value}",
    "released": "released {value}",
    "interface": "{value} interface",
    "temperature": "temperature {value:g}",
    "max_tokens": "at most {value} tokens",
    "seed": "seed {value}",
    "prompt_price": "${value:g} per million tokens read",
    "completion_price": "${value:g} per million tokens written",
}
_SIZES = ((4, "up to 4 B"), (10, "4 to 10 B"), (40, "10 to 40 B"), (float("inf"), "above 40 B"))
_UNKNOWN = 99


class ModelCard(Record):
    """What is known of a model; what is None or empty is not known.

    `model` is its name at the endpoint. Sizes are billions of parameters, `active_size` those used for one
    token; prices are dollars per million tokens. `guessed` names the fields that were taken from the model's
    name and that nobody has confirmed.
    """

    model: str = Field(min_length=1, max_length=200)
    maker: str = Field(default="", max_length=100)
    family: str = Field(default="", max_length=100, examples=["e.g. qm-2.5"])
    size: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, title="Size, billions", examples=["e.g. 72"]
    )
    active_size: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, title="Active, billions", examples=["for one token"]
    )
    kind: ModelKind | None = None
    thinking: Thinking | None = None
    released: Annotated[date | None, BeforeValidator(_day)] = Field(default=None, examples=["2026-05-01"])
    interface: ToolMode | None = Field(default=None, title="Tools are passed")
    temperature: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    max_tokens: int | None = Field(default=None, gt=0, title="Longest reply, tokens")
    seed: int | None = None
    prompt_price: float | None = Field(
        default=None, ge=0, allow_inf_nan=False, title="Dollars per million tokens read"
    )
    completion_price: float | None = Field(
        default=None, ge=0, allow_inf_nan=False, title="Dollars per million tokens written"
    )
    guessed: tuple[str, ...] = ()

    @field_validator("model", "maker", "family")
    @classmethod
    def _one_line(cls, text: str) -> str:
        if not text.isprintable():
            raise ValueError("it holds a line break or a control character")
        return text.strip()

    @field_validator("size", "active_size", mode="before")
    @classmethod
    def _billions(cls, value: object) -> object:
        """Take `72B` as 72, and `unknown` as nothing known."""
        if not isinstance(value, str):
            return value
        text = value.strip().lower().removesuffix("b").strip()
        return None if text in ("", "unknown") else text

    @field_validator("guessed")
    @classmethod
    def _fields_there_are(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if unknown := set(names) - set(_WORDS):
            raise ValueError(f"{min(unknown)} is not a field of a model card")
        return names

    @model_validator(mode="after")
    def _active_part(self) -> "ModelCard":
        if self.size is not None and self.active_size is not None and self.active_size > self.size:
            raise ValueError(f"{self.active_size:g} B cannot be active of {self.size:g} B")
        return self

    def words(self, name: str) -> str:
        """One field in words, e.g. `72 B (guessed)`; empty where it is not known."""
        value = getattr(self, name)
        if value is None or value == "":
            return ""
        words = _WORDS[name].format(value=value)
        return f"{words} (guessed)" if name in self.guessed else words

    @property
    def note(self) -> str:
        """All that is known, in one line."""
        return " · ".join(filter(None, map(self.words, _WORDS)))

    def dollars(self, prompt_tokens: float | None, completion_tokens: float | None) -> float | None:
        """What so many tokens cost; None where prices or tokens are not known."""
        known = (prompt_tokens, completion_tokens, self.prompt_price, self.completion_price)
        if any(one is None for one in known):
            return None
        read, written, to_read, to_write = (one or 0.0 for one in known)
        return (read * to_read + written * to_write) / 1_000_000

    def with_values(self, values: JsonObject) -> "ModelCard":
        """The card with some fields said anew, which are not guessed any more.

        Raises:
            pydantic.ValidationError: A field does not exist or a value does not fit.
        """
        guessed = tuple(name for name in self.guessed if name not in values)
        return ModelCard.model_validate(self.model_dump() | {"guessed": guessed} | values)

    def under(self, setting: JsonObject) -> "ModelCard":
        """The card with what a run says that it was asked under."""
        said = {"interface": setting.get("tools")} | members_in(setting.get("sampling"))
        asked = ("interface", "temperature", "max_tokens", "seed")
        known = {name: said[name] for name in asked if said.get(name) is not None}
        try:
            return self.with_values(known)
        except ValidationError:  # a setting of somebody else, with words of its own
            return self

    def dump(self) -> JsonObject:
        """Write what is known."""
        return self.model_dump(mode="json", exclude_defaults=True)


CARD_FIELDS = tuple(_WORDS)
"""The fields of a card that say something of the model, in printed order."""


def group_of(card: ModelCard | None, by: Sequence[Grouping]) -> tuple[tuple[int, str], ...]:
    """Where a run stands: for each thing it is grouped by the order of its group and what that is called.

    Groups whose card does not say come last.
    """
    return tuple(_place(card, one) for one in by)


def group_words(card: ModelCard | None, by: Sequence[Grouping]) -> str:
    """What the group of a run is called; empty where runs are not grouped."""
    return ", ".join(words for _, words in group_of(card, by))


def _place(card: ModelCard | None, by: Grouping) -> tuple[int, str]:
    value = getattr(card, by) if card is not None else None
    if value is None or value == "":
        return _UNKNOWN, f"{by} unknown"
    if by is Grouping.SIZE:
        return next((order, words) for order, (most, words) in enumerate(_SIZES) if value <= most)
    order = list(type(value)).index(value) if isinstance(value, StrEnum) else 0
    return order, f"thinking {value}" if by is Grouping.THINKING else str(value)
