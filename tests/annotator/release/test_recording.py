"""What the project keeps of a scored run: its scores, how it was judged, and what the model replied."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.jobs import JobContext
from annotator.project.workspace import Done, Workspace
from annotator.release.runs.conversation import RunSetting
from annotator.release.runs.evaluation import counted_predictions, evaluate
from annotator.release.runs.recorded_runs import list_runs, record_run, recorded_predictions, run_scorecard
from scoring.errors import InputError
from scoring.model.taxonomy import ArgumentProfile, Protocol, Semantics, ToolMode
from scoring.prediction_files import read_predictions
from scoring.predictions import InfraError, Prediction, Reply
from tests.annotator.release.cards import card as made_card
from tests.annotator.release.cards import scored
from tests.annotator.team import Team, two_step_case

LINES: tuple[dict[str, object], ...] = (
    {"case": "c-1", "task": 0, "error": {"kind": "timeout", "message": "the server slept"}},
    {"case": "c-1", "task": 0, "replies": [{"content": "A NUL \0, dear Zoë."}]},
    {"case": "c-1", "task": 0, "replies": [{"content": "Too late."}]},
    {"case": "c-2", "task": None, "replies": [], "error": {"kind": "crash", "message": "all of it"}},
)


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    """A file with a failure outside the model, two answers to the same task, and a failed case."""
    path = tmp_path / "predictions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")
    return path


@pytest.fixture
def manager(team: Team) -> Workspace:
    """Who records."""
    return team["max"]


def test_a_run_keeps_how_it_was_judged_and_every_reply_that_counts(
    manager: Workspace, predictions: Path
) -> None:
    cases = [two_step_case("c-1"), two_step_case("c-2")]
    card = evaluate(
        cases,
        [predictions],
        context=JobContext(),
        semantics=Semantics.REFERENCE,
        arguments=ArgumentProfile.WTB_STRICT,
        protocol=Protocol.C3,
    )
    number = record_run(manager, "careful", card=card, predictions=[predictions]).value
    [row] = list_runs(manager)
    assert (row.protocol, row.semantics, row.arguments) == ("c3", "reference", "wtb-strict")
    assert row.has_replies
    assert run_scorecard(manager, number) == card.model_copy(update={"name": "careful"})
    kept = {(found.case, found.task): found for found in recorded_predictions(manager, number)}
    assert kept == counted_predictions(read_predictions(predictions))
    assert [reply.content for reply in kept["c-1", 0].replies] == ["A NUL \0, dear Zoë."]


def test_the_same_predictions_scored_twice_are_one_run(manager: Workspace, predictions: Path) -> None:
    cases = [two_step_case("c-1"), two_step_case("c-2")]

    def record(name: str = "careful", **rules: Any) -> Done[int]:
        card = evaluate(cases, [predictions], context=JobContext(), **rules)
        return record_run(manager, name, card=card, predictions=[predictions])

    first, again = record(), record()
    assert (again.value, again.changes.has_runs) == (first.value, False)
    assert len(list_runs(manager)) == 1
    # Other rules give other scores, and another name says that it is another run.
    others = [record(semantics=Semantics.REFERENCE), record(protocol=Protocol.C2), record(name="hasty")]
    assert len({first.value, *(one.value for one in others)}) == 4
    with predictions.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"case": "c-2", "task": 0, "replies": [{"content": "At last."}]}) + "\n")
    assert record().value not in {row.id for row in list_runs(manager)[1:]}


def test_a_run_is_called_by_its_model_and_what_is_unusual_in_its_setting(tmp_path: Path) -> None:
    cases, path = [two_step_case("c-1")], tmp_path / "folder-name.jsonl"
    setting = RunSetting(model="m-1", protocol=Protocol.C2, tools=ToolMode.PROMPT)
    line = {"case": "c-1", "task": 0, "replies": [{"content": "Hello."}]}
    path.write_text(json.dumps({**line, "setting": setting.dump()}) + "\n", encoding="utf-8")
    card = evaluate(cases, [path], context=JobContext())
    assert (card.name, card.model, card.protocol) == ("m-1 · tools prompt", "m-1", Protocol.C2)
    assert card.setting == setting.dump()
    named = evaluate(cases, [path], context=JobContext(), name="ours", protocol=Protocol.C3)
    assert (named.name, named.model, named.protocol) == ("ours", "m-1", Protocol.C3)
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert evaluate(cases, [path], context=JobContext()).name == "folder-name"


def test_a_run_without_files_keeps_its_scores_only(manager: Workspace) -> None:
    number = record_run(manager, "scores only", card=made_card(scored())).value
    [row] = list_runs(manager)
    assert not row.has_replies
    assert recorded_predictions(manager, number) == ()


def test_a_file_that_is_gone_records_nothing(manager: Workspace, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        record_run(manager, "careful", card=made_card(scored()), predictions=[tmp_path / "gone.jsonl"])
    assert list_runs(manager) == ()


def test_of_two_predictions_the_first_that_did_not_fail_outside_the_model_counts() -> None:
    failed = Prediction(case="c", task=0, error=InfraError(kind="timeout", message=""))
    first, second = (Prediction(case="c", task=0, replies=(Reply(content=text),)) for text in "ab")
    assert counted_predictions([failed, first, second]) == {("c", 0): first}
    assert counted_predictions([first, failed]) == {("c", 0): first}
    assert counted_predictions([failed]) == {("c", 0): failed}


def test_a_published_first_line_counts_even_where_it_timed_out() -> None:
    failed = Prediction(case="c", task=0, error=InfraError(kind="timeout"), is_final=True)
    answered = Prediction(case="c", task=0, replies=(Reply(content="a"),))
    assert counted_predictions([failed, answered]) == {("c", 0): failed}
