"""Which tasks are alike, and which orders of two tools a drawn task tells."""

from annotator.drafts.precedents import orders_of, pattern_of
from scoring.model.case import Case, Edge
from scoring.model.labels import labels_of
from scoring.model.taxonomy import EdgeKind
from tests.factories import answer, ask, call, case, task


def with_tools(count: int) -> Case:
    """One task that calls so many different tools, the first before the second."""
    calls = [call(f"tool{number}", {}) for number in range(count)]
    drawn = task(*calls, answer("Done."), user="Do it all.")
    edge = Edge(source=0, target=1, kind=EdgeKind.LOGICAL)
    return case(drawn.model_copy(update={"edges": (edge,)}))


def orders(found: Case) -> dict[tuple[str, str], bool]:
    return orders_of(found, [one.model_copy(update={"drawn": True}) for one in labels_of(found)])


def test_a_task_that_asks_back_is_not_like_one_that_answers() -> None:
    found = call("findParcel", {"depot": "Hamar-7"}, number="P-881")
    asking = task(found, ask("To which depot?", "Gjovik-2"), user="Send it on.")
    answering = task(found, answer("It is in Hamar-7."), user="Where is it?")
    other = task(found, answer("Hamar-7."), user="And where is it now?")
    assert pattern_of(asking) != pattern_of(answering) == pattern_of(other)


def test_a_task_tells_the_orders_of_at_most_forty_tools() -> None:
    told = orders(with_tools(40))
    assert (told["tool0", "tool1"], told["tool0", "tool2"], len(told)) == (True, False, 40 * 39 // 2)
    assert orders(with_tools(41)) == {}
