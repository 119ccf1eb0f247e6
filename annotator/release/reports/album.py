"""Which pictures belong to some runs: named, drawn when asked for, in any colours."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.files import replace_bytes
from annotator.release.reports.challenge_tables import (
    HistoryPairs,
    history_groups,
    model_robustness,
    win_groups,
    wins_of,
)
from annotator.release.reports.effect_tables import size_series, thinking_pairs
from annotator.release.reports.figure_style import LIGHT, FigurePalette, PictureFormat, picture, say
from annotator.release.reports.model_figures import (
    cost_figure,
    cost_points,
    error_heat_figure,
    kind_lines_figure,
    overall_figure,
    pairs_figure,
    profile_figure,
    size_figure,
    slice_heat_figure,
    volatility_figure,
    win_figure,
)
from annotator.release.reports.route_maps import matrix_figure, pyramids_figure, routes_figure
from annotator.release.reports.run_groups import Cards, groups_apart
from annotator.release.reports.score_figures import (
    TITLES,
    Slice,
    accuracy_figure,
    decline_figure,
    descent_figure,
    error_figure,
    orchestration_figure,
)
from scoring.groups import collected
from scoring.texts import in_language, joined

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

_FEW = 2
"""Runs that bars say enough of; more have lines by kind, heat maps, profiles and pyramids side by side."""
_MOST_MAPS = 6
"""Runs whose own maps are shown; with more they would bury the comparison."""


@dataclass(frozen=True)
class Picture:
    """One picture: the name of its file, what it shows, and how it is drawn."""

    name: str
    caption: str
    draw: "Callable[..., Figure]"

    def save(self, form: PictureFormat, *, palette: FigurePalette = LIGHT) -> bytes:
        """Draw it as a file."""
        return picture(self.draw(palette=palette), form)


@collected
def album(cards: Cards) -> Iterator[Picture]:
    """The pictures of some runs, in the order of a report; none without a run.

    Runs that may not stand together have pictures of their own. Robustness is shown where a model was run
    both ways, and each run's own maps where there are few.
    """
    for number, (words, members) in enumerate(groups_apart(cards).items(), start=1):
        yield from _of_group(_together(members), f"group-{number}", words)
    for number, (words, both_ways) in enumerate(history_groups(cards).items(), start=1):
        yield from _of_group(_steadiness(both_ways), f"pairs-{number}", words)
    for number, (name, card) in enumerate(cards if len(cards) <= _MOST_MAPS else (), start=1):
        yield from (
            Picture(
                f"matrix-{number}",
                say("{name}: policy by task order.", name=name),
                partial(matrix_figure, card),
            ),
            Picture(
                f"routes-{number}",
                say("{name}: every sequence of policies.", name=name),
                partial(routes_figure, card),
            ),
        )


def _of_group(pictures: Iterable[Picture], prefix: str, words: str) -> list[Picture]:
    """The pictures of runs that may stand together, which say so where there are others."""
    return [
        replace(
            one,
            name=f"{prefix}-{one.name}",
            caption=joined(one.caption, say("Runs of {words}.", words=in_language(words))),
        )
        if words
        else one
        for one in pictures
    ]


def _steadiness(both_ways: HistoryPairs) -> Iterator[Picture]:
    models = model_robustness(both_ways)
    yield from [
        Picture("volatility", say("Accuracy against volatility."), partial(volatility_figure, models)),
        Picture("descent", say("Debiased descent by policy transitions."), partial(descent_figure, models)),
    ]
    after = [(name, upta) for name, _, upta in both_ways]
    if pairs := {fast: slow for (fast, _), (slow, _) in thinking_pairs(after)}:
        both = [model for model in models if model.name in {*pairs, *pairs.values()}]
        yield Picture(
            "descent-thinking",
            say("Debiased descent without and with thinking."),
            partial(descent_figure, both, pairs=pairs),
        )


def _together(cards: Cards) -> Iterator[Picture]:
    drawn = partial(accuracy_figure, cards)
    yield from [
        Picture("overall", say("Accuracy, the best run first."), partial(overall_figure, cards)),
        Picture(
            "policy",
            say("Accuracy by policy, with 95 % intervals."),
            partial(drawn, Slice.POLICY),
        ),
        Picture("calls", say("Accuracy, optimal paths and progress."), partial(orchestration_figure, cards)),
        Picture("decline", say("Accuracy from task to task."), partial(decline_figure, cards)),
        Picture("information", say("Accuracy by information type."), partial(drawn, Slice.INFORMATION)),
        Picture(
            "transitions",
            say("Accuracy by policy transitions."),
            partial(drawn, Slice.TRANSITIONS),
        ),
        Picture("errors", say("Error classes among the failed tasks."), partial(error_figure, cards)),
    ]
    if len(cards) > _FEW:
        for name, by in (
            ("decline", Slice.POSITION),
            ("information", Slice.INFORMATION),
            ("transitions", Slice.TRANSITIONS),
        ):
            lines, rows = partial(kind_lines_figure, cards, by), partial(slice_heat_figure, cards, by)
            yield from (
                Picture(f"{name}-lines", say("{title}, by kind of model.", title=say(TITLES[by])), lines),
                Picture(f"{name}-map", say("{title}, a row a run.", title=say(TITLES[by])), rows),
            )
        yield from (
            Picture("error-map", say("Error classes, a row a run."), partial(error_heat_figure, cards)),
            Picture(
                "error-profiles", say("Refusals against wrong tool names."), partial(profile_figure, cards)
            ),
            Picture(
                "pyramids", say("Every sequence of policies, of all runs."), partial(pyramids_figure, cards)
            ),
        )
        if len(cost_points(cards)[1]) > _FEW:
            yield Picture("cost", say("Accuracy against cost."), partial(cost_figure, cards))
    if size_series(cards):
        yield Picture("size", say("Accuracy by size."), partial(size_figure, cards))
    for number, ((baseline, judge), wins) in enumerate(win_groups(wins_of(cards)).items(), start=1):
        caption = say("Win rate against {name}, by {judge}, and accuracy.", name=baseline, judge=judge)
        yield Picture(f"win-rate-{number}", caption, partial(win_figure, cards, wins))
    if thinking_pairs(cards):
        yield Picture("thinking", say("Thinking off against on."), partial(pairs_figure, cards))


@collected
def save_album(
    pictures: Sequence[Picture], directory: Path, *, palette: FigurePalette = LIGHT
) -> Iterator[Path]:
    """Write every picture in every format.

    Returns:
        The files.

    Raises:
        StoreError: The folder cannot be written.
    """
    for one in pictures:
        figure = one.draw(palette=palette)
        for form in PictureFormat:
            path = directory / f"{one.name}.{form}"
            replace_bytes(path, picture(figure, form))
            yield path
