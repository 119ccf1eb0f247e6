"""Commands about models: the cards beside their runs, and a judge model that compares runs."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scoring.wording import counted
from ui.cli.command import CommandResult, command, group
from ui.cli.options import Person, Project, check_person, opened, order_of
from ui.cli.output import Table, percent, stoppable_context

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from annotator.project.workspace import Workspace
    from annotator.release.runs.preferences import JudgeRun
    from scoring.agreement.preferences import PeopleAgreement, WinRate

app = typer.Typer()
model_app = group(app, "model", "Models: what is known of each, beside its runs.")


@command(
    model_app,
    "list",
    gives=[{"run": int, "name": str, "model_card": ("scoring.model_card.ModelCard", None)}],
    example="annotator model list -p team.db",
)
def model_list(workspace: "Workspace") -> CommandResult:
    """List the runs of the project with the cards of their models."""
    from annotator.release.runs.recorded_runs import RunSummary, list_runs

    rows = list_runs(workspace)
    cards = [RunSummary.model_validate_json(row.summary).model_card for row in rows]
    document = [
        {"run": row.id, "name": row.name, "model_card": card and card.dump()}
        for row, card in zip(rows, cards, strict=True)
    ]
    table = Table(
        ["run", "name", "model", "card"],
        [
            [row.id, row.name, card.model if card else "", card.note if card else "no card"]
            for row, card in zip(rows, cards, strict=True)
        ],
    )
    return CommandResult(document, [table if rows else "There is no run yet."])


@command(
    model_app,
    "set",
    gives={"changed": int},
    example="annotator model set qm-72b size=72 kind=open -p team.db",
)
def model_set(
    workspace: "Workspace",
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Its name at the endpoint.")],
    assignments: Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE")] = None,
    confirm: Annotated[bool, typer.Option("--confirm", help="All that is guessed holds.")] = False,
    run: Annotated[int | None, typer.Option("--run", help="Only in the run of this number.")] = None,
) -> CommandResult:
    """Say something of a model in all its runs; scores stay as they are. An empty value is not known."""
    from annotator.release.runs.recorded_runs import set_values

    changed = set_values(workspace, model, assignments or (), confirms=confirm, run=run).value
    return CommandResult({"changed": changed}, [_changed(changed)])


@command(
    model_app,
    "import",
    gives={"models": int, "changed": int},
    example="annotator model import models.toml -p team.db",
)
def model_import(
    workspace: "Workspace",
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of models, models.toml.")],
) -> CommandResult:
    """Give the runs of the project the cards of a file of models."""
    from annotator.release.runs.model_cards import read_models
    from annotator.release.runs.recorded_runs import import_models

    models = read_models(file)
    changed = import_models(workspace, models).value
    words = f"{counted(len(models), 'model')} read from {file}. {_changed(changed)}"
    return CommandResult({"models": len(models), "changed": changed}, [words])


def _changed(count: int) -> str:
    return f"{counted(count, 'run')} changed." if count else "No run changed."


@command(
    app,
    "win-rate",
    gives=(
        {
            "baseline": str,
            "runs": ["scoring.agreement.preferences.WinRate"],
            "consistency": (float, None),
            "people": ("scoring.agreement.preferences.PeopleAgreement", None),
            "asked": "annotator.release.runs.preferences.JudgeRun",
        },
        {"prompt": str, "questions": int},
    ),
    example="annotator win-rate r1 a.jsonl b.jsonl --model J --base-url URL -o p",
)
def win_rate(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="A release folder, or a file of cases.")],
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUNS", help="Files of predictions: the baseline, then what is held to it."),
    ],
    model: Annotated[
        str, typer.Option("--model", envvar="ANNOTATOR_MODEL", help="The judge model's name at the endpoint.")
    ],
    base_url: Annotated[
        str, typer.Option("--base-url", envvar="ANNOTATOR_BASE_URL", help="Address up to /v1.")
    ],
    out: Annotated[Path, typer.Option("-o", "--output", help="The judge model's answers; continues.")],
    people: Annotated[
        Path | None,
        typer.Option("--people", help="Preferences of people: case, task, first, second, preference a line."),
    ] = None,
    show_prompt: Annotated[
        bool, typer.Option("--show-prompt", help="Print the first prompt, and ask nothing.")
    ] = False,
    api_key_env: Annotated[
        str | None, typer.Option("--api-key-env", help="Variable with the API key; else the keyring.")
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=256, help="Questions asked at once.")] = 4,
    temperature: Annotated[float, typer.Option(min=0, help="Of the judge model.")] = 0.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="Longest reply.")] = 1024,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for one whole reply.")] = 180.0,
    retries: Annotated[int, typer.Option(min=0, help="Further attempts after one that failed.")] = 6,
    budget_tokens: Annotated[int | None, typer.Option(min=1, help="Token limit.")] = None,
    budget_dollars: Annotated[
        float | None, typer.Option(min=0.0001, help="Spending limit in dollars; requires prices.")
    ] = None,
    prompt_price: Annotated[float | None, typer.Option(min=0, help="Dollars per million tokens.")] = None,
    completion_price: Annotated[float | None, typer.Option(min=0, help="Dollars per million tokens.")] = None,
    scores: Annotated[
        list[Path] | None,
        typer.Option("--scores", help="A folder `annotator score` wrote: its win rate is kept there."),
    ] = None,
    place: Project = None,
    person: Person = None,
) -> CommandResult:
    """Let a judge model say which run answered each task better. After a stop the same command continues.

    It sees whole replies, and each pair twice, in swapped order: what changes with the order is a tie. The
    win rate counts a tie half. Beside it stand how it goes with correctness and, with --people, with people.
    With -p or --scores reports, papers and the Runs page show it.
    """
    from contextlib import closing

    from annotator.files import readable_files
    from annotator.llm import ChatClient
    from annotator.llm.budget import Budget
    from annotator.llm.endpoints import Endpoint, Patience, SamplingParameters, find_api_key
    from annotator.release.runs import preferences
    from annotator.release.runs.evaluation import load_gold, write_scorecard
    from annotator.release.runs.recorded_runs import keep_win_rates
    from annotator.release.runs.reply_pairs import check_protocols, pairs_of
    from annotator.release.runs.task_replies import read_runs
    from scoring.agreement.preferences import consistency, people_agreement

    budget = order_of(
        Budget,
        {
            "tokens": budget_tokens,
            "dollars": budget_dollars,
            "prompt_price": prompt_price,
            "completion_price": completion_price,
        },
    )
    endpoint = Endpoint(base_url, model, find_api_key(base_url, variable=api_key_env))
    sampling = SamplingParameters(temperature=temperature, max_tokens=max_tokens)
    patience = Patience(timeout_seconds=timeout, retries=retries)
    stopped = f"The answers so far are in {out}. To continue, run the same command again."
    with (
        closing(ChatClient(endpoint, sampling=sampling, patience=patience)) as client,
        stoppable_context(lambda: [stopped]) as context,
        readable_files(release, *runs) as (read, *parts),
    ):
        check_protocols(parts)
        gold = load_gold(read)
        told = read_runs(parts, gold, source=read, context=context)
        lines = preferences.read_lines(people) if people else ()
        pairs = pairs_of(gold, told, context=context)
        files = dict(zip(told, parts, strict=True)) if scores or place else {}
        hashes = preferences.run_hashes(gold, files, read, context=context)
        cards = preferences.cards_of(scores or (), hashes)
        if place is not None:
            check_person(place, person)
        questions = [one for found in pairs.values() for pair in found.values() for one in pair.questions]
        if show_prompt:
            prompt = questions[0].prompt if questions else ""
            words = prompt or "The replies are equal: there is nothing to ask."
            return CommandResult({"prompt": prompt, "questions": len(questions)}, [words])
        baseline = next(iter(told))
        beside = partial(preferences.beside_people, lines, baseline=baseline)
        list(beside(preferences.compared_tasks(pairs, {}, client)))  # refused before anything is asked
        state, answers = preferences.ask_judge(
            questions, client, out=out, context=context, budget=budget, concurrency=concurrency
        )
        compared = preferences.compared_tasks(pairs, answers, client)
    rates = preferences.win_rates(compared, tasks=len(gold.golds), baseline=baseline, judge=model)
    by_hash = {sha256: one for one in rates for sha256, name in hashes.items() if name == one.run}
    for folder, card in cards.items():
        write_scorecard(card.model_copy(update={"win_rate": by_hash.get(card.predictions_sha256)}), folder)
    if place is not None:
        with opened(place, person) as workspace:
            keep_win_rates(workspace, by_hash)
    agreed = people_agreement(list(beside(compared))) if people else None
    document = {
        "baseline": baseline,
        "runs": rates,
        "consistency": consistency(rates),
        "people": agreed,
        "asked": state,
    }
    return CommandResult(document, _win_parts(rates, agreed), tuple(_left(state)))


def _win_parts(rates: "Sequence[WinRate]", people: "PeopleAgreement | None") -> "Iterator[Table | str]":
    from annotator.release.reports.challenge_tables import win_tables

    for table in win_tables([(one.run, one) for one in rates]):
        yield Table(table.columns, table.rows, table.title)
        yield from table.notes
    if people:
        share, kappa = people.share, people.kappa
        yield (
            f"People: {share.used} of {counted(share.total, 'preference')} beside the judge model's, "
            f"{percent(share.value)} % equal, kappa "
            f"{kappa.undefined if kappa.value is None else f'{kappa.value:.2f}'}."
        )


def _left(state: "JudgeRun") -> "Iterator[str]":
    if state.is_over_budget:
        yield f"The budget is used up: {state.answered} of {counted(state.total, 'question')} answered."
        yield "To continue, run the same command with a larger one."
    if state.failed:
        yield f"{counted(state.failed, 'question')} failed outside the judge model."
        yield "To retry, run the same command again."
