"""Our own lines: strict about what they hold, complete in what they say (formats 10.2)."""

import json

import pytest
from pydantic import JsonValue

from scoring.errors import InputError
from scoring.formats import native
from scoring.model.case import Case
from scoring.model.record import JsonObject
from tests.factories import answer, ask, call, case, task, tool

STEPS: list[JsonValue] = [
    {"kind": "call", "name": "getForecast", "arguments": {"city": "Oslo"}, "observation": {"w": "sunny"}},
    {"kind": "answer", "text": "Sunny."},
]


def line(**fields: JsonValue) -> JsonObject:
    """The shortest line with two steps, and fields of its task."""
    head: JsonObject = {"format": "annotator-case", "version": 1, "id": "c-1"}
    body: JsonObject = {"user": "Weather?", "steps": STEPS}
    return head | {"tasks": [body | fields]}


def decoded(record: JsonObject) -> Case:
    """The case of a native line."""
    return native.decode(record, file="n.jsonl", line=1)


def test_what_may_be_left_out_gets_its_default_and_is_spelt_out() -> None:
    written = native.encode(decoded(line()))
    assert list(written) == [
        *("format", "version", "id", "language", "now", "tools", "tasks", "source", "extras"),
    ]
    assert written["language"] == "en"
    assert decoded(written) == decoded(line())


def test_a_case_survives_a_trip_through_a_file() -> None:
    told = case(
        task(ask(), call(city="Oslo", n=10**30), answer(), edges=[(0, 1)]), tools=[tool()], now="2024-07-11"
    )
    assert decoded(json.loads(json.dumps(native.encode(told)))) == told


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (line() | {"version": 2}, "has version 2, this program reads up to 1. Upgrade annotator"),
        (line() | {"version": "1"}, "version is a text"),
        (line() | {"version": True}, "version is true"),
        ({"format": "annotator-case", "version": 1, "id": "x"}, "tasks is missing"),
        (line() | {"tasks": []}, "tasks is a list; at least one item is expected"),
        (line() | {"tools": None}, "tools is null; a list is expected"),
        (line(colour="red") | {"tools": ["Oslo"]}, r"tools\[0\]"),
        (
            line() | {"colour": "red"},
            "colour is not a field of this format; unknown keys belong under extras",
        ),
        (line(colour="red"), r"tasks\[0\].colour is not a field"),
        (line(user=None), r"tasks\[0\].user is null; a text is expected"),
        (line(policy="many"), 'policy is "many"; .* is expected'),
        (line(now={"raw": "noon", "at": "noon"}), r"tasks\[0\].now.at is 'noon', which is not a time"),
        (line() | {"now": {"raw": "", "at": "2024-07-11T10:00:00Z"}}, "now.at has a time zone"),
        (line(steps=[{"kind": "dance"}]), r"tasks\[0\].steps\[0\].kind is none of call, ask, answer"),
        (line(steps=[{"kind": "call", "name": "a"}]), r"tasks\[0\].steps\[0\].arguments is missing"),
        (line(steps=[STEPS[1], STEPS[1]]), r"tasks\[0\] has 2 answers \(steps 0, 1\)"),
        (line(edges=[{"from": 0, "to": 0}]), "Step 0 cannot depend on itself"),
        (line(edges=[{"from": 0, "to": 5, "kind": "logical"}]), "Dependency on step 5"),
        (
            line(edges=[{"from": "0", "to": 1, "kind": "derived"}]),
            r"from is a text; a whole number is expected",
        ),
        (line(edges=[{"from": 0, "to": 1}]), r"edges\[0\] has the kind logical; derived is expected"),
        (
            line(edges=[{"from": 0, "to": 1, "kind": "derived"}] * 2),
            r"edges\[1\] repeats the dependency 0 -> 1",
        ),
        (line() | {"tools": [{"function": {}}]}, r"tools\[0\]: a tool needs a name"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(record: JsonObject, said: str) -> None:
    with pytest.raises(InputError, match=said):
        decoded(record)


def test_a_cyclic_case_is_refused_with_its_circle() -> None:
    steps = [STEPS[0], STEPS[0]]
    edges: list[JsonValue] = [{"from": 0, "to": 1}, {"from": 1, "to": 0}]
    with pytest.raises(InputError, match=r"tasks\[0\]: The dependencies run in a circle"):
        decoded(line(steps=steps, edges=edges))


def test_where_a_case_came_from_stays() -> None:
    told = decoded(line() | {"source": {"format": "c3", "file": "x.jsonl", "line": 3}})
    assert told.source is not None
    assert (told.source.format, told.source.line) == ("c3", 3)
