"""Layer by layer: the next task is made on what people corrected, asked for once, and marked."""

import threading

import pytest

from annotator.cases.access import show_case
from annotator.cases.edits.text_edits import set_user_text
from annotator.cases.findings.checks import check_case
from annotator.generation.choices import pick, waiting_candidates
from annotator.generation.generation_run import dialogues_of
from annotator.generation.made_case import origin_of
from annotator.generation.models import LoopSetting
from annotator.generation.next_task import NextTask, make_next_task, wanted_next, with_next_task
from annotator.generation.plan import Chooser, RoleModel
from annotator.jobs import JobCancelled, JobContext
from annotator.project.workspace import Workspace
from scoring.errors import BlockedError, ConflictError, InputError, NotFoundError
from scoring.model.case import Case
from scoring.model.taxonomy import Severity
from tests.annotator.generation.scripted_run import QUICK, generate, plan_for
from tests.factories import case, task
from tests.scripted_model.plain_roles import PlainRoles
from tests.scripted_model.server import Asked, ScriptedModel, Sent, said


@pytest.fixture
def first(workspace: Workspace, model: ScriptedModel) -> Case:
    """A case of one task of the two it was to have."""
    plan = plan_for(model.base_url, policies="given", sequences=[["single"] * 2], is_layered=True)
    state = generate(workspace, plan)
    return show_case(workspace, str(dialogues_of(workspace, state.run)[0].case_id))


def make(
    workspace: Workspace,
    model: ScriptedModel,
    found: Case,
    *,
    is_another: bool = False,
    context: JobContext | None = None,
) -> NextTask:
    """Make the next task by another model than the run's own."""
    context = context or JobContext()
    return make_next_task(
        workspace,
        found,
        wanted=wanted_next(found) or "single",
        played=RoleModel(model="m-2", base_url=model.base_url),
        context=context,
        setting=LoopSetting(patience=QUICK, leaves=context),
        is_another=is_another,
    )


def test_the_next_task_is_made_on_what_people_corrected_and_asked_for_once(
    workspace: Workspace, model: ScriptedModel, first: Case
) -> None:
    corrected = set_user_text(first, 0, text="As a person put it.")
    assert (len(first.tasks), wanted_next(corrected)) == (1, "single")
    made = make(workspace, model, corrected)
    assert "As a person put it." in str(model.asked[-1].messages)
    asked = len(model.asked)
    again = make(workspace, model, corrected)
    assert (again.task, len(model.asked)) == (made.task, asked)


def test_another_one_differs_and_a_correction_asks_afresh(
    workspace: Workspace, model: ScriptedModel, first: Case
) -> None:
    made = make(workspace, model, first)
    other = make(workspace, model, first, is_another=True)
    assert other.task.user != made.task.user
    # However often the task before is corrected, no attempt is used up by it.
    for number in range(7):
        corrected = set_user_text(first, 0, text=f"Corrected {number}.")
        assert make(workspace, model, corrected).number == 1


def test_an_accepted_task_is_marked_as_made_by_a_machine(
    workspace: Workspace, model: ScriptedModel, first: Case
) -> None:
    grown = with_next_task(first, make(workspace, model, first))
    origin = origin_of(grown)
    assert origin is not None
    assert (len(grown.tasks), wanted_next(grown), origin.graph) == (2, None, "machine")
    assert origin.fields["/tasks/1/user"].model == "m-2"
    assert origin.fields["/tasks/0/user"].model == "m-1"
    assert origin.patterns[0] is None
    assert origin.patterns[1] is not None
    assert not [found for found in check_case(grown) if found.severity is Severity.ERROR]


def test_a_task_made_on_other_words_is_refused_and_one_on_other_labels_is_not(
    workspace: Workspace, model: ScriptedModel, first: Case
) -> None:
    made = make(workspace, model, first)
    with pytest.raises(ConflictError, match="has changed"):
        with_next_task(set_user_text(first, 0, text="Something else."), made)
    relabelled = first.tasks[0].model_copy(update={"policy": None})
    assert len(with_next_task(first.model_copy(update={"tasks": (relabelled,)}), made).tasks) == 2


def test_a_run_that_lets_people_pick_needs_no_pick_here(workspace: Workspace, model: ScriptedModel) -> None:
    plan = plan_for(
        model.base_url,
        policies="given",
        sequences=[["single"] * 2],
        is_layered=True,
        chooser=Chooser.PERSON,
    )
    run = generate(workspace, plan).run
    pick(workspace, run, waiting_candidates(workspace, run)[0], chosen=0)
    generate(workspace, plan)
    found = show_case(workspace, str(dialogues_of(workspace, run)[0].case_id))
    assert make(workspace, model, found).number == 1


def test_what_was_not_generated_here_is_refused(workspace: Workspace, first: Case) -> None:
    with ScriptedModel(PlainRoles()) as model, pytest.raises(InputError, match="not generated"):
        make(workspace, model, case(task()))
    elsewhere = first.model_copy(update={"id": "gen-9-0001"})
    with ScriptedModel(PlainRoles()) as model, pytest.raises(NotFoundError, match="gen-9-0001"):
        make(workspace, model, elsewhere)


def test_a_model_that_never_learns_is_said_to_be_one(workspace: Workspace, first: Case) -> None:
    with (
        ScriptedModel(lambda _: said("I am sorry.")) as model,
        pytest.raises(BlockedError, match="No attempt") as caught,
    ):
        make(workspace, model, first)
    assert "by hand" in caught.value.hint


def test_cancelling_leaves_a_slow_endpoint_at_once_and_keeps_what_came(
    workspace: Workspace, first: Case
) -> None:
    roles, stop = PlainRoles(), threading.Event()

    def script(asked: Asked) -> Sent:
        if asked.number < 2:
            return roles(asked)
        stop.set()
        return Sent(message={}, delay_seconds=60)

    with ScriptedModel(script) as model:
        with pytest.raises(JobCancelled):
            make(workspace, model, first, context=JobContext(cancel=stop))
        assert len(model.asked) == 3
    with ScriptedModel(roles) as model:
        assert make(workspace, model, first).number == 1
        # User and planner are stored: tool, planner and agent are still to be asked.
        assert len(model.asked) == 3
