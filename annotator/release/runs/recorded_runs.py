"""Runs that are kept in the project: recorded once, listed, and read again."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from annotator.cases.bodies import read_record, write_record
from annotator.project.changes import Changes
from annotator.project.workspace import Done, Work, Workspace, operation
from annotator.release.runs.evaluation import counted_predictions, exported_file
from annotator.release.runs.model_cards import ListedModel, card_for, checked_card, said_values
from db.read import reviews
from db.read.rows import ReplyRow
from db.read.rows import RunRow as RunRow
from db.tables import Transaction
from db.write import store
from scoring.agreement.preferences import WinRate
from scoring.errors import NotFoundError, existing, filled
from scoring.measures.summary import Summary
from scoring.model.record import to_json
from scoring.model_card import ModelCard
from scoring.prediction_files import read_predictions
from scoring.predictions import Prediction
from scoring.scorecard import Scorecard, dump_scorecard, load_scorecard


class RunSummary(Summary):
    """The metrics of a run as the list of runs has them, with model card, win rate and scorer."""

    model_card: ModelCard | None = None
    win_rate: WinRate | None = None
    scorer_version: str = "unknown"


def run_summary(card: Scorecard) -> str:
    """The metrics, the scorer, the model's card and the win rate of a scorecard, as JSON text."""
    body = card.summary.model_dump(mode="json") | {"scorer_version": card.scorer_version}
    if card.model_card:
        body["model_card"] = card.model_card.dump()
    if card.win_rate:
        body["win_rate"] = card.win_rate.model_dump(mode="json")
    return to_json(body)


def record_run(
    workspace: Workspace,
    name: str,
    *,
    card: Scorecard,
    predictions: Sequence[Path] = (),
    source: Path | None = None,
) -> Done[int]:
    """Keep a scorecard in the project, beside the release whose cases it scored.

    The same predictions scored again under the same name and rules are the run that is there already: nothing
    is written, and nothing changes.

    Args:
        workspace: In whose name.
        name: What the run is called.
        card: Its scores.
        predictions: The files it was scored from; what the model replied is kept, too, so that its
            failures can be looked at wherever the project is open.
        source: The release folder or file the cases are from.

    Returns:
        The run's number.

    Raises:
        InputError: A file cannot be opened.
    """
    card = card.model_copy(update={"name": name})
    told = read_predictions(*predictions, exported=exported_file(source))
    replies = [
        ReplyRow(case_id=one.case, task=one.task, body=write_record(one))
        for one in counted_predictions(told).values()
    ]

    def work(w: Work) -> int:
        before = _same_run(w.tx, card)
        if before is not None:
            return before
        found = [r for r in reviews.list_releases(w.tx) if r.content_sha256 == card.cases_sha256]
        number = store.add_run(
            w.tx,
            name,
            release_id=found[0].id if found else None,
            person_id=w.person.id,
            cases_sha256=card.cases_sha256,
            predictions_sha256=card.predictions_sha256,
            protocol=card.protocol.value,
            semantics=card.semantics.value,
            arguments=card.arguments,
            replies=replies,
            summary=run_summary(card),
            scorecard=json.dumps(dump_scorecard(card)),
            at=w.at,
        )
        w.record(f"run:{name}", {"cases_sha256": card.cases_sha256, "run": number}, Changes(has_runs=True))
        return number

    return workspace.run("run:scorecard:record", work)


def _same_run(tx: Transaction, card: Scorecard) -> int | None:
    """The run these predictions are already, under the same name and rules; None where there is none."""

    def told(one: Scorecard) -> tuple[object, ...]:
        return one.predictions_sha256, one.basis, one.scorer_version

    for row in reviews.list_runs(tx):
        text = reviews.run_scorecard(tx, row.id) if row.name == card.name else None
        if text is not None and told(load_scorecard(json.loads(text))) == told(card):
            return row.id
    return None


def recorded_predictions(workspace: Workspace, run_id: int) -> tuple[Prediction, ...]:
    """What the model replied in a recorded run; empty where that was not kept."""
    return workspace.read(
        lambda tx: tuple(read_record(Prediction, row.body) for row in reviews.run_replies(tx, run_id))
    )


def list_runs(workspace: Workspace) -> tuple[RunRow, ...]:
    """All runs of the project, newest first."""
    return workspace.read(reviews.list_runs)


def run_scorecard(workspace: Workspace, run_id: int) -> Scorecard:
    """The whole scorecard of a run.

    Raises:
        NotFoundError: There is no such run.
    """
    text = existing(
        workspace.read(lambda tx: reviews.run_scorecard(tx, run_id)),
        NotFoundError(f"There is no run {run_id}.", "See the list of runs."),
    )
    return load_scorecard(json.loads(text))


def set_values(
    workspace: Workspace,
    model: str,
    assignments: Sequence[str],
    *,
    confirms: bool = False,
    run: int | None = None,
) -> Done[int]:
    """Say `KEY=VALUE` of a model in all recorded runs of it, or in one; an empty value is not known.

    Args:
        workspace: In whose name.
        model: The model's name at the endpoint.
        assignments: The fields and their values.
        confirms: Whether all that is guessed holds.
        run: The number of the only run that is meant; None for all of the model.

    Returns:
        How many runs have another card now.

    Raises:
        InputError: A field does not exist or a value does not fit.
        NotFoundError: There is no run of the model.
    """
    values = said_values(assignments)
    found: dict[int, ModelCard] = {}
    for run_id, card in _scorecards(workspace):
        if card.model == model and card.known_card and run in (None, run_id):
            before = card.known_card.model_dump()
            guessed = () if confirms else tuple(one for one in before["guessed"] if one not in values)
            found[run_id] = checked_card(before | {"guessed": guessed} | values, where=model)
    return set_model_cards(
        workspace, filled(found, NotFoundError(f"There is no run of {model}.", "See `annotator model list`."))
    )


def import_models(workspace: Workspace, models: Sequence[ListedModel]) -> Done[int]:
    """Give the recorded runs of some models the cards of a file; returns how many have another card now."""
    found = {
        run_id: model_card.under(card.setting)
        for run_id, card in _scorecards(workspace)
        if (model_card := card_for(card.model, card.known_card, models))
    }
    return set_model_cards(workspace, found)


def keep_win_rates(workspace: Workspace, rates: Mapping[str, WinRate]) -> Done[int]:
    """Keep win rates with the recorded runs of some predictions, by their hash; returns how many changed."""
    found = {
        run_id: rates[card.predictions_sha256]
        for run_id, card in _scorecards(workspace)
        if card.predictions_sha256 in rates
    }
    return set_win_rates(workspace, found)


def _scorecards(workspace: Workspace) -> Iterator[tuple[int, Scorecard]]:
    yield from ((row.id, run_scorecard(workspace, row.id)) for row in list_runs(workspace))


@operation("run:card:set")
def set_model_cards(w: Work, cards: Mapping[int, ModelCard]) -> int:
    """Give recorded runs the cards of their models, by number of the run; their scores stay as they are.

    Returns:
        How many runs have another card now.

    Raises:
        NotFoundError: There is no such run.
    """
    return _set_known(w, {run_id: {"model_card": card} for run_id, card in cards.items()})


@operation("run:win_rate:set")
def set_win_rates(w: Work, rates: Mapping[int, WinRate]) -> int:
    """Keep with recorded runs how a judge model prefers them, by number of the run.

    Returns:
        How many runs have another win rate now.

    Raises:
        NotFoundError: There is no such run.
    """
    return _set_known(w, {run_id: {"win_rate": one} for run_id, one in rates.items()})


def _set_known(w: Work, known: Mapping[int, Mapping[str, ModelCard | WinRate]]) -> int:
    changed = 0
    for run_id, entry in known.items():
        text = existing(
            reviews.run_scorecard(w.tx, run_id),
            NotFoundError(f"There is no run {run_id}.", "See the list of runs."),
        )
        card = load_scorecard(json.loads(text))
        if card.model_copy(update=entry) == card:
            continue
        card = card.model_copy(update=entry)
        store.change_run(w.tx, run_id, summary=run_summary(card), scorecard=json.dumps(dump_scorecard(card)))
        w.record(
            f"run:{card.name}",
            {
                "run": run_id,
                **{k: one.model_dump(mode="json", exclude_defaults=True) for k, one in entry.items()},
            },
        )
        changed += 1
    if changed:
        w.change(Changes(has_runs=True))
    return changed
