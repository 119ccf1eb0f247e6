"""How much of a run's time is ours: an endpoint that answers in 50 ms should be what a run waits for."""

from itertools import count
from pathlib import Path

from pytest_benchmark.fixture import BenchmarkFixture

from annotator.release.runs.conversation import RunSetting
from annotator.release.runs.model_run import RunPlan
from tests.bench.yardsticks import compare
from tests.factories import answer, case, task, tool
from tests.scripted_model.asking import MODEL, run, scripted
from tests.scripted_model.server import Sent

TASKS, AT_ONCE, SECONDS = 512, 16, 0.05


def the_endpoint_alone() -> float:
    """What the replies would take if nothing else did: 512 / 16 x 0.05 = 1.6 s."""
    return TASKS / AT_ONCE * SECONDS


def test_five_hundred_tasks_take_little_longer_than_the_endpoint(
    benchmark: BenchmarkFixture, tmp_path: Path
) -> None:
    tools = [tool(f"tool{i}", required=["a"], a={"type": "string"}) for i in range(6)]
    cases = [
        case(*(task(answer(), user=f"Request {i}.{t}") for t in range(4)), id=f"c-{i}", tools=tools)
        for i in range(TASKS // 4)
    ]
    files = count()

    def whole_run() -> int:
        plan = RunPlan(setting=RunSetting(model=MODEL), concurrency=AT_ONCE)
        reply = Sent(message={"role": "assistant", "content": "Yes."}, delay_seconds=SECONDS)
        with scripted(lambda _: reply) as (client, _):
            return run(cases, client, tmp_path / f"{next(files)}.jsonl", plan=plan).correct

    correct = benchmark.pedantic(whole_run, rounds=1, iterations=1)  # type: ignore[no-untyped-call]
    assert correct == TASKS
    if benchmark.stats:
        # It runs in this process, too.
        compare(benchmark, benchmark.stats.stats.median, against=the_endpoint_alone)
