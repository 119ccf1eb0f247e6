"""A case nobody could find fault with, and the small steps that spoil one thing in it."""

from collections.abc import Callable

from pydantic import JsonValue

from scoring.model.case import Answer, Ask, AskedTool, Call, Case, Task, Tool
from scoring.model.taxonomy import Information, Policy
from tests.factories import call, case, task, tool

TEXT: dict[str, JsonValue] = {"type": "string"}


def clean_tools() -> tuple[Tool, ...]:
    """Three tools about trains."""
    return (
        tool(
            "findTrain",
            required=("origin", "destination", "date"),
            origin=TEXT,
            destination=TEXT,
            date={"type": "string", "description": "Day of travel, YYYY-MM-DD."},
            passengers={"type": "integer", "default": 1},
        ),
        tool(
            "bookTrain",
            required=("trainId",),
            trainId=TEXT,
            seat={"type": "string", "enum": ["window", "aisle"]},
            extras={"type": "object", "properties": {"bikes": {"type": "integer"}}},
        ),
        tool("cancelBooking", required=("bookingId",), bookingId=TEXT),
    )


def clean_case() -> Case:
    """Four tasks of every kind with true labels, drawn dependencies and a source for every value."""
    there = task(
        call(
            "findTrain",
            {"trains": [{"trainId": "RX-881"}]},
            origin="Graz",
            destination="Linz",
            date="2026-03-03",
        ),
        call("bookTrain", {"bookingId": "b-4471"}, trainId="RX-881", seat="window"),
        Answer(text="Booked, your number is b-4471."),
        user="Find a train from Graz to Linz tomorrow and book a window seat.",
        edges=[(0, 1)],
        policy=Policy.MULTI_SERIAL,
        information=Information.FIRST,
    )
    back = task(
        Ask(
            text="On which day?",
            reply="On Thursday.",
            asks_for=(AskedTool(tool_name="findTrain", missing_required_parameters=("date",)),),
        ),
        call("findTrain", {"trains": []}, origin="Linz", destination="Graz", date="2026-03-05"),
        Answer(text="There is no train back that day."),
        user="And is there one back?",
        edges=[(0, 1)],
        policy=Policy.CLARIFY,
        information=Information.OMISSION,
    )
    chat = task(
        Answer(text="Mostly on Sundays.", answer_type="chat"),
        user="Are they ever crowded?",
        policy=Policy.CHAT,
        information=Information.REFERENCE,
    )
    cancelled = task(
        call("cancelBooking", "done", bookingId="b-4471"),
        Answer(text="It is cancelled."),
        user="Then cancel what you booked at the start.",
        policy=Policy.SINGLE,
        information=Information.LONG_RANGE,
    )
    return case(there, back, chat, cancelled, tools=clean_tools(), now="2026-03-02 09:00:00")


def with_task(base: Case, index: int, change: Callable[[Task], Task]) -> Case:
    """The case with one task changed."""
    tasks = (*base.tasks[:index], change(base.tasks[index]), *base.tasks[index + 1 :])
    return base.model_copy(update={"tasks": tasks})


def with_call(base: Case, place: tuple[int, int], **changes: object) -> Case:
    """The case with fields of one call changed, edges left as they are."""
    index, step = place

    def changed(found: Task) -> Task:
        steps = list(found.steps)
        assert isinstance(steps[step], Call)
        steps[step] = steps[step].model_copy(update=changes)
        return found.model_copy(update={"steps": tuple(steps)})

    return with_task(base, index, changed)


def with_arguments(base: Case, place: tuple[int, int], **arguments: JsonValue) -> Case:
    """The case with some arguments of one call set; a null removes the argument."""
    step = base.tasks[place[0]].steps[place[1]]
    assert isinstance(step, Call)
    merged = {**step.arguments, **arguments}
    kept = {name: value for name, value in merged.items() if value is not None}
    return with_call(base, place, arguments=kept)
