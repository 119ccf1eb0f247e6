"""What several runs did with one task: where each left the legal orders, which are picked, the pictures."""

from itertools import combinations

import pytest

from annotator.jobs import JobContext
from annotator.release.reports.report import render
from annotator.release.runs.order_trees import replies_figure, tree_figure
from annotator.release.runs.task_replies import Pick, Runs, TaskPicks, look_through, replies_table, taken_by
from scoring.errors import InputError
from scoring.golds import GoldSet, gold_set
from scoring.measures.rates import rate
from scoring.model.case import Case
from scoring.model.taxonomy import ReportFormat
from scoring.predictions import InfraError, Prediction, Reply, ToolCall
from tests.annotator.release.cards import text_of
from tests.annotator.release.reports.test_score_figures import texts
from tests.factories import answer, call, task, tool
from tests.factories import case as a_case

ODD = r"$\frac$ & <b> 模型"


def case(name: str) -> Case:
    """A task that calls a and b in any order, then c, which needs both, then answers."""
    calls = call("a", x=1), call("b", y="two"), call("c")
    tools = (tool("a", x={"type": "integer"}), tool("b", y={"type": "string"}), tool("c"))
    asked = task(*calls, answer("Done."), user="Do a and b, then c.", edges=[(0, 2), (1, 2)])
    return a_case(asked, id=name, tools=tools)


def said(*replies: str, name: str = "k", error: InfraError | None = None) -> Prediction:
    """Replies of calls by letter (`ab` calls two tools at once), `.` for a text, `B` for a wrong value."""
    arguments = {"a": '{"x": 1}', "b": '{"y": "two"}', "B": '{"y": "wrong entirely"}', "c": "{}"}
    return Prediction(
        case=name,
        task=0,
        error=error,
        replies=tuple(
            Reply(content="Done.")
            if reply == "."
            else Reply(
                tool_calls=tuple(ToolCall(name=one.lower(), arguments=arguments[one]) for one in reply)
            )
            for reply in replies
        ),
    )


GOLD = gold_set([case("k")])
KEY = ("k", 0)


def a_run(*predictions: Prediction) -> dict[tuple[str, int | None], Prediction]:
    """The predictions of a run by case and task."""
    return {(one.case, one.task): one for one in predictions}


def picks(gold: GoldSet, runs: Runs) -> TaskPicks:
    """What the rules pick of some runs."""
    return look_through(gold, runs, context=JobContext())


RUNS: Runs = {
    "together": a_run(said("ab", "c", ".")),
    "one by one": a_run(said("a", "b", "c", ".")),
    "too early": a_run(said("a", "c", ".")),
    "wrong value": a_run(said("a", "B", "c", ".")),
    ODD: a_run(said(".")),
    "silent": {},
    "broken": a_run(said(error=InfraError(kind="timeout", message="no reply"))),
}


def test_each_run_says_in_which_round_it_left_the_legal_orders() -> None:
    taken = {one.run: one for one in taken_by(GOLD, KEY, RUNS)}
    assert {run: one.left for run, one in taken.items()} == {
        "together": None,
        "one by one": None,
        "too early": 2,  # c waits for b
        "wrong value": 2,
        ODD: 1,
        "silent": None,
        "broken": None,
    }
    assert taken["together"].path == ((0, 1), (2,), (3,))
    assert taken["one by one"].path == ((0,), (1,), (2,), (3,))
    assert taken["too early"].path == taken["wrong value"].path == ((0,),)
    assert taken["together"].said == ('a({"x": 1}) + b({"y": "two"})', "c({})", "Done.")
    assert (taken["silent"].why, taken["broken"].why) == ("No prediction.", "timeout: no reply")


def test_the_table_has_a_row_for_each_run_in_every_form() -> None:
    table = replies_table(GOLD.golds[KEY], taken_by(GOLD, KEY, RUNS))
    rows = {row[0]: row for row in table.rows}
    assert rows["too early"][1:4] == ("wrong", "round 2", "1 of 4")
    assert rows["together"][1:4] == ("right", "–", "4 of 4")
    assert not rows["too early"][5].startswith("Reply")  # which would count from 0 beside rounds from 1
    # a and b together or in either order, then c, then the answer.
    assert "3 legal orders, the shortest in 3 rounds: a + b → c → prepare_to_answer" in table.notes
    assert "Wrong in 5 of 7 runs" in table.notes
    for form in ReportFormat:
        assert "too early" in text_of(render([table], form, title="T"))


def three_cases() -> tuple[GoldSet, Runs]:
    """Of k both are right in different orders, of m one fails, of n both."""
    first = {"k": ("ab", "c", "."), "m": ("ab", "c", "."), "n": ("c",)}
    second = {"k": ("b", "a", "c", "."), "m": ("a", "c"), "n": (".",)}
    runs = {
        run: a_run(*(said(*replies, name=name) for name, replies in own.items()))
        for run, own in (("one", first), ("two", second))
    }
    return gold_set(map(case, "kmn")), runs


@pytest.mark.parametrize(
    ("rule", "found"), [(Pick.ORDERS_DIFFER, "k"), (Pick.ONE_FAILS, "m"), (Pick.ALL_FAIL, "n")]
)
def test_rules_pick_tasks_worth_showing(rule: Pick, found: str) -> None:
    gold, runs = three_cases()
    assert picks(gold, runs).keys[rule] == ((found, 0),)


def test_a_task_that_a_run_did_not_answer_is_not_picked_and_one_run_alone_never_fails_alone() -> None:
    gold, runs = three_cases()
    silent = {**runs, "silent": {}}
    assert set(picks(gold, silent).keys.values()) == {()}
    alone = {"two": runs["two"]}
    assert picks(gold, alone).keys[Pick.ONE_FAILS] == ()
    assert picks(gold, alone).keys[Pick.ALL_FAIL] == (("m", 0), ("n", 0))


def test_tasks_that_failed_outside_the_model_are_none_of_those_where_it_might_ask_again() -> None:
    asks = picks(GOLD, RUNS).asks
    # Each run has one task: wrong for "too early", right for "together", no reply of "broken" and "silent".
    assert {run: asks[run].total for run in ("too early", "together", "broken", "silent")} == {
        "too early": 1,
        "together": 0,
        "broken": 0,
        "silent": 0,
    }
    assert asks["together"].percent is None


@pytest.mark.parametrize(("key", "hint"), [(("k", 7), "k has tasks 0."), (("z", 0), "Name a case")])
def test_a_task_that_is_not_there_says_which_are(key: tuple[str, int], hint: str) -> None:
    with pytest.raises(InputError) as caught:
        taken_by(GOLD, key, RUNS)
    assert hint in caught.value.hint


def test_the_tree_shows_what_was_taken_and_what_was_pruned() -> None:
    figure = tree_figure(GOLD.golds[KEY], taken_by(GOLD, KEY, RUNS))
    shown = texts(figure)
    assert "Legal orders of k, task 1 (3)" in shown
    # [0,1] [2] [3]; [0] [1] [2] [3]; [1] [0] [2] [3]: eleven nodes and the start.
    assert sum(text.startswith("[") for text in shown) == 11
    assert {"together", "one by one", "left: too early, wrong value"} <= set(shown)
    assert "0\xa0a, 1\xa0b, 2\xa0c, 3\xa0prepare_to_answer" in shown
    lines = figure.axes[0].lines
    left = [line for line in lines if line.get_linestyle() == ":"]
    taken = [line for line in lines if line.get_linewidth() > 2 and line not in left]
    assert len(left) == len([text for text in shown if text.startswith("left: ")]) == 2
    assert len(taken) == 7  # three rounds of one run, four of the other
    assert len(lines) - len(taken) - len(left) == 4  # the order that nobody took


def test_no_two_words_of_a_tree_stand_in_one_place() -> None:
    names = ("a", "b", "c")
    asked = task(*map(call, names), answer("Done."))
    gold = gold_set([a_case(asked, id="w", tools=[tool(name) for name in names])])
    calls = [Reply(tool_calls=(ToolCall(name=name, arguments="{}"),)) for name in names]
    stop = Reply(content="I give up.")
    said = {
        "after the first": (calls[0], stop),
        "after the second": (calls[1], stop),
        "after two": (calls[0], calls[1], stop),
        "in the end": (*calls, Reply(content="Done.")),
    }
    runs: Runs = {name: a_run(Prediction(case="w", task=0, replies=one)) for name, one in said.items()}
    figure = tree_figure(gold.golds["w", 0], taken_by(gold, ("w", 0), runs))
    figure.canvas.draw()
    words = figure.axes[0].texts
    assert sum(one.get_text().startswith("left: after") for one in words) == 3
    boxes = [one.get_window_extent() for one in words]
    assert not [pair for pair in combinations(boxes, 2) if pair[0].overlaps(pair[1])]


def test_a_large_tree_is_cut_but_has_every_taken_order() -> None:
    steps = [call(f"t{n}") for n in range(7)]
    asked = task(*steps, answer("Done."))
    gold = gold_set([a_case(asked, id="w", tools=[tool(f"t{n}") for n in range(7)])])
    calls = [ToolCall(name=f"t{n}", arguments="{}") for n in range(7)]
    replies = (*(Reply(tool_calls=(one,)) for one in reversed(calls)), Reply(content="Done."))
    runs: Runs = {"r": a_run(Prediction(case="w", task=0, replies=replies))}
    shown = texts(tree_figure(gold.golds["w", 0], taken_by(gold, ("w", 0), runs)))
    assert "Legal orders of w, task 1 (47,293): the first 24 and those taken" in shown
    assert "r" in shown


@pytest.mark.filterwarnings("error")
def test_the_replies_are_a_picture_with_right_and_wrong_in_words() -> None:
    shown = texts(replies_figure(GOLD.golds[KEY], taken_by(GOLD, KEY, RUNS)))
    assert {"together: right", "too early: wrong", "silent: wrong", "2 c({})"} <= set(shown)
    assert "Do a and b, then c." in shown


@pytest.mark.parametrize(
    ("text", "earlier", "found"),
    [
        ("Which city?", "I live in Oslo.", True),
        ("Which city?", "Hello.", False),  # the city was never said: the question is fair
        ("It is sunny.", "I live in Oslo.", False),  # no question
    ],
)
def test_asking_again_is_a_question_for_what_was_said_before(text: str, earlier: str, found: bool) -> None:
    first = task(answer("Fine."), user=earlier)
    second = task(call("w", city="Oslo"), answer(), user="And the weather?")
    gold = gold_set([a_case(first, second, id="k", tools=[tool("w", city={"type": "string"})])])
    runs: Runs = {
        "m": a_run(
            Prediction(case="k", task=0, replies=(Reply(content="Fine."),)),
            Prediction(case="k", task=1, replies=(Reply(content=text),)),
        )
    }
    picked = picks(gold, runs)
    assert picked.keys[Pick.ASKS_AGAIN] == ((("k", 1),) if found else ())
    # One wrong task of two, and whether it asks again there.
    assert picked.asks["m"] == rate(int(found), 1)
    table = replies_table(gold.golds["k", 1], taken_by(gold, ("k", 1), runs), asks=picked.asks)
    assert table.columns[-1] == "asks again, % of failed tasks"
    assert table.rows[0][-1] == ("100.00 (1/1)" if found else "0.00 (0/1)")
