"""The cards of models: guessed from a name, read from a file (contracts 8), or said field by field."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from annotator.fields import VARIABLE
from annotator.resources import resource_text
from scoring.errors import InputError
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import ModelKind
from scoring.model_card import CARD_FIELDS, ModelCard, read_card
from scoring.scorecard import Scorecard

_SIZE = re.compile(r"(?<![\d.a-z])(?:(\d+)x)?(\d+(?:\.\d+)?)b(?![a-z])")
_ACTIVE = re.compile(r"(?<![a-z\d])a(\d+(?:\.\d+)?)b(?![a-z])")
_DAY = re.compile(r"(20\d\d-[01]\d-[0-3]\d)(?!\d)")
_MANNER = re.compile(r"[-_.](?:instruct|chat|it|thinking|preview|latest|fp8|awq|gguf|20\d\d.*)$")


class ListedModel(Record):
    """A model of a file of models: its card, and where it answers; an empty address says that nowhere."""

    card: ModelCard
    base_url: str = ""
    api_key_variable: Annotated[str, VARIABLE] = ""


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
    card = read_card({"model": model, "guessed": tuple(found), **found})
    return card or read_card({"model": model})  # what looks like a size or a date may be none


def read_models(path: Path) -> tuple[ListedModel, ...]:
    """Read a file of models, in its order.

    Raises:
        InputError: It cannot be read, is no TOML, names no model or one twice, or a value does not fit.
    """
    advice = "Write a [[models]] table for each model; see the guide."
    try:
        listed = tomllib.loads(path.read_text(encoding="utf-8")).get("models")
    except OSError as exc:
        raise InputError(f"{path} cannot be read: {exc.strerror or exc}.", "Check the path.") from exc
    except ValueError as exc:
        raise InputError(f"{path} is not TOML: {exc}.", advice) from exc
    if not isinstance(listed, list) or not listed:
        raise InputError(f"{path} names no model.", advice)
    models: dict[str, ListedModel] = {}
    for number, values in enumerate(listed, start=1):
        where = f"{path}, model {number}"
        if not isinstance(values, dict):
            raise InputError(f"{where} is not a table.", advice)
        where += f" ({values.get('model', 'without a name')})"
        beside = {key: values.pop(key) for key in ("base_url", "api_key_variable") if key in values}
        try:
            one = ListedModel(card=checked_card(values, where=where), **beside)
        except ValidationError as exc:
            raise InputError(f"{where}: {_reason(exc)}", "Correct it, then repeat.") from exc
        if one.card.model in models:
            raise InputError(
                f"{path} has two cards for {one.card.model}.", "Keep one of them: a model has one card."
            )
        models[one.card.model] = one
    return tuple(models.values())


def checked_card(values: Mapping[str, Any], *, where: str) -> ModelCard:
    """A card from plain values.

    Raises:
        InputError: A field does not exist or a value does not fit; says which, after `where`.
    """
    try:
        return ModelCard.model_validate(values)
    except ValidationError as exc:
        fields = ", ".join(name for name in ModelCard.model_fields if name != "guessed")
        raise InputError(f"{where}: {_reason(exc)}", f"The fields of a card: {fields}.") from exc


def _reason(exc: ValidationError) -> str:
    first = exc.errors()[0]
    place = ".".join(map(str, first["loc"]))
    words = first["msg"].removeprefix("Value error, ")
    return f"{place}: {words}." if place else f"{words}."


def with_cards(cards: Iterable[Scorecard], models: Sequence[ListedModel]) -> list[Scorecard]:
    """Scorecards with the cards of a file of models; a run of a model that is not in it stays as it is."""
    known = {one.card.model: one.card for one in models}
    return [
        one.model_copy(update={"model_card": known[one.model].under(one.setting)})
        if one.model in known
        else one
        for one in cards
    ]


def said_values(assignments: Sequence[str]) -> JsonObject:
    """What `KEY=VALUE` texts say of a model; an empty value is not known.

    Raises:
        InputError: A field does not exist or has no value.
    """
    values: JsonObject = {}
    for text in assignments:
        key, separator, value = (part.strip() for part in text.partition("="))
        if key not in CARD_FIELDS or not separator:
            raise InputError(
                f"'{text}' is not a field of a model card with its value.",
                f"Write KEY=VALUE with one of: {', '.join(CARD_FIELDS)}.",
            )
        values[key] = value or ModelCard.model_fields[key].default
    return values
