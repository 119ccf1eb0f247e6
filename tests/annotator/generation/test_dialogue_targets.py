"""Targets of whole dialogues: their languages, and the categories of the toolsets they are drawn from."""

import random
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from annotator.cases.access import show_case
from annotator.cases.file_import import land_cases
from annotator.cases.history import mark_gold
from annotator.cases.tool_categories import categorise, shared_category
from annotator.generation.choices import dialogue_so_far, pick, waiting_candidates
from annotator.generation.export import exported_dialogues
from annotator.generation.generation_run import (
    GenerationRun,
    dialogues_of,
    exchanges_of,
    find_run,
    gold_requests,
    list_runs,
    state_of,
)
from annotator.generation.made_case import origin_of
from annotator.generation.models import LoopSetting
from annotator.generation.next_task import make_next_task
from annotator.generation.orders import GenerationOrder
from annotator.generation.plan import Chooser, GenerationPlan, RoleModel, Toolset
from annotator.generation.prompts import prompts_in, shipped_text, use_prompts
from annotator.generation.quality import run_quality
from annotator.generation.records import GenerationState, RunStatus
from annotator.generation.traversal import seed_of
from annotator.jobs import JobCancelled, JobContext
from annotator.project.workspace import Workspace
from scoring.errors import InputError
from scoring.formats.case_reader import ReadCase
from scoring.measures.dataset import toolset_of
from scoring.model.case import Case, Tool
from scoring.model.record import to_json
from tests.annotator.generation.scripted_run import QUICK, TOOLSET, generate, plan_for, tool
from tests.factories import case, task
from tests.scripted_model.endpoint import FiveRoles
from tests.scripted_model.server import ScriptedModel

NOWHERE = "http://127.0.0.1:1/v1"
HALF = {"en": 0.5, "zh": 0.5}
WEATHER, TRAVEL, OTHER = (
    Toolset(name=name, tools=(tool(f"get{name}", f"Get the {name}.", "town"),), category=name)
    for name in ("weather", "travel", "")
)
SHARES = {"weather": 0.5, "travel": 0.25}


def run_of(toolsets: tuple[Toolset, ...] = (TOOLSET,), **fields: Any) -> GenerationRun:
    """A run of forty dialogues that nobody works on."""
    plan = plan_for(NOWHERE, **{"sequences": [["single"]] * 40, "policies": "given", **fields})
    return GenerationRun(
        number=1, name="r", status=RunStatus.OPEN, prompt_version="", plan=plan, toolsets=toolsets
    )


def cases_of(workspace: Workspace, run: int) -> list[Case]:
    """The cases of a run, by dialogue."""
    rows = dialogues_of(workspace, run)
    return [show_case(workspace, str(row.case_id)) for row in rows if row.case_id]


def toolset_file(folder: Path, *categories: str) -> Path:
    """A file with one toolset for each category; an empty one is not named."""
    path = folder / "tools.jsonl"
    lines = []
    for number, category in enumerate(categories):
        one = tool(f"find{number}", "Find a thing.", "town").definition
        lines.append(to_json([{**one, "category": category} if category else one]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_languages_come_in_their_shares_in_an_order_the_seed_draws() -> None:
    run = run_of(shares={"zh": 0.3})
    assert Counter(run.languages) == {"en": 28, "zh": 12}
    assert run.languages != sorted(run.languages)
    assert run_of(shares={"zh": 0.3}).languages == run.languages
    assert run_of(shares={"zh": 0.3}, seed=8).languages != run.languages
    assert {*run_of(language="zh").languages} == {"zh"}
    assert {*run_of(language="zh", shares={"weather": 0.5}).languages} == {"zh"}


def test_a_run_without_targets_draws_the_toolsets_it_drew_before_there_were_any() -> None:
    run = run_of((WEATHER, TRAVEL, OTHER))
    for dialogue in range(20):
        attempt = run.attempt(dialogue, 1)
        assert attempt.seed == seed_of(7, dialogue, 1)
        assert run.toolset(attempt) == random.Random(f"toolset {attempt.seed}").choice(run.toolsets)
    assert "category" not in OTHER.model_dump()


def test_a_set_has_the_category_its_tools_share_and_none_where_they_have_several() -> None:
    weather, travel, bare = (
        Tool(definition={"name": name, **({"category": name} if name else {})})
        for name in ("weather", "travel", "")
    )
    assert shared_category([weather, bare], {}) == "weather"
    assert shared_category([weather, travel], {}) == ""
    given = {toolset_of([bare]): "sports", toolset_of([weather, bare]): "sports"}
    assert shared_category([bare], given) == "sports"
    assert shared_category([weather, bare], given) == ""


def test_a_category_that_is_called_like_a_policy_is_no_target() -> None:
    named = WEATHER.model_copy(update={"category": "single"})
    run = run_of((named, TRAVEL), shares={"single": 0.9, "travel": 0.25}, policies="all", count=40)
    assert Counter(run.categories) == {"": 30, "travel": 10}


def test_toolsets_are_drawn_in_the_shares_of_their_categories_at_every_attempt() -> None:
    run = run_of((WEATHER, TRAVEL, OTHER), shares=SHARES)
    assert Counter(run.categories) == {"weather": 20, "travel": 10, "": 10}
    assert run.categories != sorted(run.categories)
    for number in (1, 2):
        drawn = [run.toolset(run.attempt(dialogue, number)).category for dialogue in range(40)]
        assert drawn == run.categories


@pytest.mark.parametrize(
    ("shares", "told"),
    [
        ({"en": 0.7, "zh": 0.7}, "targets of en, zh add up to 140%"),
        ({"en": 0.5, "zh": 0.3}, "targets of en, zh add up to 80%, not to 100%"),
        ({"weather": 0.9, "travel": 0.2}, "targets of weather, travel add up to 110%"),
    ],
)
def test_targets_of_dialogues_that_contradict_each_other_are_named(
    shares: dict[str, float], told: str
) -> None:
    with pytest.raises(ValidationError, match=told):
        plan_for(NOWHERE, shares=shares)


@pytest.mark.parametrize(
    ("categories", "shares", "message", "hint"),
    [
        (
            ("weather", "travel", ""),
            {"sports": 0.5},
            "No toolset is of the category 'sports'.",
            "travel, weather",
        ),
        (("", ""), {"weather": 0.5}, "No toolset is of the category 'weather'.", "toolsets: –."),
        (("weather",), {"solo": 0.5}, "of the category 'solo'.", "targets are for single, multi"),
        (("weather",), {"": 1.0}, "No toolset is of the category ''.", "toolsets: weather."),
        (("weather", "travel"), SHARES, "and these add up to 75%.", "another category"),
    ],
)
def test_categories_no_toolset_has_are_refused_before_the_start_with_those_there_are(
    workspace: Workspace,
    tmp_path: Path,
    categories: tuple[str, ...],
    shares: dict[str, float],
    message: str,
    hint: str,
) -> None:
    plan = plan_for(NOWHERE, count=8, shares=shares)
    order = GenerationOrder(plan=plan, files=(toolset_file(tmp_path, *categories),))
    for refused_by in (
        lambda: order.estimate(workspace, context=JobContext()),
        lambda: order.begin(workspace),
    ):
        with pytest.raises(InputError) as refused:
            refused_by()
        assert message in refused.value.message
        assert hint in (refused.value.hint or "")
    assert list_runs(workspace) == ()


def test_the_estimate_sets_other_targets_beside_what_the_project_has(
    workspace: Workspace, tmp_path: Path
) -> None:
    file = toolset_file(tmp_path, "weather", "")
    first, second = GenerationOrder(plan=plan_for(NOWHERE), files=(file,)).toolsets()
    cases = [
        case(task(), id="a", tools=first.tools),
        case(task(), id="b", tools=second.tools),
        case(task(), id="c", tools=second.tools).model_copy(update={"language": "zh"}),
    ]
    read = [ReadCase(case=one, warnings=(), line=number) for number, one in enumerate(cases, 1)]
    land_cases(workspace, read, file=file, batch="old")
    shares = {"weather": 0.75, "zh": 0.25, "omission": 0.5}
    plan = plan_for(NOWHERE, count=8, tasks=2, shares=shares)
    found = GenerationOrder(plan=plan, files=(file,)).estimate(workspace, context=JobContext())
    rows = {one.word: (one.present, one.planned, one.total) for one in found.shares[4:]}
    assert rows == {"omission": (0, 4, 8), "zh": (1, 2, 11), "weather": (1, 6, 11)}
    assert found.shares[-1].then.percent == "63.64"


def test_a_category_people_gave_counts_as_it_was_when_the_run_began(
    workspace: Workspace, tmp_path: Path
) -> None:
    file = toolset_file(tmp_path, "", "travel")
    order = GenerationOrder(plan=plan_for(NOWHERE, count=8, shares={"weather": 0.5}), files=(file,))
    tools = order.toolsets()[0].tools
    land_cases(
        workspace, [ReadCase(case=case(task(), tools=tools), warnings=(), line=1)], file=file, batch="b"
    )
    categorise(workspace, "c-1", category="weather")
    run = order.begin(workspace)
    assert run is not None
    before = find_run(workspace, run)
    assert [one.category for one in before.toolsets] == ["weather", "travel"]
    assert Counter(before.categories) == {"weather": 4, "": 4}
    categorise(workspace, "c-1", category="sports")
    assert order.begin(workspace) == run  # found again, and not refused
    assert find_run(workspace, run) == before


def mixed(base_url: str, **fields: Any) -> GenerationPlan:
    """A plan of eight dialogues, half of them in Chinese, over two categories."""
    shares = {**HALF, "weather": 0.25}
    return plan_for(base_url, **{"count": 8, "tasks": 1, "shares": shares, **fields})


def test_every_role_speaks_the_language_of_the_dialogue_and_the_case_says_which(
    workspace: Workspace, tmp_path: Path
) -> None:
    ours = shipped_text("en").replace("Dialogue number {draw}.", "Number {draw} of ours.")
    use_prompts(workspace, {"en": ours})
    toolsets = GenerationOrder(
        plan=plan_for(NOWHERE), files=(toolset_file(tmp_path, "weather", "travel"),)
    ).toolsets()
    with ScriptedModel(FiveRoles(seed=1)) as model:
        state = generate(workspace, mixed(model.base_url), toolsets=toolsets)
    run = find_run(workspace, state.run)
    versions = {"en": prompts_in("en", ours).version, "zh": prompts_in("zh").version}
    assert run.prompt_version == " ".join(versions.values())
    made = cases_of(workspace, state.run)
    assert [one.language for one in made] == run.languages
    assert Counter(run.languages) == {"en": 4, "zh": 4}
    for number, one in enumerate(made):
        is_english, origin = one.language == "en", origin_of(one)
        assert origin is not None
        assert origin.prompt_version == versions[one.language]
        assert one.now is not None
        assert ("星期" in one.now.raw) != is_english
        told = {
            str(message["content"])
            for exchange in exchanges_of(workspace, state.run, dialogue=number)
            for message in exchange.messages
        }
        assert any(" of ours." in text for text in told) == is_english
        assert any(text.startswith("Planner:\n") for text in told) == is_english
        assert any(text.startswith("Planner：\n") for text in told) != is_english
        assert any("切换角色" in text for text in told) != is_english
    found = [*exported_dialogues(workspace, state.run, context=JobContext())]
    assert ["切换" in str(one.raw) for one in found] == [language == "zh" for language in run.languages]
    targets = {
        one.word: (one.made.count, one.made.total) for one in run_quality(workspace, state.run).targets
    }
    assert targets == {"en": (4, 8), "zh": (4, 8), "weather": (2, 8)}
    assert sum(one.tools == toolsets[0].tools for one in made) == 2


def test_a_mixed_run_that_was_stopped_makes_what_it_would_have_made(
    workspace: Workspace, tmp_path: Path
) -> None:
    toolsets = GenerationOrder(
        plan=plan_for(NOWHERE), files=(toolset_file(tmp_path, "weather", "travel"),)
    ).toolsets()
    stop = threading.Event()

    def listen(state: GenerationState) -> None:
        if state.requests >= 12:
            stop.set()

    with ScriptedModel(FiveRoles(seed=1)) as model:
        plan = mixed(model.base_url)
        with pytest.raises(JobCancelled):
            generate(workspace, plan, toolsets=toolsets, context=JobContext(cancel=stop), listen=listen)
        assert 12 <= state_of(workspace, 1).requests == len(model.asked)
        state = generate(workspace, plan, toolsets=toolsets)
        assert len(model.asked) == state.requests
    assert (state.run, state.finished, state.failures) == (1, 8, {})
    assert [one.language for one in cases_of(workspace, 1)] == find_run(workspace, 1).languages


def test_a_person_and_a_next_task_see_a_dialogue_in_its_language(workspace: Workspace) -> None:
    with ScriptedModel(FiveRoles(seed=1)) as model:
        fields: dict[str, Any] = {"count": 2, "tasks": 2, "shares": HALF, "policies": "given"}
        plan = plan_for(model.base_url, **fields, sequences=[["single"] * 2], chooser=Chooser.PERSON)
        run = generate(workspace, plan).run
        for one in waiting_candidates(workspace, run):
            pick(workspace, run, one, chosen=0)
        generate(workspace, plan)
        waiting = waiting_candidates(workspace, run)
        seen = [dialogue_so_far(workspace, run, one)[1] for one in waiting]
        languages = find_run(workspace, run).languages
        assert [one.language for one in seen if one] == [languages[one.dialogue] for one in waiting]
        layered = generate(
            workspace, plan_for(model.base_url, **fields, sequences=[["single"] * 2], is_layered=True)
        )
        for case in cases_of(workspace, layered.run):
            asked = len(model.asked)
            make_next_task(
                workspace,
                case,
                wanted="single",
                played=RoleModel(model="m-2", base_url=model.base_url),
                context=JobContext(),
                setting=LoopSetting(patience=QUICK),
            )
            told = str(model.asked[asked].messages[-1]["content"])
            assert told.startswith("Switch") == (case.language == "en")


def test_examples_are_in_the_language_of_the_dialogue(workspace: Workspace, tmp_path: Path) -> None:
    assert gold_requests(workspace, count=0) == {}
    asked = {"a": ("en", "Any rain?"), "b": ("zh", "会下雨吗？"), "c": ("en", "Any snow?")}
    cases = [
        case(task(user=user), id=name).model_copy(update={"language": language})
        for name, (language, user) in asked.items()
    ]
    read = [ReadCase(case=one, warnings=(), line=number) for number, one in enumerate(cases, 1)]
    land_cases(workspace, read, file=tmp_path / "gold.jsonl", batch="gold")
    for name in asked:
        mark_gold(workspace, name, gold=True)
    assert gold_requests(workspace, count=1) == {"en": ["Any rain?"], "zh": ["会下雨吗？"]}
    with ScriptedModel(FiveRoles(seed=1)) as model:
        state = generate(workspace, mixed(model.base_url, shares=HALF, count=2, examples=2))
    for number, language in enumerate(find_run(workspace, state.run).languages):
        told = str(exchanges_of(workspace, state.run, dialogue=number)[0].messages[0]["content"])
        assert [user in told for _, user in asked.values()] == [
            language == other for other, _ in asked.values()
        ]
