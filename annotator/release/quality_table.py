"""All that is known of how right the cases are, as one table and one picture."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.files import csv_text, replace_bytes, replace_text
from annotator.jobs import JobContext
from annotator.project.workspace import Workspace
from annotator.release.errata import errata_of
from annotator.release.freeze import freeze_preview, list_releases
from annotator.release.quality import quality
from annotator.release.reports.figure_style import (
    LIGHT,
    MARKERS,
    FigurePalette,
    PictureFormat,
    finish_with_legend,
    picture,
    say,
    short,
    titled_axes,
)
from annotator.release.suspects import question_release, suspect_words
from annotator.review.measures.attention import attention
from annotator.review.measures.progress import stage_report
from annotator.review.measures.rater_agreement import agreement
from scoring.agreement.fields import AgreementMeasure
from scoring.errors import NotFoundError
from scoring.model.record import Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_INCHES_PER_LINE, _MARGIN = 0.24, 0.015
_HEAD = ("topic", "what", "value", "low", "high", "n", "note")


class Topic(StrEnum):
    """What a line is about."""

    BOUND = "Wrong at most"
    STAGE = "Stage accuracy"
    AGREEMENT = "Agreement (alpha)"
    ATTENTION = "Planted defects caught"
    SUSPECTS = "Suspects"
    ERRATA = "Errata"
    KEPT = "Known defects kept"


class QualityLine(Record):
    """One figure, or one thing that is known to be wrong.

    `value` is a share or a coefficient, `low` and `high` its interval at 95 %, None where there is none;
    `n` is what it rests on, `note` says why it is missing or what was found.
    """

    topic: Topic
    what: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    note: str = ""


def quality_table(
    workspace: Workspace, *, context: JobContext, release: str | None = None
) -> tuple[QualityLine, ...]:
    """Gather the bound, stage accuracy, agreement, attention, suspects, errata, and defects kept on purpose.

    Args:
        workspace: Of a manager or an expert; annotators see the parts that are theirs.
        context: Progress and cancelling.
        release: Its name; None for the newest, and without any for the project as it is.

    Raises:
        NotFoundError: There is no such release.
    """
    known = [row.name for row in list_releases(workspace)]
    name = release if release is not None else next(iter(known), None)
    parts = (
        _bound(workspace, name),
        _stages(workspace),
        _agreement(workspace),
        _attention(workspace),
        _suspects(workspace, name),
        _errata(workspace, name),
        _kept(workspace),
    )
    return tuple(chain.from_iterable(context.each(parts, "gathering figures")))


def table_csv(lines: Sequence[QualityLine]) -> str:
    """The lines as CSV, with every digit."""
    return csv_text(
        _HEAD, ([line.topic.value, *(getattr(line, name) for name in _HEAD[1:])] for line in lines)
    )


def table_figure(lines: Sequence[QualityLine], palette: FigurePalette = LIGHT) -> "Figure":
    """Every figure as a mark with its interval, topic by topic."""
    shown = [one for one in lines if one.value is not None]
    figure, axes = titled_axes(
        palette,
        title=say("How right the cases are"),
        grid="x",
        height_inches=1.2 + _INCHES_PER_LINE * max(len(shown), 1),
    )
    least = min(
        (one.value if one.low is None else one.low for one in shown if one.value is not None), default=0.0
    )
    axes.set(
        yticks=range(len(shown)),
        yticklabels=[say(short(one.what)) for one in shown],
        ylim=(max(len(shown), 1) - 0.5, -0.5),
        xlim=(min(least, 0.0) - _MARGIN, 1 + _MARGIN),
    )
    axes.set_xlabel(say("share, or coefficient of agreement"), color=palette.muted, fontsize=8)
    topics = list(dict.fromkeys(one.topic for one in shown))
    for place, one in enumerate(shown):
        number = topics.index(one.topic)
        colour, mark = palette.colour(number), MARKERS[number]
        if one.low is not None and one.high is not None:
            axes.plot((one.low, one.high), (place, place), color=colour, linewidth=1.4)
        axes.plot(
            (one.value or 0.0,), (place,), marker=mark, linestyle="", color=colour, label=say(one.topic.value)
        )
    handles = {text: handle for handle, text in zip(*axes.get_legend_handles_labels(), strict=True)}
    return finish_with_legend(figure, palette, list(handles.values()), list(handles))


def save_quality(
    lines: Sequence[QualityLine], *, table: Path | None = None, figure: Path | None = None
) -> None:
    """Write the table and the picture (`.svg`, else PNG) into files, over what they held.

    Raises:
        StoreError: A file cannot be written.
    """
    if table is not None:
        replace_text(table, table_csv(lines))
    if figure is not None:
        form = PictureFormat.SVG if figure.suffix == ".svg" else PictureFormat.PNG
        replace_bytes(figure, picture(table_figure(lines), form))


def _bound(workspace: Workspace, release: str | None) -> Iterator[QualityLine]:
    found = quality(workspace, release=release)
    bound = found.bound
    what = f"cases of {release}" if release else "cases of the project"
    note = " ".join((found.headline, *found.details))
    share = bound.share if bound.sampled and bound.is_known else None
    yield QualityLine(topic=Topic.BOUND, what=what, value=share, n=bound.sampled, note=note)
    if share is not None:
        yield QualityLine(
            topic=Topic.BOUND, what=what.replace("cases", "tasks", 1), value=bound.task_share, n=bound.sampled
        )


def _stages(workspace: Workspace) -> Iterator[QualityLine]:
    for point in stage_report(workspace).curve:
        yield QualityLine(
            topic=Topic.STAGE,
            what=point.stage.value.replace("_", " "),
            value=point.accuracy,
            low=point.low,
            high=point.high,
            n=point.total,
            note=point.undefined or "",
        )


def _agreement(workspace: Workspace) -> Iterator[QualityLine]:
    for row in agreement(workspace):
        found = row.coefficients.get(AgreementMeasure.ALPHA)
        if found is not None:
            yield QualityLine(
                topic=Topic.AGREEMENT,
                what=row.field.value.replace("_", " "),
                value=found.value,
                low=found.low,
                high=found.high,
                n=found.used,
                note=found.undefined.value if found.undefined else found.no_interval or "",
            )


def _attention(workspace: Workspace) -> Iterator[QualityLine]:
    measured = attention(workspace)
    whole = [person_rate for person_rate in measured.rates if person_rate.kind is None]
    for person_rate in whole:
        yield QualityLine(
            topic=Topic.ATTENTION,
            what=person_rate.person,
            value=person_rate.caught.value,
            low=person_rate.interval.low if person_rate.interval else None,
            high=person_rate.interval.high if person_rate.interval else None,
            n=person_rate.caught.total,
        )
    if not whole:
        note = "Nothing was submitted yet." if measured.share else "Not measured: known-answer cases are off."
        yield QualityLine(topic=Topic.ATTENTION, what="everybody", n=0, note=note)


def _suspects(workspace: Workspace, release: str | None) -> Iterator[QualityLine]:
    try:
        questions = question_release(workspace, release).questions
    except NotFoundError as error:
        yield QualityLine(topic=Topic.SUSPECTS, what="tasks", note=error.message)
        return
    count = len(questions.models)
    models = f"from {count} models" if count != 1 else "from 1 model"
    yield QualityLine(topic=Topic.SUSPECTS, what="tasks", n=len(questions.suspects), note=models)
    for suspect in questions.suspects:
        yield QualityLine(
            topic=Topic.SUSPECTS, what=f"{suspect.case}, task {suspect.task + 1}", note=suspect_words(suspect)
        )


def _errata(workspace: Workspace, release: str | None) -> Iterator[QualityLine]:
    if release is None:
        return
    errata = errata_of(workspace, release).errata
    yield QualityLine(topic=Topic.ERRATA, what=f"cases of {release}", n=len(errata))
    yield from (
        QualityLine(topic=Topic.ERRATA, what=erratum.case_id, note=erratum.reason) for erratum in errata
    )


def _kept(workspace: Workspace) -> Iterator[QualityLine]:
    defects = freeze_preview(workspace).kept
    yield QualityLine(topic=Topic.KEPT, what="fields", n=len(defects))
    for defect in defects:
        yield QualityLine(topic=Topic.KEPT, what=f"{defect.case_id}: {defect.field}", note=defect.reason)
