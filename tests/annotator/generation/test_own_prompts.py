"""Prompts of a team: taken into a project after checks, used by new runs, and kept by those that began."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import update

from annotator.cases.access import show_case
from annotator.generation.choices import dialogue_so_far, pick, waiting_candidates
from annotator.generation.export import exported_dialogues
from annotator.generation.generation_run import dialogues_of, exchanges_of, find_run
from annotator.generation.made_case import origin_of
from annotator.generation.models import LoopSetting
from annotator.generation.next_task import make_next_task
from annotator.generation.plan import Chooser, RoleModel
from annotator.generation.prompts import (
    check_prompts,
    copy_prompts,
    file_name,
    preview,
    prompts_in,
    read_prompts,
    shipped_text,
    shipped_texts,
    use_prompts,
    used_texts,
)
from annotator.generation.quality import prompts_qualities, run_quality
from annotator.generation.roles import Relation, RequestKind
from annotator.jobs import JobContext
from annotator.project.people import add_person
from annotator.project.workspace import Work, Workspace
from db.read import reviews
from db.tables import CaseHead
from scoring.errors import ConflictError, ForbiddenError, InputError, NotFoundError
from scoring.measures.intervals import wilson_interval
from scoring.model.taxonomy import Policy, Role, Stage
from tests.annotator.generation.scripted_run import QUICK, TOOLSET, generate, plan_for
from tests.factories import case, task
from tests.scripted_model.server import ScriptedModel

SHIPPED = shipped_text("en")
SWITCH = "Switch role to {role}."
OURS, LATER = "Now speak as {role}.", "Your turn, {role}."


def with_switch(words: str) -> dict[str, str]:
    """English prompts that announce each role in other words."""
    return {"en": SHIPPED.replace(SWITCH, words)}


def announced(model: ScriptedModel, *, since: int = 0) -> set[str]:
    """How roles were announced to the models, without their names."""
    last = (str(one.messages[-1]["content"]) for one in model.asked[since:])
    return {text.rpartition(" ")[0] for text in last}


def test_new_runs_are_made_with_the_prompts_of_the_team_and_named_by_them(
    workspace: Workspace, model: ScriptedModel
) -> None:
    used = use_prompts(workspace, with_switch(OURS)).value
    ours = prompts_in("en", with_switch(OURS)["en"])
    assert [one.version for one in used] == [ours.version, prompts_in("zh").version]
    assert used[0].version.startswith("en-own-")
    state = generate(workspace, plan_for(model.base_url, policies="given", sequences=[["single"]]))
    assert (state.finished, announced(model)) == (1, {"Now speak as"})
    assert run_quality(workspace, state.run).prompt_version == used[0].version
    origin = origin_of(show_case(workspace, str(dialogues_of(workspace, state.run)[0].case_id)))
    assert origin is not None
    assert origin.prompt_version == used[0].version


@pytest.mark.parametrize("began", [OURS, SWITCH])
def test_a_run_that_goes_on_keeps_the_prompts_it_began_with(
    workspace: Workspace, model: ScriptedModel, began: str
) -> None:
    use_prompts(workspace, with_switch(began))
    plan = plan_for(model.base_url, policies="given", sequences=[["single"] * 2], chooser=Chooser.PERSON)
    run = generate(workspace, plan).run
    for now in (LATER, SWITCH if began == OURS else OURS):
        pick(workspace, run, waiting_candidates(workspace, run)[0], chosen=0)
        use_prompts(workspace, with_switch(now))
        state = generate(workspace, plan)
        if state.waiting:
            _, so_far = dialogue_so_far(workspace, run, waiting_candidates(workspace, run)[0])
            assert so_far is not None
    assert (state.run, state.finished, state.failures) == (run, 1, {})
    assert announced(model) == {began.removesuffix(" {role}.")}


def test_the_next_task_of_a_case_is_made_with_the_prompts_of_its_run(
    workspace: Workspace, model: ScriptedModel
) -> None:
    use_prompts(workspace, with_switch(OURS))
    plan = plan_for(model.base_url, policies="given", sequences=[["single"] * 2], is_layered=True)
    state = generate(workspace, plan)
    use_prompts(workspace, with_switch(LATER))
    asked = len(model.asked)
    made = make_next_task(
        workspace,
        show_case(workspace, str(dialogues_of(workspace, state.run)[0].case_id)),
        wanted="single",
        played=RoleModel(model="m-2", base_url=model.base_url),
        context=JobContext(),
        setting=LoopSetting(patience=QUICK),
    )
    assert (made.number, announced(model, since=asked)) == (1, {"Now speak as"})


def test_the_files_of_a_run_are_written_with_the_prompts_it_began_with(
    workspace: Workspace, model: ScriptedModel
) -> None:
    use_prompts(workspace, with_switch(OURS))
    state = generate(workspace, plan_for(model.base_url, policies="given", sequences=[["single"]]))
    use_prompts(workspace, with_switch(SWITCH))
    (found,) = exported_dialogues(workspace, state.run, context=JobContext())
    assert "Now speak as Planner." in str(found.raw)
    assert "Switch role to" not in str(found)


def test_what_is_used_is_an_event_and_going_back_is_another(workspace: Workspace) -> None:
    ours, shipped = prompts_in("en", with_switch(OURS)["en"]).version, prompts_in("en").version
    for texts in (with_switch(OURS), with_switch(OURS), shipped_texts(), shipped_texts()):
        use_prompts(workspace, texts)
    events = workspace.read(lambda tx: reviews.events_of(tx, ["project:prompts"]))
    assert {one.action for one in events} == {"project:prompts:use"}
    assert [json.loads(one.payload) for one in events] == [{"en": [ours, shipped]}, {"en": [shipped, ours]}]
    assert workspace.read(used_texts) == shipped_texts()


def test_only_a_manager_changes_the_prompts(workspace: Workspace) -> None:
    add_person(workspace, "ann", roles=(Role.ANNOTATOR, Role.EXPERT))
    ann = workspace.as_person("ann")
    with pytest.raises(ForbiddenError):
        use_prompts(ann, with_switch(OURS))
    ann.close()
    assert workspace.read(used_texts) == shipped_texts()


def test_a_section_the_program_came_to_need_later_is_the_shipped_one() -> None:
    older = SHIPPED.replace("## checker\n", "## observer\n")
    assert prompts_in("en", older).text("checker") == prompts_in("en").text("checker")


def edited(before: str, after: str) -> Callable[[str], str]:
    """The shipped prompts with one change."""
    return lambda text: text.replace(before, after, 1)


@pytest.mark.parametrize(
    ("edit", "message", "hint"),
    [
        (edited("{count} in all", "{total} in all"), "'tool' has an unknown placeholder {total}", "{count}"),
        (edited(": {count} in all", ""), "section 'tool' lacks the placeholder {count}", "Put it"),
        (edited("## checker\n", "## judge\n"), "section 'judge' is unknown", "###"),
        (edited("## checker\n", "# checker\n"), "section 'checker' is missing", "'## checker'"),
        (edited("## checker\n", "## checker\n\n## checker\n"), "section 'checker' is there twice", "one"),
        (edited(SWITCH, ""), "section 'switch' is missing", "'## switch'"),
        (edited("\nUser:\n", "\nCustomer:\n"), "section 'label_user' differs", "User:"),
        (lambda _: "", "section 'label_user' is missing", "'## label_user'"),
    ],
)
def test_prompts_that_do_not_fit_are_refused_by_file_section_and_placeholder(
    workspace: Workspace, edit: Callable[[str], str], message: str, hint: str
) -> None:
    changed = edit(SHIPPED)
    assert changed != SHIPPED
    with pytest.raises(InputError) as refused:
        use_prompts(workspace, {"zh": shipped_text("zh"), "en": changed})
    assert refused.value.message.startswith("generation_en.md: ")
    assert message in refused.value.message
    assert hint in (refused.value.hint or "")
    assert workspace.read(used_texts) == shipped_texts()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_shipped_prompts_fit(language: str) -> None:
    check_prompts(language, shipped_text(language))


@pytest.mark.parametrize(("language", "heading"), [("en", "Example of"), ("zh", "另一段对话")])
def test_each_pattern_has_a_worked_example_of_its_own_with_what_it_shows(language: str, heading: str) -> None:
    examples = set()
    for pattern in Relation:
        rule, example = prompts_in(language).text(f"pattern_{pattern.value}").split("\n")
        assert rule
        assert re.fullmatch(rf"{heading}.*[\"”] ?[(（].+[)）]", example), example
        assert len(re.findall(r'"[^"]+[.?]"|“[^”]+[。？]”', example)) >= 2, example  # before and after
        examples.add(example)
    assert len(examples) == len(Relation) == 22


def test_an_example_stands_in_the_prompt_of_a_later_task_and_is_copied_and_compared(
    workspace: Workspace, model: ScriptedModel, tmp_path: Path
) -> None:
    plan = plan_for(model.base_url, policies="given", sequences=[["single"] * 2])
    run = generate(workspace, plan).run
    (asked,) = [one for one in exchanges_of(workspace, run, dialogue=0) if one.ask is RequestKind.NEXT_TASK]
    example = "Example of another dialogue: "
    assert str(asked.messages[0]["content"]).count(example) == 1
    (english, _) = copy_prompts(shipped_texts(), tmp_path)
    text = english.read_text(encoding="utf-8")
    assert text.count(example) == 22
    changed = text.replace("NT 12", "NT 13")
    assert prompts_in("en", changed).version != prompts_in("en").version
    assert "NT 13" in preview({"en": changed}, "pattern_ordinal_from_start", case())


def test_a_folder_gives_what_it_has_as_any_editor_saved_it(tmp_path: Path) -> None:
    windows = SHIPPED.replace("\n", "\r\n").encode("utf-8-sig")
    (tmp_path / file_name("en")).write_bytes(windows)
    assert read_prompts(tmp_path) == {"en": SHIPPED}


@pytest.mark.parametrize("folder", ["none", ""])
def test_a_folder_without_prompts_is_refused(tmp_path: Path, folder: str) -> None:
    with pytest.raises(InputError, match="holds no prompts"):
        read_prompts(tmp_path / folder)


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / file_name("zh")).write_bytes(shipped_text("zh").encode("gb18030"))
    with pytest.raises(InputError, match=r"generation_zh\.md is not a text file in UTF-8"):
        read_prompts(tmp_path)


def test_copying_leaves_files_that_differ_and_writes_none_then(tmp_path: Path) -> None:
    copy_prompts(shipped_texts(), tmp_path)
    copy_prompts(shipped_texts(), tmp_path)  # over the same
    assert read_prompts(tmp_path) == shipped_texts()
    (tmp_path / file_name("en")).unlink()
    (tmp_path / file_name("zh")).write_text("ours", encoding="utf-8")
    with pytest.raises(ConflictError, match=r"generation_zh\.md is there and differs"):
        copy_prompts(shipped_texts(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [file_name("zh")]


def test_a_run_says_which_prompts_it_has_whatever_the_project_uses(
    workspace: Workspace, model: ScriptedModel
) -> None:
    plan = plan_for(model.base_url, policies="given", sequences=[["single"]], name="first")
    shipped = generate(workspace, plan).run
    use_prompts(workspace, with_switch(OURS))
    ours = generate(workspace, plan.model_copy(update={"name": "second"})).run
    found = {find_run(workspace, run).prompts(0).version: run for run in (shipped, ours)}
    assert found == {
        prompts_in("en").version: shipped,
        prompts_in("en", with_switch(OURS)["en"]).version: ours,
    }


def test_versions_are_compared_by_the_dialogues_that_survive_review(
    workspace: Workspace, model: ScriptedModel
) -> None:
    plan = plan_for(model.base_url, policies="given", sequences=[["single"]] * 4)
    shipped = generate(workspace, plan.model_copy(update={"name": "first"})).run
    use_prompts(workspace, with_switch(OURS))
    ours = [generate(workspace, plan.model_copy(update={"name": name})).run for name in ("second", "third")]
    _end(workspace, [shipped], [Stage.FINAL])
    _end(workspace, ours, [Stage.FINAL, Stage.RELEASED, Stage.FINAL, Stage.REJECTED, Stage.REJECTED])
    newest, oldest = prompts_qualities(workspace)
    assert (newest.version, oldest.version) == (
        prompts_in("en", with_switch(OURS)["en"]).version,
        prompts_in("en").version,
    )
    assert (newest.runs, newest.cases, newest.final, newest.rejected) == (2, 8, 3, 2)
    assert (newest.survived.percent, newest.interval) == ("60.00", wilson_interval(3, 5))
    assert (oldest.runs, oldest.cases, oldest.final, oldest.rejected) == (1, 4, 1, 0)
    assert oldest.survived.percent == "100.00"


def test_a_version_nobody_reviewed_has_no_share(workspace: Workspace, model: ScriptedModel) -> None:
    generate(workspace, plan_for(model.base_url, policies="given", sequences=[["single"]]))
    (found,) = prompts_qualities(workspace)
    assert (found.cases, found.survived.value, found.interval) == (1, None, None)


def _end(workspace: Workspace, runs: list[int], stages: list[Stage]) -> None:
    """Let the first cases of runs be at stages."""
    ids = [str(row.case_id) for run in runs for row in dialogues_of(workspace, run)]

    def work(w: Work) -> None:
        for case_id, stage in zip(ids, stages, strict=False):
            w.tx.execute(update(CaseHead).where(CaseHead.case_id == case_id).values(stage=stage.value))

    workspace.run("case:review", work)


def test_a_preview_is_filled_in_from_the_case_and_leaves_what_a_run_draws() -> None:
    now = "2024-07-15 09:30:00 Monday"
    found = case(task(policy=Policy.CHAT), tools=TOOLSET.tools, now=now)
    text = preview(with_switch(OURS), "next_task", found)
    assert "Wanted kind of request: chat." in text
    assert f"Current Time: {now}" in text
    assert "bookRoom: required parameters: hotel_id, arrival_date" in text
    assert "{count}" in text
    assert preview(with_switch(OURS), "switch", found) == OURS
    assert "Name of the tool that needs them." in preview(shipped_texts(), "planner", found)
    assert "Planner" in preview(shipped_texts(), "planner", found.model_copy(update={"language": "de"}))
    assert "工具" in preview(shipped_texts(), "tool", found.model_copy(update={"language": "zh"}))
    assert "{now}" in preview(shipped_texts(), "tool", case())
    with pytest.raises(NotFoundError, match="no section 'judge'"):
        preview(shipped_texts(), "judge", found)
