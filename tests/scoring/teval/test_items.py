"""Item sets on disk: published names, result folders, replies, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.errors import InputError
from scoring.model.record import JsonObject
from scoring.teval.derivation import derive
from scoring.teval.items import check_item, dump_items, gold_dependencies, read_items, read_replies
from scoring.teval.subsets import Subset
from tests.scoring.teval.gold_replies import full_case

_PROMPT = [{"role": "user", "content": "?"}]


def _review(letter: str = "A", **more: Any) -> JsonObject:
    return {
        "origin_prompt": list(_PROMPT),
        "template": "",
        "ground_truth": {"answer": letter},
        "meta_data": {"response_format": "str"},
        **more,
    }


def _write(path: Path, items: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(items), encoding="utf-8")


def _plan(**more: Any) -> JsonObject:
    return {
        "ground_truth": [{"id": 0, "name": "A.b", "args": "{}"}],
        "meta": {"prompt_type": "str", "API_list": ["A.b"]},
        **more,
    }


def test_written_items_are_read_as_they_were(tmp_path: Path) -> None:
    items = derive([full_case()]).items
    for subset, listed in items.items():
        (tmp_path / f"{subset}.json").write_text(dump_items(listed), encoding="utf-8")
    found = read_items(tmp_path)
    assert found.items == items
    assert (found.replies, len(found)) == ({}, sum(map(len, items.values())))


def test_published_names_are_known(tmp_path: Path) -> None:
    rru = {
        "ground_truth": {"thought": "t", "name": "A.b", "args": {}},
        "meta_data": {"response_format": "json"},
    }
    _write(tmp_path / "reason_retrieve_understand_json_v2.json", {"7": rru})
    _write(tmp_path / "review_str_v2_subset.json", {"126": _review()})
    _write(tmp_path / "gpt-4_-1.json", {"review_str": {"review_quality": 0.9}})
    found = read_items(tmp_path)
    assert {subset: list(items) for subset, items in found.items.items()} == {
        Subset.RRU_JSON: ["7"],
        Subset.REVIEW_STR: ["126"],
    }


def test_a_result_folder_holds_items_and_replies(tmp_path: Path) -> None:
    _write(tmp_path / "review_str_gpt-4.json", {"1": _review(prediction="Answer: B"), "2": _review()})
    found = read_items(tmp_path)
    assert {key: reply.prediction for key, reply in found.replies.items()} == {
        (Subset.REVIEW_STR, "1"): "Answer: B"
    }
    assert "prediction" not in found.items[Subset.REVIEW_STR]["1"]
    replies, answered = read_replies(tmp_path)
    assert (len(replies), answered) == (1, None)


def test_replies_do_not_change_the_hash_of_the_items(tmp_path: Path) -> None:
    _write(tmp_path / "a" / "review_str.json", {"1": _review(prediction="x")})
    _write(tmp_path / "b" / "review_str_v1.json", {"1": _review()})
    assert read_items(tmp_path / "a").sha256 == read_items(tmp_path / "b").sha256


def test_a_folder_with_one_item_a_file_is_read(tmp_path: Path) -> None:
    _write(tmp_path / "review_str_m" / "126.json", _review(prediction="A"))
    assert list(read_items(tmp_path).replies) == [(Subset.REVIEW_STR, "126")]


def test_the_whole_file_goes_before_the_folder_it_was_made_of(tmp_path: Path) -> None:
    _write(tmp_path / "review_str_m" / "126.json", _review())
    _write(tmp_path / "review_str_m.json", {"1": _review()})
    assert list(read_items(tmp_path).items[Subset.REVIEW_STR]) == ["1"]


def test_two_files_of_one_subset_are_refused(tmp_path: Path) -> None:
    _write(tmp_path / "review_str_v1.json", {"1": _review()})
    _write(tmp_path / "review_str_v2.json", {"1": _review()})
    with pytest.raises(InputError, match="both items of review_str"):
        read_items(tmp_path)


def test_a_folder_without_items_names_what_is_expected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file of items") as failed:
        read_items(tmp_path)
    assert "rru_json.json" in failed.value.hint


def test_an_id_with_a_dot_is_refused(tmp_path: Path) -> None:
    _write(tmp_path / "review_str.json", {"case.1": _review()})
    with pytest.raises(InputError, match=r"item case\.1: the id has a dot"):
        read_items(tmp_path)


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"1": 3}', '{"1": NaN}', "\ud83d".encode("utf-8", "surrogatepass")]
)
def test_a_file_that_holds_no_items_is_refused(tmp_path: Path, text: str | bytes) -> None:
    (tmp_path / "review_str.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match="review_str"):
        read_items(tmp_path)


@pytest.mark.parametrize(
    ("subset", "body", "reason"),
    [
        (Subset.REVIEW_STR, _review("F"), "ground_truth.answer"),
        (Subset.PLAN_STR, _plan(meta={"prompt_type": "str"}), "API_list"),
        (Subset.PLAN_STR, _plan(meta={"prompt_type": "xml"}), "meta.prompt_type"),
        (Subset.PLAN_JSON, _plan(ground_truth="[{'id': 0}]"), "no list of steps"),
        (Subset.PLAN_JSON, _plan(ground_truth="no plan"), "no list of steps"),
        (Subset.PLAN_STR, _plan(meta_data={"deps": [[0]]}), "meta_data.deps"),
        (Subset.PLAN_STR, _plan(meta_data={"deps": [[], []]}), "meta_data.deps"),
        (Subset.RRU_JSON, {"ground_truth": "{"}, "gold step"),
        (Subset.RRU_JSON, {"ground_truth": {}, "meta_data": {"response_format": "xml"}}, "response_format"),
        (
            Subset.INSTRUCT,
            {"template": {"thought": "a"}, "meta_data": {"response_format": "json"}},
            "template",
        ),
        (
            Subset.INSTRUCT,
            {"template": dict.fromkeys(("thought", "action", "args"), "k"), "ground_truth": {"args": {}}}
            | {"meta_data": {"response_format": "json"}},
            "action and args",
        ),
    ],
)
def test_a_broken_gold_record_stops_the_run(subset: Subset, body: JsonObject, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        check_item(subset, body)


def test_an_empty_gold_plan_is_no_broken_record() -> None:
    check_item(Subset.PLAN_JSON, {"ground_truth": "[]"})


def _line(item: str, **more: Any) -> str:
    return json.dumps({"subset": "review_str", "item": item, "items_sha256": "h", **more}) + "\n"


def test_the_lines_of_a_run_are_read(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    text = _line("1", prediction="A", finish_reason="length") + _line("1", prediction="B")
    text += _line("2", error={"kind": "timeout", "message": "no"})
    path.write_text(text + '{"subset": "review_', encoding="utf-8")
    replies, answered = read_replies(path)
    assert answered == "h"
    (reply,) = replies.values()
    assert (reply.prediction, reply.hit_limit) == ("A", True)


@pytest.mark.parametrize("text", ["", '{"case": "c-1", "task": 0}\n', "[]\n", "no JSON\n"])
def test_a_file_without_replies_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError):
        read_replies(path)


def test_published_plans_name_their_dependencies_by_id() -> None:
    names = ("A.b", "A.c", "A.d", "FinishAction")
    prev: list[list[int]] = [[], [], [10, 20], [30]]
    gold: list[Any] = [
        {"id": 10 * (i + 1), "prev": prev[i], "name": name, "args": {}} for i, name in enumerate(names)
    ]
    assert gold_dependencies({"ground_truth": list(gold)}) == [[], [], [0, 1]]
    assert gold_dependencies({"ground_truth": list(gold), "meta_data": {"deps": [[]]}}) == [[]]


@pytest.mark.parametrize("prev", [[1], [7], ["0"], None, "0"])
def test_dependencies_that_make_no_sense_are_taken_as_unknown(prev: Any) -> None:
    gold: list[Any] = [{"id": 0, "prev": [], "name": "A.b"}, {"id": 1, "prev": prev, "name": "A.c"}]
    assert gold_dependencies({"ground_truth": gold}) is None


def test_a_plan_without_dependencies_has_none() -> None:
    assert gold_dependencies(_plan()) is None
    assert gold_dependencies({"ground_truth": "[]"}) is None


def test_replies_that_are_no_text_are_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_bytes(b"\x89PNG\r\n")
    with pytest.raises(InputError, match="is not a text file in UTF-8"):
        read_replies(tmp_path / "r.jsonl")
