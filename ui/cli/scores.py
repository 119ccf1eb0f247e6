"""Commands that score predictions and print reports."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from scoring.errors import InputError
from scoring.model.taxonomy import InfraErrors, Protocol, ReportFormat, Semantics
from scoring.wording import counted
from ui.cli.options import (
    Json,
    Person,
    Project,
    argument_rules,
    check_person,
    example,
    opened,
    refuse_two_outputs,
)
from ui.cli.output import job_context, print_json, print_table, say, tell

_INFRA_HELP = "How tasks that failed outside the model count: wrong or left-out."


def register(app: typer.Typer) -> None:
    """Add these commands to the `annotator` command."""
    app.command(epilog=example("annotator score release m.jsonl -o scores/m"))(score)
    app.command(epilog=example("annotator report scores/a scores/b --format html -o report.html"))(report)


def score(
    cases: Annotated[Path, typer.Argument(metavar="CASES", help="A release folder or any importable file.")],
    predictions: Annotated[list[Path], typer.Argument(metavar="PREDICTIONS")],
    out: Annotated[Path, typer.Option("-o", "--output", help="Folder for scorecard.json and tasks.csv.")],
    semantics: Annotated[Semantics, typer.Option("--semantics")] = Semantics.PAPER,
    arguments: Annotated[str, typer.Option("--arguments", help="auto, wtb, c3 or wtb-strict.")] = "auto",
    protocol: Annotated[
        Protocol | None, typer.Option("--protocol", help="As the predictions say, else wildtool.")
    ] = None,
    infra_errors: Annotated[
        InfraErrors, typer.Option("--infra-errors", help=_INFRA_HELP)
    ] = InfraErrors.WRONG,
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
    from annotator.files import readable_files
    from annotator.release.reports.score_tables import score_tables
    from annotator.release.runs.evaluation import evaluate, load_cases, record_run, write_scorecard
    from annotator.release.runs.workers import scoring_executor
    from scoring.prediction_files import recorded_protocol

    rules = argument_rules(arguments)
    if place is not None:
        check_person(place, person)
    with readable_files(cases, *predictions) as (read, *parts):
        protocol = protocol or recorded_protocol(parts) or Protocol.WILDTOOL
        gold = load_cases(read)
        with job_context() as context, scoring_executor(workers=workers, cluster=cluster) as executor:
            card = evaluate(
                gold,
                parts,
                context=context,
                semantics=semantics,
                arguments=rules,
                protocol=protocol,
                executor=executor,
                source=read,
            ).counting(infra_errors)
        if not card.summary.predictions:
            first = f" The first was ignored: {card.ignored[0].reason}" if card.ignored else ""
            raise InputError(
                f"No prediction fits the {counted(len(gold), 'case')}.{first}",
                "Check that both are of the same release.",
            )
        write_scorecard(card, out)
        name = name or parts[0].stem
        if place is not None:
            with opened(place, person) as workspace:
                record_run(workspace, name, card=card, predictions=parts, source=read)
    if json:
        print_json({"summary": card.summary, "ignored": card.ignored, "cases_sha256": card.cases_sha256})
        return
    for table in score_tables([(name, card)], is_brief=True):
        print_table(table.columns, table.rows, title=f"\n{table.heading}")
    summary = card.summary
    say(
        f"\n{counted(summary.tasks, 'task')}, {summary.missing} without a prediction, "
        f"{summary.infra_errors} failed outside the model ({summary.infra_errors_count.words}), "
        f"{counted(summary.ignored, 'prediction')} ignored."
    )
    for item in card.ignored[:10]:
        tell(f"ignored: {item.reason}")


class Theme(StrEnum):
    """Colours of pictures."""

    LIGHT = "light"
    DARK = "dark"


def report(
    directories: Annotated[
        list[Path],
        typer.Argument(metavar="DIR", help="Folders `annotator score` wrote."),
    ],
    form: Annotated[ReportFormat, typer.Option("--format")],
    out: Annotated[Path, typer.Option("-o", "--output")],
    pictures: Annotated[
        Path | None, typer.Option("--pictures", help="Also write every picture there, as PNG and SVG.")
    ] = None,
    infra_errors: Annotated[
        InfraErrors | None, typer.Option("--infra-errors", help=f"{_INFRA_HELP} As scored unless given.")
    ] = None,
    theme: Annotated[Theme, typer.Option("--theme", help="Colours of --pictures.")] = Theme.LIGHT,
    json: Json = False,
) -> None:
    """Write tables of scored runs side by side. As HTML also pictures.

    A c2 run and a c3 or wildtool run whose names differ only by such an ending are taken as one model.
    """
    from annotator.files import readable_files, replace_text
    from annotator.release.reports.album import save_album
    from annotator.release.reports.figure_style import DARK, LIGHT
    from annotator.release.reports.report import report as write_report
    from annotator.release.runs.evaluation import read_scorecard

    refuse_two_outputs(out, json=json)
    with readable_files(*directories) as read:
        cards = [
            (name, card.counting(infra_errors or card.summary.infra_errors_count))
            for name, card in zip(_names(read), map(read_scorecard, read), strict=True)
        ]
    replace_text(out, write_report(cards, form, title="Scores"))
    palette = DARK if theme is Theme.DARK else LIGHT
    files = save_album(cards, pictures, palette=palette) if pictures else ()
    if json:
        print_json({"file": str(out), "runs": len(cards), "pictures": [str(file) for file in files]})
        return
    say(f"{counted(len(cards), 'run')} written to {out}.", beside=out)
    if files:
        say(f"{counted(len(files), 'picture')} written to {pictures}.", beside=out)


def _names(directories: Sequence[Path]) -> list[str]:
    """What runs are called: by their folder, or by its whole path where two folders share a name."""
    names = [directory.resolve().name for directory in directories]
    paths = map(str, directories)
    return [name if names.count(name) == 1 else path for name, path in zip(names, paths, strict=True)]
