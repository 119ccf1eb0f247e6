"""What the cases of a project cover."""

from pathlib import Path

import pytest

from annotator.cases.coverage import coverage_of, first_word, project_coverage, project_statistics
from annotator.jobs import JobContext, ProgressReport
from annotator.release.sample_project import found_demo
from scoring.errors import NotFoundError
from scoring.model.case import Case
from scoring.model.taxonomy import Information, Policy, Stage
from tests.annotator.team import Team, two_step_case
from tests.factories import answer, call, case, task, tool


def test_a_case_counts_for_each_of_its_beginnings() -> None:
    steps = (call(), answer())
    single, chat = task(*steps, policy=Policy.SINGLE), task(answer(), policy=Policy.CHAT)
    found = coverage_of([case(single, chat, id="a"), case(single, id="b")])
    assert found.coverage.cases == {("single",): 2, ("single", "chat"): 1}
    assert found.examples[("single",)] == ("a", "b")
    # 2 of 4 + 16 + 64 + 256 sequences.
    assert (found.coverage.total.count, found.coverage.total.total) == (2, 340)


def test_no_more_than_five_cases_are_named_for_a_sequence() -> None:
    chats = [case(task(answer(), policy=Policy.CHAT), id=f"c-{number}") for number in range(7)]
    assert len(coverage_of(chats).examples[("chat",)]) == 5


def test_tools_come_most_called_first_and_uncalled_ones_are_named() -> None:
    steps = (call("getShow"), call("getShow"), call("getHotel"), answer())
    tools = [tool("getHotel"), tool("bookHotel"), tool("getShow")]
    found = coverage_of([case(task(*steps), tools=tools)])
    assert [(use.name, use.calls, use.called_in, use.offered) for use in found.tools] == [
        ("getShow", 2, 1, 1),
        ("getHotel", 1, 1, 1),
        ("bookHotel", 0, 0, 1),
    ]
    assert found.uncalled == ("bookHotel",)
    assert found.verbs == {"get": 3}


def test_toolsets_are_told_apart_by_the_names_of_their_tools() -> None:
    chat = task(answer(), policy=Policy.CHAT)
    both, turned = [tool("getShow"), tool("getHotel")], [tool("getHotel"), tool("getShow")]
    cases = [case(chat, id=f"c-{i}", tools=tools) for i, tools in enumerate([both, turned, both[:1]])]
    assert coverage_of(cases).toolset_count == 2


def test_unlabelled_tasks_are_counted_and_end_a_sequence() -> None:
    found = coverage_of([case(task(answer(), policy=Policy.CHAT), task(answer()), id="a")])
    assert found.unlabelled == 1
    assert found.coverage.cases == {("chat",): 1}


def test_a_generated_case_counts_for_what_it_has_and_is_told_apart_from_what_was_asked_for() -> None:
    chat = task(answer(), policy=Policy.CHAT)

    def generated(name: str, *wanted: str) -> Case:
        extras = {"generation": {"wanted": list(wanted)}}
        return case(chat, id=name).model_copy(update={"extras": extras})

    fit = generated("a", "chat"), generated("d", "chat")
    others = generated("b", "clarify"), generated("c", "multi_serial", "chat")
    found = coverage_of([*fit, *others, case(chat, id="imported")])
    assert found.coverage.cases == {("chat",): 5}
    assert found.tried == {("chat",): 2, ("clarify",): 1, ("multi",): 1}
    assert found.other_sequence == 2
    assert ("clarify",) in found.coverage.missing


def test_later_tasks_that_need_the_earlier_dialogue_are_a_share_of_the_later_ones() -> None:
    first = task(answer(), information=Information.FIRST)
    hidden = task(answer(), information=Information.OMISSION)
    related = coverage_of([case(first, hidden, task(answer()))]).related
    assert (related.count, related.total) == (1, 2)


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("getForecast", "get"),
        ("get_forecast", "get"),
        ("GetForecast", "get"),
        ("HTTPGet", "http"),
        ("maps.search", "maps"),
        ("查询天气", "查询天气"),
    ],
)
def test_the_first_word_of_a_tool_is_read_in_every_style(name: str, word: str) -> None:
    assert first_word(name) == word


def test_the_samples_are_counted_by_stage_and_batch(tmp_path: Path) -> None:
    workspace = found_demo(str(tmp_path / "sample.db"))
    try:
        told: list[ProgressReport] = []
        every = project_coverage(workspace, context=JobContext(told.append))
        none = project_coverage(workspace, stages=(Stage.FINAL,))
        with pytest.raises(NotFoundError):
            project_coverage(workspace, batch="another")
        own = project_coverage(workspace, batch="samples")
    finally:
        workspace.close()
    assert (every.case_count, every.task_count) == (16, 56)
    assert (none.case_count, own.case_count) == (0, 16)
    assert told[-1].share == 1.0


def test_the_yield_of_a_batch_is_that_of_its_own_cases(team: Team) -> None:
    team.bring(two_step_case("c-1"), two_step_case("c-2"), batch="b1")
    team.bring(two_step_case("c-3"), batch="b2")
    team.self_check("ann", "c-3")
    imported = {
        batch: project_statistics(team["max"], batch=batch).stage_yield["imported"]
        for batch in ("", "b1", "b2")
    }
    assert imported == {"": 3, "b1": 2, "b2": 1}
