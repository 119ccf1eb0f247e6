"""Commands that lay scored runs side by side: a paper's tables, one task, a report."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scoring.errors import InputError
from scoring.model.taxonomy import Grouping, InfraErrors, ReportFormat
from scoring.wording import counted
from ui.cli.command import CommandResult, Shape, command
from ui.cli.options import INFRA_HELP, ModelsFile, Person, Project, TevalFolders, opened
from ui.cli.output import Table

if TYPE_CHECKING:
    from annotator.jobs import JobContext


app = typer.Typer()
Groups = Annotated[
    list[Grouping] | None,
    typer.Option("--group", help="Group runs by the cards of their models; may be repeated."),
]
_RUN_ON_TASK: Shape = {
    "run": str,
    "left": (int, None),
    "path": [[int]],
    "said": [str],
    "score": "scoring.matching.task_scores.TaskScore",
    "asks_again": "scoring.measures.rates.Rate",
}
"""What a run did with a task: the round it left the legal orders in, the steps of the rounds before.

`asks_again` is about all its wrong tasks.
"""


def _check_order(order: str) -> None:
    from scoring.measures.catalogue import MEASURES

    known = ["name", "size", *(measure.headline for measure in MEASURES if measure.headline)]
    if order and order not in known:
        raise typer.BadParameter(f"'{order}' is not one of {', '.join(known)}.", param_hint="'--sort'")


class PictureTheme(StrEnum):
    """Colours of pictures."""

    LIGHT = "light"
    DARK = "dark"


@command(
    app,
    "paper",
    gives={"folder": str, "files": [str]},
    example="annotator paper releases/2026.11 scores/a model-b.jsonl -o paper",
)
def paper(
    context: "JobContext",
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="A release folder, or a file of cases.")],
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUNS", help="Folders `annotator score` wrote, or files of predictions."),
    ],
    out: Annotated[Path, typer.Option("-o", "--output", help="A folder, made anew.")],
    infra_errors: Annotated[
        InfraErrors | None, typer.Option("--infra-errors", help=f"{INFRA_HELP} As scored unless given.")
    ] = None,
    by: Groups = None,
    teval: TevalFolders = None,
) -> CommandResult:
    """Write a paper's results section. Tables, pictures, numbers for LaTeX, methods and a manifest.

    A file of predictions is scored first, by the usual rules. The same inputs give the same bytes.
    """
    from annotator.files import readable_files
    from annotator.release.reports.dataset_tables import set_name
    from annotator.release.reports.paper import write_paper
    from annotator.release.reports.teval_section import read_teval
    from annotator.release.runs.evaluation import evaluate, load_gold, read_scorecard

    with readable_files(release, *runs) as (read, *parts):
        gold = load_gold(read)
        cards = [
            read_scorecard(part) if part.is_dir() else evaluate(gold, [part], context=context, source=read)
            for part in parts
        ]
        counting = [card.counting(infra_errors or card.summary.infra_errors_count) for card in cards]
        files = write_paper(
            gold, counting, out, release=set_name(release), by=by or (), teval=read_teval(teval or ())
        )
    return CommandResult(
        {"folder": str(out), "files": [str(file.relative_to(out)) for file in files]},
        [f"{counted(len(files), 'file')} of {counted(len(runs), 'run')} written to {out}."],
    )


@command(
    app,
    "replies",
    gives={"case": str, "task": int, "others": int, "runs": [_RUN_ON_TASK], "pictures": [str]},
    example="annotator replies one-fails releases/2026.11 a.jsonl b.jsonl",
)
def replies(
    context: "JobContext",
    case: Annotated[
        str,
        typer.Argument(metavar="CASE", help="A case; or all-fail, one-fails, orders-differ, asks-again."),
    ],
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="A release folder, or a file of cases.")],
    runs: Annotated[list[Path], typer.Argument(metavar="RUNS", help="Files of predictions, each a run.")],
    task: Annotated[int, typer.Option("--task", min=0, help="Number of the task, from 0.")] = 0,
    out: Annotated[Path | None, typer.Option("-o", "--output", help="Write the table there.")] = None,
    form: Annotated[ReportFormat, typer.Option("--format", help="Form of the file.")] = ReportFormat.MARKDOWN,
    pictures: Annotated[
        Path | None,
        typer.Option("--pictures", help="Also draw the replies and the tree of legal orders there."),
    ] = None,
) -> CommandResult:
    """Show what each run did with one task, side by side. Says where each left the legal orders.

    A rule in place of the case picks a task: all-fail one that every run gets wrong, one-fails one that a
    single run does, orders-differ one that two get right in different orders, asks-again one where a run asks
    for what was said before. With a rule, --task skips so many of the tasks it picks. Pictures count tasks
    from 1, as the papers do.
    """
    from annotator.files import readable_files, replace_bytes
    from annotator.release.reports.album import save_album
    from annotator.release.reports.report import render
    from annotator.release.runs.evaluation import load_gold
    from annotator.release.runs.order_trees import task_pictures
    from annotator.release.runs.task_replies import Pick, look_through, read_runs, replies_table, taken_by

    with readable_files(release, *runs) as (read, *parts):
        gold = load_gold(read)
        found = read_runs(parts, gold, source=read, context=context)
    picks = look_through(gold, found, context=context)
    keys = picks.keys[Pick(case)] if case in list(Pick) else ((case, task),)
    if case in list(Pick) and task >= len(keys):
        none = f"{case} picks no task among those that every run answered."
        raise InputError(
            f"{case} picks {counted(len(keys), 'task')}; --task counts them from 0." if keys else none,
            "Name another rule, or a case.",
        )
    key = keys[task] if case in list(Pick) else keys[0]
    taken = taken_by(gold, key, found)
    table = replies_table(gold.golds[key], taken, asks=picks.asks)
    if out is not None:
        replace_bytes(out, render([table], form, title=table.title))
    files = save_album(task_pictures(gold.golds[key], taken), pictures) if pictures else ()
    return CommandResult(
        {
            "case": key[0],
            "task": key[1],
            "others": len(keys) - 1,
            "runs": [
                {
                    "run": one.run,
                    "left": one.left,
                    "path": one.path,
                    "said": one.said,
                    "score": one.score,
                    "asks_again": picks.asks[one.run],
                }
                for one in taken
            ],
            "pictures": [str(file) for file in files],
        },
        [
            Table(table.columns, table.rows, table.title) if out is None else f"Written to {out}.",
            *table.notes,
            f"{counted(len(keys), 'task')}: {case}." if case in list(Pick) else "",
            f"{counted(len(files), 'picture')} written to {pictures}." if files else "",
        ],
    )


@command(
    app,
    "report",
    gives={"file": str, "runs": int, "pictures": [str]},
    example="annotator report scores/a scores/b --format html -o report.html",
    writes="out",
)
def report(
    context: "JobContext",
    out: Annotated[Path, typer.Option("-o", "--output", help="The file; the folder of a project's pages.")],
    directories: Annotated[
        list[Path] | None,
        typer.Argument(metavar="DIR", help="Folders `annotator score` wrote; none for a project."),
    ] = None,
    form: Annotated[ReportFormat | None, typer.Option("--format", help="Form of the file.")] = None,
    pictures: Annotated[
        Path | None, typer.Option("--pictures", help="Also write every picture there, as PNG, SVG and PDF.")
    ] = None,
    infra_errors: Annotated[
        InfraErrors | None, typer.Option("--infra-errors", help=f"{INFRA_HELP} As scored unless given.")
    ] = None,
    by: Groups = None,
    order: Annotated[
        str, typer.Option("--sort", help="A metric such as task_accuracy, name or size; else as named.")
    ] = "",
    models: ModelsFile = None,
    theme: Annotated[
        PictureTheme, typer.Option("--theme", help="Colours of --pictures.")
    ] = PictureTheme.LIGHT,
    teval: TevalFolders = None,
    dialogues: Annotated[
        bool, typer.Option("--dialogues", help="Also a page with the final dialogues of the project.")
    ] = False,
    place: Project = None,
    person: Person = None,
) -> CommandResult:
    """Write tables of scored runs, or pages about a project. As HTML also pictures.

    Without a DIR the project is written into the folder as pages for people without the program: progress,
    agreement, coverage and quality; no names of people and, unless asked for, no text of a dialogue.

    Runs are named by model and setting. Those scored under different rules stand in tables of their own. VF
    and DDD need a c2 run and a c3 or wildtool run of one model under one setting and the same rules. The best
    figure of a column is bold and the second best underlined, in each group and only among comparable runs.
    """
    from annotator.files import readable_files, replace_bytes
    from annotator.release.reports.album import album, save_album
    from annotator.release.reports.figure_style import DARK, LIGHT
    from annotator.release.reports.report import report as write_report
    from annotator.release.reports.run_groups import named
    from annotator.release.reports.teval_section import read_teval, teval_pictures
    from annotator.release.runs.evaluation import read_scorecard
    from annotator.release.runs.model_cards import read_models, with_cards

    if not directories and form is not None:
        raise typer.BadParameter("Name the folders of the runs to report.", param_hint="'DIR...'")
    if not directories:
        from annotator.release.project_site import write_site

        with opened(place, person) as workspace:
            pages = write_site(workspace, out, context=context, has_dialogues=dialogues)
        return CommandResult(
            {"file": str(pages[0]), "runs": 0, "pictures": []},
            [f"{counted(len(pages), 'page')} written to {out}: open {pages[0]}."],
        )
    if form is None:
        raise typer.BadParameter("Name the form of the file.", param_hint="'--format'")
    _check_order(order)
    listed = read_models(models) if models else ()
    with readable_files(*directories) as read:
        found = with_cards(map(read_scorecard, read), listed)
    cards = named([card.counting(infra_errors or card.summary.infra_errors_count) for card in found])
    beside = read_teval(teval or ())
    replace_bytes(out, write_report(cards, form, title="Scores", by=by or (), order=order, teval=beside))
    palette = DARK if theme is PictureTheme.DARK else LIGHT
    drawn = (*album(cards), *teval_pictures(beside))
    files = save_album(drawn, pictures, palette=palette) if pictures else ()
    return CommandResult(
        {"file": str(out), "runs": len(cards), "pictures": [str(file) for file in files]},
        [
            f"{counted(len(cards), 'run')} written to {out}.",
            f"{counted(len(files), 'picture')} written to {pictures}." if files else "",
        ],
    )
