"""The sample project: opened in the window, or walked through all stages without one."""

import tempfile
from pathlib import Path
from typing import Annotated

import platformdirs
import typer

from annotator.project.founding import login_name
from annotator.project.workspace import Workspace
from annotator.release.demonstrating import DemoResult, found_demo, prepare_demo, walk_demo
from annotator.release.reporting import score_tables
from annotator.review.measuring import agreement, stage_report
from scoring.agreement import Measure
from scoring.coefficients import Coefficient
from scoring.wording import counted
from ui.cli.options import Json
from ui.cli.output import job_context, percent, print_json, print_table, say
from ui.cli.window import open_window, require_display


def register(app: typer.Typer) -> None:
    """Add this command to the `annotator` command."""
    app.command()(demo)


def demo(
    folder: Annotated[Path | None, typer.Option("--dir", help="Where the sample project lies.")] = None,
    headless: Annotated[
        bool, typer.Option("--headless", help="Walk every case through all stages and print the tables.")
    ] = False,
    json: Json = False,
) -> None:
    """Open the sample project; with --headless walk it from import to a scored release."""
    if headless:
        _walk(folder or Path(tempfile.mkdtemp(prefix="annotator-demo-")), json=json)
        return
    require_display()
    place = (folder or Path(platformdirs.user_data_dir("annotator"))) / "samples.db"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        workspace = found_demo(str(place))
        try:
            prepare_demo(workspace)
        finally:
            workspace.close()
    raise typer.Exit(open_window(str(place), login_name()))


def _walk(folder: Path, *, json: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    workspace = found_demo(str(folder / "samples.db"))
    try:
        with job_context() as context:
            result = walk_demo(workspace, folder / "release", context=context)
        if json:
            print_json(
                {
                    "project": str(folder / "samples.db"),
                    "release": str(folder / "release"),
                    "content_sha256": result.manifest.content.content_sha256,
                    "stages": stage_report(workspace),
                    "runs": {name: card.summary for name, card in result.runs},
                }
            )
        else:
            _print(workspace, result, folder)
    finally:
        workspace.close()


def _print(workspace: Workspace, result: DemoResult, folder: Path) -> None:
    content = result.manifest.content
    where = folder / "release"
    cases, tasks = counted(content.case_count, "case"), counted(content.task_count, "task")
    say(f"{cases} with {tasks} went from import to {where}.")
    report = stage_report(workspace)
    print_table(
        ["after", "right", "of", "share %"],
        [[p.stage, p.correct, p.total, percent(p.accuracy)] for p in report.curve],
        title="\nStage accuracy",
    )
    measures = (Measure.PERCENT, Measure.KAPPA, Measure.ALPHA, Measure.AC1, Measure.F1)
    rows = agreement(workspace)
    print_table(
        ["field", *measures],
        [[row.field, *(_figure(row.coefficients.get(measure)) for measure in measures)] for row in rows],
        title="\nAgreement of owner and cross-checkers",
    )
    for table in score_tables(result.runs):
        print_table(table.columns, table.rows, title=f"\n{table.title} (%)")
    say(f"\nContent hash {content.content_sha256}")


def _figure(coefficient: Coefficient | None) -> str:
    if coefficient is None:
        return ""
    return "undefined" if coefficient.value is None else f"{coefficient.value:.3f}"
