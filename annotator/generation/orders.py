"""What can be ordered of the generator, as a job: to begin a run, or to go on with one."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from pydantic import Field

from annotator.cases.coverage import project_coverage
from annotator.cases.findings.text_findings import personal_data_in
from annotator.fields import FieldHints
from annotator.generation.estimate import Estimate, estimate_run
from annotator.generation.generation_run import start
from annotator.generation.models import PATIENCE, LoopSetting
from annotator.generation.plan import GenerationPlan, Toolset
from annotator.generation.records import GenerationState
from annotator.generation.run_loop import resume
from annotator.generation.scenarios.scenario_files import personal_warning, read_scenarios
from annotator.generation.toolsets.toolset_files import read_toolsets
from annotator.generation.traversal import filled, with_categories
from annotator.jobs import JobContext
from annotator.llm.endpoints import Patience
from annotator.project.workspace import Workspace
from scoring.errors import NotFoundError, existing
from scoring.model.record import Record

_TELL_SECONDS = 0.25


class GenerationOrder(Record):
    """A run: `run` is its number once it has begun, then plan and files are not looked at again.

    `scenarios` is a file of scenarios; the run keeps what it holds.
    """

    plan: GenerationPlan
    files: tuple[Path, ...] = Field(default=(), title="Toolsets")
    scenarios: Path | None = None
    concurrency: Annotated[int, FieldHints(unit=" dialogues at once")] = Field(default=4, ge=1, le=256)
    patience: Patience = PATIENCE
    run: int | None = None

    def toolsets(self) -> tuple[Toolset, ...]:
        """Every toolset of the files.

        Raises:
            InputError: A file cannot be read or holds no tools.
        """
        return tuple(found.toolset for file in self.files for found in read_toolsets(file))

    def steered(self) -> GenerationPlan:
        """The plan, with the scenarios of the file.

        Raises:
            InputError: It cannot be read, or holds something else.
        """
        if self.scenarios is None:
            return self.plan
        return self.plan.model_copy(update={"scenarios": read_scenarios(self.scenarios)})

    def warning(self) -> str:
        """What is to be known before the start; empty for nothing.

        Raises:
            InputError: See `steered`.
        """
        return personal_warning({one.name: personal_data_in(one.text) for one in self.steered().scenarios})

    def estimate(self, workspace: Workspace, *, context: JobContext) -> Estimate:
        """What the run will take, beside what the project has; a job, since it reads every case.

        Raises:
            InputError: A file cannot be read, or what is wanted cannot be made.
        """
        context.progress(0, None, "reading the cases")
        present = project_coverage(workspace, context=context)
        plan = filled(workspace, self.steered())
        toolsets = with_categories(workspace, plan, self.toolsets())
        return estimate_run(plan, toolsets, plan.sequences, present=present)

    def begin(self, workspace: Workspace) -> int | None:
        """Begin the run, or find the one this order began; None where nothing is missing."""
        return self.run if self.run is not None else start(workspace, self.steered(), self.toolsets())

    def carry_out(
        self,
        workspace: Workspace,
        *,
        context: JobContext,
        listen: Callable[[GenerationState], object] | None = None,
    ) -> GenerationState:
        """Work on the run until it is finished, at its limit, or waits for people only. A job.

        Args:
            workspace: Whose manager or annotator generates.
            context: Progress and cancelling.
            listen: Told the state a few times a second and at the end, on the job's thread.

        Raises:
            NotFoundError: No sequence of policies is missing.
            InputError, ForbiddenError: See `start`.
            ModelError, BlockedError, StoreError, ConflictError, JobCancelled: See `resume`.
        """
        run = existing(
            self.begin(workspace),
            NotFoundError("No sequence of policies is missing.", "Choose every sequence, or name some."),
        )
        setting = LoopSetting(
            concurrency=self.concurrency, patience=self.patience, listen=_at_times(listen) if listen else None
        )
        state = resume(workspace, run, context=context, setting=setting)
        if listen:
            listen(state)
        return state


def _at_times(tell: Callable[[GenerationState], object]) -> Callable[[GenerationState], object]:
    told_at, outage = float("-inf"), ""

    def listen(state: GenerationState) -> None:
        nonlocal told_at, outage
        is_due = time.monotonic() - told_at >= _TELL_SECONDS
        if is_due or state.is_finished or state.outage != outage:
            told_at, outage = time.monotonic(), state.outage
            tell(state)

    return listen
