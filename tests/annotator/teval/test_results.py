"""T-Eval results as folders: written, read back, and refused where they no longer fit."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from annotator.jobs import JobContext
from annotator.release.reports.figure_style import LIGHT, PictureFormat, picture
from annotator.release.reports.teval_section import columns_figure, radar_figure
from annotator.teval.figures import difference_figure
from annotator.teval.items_folder import write_items
from annotator.teval.results import TevalResult, read_result, score_replies, write_result
from scoring.errors import InputError
from scoring.model.record import JsonObject
from scoring.teval.columns import column_values, compare_models
from scoring.teval.derivation import derive
from scoring.teval.evaluators import TEvalProfile
from scoring.teval.items import ItemReply, ItemSet
from scoring.teval.scores import ABILITIES
from scoring.teval.similarity import CharacterTriples
from scoring.teval.subsets import Items, Subset
from tests.scoring.teval.agents import WEAK, agent_replies
from tests.scoring.teval.gold_replies import full_case, gold_replies
from tests.scoring.teval.sample_items import sample_items


def _scored(folder: Path, *, extra: bool = False) -> TevalResult:
    items = derive([full_case()]).items
    replies = gold_replies(items)
    write_items(ItemSet(items=items, replies={}), folder / "items")
    if extra:
        items = {**items, Subset.REVIEW_STR: {**items[Subset.REVIEW_STR], "other": _any_review(items)}}
        replies[Subset.REVIEW_STR, "other"] = ItemReply(prediction="Answer: A")
    write_items(ItemSet(items=items, replies=replies), folder / "model-a")
    return score_replies(
        folder / "items",
        folder / "model-a",
        profiles=tuple(TEvalProfile),
        similarity=CharacterTriples(),
        context=JobContext(),
    )


def _any_review(items: Items) -> JsonObject:
    return next(iter(items[Subset.REVIEW_STR].values()))


def test_a_written_result_is_read_as_it_was(tmp_path: Path) -> None:
    result = _scored(tmp_path)
    write_result(result, tmp_path / "scores" / "model-a")
    assert read_result(tmp_path / "scores" / "model-a") == result


def test_replies_to_other_items_are_counted_and_ignored(tmp_path: Path) -> None:
    result = _scored(tmp_path, extra=True)
    assert result.strangers == 1
    assert result.scores[0].overall == 1.0


def test_a_folder_without_scores_names_the_command_that_writes_them(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no T-Eval scores") as failed:
        read_result(tmp_path)
    assert "annotator teval score -o" in failed.value.hint


def test_broken_scores_are_refused(tmp_path: Path) -> None:
    write_result(_scored(tmp_path), tmp_path / "scores")
    (tmp_path / "scores" / "teval.json").write_text("[{}]")
    with pytest.raises(InputError, match="cannot be read"):
        read_result(tmp_path / "scores")


def test_items_that_changed_since_are_refused(tmp_path: Path) -> None:
    write_result(_scored(tmp_path), tmp_path / "scores")
    path = tmp_path / "scores" / "review_str.json"
    body = json.loads(path.read_text())
    body.pop(next(iter(body)))
    path.write_text(json.dumps(body))
    with pytest.raises(InputError, match="not those that were scored"):
        read_result(tmp_path / "scores")


def test_pictures_are_drawn_also_where_a_column_is_missing(tmp_path: Path) -> None:
    items = sample_items()
    folder = tmp_path / "items"
    write_items(ItemSet(items=items, replies={}), folder)
    results = []
    for name, replies in (
        ("right", gold_replies(items)),
        (
            "weak",
            {k: r for k, r in agent_replies(items, WEAK["plan"]).items() if k[0] is not Subset.REVIEW_STR},
        ),
    ):
        write_items(ItemSet(items=items, replies=replies), tmp_path / name)
        results.append(
            score_replies(
                folder,
                tmp_path / name,
                profiles=(TEvalProfile.PAPER,),
                similarity=CharacterTriples(),
                context=JobContext(),
            )
        )
    abilities = [(one.name, one.scores[0].abilities) for one in results]
    columns = [(one.name, column_values(one.scores[0])) for one in results]
    rows = compare_models(results[0].results[0], results[1].results[0], resamples=50)
    for figure in (
        radar_figure(abilities, palette=LIGHT),
        columns_figure(columns, palette=LIGHT),
        difference_figure(rows, ("right", "weak"), palette=LIGHT),
    ):
        assert picture(figure, PictureFormat.PNG).startswith(b"\x89PNG")


def test_the_radar_goes_from_nothing_at_the_centre_to_a_hundred_at_the_rim() -> None:
    abilities = dict.fromkeys(ABILITIES, 0.5) | {ABILITIES[1]: None}
    (axes,) = radar_figure([("right", abilities)], palette=LIGHT).axes
    assert axes.get_ylim() == (0, 100)
    (ring,) = axes.lines
    heights = np.asarray(ring.get_ydata(), dtype=float).tolist()
    assert len(heights) == len(ABILITIES) + 1  # the ring is closed
    assert [height for height in heights if not math.isnan(height)] == [50.0] * len(ABILITIES)
