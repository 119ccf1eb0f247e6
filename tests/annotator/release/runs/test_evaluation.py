"""Scoring files against files: which cases and tasks count, and how they are matched."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from annotator.jobs import JobContext
from annotator.release.runs.evaluation import TASKS_CSV, evaluate, load_cases, load_gold, write_scorecard
from scoring.errors import InputError
from scoring.formats.codecs import CODECS
from scoring.history import opening_messages
from scoring.measures.summary import UndrawnTasks
from scoring.model.case import Case, write_case
from scoring.model.record import JsonObject
from scoring.model.taxonomy import ArgumentProfile, CaseFormat, Policy, Protocol, Semantics, Undrawn
from scoring.scorecard import Scorecard, cases_sha256
from tests.annotator.release.cards import card, scored
from tests.factories import answer, call, case, task, tool

ANY: JsonObject = {"type": "integer"}


def calling(*names: str) -> JsonObject:
    return {
        "role": "assistant",
        "tool_calls": [
            {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}} for name in names
        ],
    }


def text(words: str, role: str = "assistant") -> JsonObject:
    return {"role": role, "content": words}


def result(name: str) -> JsonObject:
    return {"role": "tool", "tool_call_id": name, "content": "fine"}


CHAT: JsonObject = {
    "id": "c-1",
    "messages": [
        *(
            text("Both, please.", "user"),
            calling("A"),
            result("A"),
            calling("B", "C"),
            result("B"),
            result("C"),
        ),
        *(text("Done."), text("Thanks.", "user"), text("Welcome.")),
    ],
    "tools": [one.model_dump(mode="json") for one in (tool("A"), tool("B"), tool("C"))],
}
"""A task that was recorded as A, then B with C; and one without calls."""


def lines(path: Path, *records: JsonObject | Case) -> Path:
    texts = [write_case(one) if isinstance(one, Case) else json.dumps(one) for one in records]
    path.write_text("".join(f"{line}\n" for line in texts), encoding="utf-8")
    return path


def scored_file(
    cases: Path,
    *rounds: Sequence[str],
    undrawn: Undrawn = Undrawn.RECORDED,
    semantics: Semantics = Semantics.PAPER,
) -> Scorecard:
    """Score a run that made the calls of each round, and answered the second task."""
    told: list[JsonObject] = [*(calling(*names) for names in rounds), text("Done.")]
    predictions = lines(
        cases.with_name("predictions.jsonl"),
        {"case": "c-1", "task": 0, "replies": list(told), "cases_sha256": cases_sha256(load_cases(cases))},
        {"case": "c-1", "task": 1, "replies": [text("Welcome.")]},
    )
    gold = load_gold(cases, undrawn=undrawn)
    return evaluate(gold, [predictions], context=JobContext(), source=cases, semantics=semantics)


@pytest.mark.parametrize("semantics", [Semantics.PAPER, Semantics.REFERENCE])
@pytest.mark.parametrize(
    ("rounds", "undrawn", "label", "optimal"),
    [
        ((["A"], ["B", "C"]), Undrawn.RECORDED, "correct", True),
        ((["A"], ["C"], ["B"]), Undrawn.RECORDED, "correct", False),
        ((["B"], ["A"], ["C"]), Undrawn.RECORDED, "error", False),
        ((["A"], ["B", "C"]), Undrawn.PARALLEL, "correct", False),
        ((["B"], ["A"], ["C"]), Undrawn.PARALLEL, "correct", False),
        ((["A", "B", "C"],), Undrawn.PARALLEL, "correct", True),
    ],
)
def test_undrawn_tasks_of_a_chat_file_are_matched_in_the_order_recorded_unless_told_otherwise(
    rounds: Sequence[Sequence[str]],
    undrawn: Undrawn,
    label: str,
    optimal: bool,
    semantics: Semantics,
    tmp_path: Path,
) -> None:
    # scoring 11: every recorded round waits for the one before
    found = scored_file(lines(tmp_path / "chat.jsonl", CHAT), *rounds, undrawn=undrawn, semantics=semantics)
    assert (found.tasks[0].label, found.tasks[0].optimal) == (label, optimal)
    assert found.summary.undrawn == UndrawnTasks(count=1, matched=undrawn)
    assert found.basis.undrawn is undrawn


def test_undrawn_tasks_can_be_excluded(tmp_path: Path) -> None:
    found = scored_file(lines(tmp_path / "chat.jsonl", CHAT), ["A"], ["B", "C"], undrawn=Undrawn.LEAVE_OUT)
    assert [one.task for one in found.tasks] == [1]
    assert found.summary.undrawn.words == "1 – excluded"
    assert (found.ignored[0].task, "undrawn tasks are excluded" in found.ignored[0].reason) == (0, True)


def test_a_file_that_carries_dependencies_has_no_undrawn_task(tmp_path: Path) -> None:
    [chat] = load_cases(lines(tmp_path / "chat.jsonl", CHAT))
    found = scored_file(lines(tmp_path / "cases.jsonl", chat), ["B"], ["A"], ["C"])
    assert found.tasks[0].label == "correct"
    assert (found.summary.undrawn, found.basis.undrawn) == (UndrawnTasks(), None)


def test_a_later_task_is_shown_the_order_recorded(tmp_path: Path) -> None:
    [one] = load_gold(lines(tmp_path / "chat.jsonl", CHAT)).cases.values()
    shown = opening_messages(one, 1, protocol=Protocol.WILDTOOL)
    assert [message["role"] for message in shown] == [
        *("user", "assistant", "tool", "assistant", "tool", "tool", "assistant", "user")
    ]


def named(text: str) -> Case:
    return case(task(answer(text)))


def test_two_cases_with_one_id_are_refused_with_both_lines(tmp_path: Path) -> None:
    path = lines(tmp_path / "cases.jsonl", named("One."), named("One."), named("Two."))
    with pytest.raises(InputError, match="lines 1 and 3 hold different cases called c-1"):
        load_cases(path)
    with pytest.raises(InputError, match="lines 1 and 3"):
        load_gold(path)


def test_a_repeated_case_counts_once_and_is_told(tmp_path: Path) -> None:
    path = lines(tmp_path / "cases.jsonl", CHAT, named("x").model_copy(update={"id": "c-2"}), CHAT)
    assert [one.id for one in load_cases(path)] == ["c-1", "c-2"]
    found = scored_file(path, ["A"], ["B", "C"])
    assert found.summary.tasks == 3
    [told] = found.ignored
    assert (told.line, told.case, told.reason) == (3, "c-1", "The case of line 1, repeated; it counts once.")


@pytest.mark.parametrize(
    ("arguments", "unpassable"),
    [({"x": 1}, 0), ({"x": "one"}, 1), ({}, 1), ({"x": 1, "y": 1}, 1)],
)
@pytest.mark.parametrize("profile", [ArgumentProfile.WTB, ArgumentProfile.C3])
def test_tasks_whose_gold_breaks_its_own_schema_are_counted(
    arguments: dict[str, str | int], unpassable: int, profile: ArgumentProfile, tmp_path: Path
) -> None:
    tools = [tool("A", required=["x"], x=ANY)]
    gold = [case(task(call("A", **arguments), answer()), task(answer()), tools=tools)]
    reply: JsonObject = {"case": "c-1", "task": 0, "replies": [text("No.")]}
    found = evaluate(
        gold, [lines(tmp_path / "p.jsonl", reply)], context=JobContext(), arguments=profile
    ).summary
    # c3 compares values with the gold's alone, and wants only what is required: 1 of 2 right is 0.5
    expected = unpassable if profile is ArgumentProfile.WTB or arguments != {"x": "one"} else 0
    assert found.unpassable == expected


def test_tasks_judged_by_different_profiles_stand_in_one_csv(tmp_path: Path) -> None:
    as_c3 = scored().model_copy(update={"analysed_as": Policy.MULTI_PARALLEL})
    write_scorecard(card(scored(), as_c3, scored()), tmp_path)
    with (tmp_path / TASKS_CSV).open(encoding="utf-8", newline="") as file:
        assert [row["analysed_as"] for row in csv.DictReader(file)] == ["", "multi_parallel", ""]


def test_numbers_of_lines_are_those_of_the_file_that_was_read_once(tmp_path: Path) -> None:
    wildtool = CODECS[CaseFormat.WILDTOOL]
    made = [wildtool.encode(case(task(answer(f"Fine, {name}.")), id=name)) for name in ("ann", "bob")]
    numbered = [
        {**line, "id": f"wild_tool_bench_{number}", "case_id": line["id"]} for number, line in enumerate(made)
    ]
    cases = lines(tmp_path / "cases.jsonl", *numbered)
    step: JsonObject = {"step_0": {"inference_output": {"content": "Fine."}}}
    said: JsonObject = {"id": "wild_tool_bench_1", "result": [{"inference_log": step}]}
    results = lines(tmp_path / "results.jsonl", said)
    gold = load_gold(cases)
    cases.unlink()
    found = evaluate(gold, [results], context=JobContext(), source=cases)
    assert [(task.case, task.is_correct) for task in found.tasks] == [("ann", False), ("bob", True)]
    lines(tmp_path / "results.jsonl", said | {"id": "wild_tool_bench_2"})
    with pytest.raises(InputError, match="No prediction fits the 2 cases"):
        evaluate(gold, [results], context=JobContext(), source=cases)
