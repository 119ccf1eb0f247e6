"""What the details of a release say, taken from its manifest: plain words, no widgets."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from annotator.release.manifest import Manifest
from annotator.review.expert.decisions import defect_words
from scoring.measures.residual_error import percent
from scoring.model.taxonomy import Information, Policy, Stage
from ui.theme.words import INFORMATION, POLICY, STAGE, counted

_NAMES = {
    **{policy.value: POLICY[policy] for policy in Policy},
    **{information.value: INFORMATION[information] for information in Information},
}


@dataclass(frozen=True)
class Fact:
    """One line: a name, its value, and what to know besides (for the tooltip)."""

    name: str
    value: str
    tip: str = ""


@dataclass(frozen=True)
class FactGroup:
    """Lines under one heading."""

    heading: str
    facts: tuple[Fact, ...]


def facts_of(manifest: Manifest) -> tuple[FactGroup, ...]:
    """Everything a manifest says that people ask for, group by group; empty groups are left out."""
    groups = (
        FactGroup("Content", tuple(_plain_statistics(manifest))),
        FactGroup("How wrong may it be", tuple(_quality(manifest))),
        *_counted_statistics(manifest),
        FactGroup("Stage accuracy", tuple(_accuracy(manifest))),
        FactGroup("Agreement, alpha", tuple(_agreement(manifest))),
        FactGroup("Policy", tuple(_policy(manifest))),
        FactGroup("Files", tuple(_files(manifest))),
        FactGroup("Known defects, kept on purpose", tuple(_kept(manifest))),
        FactGroup("Not in every file", tuple(_missing(manifest))),
    )
    return tuple(group for group in groups if group.facts)


def size_words(count: int) -> str:
    """A size in bytes as people say it, e.g. `412 B`, `1.2 MB`."""
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _plain_statistics(manifest: Manifest) -> Iterator[Fact]:
    for name, value in manifest.about.statistics.items():
        if not isinstance(value, dict):
            yield Fact(name.capitalize(), f"{value:,}" if isinstance(value, int) else str(value))


def _counted_statistics(manifest: Manifest) -> Iterator[FactGroup]:
    for name, value in manifest.about.statistics.items():
        if isinstance(value, dict):
            facts = (Fact(_count_name(key), f"{count:,}") for key, count in value.items())
            yield FactGroup(name.capitalize(), tuple(facts))


def _count_name(key: str) -> str:
    """What is counted: a label, or a number of tasks."""
    return counted(int(key), "task") if key.isdecimal() else _NAMES.get(key, key)


def _quality(manifest: Manifest) -> Iterator[Fact]:
    quality = manifest.about.quality
    if quality is None:
        return
    bound = quality.bound
    tip = "\n".join((quality.headline, *quality.details))
    if bound.is_known:
        yield Fact("Wrong cases, at most", percent(bound.share), tip)
        yield Fact("Wrong tasks, at most", percent(bound.task_share), tip)
    else:
        yield Fact("Wrong cases", "nothing is known", tip)
    sampled = f"{bound.sampled:,} of {bound.drawn_from:,}, {bound.found:,} wrong" if bound.sampled else "none"
    yield Fact("Looked at in random samples", sampled, "Failed rounds included.")
    yield Fact("Settled by experts", f"{quality.settled:,}", "Escalated or sampled; not part of the bound.")


def _accuracy(manifest: Manifest) -> Iterator[Fact]:
    for point in manifest.about.stage_accuracy:
        accuracy, total = point.get("accuracy"), point.get("total")
        tip = f"{point.get('correct')} of {total} cases left it as they are now"
        shown = f"{accuracy:.1%}" if isinstance(accuracy, float | int) else "undefined"
        yield Fact(STAGE[Stage(str(point["stage"]))], shown, tip if accuracy is not None else _why(point))


def _agreement(manifest: Manifest) -> Iterator[Fact]:
    for row in manifest.about.agreement:
        alpha = row.get("alpha")
        if isinstance(alpha, dict):
            value = alpha.get("value")
            shown = f"{value:.2f}" if isinstance(value, float | int) else "undefined"
            tip = f"Krippendorff's alpha; {alpha.get('used')} of {alpha.get('total')} units used"
            yield Fact(str(row["field"]).capitalize(), shown, tip if value is not None else _why(alpha))


def _why(body: dict[str, JsonValue]) -> str:
    return str(body.get("undefined") or "")


def _policy(manifest: Manifest) -> Iterator[Fact]:
    for name, value in manifest.about.policy.items():
        shown = ("yes" if value else "no") if isinstance(value, bool) else str(value)
        yield Fact(name.replace("_", " ").capitalize(), shown)


def _files(manifest: Manifest) -> Iterator[Fact]:
    entries = {**manifest.content.files, "README.md": manifest.about.card}
    for name, entry in entries.items():
        yield Fact(name, size_words(entry.bytes), f"SHA-256 {entry.sha256}")


def _kept(manifest: Manifest) -> Iterator[Fact]:
    for item in manifest.about.kept:
        yield Fact(f"{item.case_id} · {defect_words(item.field)}", "kept", item.reason)


def _missing(manifest: Manifest) -> Iterator[Fact]:
    files: dict[str, int] = {}
    for item in manifest.content.not_expressed:
        files[item.file] = files.get(item.file, 0) + 1
    for name, count in files.items():
        reasons = sorted({item.reason for item in manifest.content.not_expressed if item.file == name})
        yield Fact(name, counted(count, "case"), "\n".join(reasons[:5]))
