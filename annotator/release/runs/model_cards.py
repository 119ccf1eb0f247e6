"""The cards of models: guessed from a name, read from a file (contracts 8), or said field by field."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, JsonValue, ValidationError

from annotator.fields import VARIABLE
from annotator.files import read_bytes
from annotator.resources import resource_text
from scoring.errors import InputError, filled, reworded
from scoring.groups import keyed
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import ModelKind
from scoring.model_card import CARD_FIELDS, ModelCard
from scoring.scorecard import Scorecard

_SIZE = re.compile(r"(?<![\d.a-z])(?:(\d+)x)?(\d+(?:\.\d+)?)b(?![a-z])")
_ACTIVE = re.compile(r"(?<![a-z\d])a(\d+(?:\.\d+)?)b(?![a-z])")
_DAY = re.compile(r"(20\d\d-[01]\d-[0-3]\d)(?!\d)")
_MANNER = re.compile(r"[-_.](?:instruct|chat|it|thinking|preview|latest|fp8|awq|gguf|20\d\d.*)$")


class ListedModel(Record):
    """A model of a file of models: its card, and where it answers; an empty address says that nowhere.

    `body` holds further fields of its requests, such as those that turn thinking off; `stream` asks for its
    replies as streams.
    """

    card: ModelCard
    base_url: str = ""
    api_key_variable: Annotated[str, VARIABLE] = ""
    body: JsonObject = Field(default_factory=dict)
    stream: bool = False

    @property
    def name(self) -> str:
        """The model's name, with its thinking where that is known."""
        return f"{self.card.model} thinking {self.card.thinking}" if self.card.thinking else self.card.model


class _Family(Record):
    starts: tuple[str, ...]
    maker: str = ""
    kind: ModelKind | None = None


class _Families(Record):
    families: tuple[_Family, ...] = Field(min_length=1)


@cache
def _families() -> tuple[_Family, ...]:
    return _Families.model_validate(tomllib.loads(resource_text("model_families.toml"))).families


def guess_card(model: str) -> ModelCard | None:
    """What the name of a model gives away: sizes, family, a date, and the maker where it is a known one.

    All of it is marked as guessed; None for a name that no card can have.
    """
    name = model.rpartition("/")[2].lower().replace("_", "-")
    found: dict[str, Any] = {}
    size, active, day = _SIZE.search(name), _ACTIVE.search(name), _DAY.search(name)
    if size:
        found["size"] = float(size[2]) * int(size[1] or 1)
        found["family"] = name[: size.start()].strip("-. ")
    else:
        found["family"] = _MANNER.sub("", name)
    if active and size:
        found["active_size"] = float(active[1])
    if day:
        found["released"] = day[1]
    if "thinking" in name:
        found["thinking"] = "on"
    for family in _families():
        if name.startswith(family.starts):
            found |= {"maker": family.maker, "kind": family.kind}
            break
    found = {key: value for key, value in found.items() if value}
    # What looks like a size or a date may be none.
    known = {"model": model, "guessed": tuple(found), **found}
    return ModelCard.readable(known) or ModelCard.readable({"model": model})


def read_models(path: Path) -> tuple[ListedModel, ...]:
    """Read a file of models, in its order.

    Raises:
        InputError: It cannot be read, is no TOML, names no model or one twice, or a value does not fit.
    """
    advice = "Write a [[models]] table for each model; see contracts 8 in the manual."
    with reworded(ValueError, into=lambda exc: InputError(f"{path} is not TOML: {exc}.", advice)):
        listed = tomllib.loads(read_bytes(path).decode()).get("models")
    if not isinstance(listed, list) or not listed:
        raise InputError(f"{path} names no model.", advice)
    models: dict[str, ListedModel] = {}
    for number, values in enumerate(listed, start=1):
        where = f"{path}, model {number}"
        if not isinstance(values, dict):
            raise InputError(f"{where} is not a table.", advice)
        where += f" ({values.get('model', 'without a name')})"
        beside = {
            key: values.pop(key)
            for key in ("base_url", "api_key_variable", "body", "stream")
            if key in values
        }
        try:
            one = ListedModel(card=checked_card(values, where=where), **beside)
        except ValidationError as exc:
            raise InputError(f"{where}: {reason(exc)}", "Correct it, then repeat.") from exc
        if one.name in models:
            raise InputError(
                f"{path} has two cards for {one.name}.",
                "Keep one of them: a model has one card, or one for each `thinking`.",
            )
        models[one.name] = one
    return tuple(models.values())


def card_for(model: str, known: ModelCard | None, models: Sequence[ListedModel]) -> ModelCard | None:
    """The card of a file for a run; None where it has none.

    Args:
        model: The model's name at the endpoint.
        known: What the run says of its model: with two cards for one model its thinking decides.
        models: Of the file.

    Raises:
        InputError: The file has two cards for the model, and the run says nothing of its thinking.
    """
    cards = [one.card for one in models if one.card.model == model]
    if len(cards) > 1:
        cards = filled(
            [card for card in cards if known and card.thinking == known.thinking],
            InputError(
                f"There are cards of {model} with different `thinking`, and a run does not say which.",
                "Say it with `annotator model set`, or ask with `annotator run --models`.",
            ),
        )
    return cards[0] if cards else None


def checked_card(values: Mapping[str, Any], *, where: str) -> ModelCard:
    """A card from plain values.

    Raises:
        InputError: A field does not exist or a value does not fit; says which, after `where`.
    """
    try:
        return ModelCard.model_validate(values)
    except ValidationError as exc:
        fields = ", ".join(name for name in ModelCard.model_fields if name != "guessed")
        raise InputError(f"{where}: {reason(exc)}", f"The fields of a card: {fields}.") from exc


def reason(exc: ValidationError) -> str:
    """The first thing that does not fit, in a sentence."""
    first = exc.errors()[0]
    place = ".".join(map(str, first["loc"]))
    words = first["msg"].removeprefix("Value error, ")
    return f"{place}: {words}." if place else f"{words}."


def with_cards(cards: Iterable[Scorecard], models: Sequence[ListedModel]) -> list[Scorecard]:
    """Scorecards with the cards of a file of models; a run of a model that is not in it stays as it is."""
    found = [(one, card_for(one.model, one.model_card, models)) for one in cards]
    return [
        one.model_copy(update={"model_card": card.under(one.setting)}) if card else one for one, card in found
    ]


@keyed
def said_values(assignments: Sequence[str]) -> Iterator[tuple[str, JsonValue]]:
    """What `KEY=VALUE` texts say of a model; an empty value is not known.

    Raises:
        InputError: A field does not exist or has no value.
    """
    for text in assignments:
        key, separator, value = (part.strip() for part in text.partition("="))
        if key not in CARD_FIELDS or not separator:
            raise InputError(
                f"'{text}' is not a field of a model card with its value.",
                f"Write KEY=VALUE with one of: {', '.join(CARD_FIELDS)}.",
            )
        yield key, value or ModelCard.model_fields[key].default
