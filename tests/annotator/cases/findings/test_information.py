"""An information label holds where the evidence bears it out: how far back the hidden values lie."""

import pytest

from annotator.cases.findings.checks import check_case
from scoring.model.case import Case, Task, Tool
from scoring.model.labels import Citation, DialogueSource, Finding
from scoring.model.taxonomy import Information, SourceMark
from tests.factories import answer, ask, call, case, task

TOOL = Tool(definition={"name": "book", "parameters": {"properties": {"hut": {"type": "string"}}}})
HIDDEN = (Information.OMISSION, Information.REFERENCE, Information.LONG_RANGE)


def small_talk(number: int) -> Task:
    """A task that says nothing about huts."""
    said = f"Fine weather number {number}."
    return task(answer(said), user=f"Small talk number {number}?", information=Information.OMISSION)


def hidden(turns_between: int, label: Information | None, *, request: str = "Book it.") -> Case:
    """A hut named in the first task and booked in the last, with small talk between."""
    first = task(answer("Noted."), user="We like Halvorsbu.", information=Information.FIRST)
    last = task(call("book", "ok", hut="Halvorsbu"), answer("Booked."), user=request, information=label)
    return case(first, *(small_talk(n) for n in range(turns_between)), last, tools=[TOOL])


def differing(found: Case, *citations: Citation) -> list[Finding]:
    """What is said about information labels."""
    return [f for f in check_case(found, citations=citations) if f.rule == "information.differs"]


@pytest.mark.parametrize("between", [0, 1])
def test_long_range_is_refused_up_to_two_turns_back(between: int) -> None:
    (finding,) = differing(hidden(between, Information.LONG_RANGE))
    assert finding.task == between + 1
    assert "not more than 2" in finding.message


@pytest.mark.parametrize("between", [2, 3])
def test_long_range_holds_from_three_turns_back(between: int) -> None:
    assert differing(hidden(between, Information.LONG_RANGE)) == []


def test_a_question_and_its_reply_count_as_a_turn() -> None:
    first = task(answer("Noted."), user="We like Halvorsbu.", information=Information.FIRST)
    asked = task(ask("Warm?", "Very."), answer("Good."), user="Small talk?", information=Information.OMISSION)
    last = task(
        call("book", "ok", hut="Halvorsbu"), answer("Booked."), user="Book it.", information=HIDDEN[2]
    )
    # request, request, reply, request: the source is three turns back
    assert differing(case(first, asked, last, tools=[TOOL])) == []


@pytest.mark.parametrize("label", HIDDEN[:2])
@pytest.mark.parametrize("between", [0, 3])
def test_omission_and_reference_hold_with_a_source_anywhere_before(between: int, label: Information) -> None:
    assert differing(hidden(between, label)) == []


@pytest.mark.parametrize("label", HIDDEN)
def test_a_request_that_says_everything_hides_nothing(label: Information) -> None:
    (finding,) = differing(hidden(3, label, request="Book Halvorsbu."))
    assert finding.proposal is None
    assert "every value stands in the task itself" in finding.message


@pytest.mark.parametrize("label", HIDDEN)
@pytest.mark.parametrize("mark", list(SourceMark))
def test_a_value_that_a_person_marked_as_said_nowhere_hides_nothing(
    mark: SourceMark, label: Information
) -> None:
    marked = Citation(task=4, step=0, path="/hut", source=mark)
    assert len(differing(hidden(3, label), marked)) == 1


def test_a_cited_source_wins_over_what_a_program_finds() -> None:
    near = DialogueSource(task=3, text="user", span=(0, 5))
    cited = Citation(task=4, step=0, path="/hut", source=near)
    assert "one turn back" in differing(hidden(3, Information.LONG_RANGE), cited)[0].message


def test_a_cited_step_that_is_gone_counts_from_the_request_of_its_task() -> None:
    gone = Citation(task=4, step=0, path="/hut", source=DialogueSource(task=2, step=7))
    assert "2 turns back" in differing(hidden(3, Information.LONG_RANGE), gone)[0].message


def test_a_citation_nobody_accepted_decides_nothing() -> None:
    near = DialogueSource(task=3, text="user", span=(0, 5))
    open_ = Citation(task=4, step=0, path="/hut", source=near, accepted=False)
    assert differing(hidden(3, Information.LONG_RANGE), open_) == []


def test_an_unlabelled_task_is_not_judged() -> None:
    assert differing(hidden(0, None)) == []


def test_nothing_is_said_where_a_value_comes_from_nobody_knows_where() -> None:
    unknown = hidden(0, Information.OMISSION)
    last = unknown.tasks[1].model_copy(
        update={"steps": (call("book", "ok", hut="Finsbu"), answer("Booked."))}
    )
    assert differing(unknown.model_copy(update={"tasks": (unknown.tasks[0], last)})) == []
