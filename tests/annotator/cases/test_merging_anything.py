"""Whatever two people did to a case, nothing of it is lost and the outcome keeps every rule."""

from functools import partial

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from annotator.cases.edits.edge_edits import add_edge, remove_edge, set_edge_kind
from annotator.cases.edits.step_edits import delete_step, insert_step, move_step
from annotator.cases.versions.conflicts import (
    EdgePlace,
    ItemPlace,
    OrderPlace,
    choose_side,
    follow_clashes,
    is_open,
)
from annotator.cases.versions.merge import merge
from scoring.errors import AnnotatorError
from scoring.model.case import Call, Case, content_sha256, dump_case, load_case
from scoring.model.flow import leaves
from scoring.model.graph import check_task
from scoring.model.record import canonical_bytes
from scoring.model.taxonomy import EdgeKind
from tests.annotator.cases.any_edits import edits
from tests.annotator.cases.merging_cases import BASE, Change
from tests.factories import answer, ask, call, case, task

MY_WORDS = st.sampled_from(["mine", "mine, too", "mine again"])


def written(found: Case) -> bytes:
    return canonical_bytes(dump_case(found))


@given(theirs=edits(BASE))
def test_without_edits_of_mine_it_is_their_version(theirs: Case) -> None:
    merged = merge(BASE, BASE, theirs)
    assert (written(merged.case), merged.clashes) == (written(theirs), ())


@given(mine=edits(BASE))
def test_without_edits_of_theirs_it_is_my_version(mine: Case) -> None:
    merged = merge(BASE, mine, load_case(dump_case(BASE)))
    assert (written(merged.case), merged.clashes) == (written(mine), ())


@given(both=edits(BASE))
def test_the_same_edits_on_both_sides_are_made_once(both: Case) -> None:
    merged = merge(BASE, both, load_case(dump_case(both)))
    assert (written(merged.case), merged.clashes) == (written(both), ())


@given(mine=edits(BASE), theirs=edits(BASE))
def test_whatever_two_people_did_the_outcome_is_a_case_that_keeps_every_rule(
    mine: Case, theirs: Case
) -> None:
    merged = merge(BASE, mine, theirs)
    assert load_case(dump_case(merged.case)) == merged.case
    for found in merged.case.tasks:
        check_task(found)
    for clash in merged.clashes:
        assert is_open(merged.case, clash)


def texts(value: JsonValue) -> set[str]:
    return {text for _, text in leaves(value) if isinstance(text, str)}


@given(mine=edits(BASE, words=MY_WORDS), theirs=edits(BASE))
def test_whatever_they_did_every_text_of_mine_is_in_the_outcome_or_asked_about(
    mine: Case, theirs: Case
) -> None:
    merged = merge(BASE, mine, theirs)
    asked = [texts(clash.model_dump(mode="json")) for clash in merged.clashes]
    written_by_me = {text for text in texts(dump_case(mine)) if text.startswith("mine")}
    assert written_by_me <= texts(dump_case(merged.case)).union(*asked)


def marked(number: int) -> Call:
    """A call that is known again for sure, whatever stands around it."""
    return call(f"tool {number}", f"seen {number}", to=f"depot {number}")


MARKED = case(task(*map(marked, range(5)), answer("Told."), edges=[(0, 1), (1, 3), (0, 4)]))


@st.composite
def drawings(draw: st.DrawFn, start: Case, *, with_steps: bool) -> Case:
    """A case of one task in which dependencies were drawn, removed and given another kind.

    With steps some calls were removed and moved too, and questions inserted.
    """
    changed = start
    for _ in range(draw(st.integers(0, 5))):
        ends = st.integers(0, len(changed.tasks[0].steps) - 1)
        source, target = draw(ends), draw(ends)
        options: list[Change] = [
            partial(add_edge, task=0, source=source, target=target),
            partial(remove_edge, task=0, source=source, target=target),
            partial(set_edge_kind, task=0, source=source, target=target, kind=EdgeKind.PARAMETER),
        ]
        if with_steps:
            options += [
                partial(delete_step, task=0, step=source),
                partial(move_step, task=0, step=source, to=target),
                partial(insert_step, task=0, index=source, step=ask("Which?", "That.")),
            ]
        try:
            changed = draw(st.sampled_from(options))(changed)
        except AnnotatorError:
            continue
    return changed


def drawing(found: Case) -> set[tuple[str, str, EdgeKind]]:
    return {
        (source.name, target.name, edge.kind)
        for task_found in found.tasks
        for edge in task_found.drawn_edges
        for source, target in [[task_found.steps[end] for end in edge.pair]]
        if isinstance(source, Call) and isinstance(target, Call)
    }


@given(mine=drawings(MARKED, with_steps=False), theirs=drawings(MARKED, with_steps=True))
def test_whatever_they_did_every_dependency_i_drew_is_in_the_outcome_or_asked_about(
    mine: Case, theirs: Case
) -> None:
    merged = merge(MARKED, mine, theirs)
    asked = set()
    for clash in merged.clashes:
        place = clash.place
        if isinstance(place, EdgePlace) and clash.mine is not None:
            source, target = (merged.case.tasks[place.task].steps[end] for end in place.edge)
            if isinstance(source, Call) and isinstance(target, Call):
                asked.add((source.name, target.name))
    for pair in drawing(mine) - drawing(MARKED):
        assert pair in drawing(merged.case) or pair[:2] in asked


@given(mine=edits(BASE), theirs=edits(BASE))
def test_every_clash_can_be_settled_for_either_side_or_says_why_not(mine: Case, theirs: Case) -> None:
    merged = merge(BASE, mine, theirs)
    for clash in merged.clashes:
        try:
            chosen = choose_side(merged.case, clash, "mine" if clash.stands == "theirs" else "theirs")
        except AnnotatorError:
            continue
        for found in chosen.tasks:
            check_task(found)
        assert clash.place not in {
            one.place for one in follow_clashes([clash], before=merged.case, after=chosen)
        } or isinstance(clash.place, OrderPlace | ItemPlace)


@given(mine=edits(BASE), theirs=edits(BASE))
def test_both_sides_see_clashes_where_one_does(mine: Case, theirs: Case) -> None:
    one, other = merge(BASE, mine, theirs), merge(BASE, theirs, mine)
    assert bool(one.clashes) == bool(other.clashes)


@given(data=st.data(), number=st.integers(0, 2))
def test_edits_of_different_tasks_never_clash_and_it_does_not_matter_whose_they_are(
    data: st.DataObject, number: int
) -> None:
    other = (number + data.draw(st.integers(1, 2))) % 3
    mine, theirs = (data.draw(edits_of_task(BASE, at)) for at in (number, other))
    one, turned = merge(BASE, mine, theirs), merge(BASE, theirs, mine)
    assert (one.clashes, turned.clashes) == ((), ())
    assert content_sha256(one.case) == content_sha256(turned.case)
    assert written(one.case) == written(mine.model_copy(update={"tasks": _with(mine, other, theirs)}))


@st.composite
def edits_of_task(draw: st.DrawFn, start: Case, number: int) -> Case:
    """A case in which one task was edited, and kept."""
    alone = start.model_copy(update={"tasks": (start.tasks[number],)})
    changed = draw(edits(alone).filter(lambda found: len(found.tasks) == 1))
    tasks = (*start.tasks[:number], changed.tasks[0], *start.tasks[number + 1 :])
    return start.model_copy(update={"tasks": tasks})


def _with(mine: Case, number: int, theirs: Case) -> tuple[object, ...]:
    return (*mine.tasks[:number], theirs.tasks[number], *mine.tasks[number + 1 :])
