"""A person chooses the requests of a run: one relation of several, none with a reason, and what is kept."""

import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from annotator.cases.access import show_case
from annotator.generation.choices import decline, dialogue_so_far, pick, waiting_candidates
from annotator.generation.export import exported_dialogues
from annotator.generation.generation_run import cancel, dialogues_of, exchanges_of
from annotator.generation.made_case import origin_of
from annotator.generation.plan import Chooser, GenerationPlan
from annotator.generation.quality import run_quality
from annotator.generation.records import Candidates
from annotator.generation.roles import Relation, RequestKind
from annotator.jobs import JobContext
from annotator.project.creation import create_workspace
from annotator.project.workspace import Workspace
from scoring.errors import ConflictError, InputError
from scoring.model.case import Case
from scoring.model.taxonomy import Information
from tests.annotator.generation.scripted_run import generate, plan_for
from tests.postgres import Server
from tests.scripted_model.server import ScriptedModel

REASON = "All of them sound like a form; say it as a neighbour would."


def chosen_by_person(model: ScriptedModel, *, tasks: int, **fields: Any) -> GenerationPlan:
    """One dialogue of single tasks whose requests a person picks."""
    sequences = [["single"] * tasks]
    return plan_for(model.base_url, policies="given", sequences=sequences, chooser=Chooser.PERSON, **fields)


def wait_at(workspace: Workspace, plan: GenerationPlan, task: int) -> Candidates:
    """Pick the first candidate of each task before one, and give what waits there."""
    for _ in range(task):
        state = generate(workspace, plan)
        pick(workspace, state.run, waiting_candidates(workspace, state.run)[0], chosen=0)
    state = generate(workspace, plan)
    (waiting,) = waiting_candidates(workspace, state.run)
    assert waiting.task == task
    return waiting


def finished_case(workspace: Workspace) -> Case:
    """The case the only dialogue became."""
    return show_case(workspace, str(dialogues_of(workspace, 1)[-1].case_id))


@pytest.mark.parametrize(
    ("task", "kinds"),
    [
        (0, [None] * 5),
        (1, [Information.OMISSION, Information.REFERENCE]),
        (2, [Information.OMISSION, Information.REFERENCE, Information.LONG_RANGE]),
    ],
)
def test_a_first_task_has_five_candidates_and_a_later_one_for_each_relation_it_can_have(
    workspace: Workspace, model: ScriptedModel, task: int, kinds: list[Information | None]
) -> None:
    waiting = wait_at(workspace, chosen_by_person(model, tasks=3), task)
    assert [offer.information for offer in waiting.offers] == kinds
    assert len({offer.text for offer in waiting.offers}) == len(kinds)


def test_the_relation_a_person_chooses_is_that_of_the_case(
    workspace: Workspace, model: ScriptedModel
) -> None:
    plan = chosen_by_person(model, tasks=3)
    waiting = wait_at(workspace, plan, 2)
    pick(workspace, 1, waiting, chosen=2)
    assert generate(workspace, plan).finished == 1
    case = finished_case(workspace)
    assert [task.information for task in case.tasks] == ["first", "omission", "long_range"]
    assert case.tasks[2].user == waiting.offers[2].text
    origin = origin_of(case)
    assert origin is not None
    assert origin.patterns[2] == Relation.RETURN
    assert Relation(str(origin.patterns[1])).information is Information.OMISSION
    assert origin.fields["/tasks/2/user"].exchange == waiting.offers[2].number


def test_a_relation_the_plan_names_has_five_candidates_of_its_own(
    workspace: Workspace, model: ScriptedModel
) -> None:
    plan = chosen_by_person(model, tasks=2, information={1: "reference"})
    waiting = wait_at(workspace, plan, 1)
    assert [offer.information for offer in waiting.offers] == [Information.REFERENCE] * 5


def test_the_dialogue_so_far_is_that_of_the_case_and_asks_no_model(
    workspace: Workspace, model: ScriptedModel
) -> None:
    plan = chosen_by_person(model, tasks=2)
    toolset, before = dialogue_so_far(workspace, 1, wait_at(workspace, plan, 0))
    assert (toolset.name, before) == ("town", None)
    waiting = wait_at(workspace, plan, 1)
    asked = len(model.asked)
    _, so_far = dialogue_so_far(workspace, 1, waiting)
    assert len(model.asked) == asked
    pick(workspace, 1, waiting, chosen=1)
    generate(workspace, plan)
    _, still = dialogue_so_far(workspace, 1, waiting)  # for whoever looks at it still
    assert so_far is not None
    assert so_far == still
    assert so_far.tasks == finished_case(workspace).tasks[:1]


@pytest.mark.parametrize("task", [0, 2])
def test_why_none_was_wanted_goes_back_to_the_user_role_as_often_as_it_takes_and_is_kept(
    workspace: Workspace, model: ScriptedModel, task: int
) -> None:
    plan = chosen_by_person(model, tasks=3)
    waiting = wait_at(workspace, plan, task)
    offered = {offer.text for offer in waiting.offers}
    for round_ in range(4):  # more than a role may fail
        asked = len(model.asked)
        decline(workspace, 1, waiting, reason=f"{REASON} {round_}")
        waiting = wait_at(workspace, plan, 0) if task == 0 else _waiting_again(workspace, plan)
        fresh = [one for one in model.asked[asked:] if one.headers["x-annotator-role"] == "user"]
        assert len(fresh) == len({offer.number for offer in waiting.offers})
        assert all(f"{REASON} {round_}" in str(one.messages) for one in fresh)
        assert offered.isdisjoint(offer.text for offer in waiting.offers)
    for _ in range(task, 3):
        pick(workspace, 1, waiting_candidates(workspace, 1)[0], chosen=0)
        state = generate(workspace, plan)
    assert (state.finished, state.failures, state.rejected) == (1, {}, {})
    kept = [one.verdict.declined for one in exchanges_of(workspace, 1, dialogue=0) if one.verdict.declined]
    assert sorted(set(kept)) == [f"{REASON} {round_}" for round_ in range(4)]


def _waiting_again(workspace: Workspace, plan: GenerationPlan) -> Candidates:
    generate(workspace, plan)
    return waiting_candidates(workspace, 1)[0]


def test_what_waits_no_longer_is_neither_picked_nor_declined(
    workspace: Workspace, model: ScriptedModel
) -> None:
    plan = chosen_by_person(model, tasks=1)
    waiting = wait_at(workspace, plan, 0)
    with pytest.raises(InputError, match="no reason"):
        decline(workspace, 1, waiting, reason="  ")
    with pytest.raises(InputError, match="is empty"):
        pick(workspace, 1, waiting, chosen=0, text=" ")
    pick(workspace, 1, waiting, chosen=1)
    with pytest.raises(ConflictError, match="waits no longer"):
        pick(workspace, 1, waiting, chosen=0)
    with pytest.raises(ConflictError, match="waits no longer"):
        decline(workspace, 1, waiting, reason=REASON)
    generate(workspace, plan)
    assert finished_case(workspace).tasks[0].user == waiting.offers[1].text


def test_of_two_who_choose_at_once_the_second_is_told(postgres: Server, model: ScriptedModel) -> None:
    """Who picks waits for whoever is picking, and then sees that the request waits no longer."""
    with postgres.database() as name:
        url = postgres.url_of(name)
        workspace = create_workspace(url, name="p")
        waiting = wait_at(workspace, chosen_by_person(model, tasks=1), 0)
        engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
        with engine.connect() as somebody, ThreadPoolExecutor(1) as pool:
            somebody.execute(text("UPDATE generated_dialogues SET status = 'open'"))
            picking = pool.submit(lambda: pick(workspace, 1, waiting, chosen=0))
            while not somebody.scalar(text("SELECT count(*) FROM pg_locks WHERE NOT granted")):
                assert not picking.done(), picking.result()
                time.sleep(0.01)
            somebody.commit()
            with pytest.raises(ConflictError, match="waits no longer"):
                picking.result(20)
        engine.dispose()
        (offered,) = {one.number for one in waiting.offers}
        exchanges = exchanges_of(workspace, 1, dialogue=waiting.dialogue, attempt=waiting.attempt)
        assert next(one for one in exchanges if one.number == offered).verdict.chosen is None
        workspace.close()


def test_what_waits_stands_there_after_its_window_is_killed(tmp_path: Path, model: ScriptedModel) -> None:
    """Nothing of a choice is kept but what was settled: another process sees all candidates."""
    workspace = create_workspace(str(tmp_path / "killed.db"), name="p")
    plan = chosen_by_person(model, tasks=1)
    waiting = wait_at(workspace, plan, 0)
    code = (
        "import os, signal, sys\n"
        "from annotator.generation.choices import dialogue_so_far, waiting_candidates\n"
        "from annotator.project.workspace import open_workspace\n"
        "workspace = open_workspace(sys.argv[1])\n"
        "dialogue_so_far(workspace, 1, waiting_candidates(workspace, 1)[0])\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path / "killed.db")], timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert waiting_candidates(workspace, 1) == (waiting,)
    pick(workspace, 1, waiting, chosen=4)
    assert generate(workspace, plan).finished == 1
    workspace.close()


def test_blanks_that_a_field_changes_are_no_rewording(workspace: Workspace, model: ScriptedModel) -> None:
    plan = chosen_by_person(model, tasks=1)
    waiting = wait_at(workspace, plan, 0)
    pick(workspace, 1, waiting, chosen=0, text=waiting.offers[0].text.replace(" ", "\u00a0 ", 1) + "\n")
    generate(workspace, plan)
    found = run_quality(workspace, 1).reworded["m-1"]
    assert (found.count, found.total) == (0, 1)


def test_a_run_that_was_given_up_takes_no_choice(workspace: Workspace, model: ScriptedModel) -> None:
    waiting = wait_at(workspace, chosen_by_person(model, tasks=1), 0)
    cancel(workspace, 1)
    with pytest.raises(ConflictError, match="the run has ended"):
        pick(workspace, 1, waiting, chosen=0)


def test_what_was_offered_chosen_and_reworded_is_reported_by_model_and_prompts(
    workspace: Workspace, model: ScriptedModel
) -> None:
    plan = chosen_by_person(model, tasks=3)
    first = wait_at(workspace, plan, 0)
    pick(workspace, 1, first, chosen=3)
    second = _waiting_again(workspace, plan)
    pick(workspace, 1, second, chosen=1, text="And the second one of them?")
    third = _waiting_again(workspace, plan)
    pick(workspace, 1, third, chosen=2)
    generate(workspace, plan)
    found = run_quality(workspace, 1)
    assert [(one.task, one.model, one.offered, one.asked) for one in found.picks] == [
        (0, "m-1", first.offers[3].text, first.offers[3].text),
        (1, "m-1", second.offers[1].text, "And the second one of them?"),
        (2, "m-1", third.offers[2].text, third.offers[2].text),
    ]
    share = found.reworded["m-1"]
    assert (share.count, share.total, share.percent) == (1, 3, "33.33")
    assert found.prompt_version.startswith("en-1-")


def test_only_the_request_that_was_picked_stands_in_what_is_exported(
    workspace: Workspace, model: ScriptedModel
) -> None:
    plan = chosen_by_person(model, tasks=2)
    decline(workspace, 1, wait_at(workspace, plan, 0), reason=REASON)
    pick(workspace, 1, _waiting_again(workspace, plan), chosen=0)
    pick(workspace, 1, _waiting_again(workspace, plan), chosen=1)
    generate(workspace, plan)
    (found,) = exported_dialogues(workspace, 1, context=JobContext())
    requests = [task.user for task in finished_case(workspace).tasks]
    said = [str(one["content"]) for one in found.streamlined["messages"] if isinstance(one, dict)]  # type: ignore[union-attr]
    assert [text for text in said if text.startswith("User:")] == [f"User: {text}" for text in requests]
    asked = [record["task"] for record in found.per_role].count(RequestKind.NEXT_TASK.value)
    assert asked == 2
