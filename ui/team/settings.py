"""The settings of a review policy as a form sees them: kind, bounds and words, taken from the model."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import get_args, get_origin

from pydantic.fields import FieldInfo

from annotator.project.policy import ReviewPolicy

_MORE_WORDS = {
    "case_threshold": "Share of differing fields above which a case is escalated.",
    "batch_threshold": "Share of escalated cases above which a batch is flagged.",
    "escalate_flagged_batch": "A flagged batch goes to the expert as a whole.",
    "sampling": "Once: one sample for the expert. Rounds: with changing reviewers, until one is clean.",
    "sample_share": "Share of the approved cases of a batch that is sampled.",
    "sample_minimum": "Minimum number of cases in a sample.",
    "round_share": "With sampling by rounds: share of the batch in each round.",
    "seed": "Text that samples are drawn from; the same text draws the same cases.",
    "lease_minutes": "Minutes until an inactive claim expires.",
}
"""What the model's own descriptions leave open."""
_GROUPS = {
    "solo": "Stages",
    "reviewers": "Cross-check",
    "case_threshold": "Thresholds",
    "sampling": "Sampling",
    "lease_minutes": "Work",
    "attention_share": "Attention",
    "teval_fields": "T-Eval",
}
"""The heading above a setting; it holds for those after it."""
_TITLES = {
    "solo": "Solo",
    "expert_sample": "Expert sample",
    "reviewers": "Reviewers per case",
    "blind_fields": "Hidden from reviewers",
    "open_labels": "Labels open to annotators",
    "lease_minutes": "Lease, minutes",
    "training_threshold": "Training before work",
    "attention_share": "Known-answer cases",
    "teval_fields": "Plan, thoughts and review labels",
}


_EXAMPLES = {
    "pairs": "ann-1, ann-2; ann-3, ann-4",
    "skills": "ann-1: en, zh; ann-2: en",
}


class Kind(StrEnum):
    """How a setting is edited."""

    SWITCH = "switch"
    COUNT = "count"
    SHARE = "share"
    CHOICE = "choice"
    SET = "set"
    GROUPS = "groups"
    LISTS = "lists"
    TEXT = "text"


@dataclass(frozen=True)
class Setting:
    """One setting; groups of names and lists by name are written with commas and semicolons.

    `choices` are values of a closed set, `low` and `high` bound a number.
    `group` is the heading that stands above it, `example` what a text looks like; both may be empty.
    """

    key: str
    title: str
    kind: Kind
    tip: str = ""
    choices: tuple[str, ...] = ()
    low: float = 0
    high: float = 10_000
    group: str = ""
    example: str = ""


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


def shown_text(policy: ReviewPolicy, setting: Setting) -> str:
    """The value of a setting as people read and type it, e.g. `ann-1, ann-2; ann-3, ann-4`."""
    if setting.kind is Kind.GROUPS:
        return "; ".join(", ".join(group) for group in getattr(policy, setting.key))
    if setting.kind is Kind.LISTS:
        lists = getattr(policy, setting.key)
        return "; ".join(f"{name}: {', '.join(values)}" for name, values in lists.items())
    return setting_text(policy, setting.key)


def typed_text(text: str, setting: Setting) -> str:
    """What was typed, as `setting_text` writes it; JSON passes as it is."""
    if setting.kind not in (Kind.GROUPS, Kind.LISTS) or text.startswith(("[", "{")):
        return text
    parts = [part for part in map(str.strip, text.split(";")) if part]
    if setting.kind is Kind.GROUPS:
        return json.dumps([_names(part) for part in parts], ensure_ascii=False) if parts else ""
    named = (part.partition(":") for part in parts)
    return json.dumps({name.strip(): _names(values) for name, _, values in named}, ensure_ascii=False)


def _names(text: str) -> list[str]:
    return [name for name in map(str.strip, text.split(",")) if name]


def changed_settings(policy: ReviewPolicy, texts: Mapping[str, str]) -> tuple[str, ...]:
    """`KEY=VALUE` of every setting that reads otherwise than in a policy."""
    return tuple(f"{key}={text}" for key, text in texts.items() if text != setting_text(policy, key))


def _setting(key: str, field: FieldInfo) -> Setting:
    kind = _kind(field)
    low, high = _bounds(field)
    closed = _closed_set(field)
    choices = tuple(one.value for one in closed) if closed else ()
    return Setting(
        key,
        _TITLES.get(key) or key.replace("_", " ").capitalize(),
        kind,
        field.description or _MORE_WORDS.get(key, ""),
        choices,
        low,
        high,
        _GROUPS.get(key, ""),
        _EXAMPLES.get(key, ""),
    )


def _kind(field: FieldInfo) -> Kind:
    if field.annotation is bool:
        return Kind.SWITCH
    if field.annotation is int:
        return Kind.COUNT
    if field.annotation is float:
        return Kind.SHARE
    if get_origin(field.annotation) is dict:
        return Kind.LISTS
    if get_origin(field.annotation) is tuple and get_origin(get_args(field.annotation)[0]) is tuple:
        return Kind.GROUPS
    if _closed_set(field) is not None:
        return Kind.CHOICE if isinstance(field.annotation, type) else Kind.SET
    return Kind.TEXT


def _closed_set(field: FieldInfo) -> type[StrEnum] | None:
    """The closed set a setting takes one value of, or several; null for neither."""
    members = (field.annotation, *get_args(field.annotation))
    return next((one for one in members if isinstance(one, type) and issubclass(one, StrEnum)), None)


def _bounds(field: FieldInfo) -> tuple[float, float]:
    low, high = 0.0, 10_000.0
    for bound in field.metadata:
        low = float(getattr(bound, "ge", low))
        high = float(getattr(bound, "le", high))
    return low, high
