"""Commands that score predictions and print reports."""

from pathlib import Path
from typing import Annotated

import typer

from annotator.files import replace_text
from annotator.release.evaluating import evaluate, load_cases, read_scorecard, record_run, write_scorecard
from annotator.release.reporting import ReportFormat, render, score_tables
from annotator.release.run_files import recorded_protocol
from annotator.release.workers import scoring_executor
from scoring.errors import InputError
from scoring.model.taxonomy import Protocol, Semantics
from ui.cli.options import Json, Person, Project, argument_rules, opened
from ui.cli.output import job_context, print_json, print_table, say, tell


def register(app: typer.Typer) -> None:
    """Add these commands to the `annotator` command."""
    app.command()(score)
    app.command()(report)


def score(
    cases: Annotated[Path, typer.Argument(metavar="CASES", help="A release folder or any importable file.")],
    predictions: Annotated[list[Path], typer.Argument(metavar="PREDICTIONS...")],
    out: Annotated[Path, typer.Option("-o", "--output", help="Folder for scorecard.json and tasks.csv.")],
    semantics: Annotated[Semantics, typer.Option("--semantics")] = Semantics.PAPER,
    arguments: Annotated[str, typer.Option("--arguments", help="auto, wtb, c3 or wtb-strict.")] = "auto",
    protocol: Annotated[
        Protocol | None, typer.Option("--protocol", help="As the predictions say, else wildtool.")
    ] = None,
    name: Annotated[str, typer.Option("--name", help="Name of the run in the project.")] = "",
    workers: Annotated[int, typer.Option("--workers", min=1, help="Processes to score in.")] = 1,
    cluster: Annotated[
        str | None, typer.Option("--cluster", help="Address of a Dask scheduler to score on.")
    ] = None,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Score predictions; several files are parts of one run. With -p the run is kept in the project."""
    rules = argument_rules(arguments)
    protocol = protocol or recorded_protocol(predictions) or Protocol.WILDTOOL
    gold = load_cases(cases)
    with job_context() as context, scoring_executor(workers=workers, cluster=cluster) as executor:
        card = evaluate(
            gold,
            predictions,
            context=context,
            semantics=semantics,
            arguments=rules,
            protocol=protocol,
            executor=executor,
        )
    if not card.summary.predictions:
        first = f" The first was ignored: {card.ignored[0].reason}" if card.ignored else ""
        raise InputError(
            f"No prediction fits the {len(gold)} cases.{first}", "Check that both are of the same release."
        )
    write_scorecard(card, out)
    if place is not None:
        with opened(place, person) as workspace:
            record_run(workspace, name or predictions[0].stem, card=card)
    if json:
        print_json({"summary": card.summary, "ignored": card.ignored, "cases_sha256": card.cases_sha256})
        return
    for table in score_tables([(name or predictions[0].stem, card)]):
        print_table(table.columns, table.rows, title=f"\n{table.title} (%)")
    summary = card.summary
    say(
        f"\n{summary.tasks} tasks, {summary.missing} without a prediction, "
        f"{summary.infra_errors} failed outside the model, {summary.ignored} predictions ignored."
    )
    for item in card.ignored[:10]:
        tell(f"ignored: {item.reason}")


def report(
    directories: Annotated[list[Path], typer.Argument(metavar="DIR...")],
    form: Annotated[ReportFormat, typer.Option("--format")],
    out: Annotated[Path, typer.Option("-o", "--output")],
    json: Json = False,
) -> None:
    """Write the tables of one or several scored runs side by side."""
    cards = [(directory.name, read_scorecard(directory)) for directory in directories]
    replace_text(out, render(score_tables(cards), form, title="Scores"))
    if json:
        print_json({"file": str(out), "runs": len(cards)})
    else:
        say(f"{len(cards)} runs written to {out}.")
