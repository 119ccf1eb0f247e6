"""A card says in two lines what its step does."""

from scoring.model.case import Answer, Ask, AskedTool
from tests.factories import answer, call, task
from ui.graph.canvas_content import about_step, step_detail, step_title


def test_a_call_shows_its_values_in_order() -> None:
    step = call("getCityShow", city="Las Vegas", days=2, legs=[{"to": "Reno"}])
    assert step_title(1, step) == "1 getCityShow"
    assert step_detail(step) == "Las Vegas · 2 · Reno"


def test_a_call_without_arguments_says_so() -> None:
    assert step_detail(call("ping")) == "no arguments"


def test_a_question_shows_the_parameters_it_asks_for() -> None:
    asks_for = (AskedTool(tool_name="book", missing_required_parameters=("date", "city")),)
    assert step_detail(Ask(text="When, where?", reply="Today", asks_for=asks_for)) == "date, city"
    assert step_title(0, Ask(text="When?", reply="Today")) == "0 ask"


def test_an_answer_says_where_it_comes_from() -> None:
    assert step_detail(Answer(text="Hello.", answer_type="chat")) == "direct reply"
    assert step_detail(Answer(text="Sunny.")) == "from tool results"


def test_a_long_value_is_cut() -> None:
    detail = step_detail(call("say", text="word " * 40))
    assert detail.endswith("…")
    assert len(detail) == 40


def test_a_drawing_is_told_as_a_list_of_steps_with_what_waits_for_what() -> None:
    shown = task(call("find", city="Oslo"), call("book"), answer(), edges=[(0, 1)])
    words = about_step(shown, None, (0, 1, 2))
    assert words.split(". ") == [
        "3 steps, none selected",
        "Step 0 find; Oslo; round 1; awaited by 1",
        "Step 1 book; no arguments; round 2; waits for 0; awaited by 2",
        "Step 2 answer; from tool results; round 3; waits for 1",
    ]
