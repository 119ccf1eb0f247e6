"""Cards of models: guessed from names, read from a file, recorded with predictions and set in runs."""

import json
from pathlib import Path

import pytest

from annotator.jobs import JobContext
from annotator.project.audit import audit
from annotator.release.runs.conversation import RunSetting
from annotator.release.runs.evaluation import evaluate, write_scorecard
from annotator.release.runs.model_cards import (
    ListedModel,
    guess_card,
    read_models,
    with_cards,
)
from annotator.release.runs.model_run import RunPlan, run_model
from annotator.release.runs.recorded_runs import (
    RunSummary,
    import_models,
    list_runs,
    record_run,
    run_scorecard,
    set_model_cards,
    set_values,
)
from scoring.errors import InputError, NotFoundError
from scoring.model.taxonomy import ModelKind, ToolMode
from scoring.model_card import ModelCard
from tests.annotator.release.cards import card as made_card
from tests.annotator.release.cards import scored
from tests.annotator.release.weather import weather
from tests.annotator.team import Team
from tests.scripted_model.agents import perfect, script_of
from tests.scripted_model.asking import lines_of, scripted


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("Qwen/Qwen2.5-72B-Instruct", "Alibaba · family qwen2.5 · 72 B"),
        ("qwen3-30b-a3b-thinking", "Alibaba · family qwen3 · 30 B · 3 B active · thinking on"),
        ("gpt-4.1-2025-04-14", "OpenAI · family gpt-4.1 · closed · released 2025-04-14"),
        ("gpt-oss-120b", "OpenAI · family gpt-oss · 120 B · open"),
        ("mixtral-8x7b-instruct", "Mistral AI · family mixtral · 56 B"),
        ("qwen2.5-0.5b", "Alibaba · family qwen2.5 · 0.5 B"),
        ("careful", "family careful"),
        ("m-2025-13-45", "family m"),
        ("phi-4-4bit", "Microsoft · family phi-4-4bit · open"),
    ],
)
def test_a_name_gives_away_what_it_says_and_all_of_it_is_guessed(name: str, note: str) -> None:
    card = guess_card(name)
    assert card is not None
    assert card.note.replace(" (guessed)", "") == note
    assert card.note.count("(guessed)") == len(note.split(" · "))


def test_a_name_that_no_card_can_have_has_none() -> None:
    assert guess_card("two\nlines") is None


def models_file(folder: Path, text: str) -> Path:
    path = folder / "models.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no model"),
        ("models = 3", "names no model"),
        ("models = [3]", "model 1 is not a table"),
        ("[[models", "is not TOML"),
        ("[[models]]\nsize = 7", "model 1 (without a name): model: Field required"),
        ('[[models]]\nmodel = "m"\nsize = "many"', "model 1 (m): size:"),
        ('[[models]]\nmodel = "m"\nweight = 7', "model 1 (m): weight:"),
        ('[[models]]\nmodel = "m"\nbase_url = 7', "model 1 (m): base_url:"),
        ('[[models]]\nmodel = "m"\n' * 2, "has two cards for m."),
        ('[[models]]\nmodel = "m"\nsize = 7\nactive_size = 8', "8 B cannot be active of 7 B"),
    ],
)
def test_a_file_of_models_that_does_not_fit_is_refused_with_the_place(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(InputError) as refused:
        read_models(models_file(tmp_path, text))
    assert words in refused.value.message


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_models(tmp_path / "none.toml")


def test_the_card_of_a_run_is_in_its_predictions_and_in_its_scorecard(tmp_path: Path) -> None:
    cases, out = [weather()], tmp_path / "p.jsonl"
    setting = RunSetting(model="m-7b", tools=ToolMode.PROMPT)
    plan = RunPlan(setting=setting, model_card=guess_card("m-7b"))
    with scripted(script_of(perfect, cases)) as (client, _):
        run_model(cases, client, plan=plan, out=out, context=JobContext())
    said = {"model": "m-7b", "size": 7.0, "family": "m", "interface": "prompt", "guessed": ["size", "family"]}
    assert [line["model_card"] for line in lines_of(out)] == [said] * 3
    card = evaluate(cases, [out], context=JobContext())
    assert card.model_card is not None
    assert card.model_card.note == "family m (guessed) · 7 B (guessed) · prompt interface"
    write_scorecard(card, tmp_path / "scores")
    assert json.loads((tmp_path / "scores" / "scorecard.json").read_text())["model_card"]["size"] == 7


def test_a_run_of_older_files_has_a_gap_and_never_a_guess(tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    case = weather()
    line = {"case": case.id, "task": 0, "replies": [{"content": "Hello."}], "setting": {"model": "m-7b"}}
    for beside in ({}, {"model_card": {"model": "m-7b", "size": "large"}}):
        out.write_text(json.dumps(line | beside) + "\n", encoding="utf-8")
        assert evaluate([case], [out], context=JobContext()).model_card is None


def test_a_file_of_models_gives_its_cards_to_the_runs_of_its_models() -> None:
    runs = [made_card(scored(), name="m-7b"), made_card(scored(), name="other")]
    first, second = with_cards(runs, [ListedModel(card=ModelCard(model="m-7b", size=7))])
    assert first.model_card == ModelCard(model="m-7b", size=7)
    assert second == runs[1]


def test_cards_are_set_in_recorded_runs_and_the_scores_stay(team: Team) -> None:
    manager = team["max"]
    run = made_card(scored(), name="m").model_copy(update={"model_card": guess_card("m-7b")})
    other = made_card(scored(right=False), name="m-8b")
    number, beside = (record_run(manager, one.name, card=one).value for one in (run, other))
    named = run_scorecard(manager, number)
    assert (named.model, named.model_card) == ("m", guess_card("m-7b"))

    done = set_values(manager, "m", ["size=70B", "kind=open", "family="])
    assert (done.value, done.changes.has_runs) == (1, True)
    changed = run_scorecard(manager, number)
    wanted = ModelCard(model="m-7b", size=70, kind=ModelKind.OPEN)
    assert changed == named.model_copy(update={"model_card": wanted})
    summaries = {row.id: RunSummary.model_validate_json(row.summary) for row in list_runs(manager)}
    assert (summaries[number].model_card, summaries[beside].model_card) == (wanted, None)
    assert audit(manager).holds
    again = set_model_cards(manager, {number: wanted})
    assert (again.value, again.changes.has_runs) == (0, False)


def test_all_that_is_guessed_is_confirmed_at_once(team: Team) -> None:
    manager = team["max"]
    run = made_card(scored(), name="m").model_copy(update={"model_card": guess_card("m-7b")})
    number = record_run(manager, "m", card=run).value
    set_values(manager, "m", [], confirms=True)
    assert run_scorecard(manager, number).model_card == ModelCard(model="m-7b", size=7, family="m")


def test_what_cannot_be_set_changes_nothing(team: Team) -> None:
    manager = team["max"]
    number = record_run(manager, "m", card=made_card(scored(), name="m")).value
    for typed in ("size=many", "weight=7", "size", "guessed=size", "model=n"):
        with pytest.raises(InputError):
            set_values(manager, "m", ["kind=open", typed])
    with pytest.raises(NotFoundError, match="no run of nobody"):
        set_values(manager, "nobody", ["size=7"])
    with pytest.raises(NotFoundError, match="no run 99"):
        set_model_cards(manager, {number: ModelCard(model="m"), 99: ModelCard(model="m")})
    assert run_scorecard(manager, number).model_card is None


def test_a_file_of_models_is_taken_into_the_runs_of_a_project(team: Team) -> None:
    manager = team["max"]
    asked = made_card(scored(), name="m").model_copy(update={"setting": {"model": "m", "tools": "native"}})
    number = record_run(manager, "m", card=asked).value
    listed = [ListedModel(card=ModelCard(model=name, size=7)) for name in ("m", "absent")]
    assert import_models(manager, listed).value == 1
    assert run_scorecard(manager, number).model_card == ModelCard(
        model="m", size=7, interface=ToolMode.NATIVE
    )
