"""How long T-Eval takes: as many items as the published set has, and a release that is cut into items."""

import os
import tracemalloc
from functools import cache
from pathlib import Path
from time import perf_counter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from annotator.release.runs.evaluation import load_cases
from annotator.teval.items_folder import weights_folder
from scoring.errors import BlockedError
from scoring.model.case import Case
from scoring.teval.derivation import derive
from scoring.teval.embeddings import EmbeddedSimilarity, Encoder, MiniLM
from scoring.teval.evaluators import TEvalProfile
from scoring.teval.items import Replies
from scoring.teval.scores import score_items
from scoring.teval.similarity import CharacterTriples, Similarity
from scoring.teval.subsets import Items, Subset
from tests.bench.yardsticks import compare, json_of_the_samples
from tests.scoring.teval.agents import WEAK, agent_replies
from tests.scoring.teval.sample_items import with_thoughts
from tests.shared import ROOT

PUBLISHED = 23_305
"""Items of the published set (teval 3.7)."""
LOOP = 200
"""Items for the loop without a cache, which takes as long for each of the others."""


def _copies(count: int) -> list[Case]:
    """Cases with thoughts, no two of which are the same."""
    samples = load_cases(ROOT / "resources" / "samples" / "cases.jsonl")
    found = []
    for number in range(count):
        case = with_thoughts(samples[number % len(samples)])
        tasks = []
        for task in case.tasks:
            steps = tuple(
                step.model_copy(update={"thought": f"{step.thought} It is request {number}."})
                if step.kind != "ask"
                else step
                for step in task.steps
            )
            tasks.append(task.model_copy(update={"steps": steps}))
        found.append(case.model_copy(update={"id": f"copy-{number}", "tasks": tuple(tasks)}))
    return found


@cache
def _published_size() -> tuple[Items, Replies]:
    items: Items = {subset: {} for subset in Subset}
    found = derive(_copies(400)).items
    left = PUBLISHED
    for subset in Subset:
        items[subset] = dict(list(found[subset].items())[:left])
        left -= len(items[subset])
    return items, agent_replies(items, WEAK["reason"])


def _encoder() -> Encoder:
    """The real weights: a test has a home of its own, so a variable names the folder."""
    try:
        return MiniLM(Path(os.environ.get("TEVAL_WEIGHTS") or weights_folder()))
    except BlockedError as exc:
        pytest.skip(f"{exc.message} {exc.hint}")


def _score(similarity: Similarity) -> float:
    items, replies = _published_size()
    started = perf_counter()
    results = score_items(items, replies, profile=TEvalProfile.PAPER, similarity=similarity)
    assert len(results) == sum(map(len, items.values())) == PUBLISHED
    return perf_counter() - started


@pytest.mark.slow
def test_the_published_size_is_scored_by_letters(benchmark: BenchmarkFixture) -> None:
    seconds = benchmark.pedantic(_score, (CharacterTriples(),), rounds=1)  # type: ignore[no-untyped-call]
    compare(benchmark, seconds, against=json_of_the_samples)


@pytest.mark.slow
def test_a_warm_cache_saves_embedding_and_a_loop_without_one_embeds_everything(
    benchmark: BenchmarkFixture, tmp_path: Path
) -> None:
    encoder = _encoder()
    cold = _score(EmbeddedSimilarity(encoder, cache=tmp_path))
    again = EmbeddedSimilarity(encoder, cache=tmp_path)
    warm = benchmark.pedantic(_score, (again,), rounds=1)  # type: ignore[no-untyped-call]
    items, replies = _published_size()
    some = list(items[Subset.REASON_STR].items())[:LOOP]
    started = perf_counter()
    for name, body in some:
        gold = body["ground_truth"]
        encoder.embed([replies[Subset.REASON_STR, name].prediction])
        encoder.embed([str(gold["thought"]) if isinstance(gold, dict) else ""])
    each = (perf_counter() - started) / len(some)
    print(f"\ncold {cold:.1f} s, warm {warm:.1f} s ({cold / warm:.1f} x), loop {1000 * each:.1f} ms an item")
    assert warm < cold


@pytest.mark.slow
def test_a_release_of_a_thousand_cases_is_cut_into_items(benchmark: BenchmarkFixture) -> None:
    cases = _copies(1_000)
    started = perf_counter()
    found = benchmark.pedantic(derive, (cases,), rounds=1)  # type: ignore[no-untyped-call]
    seconds = perf_counter() - started
    assert all(found.items.values())
    compare(benchmark, seconds, against=json_of_the_samples)
    tracemalloc.start()
    derive(cases[:100])
    print(f"\nmemory for 100 cases: {tracemalloc.get_traced_memory()[1] / 2**20:.0f} MB")
    tracemalloc.stop()
