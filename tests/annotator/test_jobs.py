"""Progress, cancelling and results of jobs, inline and on threads."""

import os
import threading
from collections.abc import Iterator
from functools import partial
from multiprocessing import active_children
from multiprocessing.connection import wait

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.jobs import Job, JobCancelled, JobContext, JobRunner, ProgressReport, spread


def _count(context: JobContext, limit: int) -> int:
    for done in range(limit):
        context.check_cancelled()
        context.progress(done + 1, limit, "counting")
    return limit


def _wait_until_cancelled(context: JobContext, started: threading.Event) -> None:
    started.set()
    while True:
        context.check_cancelled()


def _fail(_: JobContext) -> None:
    raise LookupError("no such case")


def test_the_first_and_the_last_report_always_arrive() -> None:
    reports: list[ProgressReport] = []
    _count(JobContext(reports.append), limit=10_000)
    assert [reports[0].done, reports[-1].done] == [1, 10_000]


def test_a_fast_job_does_not_flood_its_listener() -> None:
    """10,000 units in well under 10 s, one report in 50 ms, give far fewer than 200 reports and two."""
    reports: list[ProgressReport] = []
    _count(JobContext(reports.append), limit=10_000)
    assert len(reports) <= 202


def test_every_new_note_arrives() -> None:
    reports: list[str] = []

    def job(context: JobContext) -> None:
        for note in ("reading", "reading", "writing"):
            context.progress(0, 2, note)

    job(JobContext(lambda report: reports.append(report.note)))
    assert reports == ["reading", "writing"]


@pytest.mark.parametrize(
    ("total", "told"), [(None, [(0, None), (1, None), (2, None)]), (2, [(0, 2), (1, 2), (2, 2), (2, 2)])]
)
def test_going_through_units_tells_how_far_and_never_further_than_there_are(
    total: int | None, told: list[tuple[int, int | None]]
) -> None:
    reports: list[tuple[int, int | None]] = []
    context = JobContext()
    context.progress = lambda done, total=None, note="": reports.append((done, total))  # type: ignore[method-assign]
    assert list(context.each(iter("abc"), "reading", total=total)) == list("abc")
    assert reports == told


def test_going_through_units_stops_before_the_next_one() -> None:
    cancel = threading.Event()
    units = JobContext(cancel=cancel).each("abc", "reading")
    assert next(units) == "a"
    cancel.set()
    with pytest.raises(JobCancelled):
        next(units)


@pytest.mark.parametrize(
    ("done", "total", "share"), [(0, 4, 0.0), (1, 4, 0.25), (5, 4, 1.0), (0, 0, 1.0), (7, None, None)]
)
def test_the_share_done_is_a_part_of_one(done: int, total: int | None, share: float | None) -> None:
    assert ProgressReport(done=done, total=total).share == share


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_share_never_leaves_zero_to_one(done: int, total: int) -> None:
    share = ProgressReport(done=done, total=total).share
    assert share is not None
    assert 0 <= share <= 1


def test_a_runner_returns_what_the_job_returned() -> None:
    with JobRunner("test") as runner:
        assert runner.start(partial(_count, limit=5)).result(10) == 5


def test_a_runner_passes_on_what_the_job_raised() -> None:
    with JobRunner("test") as runner, pytest.raises(LookupError, match="no such case"):
        runner.start(_fail).result(10)


def test_a_running_job_stops_when_cancelled() -> None:
    started = threading.Event()
    with JobRunner("test") as runner:
        job = runner.start(partial(_wait_until_cancelled, started=started))
        started.wait(120)
        job.cancel()
        with pytest.raises(JobCancelled):
            job.result(10)


def test_a_waiting_job_never_starts_once_cancelled() -> None:
    started, never = threading.Event(), threading.Event()
    with JobRunner("test") as runner:
        first = runner.start(partial(_wait_until_cancelled, started=started))
        waiting = runner.start(partial(_wait_until_cancelled, started=never))
        started.wait(120)
        waiting.cancel()
        with pytest.raises(JobCancelled):
            waiting.result(10)
        first.cancel()
    assert not never.is_set()


def test_closing_a_runner_cancels_everything_in_it() -> None:
    started, never = threading.Event(), threading.Event()
    runner = JobRunner("test")
    jobs = [runner.start(partial(_wait_until_cancelled, started=event)) for event in (started, never)]
    started.wait(120)
    runner.close()
    for job in jobs:
        with pytest.raises(JobCancelled):
            job.result(0)
    assert not never.is_set()


def test_a_closed_runner_takes_no_more_jobs() -> None:
    runner = JobRunner("test")
    runner.close()
    with pytest.raises(RuntimeError):
        runner.start(_fail)


def test_several_workers_run_jobs_side_by_side() -> None:
    """Two jobs that wait for each other only end where both run at once."""
    met = threading.Barrier(2)

    def meet(_: JobContext) -> int:
        return met.wait(120)

    with JobRunner("test", worker_count=2) as runner:
        jobs = [runner.start(meet), runner.start(meet)]
        assert sorted(job.result(10) for job in jobs) == [0, 1]


def test_whoever_waits_is_called_back_with_the_job() -> None:
    called = threading.Event()
    ended: list[Job[int]] = []

    def note(job: Job[int]) -> None:
        ended.append(job)
        called.set()

    with JobRunner("test") as runner:
        job = runner.start(partial(_count, limit=2))
        job.when_done(note)
        assert called.wait(120)
    assert ended == [job]


def test_reports_of_many_threads_arrive_whole() -> None:
    reports: list[ProgressReport] = []
    context = JobContext(reports.append)
    threads = [threading.Thread(target=_count, args=(context, 500)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(1 <= report.done <= 500 for report in reports)
    assert sum(report.done == 500 for report in reports) == 4


def _where(number: int) -> tuple[int, int]:
    return number, os.getpid()


def _where_but_never_at_three(number: int, *, home: int) -> tuple[int, int]:
    if number == 3 and os.getpid() != home:
        os._exit(1)
    return _where(number)


def test_little_is_done_here_and_much_in_processes_in_its_order() -> None:
    assert list(spread(_where, range(3), is_much=False)) == [(number, os.getpid()) for number in range(3)]
    found = list(spread(_where, range(20), is_much=True, count=2))
    assert [number for number, _ in found] == list(range(20))
    assert os.getpid() not in {place for _, place in found}


def test_what_a_process_had_that_died_is_done_here() -> None:
    act = partial(_where_but_never_at_three, home=os.getpid())
    found = list(spread(act, range(20), is_much=True, count=2))
    assert [number for number, _ in found] == list(range(20))
    assert (3, os.getpid()) in found


def test_no_process_outlives_work_that_is_cancelled() -> None:
    def items() -> Iterator[int]:
        yield from range(8)
        raise JobCancelled

    with pytest.raises(JobCancelled):
        list(spread(_where, items(), is_much=True, count=2))
    for child in active_children():
        assert wait([child.sentinel], 60)  # which says that it ended, whoever asks first how
