"""Matching and scoring as the released evaluators do, semantics `reference`."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from scoring.matching.gold import Gold, prepare
from scoring.matching.published_scores import as_analysed, judge_as_published
from scoring.matching.replay import Walk, replay
from scoring.matching.task_scores import TaskScore, score_task
from scoring.measures.summary import summarise
from scoring.model.case import Answer, Ask, Call, Case, Edge, Tool
from scoring.model.graph import ANSWER_NAME, ASK_NAME
from scoring.model.record import JsonObject, to_json
from scoring.model.taxonomy import (
    ActionDetail,
    ArgumentProfile,
    C3Mistake,
    Policy,
    Semantics,
    WildtoolMistake,
)
from scoring.orders.published_paths import list_published_paths
from scoring.predictions import InfraError, Prediction, Reply, ToolCall
from tests.factories import answer, ask, call, case, task, tool

WTB, C3 = ArgumentProfile.WTB, ArgumentProfile.C3
ANY: JsonObject = {"type": "integer"}
TOOLS = tuple(tool(name, x=ANY, y=ANY) for name in "ABCD")
TEXT = Reply(content="Here you are.")
EMPTY = Reply()
BLANK = Reply(content=" \n")


def said(*names: str) -> Reply:
    return called(*((name, {}) for name in names))


def called(*calls: tuple[str, JsonObject]) -> Reply:
    return Reply(
        tool_calls=tuple(
            ToolCall(id=f"c{i}", name=name, arguments=to_json(said)) for i, (name, said) in enumerate(calls)
        )
    )


def gold(
    *steps: Call | Ask | Answer, edges: Sequence[tuple[int, int]] = (), tools: Sequence[Tool] = TOOLS
) -> Gold:
    return prepare(case(task(*steps, answer(), edges=edges), tools=tools), 0)


def scored(of: Gold, *replies: Reply, profile: ArgumentProfile = WTB) -> TaskScore:
    return judge_as_published(of, Prediction(case="c-1", task=0, replies=replies), profile=profile).score


AAA = gold(call("A"), call("A"), call("A"))
BA = gold(call("B"), call("A"))
AAB = gold(call("A"), call("A"), call("B"))
ABA = gold(call("A"), call("B"), call("A"))
A_TO_B_AND_A = gold(call("A"), call("B"), call("A"), edges=[(0, 1)])
ASK_A = gold(ask(), call("A"), edges=[(0, 1)])
CHAT = gold()


@pytest.mark.parametrize(
    ("of", "replies", "verdict"),
    [
        (AAA, [said("A", "A", "A"), TEXT], "optimal"),
        (AAA, [said("A"), said("A"), said("A"), TEXT], "correct"),
        (AAA, [said("A", "A"), said("A"), TEXT], "error"),
        (AAA, [said("A"), said("A", "A"), TEXT], "error"),
        (BA, [said("A", "B"), TEXT], "optimal"),
        (BA, [said("B", "A"), TEXT], "optimal"),
        (BA, [said("B"), TEXT], "error"),
        (BA, [said("A", "B", "C")], "error"),
        (BA, [said("A", "B"), said("A")], "error"),
        (AAB, [said("A", "B"), said("A"), TEXT], "error"),
        (ABA, [said("A", "B"), said("A"), TEXT], "correct"),
        (A_TO_B_AND_A, [said("A"), said("B"), said("A"), TEXT], "error"),
        (ASK_A, [TEXT, said("A"), TEXT], "optimal"),
        (ASK_A, [said("A")], "error"),
        (ASK_A, [TEXT, TEXT], "error"),
        (CHAT, [TEXT], "optimal"),
        (CHAT, [said("A")], "error"),
        (CHAT, [EMPTY], "error"),
        (CHAT, [BLANK], "optimal"),
        (AAA, [EMPTY], "error"),
    ],
)
@pytest.mark.parametrize("profile", [WTB, C3])
def test_the_published_traces_come_out_as_published(
    of: Gold, replies: list[Reply], verdict: str, profile: ArgumentProfile
) -> None:
    # scoring 3.5, column "reference"
    score = scored(of, *replies, profile=profile)
    assert score.label == ("error" if verdict == "error" else "correct")
    assert score.optimal is (verdict == "optimal")


@pytest.mark.parametrize(
    ("of", "replies", "step"),
    [
        (AAA, [said("A", "A"), said("A"), TEXT], 0),
        (AAA, [said("A"), said("A", "A"), TEXT], 1),
        (A_TO_B_AND_A, [said("A"), said("B"), said("A"), TEXT], 1),
    ],
)
def test_the_published_traces_fail_where_published(of: Gold, replies: list[Reply], step: int) -> None:
    assert len(replay(of, replies, profile=WTB, semantics=Semantics.REFERENCE).outcomes) - 1 == step


def test_after_an_unordered_question_the_model_may_ask_again_and_skip_the_tool() -> None:
    # scoring 3.4 (b): question and tool B unordered; asking twice passes over B, and A ends the run
    of = gold(ask(), call("B"), call("A"), edges=[(0, 2)])
    match = replay(of, [TEXT, TEXT, said("A"), TEXT], profile=WTB, semantics=Semantics.REFERENCE)
    assert match.names_correct


def test_a_call_named_like_a_question_matches_it() -> None:
    # scoring 3.4, 8 D-06
    match = replay(
        ASK_A,
        [said("ask_user_for_required_parameters"), said("A"), TEXT],
        profile=WTB,
        semantics=Semantics.REFERENCE,
    )
    assert match.names_correct


def test_a_call_named_like_the_answer_leaves_nothing_to_say() -> None:
    # scoring 3.4 (d): the released code crashes when a text follows exhausted paths
    assert scored(gold(call("A")), said("A"), said("prepare_to_answer"), TEXT).label == "error"


def test_an_answer_that_waits_for_less_than_everything_ends_the_run_early() -> None:
    # scoring 3.4 (c)
    bare = task(call("A"), call("B"), answer(), edges=[])
    early = bare.model_copy(update={"edges": tuple(edge for edge in bare.edges if edge.source == 0)})
    of = prepare(case(early, tools=TOOLS), 0)
    assert scored(of, said("A"), TEXT).label == "correct"


def test_results_are_handed_out_in_the_order_of_the_calls() -> None:
    # scoring 3.6, run example: gold [B, A]; the model emits B then A: the id of B receives A's result
    of = gold(call("B", observation="of B"), call("A", observation="of A"))
    outcome = Walk(of, profile=WTB, semantics=Semantics.REFERENCE).feed(said("B", "A"))
    assert [of.task.calls[step][1].observation for step in outcome.feedback] == ["of A", "of B"]


def test_a_call_without_id_fails() -> None:
    assert (
        scored(gold(call("A")), Reply(tool_calls=(ToolCall(name="A", arguments="{}"),)), TEXT).label
        == "error"
    )


def test_same_named_calls_are_paired_by_sorted_text() -> None:
    # scoring 4.1: a blank after the colon sorts before the quote, so the two calls are swapped
    text: JsonObject = {"type": "string"}
    of = gold(call("A", x="Austin"), call("A", x="Boston"), tools=[tool("A", x=text)])
    sloppy = Reply(
        tool_calls=(
            ToolCall(id="1", name="A", arguments='{"x": "Boston"}'),
            ToolCall(id="2", name="A", arguments='{"x":"Austin"}'),
        )
    )
    assert scored(of, sloppy, TEXT).arguments_label == "error"


CHAIN = gold(call("A", x=1), call("B", x=1), edges=[(0, 1)])


def test_an_argument_error_deletes_the_next_step_and_its_names_error() -> None:
    # scoring 8, D-27: A bad, then C where B is due: the names error is gone, 1 of 2 steps stays logged
    score = scored(CHAIN, called(("A", {"x": 2})), said("C"))
    assert (score.action_label, score.arguments_label, score.label) == ("correct", "error", "error")
    assert (score.steps_done, score.action_detail) == (1, None)
    assert score.error is WildtoolMistake.PARAM_VALUE


def test_an_argument_error_in_the_last_step_deletes_nothing() -> None:
    assert scored(CHAIN, called(("A", {"x": 1})), called(("B", {"x": 2}))).steps_done == 2


def test_names_that_fail_first_leave_the_arguments_correct() -> None:
    score = scored(CHAIN, said("C"))
    assert (score.action_label, score.arguments_label) == ("error", "correct")
    assert score.error is WildtoolMistake.CALL_ERROR


PRESENTATION = gold(call("A"), call("B"), call("C"), call("D"), edges=[(1, 2), (0, 3), (2, 3)])
FAN = gold(call("A"), call("B"), call("B"), call("B"), edges=[(0, 1), (0, 2), (0, 3)])


def test_published_progress_of_the_worked_example() -> None:
    # scoring 5.4: [1], [0], [2], then a wrong call, answer counted: reference c3 3/5, reference wtb 4/5
    replies = (said("B"), said("A"), said("C"), said("B"))
    assert scored(PRESENTATION, *replies, profile=C3).steps_done == 3
    assert scored(PRESENTATION, *replies, profile=WTB).steps_done == 4
    assert scored(PRESENTATION, *replies, profile=WTB).steps_total == 5


def test_published_progress_counts_a_parallel_round_once_in_wtb() -> None:
    # scoring 5.4: a correct optimal run of fanout3-same-pta: reference wtb 3/5, c3 all of it
    replies = (said("A"), said("B", "B", "B"), TEXT)
    assert scored(FAN, *replies, profile=WTB).steps_done == 3
    assert scored(FAN, *replies, profile=C3).steps_done == 5


def test_an_argument_error_costs_no_progress_in_c3() -> None:
    # scoring 5.4 `reference` c3: 1 call + 1 call + the final text, nothing subtracted
    replies = (called(("A", {"x": 2})), called(("B", {"x": 1})), TEXT)
    assert scored(CHAIN, *replies, profile=C3).steps_done == 3


def test_c3_pairs_calls_over_the_whole_task() -> None:
    # the two calls of A swap their steps across rounds
    of = gold(call("A", x=1), call("A", x=2), edges=[(0, 1)])
    replies = (called(("A", {"x": 2})), called(("A", {"x": 1})), TEXT)
    assert scored(of, *replies, profile=C3).label == "correct"
    assert scored(of, *replies, profile=WTB).label == "error"


def test_the_c3_class_comes_from_the_last_gold_call_tried() -> None:
    # scoring 8, D-17: the call pairs with x=1 (wrong value); the last one tried, y=1, makes x invented
    of = gold(call("A", x=1), call("A", y=1))
    score = scored(of, called(("A", {"x": 5}), ("A", {"y": 1})), TEXT, profile=C3)
    assert score.error_c3 is C3Mistake.VALUE_HALLUCINATION
    assert score.error is WildtoolMistake.PARAM_HALLUCINATION


def written(text: str) -> Reply:
    return Reply(tool_calls=(ToolCall(id="1", name="A", arguments=text),))


NEEDS_X = [tool("A", required=["x"], x=ANY)]


@pytest.mark.parametrize(
    ("of", "text"),
    [
        (gold(call("A")), "no json"),
        (gold(call("A")), "null"),
        (gold(call("A")), "5"),
        (gold(call("A", x=1)), "[]"),  # the mean over no argument
        (gold(call("A", x=1), tools=NEEDS_X), "5"),
        (gold(call("A", x=1), tools=NEEDS_X), '["x"]'),  # the value of a name in a list
        (gold(call("A", x=1), tools=NEEDS_X), '"x"'),
    ],
)
def test_c3_calls_arguments_it_cannot_compare_a_names_error(of: Gold, text: str) -> None:
    score = scored(of, written(text), TEXT, profile=C3)
    assert (score.action_label, score.action_detail) == ("error", ActionDetail.ARGUMENTS_UNREADABLE)


@pytest.mark.parametrize(
    ("of", "text", "mistake"),
    [
        (gold(call("A")), "[]", None),
        (gold(call("A")), '""', None),
        (gold(call("A")), '["z"]', C3Mistake.PARAM_HALLUCINATION),
        (gold(call("A")), '"zz"', C3Mistake.PARAM_HALLUCINATION),
        (gold(call("A", x=1), tools=NEEDS_X), "[]", C3Mistake.MISS_REQUIRED),
        (gold(call("A", x=1), tools=NEEDS_X), '"s"', C3Mistake.MISS_REQUIRED),
    ],
)
def test_c3_compares_json_that_is_no_object_by_the_names_in_it(
    of: Gold, text: str, mistake: C3Mistake | None
) -> None:
    # scoring 11: names stay correct; a tool without arguments called with [] is right
    score = scored(of, written(text), TEXT, profile=C3)
    assert score.action_label == "correct"
    assert (score.label, score.error_c3) == ("correct" if mistake is None else "error", mistake)
    assert score_task(of, Prediction(case="c-1", task=0, replies=(written(text), TEXT)), profile=C3).error


def types_of(of: Gold, *replies: Reply) -> tuple[str, ...]:
    return judge_as_published(of, Prediction(case="c-1", task=0, replies=replies), profile=C3).wrong_types


def test_the_types_of_wrong_arguments_come_from_the_last_gold_call_tried() -> None:
    # {x: 5} pairs with x=1 (0 of 1); last tried is y="b", where x is declared and invented
    tools = [tool("A", x={"type": "float"}, y={"type": "string"})]
    of = gold(call("A", x=1, y="a"), call("A", y="b"), tools=tools)
    # the first call fits neither: x is wrong in both, y right in the first and wrong in the last
    told = called(("A", {"x": 5, "y": "a"}), ("A", {"y": "b"}))
    assert types_of(of, told, TEXT) == ("float", "string")


def test_only_the_first_missing_argument_has_a_type() -> None:
    tools = [tool("A", required=["x", "y"], x={"type": "float"}, y={"type": "string"})]
    assert types_of(gold(call("A", x=1, y="a"), tools=tools), said("A"), TEXT) == ("float",)


def test_an_argument_at_the_threshold_is_not_counted_and_an_unknown_one_is_undeclared() -> None:
    items: JsonObject = {"type": "array", "items": {"type": "integer"}}
    of = gold(call("A", l=[1, 2, 3, 4], x=1), tools=[tool("A", l=items, x=ANY)])
    # three of four items are right: 0.75; x is wrong, z is declared nowhere: 1.75 of 3... 0.25 in the mean
    assert types_of(of, called(("A", {"l": [1, 2, 3, 9], "x": 2, "z": 0})), TEXT) == ("integer", "undeclared")


def test_too_many_open_paths_are_given_up_politely(monkeypatch: pytest.MonkeyPatch) -> None:
    # a question unordered against calls keeps every combination of them open
    monkeypatch.setattr("scoring.matching.published_rules.CANDIDATE_LIMIT", 10)
    of = gold(ask(), call("A"), call("B"), call("C"), call("D"))
    score = scored(of, TEXT, said("A"))
    assert score.action_detail is ActionDetail.GRAPH_TIMEOUT
    assert score.action_detail.value == "graph generate timeout."
    assert score.error is None


def test_twenty_parallel_calls_match_without_being_listed() -> None:
    names = [f"t{i}" for i in range(20)]
    of = gold(*map(call, names), tools=[tool(name) for name in names])
    replies = (said(*names[10:]), said(*names[:10]), TEXT)
    assert scored(of, *replies).label == "correct"


@pytest.mark.parametrize(
    ("of", "policy"),
    [
        (gold(call("A"), call("B")), Policy.MULTI_PARALLEL),
        (gold(call("A"), call("B"), edges=[(0, 1)]), Policy.MULTI_SERIAL),
        (gold(call("A"), call("B"), call("C"), edges=[(0, 2), (1, 2)]), Policy.MULTI_MIXED),
        # C waits for A, which is no longer in the group of B: a new group begins only at B.
        (gold(call("A"), call("B"), call("C"), edges=[(0, 1), (0, 2)]), Policy.MULTI_MIXED),
        # scoring 1.3: an order through a question, or a wait for a later call, makes no new group.
        (gold(ask(), call("A"), ask(), call("B"), edges=[(0, 1), (1, 2), (2, 3)]), Policy.MULTI_PARALLEL),
        (gold(call("A"), call("B"), edges=[(1, 0)]), Policy.MULTI_PARALLEL),
        (gold(call("A")), Policy.SINGLE),
    ],
)
def test_the_released_c3_analysis_takes_the_kind_of_multi_from_the_structure(
    of: Gold, policy: Policy
) -> None:
    declared = replace(of, policy=Policy.MULTI_SERIAL)
    assert as_analysed(declared, profile=C3).analysed_as is policy
    assert as_analysed(declared, profile=WTB).analysed_as is None


def test_a_clarify_task_with_parallel_calls_counts_among_the_parallel_ones_too() -> None:
    # scoring 11: 13 of 34 and 16 of 57 where the declared type alone gave 13 of 28 and 16 of 51
    asked = replace(gold(ask(), call("A"), call("B"), edges=[(0, 1), (0, 2)]), policy=Policy.CLARIFY)
    right = TEXT, said("A", "B"), TEXT
    for profile, total in ((C3, 1), (WTB, 0)):
        summary = summarise([scored(as_analysed(asked, profile=profile), *right, profile=profile)])
        by_policy = summary.accuracy.by_policy
        assert (by_policy["clarify"].total, by_policy["multi"].total) == (1, 0)
        assert (by_policy["multi_parallel"].count, by_policy["multi_parallel"].total) == (total, total)
        assert (summary.optimal["multi_parallel"].count, summary.optimal["total"].total) == (total, total)


def test_a_declared_multi_task_of_one_call_is_none_of_the_kinds_of_multi() -> None:
    alone = replace(gold(call("A")), policy=Policy.MULTI_SERIAL)
    summary = summarise([scored(as_analysed(alone, profile=C3), said("A"), TEXT, profile=C3)])
    assert (summary.accuracy.by_policy["multi"].total, summary.progress["total"].total) == (1, 0)


def test_a_failure_outside_the_model_is_none_of_its_mistakes() -> None:
    failed = Prediction(case="c-1", task=0, error=InfraError(kind="timeout"))
    score = judge_as_published(CHAT, failed, profile=WTB).score
    assert (score.label, score.action_detail, score.error) == ("error", ActionDetail.INFRA_ERROR, None)


@pytest.mark.parametrize("value", [1, "1", None])
def test_every_failed_task_has_a_class_in_both_profiles(value: JsonValue) -> None:
    for profile in (WTB, C3):
        for replies in ([called(("A", {"x": value})), said("D")], [TEXT], [], [said("A"), TEXT]):
            score = scored(CHAIN, *replies, profile=profile)
            assert score.label == "error"
            assert score.error is not None
            assert score.error_c3 is not None


@st.composite
def runs(draw: st.DrawFn) -> tuple[Gold, list[Reply]]:
    """A random task whose answer may come early, and an agent that says random things."""
    size = draw(st.integers(0, 4))
    kinds = draw(st.lists(st.sampled_from(["A", "B", "ask"]), min_size=size, max_size=size))
    bare = task(*(ask() if kind == "ask" else call(kind) for kind in kinds), answer())
    rank = [*draw(st.permutations(range(size))), size]
    pairs = [(a, b) for a in range(size) for b in range(size + 1) if rank[a] < rank[b]]
    drawn = [pair for pair in pairs if draw(st.booleans())]
    edges = tuple(Edge(source=a, target=b) for a, b in drawn)
    of = prepare(case(bare.model_copy(update={"edges": edges}), tools=TOOLS), 0)
    names = st.lists(st.sampled_from(["A", "B", "prepare_to_answer"]), min_size=1, max_size=3)
    return of, draw(st.lists(st.just(TEXT) | names.map(lambda chosen: said(*chosen)), max_size=6))


def listed_verdict(of: Gold, replies: list[Reply]) -> tuple[bool, int]:
    """Follow scoring 3.4 on the full list of paths: whether the names are right, and replies used."""
    names = of.graph.names
    paths = list(list_published_paths(of.graph))
    for k, reply in enumerate(replies):
        candidates = [path[k] for path in paths if len(path) > k]
        if reply.tool_calls:
            wanted = sorted(call.name or "" for call in reply.tool_calls)
            match = next((c for c in candidates if sorted(names[step] for step in c) == wanted), None)
            if match is None or len(candidates) < len(paths):
                return False, k + 1
            paths = [path for path in paths if path[k] == match]
            continue
        for candidate in candidates:
            found = [names[step] for step in candidate]
            if ASK_NAME in found:
                if len(found) > 1:
                    return False, k + 1
                break
            if ANSWER_NAME in found:
                return len(found) == 1, k + 1
        else:
            return False, k + 1
    return False, len(replies) + 1


@given(runs())
def test_walking_the_paths_decides_as_listing_them_would(drawn: tuple[Gold, list[Reply]]) -> None:
    of, replies = drawn
    match = replay(of, replies, profile=WTB, semantics=Semantics.REFERENCE)
    assert (match.names_correct, len(match.outcomes)) == listed_verdict(of, replies)


def test_a_run_of_same_named_steps_stays_open_only_where_the_very_step_was_taken() -> None:
    # Step 0 (A) waits for the question 1; 2 and 3 (A, A) wait for nothing, and the answer for nothing either.
    # After the question the open paths go on with step 0 (after 1, or 1 2, or 1 2 3) or, where 2 was begun
    # first, with 3, which is called A too. The call takes step 0, the first in path order, so the latter end,
    # and with them the only ones that still have the question before them: the text is the answer.
    of = prepare(early_answer(call("A"), ask(), call("A"), call("A"), edges=[(1, 0)]), 0)
    match = replay(of, (TEXT, said("A"), TEXT), profile=WTB, semantics=Semantics.REFERENCE)
    assert (match.names_correct, len(match.outcomes)) == (True, 3)
    assert listed_verdict(of, [TEXT, said("A"), TEXT]) == (True, 3)


def early_answer(*steps: Call | Ask, edges: Sequence[tuple[int, int]]) -> Case:
    """A case whose answer waits for no step but as the edges say."""
    drawn = tuple(Edge(source=a, target=b) for a, b in edges)
    bare = task(*steps, answer()).model_copy(update={"edges": drawn})
    return case(bare, tools=TOOLS)
