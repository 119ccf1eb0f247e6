"""Matching replies with the legal orders of a task, semantics `paper`."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from scoring.matching.gold import Gold, NotScorableError, prepare
from scoring.matching.mistakes import c3_mistake, wildtool_mistake
from scoring.matching.outcomes import Match, OutcomeKind
from scoring.matching.replay import Walk, replay
from scoring.matching.task_scores import (
    Judged,
    TaskScore,
    judge_task,
    progress,
    score_match,
    score_task,
    wrong_types,
)
from scoring.model.case import Answer, Ask, Call, Task, Tool
from scoring.model.record import JsonObject, to_json
from scoring.model.taxonomy import ActionDetail, ArgumentProfile, C3Mistake, WildtoolMistake
from scoring.orders.lattice import mask_of
from scoring.orders.legal_orders import sample_order, summarise_orders
from scoring.predictions import InfraError, Prediction, Reply, ToolCall
from tests.factories import answer, ask, call, case, task, tool

WTB = ArgumentProfile.WTB
ANY: JsonObject = {"type": "integer"}
TOOLS = tuple(tool(name, x=ANY) for name in "ABCD")


def said(*names: str, text: str | None = None, **arguments: JsonValue) -> Reply:
    """One reply: calls by name, each with the same arguments, or a text."""
    calls = tuple(ToolCall(id=f"c{i}", name=n, arguments=to_json(arguments)) for i, n in enumerate(names))
    return Reply(content=text, tool_calls=calls)


TEXT = said(text="Here you are.")
EMPTY = Reply()
BLANK = Reply(content=" \n\t")


def called(*calls: tuple[str, JsonValue]) -> Reply:
    """One reply whose calls differ in their argument x."""
    return Reply(tool_calls=tuple(ToolCall(name=name, arguments=to_json({"x": x})) for name, x in calls))


def gold(
    *steps: Call | Ask | Answer, edges: Sequence[tuple[int, int]] = (), tools: Sequence[Tool] = TOOLS
) -> Gold:
    made: Task = task(*steps, answer(), edges=edges)
    return prepare(case(made, tools=tools), 0)


def run(of: Gold, *replies: Reply) -> Match:
    return replay(of, replies, profile=WTB)


def scored(of: Gold, *replies: Reply, profile: ArgumentProfile = WTB) -> TaskScore:
    return score_task(of, Prediction(case="c-1", task=0, replies=replies), profile=profile)


AAA = gold(call("A"), call("A"), call("A"))
BA = gold(call("B"), call("A"))
AAB = gold(call("A"), call("A"), call("B"))
ABA = gold(call("A"), call("B"), call("A"))
A_TO_B_AND_A = gold(call("A"), call("B"), call("A"), edges=[(0, 1)])
ASK_A = gold(ask(), call("A"), edges=[(0, 1)])
CHAT = gold()


def test_a_tool_outside_the_solution_is_told_with_what_is_due() -> None:
    failure = run(BA, said("C")).failure
    assert failure is not None
    assert failure.message == "C is not part of the solution; due: B, A."


@pytest.mark.parametrize(
    ("of", "replies", "verdict"),
    [
        (AAA, [said("A", "A", "A"), TEXT], "optimal"),
        (AAA, [said("A"), said("A"), said("A"), TEXT], "correct"),
        (AAA, [said("A", "A"), said("A"), TEXT], "correct"),
        (AAA, [said("A"), said("A", "A"), TEXT], "correct"),
        (BA, [said("A", "B"), TEXT], "optimal"),
        (BA, [said("B", "A"), TEXT], "optimal"),
        (BA, [said("B"), TEXT], "error"),
        (BA, [said("A", "B", "C")], "error"),
        (BA, [said("A", "B"), said("A")], "error"),
        (AAB, [said("A", "B"), said("A"), TEXT], "correct"),
        (ABA, [said("A", "B"), said("A"), TEXT], "correct"),
        (A_TO_B_AND_A, [said("A"), said("B"), said("A"), TEXT], "correct"),
        (ASK_A, [TEXT, said("A"), TEXT], "optimal"),
        (ASK_A, [said("A")], "error"),
        (ASK_A, [TEXT, TEXT], "error"),
        (CHAT, [TEXT], "optimal"),
        (CHAT, [said("A")], "error"),
        (CHAT, [EMPTY], "error"),
        (AAA, [EMPTY], "error"),
    ],
)
def test_the_published_traces_come_out_as_the_papers_mean_them(
    of: Gold, replies: list[Reply], verdict: str
) -> None:
    # scoring 3.5, column "paper"
    score = scored(of, *replies)
    assert score.label == ("error" if verdict == "error" else "correct")
    assert score.optimal is (verdict == "optimal")


def test_same_named_calls_take_the_steps_their_arguments_fit() -> None:
    twice = gold(call("A", x=1), call("A", x=2))
    match = run(twice, called(("A", 2), ("A", 1)), TEXT)
    assert match.outcomes[0].steps == (1, 0)
    assert all(check.correct for check in match.outcomes[0].checks)


def test_a_lone_call_takes_the_step_it_fits_so_the_other_stays_open() -> None:
    twice = gold(call("A", x=1), call("A", x=2))
    score = scored(twice, called(("A", 2)), called(("A", 1)), TEXT)
    assert (score.label, score.optimal) == ("correct", False)


def test_a_step_is_chosen_among_the_ready_ones_only() -> None:
    chain = gold(call("A", x=1), call("A", x=2), edges=[(0, 1)])
    score = scored(chain, called(("A", 2)), called(("A", 1)), TEXT)
    assert (score.action_label, score.arguments_label) == ("correct", "error")


def test_arguments_never_stop_a_run() -> None:
    chain = gold(call("A", x=1), call("B", x=1), edges=[(0, 1)])
    score = scored(chain, called(("A", 9)), called(("B", 1)), TEXT)
    assert (score.action_label, score.arguments_label, score.label) == ("correct", "error", "error")
    assert score.detail == "Reply 0: A (step 0) /x: differs from the gold value"


def test_arguments_of_a_run_that_went_wrong_before_any_are_not_judged() -> None:
    score = scored(gold(call("A", x=1)), called(("B", 1)), TEXT)
    assert (score.action_label, score.arguments_label) == ("error", None)


def test_feedback_is_the_observation_of_the_step_a_call_took() -> None:
    # scoring 3.6: gold [B, A]; the model calls A then B and each gets its own result
    pair = gold(call("B", observation="of B"), call("A", observation="of A"))
    walk = Walk(pair, profile=WTB)
    outcome = walk.feed(said("A", "B"))
    assert [pair.task.calls[step][1].observation for step in outcome.feedback] == ["of A", "of B"]


def test_a_question_is_answered_with_the_users_reply() -> None:
    walk = Walk(ASK_A, profile=WTB)
    outcome = walk.feed(said(text="Which one?"))
    assert (outcome.kind, outcome.feedback) == (OutcomeKind.QUESTION, (0,))
    asked = ASK_A.task.steps[0]
    assert isinstance(asked, Ask)
    assert asked.reply == "Oslo"
    assert not walk.ended


def test_of_two_open_questions_the_lower_is_asked_first() -> None:
    two = gold(ask(), ask(), call("A"), edges=[(0, 2), (1, 2)])
    match = run(two, TEXT, TEXT, said("A"), TEXT)
    assert [outcome.steps for outcome in match.outcomes] == [(0,), (1,), (2,), (3,)]
    assert two.rounds == 4


def test_calls_win_over_text_in_one_reply() -> None:
    match = run(gold(call("A")), said("A", text="Let me see."), TEXT)
    assert match.names_correct


@pytest.mark.parametrize(
    ("of", "replies", "detail"),
    [
        (BA, [], ActionDetail.NO_REPLY),
        (BA, [said("A")], ActionDetail.NO_REPLY),
        (BA, [EMPTY], ActionDetail.EMPTY_REPLY),
        (CHAT, [BLANK], ActionDetail.EMPTY_REPLY),
        (ASK_A, [BLANK], ActionDetail.EMPTY_REPLY),
        (BA, [Reply(tool_calls=(ToolCall(name="A"),))], ActionDetail.UNREADABLE_CALL),
        (BA, [Reply(tool_calls=(ToolCall(arguments="{}"),))], ActionDetail.UNREADABLE_CALL),
        (BA, [said("prepare_to_answer")], ActionDetail.PSEUDO_ACTION),
        (BA, [said("nobody")], ActionDetail.UNKNOWN_TOOL),
        (BA, [said("D")], ActionDetail.WRONG_TOOL),
        (BA, [said("A", "A")], ActionDetail.REDUNDANT_CALL),
        (BA, [said("A"), said("A")], ActionDetail.REDUNDANT_CALL),
        (ASK_A, [said("A")], ActionDetail.QUESTION_SKIPPED),
        (gold(call("A"), call("B"), edges=[(0, 1)]), [said("B")], ActionDetail.NOT_READY),
        (BA, [TEXT], ActionDetail.TEXT_TOO_EARLY),
    ],
)
def test_every_failure_says_why(of: Gold, replies: list[Reply], detail: ActionDetail) -> None:
    score = scored(of, *replies)
    assert score.action_detail is detail
    assert score.detail is not None
    assert score.detail.startswith(
        f"Reply {len(replies) if detail is ActionDetail.NO_REPLY else len(replies) - 1}: "
    )


def test_a_call_without_id_is_repaired() -> None:
    assert run(gold(call("A")), Reply(tool_calls=(ToolCall(name="A", arguments="{}"),)), TEXT).names_correct


def test_replies_after_the_end_are_left_out() -> None:
    match = run(CHAT, TEXT, said("A"), EMPTY)
    assert (match.names_correct, len(match.replies)) == (True, 1)


def test_a_task_without_steps_or_answer_is_not_scorable() -> None:
    for unfinished in (task(), task(call("A"))):
        with pytest.raises(NotScorableError):
            prepare(case(unfinished), 0)


PRESENTATION = gold(call("A"), call("B"), call("C"), call("D"), edges=[(1, 2), (0, 3), (2, 3)])
"""The papers' example: [1] -> [2]; [0], [2] -> [3]; here with its answer, five steps."""


def test_progress_of_the_presentation_example_is_three_of_five() -> None:
    # scoring 5.4: [1], [0], [2], then a wrong call: 3/5 with the answer counted
    score = scored(PRESENTATION, said("B"), said("A"), said("C"), said("B"))
    assert (score.steps_done, score.steps_total) == (3, 5)


def test_progress_of_the_calls_alone_is_three_of_four() -> None:
    # scoring 5.4: the same run without END: 3/4
    match = run(PRESENTATION, said("B"), said("A"), said("C"), said("B"))
    assert (progress(PRESENTATION, match, calls_only=True), len(PRESENTATION.task.calls)) == (3, 4)
    whole = run(ASK_A, TEXT, said("A"), TEXT)
    assert (progress(ASK_A, whole), progress(ASK_A, whole, calls_only=True)) == (3, 1)


def test_a_name_of_any_length_fits_into_the_detail() -> None:
    detail = scored(BA, said("x" * 100_000)).detail
    assert detail is not None
    assert len(detail) == 500


def test_a_correct_run_has_made_all_progress() -> None:
    fan = gold(call("A"), call("B"), call("B"), call("B"), edges=[(0, 1), (0, 2), (0, 3)])
    score = scored(fan, said("A"), said("B", "B", "B"), TEXT)
    assert (score.steps_done, score.steps_total, score.optimal) == (5, 5, True)


def test_a_step_with_bad_arguments_counts_its_good_calls_and_nothing_after_it() -> None:
    fan = gold(call("A", x=1), call("B", x=1), call("C", x=1), call("D", x=1), edges=[(0, 1), (0, 2), (1, 3)])
    # A done; of B and C only C is right: 1 + 1; D and the answer come after the first error
    match = run(fan, called(("A", 1)), called(("B", 9), ("C", 1)), called(("D", 1)), TEXT)
    assert progress(fan, match) == 2


PAIR = gold(call("A"), call("B"), edges=[(0, 1)])


@pytest.mark.parametrize(
    ("of", "replies", "mistake"),
    [
        # 1: no call at all, and a tool was due, or nothing was said
        (PAIR, [TEXT], WildtoolMistake.REFUSAL),
        (PAIR, [], WildtoolMistake.REFUSAL),
        (CHAT, [EMPTY], WildtoolMistake.REFUSAL),
        (CHAT, [BLANK], WildtoolMistake.REFUSAL),
        (ASK_A, [TEXT, TEXT], WildtoolMistake.REFUSAL),
        # 2: calls where no tool is needed
        (CHAT, [said("A")], WildtoolMistake.WRONG_REFUSAL),
        # 3: unknown name, or a call while a question is due
        (PAIR, [said("nobody")], WildtoolMistake.WRONG_NAME),
        (ASK_A, [said("A")], WildtoolMistake.WRONG_NAME),
        # 4: everything done, or more of a name than is left
        (PAIR, [said("A"), said("B"), said("C")], WildtoolMistake.REDUNDANT_CALL),
        (PAIR, [said("A", "A")], WildtoolMistake.REDUNDANT_CALL),
        # 5: not in gold, or not ready
        (PAIR, [said("C")], WildtoolMistake.CALL_ERROR),
        (PAIR, [said("B")], WildtoolMistake.CALL_ERROR),
        # 6: stopped after some call
        (PAIR, [said("A"), TEXT], WildtoolMistake.EARLY_TERMINATION),
        (PAIR, [said("A")], WildtoolMistake.EARLY_TERMINATION),
        # 7: names right, arguments wrong
        (gold(call("A", x=1)), [called(("A", "1")), TEXT], WildtoolMistake.PARAM_TYPE),
        (gold(call("A")), [called(("A", 1)), TEXT], WildtoolMistake.PARAM_HALLUCINATION),
        (gold(call("A", x=1)), [called(("A", 2)), TEXT], WildtoolMistake.PARAM_VALUE),
        # nothing wrong
        (CHAT, [TEXT], None),
    ],
)
def test_wildtool_classes_follow_the_first_error(
    of: Gold, replies: list[Reply], mistake: WildtoolMistake | None
) -> None:
    assert wildtool_mistake(of, run(of, *replies)) is mistake


def test_a_bad_argument_before_a_wrong_name_decides_the_class() -> None:
    chain = gold(call("A", x=1), call("B"), edges=[(0, 1)])
    score = scored(chain, called(("A", 2)), said("C"))
    assert score.error is WildtoolMistake.PARAM_VALUE
    assert score.error_c3 is C3Mistake.WRONG_FUNCTION  # C3-Bench judges arguments of right names only
    assert (score.action_label, score.arguments_label) == ("error", "error")


ABC = gold(call("A"), call("B"), call("C"), edges=[(0, 1), (1, 2)])
ASK_ASK_A = gold(ask(), ask(), call("A"), edges=[(0, 1), (1, 2)])


@pytest.mark.parametrize(
    ("of", "replies", "mistake"),
    [
        (ABC, [TEXT], C3Mistake.REJECT),
        (CHAT, [EMPTY], C3Mistake.REJECT),
        (ABC, [], C3Mistake.REJECT),
        (CHAT, [said("A")], C3Mistake.CALL_WITHOUT_REJECT),
        (ABC, [said("nobody")], C3Mistake.NAME_HALLUCINATION),
        (ABC, [said("filter_by_prompt")], C3Mistake.REJECT),
        (ASK_A, [said("A")], C3Mistake.MISSING_INFORMATION),
        (ASK_ASK_A, [TEXT, said("A")], C3Mistake.MISSING_INFORMATION),
        (ABC, [said("A"), said("B"), said("C"), said("C")], C3Mistake.REDUNDANT),
        # asking twice where one question was due
        (ASK_A, [TEXT, TEXT], C3Mistake.REDUNDANT),
        # a premature final text counts as a question, which the gold does not have
        (ABC, [said("A"), TEXT], C3Mistake.WRONG_FUNCTION),
        (ABC, [said("D")], C3Mistake.WRONG_FUNCTION),
        (ABC, [said("A"), said("A")], C3Mistake.REDUNDANT),
        (ABC, [said("B")], C3Mistake.EARLY_STOP),
        (ABC, [said("A", "B")], C3Mistake.EARLY_STOP),
        (gold(call("A", x=1)), [called(("A", 2)), TEXT], C3Mistake.VALUE_ERROR),
        (CHAT, [TEXT], None),
    ],
)
def test_c3_classes_follow_the_released_analysis(
    of: Gold, replies: list[Reply], mistake: C3Mistake | None
) -> None:
    assert c3_mistake(of, run(of, *replies)) is mistake


def test_a_failure_outside_the_model_is_wrong_but_has_no_class() -> None:
    failed = Prediction(case="c-1", task=0, error=InfraError(kind="timeout", message="no answer in 60 s"))
    score = score_task(CHAT, failed, profile=WTB)
    assert (score.label, score.action_detail) == ("error", ActionDetail.INFRA_ERROR)
    assert (score.error, score.error_c3, score.detail) == (None, None, "timeout: no answer in 60 s")
    assert score.is_outside_model


def test_profile_c3_forgives_what_wtb_does_not() -> None:
    dated = gold(call("A", x="2024-07-14"), tools=[tool("A", x={"type": "string"})])
    replies = (called(("A", "2024-07-13")), TEXT)
    assert scored(dated, *replies).label == "error"
    assert scored(dated, *replies, profile=ArgumentProfile.C3).label == "correct"


@st.composite
def tasks_with_an_order(draw: st.DrawFn) -> tuple[Gold, list[Reply], int]:
    """A random task, and an agent that follows one of its legal orders, calls of a round shuffled."""
    size = draw(st.integers(0, 6))
    rank = draw(st.permutations(range(size)))
    edges = [(a, b) for a in range(size) for b in range(size) if rank[a] < rank[b] and draw(st.booleans())]
    kinds = draw(st.lists(st.sampled_from(["A", "B", "ask"]), min_size=size, max_size=size))
    steps = [ask() if kind == "ask" else call(kind, x=i % 3) for i, kind in enumerate(kinds)]
    of = gold(*steps, edges=edges)
    order = sample_order(of.graph, Random(draw(st.integers(0, 99))))
    assert order is not None
    # Questions have no name: a text takes the lowest one that is ready, so the agent asks in that order.
    replies = []
    done = 0
    for chosen in order:
        if of.graph.pseudo & set(chosen):
            assume(not of.asks_in(of.lattice.ready(done)) or chosen == of.asks_in(of.lattice.ready(done))[:1])
            replies.append(TEXT)
        else:
            shuffled = draw(st.permutations(chosen))
            replies.append(called(*((of.graph.names[step], step % 3) for step in shuffled)))
        done |= mask_of(chosen, len(of.graph))
    return of, replies, len(order)


@given(tasks_with_an_order())
def test_every_legal_order_is_correct_and_optimal_if_no_order_is_shorter(
    drawn: tuple[Gold, list[Reply], int],
) -> None:
    of, replies, rounds = drawn
    score = scored(of, *replies)
    assert score.label == "correct"
    assert score.optimal is (rounds == summarise_orders(of.graph).rounds)
    assert score.steps_done == score.steps_total


@given(tasks_with_an_order(), st.data())
def test_an_order_cut_short_is_wrong_and_has_a_class(
    drawn: tuple[Gold, list[Reply], int], data: st.DataObject
) -> None:
    of, replies, _ = drawn
    cut = data.draw(st.integers(0, len(replies) - 1))
    score = scored(of, *replies[:cut])
    assert (score.label, score.action_detail) == ("error", ActionDetail.NO_REPLY)
    assert score.error in (WildtoolMistake.REFUSAL, WildtoolMistake.EARLY_TERMINATION)
    assert score.steps_done < score.steps_total


_SLIPS = (EMPTY, BLANK, TEXT, said("A", "A", x=0), said("B", x=1.0), said("A", y=1), called(("B", "2")))


@settings(max_examples=300)
@given(tasks_with_an_order(), st.sampled_from(ArgumentProfile), st.data())
def test_a_run_is_worth_what_a_walk_finds_whether_it_is_flawless_or_not(
    drawn: tuple[Gold, list[Reply], int], profile: ArgumentProfile, data: st.DataObject
) -> None:
    of, replies, _ = drawn
    for slip in data.draw(st.lists(st.sampled_from(_SLIPS), max_size=2)):
        position = data.draw(st.integers(0, len(replies)))
        replies[position : position + data.draw(st.integers(0, 1))] = [slip]
    match = replay(of, replies, profile=profile)
    walked = Judged(score_match(of, match, profile=profile), wrong_types(of, match))
    answered = Prediction(case="c-1", task=0, replies=tuple(replies))
    assert judge_task(of, answered, profile=profile) == walked
