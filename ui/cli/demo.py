"""The sample project: opened in the window, or walked through all stages without one."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scoring.wording import counted
from ui.cli.options import Json, example, opened
from ui.cli.output import job_context, percent, print_json, print_result, print_table, say
from ui.cli.window import open_sample

if TYPE_CHECKING:
    from annotator.project.workspace import Workspace
    from annotator.release.sample_project import DemoResult
    from scoring.agreement.coefficients import Coefficient


def register(app: typer.Typer) -> None:
    """Add this command to the `annotator` command."""
    app.command(epilog=example("annotator demo --headless --dir sample"))(demo)


def demo(
    folder: Annotated[Path | None, typer.Option("--dir", help="Folder of the sample project.")] = None,
    headless: Annotated[
        bool, typer.Option("--headless", help="Walk every case through all stages and print the tables.")
    ] = False,
    generate: Annotated[
        bool,
        typer.Option(
            "--generate", help="Let a bundled endpoint make the missing sequences, without any key."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Open the sample project. With --headless walk it from import to a scored release."""
    if generate:
        _generate(folder or _sample_folder(), json=json)
        if headless:
            return
        raise typer.Exit(open_sample(folder))
    if headless:
        _walk(folder or Path(tempfile.mkdtemp(prefix="annotator-demo-")), json=json)
        return
    raise typer.Exit(open_sample(folder))


def _walk(folder: Path, *, json: bool) -> None:
    from annotator.release.sample_project import found_demo, walk_demo
    from annotator.review.measures.progress import stage_report

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


def _sample_folder() -> Path:
    """Where the window keeps the sample project."""
    import platformdirs

    return platformdirs.user_data_path("annotator", appauthor=False)


def _generate(folder: Path, *, json: bool) -> None:
    from annotator.cases.coverage import project_coverage
    from annotator.generation.sample_run import BATCH, generate_sample
    from annotator.release.sample_project import make_sample

    folder.mkdir(parents=True, exist_ok=True)
    project = folder / "samples.db"
    if not project.exists():
        with job_context() as context:
            make_sample(project, context=context)
    with opened(str(project), None) as workspace:
        before = project_coverage(workspace).coverage
        with job_context() as context:
            state = generate_sample(workspace, context=context)
        after = project_coverage(workspace).coverage
    made = counted(state.finished if state else 0, "case")
    print_result(
        {"project": str(project), "generated": state, "before": before.total, "after": after.total},
        f"{made} generated into batch {BATCH} of {project}.",
        f"Sequences of policies covered: {before.total.count} before, {after.total.count} now.",
        json=json,
    )


def _print(workspace: "Workspace", result: "DemoResult", folder: Path) -> None:
    from annotator.release.reports.score_tables import score_tables
    from annotator.review.measures.progress import stage_report
    from annotator.review.measures.rater_agreement import agreement
    from scoring.agreement.fields import AgreementMeasure

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
    measures = (
        AgreementMeasure.PERCENT,
        AgreementMeasure.KAPPA,
        AgreementMeasure.ALPHA,
        AgreementMeasure.AC1,
        AgreementMeasure.F1,
    )
    rows = agreement(workspace)
    print_table(
        ["field", *measures],
        [[row.field, *(_figure(row.coefficients.get(measure)) for measure in measures)] for row in rows],
        title="\nAgreement of owner and cross-checkers",
    )
    for table in score_tables(result.runs, is_brief=True):
        print_table(table.columns, table.rows, title=f"\n{table.heading}")
    say(f"\nContent hash {content.content_sha256}")


def _figure(coefficient: "Coefficient | None") -> str:
    if coefficient is None:
        return ""
    return "undefined" if coefficient.value is None else f"{coefficient.value:.3f}"
