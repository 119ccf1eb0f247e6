"""The settings of a review policy as a form sees them: kind, bounds and words, taken from the model."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from pydantic.fields import FieldInfo

from annotator.project.policy import ReviewPolicy


class Kind(StrEnum):
    """How a setting is edited."""

    SWITCH = "switch"
    COUNT = "count"
    SHARE = "share"
    CHOICE = "choice"
    TEXT = "text"


@dataclass(frozen=True)
class Setting:
    """One setting; `choices` are values of a closed set, `low` and `high` bound a number."""

    key: str
    title: str
    kind: Kind
    tip: str = ""
    choices: tuple[str, ...] = ()
    low: float = 0
    high: float = 10_000


def settings_of(model: type[ReviewPolicy] = ReviewPolicy) -> tuple[Setting, ...]:
    """Every setting, in the order of the model."""
    return tuple(_setting(key, field) for key, field in model.model_fields.items())


def setting_text(policy: ReviewPolicy, key: str) -> str:
    """The value of a setting as `policy set KEY=VALUE` takes it."""
    value = policy.model_dump(mode="json")[key]
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ",".join(value)
    return json.dumps(value, ensure_ascii=False)


def changed_settings(policy: ReviewPolicy, texts: Mapping[str, str]) -> tuple[str, ...]:
    """`KEY=VALUE` of every setting that reads otherwise than in a policy."""
    return tuple(f"{key}={text}" for key, text in texts.items() if text != setting_text(policy, key))


def _setting(key: str, field: FieldInfo) -> Setting:
    title = key.replace("_", " ").capitalize()
    tip = field.description or ""
    low, high = _bounds(field)
    if field.annotation is bool:
        return Setting(key, title, Kind.SWITCH, tip)
    if field.annotation is int:
        return Setting(key, title, Kind.COUNT, tip, low=low, high=high)
    if field.annotation is float:
        return Setting(key, title, Kind.SHARE, tip)
    if isinstance(field.annotation, type) and issubclass(field.annotation, StrEnum):
        return Setting(key, title, Kind.CHOICE, tip, tuple(one.value for one in field.annotation))
    return Setting(key, title, Kind.TEXT, tip)


def _bounds(field: FieldInfo) -> tuple[float, float]:
    low, high = 0.0, 10_000.0
    for bound in field.metadata:
        low = float(getattr(bound, "ge", low))
        high = float(getattr(bound, "le", high))
    return low, high
