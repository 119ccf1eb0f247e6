"""Commands that describe the cases: what they cover, the tools they are about, and sets of dialogues."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scoring.model.taxonomy import ReportFormat, Stage
from scoring.texts import tr
from scoring.wording import counted
from ui.cli.command import CommandResult, command
from ui.cli.options import Person, Project, opened
from ui.cli.output import Table, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from annotator.cases.coverage import ProjectCoverage
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace
    from scoring.measures.coverage import Route
    from scoring.measures.dataset import DatasetStatistics
    from scoring.measures.rates import Rate


app = typer.Typer()
SHOWN_GAPS = 20
"""Missing sequences that are listed for people; `--json` lists all."""


@command(
    app,
    "coverage",
    gives={"*": "annotator.cases.coverage.ProjectCoverage", "missing": [[str]], "uncalled": [str]},
    example="annotator coverage --stage final -p team.db",
)
def coverage(
    workspace: "Workspace",
    context: "JobContext",
    stage: Annotated[list[Stage] | None, typer.Option("--stage", help="May be given several times.")] = None,
    batch: Annotated[str, typer.Option("--batch")] = "",
) -> CommandResult:
    """Count what the cases cover and what is missing. Policy sequences, information types, tools."""
    from annotator.cases.coverage import project_coverage
    from annotator.review.queue.case_rows import apart_words

    found = project_coverage(workspace, stages=tuple(stage or ()), batch=batch, context=context)
    missing = [list(route) for route in found.coverage.missing]
    document = {**found.model_dump(mode="json"), "missing": missing, "uncalled": found.uncalled}
    return CommandResult(document, _coverage_parts(found), [apart_words(workspace)])


@command(
    app,
    "category",
    gives={"rows": ["annotator.cases.tool_categories.ToolsetRow"]},
    example="annotator category trip-1 travel -p team.db",
)
def category(
    workspace: "Workspace",
    context: "JobContext",
    case: Annotated[
        str, typer.Argument(metavar="CASE", help="A case with the tools; none to list all.")
    ] = "",
    name: Annotated[str, typer.Argument(metavar="CATEGORY", help="In a few words; none takes it back.")] = "",
) -> CommandResult:
    """Say of what category the tools of a case are, or list them. It holds for all cases with these tools.

    The statistics count tools by the category their file gives, else by this one.
    """
    from annotator.cases.tool_categories import categorise, toolsets

    if case:
        categorise(workspace, case, category=name)
    rows = toolsets(workspace, context=context)
    listed = [[row.case_id, row.cases, len(row.tools), row.category or "not assigned"] for row in rows]
    return CommandResult({"rows": rows}, [Table(["a case", "cases", "tools", "category"], listed)])


@command(
    app,
    "stats",
    gives={"sets": {str: "scoring.measures.dataset.DatasetStatistics"}},
    example="annotator stats team.jsonl bfcl.jsonl --format latex -o stats.tex",
    writes="out",
)
def stats(
    context: "JobContext",
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="CASES", help="Files of cases, or release folders; each is a set."),
    ] = None,
    place: Project = None,
    person: Person = None,
    stage: Annotated[
        list[Stage] | None, typer.Option("--stage", help="Of the project; may be given several times.")
    ] = None,
    batch: Annotated[str, typer.Option("--batch", help="Of the project.")] = "",
    out: Annotated[Path | None, typer.Option("-o", "--output", help="Write the tables there.")] = None,
    form: Annotated[ReportFormat, typer.Option("--format", help="Form of the file.")] = ReportFormat.MARKDOWN,
    pictures: Annotated[
        Path | None, typer.Option("--pictures", help="Also write a picture of each distribution there.")
    ] = None,
) -> CommandResult:
    """Describe sets of dialogues side by side. Sizes, labels, tools, and the comparison of the papers.

    A project that is named stands first.
    """
    from annotator.cases.coverage import project_statistics
    from annotator.files import readable_files, replace_bytes
    from annotator.release.reports.album import save_album
    from annotator.release.reports.dataset_tables import (
        dataset_pictures,
        dataset_tables,
        distinct,
        read_statistics,
        set_name,
    )
    from annotator.release.reports.report import render

    sets: list[tuple[str, DatasetStatistics]] = []
    notes = []
    if place or not files:
        from annotator.review.queue.case_rows import apart_words

        with opened(place, person) as workspace:
            found = project_statistics(workspace, stages=tuple(stage or ()), batch=batch, context=context)
            sets.append((workspace.name(), found))
            notes.append(apart_words(workspace))
    with readable_files(*(files or ())) as read:
        for file, path in zip(files or (), read, strict=True):
            found, unread = read_statistics(path, context=context)
            sets.append((set_name(file), found))
            notes += [f"{file}: {counted(unread, 'line')} could not be read."] if unread else []
    named = distinct(sets)
    tables, shown = dataset_tables(named), dataset_pictures(named)
    if out is not None:
        replace_bytes(out, render(tables, form, title="Dialogues", pictures=shown))
    saved = save_album(shown, pictures) if pictures else ()
    parts: list[Table | str] = [
        Table(list(table.columns), [list(row) for row in table.rows], f"\n{table.heading}")
        for table in tables
    ]
    return CommandResult(
        {"sets": dict(named)},
        [
            *(parts if out is None else [f"{counted(len(tables), 'table')} written to {out}."]),
            f"{counted(len(saved), 'picture')} written to {pictures}." if saved else "",
        ],
        notes,
    )


def _coverage_parts(found: "ProjectCoverage") -> "Iterator[Table | str]":
    cases, tasks = counted(found.case_count, "case"), counted(found.task_count, "task")
    yield f"{cases}, {tasks}, {found.unlabelled:,} of them without a policy."
    yield Table(
        ["sequences of", "covered", "of", "share %"],
        [
            *([counted(int(n), "task"), *_shown(rate)] for n, rate in found.coverage.by_length.items()),
            ["all lengths", *_shown(found.coverage.total)],
            ["switching", *_shown(found.coverage.switching)],
        ],
        "\nSwitching space",
    )
    yield Table(
        ["policy", "information", "tasks"],
        [[row.policy or "none", row.information or "none", row.count] for row in found.labels],
        "\nLabels",
    )
    yield Table(
        ["tool", "offered in", "called in", "calls"],
        [[tool.name, tool.offered, tool.called_in, tool.calls] for tool in found.tools],
        "\nTools",
    )
    if found.other_sequence:
        others = counted(found.other_sequence, "generated case")
        yield f"\n{others} with another sequence than asked for."
    missing = found.coverage.missing
    if missing:
        shown = [" -> ".join(route) + _tried(found, route) for route in missing[:SHOWN_GAPS]]
        yield Table(["missing"], [[text] for text in shown], "\nMissing sequences")
        if len(missing) > SHOWN_GAPS:
            yield f"... and {len(missing) - SHOWN_GAPS} more; --json lists them all."


def _tried(found: "ProjectCoverage", route: "Route") -> str:
    count = found.tried.get(route, 0)
    return tr(f", tried {counted(count, 'time')}") if count else ""


def _shown(found: "Rate") -> list[object]:
    return [found.count, found.total, percent(found.value)]
