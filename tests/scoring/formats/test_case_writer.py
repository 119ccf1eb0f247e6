"""Writing files: one line a case, the same bytes for the same cases, and no case lost without a word."""

import io
import json

import pytest

from scoring.errors import InputError
from scoring.formats.benchmark import c3, wildtool
from scoring.formats.case_writer import Skipped, encode, encode_line, write_cases
from scoring.formats.chat import openai
from scoring.formats.preserved_fields import KEPT_KEY
from scoring.model.case import Case, Now, Task, content_sha256
from scoring.model.taxonomy import CaseFormat
from tests.factories import answer, call, task, tool
from tests.factories import case as bare_case


def case(*tasks: Task, id: str = "c-1") -> Case:  # noqa: A002
    """A case with a tool, since no evaluator runs one without."""
    return bare_case(*tasks, id=id, tools=[tool()])


def imported() -> Case:
    """A case whose file wrote its arguments as text."""
    line = wildtool.encode(case(task(call(city="Oslo"), answer()), id="c-1"))
    answers = json.loads(json.dumps(line["english_answer_list"]))
    answers[0][0]["action"]["arguments"] = '{"city": "Oslo"}'
    return wildtool.decode(line | {"english_answer_list": answers}, file="w.jsonl", line=1)


def test_cases_a_format_cannot_express_are_named_and_the_others_written() -> None:
    stream = io.BytesIO()
    report = write_cases(
        [case(task(answer()), id="a"), case(task(call()), id="b"), case(task(answer()), id="c")],
        stream,
        format=CaseFormat.WILDTOOL,
    )
    assert report.written == 2
    assert [json.loads(line)["case_id"] for line in stream.getvalue().splitlines()] == ["a", "c"]
    (skipped,) = report.skipped
    assert isinstance(skipped, Skipped)
    assert skipped.case_id == "b"
    assert "task 0 has no answer" in skipped.reason


@pytest.mark.parametrize("format", list(CaseFormat))
def test_every_format_writes_one_line_of_utf8(format: CaseFormat) -> None:  # noqa: A002
    line = encode_line(case(task(answer("Sonnig in Århus\n\u2028\0"))), format)
    assert line.count(b"\n") == 1
    assert "Århus".encode() in line


def test_a_broken_character_keeps_its_case_out() -> None:
    broken = case(task(answer("\ud800")), id="b")
    assert write_cases([broken], io.BytesIO(), format=CaseFormat.NATIVE).skipped[0].case_id == "b"
    with pytest.raises(InputError, match="broken character"):
        encode_line(broken, CaseFormat.NATIVE)


@pytest.mark.parametrize("format", [CaseFormat.C3, CaseFormat.OPENAI])
def test_what_reading_refuses_keeps_its_case_out_wherever_it_stands(format: CaseFormat) -> None:  # noqa: A002
    """Only a sample of lines is read again; these are, whatever their place."""
    good = case(task(call(city="Oslo"), answer()), id="g").model_copy(update={"language": "nb"})
    untimely = good.model_copy(
        update={"now": Now(raw="2024-07-11", at="2024-07-11T00:00:00+02:00"), "id": "t"}
    )
    looped = good.tasks[0].model_copy(update={"edges": (*good.tasks[0].edges, *good.tasks[0].edges)})
    graph = good.model_copy(update={"tasks": (looped,), "id": "r"})
    claimed = good.model_copy(update={"extras": {"annotator_case": {"of": "x"}}, "id": "k"})
    report = write_cases([good, untimely, graph, claimed, good], io.BytesIO(), format=format)
    assert {item.case_id for item in report.skipped} >= {"t", "r"}
    assert all("cannot keep" in item.reason for item in report.skipped)
    for position in (0, 7):
        try:
            line = encode(claimed, format, position=position)
        except InputError as exc:
            assert "cannot keep" in exc.message  # noqa: PT017
        else:
            read = {CaseFormat.C3: c3.decode, CaseFormat.OPENAI: openai.decode}[format]
            assert content_sha256(read(line, file="b.jsonl", line=1)) == content_sha256(claimed)


@pytest.mark.parametrize("format", list(CaseFormat))
def test_a_broken_character_is_named_wherever_the_case_stands(format: CaseFormat) -> None:  # noqa: A002
    broken = case(task(call(city="Oslo"), answer("\ud800"))).model_copy(update={"language": "nb"})
    report = write_cases([broken, broken], io.BytesIO(), format=format)
    good = case(task(answer()), id="g")
    after = write_cases([good, broken], io.BytesIO(), format=format)
    reasons = {item.reason for item in (*report.skipped, *after.skipped)}
    assert len(reasons) == 1
    assert "broken character" in reasons.pop()


@pytest.mark.parametrize(
    "damage", [None, 5, {}, {"format": "wildtool", "differences": [{"at": 3}]}, {"format": "x"}]
)
def test_a_case_whose_kept_file_was_damaged_by_hand_is_written_our_way(damage: object) -> None:
    told = imported()
    damaged = told.model_copy(update={"extras": told.extras | {KEPT_KEY: damage}})
    assert encode(damaged, CaseFormat.WILDTOOL) == encode(
        told.model_copy(update={"extras": {}}), CaseFormat.WILDTOOL
    )


def test_a_chat_whose_kept_layout_was_damaged_by_hand_is_written_the_usual_way() -> None:
    usual = case(task(call(city="Oslo"), answer()))
    damaged = usual.model_copy(update={"extras": {KEPT_KEY: {"format": "openai", "layout": {"ids": 5}}}})
    assert encode(damaged, CaseFormat.OPENAI) == encode(usual, CaseFormat.OPENAI)


def test_notes_that_lead_nowhere_are_passed_over() -> None:
    told = imported()
    nowhere = [
        {"at": "/english_tasks/9/x", "was": None, "file": 1},
        {"at": "/id/deeper", "was": None, "file": 1},
        {"at": "/english_answer_list", "marks": ["a", "b"], "hunks": [{"start": 1, "stop": 9, "items": [1]}]},
        {"at": "/english_tasks", "size": 40},
    ]
    kept = {"format": "wildtool", "unchanged": "x", "differences": nowhere}
    changed = told.model_copy(update={"extras": {KEPT_KEY: kept}})
    assert encode(changed, CaseFormat.WILDTOOL) == encode(
        told.model_copy(update={"extras": {}}), CaseFormat.WILDTOOL
    )
