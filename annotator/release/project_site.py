"""Pages for those without the program: how far a project is, how people agree, how right the cases are."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from annotator.cases.access import show_case
from annotator.cases.coverage import project_coverage, project_statistics
from annotator.files import replace_bytes
from annotator.jobs import JobContext
from annotator.project.workspace import Workspace
from annotator.release.quality_table import QualityLine, Topic, quality_table, table_figure
from annotator.release.reports.album import Picture
from annotator.release.reports.dataset_tables import dataset_pictures, dataset_tables
from annotator.release.reports.report import render
from annotator.release.reports.score_tables import ScoreTable
from annotator.review.measures.disagreements import agreement_words
from annotator.review.measures.progress import outlooks, stage_report
from annotator.review.measures.rater_agreement import agreement
from annotator.review.queue.case_rows import CaseFilter, count_cases, list_cases
from scoring.agreement.coefficients import Coefficient
from scoring.errors import ForbiddenError
from scoring.measures.catalogue import NOTHING
from scoring.measures.rates import rate
from scoring.model.taxonomy import FINAL_STAGES, ReportFormat
from scoring.texts import in_language, tr
from scoring.wording import counted, written_interval


def write_site(
    workspace: Workspace, folder: Path, *, context: JobContext, has_dialogues: bool = False
) -> tuple[Path, ...]:
    """Write a project as pages that need no program: figures with their pictures, nobody's name, no dialogue.

    Args:
        workspace: In whose name; what the person may not see is on no page.
        folder: Where `index.html` goes, over what it held.
        context: Progress and cancelling.
        has_dialogues: Whether `dialogues.html` has the requests, calls and answers of the final cases.

    Returns:
        The pages.

    Raises:
        StoreError: The folder cannot be written.
    """
    name = workspace.name()
    sets = [(name, project_statistics(workspace, context=context))]
    quality = [
        one
        for one in quality_table(workspace, context=context)
        # How people agree has a table of its own; what each catches is nobody else's.
        if one.n is not None and one.topic not in (Topic.AGREEMENT, Topic.ATTENTION)
    ]
    tables = [*_figures(workspace, quality, context=context), *dataset_tables(sets)]
    drawn = Picture("quality", in_language("How right the cases are."), partial(table_figure, quality))
    pages = {"index.html": (tables, (drawn, *dataset_pictures(sets)))}
    if has_dialogues:
        pages["dialogues.html"] = ([*_dialogues(workspace, context=context)], ())
    for page, (shown, pictures) in pages.items():
        text = render(
            [table.in_language() for table in shown], ReportFormat.HTML, title=name, pictures=pictures
        )
        replace_bytes(folder / page, text)
    return tuple(folder / page for page in pages)


def _figures(
    workspace: Workspace, quality: list[QualityLine], *, context: JobContext
) -> tuple[ScoreTable, ...]:
    report, covered = stage_report(workspace), project_coverage(workspace, context=context)
    return (
        ScoreTable(
            title=f"Progress on {workspace.now():%Y-%m-%d}",
            columns=("stage", "cases", "share %"),
            rows=tuple(
                (
                    tr(stage.value.replace("_", " "), context="stage"),
                    f"{count:,}",
                    rate(count, total).percent or NOTHING,
                )
                for total in [sum(report.counts.values())]
                for stage, count in report.counts.items()
            ),
        ),
        ScoreTable(
            title="Batches",
            columns=("batch", "open", "due", "forecast"),
            rows=tuple(
                (one.batch, f"{one.open:,}", str(one.due_on or ""), one.words) for one in outlooks(workspace)
            ),
        ),
        ScoreTable(
            title="Agreement",
            columns=("field", "agree %", "alpha", "interval", "of", "in words"),
            rows=tuple(
                (
                    tr(row.field.value.replace("_", " ")),
                    NOTHING if row.seen.value is None else f"{100 * row.seen.value:.1f}",
                    NOTHING if found.value is None else f"{found.value:.2f}".replace("-", "−"),
                    _interval(found, form=".2f"),
                    f"{found.used:,}",
                    agreement_words(row),
                )
                for row in agreement(workspace)
                for found in [row.beyond_chance]
            ),
        ),
        ScoreTable(
            title="Coverage: sequences of policies",
            columns=("sequences of", "covered", "of", "share %"),
            rows=tuple(
                (name, f"{one.count:,}", f"{one.total:,}", one.percent or NOTHING)
                for name, one in (
                    *(
                        (counted(int(length), "task"), one)
                        for length, one in covered.coverage.by_length.items()
                    ),
                    ("all lengths", covered.coverage.total),
                )
            ),
        ),
        ScoreTable(
            title="Quality",
            columns=("topic", "what", "share %", "interval", "n", "note"),
            rows=tuple(
                (
                    tr(one.topic.value),
                    tr(one.what, context="stage"),
                    NOTHING if one.value is None else f"{100 * one.value:.1f}",
                    _interval(one, scale=100, form=".1f"),
                    f"{one.n:,}",
                    one.note,
                )
                for one in quality
            ),
        ),
    )


def _dialogues(workspace: Workspace, *, context: JobContext) -> Iterator[ScoreTable]:
    where = CaseFilter(stages=FINAL_STAGES, order="case")
    rows = list_cases(workspace, where, limit=count_cases(workspace, where))
    for row in context.each(rows, "writing the dialogues"):
        try:
            case = show_case(workspace, row.case_id)
        except ForbiddenError:  # kept from the person for the time being: not even its name is told
            continue
        yield ScoreTable(
            title=row.case_id,
            columns=("task", "policy", "request", "calls", "answer"),
            rows=tuple(
                (
                    f"{number}",
                    task.policy or NOTHING,
                    task.user,
                    ", ".join(call.name for _, call in task.calls),
                    task.answer.text if task.answer else "",
                )
                for number, task in enumerate(case.tasks, start=1)
            ),
        )


def _interval(one: Coefficient | QualityLine, *, scale: float = 1, form: str) -> str:
    is_known = one.low is not None and one.high is not None
    return written_interval(scale * (one.low or 0), scale * (one.high or 0), form=form) if is_known else ""
