"""Every rule of the Checker, each with a reply that breaks only it (generation 5)."""

from typing import Any

import pytest

from annotator.generation.checks.candidates import KEPT_NEAR_DUPLICATE, candidate_check
from annotator.generation.checks.checker import (
    asked_tools,
    check_decision,
    check_observations,
    check_policy,
    needs_model,
    verdict_of,
    written,
)
from annotator.generation.checks.diversity import UsedRequests
from annotator.generation.checks.replies import PlannerDecision, read_decision
from annotator.generation.plan import Chooser, Toolset
from annotator.generation.records import ReplyFault
from scoring.model.case import Ask, Call, Step, Tool
from scoring.model.graph import ANSWER_NAME, ASK_NAME

WEATHER = Tool(
    definition={
        "name": "getWeather",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "unit": {"type": "string", "enum": ["c", "f"]},
                "days": {"type": "integer"},
            },
            "required": ["city"],
        },
    }
)
TOOLS = {"getWeather": WEATHER}


def act(name: str = "getWeather", **arguments: Any) -> dict[str, Any]:
    """One action; without arguments a valid call."""
    if name == "getWeather" and not arguments:
        arguments = {"city": "Graz"}
    return {"name": name, "arguments": arguments}


def decided(
    *actions: dict[str, Any], thought: str = "One tool is needed.", plan: str = "Look."
) -> PlannerDecision:
    """A decision as a planner replies it."""
    return read_decision(
        {"content": f'{{"Thought": "{thought}", "Plan": "{plan}"}}', "tool_calls": list(actions)}
    )


ASK = act(ASK_NAME, tool_name="getWeather", missing_required_parameters=["city"])
ANSWER = act(ANSWER_NAME, answer_type="tool")

BREAKING = [
    (ReplyFault.THOUGHT_SIMULATES, decided(act(), thought="I await the simulated result.")),
    (ReplyFault.PLAN_SIMULATES, decided(act(), plan="Simulate the call first.".replace("the call", "call"))),
    (ReplyFault.THOUGHT_NAMES_CHECKER, decided(act(), thought="The Checker objected.")),
    (ReplyFault.PLAN_NAMES_CHECKER, decided(act(), plan="Satisfy the checker.")),
    (ReplyFault.THOUGHT_NAMES_ASK, decided(act(), thought=f"No need for {ASK_NAME}.")),
    (ReplyFault.PLAN_NAMES_ASK, decided(act(), plan=f"Then {ASK_NAME}.")),
    (ReplyFault.THOUGHT_NAMES_ANSWER, decided(act(), thought=f"Later {ANSWER_NAME}.")),
    (ReplyFault.PLAN_NAMES_ANSWER, decided(act(), plan=f"Then {ANSWER_NAME}.")),
    (ReplyFault.NO_ACTION, decided()),
    (ReplyFault.UNKNOWN_TOOL, decided(act("getSnow"))),
    (ReplyFault.ASK_NOT_ALONE, decided(ASK, act())),
    (ReplyFault.ASK_NOT_ALONE, decided(ASK, ASK)),
    (
        ReplyFault.ASKED_TOOL_UNKNOWN,
        decided(act(ASK_NAME, tool_name="getSnow", missing_required_parameters=["city"])),
    ),
    (ReplyFault.ANSWER_NOT_ALONE, decided(ANSWER, act())),
    (ReplyFault.UNKNOWN_PARAMETER, decided(act(city="Graz", zip="8010"))),
    (ReplyFault.EMPTY_PARAMETER, decided(act(city=""))),
    (ReplyFault.MISSING_PARAMETER, decided(act(unit="c"))),
    (ReplyFault.MISSING_PARAMETER, decided(act(ASK_NAME, tool_name="getWeather"))),
    (ReplyFault.MISSING_PARAMETER, decided(act(ANSWER_NAME))),
    (
        ReplyFault.ASKED_NOT_REQUIRED,
        decided(act(ASK_NAME, tool_name="getWeather", missing_required_parameters=["unit"])),
    ),
    (ReplyFault.ANSWER_TYPE, decided(act(ANSWER_NAME, answer_type="summary"))),
    (ReplyFault.SCHEMA, decided(act(city="Graz", unit="k"))),
    (ReplyFault.SCHEMA, decided(act(city="Graz", days="two"))),
    (ReplyFault.REPEATED_CALL, decided(act(), act())),
    (ReplyFault.SERIAL_AT_ONCE, decided(act(city="Graz"), act(city="Linz"), plan="Two serial calls.")),
]


@pytest.mark.parametrize(
    ("fault", "decision"), BREAKING, ids=[f"{fault}-{i}" for i, (fault, _) in enumerate(BREAKING)]
)
def test_a_decision_that_breaks_one_rule_is_rejected_for_it_alone(
    fault: ReplyFault, decision: PlannerDecision
) -> None:
    found = check_decision(decision, TOOLS, is_after_tool=False)
    assert {one.fault for one in found} == {fault}
    assert not verdict_of(found).is_accepted


def test_a_chat_answer_right_after_a_result_is_rejected() -> None:
    decision = decided(act(ANSWER_NAME, answer_type="chat"))
    assert [one.fault for one in check_decision(decision, TOOLS, is_after_tool=True)] == [
        ReplyFault.CHAT_AFTER_TOOL
    ]
    assert not check_decision(decision, TOOLS, is_after_tool=False)


def test_a_call_the_task_made_before_is_rejected() -> None:
    made = {written("getWeather", {"city": "Graz"})}
    found = check_decision(decided(act()), TOOLS, is_after_tool=True, made=made)
    assert [one.fault for one in found] == [ReplyFault.REPEATED_CALL]


@pytest.mark.parametrize(
    "decision",
    [
        decided(act()),
        decided(act(city="Graz"), act(city="Linz"), plan="Two calls in parallel, then one serial call."),
        decided(ASK),
        decided(
            act(ASK_NAME, tool_list=[{"tool_name": "getWeather", "missing_required_parameters": ["city"]}])
        ),
        decided(ANSWER),
    ],
)
def test_what_breaks_no_rule_is_accepted(decision: PlannerDecision) -> None:
    assert check_decision(decision, TOOLS, is_after_tool=False) == ()


def test_both_shapes_of_a_question_mean_the_same() -> None:
    one = decided(ASK).actions[0]
    listed = {"tool_name": "getWeather", "missing_required_parameters": ["city"]}
    other = decided(act(ASK_NAME, tool_list=[listed])).actions[0]
    assert asked_tools(one) == asked_tools(other)


def test_the_model_judges_only_what_has_an_order() -> None:
    assert not needs_model(decided(act()))
    assert needs_model(decided(act(city="Graz"), act(city="Linz")))
    assert needs_model(decided(act(), plan="并行执行。"))


def test_the_number_of_observations_is_checked() -> None:
    assert check_observations([1, 2], count=2) == ()
    assert [one.fault for one in check_observations([1], count=2)] == [ReplyFault.OBSERVATION_COUNT]


def candidates(*texts: str, used: UsedRequests, is_last: bool = False) -> Any:
    """The verdict about candidate first requests."""
    toolset = Toolset(name="t", tools=(WEATHER,))
    return candidate_check(toolset, earlier=(), used=used, chooser=Chooser.RULE, is_last_try=lambda: is_last)(
        texts
    )


def test_a_request_that_names_a_tool_is_never_chosen() -> None:
    used = UsedRequests()
    assert candidates("Call getWeather now.", "Is it cold in Graz?", used=used).chosen == 1
    assert candidates("Call getWeather now.", used=used).faults == (ReplyFault.TOOL_NAMED,)


def test_near_duplicates_are_refused_until_the_model_knows_nothing_else() -> None:
    used = UsedRequests()
    used.add("t", "Is it cold in Graz today?")
    assert candidates("Is it cold in Graz today", used=used).faults == (ReplyFault.NEAR_DUPLICATE,)
    assert candidates("Is it cold in Graz today?", "How warm is Linz?", used=used).chosen == 1
    kept = candidates("Is it cold in Graz today?", used=used, is_last=True)
    assert (kept.chosen, kept.reason) == (0, KEPT_NEAR_DUPLICATE)


DONE = Call(name="getWeather", arguments={"city": "Graz"})
ASKED = Ask(text="Which city?", reply="Graz.")


@pytest.mark.parametrize(
    ("wanted", "steps", "decision", "word"),
    [
        ("chat", (), decided(act()), "no tool is needed"),
        ("single", (), decided(ASK), "do not ask"),
        ("single", (), decided(ANSWER), "1 or more calls of tools, not 0"),
        ("single", (), decided(act(), act()), "one call of one tool"),
        ("single", (DONE,), decided(act()), "one call of one tool"),
        ("multi", (DONE,), decided(ANSWER), "2 or more calls of tools, not 1"),
        ("multi", (), decided(ASK), "do not ask"),
        ("multi_serial", (), decided(act(), act()), "make one now"),
        ("multi_parallel", (DONE,), decided(act()), "made at once"),
        ("multi_mixed", (DONE,), decided(ANSWER), "2 or more calls"),
        ("clarify", (), decided(act()), "ask for it first"),
        ("clarify", (), decided(ANSWER), "ask for it first"),
    ],
)
def test_a_decision_for_another_policy_than_wanted_is_told_what_kind_of_task_this_is(
    wanted: str, steps: tuple[Step, ...], decision: PlannerDecision, word: str
) -> None:
    (objection,) = check_policy(decision, wanted, steps)
    assert objection.fault == "P-9"
    assert objection.words.startswith(f"this is a {wanted} task: ")
    assert word in objection.words


@pytest.mark.parametrize(
    ("wanted", "steps", "decision"),
    [
        ("chat", (), decided(ANSWER)),
        ("single", (), decided(act())),
        ("single", (DONE,), decided(ANSWER)),
        ("multi", (), decided(act())),
        ("multi", (), decided(act(), act())),
        ("multi", (DONE,), decided(act())),
        ("multi", (DONE, DONE), decided(ANSWER)),
        ("multi_serial", (DONE,), decided(act())),
        ("multi_parallel", (), decided(act(), act())),
        ("multi_mixed", (DONE,), decided(act(), act())),
        ("clarify", (), decided(ASK)),
        ("clarify", (ASKED,), decided(ASK)),
        ("clarify", (ASKED,), decided(act())),
        ("clarify", (ASKED,), decided(ANSWER)),
    ],
)
def test_a_decision_that_can_lead_to_the_wanted_policy_is_let_pass(
    wanted: str, steps: tuple[Step, ...], decision: PlannerDecision
) -> None:
    assert check_policy(decision, wanted, steps) == ()
