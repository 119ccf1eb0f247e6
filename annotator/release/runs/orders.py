"""What can be ordered of runs, as jobs: to ask a model, to score predictions, to write a report."""

from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.files import replace_text
from annotator.jobs import JobContext
from annotator.llm import ChatClient, Endpoint
from annotator.llm.budget import Budget
from annotator.llm.endpoints import find_api_key
from annotator.project.workspace import Done
from annotator.release.reports.album import save_album
from annotator.release.reports.report import report
from annotator.release.reports.score_tables import named
from annotator.release.runs.conversation import RunSetting
from annotator.release.runs.evaluation import evaluate, load_gold, record_run, run_scorecard
from annotator.release.runs.model_run import RunPlan, RunState
from annotator.release.runs.recorded_run import ask_and_record
from scoring.measures.summary import Summary
from scoring.model.record import Record
from scoring.model.taxonomy import InfraErrors, Protocol, ReportFormat, Semantics, ToolMode, Undrawn
from scoring.predictions import Ignored
from scoring.scorecard import ArgumentRules

if TYPE_CHECKING:
    from annotator.project.workspace import Workspace


class RunOrder(Record):
    """A run to be started, or gone on with: `out` says where its answers are.

    `api_key_variable` names the environment variable that holds the key; empty for the keyring or none.
    """

    cases: Path
    model: str
    base_url: str
    api_key_variable: str = ""
    protocol: Protocol = Protocol.WILDTOOL
    tools: ToolMode = ToolMode.NATIVE
    concurrency: int = 4
    budget: Budget = Budget()
    out: Path

    def endpoint(self) -> Endpoint:
        """Where to ask, with its key.

        Raises:
            InputError: The address or the model's name cannot be used, or the variable is not set.
        """
        key = find_api_key(self.base_url, variable=self.api_key_variable or None)
        return Endpoint(self.base_url, self.model, key)

    def carry_out(self, context: JobContext, workspace: "Workspace") -> Done[RunState]:
        """Ask every task that has no answer yet; where all have one, score and record the run. A job.

        Raises:
            ModelError: The endpoint cannot be used or keeps failing; the same order goes on later.
        """
        setting = RunSetting(model=self.model, protocol=self.protocol, tools=self.tools)
        return ask_and_record(
            load_gold(self.cases),
            ChatClient(self.endpoint()),
            plan=RunPlan(setting, budget=self.budget, concurrency=self.concurrency),
            out=self.out,
            context=context,
            project=partial(nullcontext, workspace),
        )


class ImportedRun(Record):
    """What an import left: the run's number, how it scored, what did not count, and whether it was there."""

    run_id: int
    name: str
    summary: Summary
    ignored: tuple[Ignored, ...]
    is_known: bool = False


class PredictionsOrder(Record):
    """Predictions to be scored and kept as one run."""

    cases: Path
    files: tuple[Path, ...]
    name: str
    semantics: Semantics = Semantics.PAPER
    arguments: ArgumentRules = "auto"
    protocol: Protocol | None = None
    undrawn: Undrawn = Undrawn.RECORDED

    def carry_out(self, context: JobContext, workspace: "Workspace") -> Done[ImportedRun]:
        """Score and record; a job."""
        context.progress(0, None, "reading the cases")
        card = evaluate(
            load_gold(self.cases, undrawn=self.undrawn),
            self.files,
            context=context,
            name=self.name,
            semantics=self.semantics,
            arguments=self.arguments,
            protocol=self.protocol,
            source=self.cases,
        )
        recorded = record_run(workspace, card.name, card=card, predictions=self.files, source=self.cases)
        imported = ImportedRun(
            run_id=recorded.value,
            name=card.name,
            summary=card.summary,
            ignored=card.ignored,
            is_known=not recorded.changes.has_runs,
        )
        return Done(imported, recorded.changes)


class ReportOrder(Record):
    """A report of some runs, in the order of the table: numbers and names; without a form it is pictures."""

    runs: tuple[tuple[int, str], ...]
    form: ReportFormat | None
    path: Path
    infra_errors: InfraErrors = InfraErrors.WRONG

    def carry_out(self, context: JobContext, workspace: "Workspace") -> Path:
        """Read the scorecards and write the report into a file, or the pictures into a folder; a job.

        Raises:
            StoreError: The file cannot be written.
        """
        cards = []
        for done, (run_id, name) in enumerate(self.runs):
            context.check_cancelled()
            context.progress(done, len(self.runs), f"reading {name}")
            card = run_scorecard(workspace, run_id).counting(self.infra_errors)
            cards.append(card.model_copy(update={"name": name}))
        context.progress(len(self.runs), None, "writing")
        if self.form is None:
            save_album(named(cards), self.path)
        else:
            replace_text(self.path, report(named(cards), self.form, title="Runs"))
        return self.path
