"""Commands that run models on cases, score their predictions and compare the scores."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scoring.errors import InputError
from scoring.model.taxonomy import Grouping, InfraErrors, Protocol, ReportFormat, Semantics, ToolMode, Undrawn
from scoring.wording import counted
from ui.cli.command import CommandResult, Shape, command
from ui.cli.options import Person, Project, TevalFolders, argument_rules, check_person, opened, order_of
from ui.cli.output import Table, percent, progress_lines, stoppable_context, tell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace
    from annotator.release.runs.model_run import RunState
    from annotator.release.runs.orders import RunOrder
    from scoring.model.record import JsonObject
    from scoring.scorecard import Scorecard


app = typer.Typer()
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
_NAME_HELP = "What the run is called; else by model and setting."
_SCORES: dict[Any, Shape] = {
    "summary": "scoring.measures.summary.Summary",
    "ignored": ["scoring.predictions.Ignored"],
}


@command(
    app,
    "run",
    gives=(
        {
            "*": "annotator.release.runs.model_run.RunState",
            "accuracy": "scoring.measures.rates.Rate",
            "is_finished": bool,
            "predictions": str,
        },
        {"runs": ["annotator.release.runs.many_runs.ModelRun"]},
    ),
    example="annotator run release --model M --base-url URL -o m.jsonl",
    writes="out",
)
def run(
    cases: Annotated[Path, typer.Argument(metavar="CASES", help="A release folder or any importable file.")],
    out: Annotated[
        Path,
        typer.Option(
            "-o", "--output", help="Predictions file, with --models a folder; runs continue where they end."
        ),
    ],
    model: Annotated[
        str, typer.Option("--model", envvar="ANNOTATOR_MODEL", help="The model's name at the endpoint.")
    ] = "",
    base_url: Annotated[
        str, typer.Option("--base-url", envvar="ANNOTATOR_BASE_URL", help="Address up to /v1.")
    ] = "",
    models: Annotated[
        Path | None,
        typer.Option("--models", help="Ask each model of this file, models.toml, at its address."),
    ] = None,
    together: Annotated[int, typer.Option(min=1, max=64, help="Models of --models asked at once.")] = 1,
    api_key_env: Annotated[
        str | None,
        typer.Option(
            "--api-key-env",
            help="Variable with the API key; else the keyring (annotator-models, HOST), else none is sent.",
        ),
    ] = None,
    protocol: Annotated[
        Protocol,
        typer.Option(help="Earlier tasks: c2 as seen by the user, the others with calls and results."),
    ] = Protocol.WILDTOOL,
    tools: Annotated[
        ToolMode, typer.Option(help="native function calling, or the prompt protocol.")
    ] = ToolMode.NATIVE,
    concurrency: Annotated[int, typer.Option(min=1, max=256, help="Tasks sent at the same time.")] = 4,
    temperature: Annotated[float | None, typer.Option(min=0, help="Default: the endpoint's own.")] = None,
    top_p: Annotated[float | None, typer.Option(min=0, max=1, help="Likewise.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Longest reply.")] = None,
    seed: Annotated[int | None, typer.Option(help="For endpoints that know it.")] = None,
    body: Annotated[str, typer.Option(help="Further fields of the request, as a JSON object.")] = "{}",
    merge_results: Annotated[
        bool,
        typer.Option("--merge-results", help="All results of a round in one tool message."),
    ] = False,
    date_in_request: Annotated[
        bool,
        typer.Option("--date-in-request", help="The date below the request, not before it."),
    ] = False,
    read_text_calls: Annotated[
        bool,
        typer.Option("--read-text-calls", help="Also take calls a model writes as text."),
    ] = False,
    arguments: Annotated[str, typer.Option(help="Rules for arguments: auto, wtb, c3, wtb-strict.")] = "auto",
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for one whole reply.")] = 180.0,
    retries: Annotated[int, typer.Option(min=0, help="Further attempts after one that failed.")] = 6,
    requests_per_minute: Annotated[
        float | None, typer.Option(min=0.01, help="Spaces requests evenly.")
    ] = None,
    budget_tokens: Annotated[int | None, typer.Option(min=1, help="Token limit.")] = None,
    budget_dollars: Annotated[
        float | None, typer.Option(min=0.0001, help="Spending limit in dollars; requires prices.")
    ] = None,
    prompt_price: Annotated[float | None, typer.Option(min=0, help="Dollars per million tokens.")] = None,
    completion_price: Annotated[float | None, typer.Option(min=0, help="Dollars per million tokens.")] = None,
    name: Annotated[str, typer.Option("--name", help=_NAME_HELP)] = "",
    workspace: "Workspace | None" = None,
) -> CommandResult:
    """Ask a model, or several, every task. After a stop the same command continues; -p records the runs."""
    from annotator.files import is_stream
    from annotator.release.runs.orders import RunOrder

    if workspace is not None and is_stream(out):
        raise InputError("A run is recorded from its file.", "Name a regular file with -o.")
    setting = {
        "model": model,
        "protocol": protocol,
        "tools": tools,
        "layout": {"merge_results": merge_results, "date_in_request": date_in_request},
        "read_text_calls": read_text_calls,
        "sampling": {
            "temperature": temperature,
            "top_p": top_p or None,
            "max_tokens": max_tokens,
            "seed": seed,
            "extra": _fields(body),
        },
    }
    budget = {
        "tokens": budget_tokens,
        "dollars": budget_dollars,
        "prompt_price": prompt_price,
        "completion_price": completion_price,
    }
    rules = argument_rules(arguments)
    values = {
        "cases": cases,
        "base_url": base_url,
        "api_key_variable": api_key_env or "",
        "plan": {"setting": setting, "budget": budget, "concurrency": concurrency, "arguments": rules},
        "patience": {
            "timeout_seconds": timeout,
            "retries": retries,
            "requests_per_minute": requests_per_minute,
        },
        "out": out,
        "name": name,
    }
    if models is not None:
        if name:
            raise typer.BadParameter(
                "--name is for one run; with --models they are named by model and setting."
            )
        return _run_models(models, values, out, together=together, workspace=workspace)
    if not (model and base_url):
        raise typer.BadParameter(
            "Name a model with --model and its address with --base-url, or --models FILE."
        )
    order = order_of(RunOrder, values)
    _ = workspace and workspace.person  # who cannot record the run is told before it is asked
    state = _watched(order, workspace)
    document = {
        **state.model_dump(mode="json"),
        "accuracy": state.accuracy,
        "is_finished": state.is_finished,
        "predictions": str(out),
    }
    return CommandResult(document, _run_words(state, out, is_recorded=workspace is not None))


def _fields(text: str) -> "JsonObject":
    from scoring.model.strict_json import parse

    try:
        value = parse(text)
    except InputError as exc:
        raise InputError(f"--body is not JSON: {exc.message}", 'Write it like {"top_k": 20}.') from exc
    if not isinstance(value, dict):
        raise InputError("--body is not a JSON object.", 'Write it like {"top_k": 20}.')
    return value


def _watched(order: "RunOrder", workspace: "Workspace | None") -> "RunState":
    """Run with a progress bar; the first Ctrl+C stops between replies, the second at once."""
    from annotator.jobs import JobCancelled
    from annotator.release.runs.model_run import RunState

    last = RunState(total=0)

    def note(state: RunState) -> None:
        nonlocal last
        last = state

    try:
        with stoppable_context() as context:
            return order.carry_out(workspace, context=context, listen=note).value
    except (JobCancelled, KeyboardInterrupt):
        are = "is" if last.total == 1 else "are"
        tell(f"{last.answered} of {counted(last.total, 'task')} {are} answered in {order.out}.")
        tell("To continue, run the same command again.")
        raise JobCancelled from None


def _run_models(
    file: Path, values: "dict[str, Any]", folder: Path, *, together: int, workspace: "Workspace | None"
) -> CommandResult:
    """Run every model of a file; what failed is said at the end, and the exit code is 1 then."""
    from annotator.release.runs.many_runs import ModelsOrder, run_orders
    from annotator.release.runs.model_cards import read_models

    runs = run_orders(read_models(file), values, folder=folder)
    _ = workspace and workspace.person  # who cannot record them is told before anybody is asked
    with progress_lines([name for name, _ in runs]) as show, stoppable_context(is_drawn=False) as context:
        order = order_of(ModelsOrder, {"runs": runs, "together": together})
        ended = order.carry_out(workspace, context=context, show=show).value
    table = Table(
        ["model", "answered", "of", "right", "tokens", "run"],
        [
            [
                one.model,
                one.state.answered,
                one.state.total,
                one.state.correct,
                one.state.prompt_tokens + one.state.completion_tokens,
                one.state.run or "",
            ]
            for one in ended
        ],
    )
    failed = [f"{one.model}: {one.failure} {one.hint}".rstrip() for one in ended if one.failure]
    left = [
        f"{one.model}: {one.state.note}." for one in ended if not one.failure and not one.state.is_finished
    ]
    return CommandResult({"runs": ended}, [table], [*failed, *left], code=1 if failed else 0)


def _run_words(state: "RunState", out: Path, *, is_recorded: bool) -> "Iterator[str]":
    tokens = counted(state.prompt_tokens + state.completion_tokens, "token")
    tasks = counted(state.total, "task")
    yield f"{state.answered} of {tasks} answered in {out}: {state.note}; {tokens}."
    if state.is_over_budget:
        yield "The budget is used up. To continue, run the same command with a larger one."
    elif state.infra_errors:
        yield "To retry the failed tasks, run the same command again."
    if state.run is not None:
        yield f"Recorded as run {state.run}."
    elif is_recorded:
        yield "Not recorded in the project: the run is not finished."


_INFRA_HELP = "How tasks that failed outside the model count: wrong or left-out."


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
        Semantics, typer.Option("--semantics", help="The papers' rules, or those of the released code.")
    ] = Semantics.PAPER,
    arguments: Annotated[str, typer.Option("--arguments", help="auto, wtb, c3 or wtb-strict.")] = "auto",
    protocol: Annotated[
        Protocol | None, typer.Option("--protocol", help="As the predictions say, else wildtool.")
    ] = None,
    undrawn: Annotated[
        Undrawn, typer.Option("--undrawn", help="How tasks of a file without dependencies are matched.")
    ] = Undrawn.RECORDED,
    infra_errors: Annotated[
        InfraErrors, typer.Option("--infra-errors", help=_INFRA_HELP)
    ] = InfraErrors.WRONG,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(metavar="METRIC=X", help="Exit with 3 where e.g. task_accuracy=0.8 is not reached."),
    ] = None,
    name: Annotated[str, typer.Option("--name", help=_NAME_HELP)] = "",
    each: Annotated[
        bool,
        typer.Option(
            "--each", help="Score each file as a run of its own, into a folder of -o under its name."
        ),
    ] = False,
    models: Annotated[
        Path | None,
        typer.Option(
            "--models", envvar="ANNOTATOR_MODELS", help="File of models with their cards, models.toml."
        ),
    ] = None,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Processes to score in.")] = 1,
    cluster: Annotated[
        str | None, typer.Option("--cluster", help="Address of a Dask scheduler to score on.")
    ] = None,
    place: Project = None,
    person: Person = None,
) -> CommandResult:
    """Score predictions; several files are parts of one run. With -p the run is kept in the project.

    paper scores as the papers describe it, reference as their released code does, bug for bug. The rules and
    where they differ: resources/rules.md; in the window F1 on Judged, or the manual (Shift+F1).
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
            words = (
                f"'{text}' is not METRIC=X: X from 0 to 1 or 0% to 100%, METRIC one of {', '.join(known)}."
            )
            raise typer.BadParameter(words)
    return floors


def _score_parts(cards: "Sequence[Scorecard]") -> "Iterator[Table | str]":
    from annotator.release.reports.score_tables import named, score_tables

    told = named(cards)
    for table in score_tables(told, is_brief=True):
        yield Table(table.columns, table.rows, f"\n{table.heading}")
    for name, card in told:
        summary = card.summary
        yield (
            f"\n{f'{name}: ' if len(told) > 1 else ''}"
            f"{counted(summary.tasks, 'task')}, {summary.missing} without a prediction, "
            f"{summary.infra_errors} failed outside the model ({summary.infra_errors_count.words}), "
            f"{counted(summary.ignored, 'prediction')} ignored."
        )


def _doubts(card: "Scorecard") -> "Iterator[str]":
    """What to know of the figures beside them."""
    summary = card.summary
    if summary.undrawn.count:
        yield f"Tasks without dependencies in their file: {summary.undrawn.words}."
    if summary.unpassable:
        tasks = counted(summary.unpassable, "task")
        yield f"No reply can pass {tasks}: the gold breaks the schema of its own tool."
    for item in card.ignored[:10]:
        yield f"ignored: {item.reason}"


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
        InfraErrors | None, typer.Option("--infra-errors", help=f"{_INFRA_HELP} As scored unless given.")
    ] = None,
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
        beside = read_teval(teval or ())
        files = write_paper(gold, counting, out, release=set_name(release), teval=beside)
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
        found = read_runs(parts, source=read, context=context)
    picks = look_through(gold, found, context=context)
    keys = picks.keys[Pick(case)] if case in list(Pick) else ((case, task),)
    if case in list(Pick) and task >= len(keys):
        raise InputError(
            f"{case} picks {counted(len(keys), 'task')}; --task counts them from 0.",
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
    directories: Annotated[
        list[Path],
        typer.Argument(metavar="DIR", help="Folders `annotator score` wrote."),
    ],
    form: Annotated[ReportFormat, typer.Option("--format")],
    out: Annotated[Path, typer.Option("-o", "--output")],
    pictures: Annotated[
        Path | None, typer.Option("--pictures", help="Also write every picture there, as PNG, SVG and PDF.")
    ] = None,
    infra_errors: Annotated[
        InfraErrors | None, typer.Option("--infra-errors", help=f"{_INFRA_HELP} As scored unless given.")
    ] = None,
    by: Annotated[
        list[Grouping] | None,
        typer.Option("--group", help="Group runs by the cards of their models; may be repeated."),
    ] = None,
    order: Annotated[
        str, typer.Option("--sort", help="A metric such as task_accuracy, name or size; else as named.")
    ] = "",
    models: Annotated[
        Path | None,
        typer.Option(
            "--models", envvar="ANNOTATOR_MODELS", help="File of models with their cards, models.toml."
        ),
    ] = None,
    theme: Annotated[
        PictureTheme, typer.Option("--theme", help="Colours of --pictures.")
    ] = PictureTheme.LIGHT,
    teval: TevalFolders = None,
) -> CommandResult:
    """Write tables of scored runs side by side. As HTML also pictures.

    Runs are named by model and setting. Those scored under different rules stand in tables of their own. VF
    and DDD need a c2 run and a c3 or wildtool run of one model under one setting and the same rules. The best
    figure of a column is bold and the second best underlined, in each group and only among comparable runs.
    """
    from annotator.files import readable_files, replace_bytes
    from annotator.release.reports.album import album, save_album
    from annotator.release.reports.figure_style import DARK, LIGHT
    from annotator.release.reports.report import report as write_report
    from annotator.release.reports.score_tables import named
    from annotator.release.reports.teval_section import read_teval, teval_pictures
    from annotator.release.runs.evaluation import read_scorecard
    from annotator.release.runs.model_cards import read_models, with_cards

    _check_order(order)
    listed = read_models(models) if models else ()
    with readable_files(*directories) as read:
        found = with_cards(map(read_scorecard, read), listed)
    cards = named([card.counting(infra_errors or card.summary.infra_errors_count) for card in found])
    beside = read_teval(teval or ())
    data = write_report(cards, form, title="Scores", by=by or (), order=order, teval=beside)
    replace_bytes(out, data)
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
