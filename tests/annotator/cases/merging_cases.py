"""The case that tests of merging begin with."""

from collections.abc import Callable

from scoring.model.case import Case
from scoring.model.taxonomy import Policy
from tests.factories import answer, ask, call, case, task, tool

Change = Callable[[Case], Case]

BASE = case(
    task(
        call("find", {"depot": "Hamar"}, number="P-1", note="mild"),
        call("route", {"ok": True}, depot="Hamar", days=2),
        call("tell", "sent", to="me"),
        answer("It is on its way."),
        user="Where is P-1?",
        edges=[(0, 1)],
        policy=Policy.MULTI_MIXED,
    ),
    task(ask("To which depot?", "Gjovik"), answer("It is done."), user="And now elsewhere."),
    task(answer("You are welcome."), user="Thanks."),
    tools=[tool("find"), tool("route"), tool("tell")],
    now="2026-11-20",
)


def text_of(found: Case, number: int) -> str:
    return found.tasks[number].user
