"""Questions of several turns are judged by BFCL's simulators, which run apart (scoring 4.6)."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from annotator.jobs import JobContext
from annotator.release.runs.workers import score_runs
from scoring import Prediction, Reply, Scorecard, Semantics, score
from scoring.bfcl_simulators import simulators_folder
from scoring.errors import BlockedError
from scoring.formats.case_reader import ReadCase, read_cases
from scoring.model.case import Case
from scoring.predictions import InfraError, ToolCall
from tests.scoring.bfcl_package import put_package

NUMBER = {"type": "dict", "properties": {"number": {"type": "integer"}}, "required": ["number"]}
NOTHING = {"type": "dict", "properties": {}}
FUNCTIONS = [
    {"name": name, "parameters": NUMBER if name == "add" else NOTHING}
    for name in ("add", "look", "end", "wait")
]
Called = tuple[str, Any]


def question(name: str, *turns: list[str]) -> dict[str, Any]:
    """A question over the simulator of ours; a turn is its calls as BFCL writes them."""
    return {
        "id": name,
        "question": [[{"role": "user", "content": f"Turn {n}."}] for n, _ in enumerate(turns)],
        "function": FUNCTIONS,
        "involved_classes": ["MathAPI"],
        "initial_config": {"total": 1},
        "ground_truth": turns,
    }


SUM = question("multi_turn_base_1", ["add(number=2)"], [], ["add(3)", "look()"])


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of simulators, with the package of ours."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    put_package(simulators_folder())
    return simulators_folder()


def cases_of(tmp_path: Path, *questions: dict[str, Any]) -> list[Case]:
    """Questions as they are imported."""
    path = tmp_path / "asked.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in questions), encoding="utf-8")
    return [one.case for one in read_cases(path) if isinstance(one, ReadCase)]


def said(case: str, task: int, *steps: list[Called], text: str = "done") -> Prediction:
    """What a model did in a turn, step by step, and at last a text."""
    replies = [
        Reply(tool_calls=tuple(ToolCall(name=name, arguments=_text(given)) for name, given in step))
        for step in steps
    ]
    return Prediction(case=case, task=task, replies=(*replies, Reply(content=text)))


def _as_read(reply: Reply) -> dict[str, Any]:
    calls = [{"function": {"name": call.name, "arguments": call.arguments}} for call in reply.tool_calls]
    return {"content": reply.content, "tool_calls": calls}


def _named(arguments: Any) -> str:
    return ",".join(f"{name}={value!r}" for name, value in arguments.items())


def _text(given: Any) -> str:
    return given if isinstance(given, str) else json.dumps(given)


def judged(cases: list[Case], *run: Prediction) -> Scorecard:
    """The scores of a run as BFCL has them."""
    return score(cases, run, semantics=Semantics.BFCL)


ADD_2: Called = ("add", {"number": 2})
ADD_3: Called = ("add", {"number": 3})
LOOK: Called = ("look", {})
RIGHT = (said(SUM["id"], 0, [ADD_2]), said(SUM["id"], 1), said(SUM["id"], 2, [ADD_3], [LOOK]))


def test_what_brings_the_same_state_and_results_is_right(tmp_path: Path, installed: Path) -> None:
    cases = cases_of(tmp_path, SUM)
    card = judged(cases, *RIGHT)
    assert [task.label for task in card.tasks] == ["correct"] * 3
    assert (card.summary.session_accuracy, card.summary.unpassable) == (1.0, 0)
    # Other calls in another order, and one of the next turn at once where nothing is checked.
    others = said(SUM["id"], 0, [("add", {"number": -1})], [ADD_3]), said(SUM["id"], 1, [ADD_3])
    card = judged(cases, *others, said(SUM["id"], 2, [LOOK]))
    assert [task.label for task in card.tasks] == ["correct"] * 3


def test_the_first_wrong_turn_ends_a_question(tmp_path: Path, installed: Path) -> None:
    cases = cases_of(tmp_path, SUM, SUM | {"id": "multi_turn_base_2"})
    right = [one.model_copy(update={"case": "multi_turn_base_2"}) for one in RIGHT]
    card = judged(cases, said(SUM["id"], 0, [ADD_3]), *RIGHT[1:], *right)
    assert [task.label for task in card.tasks] == ["error"] * 3 + ["correct"] * 3
    assert (card.summary.session_accuracy, card.summary.unpassable) == (0.5, 0)
    first, second, _ = card.tasks[:3]
    assert (first.action_label, first.error) == ("correct", "Param Value Error")
    assert (first.detail or "").startswith(
        "The simulators are in another state than after the calls of gold."
    )
    assert second.detail == "BFCL stops at turn 1, which is wrong."
    card = judged(cases, *RIGHT[:2], said(SUM["id"], 2, [ADD_3]))
    assert [task.label for task in card.tasks[:3]] == ["correct", "correct", "error"]
    assert (card.tasks[2].detail or "").startswith("A result that the calls of gold bring did not come.")
    card = judged(cases, *RIGHT[:2], said(SUM["id"], 2))
    assert (card.tasks[2].detail or "").startswith("No tool is called, although one is needed.")


def test_a_reply_with_a_call_that_cannot_be_read_is_passed_over(tmp_path: Path, installed: Path) -> None:
    cases = cases_of(tmp_path, SUM)
    broken: tuple[list[Called], ...] = ([("add", "{")], [ADD_3, ("add", "[1]")], [ADD_2])
    assert [one.label for one in judged(cases, said(SUM["id"], 0, *broken), *RIGHT[1:]).tasks] == [
        "correct"
    ] * 3


def test_turns_without_an_answer_are_told_apart(tmp_path: Path, installed: Path) -> None:
    cases = cases_of(tmp_path, SUM)
    assert [one.action_detail for one in judged(cases).tasks] == ["no_prediction"] * 3
    lost = Prediction(case=SUM["id"], task=0, error=InfraError(kind="timeout"))
    card = judged(cases, lost, *RIGHT[1:])
    assert [one.action_detail for one in card.tasks] == ["infra_error", "no_reply", "no_reply"]
    assert [one.label for one in card.tasks] == ["error"] * 3
    # Asked again, the answer counts.
    assert [one.label for one in judged(cases, lost, *RIGHT).tasks] == ["correct"] * 3


def test_nothing_but_calls_of_the_simulators_is_evaluated(tmp_path: Path, installed: Path) -> None:
    goal = tmp_path / "touched"
    touch = f"__import__('pathlib').Path({str(goal)!r}).touch"
    bad = question("multi_turn_base_3", ["add(number=2)"])
    cases = cases_of(tmp_path, bad)
    for call in (
        (touch, {}),
        ("add", {f"number={touch}(), more": 1}),
        (f"add(number=2) or {touch}", {}),
        ("_load", {}),
        ("open", {"file": str(goal), "mode": "w"}),
    ):
        [task] = judged(cases, said(bad["id"], 0, [call], [ADD_2])).tasks
        assert task.label == "correct"  # as an error of the simulators
    of_file = question("multi_turn_base_4", [f"open(file={str(goal)!r}, mode='w')"])
    [task] = judged(cases_of(tmp_path, of_file), said(of_file["id"], 0, [ADD_2])).tasks
    assert task.label == "error"
    assert not goal.exists()


def test_a_question_that_ends_the_process_harms_no_other(tmp_path: Path, installed: Path) -> None:
    others = [SUM | {"id": f"multi_turn_base_{number}"} for number in (1, 2, 3)]
    run = [
        one.model_copy(update={"case": asked["id"]})
        for asked in others
        for one in (RIGHT if asked is not others[1] else [said("", 0, [("end", {})]), *RIGHT[1:]])
    ]
    card = judged(cases_of(tmp_path, *others), *run)
    assert [one.label for one in card.tasks] == ["correct"] * 3 + ["error"] * 3 + ["correct"] * 3
    assert (card.tasks[3].detail or "").startswith("BFCL's simulators did not come to an end.")


def test_a_question_that_never_ends_is_broken_off(
    tmp_path: Path, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoring.bfcl_simulators._SECONDS", 0.5)
    card = judged(cases_of(tmp_path, SUM), said(SUM["id"], 0, [("wait", {})]), *RIGHT[1:])
    assert (card.tasks[0].detail or "").startswith("BFCL's simulators did not come to an end.")


def test_simulators_that_do_not_start_judge_nothing(tmp_path: Path, installed: Path) -> None:
    (installed / "bfcl_eval" / "__init__.py").write_text("import not_there\n", encoding="utf-8")
    with pytest.raises(BlockedError, match=r"do not start.*not_there") as failed:
        judged(cases_of(tmp_path, SUM), *RIGHT)
    assert "annotator bfcl setup" in failed.value.hint


def test_parts_of_a_file_give_the_same_scorecard(
    tmp_path: Path, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotator.release.runs.workers._LEAST_BYTES", 0)
    asked = [SUM | {"id": f"multi_turn_base_{number}"} for number in range(6)]
    cases_of(tmp_path, *asked)
    run = tmp_path / "m.jsonl"
    lines = [
        {"case": one["id"], "task": task.task, "replies": [_as_read(reply) for reply in task.replies]}
        for one in asked
        for task in (RIGHT if one["id"][-1] != "4" else RIGHT[1:])
    ]
    run.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    one, two = (
        next(
            score_runs(
                tmp_path / "asked.jsonl",
                [[run]],
                context=JobContext(),
                workers=count,
                semantics=Semantics.BFCL,
            )
        )
        for count in (1, 2)
    )
    assert one.model_dump_json() == two.model_dump_json()
    assert (one.summary.session_accuracy, len(one.tasks)) == (5 / 6, 18)


OFFICIAL = os.environ.get("BFCL_DATA", "")
SEVERAL = ("base", "miss_func", "miss_param", "long_context")


def _runs(question: dict[str, Any], case: Case) -> Iterator[list[list[list[Called]]]]:
    """Right, wrong and odd ways through a question, always the same ones."""
    random = Random(question["id"])
    gold = [[(call.name, call.arguments) for _, call in task.calls] for task in case.tasks]
    right: list[list[list[Called]]] = [[[call] for call in turn] for turn in gold]
    yield right
    yield [[turn] if turn else [] for turn in gold]
    yield [turn[::-1] for turn in right]
    yield [turn + turn[-1:] for turn in right]
    yield [[[("unknown_call", {})], *turn] for turn in right]
    yield [[step for turn in right for step in turn], *([] for _ in right[1:])]
    for _ in range(6):
        place = random.randrange(len(right))
        turn = right[place]
        at = random.randrange(len(turn) + 1)
        call = random.choice([one for each in gold for one in each])
        changed = [("ls", {}), call, (call[0], {}), (call[0], call[1] | {"more": 1})]
        changed += [(call[0], call[1] | {key: random.choice([None, 0, "x", []])}) for key in call[1]]
        other = random.choice(
            [[*turn[:at], [random.choice(changed)], *turn[at:]], turn[:at] + turn[at + 1 :]]
        )
        yield [*right[:place], other, *right[place + 1 :]]


@pytest.mark.slow
@pytest.mark.skipif(not OFFICIAL, reason="BFCL_DATA names no folder with BFCL's files (2026-11-30)")
@pytest.mark.parametrize("category", SEVERAL)
def test_verdicts_on_the_official_files_equal_those_of_the_checker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, category: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    simulators_folder().parent.mkdir(parents=True)
    simulators_folder().symlink_to(Path(OFFICIAL).parents[1])
    monkeypatch.syspath_prepend(Path(OFFICIAL).parents[1])
    from bfcl_eval.eval_checker.multi_turn_eval import (  # type: ignore[import-not-found]
        multi_turn_checker as theirs,
    )

    path = Path(OFFICIAL) / f"BFCL_v4_multi_turn_{category}.json"
    cases = [one.case for one in read_cases(path) if isinstance(one, ReadCase)]
    asked = {row["id"]: row for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())}
    twin = path.parent / "possible_answer" / path.name
    gold = {row["id"]: row for row in map(json.loads, twin.read_text(encoding="utf-8").splitlines())}
    ways = {case.id: [*_runs(asked[case.id], case)] for case in cases}
    differing, count, right = [], 0, 0
    for number in range(max(map(len, ways.values()))):
        run = [
            said(case.id, task, *steps) for case in cases for task, steps in enumerate(ways[case.id][number])
        ]
        card = judged(cases, *run)
        wrong = {task.case for task in card.tasks if not task.is_correct}
        for case in cases:
            texts = [
                [[f"{name}({_named(given)})" for name, given in step] for step in turn]
                for turn in ways[case.id][number]
            ]
            found = theirs.multi_turn_checker(
                texts, gold[case.id]["ground_truth"], asked[case.id], "", f"m{number}"
            )
            count, right = count + 1, right + found["valid"]
            if found["valid"] is (case.id in wrong):
                differing.append((case.id, number))
    assert differing == []
    assert 0 < right < count
