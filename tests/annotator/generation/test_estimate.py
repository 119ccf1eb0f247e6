"""What a run will take is added up from the requests each kind of task needs."""

from pathlib import Path

import pytest

from annotator.cases.coverage import LabelCount, coverage_of
from annotator.generation.estimate import REQUESTS, estimate_run
from annotator.generation.plan import Chooser, GenerationPlan, Policies, RoleModel, Toolset
from annotator.generation.roles import AgentRole
from annotator.llm.budget import Budget
from scoring.model.case import Tool
from scoring.model.taxonomy import Information, Policy

TOOLSETS = [Toolset(name="t", tools=(Tool(definition={"name": "find", "description": "x" * 4000}),))]
MODEL = RoleModel(model="m", base_url="http://127.0.0.1:1/v1")


def plan(**fields: object) -> GenerationPlan:
    models = dict.fromkeys(AgentRole, (MODEL,))
    given = {"name": "g", "policies": Policies.ALL, "models": models, "native_tools": False, **fields}
    return GenerationPlan.model_validate(given)


def test_requests_are_added_up_over_tasks() -> None:
    # single: user, planner, tool, planner, agent = 5; chat: user, planner, agent = 3.
    found = estimate_run(plan(), TOOLSETS, [("single", "chat"), ("chat",)])

    assert (found.dialogues, found.requests) == (2, 11)
    assert found.dollars is None


def test_layer_by_layer_only_first_tasks_are_made() -> None:
    assert estimate_run(plan(is_layered=True), TOOLSETS, [("single", "chat"), ("chat",)]).requests == 8


def test_a_model_that_picks_is_asked_once_more_for_each_task() -> None:
    found = estimate_run(plan(chooser=Chooser.MODEL), TOOLSETS, [("single", "chat")])

    assert found.requests == 10


def test_multi_is_the_mean_of_its_kinds() -> None:
    kinds = [REQUESTS[f"multi_{kind}"] for kind in ("serial", "parallel", "mixed")]

    assert REQUESTS["multi"] == pytest.approx(sum(kinds) / 3)


def test_prices_turn_tokens_into_dollars() -> None:
    budget = Budget(prompt_price=2.0, completion_price=10.0)
    found = estimate_run(plan(budget=budget), TOOLSETS, [("chat",)])

    assert found.dollars == pytest.approx((found.prompt_tokens * 2 + found.completion_tokens * 10) / 1e6)


def test_what_is_planned_stands_beside_what_the_project_has() -> None:
    labels = (
        LabelCount(policy=Policy.MULTI_SERIAL, information=Information.FIRST, count=2),
        LabelCount(policy=Policy.MULTI_MIXED, information=None, count=1),
        LabelCount(policy=None, information=None, count=9),
    )
    present = coverage_of(()).model_copy(update={"labels": labels})
    sequences = [("multi_parallel", "chat"), ("multi", "single")]
    found = estimate_run(plan(), TOOLSETS, sequences, present=present)
    assert [(one.word, one.present, one.planned, one.total) for one in found.shares] == [
        ("single", 0, 1, 7),
        ("multi", 3, 2, 7),
        ("clarify", 0, 0, 7),
        ("chat", 0, 1, 7),
    ]
    layered = estimate_run(plan(is_layered=True), TOOLSETS, sequences, present=present)
    assert [one.planned for one in layered.shares] == [0, 2, 0, 0]


def test_nothing_to_make_takes_nothing(tmp_path: Path) -> None:
    assert estimate_run(plan(), TOOLSETS, []).requests == 0
