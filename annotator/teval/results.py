"""A model's result in T-Eval: items, replies and scores together, in memory and as a folder."""

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pydantic import Field

from annotator.jobs import JobContext
from annotator.project.workspace import Workspace
from annotator.teval.items_folder import ITEMS_CSV, open_similarity, write_items, write_scores
from scoring.errors import InputError, filled
from scoring.groups import grouped
from scoring.model.record import Record
from scoring.teval.evaluators import TEvalProfile
from scoring.teval.items import ItemReply, ItemSet, read_items, read_replies
from scoring.teval.scores import (
    ItemResult,
    TevalScores,
    read_scores,
    score_items,
    summarise,
)
from scoring.teval.similarity import Similarity
from scoring.teval.subsets import Subset


@dataclass(frozen=True)
class TevalResult:
    """What a model replied to a set of items, and what that is worth under each profile.

    `found` holds the items with the replies to them; `results` are in the order of `scores`. `strangers`
    counts replies to items the set does not have; they are ignored.
    """

    name: str
    found: ItemSet
    scores: tuple[TevalScores, ...]
    results: tuple[tuple[ItemResult, ...], ...]
    strangers: int = 0

    def reply(self, subset: Subset, item: str) -> ItemReply | None:
        """What the model replied to an item; None for nothing."""
        return self.found.replies.get((subset, item))


def score_replies(
    folder: Path,
    predictions: Path,
    *,
    profiles: Sequence[TEvalProfile],
    similarity: Similarity,
    context: JobContext,
    name: str = "",
) -> TevalResult:
    """Score what a model replied to the items of a folder.

    Args:
        folder: The files of items.
        predictions: The file of a run, or a result folder.
        profiles: The rules, each for a score of its own.
        similarity: Compares texts.
        context: Progress in items, and cancellation.
        name: What the model is called; the name of its file or folder unless given.

    Raises:
        InputError: The replies are to other items, or something cannot be read.
    """
    item_set = read_items(folder)
    replies, answered = read_replies(predictions)
    hashed = item_set.sha256
    if answered not in (None, hashed):
        raise InputError(f"{predictions} answers other items; their hash differs.", "Name their folder.")
    fitting = filled(
        {key: reply for key, reply in replies.items() if key[1] in item_set.items.get(key[0], {})},
        InputError(f"No reply fits the items of {folder}.", "Check that both are of the same set."),
    )
    scores, results = [], []
    listen = partial(context.advance, total=len(item_set), note="scoring")
    for profile in profiles:
        listed = score_items(item_set.items, fitting, profile=profile, similarity=similarity, listen=listen)
        results.append(listed)
        scores.append(summarise(listed, profile=profile, similarity=similarity.model, items_sha256=hashed))
    return TevalResult(
        name=name or predictions.stem,
        found=ItemSet(items=item_set.items, replies=fitting),
        scores=tuple(scores),
        results=tuple(results),
        strangers=len(replies) - len(fitting),
    )


def write_result(result: TevalResult, folder: Path) -> None:
    """Write scores, every item as CSV, and the items with their replies, over older ones.

    Raises:
        StoreError: The folder cannot be written.
    """
    write_scores(result.scores, result.results, folder)
    write_items(result.found, folder)


def read_result(folder: Path) -> TevalResult:
    """Read a folder that `write_result` wrote; it is called by the folder's name.

    Raises:
        InputError: Something is missing or broken, or the items have changed since they were scored.
    """
    scores = read_scores(folder)
    hint = "Name a folder that `annotator teval score -o` wrote, or score the replies again."
    try:
        results = grouped(_read_results(folder / ITEMS_CSV))
    except OSError as exc:
        raise InputError(f"{folder} holds no T-Eval scores: {exc.strerror or exc}.", hint) from exc
    except (ValueError, csv.Error) as exc:
        first = str(exc).splitlines()[0]
        raise InputError(f"The scores in {folder} cannot be read: {first}.", hint) from exc
    item_set = read_items(folder)
    if any(score.items_sha256 != item_set.sha256 for score in scores):
        raise InputError(f"The items in {folder} are not those that were scored.", hint)
    return TevalResult(
        name=folder.resolve().name,
        found=item_set,
        scores=scores,
        results=tuple(tuple(results.get(score.profile, ())) for score in scores),
    )


def _read_results(path: Path) -> Iterator[tuple[TEvalProfile, ItemResult]]:
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            profile = TEvalProfile(row.pop("profile"))
            texts = {name: row.pop(name, "") for name in ItemResult.model_fields if name != "metrics"}
            known = {name: value for name, value in texts.items() if value}
            metrics = {name: float(value) for name, value in row.items() if value}
            yield profile, ItemResult.model_validate({**known, "metrics": metrics})


def gold_text(result: TevalResult, subset: Subset, item: str) -> str:
    """The gold of an item as people read it."""
    return json.dumps(result.found.items[subset][item].get("ground_truth"), ensure_ascii=False, indent=1)


class TEvalOrder(Record):
    """Replies to be scored, and where the result goes."""

    items: Path
    replies: Path
    similarity: str = Field(title="Compared by")
    out: Path = Field(title="Save in")

    def carry_out(self, workspace: Workspace, *, context: JobContext) -> TevalResult:
        """Score under every profile and write the result; a job."""
        result = score_replies(
            self.items,
            self.replies,
            profiles=tuple(TEvalProfile),
            similarity=open_similarity(self.similarity),
            context=context,
            name=self.out.name,
        )
        write_result(result, self.out)
        return result
