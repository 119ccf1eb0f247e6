"""The next task in the window: made after a review, shown role by role, accepted or declined."""

import json
import threading
from collections.abc import Iterator
from functools import partial

import pytest

from annotator.generation.made_case import origin_of
from annotator.settings import AssistSettings
from db.read import reviews
from scoring.model.case import Case
from scoring.model.taxonomy import Stage
from tests.annotator.generation.scripted_run import generate, plan_for
from tests.annotator.team import Team
from tests.scripted_model.plain_roles import PlainRoles
from tests.scripted_model.server import Asked, ScriptedModel, Sent, refused
from tests.ui.find import lines_of, title_of
from tests.ui.workbench.driving import Bench
from ui.services.preferences import Preferences
from ui.workbench.assist_panel import AssistPanel
from ui.workbench.question import host_of

CASE = "gen-1-0001"


class Model:
    """A server that plays the roles until a test says otherwise."""

    def __init__(self) -> None:
        self.roles = PlainRoles()
        self.trouble: Sent | None = None
        self.is_asked = threading.Event()
        self.server = ScriptedModel(self._say)

    def _say(self, asked: Asked) -> Sent:
        self.is_asked.set()
        return self.trouble or self.roles(asked)


@pytest.fixture
def model() -> Iterator[Model]:
    """A running server."""
    found = Model()
    with found.server:
        yield found


@pytest.fixture
def generated(team: Team, model: Model) -> Team:
    """The project with a generated case of one of the two tasks it is to have."""
    plan = plan_for(model.server.base_url, policies="given", sequences=[["single"] * 2], is_layered=True)
    generate(team["max"], plan)
    return team


@pytest.fixture
def reviewed(generated: Team, bench: Bench, model: Model, preferences: Preferences) -> Bench:
    """The case open, its task reviewed, and an endpoint the person agreed to."""
    bench.open(CASE)
    host = host_of(model.server.base_url)
    chosen = AssistSettings(base_url=model.server.base_url, model="m-2", agreed_host=host)
    preferences.change(assist=chosen.model_dump())
    bench.document.select(0)
    bench.press("T")
    return bench


def reason(bench: Bench) -> str:
    """Why the command is not possible now; empty where it is."""
    return bench.commands.reason("workbench.next-task")


def panel_of(bench: Bench) -> AssistPanel:
    """The panel of the next task."""
    return bench.page.proposals.made["next-task"].panel


def decisions(bench: Bench) -> list[tuple[str, str]]:
    """Who accepted or declined a task, newest first."""
    events = bench.team["ann"].read(lambda tx: reviews.events_of(tx, [f"case:{CASE}"]))
    return [(event.actor, event.action) for event in events if event.action.startswith("generation:")]


def make(bench: Bench) -> None:
    """Ask for the next task and wait for it."""
    bench.press("Alt+N")
    bench.wait(lambda: title_of(panel_of(bench)) == "Proposed task 2")


def test_the_task_before_is_reviewed_first(generated: Team, bench: Bench) -> None:
    assert reason(bench) == "No case is open; N takes the next one."
    bench.open(CASE)
    assert reason(bench) == "Review task 1 first, and say whether it is completed."
    bench.press("T")
    assert reason(bench).startswith("No endpoint is named")


def test_a_case_from_a_file_has_no_next_task(bench: Bench) -> None:
    bench.open("c-1")
    assert reason(bench) == "Only generated dialogues get their tasks one by one."


def test_before_the_first_time_at_a_host_nothing_is_sent(
    reviewed: Bench, model: Model, preferences: Preferences
) -> None:
    settings = preferences.settings.assist.model_copy(update={"agreed_host": ""})
    preferences.change(assist=settings.model_dump())
    asked = len(model.server.asked)
    reviewed.press("Alt+N")
    panel = panel_of(reviewed)
    assert title_of(panel).startswith("Send this dialogue to 127.0.0.1")
    reviewed.press("Esc")
    assert (panel.isHidden(), len(model.server.asked)) == (True, asked)
    reviewed.press("Alt+N", "Return")
    reviewed.wait(lambda: title_of(panel) == "Proposed task 2")


def test_an_accepted_task_is_one_step_of_undo_marked_and_on_the_record(reviewed: Bench) -> None:
    before = reviewed.document.case
    make(reviewed)
    lines = lines_of(panel_of(reviewed))
    assert [line.partition(":")[0] for line in lines] == ["User", "Planner", "Tool", "Agent"]
    assert reviewed.document.case == before
    reviewed.press("Return")
    reviewed.wait(lambda: len(reviewed.document.case.tasks) == 2)
    case = reviewed.document.case
    origin = origin_of(case)
    assert origin is not None
    assert (origin.fields["/tasks/1/user"].model, origin.graph) == ("m-2", "machine")
    assert reviewed.document.judgment.tasks[1].completed is None
    assert reviewed.document.selection.task == 1
    assert decisions(reviewed) == [("ann", "generation:task:accept")]
    assert reason(reviewed) == "This dialogue has all its planned tasks."
    reviewed.document.stack.undo()
    assert reviewed.document.case == before
    assert reason(reviewed) == ""


def test_a_declined_task_changes_nothing_and_the_next_one_is_another(reviewed: Bench) -> None:
    make(reviewed)
    first = lines_of(panel_of(reviewed))
    reviewed.press("Esc")
    reviewed.wait(lambda: decisions(reviewed) == [("ann", "generation:task:decline")])
    assert len(reviewed.document.case.tasks) == 1
    make(reviewed)
    assert lines_of(panel_of(reviewed))[0] != first[0]


def test_what_the_roles_say_is_shown_while_the_task_is_made(reviewed: Bench, model: Model) -> None:
    roles, is_shown = model.roles, threading.Event()

    def slow(asked: Asked) -> Sent:
        if asked.headers["x-annotator-role"] == "tool":
            is_shown.wait(120)
        return roles(asked)

    model.roles = slow  # type: ignore[assignment]  # a script, as the roles are
    panel = panel_of(reviewed)
    reviewed.press("Alt+N")
    reviewed.wait(lambda: len(lines_of(panel)) == 2)
    assert title_of(panel) == "m-2 plays the five roles …"
    assert [line.partition(":")[0] for line in lines_of(panel)] == ["User", "Planner"]
    is_shown.set()
    reviewed.wait(lambda: title_of(panel) == "Proposed task 2")


def test_an_edit_meanwhile_is_not_overwritten(reviewed: Bench) -> None:
    make(reviewed)
    changed = partial(_with_request, text="As a person put it.")
    reviewed.document.edit_case("word it otherwise", changed)
    reviewed.press("Return")
    panel = panel_of(reviewed)
    assert lines_of(panel)[0].startswith("The dialogue has changed")
    assert len(reviewed.document.case.tasks) == 1


def test_a_failure_is_said_and_asked_again(reviewed: Bench, model: Model) -> None:
    model.trouble = refused(401, "Bad key.")
    reviewed.press("Alt+N")
    panel = panel_of(reviewed)
    reviewed.wait(lambda: title_of(panel) == "No proposal")
    assert "Bad key." in lines_of(panel)[0]
    model.trouble = None
    reviewed.press("Return")
    reviewed.wait(lambda: title_of(panel) == "Proposed task 2")


def test_cancelling_leaves_the_case_as_it_is(reviewed: Bench, model: Model) -> None:
    model.trouble = Sent(message={}, delay_seconds=60)
    model.is_asked.clear()
    reviewed.press("Alt+N")
    reviewed.wait(model.is_asked.is_set)
    before = reviewed.document.case
    reviewed.press("Esc")
    assert panel_of(reviewed).isHidden()
    assert reviewed.document.case == before
    assert decisions(reviewed) == []


def test_a_reviewer_who_judges_blind_adds_no_task(generated: Team, bench: Bench) -> None:
    done = generated.self_check("bob", CASE)
    assert done.stage is Stage.CROSS_CHECK
    bench.open(CASE)
    assert bench.document.is_blind
    assert reason(bench) == "A cross-check judges the tasks there are."
    assert "generation" not in json.dumps(bench.document.case.model_dump(mode="json"))


def _with_request(case: Case, *, text: str) -> Case:
    task = case.tasks[0].model_copy(update={"user": text})
    return case.model_copy(update={"tasks": (task, *case.tasks[1:])})
