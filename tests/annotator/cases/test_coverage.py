"""What the cases of a project cover."""

from pathlib import Path

import pytest

from annotator.cases.coverage import CoverageCount, first_word, project_coverage
from annotator.jobs import JobContext, ProgressReport
from annotator.release.sample_project import found_demo
from scoring.errors import NotFoundError
from scoring.model.taxonomy import Information, Policy, Stage
from tests.factories import answer, call, case, task, tool


def test_a_case_counts_for_each_of_its_beginnings() -> None:
    count = CoverageCount()
    steps = (call(), answer())
    single, chat = task(*steps, policy=Policy.SINGLE), task(answer(), policy=Policy.CHAT)
    count.add(case(single, chat, id="a"))
    count.add(case(single, id="b"))
    found = count.result()
    assert found.coverage.cases == {("single",): 2, ("single", "chat"): 1}
    assert found.examples[("single",)] == ("a", "b")
    # 2 of 4 + 16 + 64 + 256 sequences.
    assert (found.coverage.total.count, found.coverage.total.total) == (2, 340)


def test_no_more_than_five_cases_are_named_for_a_sequence() -> None:
    count = CoverageCount()
    for number in range(7):
        count.add(case(task(answer(), policy=Policy.CHAT), id=f"c-{number}"))
    assert len(count.result().examples[("chat",)]) == 5


def test_tools_come_most_called_first_and_uncalled_ones_are_named() -> None:
    count = CoverageCount()
    steps = (call("getShow"), call("getShow"), call("getHotel"), answer())
    tools = [tool("getHotel"), tool("bookHotel"), tool("getShow")]
    count.add(case(task(*steps), tools=tools))
    found = count.result()
    assert [(use.name, use.calls, use.called_in, use.offered) for use in found.tools] == [
        ("getShow", 2, 1, 1),
        ("getHotel", 1, 1, 1),
        ("bookHotel", 0, 0, 1),
    ]
    assert found.uncalled == ("bookHotel",)
    assert found.verbs == {"get": 3}


def test_unlabelled_tasks_are_counted_and_end_a_sequence() -> None:
    count = CoverageCount()
    count.add(case(task(answer(), policy=Policy.CHAT), task(answer()), id="a"))
    found = count.result()
    assert found.unlabelled == 1
    assert found.coverage.cases == {("chat",): 1}


def test_later_tasks_that_need_the_earlier_dialogue_are_a_share_of_the_later_ones() -> None:
    count = CoverageCount()
    first = task(answer(), information=Information.FIRST)
    hidden = task(answer(), information=Information.OMISSION)
    count.add(case(first, hidden, task(answer())))
    assert (count.result().related.count, count.result().related.total) == (1, 2)


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
