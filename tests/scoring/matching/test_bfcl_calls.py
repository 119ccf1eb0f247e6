"""Semantics `bfcl` gives the verdicts of BFCL's own checker (scoring 4.6)."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from scoring import Prediction, Reply, Scorecard, Semantics, score
from scoring.bfcl_gold import bfcl_golds
from scoring.errors import InputError
from scoring.formats.case_reader import ReadCase, read_cases
from scoring.matching.bfcl_calls import calls_mistake
from scoring.matching.bfcl_scores import judge_as_bfcl
from scoring.model.case import Case, Tool, write_case
from scoring.model.taxonomy import ArgumentProfile
from scoring.predictions import ToolCall
from tests.scoring.matching.bfcl_replies import BFCL_PYTHON, CATEGORIES, Called, replies, rows, verdicts
from tests.shared import ROOT, SHARED, needs_shared

GOLDEN = ROOT / "tests" / "golden" / "bfcl_verdicts.json"
"""What bfcl-eval 2026.3.23 says of `replies` to the questions in ../shared: a digit each, 1 for valid."""

needs_bfcl = pytest.mark.skipif(
    not BFCL_PYTHON, reason="BFCL_PYTHON names no Python with bfcl-eval (2026-11-30)"
)


def tool(**properties: Any) -> dict[str, Tool]:
    """One tool `maps.find` with these parameters; `place` is required where it is among them."""
    required = [name for name in properties if name == "place"]
    schema = {"type": "dict", "properties": properties, "required": required}
    return {"maps.find": Tool(definition={"name": "maps.find", "parameters": schema})}


TEXT = {"type": "string"}
OBJECT = {"type": "dict"}


def list_of(name: str) -> dict[str, Any]:
    """The schema of a list."""
    return {"type": "array", "items": {"type": name}}


@pytest.mark.parametrize(
    ("schema", "accepted", "right", "wrong"),
    [
        (TEXT, ["New York, NY"], ["new york ny", "New-York/NY."], ["New York", "New York NY!", 1, None]),
        (TEXT, ["it's"], ['IT"S'], ["its"]),
        (TEXT, [5], [5], ["5", True]),
        ({"type": "integer"}, [1], [1], [1.0, True, "1"]),
        ({"type": "float"}, [1.0, 2.5], [1, 1.0, 2.5], ["1", True]),
        ({"type": "boolean"}, [True], [True], [1, "true", False]),
        ({"type": "any"}, ["a b"], ["A-B"], [1, ["a b"]]),
        ({"type": "any"}, [["a b"]], [["a b"]], [["A b"]]),
        (list_of("string"), [["a b", "c"]], [["A-B", "C"]], [["c", "a b"], ["a b"], "a b"]),
        (list_of("float"), [[1.0, 2.0]], [[1.0, 2.0]], [[1, 2], [1.0, "2"]]),
        (list_of("integer"), [["x"]], [["X"]], [[1]]),
        (list_of("string"), ["", ["a"]], [[], ["a"]], ["", ["b"]]),
        (OBJECT, [{"a": ["x y"], "b": [1, ""]}], [{"a": "XY"}, {"a": "x y", "b": 1}], [{}, {"a": "z"}]),
        (OBJECT, [{"a": [["x y"]]}], [{"a": ["x y"]}], [{"a": ["XY"]}, {"a": ["x y"], "c": 1}]),
        (list_of("dict"), [[{"a": [1]}, {"a": [2]}]], [[{"a": 1}, {"a": 2}]], [[{"a": 2}, {"a": 1}], []]),
        ({"type": "number"}, [1], [1], ["1"]),
        ({"type": "something"}, [1], [], [1]),
    ],
)
def test_a_value_is_right_as_the_checker_has_it(
    schema: dict[str, Any], accepted: list[Any], right: list[Any], wrong: list[Any]
) -> None:
    key: list[Any] = [{"maps.find": {"of": accepted}}]
    found = [calls_mistake([("maps_find", {"of": one})], key, tool(of=schema)) for one in (*right, *wrong)]
    assert [one is None for one in found] == [True] * len(right) + [False] * len(wrong)


def test_calls_are_compared_without_order_and_every_argument_counts() -> None:
    tools = tool(place=TEXT, far=TEXT)
    key: list[Any] = [{"maps.find": {"place": [one], "far": ["", "yes"]}} for one in ("Oslo", "Rome")]
    oslo: Any = "maps.find", {"place": "oslo"}
    rome: Any = "maps_find", {"place": "Rome", "far": "yes"}
    assert calls_mistake([rome, oslo], key, tools) is None
    messages: dict[str, list[Any]] = {
        "Number of calls: 1 instead of 2.": [oslo],
        "Number of calls: 3 instead of 2.": [oslo, rome, rome],
        "maps.find: place is missing.": [oslo, ("maps.find", {})],
        "maps.find: near is not accepted.": [oslo, ("maps.find", {"place": "Rome", "near": 1})],
        'maps.find: place is "Oslo", which is not accepted.': [oslo, ("maps.find", {"place": "Oslo"})],
        "maps.find: place is 5, which has the wrong type.": [("maps.find", {"place": 5}), oslo],
        "find is called instead of maps.find.": [oslo, ("find", {"place": "Rome"})],
    }
    for message, said in messages.items():
        found = calls_mistake(said, key, tools)
        assert found is not None
        assert found.message == message


FUNCTION = {"name": "maps.find", "parameters": {"type": "dict", "properties": {"place": TEXT}}}


def cases_of(tmp_path: Path, *records: dict[str, Any]) -> list[Case]:
    """Questions of BFCL as they are imported."""
    path = tmp_path / "asked.jsonl"
    question = [[{"role": "user", "content": "Where?"}]]
    lines = [{"question": question, "function": [FUNCTION], **one} for one in records]
    path.write_text("".join(f"{json.dumps(one)}\n" for one in lines), encoding="utf-8")
    return [one.case for one in read_cases(path) if isinstance(one, ReadCase)]


def judged(cases: list[Case], *said: list[ToolCall], text: str = "") -> Scorecard:
    """The scores of one reply with calls to each case."""
    run = [
        Prediction(case=case.id, task=0, replies=(Reply(content=text, tool_calls=tuple(calls)),))
        for case, calls in zip(cases, said, strict=True)
    ]
    return score(cases, run, semantics=Semantics.BFCL)


def call(arguments: str, name: str = "maps_find") -> ToolCall:
    """A call as a model wrote it."""
    return ToolCall(name=name, arguments=arguments)


OSLO = {"id": "simple_python_1", "ground_truth": [{"maps.find": {"place": ["Oslo"]}}]}


def test_a_question_is_judged_without_answer_by_the_first_reply(tmp_path: Path) -> None:
    [case] = cases_of(tmp_path, OSLO)
    right, wrong = (call(json.dumps({"place": one})) for one in ("OSLO", "Rome"))
    [one] = judged([case], [right]).tasks
    assert (one.label, one.arguments_profile, one.optimal) == ("correct", "accepted", True)
    [two] = judged([case], [wrong]).tasks
    assert (two.label, two.action_label, two.error) == ("error", "correct", "Param Value Error")
    [none] = judged([case], [], text="Rome?").tasks
    assert (none.action_label, none.error) == ("error", "Refusal")
    [broken] = judged([case], [call("{")]).tasks
    assert broken.detail == "A call has no name, or its arguments are no JSON object."


def test_relevance_asks_for_any_call_and_irrelevance_for_none(tmp_path: Path) -> None:
    cases = cases_of(tmp_path, {"id": "live_relevance_1-0-0"}, {"id": "irrelevance_2"})
    called, broken = [call("{}", "any_name")], [call("[1]")]
    assert [one.label for one in judged(cases, called, []).tasks] == ["correct", "correct"]
    assert [one.label for one in judged(cases, [], called).tasks] == ["error", "error"]
    # Calls of which one cannot be read are none.
    assert [one.label for one in judged(cases, [*called, *broken], broken).tasks] == ["error", "correct"]


def test_a_file_and_its_cases_in_our_own_lines_are_scored_alike(tmp_path: Path) -> None:
    [case] = cases_of(tmp_path, OSLO)
    ours = tmp_path / "ours.jsonl"
    ours.write_text(write_case(case) + "\n", encoding="utf-8")
    for path in (tmp_path / "asked.jsonl", ours):
        [read] = [one.case for one in read_cases(path, is_plain=True) if isinstance(one, ReadCase)]
        assert [one.label for one in judged([read], [call('{"place": "oslo"}')]).tasks] == ["correct"]


def test_what_people_accept_after_review_counts(tmp_path: Path) -> None:
    [case] = cases_of(tmp_path, OSLO)
    [task] = case.tasks
    step = task.steps[0].model_copy(update={"arguments": {"place": "Rome"}})
    mended = case.model_copy(update={"tasks": (task.model_copy(update={"steps": (step,)}),)})
    assert [one.label for one in judged([mended], [call('{"place": "rome"}')]).tasks] == ["correct"]
    assert [one.label for one in judged([mended], [call('{"place": "oslo"}')]).tasks] == ["error"]


def test_what_bfcl_does_not_judge_is_named_with_the_reason(tmp_path: Path) -> None:
    several = {"id": "multi_turn_base_1", "involved_classes": ["MathAPI"], "ground_truth": [["add(a=1)"]]}
    java = OSLO | {"id": "simple_java_3"}
    chat = Case(id="mine", tasks=cases_of(tmp_path, OSLO)[0].tasks)
    card = judged([*cases_of(tmp_path, several, java), chat], [], [], [])
    assert {one.case: one.reason for one in card.ignored if "Not scorable" in one.reason} == {
        "multi_turn_base_1": "Not scorable: BFCL judges several turns by its simulators: "
        "`annotator bfcl setup` installs them.",
        "simple_java_3": "Not scorable: BFCL judges Java and JavaScript by parsers of these languages.",
        "mine": "Not scorable: The case is not from a file of BFCL.",
    }
    assert card.tasks == ()


def test_bfcl_has_its_own_rules_for_arguments(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="its own rules"):
        score(cases_of(tmp_path, OSLO), [], semantics=Semantics.BFCL, arguments=ArgumentProfile.WTB)


def test_gold_that_its_own_tool_refuses_is_counted(tmp_path: Path) -> None:
    broken = OSLO | {"id": "simple_python_2", "ground_truth": [{"maps.find": {"place": [5], "more": [1]}}]}
    cases = cases_of(tmp_path, OSLO, broken)
    assert score(cases, [], semantics=Semantics.BFCL).summary.unpassable == 1


def _by_us(cases: dict[str, Case], asked: list[tuple[str, list[Called]]]) -> list[bool]:
    """Our verdicts."""
    golds = {name: bfcl_golds(case)[0] for name, case in cases.items()}
    found = []
    for name, said in asked:
        calls = [call(json.dumps(value), one) for each in said for one, value in each.items()]
        given = Prediction(case=name, task=0, replies=(Reply(tool_calls=tuple(calls)),))
        judged_one = judge_as_bfcl(golds[name], given, profile=ArgumentProfile.ACCEPTED)
        found.append(judged_one.score.is_correct)
    return found


def _asked(folder: Path, category: str) -> tuple[dict[str, Case], list[tuple[str, list[Called]]], list[Any]]:
    """The cases of a category, the calls to judge, and what the checker is asked."""
    path = folder / f"BFCL_v4_{category}.json"
    questions, answers = rows(path), rows(folder / "possible_answer" / path.name)
    cases = {one.case.id: one.case for one in read_cases(path) if isinstance(one, ReadCase)}
    asked, given = [], []
    for name, question in questions.items():
        key = answers[name]["ground_truth"]
        for said in replies(question, key):
            asked.append((name, said))
            given.append((question["function"], said, key, category))
    return cases, asked, given


SAMPLE = SHARED / "data" / "bfcl_v4"


@needs_shared
@pytest.mark.shared
@pytest.mark.parametrize("category", CATEGORIES)
def test_verdicts_on_the_sample_equal_those_recorded_of_the_checker(category: str) -> None:
    if not (SAMPLE / f"BFCL_v4_{category}.json").is_file():
        pytest.skip("the sample lacks this category (2026-11-30)")
    cases, asked, given = _asked(SAMPLE, category)
    recorded = json.loads(GOLDEN.read_text(encoding="utf-8")) if GOLDEN.is_file() else {}
    if BFCL_PYTHON and os.environ.get("APPROVE_BFCL"):
        recorded[category] = "".join(str(int(one)) for one in verdicts(given))
        GOLDEN.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
    assert "".join(str(int(one)) for one in _by_us(cases, asked)) == recorded[category]


@needs_bfcl
@pytest.mark.parametrize("category", CATEGORIES)
def test_verdicts_on_the_official_files_equal_those_of_the_checker(category: str) -> None:
    cases, asked, given = _asked(Path(os.environ["BFCL_DATA"]), category)
    differing = [
        (one, said, theirs)
        for (one, said), ours, theirs in zip(asked, _by_us(cases, asked), verdicts(given), strict=True)
        if ours is not theirs
    ]
    assert differing == []
