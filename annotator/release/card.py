"""The dataset card of a release folder, and what stands beside it where data sets are shared."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import JsonValue

from annotator.files import replace_text
from annotator.release.croissant import croissant_text
from annotator.release.front_matter import (
    SPLIT,
    UNKNOWN,
    front_matter,
    front_part,
    how_made,
    licence_of,
    with_licence,
)
from annotator.release.manifest import (
    CARD,
    CROISSANT,
    About,
    Content,
    FileEntry,
    Predecessor,
    file_entry,
    read_manifest,
)
from annotator.release.table_rows import RowTable, write_tables
from scoring.errors import InputError, reworded
from scoring.model.record import Record
from scoring.wording import counted


def write_card(
    folder: Path, content: Content, about: About, *, languages: Sequence[str], parquet: bool
) -> About:
    """Write tables, their description and the card into a release folder.

    Args:
        folder: The folder with its files of cases.
        content: What the manifest says of them.
        about: What it says of the process.
        languages: Those of the cases.
        parquet: Whether the tables are Parquet.

    Returns:
        The same with the checksums of what was written.
    """
    tables = write_tables(folder, tuple(content.files), parquet=parquet)
    (folder / CROISSANT).write_text(croissant_text(content, about, tables=tables), encoding="utf-8")
    front = front_matter(content, about, tables=tables, languages=languages)
    (folder / CARD).write_text(front + card_text(content, about, tables=tables), encoding="utf-8")
    written = {table.file: table.entry for table in tables}
    return about.model_copy(
        update={
            "hub_files": written | {CROISSANT: file_entry(folder / CROISSANT)},
            "card": file_entry(folder / CARD),
            "front_matter_sha256": hashlib.sha256(front.encode()).hexdigest(),
        }
    )


class DatasetCard(Record):
    """The card of a release: its name, the licence its owner named (None: an older release) and the text."""

    name: str
    licence: str | None
    text: str


def read_card(directory: Path, *, licence: str | None = None) -> DatasetCard:
    """Read the card of a release folder, and first write a licence into it where one is given.

    Raises:
        InputError: It is no release folder, its card cannot be read, or the licence is none.
        StoreError: The card cannot be written.
    """
    manifest, path = read_manifest(directory), directory / CARD
    with reworded(
        OSError,
        UnicodeDecodeError,
        into=lambda _: InputError(f"{path} cannot be read.", "Restore it from a good copy."),
    ):
        text = path.read_text(encoding="utf-8")
    if licence is not None:
        text = with_licence(text, licence)
        replace_text(path, text)
    return DatasetCard(name=manifest.about.name, licence=licence_of(text), text=text)


def frozen_card(path: Path) -> bytes:
    """The bytes of a card as they were frozen: without the licence that its owner may have named since."""
    data = path.read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data
    return data if licence_of(text) is None else with_licence(text, UNKNOWN).encode("utf-8")


def card_problem(path: Path, about: About) -> str:
    """What is wrong with the card of a release, in a sentence; empty where nothing is."""
    data = frozen_card(path)
    if FileEntry(bytes=len(data), sha256=hashlib.sha256(data).hexdigest()) == about.card:
        return ""
    front = front_part(data.decode("utf-8", "replace")).encode()
    if about.front_matter_sha256 in (None, hashlib.sha256(front).hexdigest()):
        return f"{CARD} was changed: its checksum does not fit."
    return (
        f"{CARD} was changed in its front matter, the lines between --- at its top: only the licence is the "
        "owner's, set with `annotator release card DIR --license NAME`."
    )


def card_text(content: Content, about: About, *, tables: Sequence[RowTable]) -> str:
    """The dataset card below its front matter: what is in the folder, how it was verified, how to use it."""
    quality = about.quality
    lines = [
        f"# {about.name}",
        "",
        f"{counted(content.case_count, 'verified case')} of tool use with "
        f"{counted(content.task_count, 'task')}, "
        f"frozen on {about.at[:10]} by {about.by}. {how_made(about.policy)}",
        "",
        "| file | what |",
        "| --- | --- |",
        "| `cases.jsonl` | native cases: dialogue, tools, steps, dependency graphs, labels |",
        "| `wildtoolbench.jsonl` | the same in the WildToolBench case format; own ids under `case_id` |",
        "| `c3bench.jsonl` | the same in the C3-Bench case format |",
        "| `openai.jsonl` | the same as OpenAI chat messages |",
        "| `data` | the same as tables, one a configuration: rows of equal columns |",
        "| `croissant.json` | the tables described for catalogues of data sets |",
        "| `manifest.json` | checksums, policy, agreement and stage accuracy |",
        "| `manifest.sha256` | its checksum, to publish elsewhere, too |",
        "",
        "## What is in it",
        "",
        "| | count |",
        "| --- | ---: |",
        *(f"| {name} | {_shown(value)} |" for name, value in about.statistics.items()),
        "",
        "## How wrong may it be",
        "",
        *((quality.headline, *quality.details) if quality else ()),
        "",
        "The bound rests on random samples that experts looked at, failed rounds included; a case is wrong "
        "if an expert would correct a label, a dependency, an argument or an answer.",
        "",
        "## Use it",
        "",
        "    annotator release verify .",
        "    annotator score . predictions.jsonl -o scores",
        "    annotator release export . --format bfcl -o bfcl.jsonl",
        "",
        "As tables, with the folder or its name on the Hub:",
        "",
        "    from datasets import load_dataset",
        f'    load_dataset(".", "{tables[0].name}", split="{SPLIT}")',
        "",
        "Columns that hold JSON as text (`json.loads`):",
        "",
        *(f"- `{table.name}`: {', '.join(table.json_columns)}" for table in tables if table.json_columns),
        "",
        f"Content hash: `{content.content_sha256}`",
        "",
    ]
    if about.previous is not None:
        lines += [
            f"## Version {about.version}, after {about.previous.name}",
            "",
            *_changes(about.previous),
            "",
        ]
    if about.kept:
        from annotator.review.expert.decisions import defect_words  # whoever only scores needs no reviews

        lines += ["## Known defects, kept on purpose", ""]
        lines += [f"- `{item.case_id}`: {defect_words(item.field)}. {item.reason}" for item in about.kept]
        lines.append("")
    if content.not_expressed:
        lines += ["## Not in every file", ""]
        lines += [
            f"- `{item.case_id}` is not in `{item.file}`: {item.reason}" for item in content.not_expressed
        ]
        lines.append("")
    return "\n".join(lines)


def _changes(previous: Predecessor) -> Iterator[str]:
    sets = {"added": previous.added, "removed": previous.removed, "changed": previous.changed}
    for what, cases in sets.items():
        for case_id in cases:
            reason = previous.errata.get(case_id, "")
            yield f"- `{case_id}` {what}{reason and f': {reason}'}"
    if not any(sets.values()):
        yield "The cases are the same."


def _shown(value: JsonValue) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {count}" for key, count in value.items())
    return str(value)
