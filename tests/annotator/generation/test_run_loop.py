"""Runs from start to end: stopped and resumed, refused and over budget, with a person who picks."""

import json
import re
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from annotator.cases.access import blinded, show_case
from annotator.cases.coverage import project_coverage
from annotator.cases.file_import import land_cases
from annotator.cases.findings.checks import check_case
from annotator.cases.history import replace_content
from annotator.generation.choices import pick, waiting_candidates
from annotator.generation.export import exported_dialogues
from annotator.generation.generation_run import (
    cancel,
    dialogues_of,
    exchanges_of,
    find_run,
    list_runs,
    start,
    state_of,
)
from annotator.generation.made_case import origin_of
from annotator.generation.models import LoopSetting
from annotator.generation.plan import Chooser, GenerationPlan, Policies
from annotator.generation.prompts import Prompts
from annotator.generation.quality import run_qualities, run_variety
from annotator.generation.records import AttemptFailure, DialogueStatus, GenerationState, RunStatus
from annotator.generation.run_loop import resume
from annotator.jobs import JobCancelled, JobContext
from annotator.llm import ModelError
from annotator.llm.budget import Budget
from annotator.llm.pace import Clock
from annotator.project.creation import create_workspace
from annotator.project.policy import BlindField
from annotator.project.workspace import Workspace
from scoring.errors import InputError
from scoring.formats.case_reader import ReadCase
from scoring.model.graph import ANSWER_NAME
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Policy, Severity
from scoring.teval.derivation import derive
from scoring.teval.subsets import Subset
from tests.annotator.generation.scripted_run import QUICK, TOOLSET, generate, plan_for
from tests.factories import answer, case, task
from tests.scripted_model.endpoint import scripted_endpoint
from tests.scripted_model.foreign import ForeignRoles, never_asks, refuses, strays_a_third_of_the_time
from tests.scripted_model.plain_roles import PlainRoles, key_of
from tests.scripted_model.server import Asked, ScriptedModel, Sent, refused, said

KEY = "sk-secret-4711"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """An empty project of one person."""
    found = create_workspace(str(tmp_path / "p.db"), name="p")
    yield found
    found.close()


def given(base_url: str, sequences: Sequence[Sequence[str]], **fields: Any) -> GenerationPlan:
    """A plan of given sequences."""
    return plan_for(base_url, policies="given", sequences=sequences, **fields)


def test_a_case_the_project_refuses_is_made_anew_and_then_given_up_even_where_it_is_the_last(
    workspace: Workspace, tmp_path: Path
) -> None:
    other = case(task(answer()), id="gen-1-0002")
    mine = ReadCase(case=other, warnings=(), line=1)
    land_cases(workspace, [mine], file=tmp_path / "mine.jsonl", batch="mine")
    with ScriptedModel(PlainRoles()) as model:
        plan = given(model.base_url, [["single"], ["single"], ["single"]], attempts=2)
        state = generate(workspace, plan, concurrency=2)
    assert (state.finished, state.given_up, state.is_finished) == (2, 1, True)
    refused_ones = [row for row in dialogues_of(workspace, 1) if row.status is DialogueStatus.FAILED]
    assert [(row.dialogue, row.attempt, row.failure) for row in refused_ones] == [
        (1, 1, AttemptFailure.UNFIT_CASE),
        (1, 2, AttemptFailure.UNFIT_CASE),
    ]
    assert {"gen-1-0002' with other content" in row.note for row in refused_ones} == {True}


def test_roles_of_another_make_give_valid_cases_with_the_provenance_of_every_field(
    workspace: Workspace,
) -> None:
    with ScriptedModel(PlainRoles()) as model:
        state = generate(workspace, given(model.base_url, [["single"] * 2] * 3))
    assert (state.finished, state.given_up, state.status) == (3, 0, RunStatus.FINISHED)
    assert {asked.headers["x-annotator-role"] for asked in model.asked} == {
        "user",
        "planner",
        "tool",
        "agent",
    }
    assert len({key_of(asked) for asked in model.asked}) == len(model.asked) == state.requests
    for row in dialogues_of(workspace, state.run):
        case = show_case(workspace, str(row.case_id))
        assert not [found for found in check_case(case) if found.severity is Severity.ERROR]
        origin = origin_of(case)
        assert origin is not None
        assert origin_of(blinded(case, tuple(BlindField))) is None
        assert origin.graph == "machine"
        places = {f"/tasks/{t}/user" for t in range(2)} | {
            f"/tasks/{t}/steps/{s}" for t in range(2) for s in [0]
        }
        assert places | {"/tasks/0/steps/0/observation", "/tasks/1/steps/1/text"} <= set(origin.fields)
        assert origin.fields["/tasks/0/user"].model == "m-1"
        assert next(task.information for task in case.tasks) == "first"


def test_a_task_of_another_policy_is_tried_afresh_and_kept_only_at_the_last_attempt(
    workspace: Workspace,
) -> None:
    with ScriptedModel(PlainRoles()) as model:
        plan = given(model.base_url, [["chat", "single"]], attempts=3)
        state = generate(workspace, plan)
    assert (state.finished, state.failures) == (1, {"policy_differs": 2})
    case = show_case(workspace, str(dialogues_of(workspace, state.run)[-1].case_id))
    assert [task.policy for task in case.tasks] == ["single", "single"]


def test_a_cancelled_run_goes_on_and_asks_nothing_again(workspace: Workspace) -> None:
    stop = threading.Event()

    def listen(state: GenerationState) -> None:
        if state.requests >= 12:
            stop.set()

    with ScriptedModel(PlainRoles()) as model:
        plan = given(model.base_url, [["single"] * 2] * 6)
        with pytest.raises(JobCancelled):
            generate(workspace, plan, context=JobContext(cancel=stop), listen=listen)
        before = state_of(workspace, 1)
        assert 12 <= before.requests == len(model.asked)
        state = generate(workspace, plan)
    assert state.finished == 6
    assert len({key_of(asked) for asked in model.asked}) == len(model.asked) == state.requests
    assert len(list_runs(workspace)) == 1


def test_an_endpoint_that_moved_goes_on_with_the_same_run(workspace: Workspace) -> None:
    sequences = [["single"]] * 2
    with ScriptedModel(PlainRoles()) as model:
        limited = given(model.base_url, sequences, budget=Budget(tokens=150))
        before = generate(workspace, limited, concurrency=1)
    assert before.is_over_budget
    with ScriptedModel(PlainRoles()) as moved:
        after = generate(workspace, given(moved.base_url, sequences))
        assert (after.run, after.finished) == (before.run, 2)
        assert len(moved.asked) == after.requests - before.requests


def test_prompts_that_changed_while_a_run_rested_use_up_no_attempt(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Prompts.text

    def reworded(prompts: Prompts, name: str, /, **values: object) -> str:
        return f"{plain(prompts, name, **values)} Be brief."

    with ScriptedModel(PlainRoles()) as model:
        plan = given(model.base_url, [["single"]], attempts=1)
        limited = plan.model_copy(update={"budget": Budget(tokens=150)})
        assert generate(workspace, limited, concurrency=1).is_over_budget
        monkeypatch.setattr(Prompts, "text", reworded)
        state = generate(workspace, plan)
    assert (state.finished, state.given_up) == (1, 0)
    assert [(row.attempt, row.status, row.failure) for row in dialogues_of(workspace, 1)] == [
        (1, DialogueStatus.FAILED, AttemptFailure.PROMPT_CHANGED),
        (2, DialogueStatus.FINISHED, None),
    ]


def test_a_finished_run_is_not_made_again_and_a_cancelled_one_begins_anew(workspace: Workspace) -> None:
    with ScriptedModel(PlainRoles()) as model:
        plan = given(model.base_url, [["single"]])
        assert generate(workspace, plan).finished == 1
        asked = len(model.asked)
        assert generate(workspace, plan).is_finished
        assert len(model.asked) == asked
        cancel(workspace, 1)
        assert generate(workspace, plan).run == 2


def test_a_wrong_key_stops_the_run_at_once_and_appears_nowhere(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEN_KEY", KEY)
    played = {"key_variable": "GEN_KEY"}

    def script(asked: Asked) -> Sent:
        is_good = asked.headers["authorization"] == f"Bearer {KEY}"
        return refused(401, f"no entry with {KEY}") if is_good else said("?")

    with ScriptedModel(script) as model:
        plan = given(model.base_url, [["single"]] * 20)
        models = {role: (found[0].model_copy(update=played),) for role, found in plan.models.items()}
        with pytest.raises(ModelError) as caught:
            generate(workspace, plan.model_copy(update={"models": models}))
    assert "same command" in caught.value.hint
    assert len(model.asked) <= 4
    assert KEY not in str(caught.value)
    for path in tmp_path.rglob("*"):
        assert KEY.encode() not in (path.read_bytes() if path.is_file() else b"")


def test_a_key_in_an_address_is_refused(workspace: Workspace) -> None:
    plan = plan_for(f"http://127.0.0.1:9/v1?key={KEY}")
    with pytest.raises(InputError):
        start(workspace, plan, [TOOLSET])
    assert list_runs(workspace) == ()


def test_a_variable_without_a_key_is_named_before_anything_is_asked(workspace: Workspace) -> None:
    with ScriptedModel(PlainRoles()) as model:
        plan = given(model.base_url, [["single"]])
        models = {
            role: (one[0].model_copy(update={"key_variable": "NO_KEY"}),) for role, one in plan.models.items()
        }
        with pytest.raises(InputError, match="NO_KEY"):
            generate(workspace, plan.model_copy(update={"models": models}))
    assert model.asked == []


def test_an_endpoint_that_goes_away_stops_the_run_and_the_same_plan_goes_on(workspace: Workspace) -> None:
    roles = PlainRoles()
    is_gone = threading.Event()

    def script(asked: Asked) -> Sent:
        if asked.number >= 9:
            is_gone.set()
        return Sent(hangs_up=True) if is_gone.is_set() and not is_back.is_set() else roles(asked)

    is_back = threading.Event()
    with ScriptedModel(script) as model:
        plan = given(model.base_url, [["single"] * 2] * 4)
        with pytest.raises(ModelError, match="connection"):
            generate(workspace, plan)
        stored = state_of(workspace, 1).requests
        assert 0 < stored < len(model.asked)
        is_back.set()
        state = generate(workspace, plan)
    assert state.finished == 4


class SpedUp(Clock):
    """A clock on which waits are over at once; a run that is told of an outage is heard before they end."""

    def __init__(self, heard: threading.Event) -> None:
        self._heard = heard

    def wait(self, stop: threading.Event, seconds: float) -> None:
        self._heard.wait(120)


def test_an_endpoint_that_goes_away_is_waited_for_and_the_run_says_so(workspace: Workspace) -> None:
    roles, heard, told = PlainRoles(), threading.Event(), list[str]()

    def script(asked: Asked) -> Sent:
        return Sent(hangs_up=True) if 9 <= asked.number < 30 else roles(asked)

    def listen(state: GenerationState) -> None:
        if state.outage:
            told.append(state.note)
            heard.set()

    patience = QUICK.model_copy(update={"outage_seconds": 600, "first_wait_seconds": 30.0})
    patience = patience.model_copy(update={"longest_wait_seconds": 30.0, "retries": 0})
    with ScriptedModel(script) as model:
        plan = given(model.base_url, [["single"] * 2] * 4)
        run = start(workspace, plan, [TOOLSET])
        assert run is not None
        setting = LoopSetting(patience=patience, clock=SpedUp(heard), listen=listen)
        state = resume(workspace, run, context=JobContext(), setting=setting)
    assert (state.finished, state.outage, state.status) == (4, "", RunStatus.FINISHED)
    assert re.match(r"127\.0\.0\.1:\d+ is not reachable, retrying in (2[3-9]|30) s, \d+ replies", told[0])


def test_cancelling_ends_the_waiting_for_an_endpoint_at_once(workspace: Workspace) -> None:
    roles, stop = PlainRoles(), threading.Event()

    def script(asked: Asked) -> Sent:
        return Sent(hangs_up=True) if asked.number >= 9 else roles(asked)

    def listen(state: GenerationState) -> None:
        if state.outage:
            stop.set()

    patience = QUICK.model_copy(update={"outage_seconds": 600, "first_wait_seconds": 500.0})
    patience = patience.model_copy(update={"longest_wait_seconds": 500.0})
    with ScriptedModel(script) as model:
        run = start(workspace, given(model.base_url, [["single"] * 2] * 4), [TOOLSET])
        assert run is not None
        setting = LoopSetting(patience=patience, listen=listen)
        before = time.monotonic()
        with pytest.raises(JobCancelled):
            resume(workspace, run, context=JobContext(cancel=stop), setting=setting)
    assert time.monotonic() - before < 60


def test_rate_limits_are_waited_for(workspace: Workspace) -> None:
    roles = PlainRoles()

    def script(asked: Asked) -> Sent:
        return refused(429, retry_after_ms="5") if asked.number % 5 == 1 else roles(asked)

    with ScriptedModel(script) as model:
        assert generate(workspace, given(model.base_url, [["single"]] * 4)).finished == 4


def test_a_model_that_never_learns_is_given_up(workspace: Workspace) -> None:
    with ScriptedModel(lambda _: said("I am sorry.")) as model:
        plan = given(model.base_url, [["single"]], attempts=2)
        state = generate(workspace, plan)
    assert (state.finished, state.given_up, state.status) == (0, 1, RunStatus.FINISHED)
    assert state.failures == {"user": 2}
    assert state.rejected == {"U-2": 6}


def test_a_planner_that_ignores_the_policy_is_told_and_the_run_says_what_its_cases_have(
    workspace: Workspace,
) -> None:
    with ScriptedModel(ForeignRoles("planner", strays_a_third_of_the_time)) as model:
        plan = plan_for(model.base_url, tasks=2, policies=Policies.MISSING)
        state = generate(workspace, plan, concurrency=1)
    assert state.rejected["P-9"] > 5
    told = " ".join(str(asked.messages[-1]) for asked in model.asked)
    assert re.search("This reply was rejected: this is a (single|multi|clarify|chat) task: ", told)
    cases = [
        show_case(workspace, str(row.case_id))
        for row in dialogues_of(workspace, state.run)
        if row.status is DialogueStatus.FINISHED
    ]
    assert state.finished == state.as_wanted == len(cases) == 16
    assert project_coverage(workspace).coverage.by_length[2].count == 16


def test_a_sequence_no_attempt_gave_is_missing_still_and_the_same_command_tries_only_it(
    workspace: Workspace,
) -> None:
    heard: list[GenerationState] = []
    with ScriptedModel(ForeignRoles("planner", never_asks)) as model:
        plan = plan_for(model.base_url, tasks=1, policies=Policies.MISSING, attempts=2)
        state = generate(workspace, plan, listen=heard.append)
        again = start(workspace, plan, [TOOLSET])
    assert (state.total, state.finished, state.as_wanted, state.given_up) == (4, 4, 3, 0)
    assert sum(state.sequences.values()) == 4
    assert sorted(word.partition("_")[0] for word in state.sequences) == ["chat", "multi", "single"]
    assert (heard[-1].sequences, heard[-1].as_wanted) == (state.sequences, 3)
    assert state.failures == {"policy_differs": 1}
    row = next(
        row for row in dialogues_of(workspace, state.run) if row.sequence == ("clarify",) and row.case_id
    )
    assert (row.policies, row.is_as_wanted, row.attempt) == (("chat",), False, 2)
    assert again is not None
    assert find_run(workspace, again).plan.sequences == (("clarify",),)


def test_a_label_that_a_person_corrects_counts_as_what_the_dialogue_has(workspace: Workspace) -> None:
    with ScriptedModel(PlainRoles()) as model:
        state = generate(workspace, given(model.base_url, [["single"]]))
    case_id = str(dialogues_of(workspace, state.run)[0].case_id)
    made = show_case(workspace, case_id)
    chat = made.model_copy(update={"tasks": (made.tasks[0].model_copy(update={"policy": Policy.CHAT}),)})
    replace_content(workspace, case_id, case=chat, reason="wrong label")
    assert state_of(workspace, state.run).sequences == {"chat": 1}
    assert state_of(workspace, state.run).as_wanted == 0


def test_a_refusal_prose_and_what_is_cut_off_are_no_requests(workspace: Workspace) -> None:
    with ScriptedModel(ForeignRoles("user", refuses)) as model:
        plan = plan_for(model.base_url, tasks=2, count=8, attempts=20)
        state = generate(workspace, plan, concurrency=1)
    assert state.finished == 8
    assert state.rejected["U-2"] > 5
    requests = [
        task.user
        for row in dialogues_of(workspace, state.run)
        if row.case_id
        for task in show_case(workspace, row.case_id).tasks
    ]
    assert not [text for text in requests if "rather not" in text or "cannot help" in text or "They" in text]
    assert not [text for text in requests if not text.endswith((".", "?", "!"))]


def test_an_answer_that_is_cut_off_is_asked_for_again(workspace: Workspace) -> None:
    cut = Sent(message={"role": "assistant", "content": "Here is wh"}, finish_reason="length")
    roles = PlainRoles()

    def script(asked: Asked) -> Sent:
        is_cut = asked.headers["x-annotator-role"] == "agent" and "rejected" not in str(asked.messages[-1])
        return cut if is_cut else roles(asked)

    with ScriptedModel(script) as model:
        state = generate(workspace, given(model.base_url, [["single"]]))
    case = show_case(workspace, str(dialogues_of(workspace, state.run)[0].case_id))
    assert case.tasks[0].answer is not None
    assert case.tasks[0].answer.text == "Here is what I found."
    assert state.rejected == {"U-1": 1}


def test_the_thought_of_the_planner_is_kept_and_fills_the_subsets_of_t_eval(workspace: Workspace) -> None:
    with scripted_endpoint(seed=1) as model:
        plan = given(model.base_url, [["single", "multi_parallel"], ["clarify", "chat"]])
        state = generate(workspace, plan, concurrency=1)
    cases = [show_case(workspace, str(row.case_id)) for row in dialogues_of(workspace, state.run)]
    steps = [step for case in cases for task in case.tasks for step in task.steps]
    rounds = [(step.recorded_round, step.thought is not None) for step in cases[0].tasks[1].steps]
    assert rounds == [(1, True), (1, False), (2, True)]
    assert sum(step.thought is None for step in steps) == 1
    derived = derive(cases)
    assert len(derived.items[Subset.REASON_STR]) > 0


def test_an_endless_dialogue_fails_at_the_turn_limit(workspace: Workspace) -> None:
    class Busy(PlainRoles):
        def _planner(self, asked: Asked) -> Sent:
            asked.messages[-1] = {"content": ""}
            return super()._planner(
                Asked(asked.number, {**asked.body, "messages": [{"content": ""}] * 2}, {})
            )

    with ScriptedModel(Busy()) as model:
        plan = given(model.base_url, [["multi"]], attempts=1, turn_limit=4)
        assert generate(workspace, plan).failures == {"turn_limit": 1}


def test_a_budget_stops_the_run_and_a_higher_one_goes_on(workspace: Workspace) -> None:
    with ScriptedModel(PlainRoles()) as model:
        small = given(model.base_url, [["single"]] * 3, budget=Budget(tokens=300))
        state = generate(workspace, small)
        assert state.is_over_budget
        assert not state.is_finished
        more = small.model_copy(update={"budget": Budget(tokens=100_000)})
        assert generate(workspace, more).finished == 3
    assert len(list_runs(workspace)) == 1


def test_a_person_picks_and_edits_a_request(workspace: Workspace) -> None:
    with ScriptedModel(PlainRoles()) as model:
        plan = given(model.base_url, [["single"]], chooser=Chooser.PERSON)
        state = generate(workspace, plan)
        assert (state.waiting, state.finished) == (1, 0)
        (waiting,) = waiting_candidates(workspace, state.run)
        assert len(waiting.offers) == 5
        with pytest.raises(InputError):
            pick(workspace, state.run, waiting, chosen=5)
        pick(workspace, state.run, waiting, chosen=2, text="Show the blue house.")
        state = generate(workspace, plan)
    assert state.finished == 1
    case = show_case(workspace, str(dialogues_of(workspace, state.run)[-1].case_id))
    assert case.tasks[0].user == "Show the blue house."


def test_a_model_picks_and_edits_a_request(workspace: Workspace) -> None:
    class Choosing(PlainRoles):
        def _checker(self, asked: Asked) -> Sent:
            return said('{"text": "Show the green house.", "choice": 2}')

    with ScriptedModel(Choosing()) as model:
        plan = given(model.base_url, [["single"]], chooser=Chooser.MODEL)
        state = generate(workspace, plan)
    case = show_case(workspace, str(dialogues_of(workspace, state.run)[-1].case_id))
    assert case.tasks[0].user == "Show the green house."
    (found,) = exported_dialogues(workspace, state.run, context=JobContext())
    assert "User: Show the green house." in str(found.streamlined)


def test_three_shapes_are_exported(workspace: Workspace) -> None:
    class Careless(PlainRoles):
        def _tool(self, asked: Asked) -> Sent:
            is_first = not any("rejected" in str(m["content"]) for m in asked.messages)
            return said('{"Observation_List": []}') if is_first else super()._tool(asked)

    with ScriptedModel(Careless()) as model:
        plan = given(model.base_url, [["single"]])
        state = generate(workspace, plan)
    (found,) = exported_dialogues(workspace, state.run, context=JobContext())
    raw, kept = _messages(found.raw), _messages(found.streamlined)
    assert sum(text.startswith("Switch") for _, text in raw) == 7
    assert sum(text.startswith("Checker_Tool：") for _, text in raw) == 1
    assert [role for role, _ in kept] == ["user", "assistant", "user", "assistant", "assistant"]
    assert [record["task"] for record in found.per_role] == [
        "user_single_tool",
        "planner",
        "tool",
        "tool",
        "planner",
        "agent_answer",
    ]
    assert found.per_role[0]["env_info"] is None
    assert found.per_role[1]["env_info"] == found.raw["env_info"] != ""


def _messages(record: JsonObject) -> list[tuple[str, str]]:
    messages = record["messages"]
    assert isinstance(messages, list)
    return [(str(one["role"]), str(one["content"])) for one in messages if isinstance(one, dict)]


def test_quality_names_models_prompts_and_what_survived(workspace: Workspace) -> None:
    with ScriptedModel(PlainRoles()) as model:
        generate(workspace, given(model.base_url, [["single"]] * 2), concurrency=1)
    (quality,) = run_qualities(workspace)
    assert (quality.cases, quality.final, quality.raw.total) == (2, 0, 0)
    assert "planner: m-1" in quality.models
    assert quality.prompt_version.startswith("en-1-")
    variety = run_variety(workspace, quality.run)
    assert (variety.count, variety.openings, variety.forms) == (2, 2, {"request": 2})  # red, then green


def test_every_exchange_of_a_dialogue_can_be_looked_at(workspace: Workspace) -> None:
    with ScriptedModel(PlainRoles()) as model:
        state = generate(workspace, given(model.base_url, [["single"]]))
    found = exchanges_of(workspace, state.run, dialogue=0)
    assert [one.number for one in found] == list(range(5))
    assert [list(one.messages) for one in found] == [asked.messages for asked in model.asked]
    assert {row.status for row in dialogues_of(workspace, state.run)} == {DialogueStatus.FINISHED}


def test_the_planner_is_shown_as_finished_only_where_it_answered(workspace: Workspace) -> None:
    with ScriptedModel(PlainRoles()) as model:
        generate(workspace, given(model.base_url, [["single", "single"]]))
    shown = {
        (decision["Mission_Finish"], decision["Action_List"][0]["name"] == ANSWER_NAME)
        for asked in model.asked
        for message in asked.messages
        if message["role"] == "assistant"
        for decision in _decisions(str(message["content"]))
    }
    assert shown == {("no", False), ("yes", True)}


def _decisions(content: str) -> list[Any]:
    return [json.loads(one) for one in re.findall(r"^\{.*Mission_Finish.*\}$", content, re.MULTILINE)]
