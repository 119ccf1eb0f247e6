"""How long scoring takes: a leaderboard of 57 runs over 1,024 tasks, and the widest tasks."""

import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from time import perf_counter, process_time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from annotator.jobs import JobContext
from annotator.release.runs.evaluation import evaluate, load_gold
from annotator.release.runs.workers import score_runs
from scoring.evaluation import score
from scoring.golds import gold_set
from scoring.matching.gold import prepare
from scoring.matching.replay import replay
from scoring.measures.rates import Rate
from scoring.model.case import Answer, Ask, Call, Case, write_case
from scoring.model.record import to_json
from scoring.model.taxonomy import ArgumentProfile, Policy, Semantics
from scoring.orders.legal_orders import first_optimal_order
from scoring.predictions import Prediction, Reply, ToolCall
from tests.bench import ordinary_tasks, published_evaluator
from tests.bench.yardsticks import compare, json_of_the_samples
from tests.factories import answer, ask, call, case, task, tool
from tests.shared import ROOT

RUNS, CASES, TASKS = 57, 256, 4
WORDS = ["harbour", "ferry", "timetable", "saturday", "morning", "window", "seat", "adults", "return", "noon"]
TOOLS = [
    tool(
        name,
        required=["query"],
        query={"type": "string"},
        date={"type": "string"},
        count={"type": "integer"},
        tags={"type": "array", "items": {"type": "string"}},
    )
    for name in ("searchFerries", "getTimetable", "bookSeat", "getWeather", "sendMessage", "findHotel")
]
TEXT = Reply(content="Here is what I found.")


def a_call(rng: Random) -> Call:
    return call(
        rng.choice(TOOLS).name,
        query=" ".join(rng.choices(WORDS, k=rng.randint(1, 8))),
        date=f"2026-0{rng.randint(1, 9)}-1{rng.randint(0, 9)}",
        count=rng.randint(1, 9),
        tags=rng.choices(WORDS, k=2),
    )


def a_case(number: int, rng: Random) -> Case:
    tasks = []
    for i in range(TASKS):
        steps: list[Call | Ask | Answer] = [a_call(rng) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4, 6]))]
        if steps and rng.random() < 0.25:
            steps.insert(0, ask())
        edges = [(a, b) for b in range(len(steps)) for a in range(b) if a == 0 or rng.random() < 0.3]
        tasks.append(task(*steps, answer(), user=f"Request {i}", edges=edges))
    return case(*tasks, id=f"case-{number}", tools=TOOLS)


def a_run(cases: list[Case], rng: Random, *, slip: float) -> Iterator[Prediction]:
    """An agent that follows a shortest order and slips now and then."""
    for one in cases:
        for number in range(TASKS):
            gold = prepare(one, number)
            replies = []
            for chosen in first_optimal_order(gold.lattice):
                calls = []
                for step in chosen:
                    arguments = dict(gold.arguments(step))
                    if rng.random() < slip:
                        arguments["query"] = " ".join(rng.choices(WORDS, k=4))
                    name = gold.graph.names[step] if rng.random() > slip / 4 else "getWeather"
                    calls.append(ToolCall(id=f"c{step}", name=name, arguments=to_json(arguments)))
                is_call = chosen[0] not in gold.graph.pseudo
                replies.append(Reply(tool_calls=tuple(calls)) if is_call else TEXT)
            yield Prediction(case=one.id, task=number, replies=tuple(replies))


@pytest.mark.parametrize("semantics", [Semantics.PAPER, Semantics.REFERENCE])
def test_57_runs_of_1024_tasks_are_scored_within_two_minutes(
    benchmark: BenchmarkFixture, semantics: Semantics
) -> None:
    rng = Random(11)
    cases = [a_case(i, rng) for i in range(CASES)]
    runs = [list(a_run(cases, rng, slip=i / RUNS)) for i in range(RUNS if benchmark.enabled else 1)]

    def leaderboard() -> list[Rate]:
        gold = gold_set(cases)
        return [score(gold, run, semantics=semantics).summary.accuracy.tasks for run in runs]

    started = perf_counter()
    benchmark.pedantic(leaderboard, rounds=1)  # type: ignore[no-untyped-call]
    seconds = perf_counter() - started
    accuracies = leaderboard()
    assert {found.total for found in accuracies} == {1024}
    assert (accuracies[0].value or 0) > 0.9
    if benchmark.enabled:
        assert accuracies[0].count > accuracies[28].count > accuracies[56].count
        compare(benchmark, seconds, against=json_of_the_samples)


def test_57_runs_of_3000_tasks_are_scored_at_once(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    rng = Random(7)
    cases = [a_case(i, rng) for i in range(750 if benchmark.enabled else 2)]
    gold = tmp_path / "cases.jsonl"
    gold.write_text("".join(f"{write_case(one)}\n" for one in cases))
    files = [tmp_path / f"m{i}.jsonl" for i in range(RUNS if benchmark.enabled else 2)]
    for i, file in enumerate(files):
        file.write_text("".join(map(as_line, a_run(cases, rng, slip=i / RUNS))))

    def seconds_of(runs: list[Path]) -> float:
        began = process_time()
        found = list(score_runs(gold, [[file] for file in runs], context=JobContext()))
        assert {card.summary.predictions for card in found} == {len(cases) * TASKS}
        return process_time() - began

    def as_many_alone() -> float:
        return len(files) * seconds_of([files[len(files) // 2]])

    seconds = benchmark.pedantic(seconds_of, (files,), rounds=1)  # type: ignore[no-untyped-call]
    if benchmark.enabled:
        compare(benchmark, seconds, against=as_many_alone)


def as_line(prediction: Prediction) -> str:
    """A prediction as `annotator run` writes it."""
    replies = [
        {
            "content": reply.content,
            "tool_calls": [
                {"id": one.id, "function": {"name": one.name, "arguments": one.arguments}}
                for one in reply.tool_calls
            ],
        }
        for reply in prediction.replies
    ]
    return to_json({"case": prediction.case, "task": prediction.task, "replies": replies}) + "\n"


def seconds_of_process(*arguments: str | Path) -> float:
    """Processor time of a Python of its own, start and end included."""
    before = os.times()
    subprocess.run([sys.executable, "-m", *map(str, arguments)], check=True, capture_output=True, cwd=ROOT)
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def test_ordinary_tasks_are_scored_by_the_command(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    cases, results = ordinary_tasks.write(tmp_path, 3000 if benchmark.enabled else 5)

    def the_published_steps() -> float:
        return seconds_of_process("tests.bench.published_evaluator", cases, results, tmp_path / "published")

    def ours() -> float:
        return seconds_of_process("ui.cli", "score", cases, results, "-o", tmp_path / "ours")

    seconds = benchmark.pedantic(ours, rounds=1)  # type: ignore[no-untyped-call]
    if benchmark.enabled:
        compare(benchmark, min(seconds, ours(), ours()), against=the_published_steps)


def test_the_evaluator_it_is_held_against_gives_the_published_labels(tmp_path: Path) -> None:
    cases, results = ordinary_tasks.write(tmp_path, 100)
    theirs = published_evaluator.evaluate(cases, results, tmp_path)
    card = evaluate(
        load_gold(cases), [results], context=JobContext(), semantics=Semantics.REFERENCE, source=cases
    )
    assert {task.policy for task in card.tasks} == set(Policy)
    assert {task.label for task in card.tasks} == {"correct", "error"}
    for own, other in zip(card.tasks, theirs, strict=True):
        said = own.case, own.label, own.action_label, own.arguments_label, own.optimal, own.steps_done
        labels = other["label"], other["action_name_label"], other["action_arguments_label"]
        assert said == (other["case"], *labels, other["is_optimal"], other["steps"])


def test_its_paths_are_the_published_ones() -> None:
    lines = (ROOT / "tests" / "golden" / "golden_paths.jsonl").read_text(encoding="utf-8").splitlines()
    for one in map(json.loads, lines):
        found = published_evaluator.paths(one["nodes"], list(map(set, one["dependency_list"])))
        assert found == [list(map(tuple, path)) for path in one["reference_paths"]], one["id"]


@pytest.mark.benchmark(timer=process_time)
def test_twelve_parallel_calls_are_scored(benchmark: BenchmarkFixture) -> None:
    # 28,091,567,595 legal orders; here the model emits them backwards in two rounds
    steps = [call("searchFerries", query=f"ferry number {i}", count=i) for i in range(12)]
    gold = prepare(case(task(*steps, answer()), tools=TOOLS), 0)
    calls = [
        ToolCall(name="searchFerries", arguments=to_json(gold.arguments(step)))
        for step in reversed(range(12))
    ]
    replies = (Reply(tool_calls=tuple(calls[:5])), Reply(tool_calls=tuple(calls[5:])), TEXT)
    match = benchmark(replay, gold, replies, profile=ArgumentProfile.WTB)
    assert match.names_correct
    assert match.first_bad_arguments is None
    if benchmark.stats:
        compare(benchmark, benchmark.stats.stats.median, against=json_of_the_samples)


def test_memory_is_flat_in_the_number_of_predictions() -> None:
    cases = [a_case(0, Random(3))]
    text = "x" * 10_000

    def flood(count: int) -> Iterator[Prediction]:
        for i in range(count):
            yield Prediction(case="case-0", task=i % TASKS, replies=(Reply(content=text + str(i)),))

    def peak(count: int) -> int:
        tracemalloc.start()
        score(cases, flood(count))
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(10)
    assert peak(4000) < peak(2000) * 1.2
    assert len(list(islice(flood(3), 5))) == 3
