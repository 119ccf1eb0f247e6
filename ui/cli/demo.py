"""The sample project: opened in the window, or walked through all stages without one."""

import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scoring.errors import BlockedError, existing
from scoring.texts import tr
from scoring.wording import counted
from ui.cli.command import CommandResult, command
from ui.cli.options import opened
from ui.cli.output import Table, percent
from ui.cli.window import open_sample
from ui.shell.extensions import EXTENSIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace
    from annotator.release.sample_project import DemoResult
    from scoring.agreement.coefficients import Coefficient


app = typer.Typer()


@command(
    app,
    "demo",
    gives=(
        {
            "project": str,
            "release": str,
            "content_sha256": str,
            "stages": "annotator.review.measures.progress.StageReport",
            "runs": {str: "scoring.measures.summary.Summary"},
        },
        {
            "project": str,
            "generated": "annotator.generation.records.GenerationState",
            "before": "scoring.measures.rates.Rate",
            "after": "scoring.measures.rates.Rate",
        },
    ),
    example="annotator demo --headless --dir sample",
)
def demo(
    context: "JobContext",
    folder: Annotated[Path | None, typer.Option("--dir", help="Folder of the sample project.")] = None,
    headless: Annotated[
        bool, typer.Option("--headless", help="Walk every case through all stages and print the tables.")
    ] = False,
    generate: Annotated[
        bool,
        typer.Option("--generate", help="Add the missing sequences from a recorded run, without any key."),
    ] = False,
) -> CommandResult:
    """Open the sample project. With --headless walk it from import to a scored release."""
    if generate:
        made = _generate(context, folder or _sample_folder())
        return made if headless else made._replace(code=open_sample(folder))
    if headless:
        return _walk(context, folder or Path(tempfile.mkdtemp(prefix="annotator-demo-")))
    raise typer.Exit(open_sample(folder))


def _walk(context: "JobContext", folder: Path) -> CommandResult:
    from annotator.release.sample_project import found_demo, walk_demo
    from annotator.review.measures.progress import stage_report

    folder.mkdir(parents=True, exist_ok=True)
    project, release = folder / "samples.db", folder / "release"
    with closing(found_demo(str(project))) as workspace:
        result = walk_demo(workspace, release, context=context)
        document = {
            "project": str(project),
            "release": str(release),
            "content_sha256": result.manifest.content.content_sha256,
            "stages": stage_report(workspace),
            "runs": {name: card.summary for name, card in result.runs},
        }
        return CommandResult(document, list(_walk_parts(workspace, result, release)))


def _sample_folder() -> Path:
    """Where the window keeps the sample project."""
    import platformdirs

    return platformdirs.user_data_path("annotator", appauthor=False)


def _generate(context: "JobContext", folder: Path) -> CommandResult:
    from annotator.cases.coverage import project_coverage
    from annotator.release.sample_project import make_sample

    fill = existing(
        next((part.fill_sample for part in EXTENSIONS if part.fill_sample), None),
        BlockedError("This program has no generator.", "Leave --generate out."),
    )
    batch, generate = fill()
    folder.mkdir(parents=True, exist_ok=True)
    project = folder / "samples.db"
    if not project.exists():
        make_sample(project, context=context)
    with opened(str(project), None) as workspace:
        before = project_coverage(workspace).coverage
        state = generate(workspace, context=context)
        after = project_coverage(workspace).coverage
    made = counted(state.finished, "case")
    return CommandResult(
        {"project": str(project), "generated": state, "before": before.total, "after": after.total},
        [
            f"{made} generated into batch {batch} of {project}.",
            f"Sequences of policies covered: {before.total.count} before, {after.total.count} now.",
        ],
    )


def _walk_parts(workspace: "Workspace", result: "DemoResult", release: Path) -> "Iterator[Table | str]":
    from annotator.release.reports.score_tables import score_tables
    from annotator.review.measures.progress import stage_report
    from annotator.review.measures.rater_agreement import agreement
    from scoring.agreement.fields import AgreementMeasure

    content = result.manifest.content
    cases, tasks = counted(content.case_count, "case"), counted(content.task_count, "task")
    yield f"{cases} with {tasks} went from import to {release}."
    yield Table(
        ["after", "right", "of", "share %"],
        [[p.stage, p.correct, p.total, percent(p.accuracy)] for p in stage_report(workspace).curve],
        "\nStage accuracy",
    )
    measures = (
        AgreementMeasure.PERCENT,
        AgreementMeasure.KAPPA,
        AgreementMeasure.ALPHA,
        AgreementMeasure.AC1,
        AgreementMeasure.F1,
    )
    rows = agreement(workspace)
    yield Table(
        ["field", *measures],
        [[row.field, *(_figure(row.coefficients.get(measure)) for measure in measures)] for row in rows],
        "\nAgreement of owner and cross-checkers",
    )
    for table in score_tables(result.runs, is_brief=True):
        yield Table(table.columns, table.rows, f"\n{table.heading}")
    yield f"\nContent hash {content.content_sha256}"


def _figure(coefficient: "Coefficient | None") -> str:
    if coefficient is None:
        return ""
    return tr("undefined") if coefficient.value is None else f"{coefficient.value:.3f}"
