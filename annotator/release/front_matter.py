"""The lines above a card by which the Hub finds the tables; the value of `license` is the owner's."""

import json
import re
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from annotator.release.manifest import About, Content
from annotator.release.table_rows import RowTable
from scoring.errors import InputError
from scoring.model.record import JsonObject, members_in

SPLIT = "test"
UNKNOWN = "unknown"
_FENCE = "---\n"
_LICENCE = re.compile(r"(\A---\n(?:(?!---\n).*\n)*?license: )([a-z0-9][a-z0-9.-]{0,60})$", re.MULTILINE)
_FRONT = re.compile(r"\A---\n(?:(?!---\n).*\n)*---\n")
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_MOST_ROWS = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M"}


def front_matter(
    content: Content, about: About, *, tables: Sequence[RowTable], languages: Sequence[str]
) -> str:
    """The lines between `---` and `---`, both included: what the Hub reads, then how the release was made."""
    alpha = {str(row["field"]): members_in(row.get("alpha")).get("value") for row in about.agreement}
    size = next((words for most, words in _MOST_ROWS.items() if content.case_count < most), "n>1M")
    first: JsonObject = {
        "pretty_name": about.name,
        "language": [code for code in languages if re.fullmatch(r"[a-z]{2,3}", code)],
    }
    then: JsonObject = {
        "tags": ["tool-use", "function-calling", "agents", "benchmark"],
        "task_categories": ["text-generation"],
        "annotations_creators": ["expert-generated" if _has_experts(about.policy) else "other"],
        "size_categories": [size],
        "configs": [_config(table, is_first=table is tables[0]) for table in tables],
        "dataset_info": [_info(table) for table in tables],
        "annotator": {
            "version": about.version,
            "content_sha256": content.content_sha256,
            "cases": content.case_count,
            "tasks": content.task_count,
            "how_made": how_made(about.policy),
            "policy": about.policy,
            "agreement_alpha": alpha,
            "stage_accuracy": list(about.stage_accuracy),
            "bound": about.quality.bound.model_dump(mode="json") if about.quality else None,
        },
    }
    lines = (*_yaml(first), f"license: {UNKNOWN}", *_yaml(then))
    return _FENCE + "".join(f"{line}\n" for line in lines) + _FENCE


def how_made(policy: JsonObject) -> str:
    """How cases came to be verified under a review policy, in a sentence."""
    reviewed = f"then by {policy.get('reviewers')} reviewers, and experts settled what they contested"
    steps = (
        "Each case was checked by its owner",
        reviewed if policy.get("cross_check") and not policy.get("solo") else "",
        "experts looked at random samples of each batch" if _has_experts(policy) else "",
    )
    return "; ".join(filter(None, steps)) + "."


def _has_experts(policy: JsonObject) -> bool:
    """Whether experts looked at samples; who works alone has neither reviewers nor experts."""
    return bool(policy.get("expert_sample") and not policy.get("solo"))


def front_part(card: str) -> str:
    """The front matter of a card with its fences; empty where it has none."""
    found = _FRONT.match(card)
    return found[0] if found else ""


def licence_of(card: str) -> str | None:
    """The licence that a card names; None where its front matter has no place for one."""
    found = _LICENCE.match(card)
    return found[2] if found else None


def with_licence(card: str, licence: str) -> str:
    """The card with another licence, everything else as it was.

    Raises:
        InputError: The licence is no identifier, or the card has no place for one.
    """
    changed = _LICENCE.sub(lambda found: found[1] + licence, card, count=1)
    if licence_of(card) is None:
        raise InputError(
            "This card has no front matter with a licence.", "Freeze a release with this version."
        )
    if licence_of(changed) != licence:
        raise InputError(
            f"'{licence}' is no identifier of a licence.",
            "Small letters, digits, '.' and '-', as in cc-by-4.0.",
        )
    return changed


def _config(table: RowTable, *, is_first: bool) -> JsonObject:
    named: JsonObject = {"config_name": table.name}
    default: JsonObject = {"default": True} if is_first else {}
    return named | default | {"data_files": [{"split": SPLIT, "path": table.file}]}


def _info(table: RowTable) -> JsonObject:
    size = table.entry.bytes
    return {
        "config_name": table.name,
        "features": [{"name": name, "dtype": kind} for name, kind in table.columns.items()],
        "splits": [{"name": SPLIT, "num_bytes": size, "num_examples": table.rows}],
        "download_size": size,
        "dataset_size": size,
    }


def _yaml(value: JsonValue, indent: str = "") -> Iterator[str]:
    """Lines of YAML in block form: texts quoted as JSON quotes them, so that `no` stays a language."""
    match value:
        case dict():
            for key, inner in value.items():
                name = key if _KEY.fullmatch(key) else _scalar(key)
                yield from _entry(f"{indent}{name}:", inner, indent + "  ")
        case list():
            for inner in value:
                lines = list(_yaml(inner, indent + "  ")) if inner and isinstance(inner, dict | list) else []
                yield f"{indent}- {lines[0].strip() if lines else _scalar(inner)}"
                yield from lines[1:]


def _entry(head: str, value: JsonValue, indent: str) -> Iterator[str]:
    if value and isinstance(value, dict | list):
        yield head
        yield from _yaml(value, indent)
    else:
        yield f"{head} {_scalar(value)}"


def _scalar(value: JsonValue) -> str:
    """A single value; what YAML does not print is escaped, in pairs of code units nowhere."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(one if one.isprintable() else f"\\U{ord(one):08x}" for one in text)
