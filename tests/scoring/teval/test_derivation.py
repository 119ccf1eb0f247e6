"""Items out of our own cases."""

import json
from typing import Any

import pytest

from annotator.release.runs.evaluation import load_cases
from annotator.resources import resource_path
from scoring.errors import InputError
from scoring.model.case import Answer, Ask, Call, Case
from scoring.teval.derivation import Remedy, derive, solutions_of
from scoring.teval.evaluators import TEvalProfile
from scoring.teval.scores import ABILITIES, score_items, summarise
from scoring.teval.similarity import CharacterTriples
from scoring.teval.solutions import Solution, broken_rule
from scoring.teval.subsets import Subset
from tests.factories import answer, ask, case, task
from tests.scoring.teval.gold_replies import TOOLS, full_case, gold_replies, parcel_call, parcel_tool


def _replaced(found: Case, *steps: Call | Ask | Answer, edges: tuple[tuple[int, int], ...] = ()) -> Case:
    return case(task(*steps, user="Send P-8 on.", edges=edges), tools=found.tools, id=found.id)


def test_a_full_case_gives_every_subset() -> None:
    found = derive([full_case()])
    counts = {subset: len(items) for subset, items in found.items.items()}
    # Two kept calls with 1 + 2 arguments, one dropped call, a closing thought.
    assert counts == {
        Subset.INSTRUCT: 4,
        Subset.PLAN_JSON: 1,
        Subset.PLAN_STR: 1,
        Subset.REASON_STR: 3,
        Subset.RETRIEVE_STR: 3,
        Subset.UNDERSTAND_STR: 3,
        Subset.RRU_JSON: 3,
        Subset.REVIEW_STR: 5,
    }
    assert found.not_derived == ()
    assert found.tools == {"Tools.findParcel": "findParcel", "Tools.reroute": "reroute"}


@pytest.mark.parametrize("profile", list(TEvalProfile))
def test_gold_replies_are_worth_one_under_every_profile(profile: TEvalProfile) -> None:
    items = derive([full_case()]).items
    compare = CharacterTriples()
    results = score_items(items, gold_replies(items), profile=profile, similarity=compare)
    scores = summarise(results, profile=profile, similarity=compare.model, items_sha256="")
    # The exact rule divides by k + 0.00001.
    tolerance = 1e-5 if profile.compares_exactly else 0.0
    assert scores.overall == pytest.approx(1.0, abs=tolerance)
    for ability in ABILITIES:
        assert scores.abilities[ability] == pytest.approx(1.0, abs=tolerance), ability
    assert scores.beside["plan_exact"] == scores.beside["plan_order_free"] == 1.0


@pytest.mark.parametrize("profile", list(TEvalProfile))
def test_gold_replies_to_the_samples_are_worth_one(profile: TEvalProfile) -> None:
    items = derive(load_cases(resource_path("samples", "cases.jsonl"))).items
    compare = CharacterTriples()
    results = score_items(items, gold_replies(items), profile=profile, similarity=compare)
    scores = summarise(results, profile=profile, similarity=compare.model, items_sha256="")
    # The samples have no thoughts, which the other abilities need.
    assert (scores.abilities["instruct"], scores.abilities["plan"]) == (1.0, 1.0)
    assert (scores.beside["plan_exact"], scores.beside["plan_order_free"]) == (1.0, 1.0)


def test_an_item_leads_back_to_case_task_and_step() -> None:
    items = derive([full_case()]).items
    retry: Any = items[Subset.REASON_STR]["parcel_x2e_1_t0_reason_1"]
    assert retry["meta_data"]["source"] == {"case": "parcel.1", "task": 0, "step": 2}
    closing: Any = items[Subset.RRU_JSON]["parcel_x2e_1_t0_rru_2"]
    assert closing["meta_data"]["source"]["step"] == 3
    dropped: Any = items[Subset.REVIEW_STR]["parcel_x2e_1_t0_review_1"]
    assert (dropped["meta_data"]["source"]["step"], dropped["ground_truth"]) == (1, {"answer": "B"})
    plan: Any = items[Subset.PLAN_JSON]["parcel_x2e_1_t0_plan_json"]
    assert plan["meta_data"]["source"] == {"case": "parcel.1", "task": 0}


def test_a_retry_takes_the_thought_of_the_call_that_failed() -> None:
    item: Any = derive([full_case()]).items[Subset.REASON_STR]["parcel_x2e_1_t0_reason_1"]
    assert item["ground_truth"] == {"thought": "Send it on."}


def test_the_same_cases_give_the_same_bytes() -> None:
    once, again = (json.dumps(derive([full_case()]).model_dump(mode="json")) for _ in range(2))
    assert once == again


def test_no_item_id_has_a_dot() -> None:
    odd = case(
        task(
            parcel_call("a-b", "Look.", "x", "Success", **{"Map ID": "1", "to.me": "2"}),
            answer(),
        ),
        tools=(parcel_tool("a-b", "Map ID", "to.me"),),
        id="v1.2/ü",
    )
    found = derive([odd])
    assert not any("." in name for items in found.items.values() for name in items)
    assert found.tools == {"Tools.a_x2d_b": "a-b"}


def test_without_thoughts_plans_and_instructions_remain_and_the_rest_is_explained() -> None:
    bare = _replaced(
        full_case(),
        parcel_call("findParcel", None, {"depot": "Hamar-7"}, None, number="P-8"),
        parcel_call("reroute", None, {"ok": True}, None, depot="Hamar-7"),
        answer(),
        edges=((0, 1),),
    )
    found = derive([bare])
    assert {subset for subset, items in found.items.items() if items} == {
        Subset.INSTRUCT,
        Subset.PLAN_JSON,
        Subset.PLAN_STR,
    }
    reasons = {(one.step, one.reason, one.remedy) for one in found.not_derived}
    assert reasons == {
        (None, "V4: step 0 has no thought", Remedy.THOUGHTS),
        (0, "no review label", Remedy.LABELS),
        (1, "no review label", Remedy.LABELS),
    }


def test_a_call_of_the_same_message_shares_its_thought() -> None:
    first = parcel_call("findParcel", "Both at once.", "x", "Success", number="1")
    second = parcel_call("findParcel", None, "y", "Success", number="2")
    at_once = [step.model_copy(update={"recorded_round": 0}) for step in (first, second)]
    items = derive([_replaced(full_case(), *at_once, answer())]).items
    assert list(items[Subset.REASON_STR]) == ["parcel_x2e_1_t0_reason_0"]
    assert (len(items[Subset.RETRIEVE_STR]), len(items[Subset.RRU_JSON])) == (1, 1)
    assert len(items[Subset.UNDERSTAND_STR]) == 2
    assert len(items[Subset.REVIEW_STR]) == 4


def test_steps_come_in_a_legal_order_where_the_recorded_one_is_none() -> None:
    found = _replaced(
        full_case(),
        parcel_call("reroute", "Send it on.", {"ok": True}, "Success", depot="Hamar-7"),
        parcel_call("findParcel", "Find it.", {"depot": "Hamar-7"}, "Success", number="P-8"),
        answer(),
        edges=((1, 0),),
    )
    (solved,) = solutions_of(found)
    assert solved.steps == (1, 0)
    assert [step.deps for step in solved.solution.steps] == [(), (0,)]


def test_a_reply_to_a_question_opens_a_solution_of_its_own() -> None:
    found = _replaced(
        full_case(),
        parcel_call("findParcel", "Find it.", "x", "Success", number="P-8"),
        ask("Where to?", "To Hamar."),
        parcel_call("reroute", "Send it on.", "y", "Success", depot="Hamar"),
        answer("It goes on."),
        edges=((0, 1), (1, 2)),
    )
    first, second = solutions_of(found)
    assert (first.solution.query, second.solution.query) == ("Send P-8 on.", "To Hamar.")
    assert (first.solution.case_id, second.solution.case_id) == ("parcel_x2e_1_t0", "parcel_x2e_1_t0p1")
    assert [message["content"] for message in second.solution.earlier] == [
        "Send P-8 on.",
        '{"name": "Tools.findParcel", "args": {"number": "P-8"}}',
        "x",
        "Where to?",
    ]
    assert second.solution.steps[0].deps == ()


def test_earlier_tasks_stand_before_the_request() -> None:
    later = task(parcel_call("findParcel", "Find it.", "x", "Success", number="2"), answer(), user="And P-2?")
    both = case(*full_case().tasks, later, tools=TOOLS, now="2024-07-11 22:11:58")
    prompt: Any = derive([both]).items[Subset.REASON_STR]["c-1_t1_reason_0"]["origin_prompt"]
    assert [message["role"] for message in prompt] == [
        *("system", "user", "assistant", "function", "assistant", "function", "assistant", "function"),
        *("assistant", "user"),
    ]
    assert prompt[1]["content"] == "Current time: 2024-07-11 22:11:58\nSend P-8 on."
    assert prompt[-1]["content"].startswith("Current time: 2024-07-11 22:11:58\nAnd P-2?\n")


@pytest.mark.parametrize(
    ("step", "rule"),
    [
        (parcel_call("ghost", "x", "y", None), "V2: step 0 calls Tools.ghost"),
        (parcel_call("findParcel", "x", "y", None, number="1", colour="red"), "V2: step 0 has the argument"),
        (parcel_call("findParcel", "x", "y", None), "V2: step 0 lacks the required argument number"),
        (parcel_call("findParcel", "x", "y", None, number=None), "V2: step 0 has null as number"),
        (parcel_call("findParcel", "x", "y", None, number=3), "V2: step 0 has number of another type"),
        (parcel_call("findParcel", "x", None, "Success", number="1"), "V5: step 0 is a success without"),
        (parcel_call("findParcel", "x", "y", "Input Error", number="1"), "V6: no step is a success"),
    ],
)
def test_a_broken_case_is_refused_with_the_number_of_the_rule(step: Call, rule: str) -> None:
    found = derive([_replaced(full_case(), step, answer())])
    (refused,) = found.not_derived
    assert refused.reason.startswith(rule)
    assert not any(found.items.values())


def test_two_tools_of_one_name_break_rule_one() -> None:
    twice = case(*full_case().tasks, tools=(*TOOLS, TOOLS[0]))
    assert derive([twice]).not_derived[0].reason == "V1: the tool Tools.findParcel is listed 2 times"


@pytest.mark.parametrize("name", ["Tools.no good", "FinishAction"])
def test_a_tool_whose_name_no_record_can_hold_breaks_rule_one(name: str) -> None:
    found = Solution(case_id="c-1", query="Go.", tools=({"name": name},), steps=())
    assert broken_rule(found) == f"V1: the tool name {name!r} cannot be used"


def test_a_task_without_calls_is_told_apart_from_one_that_is_broken() -> None:
    (one,) = derive([case(task(answer()))]).not_derived
    assert (one.reason, one.remedy) == ("the task has no tool call", Remedy.CALLS)


def test_schemas_become_the_five_fields_of_a_tool_document() -> None:
    (solved,) = solutions_of(full_case())
    assert solved.solution.tools[1] == {
        "name": "Tools.reroute",
        "description": "",
        "required_parameters": [{"name": "depot", "type": "STRING", "description": ""}],
        "optional_parameters": [{"name": "urgent", "type": "BOOLEAN", "description": ""}],
        "return_data": [],
    }


def test_a_thought_that_names_its_tool_and_a_line_that_cuts_replies_are_warned_of() -> None:
    steps = (
        parcel_call("findParcel", "Call findParcel.", "x", "Success", number="P-8"),
        parcel_call("reroute", "Send it on.", "lost\nuser unknown", "Success", depot="Hamar"),
        Answer(text="It goes on.", thought="That is all."),
    )
    quoted = steps[1].model_copy(update={"observation": {"said": "lost\nuser unknown"}})
    assert len(derive([_replaced(full_case(), steps[0], quoted, steps[2])]).doubtful) == 1
    found = derive([_replaced(full_case(), *steps)])
    assert [(one.step, one.reason) for one in found.doubtful] == [
        (0, "the thought names the tool findParcel"),
        (None, "a prompt has a line that begins with user"),
    ]
    assert len(found.items[Subset.REASON_STR]) == 3
    assert derive([full_case()]).doubtful == ()


def test_two_cases_of_one_id_are_refused() -> None:
    with pytest.raises(InputError, match="Two cases have the id parcel"):
        derive([full_case(), full_case()])
