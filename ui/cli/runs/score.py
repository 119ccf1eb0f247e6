"""The command that scores predictions."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scoring.errors import InputError
from scoring.model.taxonomy import InfraErrors, Protocol, Semantics, Undrawn
from scoring.wording import counted
from ui.cli.command import CommandResult, Shape, command
from ui.cli.options import (
    INFRA_HELP,
    NAME_HELP,
    ModelsFile,
    Person,
    Project,
    argument_rules,
    check_person,
    opened,
)
from ui.cli.output import Table, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from annotator.jobs import JobContext
    from scoring.scorecard import Scorecard


app = typer.Typer()
_SCORES: dict[Any, Shape] = {
    "summary": "scoring.measures.summary.Summary",
    "ignored": ["scoring.predictions.Ignored"],
}


@command(
    app,
    "score",
    gives=(
        {"cases_sha256": str, **_SCORES},
        {"cases_sha256": str, "runs": [{"name": str, "folder": str, **_SCORES}]},
    ),
    example="annotator score release m.jsonl -o scores/m",
)
def score(
    context: "JobContext",
    cases: Annotated[Path, typer.Argument(metavar="CASES", help="A release folder or any importable file.")],
    predictions: Annotated[list[Path], typer.Argument(metavar="PREDICTIONS")],
    out: Annotated[Path, typer.Option("-o", "--output", help="Folder for scorecard.json and tasks.csv.")],
    semantics: Annotated[
        Semantics,
        typer.Option("--semantics", "--rules", help="The papers' rules, the released code's, or BFCL's."),
    ] = Semantics.PAPER,
    arguments: Annotated[
        str, typer.Option("--arguments", help="auto, wtb, c3, wtb-strict or accepted.")
    ] = "auto",
    protocol: Annotated[
        Protocol | None, typer.Option("--protocol", help="As the predictions say, else wildtool.")
    ] = None,
    undrawn: Annotated[
        Undrawn, typer.Option("--undrawn", help="How tasks of a file without dependencies are matched.")
    ] = Undrawn.RECORDED,
    infra_errors: Annotated[InfraErrors, typer.Option("--infra-errors", help=INFRA_HELP)] = InfraErrors.WRONG,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(metavar="METRIC=X", help="Exit with 3 where e.g. task_accuracy=0.8 is not reached."),
    ] = None,
    name: Annotated[str, typer.Option("--name", help=NAME_HELP)] = "",
    each: Annotated[
        bool,
        typer.Option(
            "--each", help="Score each file as a run of its own, into a folder of -o under its name."
        ),
    ] = False,
    models: ModelsFile = None,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Processes to score in.")] = 1,
    cluster: Annotated[
        str | None, typer.Option("--cluster", help="Address of a Dask scheduler to score on.")
    ] = None,
    place: Project = None,
    person: Person = None,
) -> CommandResult:
    """Score predictions; several files are parts of one run. With -p the run is kept in the project.

    paper scores as the papers describe it, reference as their released code does, bug for bug, bfcl as BFCL's
    checker. The rules and where they differ: resources/rules.md; in the window F1 on Judged, or Shift+F1.
    """
    import gc

    from annotator.files import readable_files
    from annotator.release.runs.evaluation import write_scorecard
    from annotator.release.runs.model_cards import read_models, with_cards
    from annotator.release.runs.workers import score_runs

    gc.disable()  # nothing that is read here leads back to itself, and looking took a tenth of the time
    rules = argument_rules(arguments)
    listed = read_models(models) if models else ()
    floors = _floors(fail_under or ())
    if each and name:
        raise typer.BadParameter("--name is for one run; with --each they are named by model and setting.")
    if place is not None:
        check_person(place, person)
    folders = _folders(out, predictions) if each else [out]
    cards = []
    with readable_files(cases, *predictions) as (read, *parts):
        runs = [[part] for part in parts] if each else [parts]
        scored = score_runs(
            read,
            runs,
            context=context,
            undrawn=undrawn,
            workers=workers,
            cluster=cluster,
            name=name,
            semantics=semantics,
            arguments=rules,
            protocol=protocol,
        )
        for card, folder in zip(scored, folders, strict=True):
            [card] = with_cards([card.counting(infra_errors)], listed)
            write_scorecard(card, folder)
            cards.append(card)
        if place is not None:
            from annotator.release.runs.recorded_runs import record_run  # brings the database

            with opened(place, person) as workspace:
                for card, files in zip(cards, runs, strict=True):
                    record_run(workspace, card.name, card=card, predictions=files, source=read)
    missed = [
        f"{key} is {percent(getattr(card.summary, key))} %, less than {percent(least)} %."
        for card in cards
        for key, least in floors.items()
        if (getattr(card.summary, key) or 0) < least
    ]
    notes = [note for card in cards for note in _doubts(card)]
    document = _score_document(cards, folders if each else None)
    return CommandResult(document, _score_parts(cards), [*notes, *missed], code=3 if missed else 0)


def _folders(out: Path, predictions: Sequence[Path]) -> list[Path]:
    folders = [out / path.stem for path in predictions]
    if len(set(folders)) < len(folders):
        name = next(folder.name for folder in folders if folders.count(folder) > 1)
        raise InputError(
            f"Two of the files are called {name}, and so would be the folders of their scores.",
            "Give each file a name of its own.",
        )
    return folders


def _score_document(cards: "Sequence[Scorecard]", folders: "Sequence[Path] | None") -> "dict[str, object]":
    """The scores as JSON: of one run, or with the folders of several."""
    if folders is None:
        return {
            "summary": cards[0].summary,
            "ignored": cards[0].ignored,
            "cases_sha256": cards[0].cases_sha256,
        }
    runs = [
        {"name": card.name, "folder": str(folder), "summary": card.summary, "ignored": card.ignored}
        for card, folder in zip(cards, folders, strict=True)
    ]
    return {"runs": runs, "cases_sha256": cards[0].cases_sha256}


def _floors(texts: Sequence[str]) -> dict[str, float]:
    """The least values (0..1) asked for by `METRIC=X`, by the metric's name in the summary."""
    from scoring.measures.catalogue import MEASURES

    known = [measure.headline for measure in MEASURES if measure.headline]
    floors = {}
    for text in texts:
        key, _, typed = text.partition("=")
        try:
            floors[key] = float(typed.removesuffix("%")) / (100 if typed.endswith("%") else 1)
        except ValueError:
            floors[key] = -1
        if key not in known or not 0 <= floors[key] <= 1:
            raise typer.BadParameter(
                f"'{text}' is not METRIC=X: X from 0 to 1 or 0% to 100%, METRIC one of {', '.join(known)}."
            )
    return floors


def _score_parts(cards: "Sequence[Scorecard]") -> "Iterator[Table | str]":
    from annotator.release.reports.run_groups import named
    from annotator.release.reports.score_tables import score_tables

    told = named(cards)
    yield from (
        Table(table.columns, table.rows, f"\n{table.heading}") for table in score_tables(told, is_brief=True)
    )
    for name, card in told:
        summary = card.summary
        words = (
            f"{counted(summary.tasks, 'task')}, {summary.missing} without a prediction, "
            f"{summary.infra_errors} failed outside the model ({summary.infra_errors_count.words}), "
            f"{counted(summary.ignored, 'prediction')} ignored."
        )
        yield f"\n{name}: {words}" if len(told) > 1 else f"\n{words}"


def _doubts(card: "Scorecard") -> "Iterator[str]":
    """What to know of the figures beside them."""
    summary = card.summary
    if summary.undrawn.count:
        yield f"Tasks without dependencies in their file: {summary.undrawn.words}."
    if summary.unpassable:
        tasks = counted(summary.unpassable, "task")
        yield f"No reply can pass {tasks}: the gold breaks the schema of its own tool."
    yield from (f"ignored: {item.reason}" for item in card.ignored[:10])
