"""The cards of models: guessed from a name, read from a file (contracts 8), set in recorded runs."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from annotator.fields import VARIABLE
from annotator.project.changes import Changes
from annotator.project.workspace import Done, Work, Workspace, operation
from annotator.release.runs.recorded_runs import list_runs, run_scorecard, run_summary
from annotator.resources import resource_text
from db.read import reviews
from db.write import store
from scoring.errors import InputError, NotFoundError
from scoring.model.record import JsonObject, Record
from scoring.model_card import CARD_FIELDS, ModelCard, ModelKind, read_card
from scoring.scorecard import Scorecard, dump_scorecard, load_scorecard

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


def set_values(
    workspace: Workspace, model: str, assignments: Sequence[str], *, confirms: bool = False
) -> Done[int]:
    """Say `KEY=VALUE` of a model in all recorded runs of it; an empty value is not known.

    Args:
        workspace: In whose name.
        model: The model's name at the endpoint.
        assignments: The fields and their values.
        confirms: Whether all that is guessed holds.

    Returns:
        How many runs have another card now.

    Raises:
        InputError: A field does not exist or a value does not fit.
        NotFoundError: There is no run of the model.
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
    found: dict[int, ModelCard] = {}
    for run_id, card in _scorecards(workspace):
        if card.model == model and card.known_card:
            before = card.known_card.model_dump()
            guessed = () if confirms else tuple(one for one in before["guessed"] if one not in values)
            found[run_id] = checked_card(before | {"guessed": guessed} | values, where=model)
    if not found:
        raise NotFoundError(f"There is no run of {model}.", "See `annotator model list`.")
    return set_model_cards(workspace, found)


def import_models(workspace: Workspace, models: Sequence[ListedModel]) -> Done[int]:
    """Give the recorded runs of some models the cards of a file; returns how many have another card now."""
    known = {one.card.model: one.card for one in models}
    found = {
        run_id: known[card.model].under(card.setting)
        for run_id, card in _scorecards(workspace)
        if card.model in known
    }
    return set_model_cards(workspace, found)


def _scorecards(workspace: Workspace) -> Iterator[tuple[int, Scorecard]]:
    for row in list_runs(workspace):
        yield row.id, run_scorecard(workspace, row.id)


@operation("run:card:set")
def set_model_cards(w: Work, cards: Mapping[int, ModelCard]) -> int:
    """Give recorded runs the cards of their models, by number of the run; their scores stay as they are.

    Returns:
        How many runs have another card now.

    Raises:
        NotFoundError: There is no such run.
    """
    changed = 0
    for run_id, model_card in cards.items():
        text = reviews.run_scorecard(w.tx, run_id)
        if text is None:
            raise NotFoundError(f"There is no run {run_id}.", "See the list of runs.")
        card = load_scorecard(json.loads(text))
        if card.model_card == model_card:
            continue
        card = card.model_copy(update={"model_card": model_card})
        store.change_run(w.tx, run_id, summary=run_summary(card), scorecard=json.dumps(dump_scorecard(card)))
        said: JsonObject = model_card.dump()
        w.record(f"run:{card.name}", {"run": run_id, "model_card": said})
        changed += 1
    if changed:
        w.change(Changes(has_runs=True))
    return changed
