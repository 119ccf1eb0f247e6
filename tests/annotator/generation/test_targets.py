"""Targets of a run: shares of policies and information are drawn, made, and told beside what came."""

import itertools
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from annotator.cases.access import show_case
from annotator.generation.generation_run import dialogues_of, start
from annotator.generation.orders import GenerationOrder
from annotator.generation.plan import GenerationPlan, identity_of
from annotator.generation.quality import run_quality
from annotator.generation.traversal import apportioned, drawn_information, wanted_sequences
from annotator.jobs import JobContext
from annotator.project.creation import create_workspace
from annotator.project.workspace import Workspace
from scoring.errors import InputError
from scoring.measures.accuracy import RELATIONS
from scoring.measures.coverage import MAIN_TYPES
from scoring.measures.dataset import category_of
from scoring.model.case import Tool
from scoring.model.record import to_json
from scoring.model.taxonomy import Information
from tests.annotator.generation.foreign_endpoint import Reply, Roles, foreign_endpoint
from tests.annotator.generation.scripted_run import TOOLSET, generate, plan_for

BEFORE_TARGETS = "5be1e7de30f72b7c27b5690463b5343500ac76f93449a0f9cf279a80537c239b"
"""What the same plan was known by before plans had targets: runs begun then go on."""
SHARES = "single: 40%; chat: 20%; omission: 0.6; long_range: 10%"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Workspace]:
    """An empty project."""
    with closing(create_workspace(str(tmp_path / "p.db"), name="p")) as workspace:
        yield workspace


def planned(**fields: Any) -> GenerationPlan:
    """A plan of sixty dialogues of four tasks to targets."""
    return plan_for("http://127.0.0.1:1/v1", **{"tasks": 4, "count": 60, "shares": SHARES, **fields})


@given(st.integers(0, 500), st.lists(st.integers(0, 100), min_size=1, max_size=3))
def test_labels_come_in_their_shares_to_less_than_one(count: int, weights: list[int]) -> None:
    total = sum(weights) + 50
    shares = {word: weight / total for word, weight in zip(MAIN_TYPES, weights, strict=False)}
    found = Counter(apportioned(count, shares, MAIN_TYPES))
    assert found.total() == count
    rest = (1 - sum(shares.values())) / (4 - len(shares))
    for word in MAIN_TYPES:
        assert abs(found[word] - count * shares.get(word, rest)) < 1


def test_policies_have_their_shares_in_all_and_at_every_place(project: Workspace) -> None:
    sequences = wanted_sequences(project, planned())
    assert Counter(itertools.chain(*sequences)) == {"single": 96, "chat": 48, "multi": 48, "clarify": 48}
    for column in zip(*sequences, strict=True):
        assert Counter(column) == {"single": 24, "chat": 12, "multi": 12, "clarify": 12}
    assert len(set(sequences)) > 40  # no order of the alphabet


def test_information_has_its_shares_and_long_range_comes_from_the_third_task_on(project: Workspace) -> None:
    plan = planned()
    whole = plan.model_copy(update={"sequences": wanted_sequences(project, plan)})
    drawn = drawn_information(whole)
    assert {dialogue: [*sorted(kinds)] for dialogue, kinds in drawn.items()} == {
        dialogue: [1, 2, 3] for dialogue in range(60)
    }
    kinds = Counter(kind for one in drawn.values() for kind in one.values())
    assert kinds == {Information.OMISSION: 108, Information.REFERENCE: 54, Information.LONG_RANGE: 18}
    assert all(one[1] is not Information.LONG_RANGE for one in drawn.values())
    by_task = [Counter(one[task] for one in drawn.values())[Information.OMISSION] for task in (1, 2, 3)]
    assert min(by_task) > 25
    assert drawn_information(whole) == drawn
    assert drawn_information(whole.model_copy(update={"shares": {}})) == {}


def test_more_of_long_range_than_there_is_room_for_is_refused_with_what_would_be_possible(
    project: Workspace,
) -> None:
    with pytest.raises(InputError, match="at most 50% of the later tasks"):
        start(project, planned(tasks=3, shares={"long_range": 0.6}), (TOOLSET,))
    assert start(project, planned(tasks=3, shares={"long_range": 0.5}), (TOOLSET,))
    with pytest.raises(InputError, match="at most 0% of the later tasks"):
        start(project, planned(tasks=2, shares={"omission": 0.5, "reference": 0.4}), (TOOLSET,))


def test_what_cannot_be_is_told_before_the_start(project: Workspace, tmp_path: Path) -> None:
    toolset = tmp_path / "tools.jsonl"
    toolset.write_text(to_json([tool.definition for tool in TOOLSET.tools]) + "\n", encoding="utf-8")
    possible, impossible = (
        GenerationOrder(plan=planned(tasks=3, shares={"long_range": share}), files=(toolset,))
        for share in (0.5, 0.6)
    )
    assert possible.estimate(project, context=JobContext()).dialogues == 60
    with pytest.raises(InputError, match="at most 50% of the later tasks"):
        impossible.estimate(project, context=JobContext())


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"shares": {"single": 0.7, "chat": 0.6}}, "targets of single, chat add up to 130%"),
        ({"shares": dict.fromkeys(MAIN_TYPES, 0.2)}, "add up to 80%, not to 100%"),
        ({"shares": dict.fromkeys(RELATIONS, 0.3)}, "add up to 90%, not to 100%"),
        ({"shares": {"single": -0.1}}, "greater than or equal to 0"),
        ({"shares": "single"}, "divided by a colon"),
        ({"shares": "single: many"}, "valid number"),
        ({"count": None}, "need a number of dialogues"),
        ({"policies": "missing"}, "no certain sequences"),
        ({"chooser": "person"}, "no person picks|that no person picks"),
        ({"information": {1: "omission"}}, "not fixed"),
        ({"is_layered": True}, "later tasks"),
    ],
)
def test_targets_that_contradict_each_other_are_named(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        planned(**fields)


def test_a_run_without_targets_is_the_one_it_was() -> None:
    assert identity_of(planned(shares={}), (TOOLSET,)) == BEFORE_TARGETS
    assert identity_of(planned(), (TOOLSET,)) != BEFORE_TARGETS


class Stubborn(Roles):
    """A user role that asks for something else than it is told every third time."""

    def reply(self, role: str, messages: list[dict[str, Any]]) -> Reply:
        """What the role means to say."""
        found = super().reply(role, messages)
        if role != "user" or not isinstance(found.value, dict):
            return found
        number = int(next(iter(found.value.values())).rsplit("-", 1)[1].split()[0]) // 13
        if number % 3:
            return found
        other = "chat" if number % 2 else "single"
        words = {key: text.replace(_kind(text), f" {other}-") for key, text in found.value.items()}
        return found._replace(value=words)


def _kind(text: str) -> str:
    return next(f" {kind}-" for kind in MAIN_TYPES if f" {kind}-" in text)


def test_sixty_dialogues_come_within_five_points_of_their_targets_from_a_server_that_disobeys(
    project: Workspace,
) -> None:
    shares = {"single": 0.4, "chat": 0.2, "omission": 0.7, "zh": 0.3, "travel": 0.25}
    tools = [Tool(definition={**one.definition, "category": "travel"}) for one in TOOLSET.tools]
    travel = TOOLSET.model_copy(update={"tools": tuple(tools)})
    with foreign_endpoint("prose", Stubborn()) as base_url:
        plan = plan_for(base_url, tasks=2, count=60, shares=shares)
        state = generate(project, plan, toolsets=(TOOLSET, travel))
    cases = [show_case(project, str(row.case_id)) for row in dialogues_of(project, state.run) if row.case_id]
    assert len(cases) == 60
    assert sum(state.failures.values()) > 0  # it did disobey
    policies = Counter(str(task.policy and task.policy.main_type) for case in cases for task in case.tasks)
    later = Counter(case.tasks[1].information for case in cases)
    counted = {
        **{word: (count, 120) for word, count in policies.items()},
        **{str(kind): (count, 60) for kind, count in later.items()},
        "zh": (sum(case.language == "zh" for case in cases), 60),
        "travel": (sum(category_of(case.tools[0]) == "travel" for case in cases), 60),
    }
    targets = {one.word: one for one in run_quality(project, state.run).targets}
    assert {word: one.wanted for word, one in targets.items()} == shares
    for word, share in shares.items():
        made = targets[word].made
        assert (made.count, made.total) == counted[word]
        assert abs((made.value or 0) - share) <= 0.05
