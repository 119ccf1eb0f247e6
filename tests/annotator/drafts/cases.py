"""Cases and judgments the tests of drafts and of the desk share."""

from scoring.model.case import Call, Case
from scoring.model.labels import Citation, Judgment, labels_of
from scoring.model.taxonomy import Information, Policy, SourceMark
from tests.factories import answer, ask, call, case, task, tool


def parcel_case() -> Case:
    """Two tasks: find a parcel and reroute it, then ask for a day and book it."""
    find = tool("findParcel", number={"type": "string"}, required=["number"])
    route = tool("reroute", depot={"type": "string"}, days={"type": "integer"}, required=["depot"])
    return case(
        task(
            call("findParcel", {"depot": "Hamar-7"}, number="P-881"),
            call("reroute", {"ok": True}, depot="Hamar-7"),
            answer("It goes on from Hamar-7."),
            user="Send my parcel P-881 on from wherever it is.",
            edges=[(0, 1)],
            policy=Policy.MULTI_SERIAL,
            information=Information.FIRST,
        ),
        task(
            ask("To which depot?", "Gjovik-2"),
            call("reroute", {"ok": True}, depot="Gjovik-2"),
            answer("It is done."),
            user="And now somewhere else.",
            edges=[(0, 1)],
            policy=Policy.CLARIFY,
            information=Information.OMISSION,
        ),
        tools=[find, route],
    )


def judgment_of(shown: Case, *, is_drawn: bool = True) -> Judgment:
    """A judgment that says nothing but the case's own labels, and that its tasks are drawn."""
    tasks = tuple(
        labels if labels.drawn is None else labels.model_copy(update={"drawn": is_drawn})
        for labels in labels_of(shown)
    )
    return Judgment(tasks=tasks)


def mark(task: int, step: int, path: str, source: SourceMark = SourceMark.WORLD) -> Citation:
    """A value marked by a person."""
    return Citation(task=task, step=step, path=path, source=source)


def call_at(found: Case, task: int, step: int) -> Call:
    """A call of a case."""
    step_found = found.tasks[task].steps[step]
    assert isinstance(step_found, Call)
    return step_found
