"""Steps move and their dependencies follow; no sequence of edits breaks a graph."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.cases.edits.edge_edits import add_edge, redraw_answer, remove_edge, set_edge_kind
from annotator.cases.edits.step_edits import (
    delete_step,
    duplicate_step,
    insert_step,
    merge_steps,
    move_step,
    split_step,
)
from annotator.cases.edits.task_edits import delete_task, insert_task, merge_tasks, move_task, split_task
from annotator.cases.edits.text_edits import set_answer_text
from scoring.errors import AnnotatorError, CycleError, GraphError, InputError
from scoring.model.case import Answer, Ask, AskedTool, Case, Edge, Task, content_of, dump_case, load_case
from scoring.model.graph import check_task
from scoring.model.taxonomy import EdgeKind, Policy
from tests.annotator.cases.clean import clean_case, with_task
from tests.factories import answer, ask, call, case, task


def chain() -> Case:
    """Three calls, the last two after the first, and an answer."""
    return case(task(call("a"), call("b"), call("c"), answer(), edges=[(0, 1), (0, 2)]))


def drawn(found: Case, index: int = 0) -> list[tuple[int, int]]:
    return [edge.pair for edge in found.tasks[index].drawn_edges]


def derived(found: Case, index: int = 0) -> list[tuple[int, int]]:
    return [edge.pair for edge in found.tasks[index].edges if edge.kind is EdgeKind.DERIVED]


def names(found: Case, index: int = 0) -> list[str]:
    return [getattr(step, "name", step.kind) for step in found.tasks[index].steps]


def test_an_inserted_step_shifts_the_edges_behind_it() -> None:
    found = insert_step(chain(), 0, index=1, step=call("new"))
    assert names(found) == ["a", "new", "b", "c", "answer"]
    assert (drawn(found), derived(found)) == ([(0, 2), (0, 3)], [(1, 4), (2, 4), (3, 4)])


def test_a_step_cannot_stand_behind_the_answer() -> None:
    with pytest.raises(GraphError, match="nothing can follow"):
        insert_step(chain(), 0, index=4, step=call("late"))


def test_a_second_answer_is_refused() -> None:
    with pytest.raises(GraphError, match="one answer"):
        insert_step(chain(), 0, index=3, step=answer())


def test_an_inserted_step_was_recorded_nowhere() -> None:
    recorded = call("new").model_copy(update={"recorded_round": 7})
    assert insert_step(chain(), 0, index=0, step=recorded).tasks[0].steps[0].recorded_round is None


def test_a_copy_waits_for_what_the_original_waits_for() -> None:
    found = duplicate_step(chain(), 0, step=1)
    assert names(found) == ["a", "b", "b", "c", "answer"]
    assert drawn(found) == [(0, 1), (0, 2), (0, 3)]


def test_the_answer_cannot_be_copied() -> None:
    with pytest.raises(InputError):
        duplicate_step(chain(), 0, step=3)


def test_a_deleted_step_takes_its_edges_along_without_bridging_them() -> None:
    line = case(task(call("a"), call("b"), call("c"), answer(), edges=[(0, 1), (1, 2)]))
    found = delete_step(line, 0, step=1)
    assert (names(found), drawn(found), derived(found)) == (["a", "c", "answer"], [], [(0, 2), (1, 2)])


def test_a_task_may_lose_its_answer_and_its_last_step() -> None:
    bare = case(task(answer()))
    assert delete_step(bare, 0, step=0).tasks[0].steps == ()


def test_a_moved_step_keeps_its_dependencies() -> None:
    found = move_step(chain(), 0, step=2, to=0)
    assert names(found) == ["c", "a", "b", "answer"]
    assert drawn(found) == [(1, 0), (1, 2)]


def test_the_answer_cannot_be_moved_up() -> None:
    with pytest.raises(GraphError, match="nothing can follow"):
        move_step(chain(), 0, step=3, to=1)


def test_a_file_whose_answer_is_not_last_can_still_be_edited() -> None:
    early = Task(user="Go.", steps=(answer(), call("a"), call("b")))
    found = move_step(case(early), 0, step=1, to=2)
    assert names(found) == ["answer", "b", "a"]


def two_questions() -> Case:
    asked = AskedTool(tool_name="getForecast", missing_required_parameters=("city",))
    first = Ask(text="Which city? Which day?", reply="Graz. Friday.", asks_for=(asked,))
    return case(task(first, call(), answer(), edges=[(0, 1)], policy=Policy.CLARIFY))


def test_a_question_splits_into_two_in_a_row() -> None:
    found = split_step(two_questions(), 0, step=0, text_at=11, reply_at=5)
    first, second = found.tasks[0].steps[:2]
    assert isinstance(first, Ask)
    assert isinstance(second, Ask)
    assert (first.text, first.reply) == ("Which city?", "Graz.")
    assert (second.text, second.reply) == ("Which day?", "Friday.")
    assert drawn(found) == [(0, 1), (1, 2)]


def test_merging_what_was_split_restores_the_case() -> None:
    apart = split_step(two_questions(), 0, step=0, text_at=11, reply_at=5)
    assert merge_steps(apart, 0, step=0) == two_questions()


def test_merged_questions_ask_for_the_parameters_of_both() -> None:
    def asking(tool_name: str, *parameters: str) -> Ask:
        asked = AskedTool(tool_name=tool_name, missing_required_parameters=parameters)
        return Ask(text="Which?", reply="This.", asks_for=(asked,))

    apart = case(
        task(asking("getForecast", "city"), asking("getForecast", "day", "city"), call(), answer()),
        task(asking("getForecast", "city"), asking("bookRoom", "hotel"), call(), answer()),
    )
    of_one, of_two = (merge_steps(apart, t, step=0).tasks[t].steps[0] for t in (0, 1))
    assert isinstance(of_one, Ask)
    assert isinstance(of_two, Ask)
    assert of_one.asks_for == (
        AskedTool(tool_name="getForecast", missing_required_parameters=("city", "day")),
    )
    assert of_two.asks_for == (
        AskedTool(tool_name="getForecast", missing_required_parameters=("city",)),
        AskedTool(tool_name="bookRoom", missing_required_parameters=("hotel",)),
    )


@pytest.mark.parametrize("at", [0, 99, -3])
def test_a_cut_that_leaves_a_question_empty_is_refused(at: int) -> None:
    with pytest.raises(InputError):
        split_step(two_questions(), 0, step=0, text_at=at, reply_at=0)


def test_calls_are_neither_split_nor_merged() -> None:
    with pytest.raises(InputError):
        split_step(chain(), 0, step=0, text_at=1, reply_at=1)
    with pytest.raises(InputError):
        merge_steps(chain(), 0, step=0)


def test_questions_with_a_step_between_them_cannot_be_merged() -> None:
    apart = case(task(ask(), ask(), call(), answer(), edges=[(0, 2), (2, 1)]))
    with pytest.raises(CycleError):
        merge_steps(apart, 0, step=0)


def test_a_drawn_edge_gets_its_kind_from_the_value_that_flows() -> None:
    flowing = case(task(call("a", {"id": "K-77123"}), call("b", x="K-77123"), call("c"), answer()))
    found = add_edge(add_edge(flowing, 0, source=0, target=1), 0, source=0, target=2)
    assert [edge.kind for edge in found.tasks[0].drawn_edges] == [EdgeKind.PARAMETER, EdgeKind.LOGICAL]


def test_drawing_an_edge_redraws_the_answer() -> None:
    found = add_edge(chain(), 0, source=1, target=2)
    assert derived(found) == [(2, 3)]


def test_an_edge_that_closes_a_circle_is_refused_with_the_circle() -> None:
    with pytest.raises(CycleError) as caught:
        add_edge(chain(), 0, source=2, target=0)
    assert caught.value.cycle == (2, 0, 2)


def test_removing_an_edge_redraws_the_answer() -> None:
    found = remove_edge(chain(), 0, source=0, target=2)
    assert (drawn(found), derived(found)) == ([(0, 1)], [(1, 3), (2, 3)])


def test_an_edge_at_the_answer_cannot_be_removed_by_hand() -> None:
    with pytest.raises(InputError):
        remove_edge(chain(), 0, source=2, target=3)


def test_the_kind_of_an_edge_changes_alone() -> None:
    found = set_edge_kind(chain(), 0, source=0, target=1, kind=EdgeKind.PARAMETER)
    assert [edge.kind for edge in found.tasks[0].drawn_edges] == [EdgeKind.PARAMETER, EdgeKind.LOGICAL]
    assert derived(found) == derived(chain())


def test_a_drawn_edge_cannot_be_derived() -> None:
    with pytest.raises(InputError):
        set_edge_kind(chain(), 0, source=0, target=1, kind=EdgeKind.DERIVED)


def test_removing_an_edge_that_was_added_restores_the_drawing() -> None:
    once = add_edge(chain(), 0, source=1, target=2)
    assert drawn(once) == [(0, 1), (0, 2), (1, 2)]
    assert remove_edge(once, 0, source=1, target=2) == chain()


def test_the_answer_of_a_file_can_be_redrawn() -> None:
    early = with_task(chain(), 0, lambda t: t.model_copy(update={"edges": t.drawn_edges}))
    assert redraw_answer(early, 0) == chain()


def test_a_task_is_inserted_empty_and_deleted_again() -> None:
    found = insert_task(clean_case(), 2)
    assert found.tasks[2] == Task(user="")
    assert delete_task(found, 2) == clean_case()


def test_the_only_task_cannot_be_deleted() -> None:
    with pytest.raises(InputError):
        delete_task(chain(), 0)


def test_a_task_with_a_circle_is_not_inserted() -> None:
    circle = Task(
        user="x", steps=(call(), call()), edges=(Edge(source=0, target=1), Edge(source=1, target=0))
    )
    with pytest.raises(GraphError):
        insert_task(chain(), 0, task=circle)


def test_a_moved_task_stands_at_its_new_place() -> None:
    found = move_task(clean_case(), 0, to=2)
    assert [t.user for t in found.tasks] == [clean_case().tasks[i].user for i in (1, 2, 0, 3)]


def test_a_task_splits_at_a_question_into_answer_and_request() -> None:
    base = case(task(call("a"), ask("For when?", "Friday"), call("b"), answer(), edges=[(0, 1), (1, 2)]))
    found = split_task(base, 0, step=1)
    assert (names(found, 0), names(found, 1)) == (["a", "answer"], ["b", "answer"])
    assert (found.tasks[0].answer, found.tasks[1].user) == (Answer(text="For when?"), "Friday")


def test_merging_split_tasks_restores_steps_and_edges() -> None:
    base = case(task(call("a"), ask("For when?", "Friday"), call("b"), answer(), edges=[(0, 1), (1, 2)]))
    merged = merge_tasks(split_task(base, 0, step=1), 0)
    whole = base.tasks[0]
    bare = whole.steps[1].model_copy(update={"asks_for": ()})
    assert merged.tasks == (whole.model_copy(update={"steps": (whole.steps[0], bare, *whole.steps[2:])}),)


def test_a_task_splits_at_a_call_and_drops_the_edges_across() -> None:
    found = split_task(chain(), 0, step=2)
    assert (names(found, 0), names(found, 1)) == (["a", "b"], ["c", "answer"])
    assert (drawn(found, 0), drawn(found, 1), found.tasks[1].user) == ([(0, 1)], [], "")


def test_a_task_does_not_split_at_its_first_call() -> None:
    with pytest.raises(InputError):
        split_task(chain(), 0, step=0)


def test_tasks_without_an_answer_between_them_merge_their_requests() -> None:
    base = case(task(call("a"), user="First."), task(call("b"), answer(), user="Second."))
    found = merge_tasks(base, 0).tasks[0]
    assert (found.user, [step.kind for step in found.steps]) == (
        "First.\nSecond.",
        ["call", "call", "answer"],
    )


EDITS = st.sampled_from(
    [
        lambda c, t, i, j: insert_step(c, t, index=i, step=call("new")),
        lambda c, t, i, j: insert_step(c, t, index=i, step=ask()),
        lambda c, t, i, j: duplicate_step(c, t, step=i),
        lambda c, t, i, j: delete_step(c, t, step=i),
        lambda c, t, i, j: move_step(c, t, step=i, to=j),
        lambda c, t, i, j: split_step(c, t, step=i, text_at=4, reply_at=2),
        lambda c, t, i, j: merge_steps(c, t, step=i),
        lambda c, t, i, j: add_edge(c, t, source=i, target=j),
        lambda c, t, i, j: remove_edge(c, t, source=i, target=j),
        lambda c, t, i, j: set_answer_text(c, t, text="Done."),
        lambda c, t, i, j: insert_task(c, i),
        lambda c, t, i, j: delete_task(c, t),
        lambda c, t, i, j: move_task(c, t, to=j),
        lambda c, t, i, j: split_task(c, t, step=i),
        lambda c, t, i, j: merge_tasks(c, t),
    ]
)
NUMBERS = st.integers(0, 5)


@settings(max_examples=150)
@given(st.lists(st.tuples(EDITS, NUMBERS, NUMBERS, NUMBERS), max_size=25))
def test_no_sequence_of_edits_breaks_a_case(edits: list[tuple[object, int, int, int]]) -> None:
    found = clean_case()
    for edit, t, i, j in edits:
        try:
            found = edit(found, t, i, j)  # type: ignore[operator]
        except AnnotatorError:
            continue
        for whole in found.tasks:
            check_task(whole)
            assert whole.answer_index in (None, len(whole.steps) - 1)
        assert load_case(dump_case(found)) == found


@given(st.integers(0, 3), st.integers(0, 3))
def test_deleting_an_inserted_step_restores_the_content(t: int, index: int) -> None:
    before = clean_case()
    if index >= len(before.tasks[t].steps):
        return
    inserted = insert_step(before, t, index=index, step=call("new"))
    assert content_of(delete_step(inserted, t, step=index)) == content_of(before)
