"""Scoring predictions against a release or any importable file, without a project and its database."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import cast

from annotator.files import csv_text, replace_text
from annotator.jobs import JobContext
from annotator.release.manifest import CASES, MANIFEST, WILDTOOL
from scoring.errors import InputError, reworded
from scoring.evaluation import score
from scoring.formats.case_reader import ReadCase, Rejected, read_cases
from scoring.golds import GoldSet, gold_set
from scoring.model.case import Case, content_sha256
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Protocol, Semantics, Undrawn
from scoring.prediction_files import read_predictions, recorded_card, recorded_setting
from scoring.predictions import Ignored, Prediction
from scoring.scorecard import ArgumentRules, Scorecard, dump_scorecard, load_scorecard, setting_words
from scoring.wording import counted

SCORECARD = "scorecard.json"
TASKS_CSV = "tasks.csv"


def load_cases(source: Path) -> tuple[Case, ...]:
    """The cases of a release folder or of any importable file, each once.

    Raises:
        InputError: Nothing can be read, a line is not a case, or two lines have different cases under one
            id; names the lines.
    """
    return tuple(one.case for one in _read(source)[0])


def load_gold(source: Path, *, undrawn: Undrawn = Undrawn.RECORDED) -> GoldSet:
    """The cases of a release folder or file made ready for scoring; raises as `load_cases` does.

    Args:
        source: The folder or file.
        undrawn: How the tasks of a file that says nothing about order are matched.
    """
    read, repeated, line_ids = _read(source, is_plain=True)
    return replace(
        gold_set(
            [one.case for one in read],
            unordered={one.case.id for one in read if not one.has_dependencies},
            undrawn=undrawn,
        ),
        repeated=tuple(repeated),
        line_ids={} if source.is_dir() else line_ids,
    )


def _read(source: Path, *, is_plain: bool = False) -> tuple[list[ReadCase], list[Ignored], dict[str, str]]:
    """The cases of a file, its lines that repeat one, and ids of its lines with those of their cases.

    `is_plain` as in `read_cases`.
    """
    path = source
    if source.is_dir():
        if not (source / MANIFEST).is_file():
            raise InputError(
                f"{source} is not a release folder: {MANIFEST} is missing.", "Name one, or a file."
            )
        path = source / CASES
    found: dict[str, ReadCase] = {}
    line_ids: dict[str, str] = {}
    repeated = []
    for item in read_cases(path, is_plain=is_plain):
        if isinstance(item, Rejected):
            raise InputError(f"{path}, line {item.line}: {item.reason}", "Correct the file, then try again.")
        name = item.case.id
        if isinstance(item.line_id, str):
            line_ids.setdefault(item.line_id, name)
        before = found.setdefault(name, item)
        if before is item:
            continue
        if content_sha256(before.case) != content_sha256(item.case):
            raise InputError(
                f"{path}: lines {before.line} and {item.line} hold different cases called {name}.",
                "Remove one of them, or give it an id of its own.",
            )
        repeated.append(
            Ignored(
                reason=f"The case of line {before.line}, repeated; it counts once.",
                file=str(path),
                line=item.line,
                case=name,
            )
        )
    return list(found.values()), repeated, line_ids


def exported_file(source: Path | None) -> Path | None:
    """The file the released WildToolBench code was run on: the one in a release folder, else the source."""
    return source / WILDTOOL if source is not None and source.is_dir() else source


def evaluate(
    cases: Sequence[Case] | GoldSet,
    predictions: Sequence[Path],
    *,
    context: JobContext,
    name: str = "",
    semantics: Semantics = Semantics.PAPER,
    arguments: ArgumentRules = "auto",
    protocol: Protocol | None = None,
    source: Path | None = None,
) -> Scorecard:
    """Score prediction files, taken together as one run, which is called by its model and setting.

    Args:
        cases: The gold cases, or what `load_gold` made of them.
        predictions: Files; parts of one run.
        context: Progress in predictions read, and cancellation between them.
        name: What the run is called; empty for its model with what is unusual in its setting, as the
            predictions say, else for the name of the first file.
        semantics: `paper` or `reference`.
        arguments: Rules for arguments.
        protocol: What the model was shown; None for what the predictions say, else `wildtool`.
        source: The release folder or file the cases are from, by which the results of the released
            WildToolBench code find their cases.

    Raises:
        InputError: No file, one that cannot be opened, or none of the predictions fits the cases.
    """
    if not predictions:
        raise InputError("No predictions file was named.", "Name one or more.")
    gold = cases if isinstance(cases, GoldSet) else gold_set(cases)
    return named_run(
        score(
            gold,
            read_run(gold, predictions, context=context, source=source),
            semantics=semantics,
            arguments=arguments,
            protocol=protocol or recorded_protocol(predictions),
        ),
        predictions,
        name=name,
        case_count=len(gold.cases),
    )


def recorded_protocol(predictions: Sequence[Path]) -> Protocol:
    """What the model was shown as its predictions say, else `wildtool`."""
    setting = recorded_setting(predictions)
    return next((one for one in Protocol if one == setting.get("protocol")), Protocol.WILDTOOL)


def read_run(
    gold: GoldSet, predictions: Sequence[Path], *, context: JobContext, source: Path | None
) -> Iterator[Prediction | Ignored]:
    """Read the predictions of a run as those of some cases; arguments as in `evaluate`."""
    total, exported = len(gold.golds), exported_file(source)
    found = read_predictions(*predictions, exported=exported and (gold.line_ids or exported))
    return context.each(found, "scoring", total=total)


def named_run(card: Scorecard, predictions: Sequence[Path], *, name: str, case_count: int) -> Scorecard:
    """A scorecard with what its predictions say of the run.

    Raises:
        InputError: None of the predictions fits the cases.
    """
    if not card.summary.predictions:
        first = f" The first was ignored: {card.ignored[0].reason}" if card.ignored else ""
        raise InputError(
            f"No prediction fits the {counted(case_count, 'case')}.{first}",
            "Put one prediction on a line, and name cases and replies of the same release.",
        )
    setting, model_card = recorded_setting(predictions), recorded_card(predictions)
    return card.model_copy(
        update={
            "name": name or run_name(setting) or predictions[0].stem,
            "setting": setting,
            "model_card": model_card.under(setting) if model_card else None,
        }
    )


def run_name(setting: JsonObject) -> str:
    """What a run is called by its setting: its model, then what is unusual; empty where no model is named."""
    model = setting.get("model")
    return " · ".join((model, *setting_words(setting))) if isinstance(model, str) else ""


def write_scorecard(card: Scorecard, directory: Path) -> None:
    """Write `scorecard.json` and a CSV of every task into a folder, over older ones.

    Raises:
        StoreError: The folder cannot be written.
    """
    body = dump_scorecard(card)
    tasks = cast("list[JsonObject]", body["tasks"])
    head = json.dumps(body | {"tasks": []}, ensure_ascii=False, indent=1).removesuffix("[]\n}")
    # Rows as `indent=1` lays them out; quick, as their values are plain.
    rows = ",\n".join(f"  {{\n   {_FLAT.encode(task)[1:-1]}\n  }}" for task in tasks)
    replace_text(directory / SCORECARD, f"{head}[\n{rows}\n ]\n}}\n" if tasks else f"{head}[]\n}}\n")
    replace_text(directory / TASKS_CSV, _tasks_csv(tasks))


_FLAT = json.JSONEncoder(ensure_ascii=False, separators=(",\n   ", ": "))


def _tasks_csv(tasks: Sequence[JsonObject]) -> str:
    columns = list(dict.fromkeys(chain.from_iterable(tasks))) or ["case", "task"]
    return csv_text(columns, ([task.get(column) for column in columns] for task in tasks))


def read_scorecard(directory: Path) -> Scorecard:
    """Read the scorecard of a folder.

    Raises:
        InputError: There is none, or it cannot be read.
    """
    path = directory / SCORECARD if directory.is_dir() else directory
    with reworded(
        OSError,
        ValueError,
        into=lambda _: InputError(
            f"{path} is not a scorecard.", "Name a folder that `annotator score` wrote."
        ),
    ):
        return load_scorecard(json.loads(path.read_text(encoding="utf-8")))


def counted_predictions(
    items: Iterable[Prediction | Ignored],
) -> dict[tuple[str, int | None], Prediction]:
    """The predictions that count, by case and task; the task is None where the run of a whole case failed.

    Of two predictions for a task the first counts; one that failed outside the model gives way to an answer.
    """
    found: dict[tuple[str, int | None], Prediction] = {}
    for item in items:
        if isinstance(item, Prediction):
            before = found.get((item.case, item.task))
            if before is None or (before.gives_way and item.error is None):
                found[item.case, item.task] = item
    return found
