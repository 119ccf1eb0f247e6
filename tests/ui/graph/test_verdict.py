"""What the scorer says about a game is what it says about a model that replies so."""

from hypothesis import given

from scoring.model.case import Task
from scoring.model.graph import step_graph
from tests.factories import answer, ask, call, task
from tests.ui.graph.graphs import show_task, tasks
from ui.graph.simulation import Simulation, branching_of, scorer_words
from ui.theme import Tone


def test_an_unfinished_game_is_right_so_far() -> None:
    said = scorer_words(show_task(), ((0,), (1,)))
    assert (said.text, said.tone) == ("The scorer: right so far, 2 of 5 steps.", Tone.NEUTRAL)


def test_the_shortest_game_is_correct_and_optimal() -> None:
    said = scorer_words(show_task(), ((0,), (1,), (2, 3), (4,)))
    assert (said.text, said.tone) == ("The scorer: correct, on an optimal path.", Tone.OK)


def test_a_longer_game_is_correct_but_not_optimal() -> None:
    said = scorer_words(show_task(), ((0,), (1,), (2,), (3,), (4,)))
    assert (said.text, said.tone) == ("The scorer: correct, but 5 rounds where 4 would do.", Tone.WARN)


def test_a_call_that_comes_too_early_ends_the_run() -> None:
    said = scorer_words(show_task(), ((0,),), attempt=(2,))
    assert said.text.startswith("The scorer would end the run here at 1 of 5 steps: ")
    assert "getShowDetail" in said.text
    assert said.tone is Tone.ERROR


def test_an_answer_that_comes_too_early_ends_the_run() -> None:
    said = scorer_words(show_task(), (), attempt=(4,))
    assert "getCityAQIForecast" in said.text


def test_a_call_tried_early_is_taken_for_the_ready_one_of_its_name() -> None:
    days = task(
        call("getForecast", day="Friday"), call("getForecast", day="Sunday"), answer(), edges=[(0, 1)]
    )
    said = scorer_words(days, (), attempt=(1,))
    assert said.text.startswith("The scorer would take it for step 0, of the same name, and count its arg")
    assert "day" in said.text
    assert said.tone is Tone.ERROR


def test_a_task_without_an_answer_cannot_be_scored() -> None:
    said = scorer_words(task(call()), ())
    assert said.text.startswith("Cannot be scored yet: ")


def test_a_question_is_a_text_of_the_model() -> None:
    asked = task(ask(), call("a"), answer(), edges=[(0, 1)])
    assert scorer_words(asked, ((0,), (1,), (2,))).tone is Tone.OK


@given(tasks(most_steps=5))
def test_whoever_always_takes_the_first_optimal_branch_is_correct(drawn: Task) -> None:
    game = Simulation(step_graph(drawn))
    while not game.is_over:
        game = next(branch for branch in branching_of(game).branches if branch.is_optimal)
    assert scorer_words(drawn, game.rounds).tone is Tone.OK
