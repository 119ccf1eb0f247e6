"""Work of two people on one case brought together: what is taken, what is asked about."""

from functools import partial

import pytest

from annotator.cases.edits.edge_edits import add_edge, remove_edge, set_edge_kind
from annotator.cases.edits.step_edits import delete_step, insert_step, move_step
from annotator.cases.edits.task_edits import delete_task, insert_task
from annotator.cases.edits.text_edits import (
    remove_argument,
    set_answer_text,
    set_argument_value,
    set_ask,
    set_information,
    set_now,
    set_observation,
    set_policy,
    set_tool,
    set_user_text,
)
from annotator.cases.places import with_step, with_task
from annotator.cases.versions.conflicts import (
    Clash,
    ClashPlace,
    EdgePlace,
    FieldPlace,
    ItemPlace,
    OrderPlace,
    SideValue,
    choose_side,
    follow_clashes,
    is_open,
)
from annotator.cases.versions.identity import laid_tasks
from annotator.cases.versions.merge import merge
from scoring.errors import CycleError
from scoring.model.case import dump_case
from scoring.model.graph import check_task
from scoring.model.record import canonical_bytes
from scoring.model.taxonomy import EdgeKind, Information, Policy
from tests.annotator.cases.merging_cases import BASE, Change, text_of
from tests.factories import answer, call, task


def test_what_only_one_side_changed_is_taken_from_that_side() -> None:
    mine = set_answer_text(BASE, 0, text="Mine.")
    theirs = set_user_text(BASE, 1, text="Theirs.")
    merged = merge(BASE, mine, theirs)
    assert merged.clashes == ()
    assert merged.case == set_user_text(mine, 1, text="Theirs.")


def test_two_arguments_of_one_call_are_two_places() -> None:
    mine = set_argument_value(BASE, 0, step=1, path="/depot", value="Oslo")
    theirs = set_argument_value(BASE, 0, step=1, path="/days", value=3)
    merged = merge(BASE, mine, theirs)
    assert merged.clashes == ()
    assert merged.case.tasks[0].calls[1][1].arguments == {"depot": "Oslo", "days": 3}


def test_one_argument_that_both_changed_is_a_clash_in_which_mine_stands() -> None:
    mine = set_argument_value(BASE, 0, step=1, path="/days", value=3)
    theirs = set_argument_value(BASE, 0, step=1, path="/days", value=4)
    merged = merge(BASE, mine, theirs)
    assert merged.clashes == (
        Clash(
            place=FieldPlace(field="arguments", task=0, step=1, path="/days"),
            mine=SideValue(value=3),
            theirs=SideValue(value=4),
        ),
    )
    assert merged.case == mine


def test_what_both_changed_alike_is_no_clash() -> None:
    both = set_user_text(BASE, 1, text="The same.")
    merged = merge(BASE, both, both.model_copy())
    assert (merged.case, merged.clashes) == (both, ())


def test_one_and_true_are_not_the_same() -> None:
    mine = set_argument_value(BASE, 0, step=1, path="/days", value=1)
    theirs = set_argument_value(BASE, 0, step=1, path="/days", value=True)
    assert len(merge(BASE, mine, theirs).clashes) == 1


def test_a_step_i_inserted_moves_what_they_changed_behind_it() -> None:
    mine = insert_step(BASE, 0, index=0, step=call("tell", to="you"))
    theirs = set_argument_value(BASE, 0, step=1, path="/days", value=9)
    merged = merge(BASE, mine, theirs)
    assert merged.clashes == ()
    assert merged.case == set_argument_value(mine, 0, step=2, path="/days", value=9)
    assert [edge.pair for edge in merged.case.tasks[0].drawn_edges] == [(1, 2)]


def test_steps_that_both_inserted_are_all_there() -> None:
    mine = insert_step(BASE, 0, index=1, step=call("tell", to="A"))
    theirs = insert_step(BASE, 0, index=1, step=call("tell", to="B"))
    merged = merge(BASE, mine, theirs)
    assert merged.clashes == ()
    assert {step.arguments["to"] for _, step in merged.case.tasks[0].calls if step.name == "tell"} == {
        "A",
        "B",
        "me",
    }


def test_a_step_that_they_removed_and_i_left_alone_is_gone_with_its_edges() -> None:
    mine = set_user_text(BASE, 0, text="Mine.")
    merged = merge(BASE, mine, delete_step(BASE, 0, step=1))
    assert merged.clashes == ()
    assert merged.case == delete_step(mine, 0, step=1)


@pytest.mark.parametrize("is_mine", [True, False])
@pytest.mark.parametrize(
    "draw",
    [
        partial(add_edge, task=0, source=1, target=2),
        partial(add_edge, task=0, source=0, target=2),
        partial(set_edge_kind, task=0, source=0, target=1, kind=EdgeKind.PARAMETER),
    ],
)
def test_a_dependency_drawn_at_a_step_that_the_other_side_removed_stays_and_the_step_is_asked_about(
    draw: Change, *, is_mine: bool
) -> None:
    drawn = draw(BASE)
    gone = 2 if drawn.tasks[0].drawn_edges[-1].target == 2 else 1
    removed = delete_step(BASE, 0, step=gone)
    mine, theirs = (drawn, removed) if is_mine else (removed, drawn)
    merged = merge(BASE, mine, theirs)
    (clash,) = merged.clashes
    assert clash.place == ItemPlace(task=0, step=gone)
    assert clash.stands == ("mine" if is_mine else "theirs")
    assert merged.case == drawn
    chosen = choose_side(merged.case, clash, "theirs" if is_mine else "mine")
    assert chosen == delete_step(drawn, 0, step=gone)


def test_a_dependency_between_a_step_of_mine_and_one_that_they_removed_is_asked_about() -> None:
    mine = insert_step(BASE, 0, index=3, step=call("tell", to="you"))
    mine = add_edge(mine, 0, source=2, target=3)
    merged = merge(BASE, mine, delete_step(BASE, 0, step=2))
    assert [clash.place for clash in merged.clashes] == [ItemPlace(task=0, step=2)]
    assert merged.case == mine


def test_a_dependency_that_i_removed_from_a_step_that_they_removed_is_gone_with_it() -> None:
    mine, theirs = remove_edge(BASE, 0, source=0, target=1), delete_step(BASE, 0, step=1)
    merged = merge(BASE, mine, theirs)
    assert merged.clashes == ()
    assert merged.case == theirs


@pytest.mark.parametrize("is_mine", [True, False])
def test_a_step_that_one_side_removed_and_the_other_changed_stays_and_is_asked_about(
    *, is_mine: bool
) -> None:
    changed, removed = (
        set_argument_value(BASE, 0, step=1, path="/days", value=9),
        delete_step(BASE, 0, step=1),
    )
    mine, theirs = (changed, removed) if is_mine else (removed, changed)
    merged = merge(BASE, mine, theirs)
    (clash,) = merged.clashes
    assert clash.place == ItemPlace(task=0, step=1)
    assert clash.stands == ("mine" if is_mine else "theirs")
    assert merged.case == changed
    assert choose_side(merged.case, clash, "theirs" if is_mine else "mine") == removed


def test_a_step_that_one_moved_and_the_other_changed_is_changed_where_it_is_now() -> None:
    mine = move_step(BASE, 0, step=2, to=0)
    theirs = set_argument_value(BASE, 0, step=2, path="/to", value="you")
    merged = merge(BASE, mine, theirs)
    assert merged.clashes == ()
    assert merged.case == set_argument_value(mine, 0, step=0, path="/to", value="you")


def test_steps_that_both_moved_keep_my_order_and_theirs_can_be_chosen() -> None:
    mine, theirs = move_step(BASE, 0, step=2, to=0), move_step(BASE, 0, step=0, to=1)
    merged = merge(BASE, mine, theirs)
    (clash,) = merged.clashes
    assert clash.place == OrderPlace(task=0)
    assert merged.case == mine
    chosen = choose_side(merged.case, clash, "theirs")
    assert [step.name for _, step in chosen.tasks[0].calls] == ["route", "find", "tell"]
    assert is_open(merged.case, clash)
    assert not is_open(delete_step(merged.case, 0, step=0), clash)  # an order of other steps


def test_dependencies_of_both_sides_are_drawn_and_removed() -> None:
    mine, theirs = remove_edge(BASE, 0, source=0, target=1), add_edge(BASE, 0, source=1, target=2)
    merged = merge(BASE, mine, theirs)
    assert merged.clashes == ()
    assert [edge.pair for edge in merged.case.tasks[0].drawn_edges] == [(1, 2)]
    check_task(merged.case.tasks[0])


def test_a_dependency_of_two_kinds_is_a_clash() -> None:
    mine = set_edge_kind(BASE, 0, source=0, target=1, kind=EdgeKind.PARAMETER)
    theirs = remove_edge(BASE, 0, source=0, target=1)
    merged = merge(BASE, mine, theirs)
    (clash,) = merged.clashes
    assert clash == Clash(place=EdgePlace(task=0, edge=(0, 1)), mine=SideValue(value="parameter"))
    assert choose_side(merged.case, clash, "theirs") == theirs


def test_dependencies_that_run_in_a_circle_only_together_are_a_clash_and_mine_stands() -> None:
    mine, theirs = add_edge(BASE, 0, source=1, target=2), add_edge(BASE, 0, source=2, target=0)
    merged = merge(BASE, mine, theirs)
    (clash,) = merged.clashes
    assert (clash.place, clash.mine) == (EdgePlace(task=0, edge=(2, 0)), None)
    assert merged.case == mine
    with pytest.raises(CycleError):
        choose_side(merged.case, clash, "theirs")


def test_two_answers_become_one_clash() -> None:
    bare = delete_step(BASE, 2, step=0)
    mine, theirs = set_answer_text(bare, 2, text="A"), set_answer_text(bare, 2, text="B")
    merged = merge(bare, mine, theirs)
    (clash,) = merged.clashes
    assert clash == Clash(
        place=FieldPlace(field="text", task=2, step=0), mine=SideValue(value="A"), theirs=SideValue(value="B")
    )
    assert len(merged.case.tasks[2].steps) == 1


def test_an_answer_stays_behind_the_steps_the_other_side_added() -> None:
    bare = delete_step(BASE, 0, step=3)
    mine = set_answer_text(bare, 0, text="A")
    theirs = insert_step(bare, 0, index=3, step=call("tell", to="B"))
    merged = merge(bare, mine, theirs)
    assert merged.clashes == ()
    assert merged.case.tasks[0].answer_index == 4


def test_tasks_that_each_side_removed_leave_one_to_decide_about() -> None:
    two = delete_task(BASE, 2)
    merged = merge(two, delete_task(two, 0), delete_task(two, 1))
    assert [clash.place for clash in merged.clashes] == [ItemPlace(task=0)]
    assert [text_of(merged.case, 0)] == ["And now elsewhere."]


def test_an_inserted_task_leaves_what_the_other_side_said_with_its_task() -> None:
    mine = insert_task(BASE, 1, task=task(answer("New."), user="Something new."))
    theirs = set_information(BASE, 1, information=Information.LONG_RANGE)
    merged = merge(BASE, mine, theirs)
    assert merged.clashes == ()
    assert merged.case == set_information(mine, 2, information=Information.LONG_RANGE)


@pytest.mark.parametrize(
    ("field", "mine", "theirs"),
    [
        ("user", partial(set_user_text, task=0, text="A"), partial(set_user_text, task=0, text="B")),
        (
            "policy",
            partial(set_policy, task=0, policy=Policy.SINGLE),
            partial(set_policy, task=0, policy=None),
        ),
        (
            "information",
            partial(set_information, task=0, information=Information.FIRST),
            partial(set_information, task=0, information=Information.OMISSION),
        ),
        ("now", partial(set_now, raw="2027-01-01", task=0), partial(set_now, raw="2028-01-01", task=0)),
        ("now", partial(set_now, raw="2027-01-01"), partial(set_now, raw=None)),
        ("reply", partial(set_ask, task=1, step=0, reply="A"), partial(set_ask, task=1, step=0, reply="B")),
        ("text", partial(set_answer_text, task=1, text="A"), partial(set_answer_text, task=1, text="B")),
        (
            "observation",
            partial(set_observation, task=0, step=0, observation=[1]),
            partial(set_observation, task=0, step=0, observation={"depot": None}),
        ),
        (
            "name",
            partial(set_tool, task=0, step=2, name="find"),
            partial(set_tool, task=0, step=2, name="route"),
        ),
        (
            "arguments",
            partial(set_argument_value, task=0, step=0, path="/note", value="A"),
            partial(remove_argument, task=0, step=0, path="/note"),
        ),
        (
            "language",
            lambda found: found.model_copy(update={"language": "zh"}),
            lambda found: found.model_copy(update={"language": "nb"}),
        ),
    ],
)
def test_a_field_that_both_changed_can_be_settled_for_either_side(
    field: str, mine: Change, theirs: Change
) -> None:
    merged = merge(BASE, mine(BASE), theirs(BASE))
    assert [getattr(clash.place, "field", "") for clash in merged.clashes] == [field]
    assert merged.case == mine(BASE)
    chosen = choose_side(merged.case, merged.clashes[0], "theirs")
    assert canonical_bytes(dump_case(chosen)) == canonical_bytes(dump_case(theirs(BASE)))
    assert not is_open(chosen, merged.clashes[0])


def test_a_clash_follows_its_step_and_is_settled_by_an_edit_of_its_place() -> None:
    mine = set_argument_value(BASE, 0, step=1, path="/days", value=3)
    theirs = set_argument_value(BASE, 0, step=1, path="/days", value=4)
    merged = merge(BASE, mine, theirs)
    later = insert_step(merged.case, 0, index=0, step=call("tell", to="you"))
    (clash,) = follow_clashes(merged.clashes, before=merged.case, after=later)
    assert clash.place == FieldPlace(field="arguments", task=0, step=2, path="/days")
    other = set_argument_value(later, 0, step=2, path="/depot", value="Oslo")
    assert follow_clashes((clash,), before=later, after=other) == (clash,)
    edited = set_argument_value(other, 0, step=2, path="/days", value=5)
    assert follow_clashes((clash,), before=other, after=edited) == ()


def test_a_clash_about_a_dependency_follows_both_of_its_ends_and_goes_with_one() -> None:
    mine = set_edge_kind(BASE, 0, source=0, target=1, kind=EdgeKind.PARAMETER)
    merged = merge(BASE, mine, remove_edge(BASE, 0, source=0, target=1))
    later = insert_step(merged.case, 0, index=0, step=call("tell", to="you"))
    (clash,) = follow_clashes(merged.clashes, before=merged.case, after=later)
    assert clash.place == EdgePlace(task=0, edge=(1, 2))
    gone = delete_step(merged.case, 0, step=1)
    assert follow_clashes(merged.clashes, before=merged.case, after=gone) == ()


def test_a_task_is_known_again_by_its_request_rather_than_by_the_names_of_its_calls() -> None:
    asked = task(call("find", number="P-1"), answer("Done."), user="Where is P-1?")
    routed = task(call("route", depot="Hamar"), answer("Done."), user="Send it to Hamar.")
    mixed = task(call("route", depot="Oslo"), answer("Done."), user="Where is P-1?")
    laid = laid_tasks(((asked, routed), (mixed,), (asked, routed)))
    # 0.05 + 0.5 + 0.3 / 2 for the request and the answer against
    # 0.05 + 0.3 / 2 + 0.1 for the names and the answer.
    assert [(slot.base, slot.mine, slot.theirs) for slot in laid.slots] == [(0, 0, 0)]


def test_a_plan_and_a_thought_before_the_answer_are_merged_like_any_field() -> None:
    first = BASE.tasks[0]
    place, said = first.answer_index, first.answer
    assert place is not None
    assert said is not None
    thinking = said.model_copy(update={"thought": "All is known."})
    mine = with_task(BASE, 0, changed=first.model_copy(update={"plan": "Look, then say."}))
    theirs = with_step(BASE, 0, step=place, changed=thinking)
    merged = merge(BASE, mine, theirs)
    assert merged.clashes == ()
    assert merged.case == with_step(mine, 0, step=place, changed=thinking)
    other = with_task(BASE, 0, changed=first.model_copy(update={"plan": "Say it."}))
    (clash,) = merge(BASE, mine, other).clashes
    assert clash == Clash(
        place=FieldPlace(field="plan", task=0),
        mine=SideValue(value="Look, then say."),
        theirs=SideValue(value="Say it."),
    )


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ('"field":"now","task":null,"step":null,"path":"","edge":null', FieldPlace(field="now")),
        (
            '"field":"arguments","task":0,"step":1,"path":"/days","edge":null',
            FieldPlace(field="arguments", task=0, step=1, path="/days"),
        ),
        ('"field":"task","task":2,"step":null,"path":"","edge":null', ItemPlace(task=2)),
        ('"field":"step","task":2,"step":1,"path":"","edge":null', ItemPlace(task=2, step=1)),
        ('"field":"edge","task":1,"step":null,"path":"","edge":[0,1]', EdgePlace(task=1, edge=(0, 1))),
        ('"field":"order","task":null,"step":null,"path":"","edge":null', OrderPlace()),
    ],
)
def test_a_clash_of_an_earlier_draft_is_read(said: str, place: ClashPlace) -> None:
    sides = '"mine":{"value":3},"theirs":null,"stands":"theirs"'
    clash = Clash.model_validate_json(f"{{{said},{sides}}}")
    assert clash == Clash(place=place, mine=SideValue(value=3), stands="theirs")
    assert Clash.model_validate_json(clash.model_dump_json()) == clash
