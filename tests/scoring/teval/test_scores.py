"""Means, abilities, failures and tables."""

from typing import Any

import pytest

from scoring.model.record import JsonObject
from scoring.teval.evaluators import TEvalProfile, score_instruct, score_plan
from scoring.teval.items import ItemReply, Replies
from scoring.teval.scores import TevalScores, score_items, summarise
from scoring.teval.similarity import CharacterTriples
from scoring.teval.subsets import Items, Subset


def _scored(items: Items, replies: dict[tuple[Subset, str], Any]) -> TevalScores:
    compare = CharacterTriples()
    known: Replies = {
        key: reply if isinstance(reply, ItemReply) else ItemReply(prediction=reply)
        for key, reply in replies.items()
    }
    results = score_items(items, known, profile=TEvalProfile.PAPER, similarity=compare)
    return summarise(results, profile=TEvalProfile.PAPER, similarity=compare.model, items_sha256="h")


def _review(letter: str, kind: str = "recorded") -> JsonObject:
    return {"ground_truth": {"answer": letter}, "meta_data": {"response_format": "str", "kind": kind}}


def _retrieve(name: str, *, ambiguous: bool) -> JsonObject:
    return {"ground_truth": {"name": name}, "meta_data": {"response_format": "str", "ambiguous": ambiguous}}


_REVIEWS: Items = {
    Subset.REVIEW_STR: {
        "a": _review("A"),
        "b": _review("A"),
        "c": _review("C", "derived"),
        "d": _review("E", "derived"),
    }
}
_KEYS = {name: (Subset.REVIEW_STR, name) for name in "abcd"}


def test_a_failed_reply_counts_nothing_and_stays_in_the_denominator() -> None:
    replies = {_KEYS["a"]: "Answer: A", _KEYS["b"]: "no idea", _KEYS["c"]: "", _KEYS["d"]: "Answer: E"}
    score = _scored(_REVIEWS, replies).subsets["review_str"]
    assert (score.items, score.failed, score.missing, score.empty) == (4, 2, 0, 1)
    assert score.metrics == {"review_quality": 0.5, "parse_rate": 0.5}
    assert score.parsed_only["review_quality"] == 1.0


def test_a_missing_reply_is_counted_as_such_and_scores_nothing() -> None:
    score = _scored(_REVIEWS, {_KEYS["a"]: "A", _KEYS["b"]: ItemReply(prediction="A", hit_limit=True)})
    found = score.subsets["review_str"]
    assert (found.items, found.failed, found.missing, found.hit_limit) == (4, 0, 2, 1)
    assert score.abilities["review"] == 0.5


def test_reviews_are_split_by_letter_and_kind_with_what_was_chosen() -> None:
    scores = _scored(_REVIEWS, dict.fromkeys(_KEYS.values(), "Answer: A"))
    shares = {(split.by, split.value): (split.items, split.mean) for split in scores.splits}
    assert shares == {
        ("letter", "A"): (2, 1.0),
        ("letter", "C"): (1, 0.0),
        ("letter", "E"): (1, 0.0),
        ("kind", "recorded"): (2, 1.0),
        ("kind", "derived"): (2, 0.0),
    }
    assert scores.choices == {"A": {"A": 2}, "C": {"A": 1}, "E": {"A": 1}}


def test_a_reply_that_chose_no_letter_is_counted_as_none() -> None:
    replies = {_KEYS["a"]: "Answer: A", _KEYS["b"]: "no idea"}
    assert _scored(_REVIEWS, replies).choices == {
        "A": {"A": 1, "none": 1},
        "C": {"none": 1},
        "E": {"none": 1},
    }


def test_a_call_or_a_plan_that_cannot_be_read_scores_nothing_anywhere() -> None:
    template = {name: name for name in ("thought", "action", "args")}
    call = score_instruct(
        "no idea", gold={"action": "a", "args": {}}, template=template, response_format="json"
    )
    plan = score_plan("no idea", gold=[], profile=TEvalProfile.PAPER, similarity=CharacterTriples())
    assert not any({**call.model_dump(), **plan.model_dump()}.values())


def test_next_steps_are_split_by_whether_there_was_a_choice() -> None:
    items: Items = {
        Subset.RETRIEVE_STR: {
            "1": _retrieve("Mail.send", ambiguous=True),
            "2": _retrieve("Mail.send", ambiguous=False),
        }
    }
    replies = {(Subset.RETRIEVE_STR, "1"): "Map.route", (Subset.RETRIEVE_STR, "2"): "Mail.send"}
    splits = _scored(items, replies).splits
    assert [(split.value, split.metric, split.mean) for split in splits] == [
        ("false", "name", 1.0),
        ("true", "name", 0.0),
    ]


def test_what_rests_on_a_missing_file_has_no_score() -> None:
    scores = _scored(_REVIEWS, dict.fromkeys(_KEYS.values(), "A"))
    assert scores.abilities["review"] == 0.5
    assert {name for name, value in scores.abilities.items() if value is None} == {
        *("instruct", "plan", "reason", "retrieve", "understand")
    }
    assert scores.overall is None


def test_a_file_nobody_answered_is_missing_rather_than_nothing_worth() -> None:
    items = {**_REVIEWS, Subset.RETRIEVE_STR: {"1": _retrieve("Mail.send", ambiguous=False)}}
    scores = _scored(items, {_KEYS["a"]: "A"})
    assert list(scores.subsets) == ["review_str"]


def test_instructions_of_each_format_have_metrics_of_their_own() -> None:
    gold: JsonObject = {"action": "Mail.send", "args": {"to": "ann"}}
    marks = dict(
        zip(
            ("thought_start", "thought_end", "action_start", "action_end", "args_start", "args_end"),
            ("T:", "\n", "C:", "\n", "A:", ""),
            strict=True,
        )
    )
    items: Items = {
        Subset.INSTRUCT: {
            "1": {
                "template": {"thought": "why", "action": "tool", "args": "with"},
                "ground_truth": gold,
                "meta_data": {"response_format": "json"},
            },
            "2": {"template": {**marks}, "ground_truth": gold, "meta_data": {"response_format": "string"}},
        }
    }
    replies = {
        (Subset.INSTRUCT, "1"): '{"why": "", "tool": "Mail.send", "with": {"to": "bob"}}',
        (Subset.INSTRUCT, "2"): "T: x\nC: Map.route\nA: {'to': 'ann'}",
    }
    scores = _scored(items, replies)
    assert scores.subsets["instruct_json"].metrics == {
        "json_format_metric": 1.0,
        "json_args_em_metric": 0.5,
        "json_params_metric": 0.0,
        "string_format_metric": 1.0,
        "string_args_em_metric": 0.5,
        "string_params_metric": 1.0,
    }
    assert scores.abilities["instruct"] == 0.75
    # ((1 + 0) / 2 + (1 + 1) / 2) / 2
    assert scores.beside["instruct_params_only"] == 0.75


@pytest.mark.parametrize(
    "prediction", [None, 3, ["x"], {"a": {}}, "\ud83d", "[" * 5_000, "{" + "[" * 900, "0x" + "f" * 9000]
)
@pytest.mark.parametrize("subset", list(Subset))
def test_no_reply_stops_the_scoring(subset: Subset, prediction: Any) -> None:
    step: JsonObject = {"thought": "t", "name": "A.b", "args": {"k": "v"}}
    golds: dict[Subset, JsonObject] = {
        Subset.INSTRUCT: {
            "ground_truth": {"action": "A.b", "args": {"k": "v"}},
            "template": {"thought": "t", "action": "n", "args": "a"},
            "meta_data": {"response_format": "json"},
        },
        Subset.PLAN_JSON: {"ground_truth": [{"id": 0, "name": "A.b", "args": "{}"}]},
        Subset.PLAN_STR: {
            "ground_truth": [{"id": 0, "name": "A.b", "args": "{}"}],
            "meta": {"prompt_type": "str", "API_list": ["A.b"]},
        },
        Subset.RRU_JSON: {"ground_truth": step},
        Subset.REVIEW_STR: _review("A"),
    }
    body = golds.get(subset, {"ground_truth": step})
    score = _scored({subset: {"1": body}}, {(subset, "1"): prediction})
    assert len(score.subsets) == 1
