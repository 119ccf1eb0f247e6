"""The sample project is filled by a recorded run, in which nobody is asked."""

import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.generation.prompts import prompts_in
from annotator.generation.records import AttemptFailure, RunStatus
from annotator.generation.sample_run import generate_sample, read_recording
from annotator.jobs import JobCancelled, JobContext
from annotator.project.workspace import Workspace
from annotator.release.sample_project import found_demo

STALE = "the recording is of other prompts or sample cases: run `make recording`"


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[Workspace]:
    """The sample project with its cases imported."""
    workspace = found_demo(str(tmp_path / "samples.db"))
    yield workspace
    workspace.close()


def test_the_recorded_run_ends_as_it_did_when_it_was_recorded(sample: Workspace) -> None:
    recording = read_recording()
    assert recording.run.prompt_version == prompts_in(recording.run.plan.language).version, STALE
    state = generate_sample(sample, context=JobContext())
    assert AttemptFailure.PROMPT_CHANGED not in state.failures, STALE
    assert (state.status, state.finished) == (RunStatus.FINISHED, len(recording.run.plan.sequences)), STALE
    assert state.requests == len(recording.exchanges), STALE
    assert state.failures == Counter(row.failure for row in recording.failed)
    assert generate_sample(sample, context=JobContext()).requests == state.requests


def test_a_cancelled_replay_goes_on_and_stores_nothing_twice(sample: Workspace) -> None:
    cancel = threading.Event()
    context = JobContext(lambda _: cancel.set(), cancel=cancel)
    with pytest.raises(JobCancelled):
        generate_sample(sample, context=context)
    state = generate_sample(sample, context=JobContext())
    assert (state.status, state.requests) == (RunStatus.FINISHED, len(read_recording().exchanges))
