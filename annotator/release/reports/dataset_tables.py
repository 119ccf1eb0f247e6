"""What sets of dialogues consist of, side by side: tables and pictures in the papers' form (C3-T4, WT-F5)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.jobs import JobContext
from annotator.release.manifest import CASES, MANIFEST
from annotator.release.reports.album import Picture
from annotator.release.reports.bars import Group, MeasuredRate, rates_figure
from annotator.release.reports.figure_style import LIGHT, FigurePalette, say
from annotator.release.reports.score_tables import ScoreTable, shown
from scoring.errors import InputError
from scoring.formats.case_reader import Rejected, read_cases
from scoring.groups import summed
from scoring.measures.catalogue import NOTHING
from scoring.measures.dataset import UNLABELLED, DatasetStatistics, Spread, dataset_statistics
from scoring.measures.rates import Rate, rate
from scoring.model.case import Case
from scoring.model.taxonomy import Policy, Stage
from scoring.texts import tr
from scoring.wording import half_up, numbered

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Sets = Sequence[tuple[str, DatasetStatistics]]
"""Names and figures of sets of cases, in printed order."""

SPREADS: Mapping[str, Callable[[DatasetStatistics], Spread]] = {
    "Tasks per dialogue": lambda one: one.tasks,
    "User messages per dialogue": lambda one: one.messages,
    "Calls per task that has one": lambda one: one.calls,
    "Tools per dialogue": lambda one: one.tools,
    "Levels of objects and lists in an argument": lambda one: one.depths,
}
"""What has a mean and a histogram, by title."""
_YIELD = "Yield from imported to final"
SHARES: Mapping[str, Callable[[DatasetStatistics], Mapping[str, int]]] = {
    "Policies of tasks": lambda one: one.policies,
    "How tasks hide information": lambda one: one.information,
    "Writing of dialogues": lambda one: one.scripts,
    "Types of arguments": lambda one: one.parameters,
    "Categories of tools": lambda one: one.categories,
    _YIELD: lambda one: one.stage_yield,
}
"""What is counted by label, by title; of the yield all shares are of the cases that came in."""
_MOST = 10
"""Of histograms, as in the papers: greater values stand together."""
_MARKS = {
    Policy.SINGLE: "single",
    Policy.CHAT: "chat",
    Policy.CLARIFY: "clarify",
    Policy.MULTI_SERIAL: "serial (S)",
    Policy.MULTI_PARALLEL: "parallel (P)",
    Policy.MULTI_MIXED: "mixed (S+P)",
}


def read_statistics(source: Path, *, context: JobContext) -> tuple[DatasetStatistics, int]:
    """Describe the cases of a release folder or of any readable file.

    Args:
        source: The folder or file.
        context: Progress in lines, and cancellation between them.

    Returns:
        The figures, and how many lines could not be read.

    Raises:
        InputError: The file cannot be read, or none of its lines is a case; says why the first is none.
    """
    path = source / CASES if (source / MANIFEST).is_file() else source
    rejected: list[Rejected] = []

    def cases() -> Iterator[Case]:
        for item in context.each(read_cases(path, is_plain=True), "reading"):
            if isinstance(item, Rejected):
                rejected.append(item)
            else:
                yield item.case

    found = dataset_statistics(cases())
    if not found.cases and rejected:
        raise InputError(f"{path}, line {rejected[0].line}: {rejected[0].reason}", "Name a file of cases.")
    return found, len(rejected)


def set_name(source: Path) -> str:
    """What the cases of a file or a release folder are called: its name, without the ending of a file."""
    return source.name if source.is_dir() else source.stem


def distinct(sets: Sets) -> Sets:
    """Sets with names that differ: repeated ones are numbered."""
    return list(zip(numbered([name for name, _ in sets]), (found for _, found in sets), strict=True))


def dataset_tables(sets: Sets) -> tuple[ScoreTable, ...]:
    """The comparison of the papers, the means, then a table for each distribution anybody has."""
    return (
        _comparison(sets),
        _sizes(sets),
        *(_distribution(sets, title) for title in _shown(sets)),
    )


def dataset_pictures(sets: Sets) -> tuple[Picture, ...]:
    """A picture for each distribution of more than one label: shares of each set beside each other."""
    return tuple(
        Picture(
            title.lower().replace(" ", "-"), say("{title}.", title=say(title)), partial(_draw, sets, title)
        )
        for title in _shown(sets)
        if len(_labels(sets, title)) > 1
    )


def _shown(sets: Sets) -> list[str]:
    """Titles of the distributions anybody has; of tools the mean says enough."""
    titles = [title for title in (*SHARES, *SPREADS) if title != "Tools per dialogue"]
    return [title for title in titles if any(_counts(one, title) for _, one in sets)]


def _counts(found: DatasetStatistics, title: str) -> Mapping[str, int]:
    if title in SHARES:
        return SHARES[title](found)
    counts = SPREADS[title](found).counts.items()
    return summed((str(number) if number < _MOST else f"{_MOST}+", count) for number, count in counts)


def _rate(counts: Mapping[str, int], label: str, *, title: str) -> Rate:
    of = counts.get(Stage.IMPORTED, 0) if title == _YIELD else sum(counts.values())
    return rate(counts.get(label, 0), of)


def _labels(sets: Sets, title: str) -> list[str]:
    """The labels of a distribution; of a histogram every value in between, too, since a gap is a figure."""
    labels = dict.fromkeys(label for _, one in sets for label in _counts(one, title))
    if title not in SPREADS:
        return list(labels)
    values = [int(label.rstrip("+")) for label in labels]
    return [str(value) if value < _MOST else f"{_MOST}+" for value in range(min(values), max(values) + 1)]


def _comparison(sets: Sets) -> ScoreTable:
    """C3-T4, MM-T1; nothing is said of a label that tasks lack."""
    columns = (
        "set",
        "several tasks",
        "related later tasks %",
        "sequences covered %",
        *_MARKS.values(),
        UNLABELLED,
    )
    rows = tuple(
        (
            name,
            "yes" if one.tasks.total > one.cases else "no",
            shown(one.related),
            shown(one.switching),
            *(_mark(one, policy) for policy in _MARKS),
            f"{one.unlabelled:,}",
        )
        for name, one in sets
    )
    figures = tuple((None, one.related, one.switching, *(None for _ in _MARKS), None) for _, one in sets)
    return ScoreTable(title="As the papers compare sets", columns=columns, rows=rows, figures=figures)


def _mark(found: DatasetStatistics, policy: Policy) -> str:
    if found.policies.get(policy):
        return "yes"
    return NOTHING if found.unlabelled else "no"


def _sizes(sets: Sets) -> ScoreTable:
    lines: dict[str, Callable[[DatasetStatistics], str]] = {
        "Dialogues": lambda one: f"{one.cases:,}",
        "Tasks": lambda one: f"{one.tasks.total:,}",
        "Calls": lambda one: f"{one.calls.total:,}",
        "Different tools": lambda one: f"{one.different_tools:,}",
        "Names of tools": lambda one: f"{one.offered:,}",
        "Names never called": lambda one: f"{one.never_called:,}",
        "Required arguments, %": lambda one: shown(one.required),
        **{title: partial(_mean_words, title=title) for title in SPREADS},
    }
    return ScoreTable(
        title="Sizes, means with standard deviation and range",
        columns=("", *(name for name, _ in sets)),
        rows=tuple((title, *(words(one) for _, one in sets)) for title, words in lines.items()),
        is_down=True,
    )


def _mean_words(found: DatasetStatistics, *, title: str) -> str:
    spread = SPREADS[title](found)
    if spread.mean is None:
        return NOTHING
    deviation = f" ± {spread.deviation:.2f}" if spread.deviation is not None else ""
    return f"{half_up(spread.mean):.2f}{deviation} ({min(spread.counts)} to {max(spread.counts)})"


def _distribution(sets: Sets, title: str) -> ScoreTable:
    columns = tuple(name for name, _ in sets)
    counts = [_counts(one, title) for _, one in sets]
    labels = _labels(sets, title)
    figures = tuple(tuple(_rate(own, label, title=title) for own in counts) for label in labels)
    words = [_words(label, title) for label in labels]
    rows = tuple((label, *map(shown, row)) for label, row in zip(words, figures, strict=True))
    return ScoreTable(title=title, columns=("", *columns), rows=rows, figures=figures, is_down=True, unit="%")


def _words(label: str, title: str) -> str:
    return tr(label, context="stage") if title == _YIELD else label


def _draw(sets: Sets, title: str, *, palette: FigurePalette = LIGHT) -> "Figure":
    counts = [_counts(one, title) for _, one in sets]
    groups = [
        Group(
            label=_words(label, title).replace("_", " "),
            values=tuple(MeasuredRate(rate=_rate(own, label, title=title), interval=None) for own in counts),
        )
        for label in _labels(sets, title)
    ]
    return rates_figure(groups, [name for name, _ in sets], title=title, axis="", palette=palette)
