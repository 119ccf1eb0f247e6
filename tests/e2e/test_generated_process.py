"""Ten generated dialogues go through review by scripted people into a release, and are scored."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from annotator.cases.access import show_case
from annotator.generation.generation_run import dialogues_of
from annotator.generation.made_case import origin_of
from annotator.generation.quality import run_quality
from annotator.generation.records import GenerationState
from annotator.project.creation import create_workspace
from annotator.project.people import add_person
from annotator.release.runs.evaluation import load_cases
from annotator.review.queue.assignments import assign_batch
from scoring.model.case import Call, Case, Task, content_of
from tests.annotator.generation.scripted_run import TOOLSET, generate, plan_for
from tests.e2e.command import annotator
from tests.e2e.planting import Plant, planted
from tests.e2e.scripted_team import ANNOTATORS, MANAGER, ROLES, ScriptedTeam
from tests.scripted_model.endpoint import scripted_endpoint

COUNT = 10


@dataclass(frozen=True)
class Generated:
    """The project after its release: the team, the cases as they came in, and the release."""

    team: ScriptedTeam
    raw: dict[str, Case]
    state: GenerationState
    release: Path


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generated]:
    """Generated, reviewed by everybody, and frozen."""
    folder = tmp_path_factory.mktemp("generated")
    team = ScriptedTeam(url=str(folder / "project.db"), folder=folder, truths={}, plan={})
    create_workspace(team.url, name="p", person=MANAGER).close()
    for name, roles in ROLES.items():
        if name != MANAGER:
            add_person(team[MANAGER], name, roles=roles)
    with scripted_endpoint(mistake_rate=0.1) as endpoint:
        plan = plan_for(endpoint.base_url, name="generated", count=COUNT)
        state = generate(team[MANAGER], plan, toolsets=[TOOLSET])
    rows = dialogues_of(team[MANAGER], state.run)
    ids = [row.case_id for row in rows if row.case_id]
    raw = {case_id: show_case(team[MANAGER], case_id) for case_id in ids}
    team.truths |= raw
    team.plan |= planted(list(raw.values()), {Plant.RETURNED: 1, Plant.OWNER_ESCALATES: 1})
    assign_batch(team[MANAGER], "generated", to=ANNOTATORS)
    team.work()
    release = folder / "release"
    team.command(MANAGER, "release", "freeze", "generated.1", "-o", release, "--json")
    yield Generated(team, raw, state, release)
    team.close()


def test_ten_generated_dialogues_arrive_marked_as_made_by_a_machine(done: Generated) -> None:
    assert (done.state.finished, len(done.raw)) == (COUNT, COUNT)
    origins = [origin_of(case) for case in done.raw.values()]
    assert {origin.graph for origin in origins if origin} == {"machine"}
    assert {len(case.tasks) for case in done.raw.values()} == {2}


def test_all_of_them_are_released_as_people_confirmed_them(done: Generated) -> None:
    released = {case.id: content_of(case) for case in load_cases(done.release)}
    assert released == {case_id: content_of(case) for case_id, case in done.raw.items()}
    assert annotator("release", "verify", done.release, "--json").code == 0
    quality = run_quality(done.team[MANAGER], done.state.run)
    assert (quality.cases, quality.final) == (COUNT, COUNT)


def test_a_model_that_answers_as_the_release_says_gets_every_task_right(
    done: Generated, tmp_path: Path
) -> None:
    right, wrong = tmp_path / "right.jsonl", tmp_path / "wrong.jsonl"
    cases = load_cases(done.release)
    tasks = [(case, number, task) for case in cases for number, task in enumerate(case.tasks)]
    write(right, [line(case.id, number, replies_of(task)) for case, number, task in tasks])
    silent = [{"role": "assistant", "content": "I do not know."}]
    write(wrong, [line(case.id, number, silent) for case, number, _ in tasks])
    scored = {
        file.stem: annotator("score", done.release, file, "-o", tmp_path / file.stem, "--json")
        for file in (right, wrong)
    }
    labels = {name: [task["label"] for task in cards(tmp_path / name)] for name in scored}
    assert labels["right"] == ["correct"] * len(tasks)
    chats = sum(task.policy == "chat" for *_, task in tasks)
    assert labels["wrong"].count("correct") <= chats


def replies_of(task: Task) -> list[dict[str, Any]]:
    """What a model replies that does every step in the order of the release."""
    return [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": f"call-{number}",
                    "type": "function",
                    "function": {"name": step.name, "arguments": json.dumps(step.arguments)},
                }
            ],
        }
        if isinstance(step, Call)
        else {"role": "assistant", "content": step.text}
        for number, step in enumerate(task.steps)
    ]


def line(case_id: str, task: int, replies: list[dict[str, Any]]) -> str:
    """One line of a file of predictions."""
    return json.dumps({"case": case_id, "task": task, "replies": replies}) + "\n"


def write(path: Path, lines: list[str]) -> None:
    """Write a file of predictions."""
    path.write_text("".join(lines), encoding="utf-8")


def cards(folder: Path) -> list[dict[str, Any]]:
    """The scored tasks of a folder."""
    found: list[dict[str, Any]] = json.loads((folder / "scorecard.json").read_text())["tasks"]
    return found
