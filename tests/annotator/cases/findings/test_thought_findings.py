"""Thoughts that speak against the calls they come with, and all those that only seem to."""

import pytest

from annotator.cases.findings.checks import check_case
from scoring.model.case import Case
from scoring.model.labels import Finding
from scoring.model.record import JsonObject
from tests.factories import answer, call, case, task, tool

WEATHER = tool("get_weather", city={"type": "string"}, days={"type": "integer"}, unit={"type": "string"})
TIME = tool("getTime", zone={"type": "string"})
FLIGHTS = tool("search_flights", origin={"type": "string"}, date={"type": "string"}, title={"type": "string"})
TOOLS = [WEATHER, TIME, FLIGHTS]


def thinking(thought: str, name: str = "get_weather", arguments: JsonObject | None = None) -> Case:
    """One call with a thought; the user names every value, so that nothing else is to be found."""
    given = arguments or {"city": "Paris"}
    step = call(name, {"ok": True}, **given).model_copy(update={"thought": thought})
    return case(task(step, answer("It is sunny all day."), user=f"Please: {given}"), tools=TOOLS)


def found_in(shown: Case) -> list[Finding]:
    return [finding for finding in check_case(shown) if finding.rule.startswith("thought.")]


def rules(shown: Case) -> list[str]:
    return [finding.rule for finding in found_in(shown)]


@pytest.mark.parametrize(
    "thought",
    [
        "I will use getTime to answer this.",
        "The right tool is search_flights, since the user travels.",
        "需要调用 search_flights 查询。",
    ],
)
def test_a_tool_that_is_named_and_never_called_is_noticed(thought: str) -> None:
    (finding,) = found_in(thinking(thought))
    assert finding.rule == "thought.tool"
    assert finding.message.endswith("but step 0 calls get_weather.")


@pytest.mark.parametrize(
    "thought",
    [
        "I call get_weather now; getTime would come next.",
        "No need for getTime here.",
        "I use the weather tool instead of getTime.",
        "getTime cannot say that.",
        "getTime does not take a city.",
        "不用 getTime，直接查天气。",
        "The weather in Paris is asked for.",
    ],
)
def test_a_tool_that_is_named_beside_the_called_one_or_decided_against_is_not(thought: str) -> None:
    assert rules(thinking(thought)) == []


def test_a_tool_that_another_step_of_the_task_calls_is_planned_or_done() -> None:
    first = call("get_weather", {"ok": True}, city="Paris").model_copy(
        update={"thought": "First the weather, then getTime.", "recorded_round": 1}
    )
    second = call("getTime", {"ok": True}, zone="CET").model_copy(
        update={"thought": "get_weather said ok; now the clock.", "recorded_round": 2}
    )
    shown = case(task(first, second, answer("All is well there."), user="Paris, CET"), tools=TOOLS)
    assert rules(shown) == []


def test_a_tool_of_the_same_round_is_called_with_the_thought_before() -> None:
    first = call("get_weather", {"ok": True}, city="Paris").model_copy(
        update={"thought": 'Both at once: getTime with zone "CET".', "recorded_round": 1}
    )
    second = call("getTime", {"ok": True}, zone="PST").model_copy(update={"recorded_round": 1})
    shown = case(task(first, second, answer("All is well there."), user="Paris, PST"), tools=TOOLS)
    assert rules(shown) == []  # a code may stand for another
    pacific = second.model_copy(update={"arguments": {"zone": "America/Denver"}})
    asked = task(first, pacific, answer("All is well there."), user="Paris, America/Denver")
    other = case(asked, tools=TOOLS)
    (finding,) = found_in(other)
    assert (finding.rule, finding.step, finding.path) == ("thought.value", 1, "/zone")


@pytest.mark.parametrize(
    ("thought", "arguments"),
    [
        ('The city is "Paris".', {"city": "Lyon"}),
        ("get_weather(city='Paris')", {"city": "Lyon"}),
        ("I set city to “Paris”.", {"city": "Lyon"}),
        ("For city `Paris` I look it up.", {"city": "Lyon"}),
        ("days = 3 is what they want", {"city": "Lyon", "days": 5}),
        ("days: 3, as the user says", {"city": "Lyon", "days": 5}),
        ("city 为 “巴黎”", {"city": "里昂"}),
    ],
)
def test_another_value_than_the_call_has_is_noticed(thought: str, arguments: JsonObject) -> None:
    (finding,) = found_in(thinking(thought, arguments=arguments))
    assert finding.rule == "thought.value"
    assert finding.path in ("/city", "/days")
    assert finding.message.startswith(f"The thought gives {(finding.path or '')[1:]} as ")


@pytest.mark.parametrize(
    ("thought", "name", "arguments"),
    [
        ('The city is "Paris".', "get_weather", {"city": "Paris, France"}),
        ('The city is "paris".', "get_weather", {"city": "Paris"}),
        ('The city is not "Paris".', "get_weather", {"city": "Lyon"}),
        ('They said city "Paris" first, now Lyon.', "get_weather", {"city": "Lyon"}),
        ("days = 3, no, 5 days", "get_weather", {"city": "Lyon", "days": 5}),
        ("days is 3 to 5", "get_weather", {"city": "Lyon", "days": 4}),
        ("days is 3.5k", "get_weather", {"city": "Lyon", "days": 4}),
        ("The unit is 'celsius'.", "get_weather", {"city": "Lyon", "unit": "C"}),
        ('origin is "Denver"', "search_flights", {"origin": "DEN"}),
        ('the city is "Lyon"', "get_weather", {"city": "12345"}),
        ('the date is "May 17"', "search_flights", {"date": "2024-05-17"}),
        ('The film title is "Alien".', "search_flights", {"title": "Heat"}),
        ("It takes a city; the days are open.", "get_weather", {"city": "Lyon", "days": 5}),
    ],
)
def test_a_value_that_may_be_the_same_or_another_thing_is_not(
    thought: str, name: str, arguments: JsonObject
) -> None:
    assert rules(thinking(thought, name, arguments)) == []


@pytest.mark.parametrize(
    "thought",
    [
        "No tool is needed for this.",
        "I do not need to call any tool.",
        "这个问题不需要调用任何工具。",
    ],
)
def test_a_thought_that_wants_no_call_and_comes_with_one_is_noticed(thought: str) -> None:
    assert rules(thinking(thought)) == ["thought.no_call"]


@pytest.mark.parametrize(
    "thought",
    ["No further tool is needed after this.", "Once get_weather has answered, no tool is needed."],
)
def test_a_thought_that_wants_no_call_later_is_not(thought: str) -> None:
    assert rules(thinking(thought)) == []
