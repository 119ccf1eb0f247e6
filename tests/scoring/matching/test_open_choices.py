"""Which of several same-named steps a call takes stays open until an edge tells them apart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from random import Random

import pytest

from scoring.matching.arguments import check_arguments
from scoring.matching.gold import Gold, prepare
from scoring.matching.replay import Walk, replay
from scoring.matching.task_scores import TaskScore, score_task
from scoring.model.case import Answer, Ask, Call
from scoring.model.record import to_json
from scoring.model.taxonomy import ActionDetail, ArgumentProfile
from scoring.predictions import Prediction, Reply, ToolCall
from tests.factories import answer, ask, call, case, task, tool

WTB = ArgumentProfile.WTB
TOOLS = tuple(tool(name, x={"type": "integer"}) for name in "ABCD")
TEXT = Reply(content="Here you are.")


def said(*calls: tuple[str, int]) -> Reply:
    return Reply(tool_calls=tuple(ToolCall(name=name, arguments=to_json({"x": x})) for name, x in calls))


def gold(*steps: Call | Ask | Answer, edges: Sequence[tuple[int, int]] = ()) -> Gold:
    return prepare(case(task(*steps, answer(), edges=edges), tools=TOOLS), 0)


def scored(of: Gold, *replies: Reply) -> TaskScore:
    return score_task(of, Prediction(case="c-1", task=0, replies=replies), profile=WTB)


SECOND_FEEDS = gold(call("A", x=1), call("A", x=1), call("B", x=2), edges=[(1, 2)])
"""Two equal calls, and B waits for the second of them."""


def test_a_call_that_fits_two_equal_steps_may_have_been_either() -> None:
    # scoring 3.3: a#0, a#1, b after #1; replies a, b, a, text
    replies = said(("A", 1)), said(("B", 2)), said(("A", 1)), TEXT
    score = scored(SECOND_FEEDS, *replies)
    assert (score.label, score.steps_done, score.optimal) == ("correct", 4, False)
    assert [one.steps for one in replay(SECOND_FEEDS, replies, profile=WTB).outcomes] == [
        (1,),
        (2,),
        (0,),
        (3,),
    ]


def test_two_equal_calls_in_one_reply_leave_nothing_open() -> None:
    score = scored(SECOND_FEEDS, said(("A", 1), ("A", 1)), said(("B", 2)), TEXT)
    assert (score.label, score.optimal) == ("correct", True)


def test_arguments_still_decide_where_they_differ() -> None:
    # The first call is x=1 and nothing else, so B is called before the x=2 it waits for.
    of = gold(call("A", x=1), call("A", x=2), call("B", x=2), edges=[(1, 2)])
    score = scored(of, said(("A", 1)), said(("B", 2)))
    assert (score.action_detail, score.steps_done) == (ActionDetail.NOT_READY, 1)


def test_a_later_call_may_show_which_step_an_earlier_one_took() -> None:
    # B x=2 waits for the first A, B x=3 for the second: after one A, B x=3 is right only behind the second.
    edges = [(0, 2), (1, 3)]
    of = gold(call("A", x=1), call("A", x=1), call("B", x=2), call("B", x=3), edges=edges)
    replies = said(("A", 1)), said(("B", 3)), said(("A", 1)), said(("B", 2)), TEXT
    score = scored(of, *replies)
    assert (score.label, score.steps_done) == ("correct", 5)


def test_the_best_of_the_ways_left_is_reported() -> None:
    # B x=9 is wrong either way, and nothing is left of the run after D: one A was right.
    edges = [(0, 2), (1, 3)]
    of = gold(call("A", x=1), call("A", x=1), call("B", x=2), call("B", x=3), edges=edges)
    score = scored(of, said(("A", 1)), said(("B", 9)), said(("D", 1)))
    assert (score.steps_done, score.arguments_label, score.action_label) == (1, "error", "error")


def test_a_live_run_goes_on_as_its_replay_does() -> None:
    walk = Walk(SECOND_FEEDS, profile=WTB)
    assert walk.feed(said(("A", 1))).steps == (0,)
    assert walk.feed(said(("B", 2))).steps == (2,)
    assert [outcome.steps for outcome in walk.outcomes] == [(1,), (2,)]
    assert not walk.ended


def test_steps_are_interchangeable_where_name_arguments_and_followers_are_equal() -> None:
    # the answer, step 6, waits for every step; B waits for 1 and 2
    steps = call("A", x=1), call("A", x=1), call("A", x=1), call("A", x=2), call("C", x=1), call("B", x=1)
    assert gold(*steps, edges=[(1, 5), (2, 5)]).kinds == (0, 1, 1, 3, 4, 5, 6)


def test_a_task_made_to_keep_everything_open_is_scored_all_the_same() -> None:
    # each of 16 equal calls is told apart by its own successor: up to 12,870 sets, of which 1,000 are kept
    steps = [call("A", x=1) for _ in range(16)] + [call("B", x=i) for i in range(16)]
    of = gold(*steps, edges=[(i, 16 + i) for i in range(16)])
    ones = [said(("A", 1)) for _ in range(16)]
    last = said(*(("B", i) for i in range(16)))
    assert scored(of, *ones, last, TEXT).label == "correct"


@dataclass(frozen=True)
class Verdict:
    """What a listing says of a run: of the ways that get furthest the one with most right steps."""

    replies_taken: int
    steps_done: int
    names_correct: bool
    is_right: bool


def listed(of: Gold, replies: Sequence[Reply]) -> Verdict:
    """Follow scoring 3.3 by listing every way: all injective pairings of all sets reached."""
    names, waits = of.graph.names, of.graph.before
    found: list[Verdict] = []
    fits: dict[tuple[str, int], tuple[bool, float]] = {}

    def fit(one: ToolCall, step: int) -> tuple[bool, float]:
        key = one.arguments or "", step
        if key not in fits:
            check = check_arguments(key[0], of.arguments(step), tool=of.tools.get(names[step]), profile=WTB)
            fits[key] = check.correct, check.score
        return fits[key]

    def pairings(calls: Sequence[ToolCall], done: frozenset[int]) -> Iterator[tuple[int, ...]]:
        ready = [
            step
            for step in range(len(names) - 1)
            if step not in done and step not in of.graph.asks and waits[step] <= done
        ]
        ways = [
            way
            for way in permutations(ready, len(calls))
            if all(names[step] == one.name for step, one in zip(way, calls, strict=True))
        ]
        worth = [
            (sum(fit(*pair)[0] for pair in pairs), round(sum(fit(*pair)[1] for pair in pairs), 6))
            for pairs in (list(zip(calls, way, strict=True)) for way in ways)
        ]
        return (way for way, value in zip(ways, worth, strict=True) if value == max(worth))

    def follow(number: int, done: frozenset[int], right: int, *, is_flawless: bool) -> None:
        ways: list[tuple[int, ...]] = []
        calls: Sequence[ToolCall] = ()
        if number < len(replies):
            calls = replies[number].tool_calls
            questions = [s for s in sorted(of.graph.asks) if s not in done and waits[s] <= done]
            if calls:
                ways = list(pairings(calls, done))
            elif questions:
                ways = [(questions[0],)]
            elif len(done) == len(names) - 1:
                found.append(Verdict(number + 1, right + is_flawless, True, is_flawless))
                return
        if not ways:
            found.append(Verdict(number, right, False, False))
        for way in ways:
            good = [fit(one, step)[0] for one, step in zip(calls, way, strict=True)] if calls else [True]
            follow(
                number + 1,
                done | set(way),
                right + (sum(good) if is_flawless else 0),
                is_flawless=is_flawless and all(good),
            )

    follow(0, frozenset(), 0, is_flawless=True)
    return max(found, key=lambda one: (one.replies_taken, one.steps_done))


def drawn(rng: Random) -> tuple[Gold, list[Reply]]:
    """A small task of few names and values, and an agent that follows a legal order and slips at times."""
    size = rng.randint(1, 6)
    steps: list[Call | Ask | Answer] = [
        ask() if rng.random() < 0.08 else call(rng.choice("AAB"), x=rng.choice((1, 1, 2)))
        for _ in range(size)
    ]
    density = rng.choice((0.1, 0.3, 0.5))
    edges = [(a, b) for b in range(size) for a in range(b) if rng.random() < density]
    order = list(range(size))
    rng.shuffle(order)
    of = gold(*(steps[order.index(i)] for i in range(size)), edges=[(order[a], order[b]) for a, b in edges])
    return of, _followed(of, rng, slip=rng.choice((0, 0, 0.1, 0.3)))


def _followed(of: Gold, rng: Random, *, slip: float) -> list[Reply]:
    replies, done = [], 0
    while done != of.lattice.full:
        ready = of.lattice.ready(done)
        calls = list(of.calls_in(ready))
        asks = of.asks_in(ready)
        if calls and (not asks or rng.random() < 0.5):
            chosen = rng.sample(calls, rng.randint(1, len(calls)))
            replies.append(said(*(_slipped(of, step, rng, slip=slip) for step in chosen)))
        else:
            chosen = [asks[0] if asks else of.answer]
            replies.append(TEXT)
        done |= sum(1 << step for step in chosen)
    return replies[: rng.randint(0, len(replies))] if rng.random() < slip else replies


def _slipped(of: Gold, step: int, rng: Random, *, slip: float) -> tuple[str, int]:
    x = of.arguments(step)["x"]
    assert isinstance(x, int)
    name = rng.choice("AB") if rng.random() < slip / 2 else of.graph.names[step]
    return name, rng.choice((1, 2, 3)) if rng.random() < slip else x


def check_drawn(count: int, *, seed: int) -> None:
    rng = Random(seed)
    for number in range(count):
        of, replies = drawn(rng)
        match = replay(of, replies, profile=WTB)
        score, expected = scored(of, *replies), listed(of, replies)
        taken = len(match.outcomes) - (match.failure is not None)
        found = Verdict(taken, score.steps_done, score.action_label == "correct", score.label == "correct")
        assert found == expected, (number, of.graph, replies)


def test_random_runs_end_as_a_listing_of_all_ways_says() -> None:
    check_drawn(3_000, seed=25)


@pytest.mark.slow
def test_100_000_random_runs_end_as_a_listing_of_all_ways_says() -> None:
    check_drawn(100_000, seed=13)
