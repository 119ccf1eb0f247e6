"""What can be ordered of runs, as jobs: to ask a model, to score predictions, to write a report."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Annotated

from pydantic import Field

from annotator.fields import VARIABLE, FieldHints
from annotator.files import readable_files, replace_bytes
from annotator.jobs import JobContext
from annotator.llm import ChatClient
from annotator.llm.budget import Spending
from annotator.llm.endpoints import ADDRESS_EXAMPLE, KEY_EXAMPLE, Endpoint, Patience, find_api_key
from annotator.project.changes import Changes
from annotator.project.workspace import Done, Workspace
from annotator.release.reports.album import album, save_album
from annotator.release.reports.dataset_tables import set_name
from annotator.release.reports.paper import write_paper
from annotator.release.reports.report import report
from annotator.release.reports.run_groups import named
from annotator.release.reports.teval_section import read_teval, teval_pictures
from annotator.release.runs.evaluation import evaluate, load_gold
from annotator.release.runs.model_cards import guess_card
from annotator.release.runs.model_run import RunPlan, RunState, run_model
from annotator.release.runs.recorded_runs import record_run, run_scorecard
from scoring.golds import GoldSet
from scoring.measures.summary import Summary
from scoring.model.record import Record
from scoring.model.taxonomy import Grouping, InfraErrors, Protocol, ReportFormat, Semantics, Undrawn
from scoring.predictions import Ignored
from scoring.scorecard import ArgumentRules


class RunOrder(Record):
    """A run to be started, or gone on with: `out` says where its answers are.

    `api_key_variable` names the environment variable that holds the key; empty for the keyring or none.
    `name` is what the run is called; empty for its model and setting. `stream` asks for replies as streams,
    which tells the time to the first token; what is resumed may say otherwise than what was.
    """

    cases: Path
    base_url: str = Field(min_length=1, title="Address", examples=[ADDRESS_EXAMPLE])
    api_key_variable: Annotated[str, VARIABLE] = Field(default="", title="API key in", examples=[KEY_EXAMPLE])
    plan: RunPlan
    patience: Patience = Patience()
    out: Path = Field(title="Answers in")
    name: str = ""
    stream: bool = Field(default=False, title="Time the first token")

    @property
    def model(self) -> str:
        """The model's name at the endpoint."""
        return self.plan.setting.model

    def endpoint(self) -> Endpoint:
        """Where to ask, with its key.

        Raises:
            InputError: The address or the model's name cannot be used, or the variable is not set.
        """
        key = find_api_key(self.base_url, variable=self.api_key_variable or None)
        return Endpoint(self.base_url, self.model, key)

    def carry_out(
        self,
        workspace: Workspace | None,
        *,
        context: JobContext,
        listen: Callable[[RunState], object] | None = None,
    ) -> Done[RunState]:
        """Ask every task that has no answer yet; where all have one, score and record the run. A job.

        Carried out again, it goes on where it stopped; a run that is recorded already stays one.

        Args:
            workspace: Where the run is recorded; None for nowhere.
            context: Progress, and cancellation.
            listen: Told how the run stands; see `run_model`.

        Returns:
            How the run stands, with its number in the project where it is recorded.

        Raises:
            ModelError: The endpoint cannot be used or keeps failing; the same order goes on later.
            BlockedError, JobCancelled, InputError, ConflictError, StoreError: See `run_model`.
        """
        with readable_files(self.cases) as (read,):
            gold = load_gold(read)
        return self.record(workspace, gold, self.ask(gold, context=context, listen=listen), context=context)

    def ask(
        self,
        gold: GoldSet,
        *,
        context: JobContext,
        listen: Callable[[RunState], object] | None = None,
        shared: list[Spending] | None = None,
    ) -> RunState:
        """Ask every task that has no answer yet; see `run_model`."""
        endpoint, setting = self.endpoint(), self.plan.setting
        plan = self.plan
        if plan.model_card is None:
            prices = plan.budget.model_dump(include={"prompt_price", "completion_price"}, exclude_none=True)
            guessed = guess_card(self.model)
            plan = plan.model_copy(update={"model_card": guessed and guessed.with_values(prices)})
        client = ChatClient(endpoint, sampling=setting.sampling, patience=self.patience, stream=self.stream)
        with closing(client):
            return run_model(
                gold, client, plan=plan, out=self.out, context=context, listen=listen, shared=shared
            )

    def record(
        self, workspace: Workspace | None, gold: GoldSet, state: RunState, *, context: JobContext
    ) -> Done[RunState]:
        """Score and record the run where every task has its answer."""
        if workspace is None or not state.is_finished:
            return Done(state, Changes())
        card = evaluate(
            gold,
            [self.out],
            context=context,
            name=self.name,
            arguments=self.plan.arguments,
            protocol=self.plan.setting.protocol,
        )
        recorded = record_run(workspace, card.name, card=card, predictions=[self.out])
        return Done(state.model_copy(update={"run": recorded.value}), recorded.changes)


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
    files: tuple[Path, ...] = Field(min_length=1, title="Predictions")
    name: str = Field(
        default="",
        max_length=200,
        title="Model",
        examples=["As the predictions say, else the name of the first file"],
    )
    semantics: Annotated[Semantics, FieldHints(topic="semantics")] = Field(
        default=Semantics.PAPER, title="Judged"
    )
    arguments: Annotated[ArgumentRules, FieldHints(topic="semantics")] = "auto"
    protocol: Protocol | None = Field(default=None, title="Shown history")
    undrawn: Annotated[Undrawn, FieldHints(topic="semantics")] = Field(
        default=Undrawn.RECORDED, title="Undrawn tasks"
    )

    def carry_out(self, workspace: Workspace, *, context: JobContext) -> Done[ImportedRun]:
        """Score and record; a job. Raises as `evaluate` does."""
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
    """A report of some runs, in the order of the table: numbers and names; without a form it is pictures.

    With `cases`, the release folder or file of their cases, it is the whole results section of a paper.
    `teval` has folders of T-Eval scores that stand beside the runs; one that is gone is left out.
    """

    runs: tuple[tuple[int, str], ...]
    form: ReportFormat | None
    path: Path
    infra_errors: InfraErrors = InfraErrors.WRONG
    by: tuple[Grouping, ...] = ()
    cases: Path | None = None
    teval: tuple[Path, ...] = ()

    def carry_out(self, workspace: Workspace, *, context: JobContext) -> Path:
        """Read the scorecards and write the report into a file, pictures or paper into a folder; a job.

        Raises:
            InputError: The folder of a paper holds something else, or runs are of other cases.
            StoreError: The file cannot be written.
        """
        cards = [
            run_scorecard(workspace, run_id).counting(self.infra_errors).model_copy(update={"name": name})
            for run_id, name in context.each(self.runs, "reading runs")
        ]
        context.progress(len(self.runs), None, "writing")
        teval = read_teval([folder for folder in self.teval if folder.is_dir()])
        if self.cases is not None:
            write_paper(
                load_gold(self.cases),
                cards,
                self.path,
                release=set_name(self.cases),
                by=self.by,
                teval=teval,
            )
        elif self.form is None:
            save_album((*album(named(cards)), *teval_pictures(teval)), self.path)
        else:
            replace_bytes(self.path, report(named(cards), self.form, title="Runs", by=self.by, teval=teval))
        return self.path
