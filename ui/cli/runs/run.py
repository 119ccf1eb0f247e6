"""The command that asks models every task."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scoring.errors import InputError, reworded
from scoring.model.taxonomy import Protocol, ToolMode
from scoring.wording import counted
from ui.cli.command import CommandResult, command
from ui.cli.options import NAME_HELP, argument_rules, order_of
from ui.cli.output import Table, progress_lines, stoppable_context

if TYPE_CHECKING:
    from collections.abc import Iterator

    from annotator.project.workspace import Workspace
    from annotator.release.runs.model_run import RunState
    from annotator.release.runs.orders import RunOrder
    from scoring.model.record import JsonObject


app = typer.Typer()


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
    arguments: Annotated[str, typer.Option(help="auto, wtb, c3, wtb-strict or accepted.")] = "auto",
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
    stream: Annotated[
        bool | None,
        typer.Option(
            "--stream/--no-stream",
            help="Ask for replies as streams, to time the first token; default: as --models says, else not.",
        ),
    ] = None,
    name: Annotated[str, typer.Option("--name", help=NAME_HELP)] = "",
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
        "stream": stream,
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
    order = order_of(RunOrder, {**values, "stream": bool(stream)})
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

    with reworded(
        InputError,
        into=lambda exc: InputError(f"--body is not JSON: {exc.message}", 'Write it like {"top_k": 20}.'),
    ):
        value = parse(text)
    if not isinstance(value, dict):
        raise InputError("--body is not a JSON object.", 'Write it like {"top_k": 20}.')
    return value


def _watched(order: "RunOrder", workspace: "Workspace | None") -> "RunState":
    """Run with a progress bar; the first Ctrl+C stops between replies, the second at once."""
    from annotator.release.runs.model_run import RunState

    last = RunState(total=0)

    def note(state: RunState) -> None:
        nonlocal last
        last = state

    def so_far() -> tuple[str, str]:
        done = f"{last.answered} of {counted(last.total, 'task')} answered in {order.out}."
        return done, "To continue, run the same command again."

    with stoppable_context(so_far) as context:
        return order.carry_out(workspace, context=context, listen=note).value


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
    yield f"{state.answered} of {counted(state.total, 'task')} answered in {out}: {state.note}; {tokens}."
    if state.is_over_budget:
        yield "The budget is used up. To continue, run the same command with a larger one."
    elif state.infra_errors:
        yield "To retry the failed tasks, run the same command again."
    if state.run is not None:
        yield f"Recorded as run {state.run}."
    elif is_recorded:
        yield "Not recorded in the project: the run is not finished."
