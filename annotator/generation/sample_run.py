"""Generation without any key: a recorded run fills what the sample project lacks."""

import gzip

from annotator.generation.exchanges import row_of
from annotator.generation.generation_run import (
    GenerationRun,
    start,
    state_of,
    store_replies,
)
from annotator.generation.records import DialogueRow, Exchange, GenerationState
from annotator.generation.run_loop import resume
from annotator.jobs import JobContext
from annotator.project.workspace import Workspace
from annotator.resources import resource_path
from scoring.model.record import Record

BATCH = "generated"
RECORDING = ("samples", "generation.json.gz")
"""Where it lies below the resources; `make recording` writes it anew."""


class Recording(Record):
    """A finished run over the sample project.

    Attributes:
        run: Its plan and toolsets.
        failed: The attempts that became no case.
        exchanges: Everything that was asked, with its reply and what was thought of it.
    """

    run: GenerationRun
    failed: tuple[DialogueRow, ...]
    exchanges: tuple[Exchange, ...]


def read_recording() -> Recording:
    """Read the bundled recording."""
    return Recording.model_validate_json(gzip.decompress(resource_path(*RECORDING).read_bytes()))


def generate_sample(workspace: Workspace, *, context: JobContext) -> GenerationState:
    """Make the sequences that no case of the sample project begins with, by the replies of the recorded run.

    They are stored as the replies of a run that was interrupted, which then goes on to its end.

    Args:
        workspace: Whose manager or annotator generates.
        context: Progress and cancellation.

    Returns:
        How the run ended.

    Raises:
        JobCancelled: Somebody cancelled; the same call goes on.
    """
    recording = read_recording()
    run = start(workspace, recording.run.plan, recording.run.toolsets)
    assert run is not None, "the recorded run has dialogues"
    if not state_of(workspace, run).requests:
        store_replies(workspace, run, [row_of(one) for one in recording.exchanges], recording.failed)
    return resume(workspace, run, context=context)
