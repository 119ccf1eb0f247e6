"""Asking a model every task of a set of cases: several at once, resumable, within a budget, scored live."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from annotator.fields import FieldHints
from annotator.jobs import JobContext
from annotator.llm import ChatClient
from annotator.llm.budget import Budget, Spending
from annotator.llm.work_queue import FailureCount, WorkQueue
from annotator.release.runs.conversation import Conversation, RunSetting, converse
from annotator.release.runs.predictions_file import PredictionFile, open_predictions
from scoring.errors import InputError
from scoring.evaluation import profile_for
from scoring.golds import GoldSet, gold_set
from scoring.matching.gold import Gold
from scoring.matching.task_scores import score_task
from scoring.measures.intervals import Interval, wilson_interval
from scoring.measures.rates import Rate, rate
from scoring.model.case import Case
from scoring.model.record import Record
from scoring.model_card import ModelCard
from scoring.predictions import Prediction
from scoring.scorecard import ArgumentRules
from scoring.wording import counted


class RunState(Record):
    """How a run stands.

    Of `total` tasks `answered` have an answer, `resumed` of these from earlier sittings, and `correct`
    count as right. `infra_errors` failed outside the model in this sitting; the next one asks them again.
    Tokens are those of all sittings, `dollars` None without prices, `dollar_limit` None without a limit.
    `run` is its number in the project, None while it is not recorded in one.
    """

    total: int
    resumed: int = 0
    answered: int = 0
    correct: int = 0
    infra_errors: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    dollars: float | None = None
    dollar_limit: float | None = None
    is_over_budget: bool = False
    run: int | None = None

    @property
    def asked(self) -> int:
        """Tasks that need not be asked again in this sitting."""
        return self.answered + self.infra_errors

    @property
    def is_finished(self) -> bool:
        """Whether every task was asked."""
        return self.asked >= self.total

    @property
    def accuracy(self) -> Rate:
        """Right answers among all answers so far."""
        return rate(self.correct, self.answered)

    @property
    def interval(self) -> Interval | None:
        """95 % interval of the accuracy (Wilson); None before the first answer."""
        return wilson_interval(self.correct, self.answered)

    @property
    def note(self) -> str:
        """In a few words, for a progress bar."""
        parts = []
        bounds = self.interval
        if bounds:
            half = 50 * (bounds.high - bounds.low)
            parts.append(f"accuracy so far {100 * self.correct / self.answered:.1f} ± {half:.1f}")
        if self.dollars is not None:
            limit = f" of ${self.dollar_limit:g}" if self.dollar_limit is not None else ""
            parts.append(f"${self.dollars:.2f}{limit}")
        if self.infra_errors:
            parts.append(f"{self.infra_errors} failed outside the model")
        return ", ".join(parts) or "asking"


class RunPlan(Record):
    """What is asked, how, and within which limits.

    Attributes:
        setting: What the model is shown and how it is read.
        budget: What the run may take; answers that are in the file already count.
        concurrency: How many tasks are asked at once.
        arguments: Rules for arguments: for same-named calls, and for the accuracy so far.
        model_card: What is known of the model; None for nothing.
    """

    setting: RunSetting
    budget: Budget = Field(default_factory=Budget)
    concurrency: Annotated[int, FieldHints(unit=" tasks at once")] = Field(
        default=4, ge=1, le=256, title="Asked"
    )
    arguments: ArgumentRules = "auto"
    model_card: ModelCard | None = None


def run_model(
    cases: Sequence[Case] | GoldSet,
    client: ChatClient,
    *,
    plan: RunPlan,
    out: Path,
    context: JobContext,
    listen: Callable[[RunState], object] | None = None,
    shared: list[Spending] | None = None,
) -> RunState:
    """Ask a model every task that has no answer yet, and append the answers to a predictions file.

    Tasks are independent of each other: each is asked with the gold history of those before it. A task
    is written when it is finished; one that is interrupted is asked again by the next call.

    Args:
        cases: The cases; tasks without a complete gold solution are left out.
        client: The model; it stays open.
        plan: What is asked, how, and within which limits.
        out: The predictions file; where it has answers already the run goes on.
        context: Progress in tasks, and cancellation.
        listen: Told the state at the start, as tasks are finished, and at the end, on this thread.
        shared: The spending of runs that keep one budget together.

    Returns:
        The state at the end: finished, or over the budget.

    Raises:
        ModelError: The endpoint cannot be used or keeps failing; the same call goes on later.
        BlockedError: There is a budget and the endpoint does not report tokens.
        JobCancelled: The context was cancelled; what was finished is kept.
        InputError, ConflictError, StoreError: See `open_predictions`.
    """
    gold = cases if isinstance(cases, GoldSet) else gold_set(cases)
    if not gold.golds:
        raise InputError(_why_nothing(gold), "Give cases whose tasks have a complete solution.")
    setting, card = plan.setting, plan.model_card
    card = card.under(setting.dump()) if card else None
    with open_predictions(out, cases_sha256=gold.cases_sha256, setting=setting, model_card=card) as file:
        sitting = _Sitting(gold, client, plan=plan, file=file, shared=shared)

        def tell() -> None:
            state = sitting.state
            context.progress(state.asked, state.total, state.note)
            if listen:
                listen(state)

        def look(heard: Sequence[Conversation]) -> None:
            tell()
            for one in heard:
                sitting.failures.heard(one.failure)

        tell()
        try:
            sitting.queue.run(sitting.keep, look, context=context)
        finally:
            tell()
        return sitting.state


def _why_nothing(gold: GoldSet) -> str:
    if not gold.not_scorable:
        return "There is no case to ask."
    first = gold.not_scorable[0]
    tasks = counted(len(gold.not_scorable), "task")
    return f"None of {tasks} can be asked. Case {first.case}, task {first.task}: {first.reason}"


class _Sitting:
    """One call of `run_model`: threads that ask, and this thread that writes down what they hear."""

    def __init__(
        self,
        gold: GoldSet,
        client: ChatClient,
        *,
        plan: RunPlan,
        file: PredictionFile,
        shared: list[Spending] | None,
    ) -> None:
        self._gold = gold
        self._client = client
        self._plan = plan
        self._file = file
        self._profiles = {name: profile_for(case, plan.arguments) for name, case in gold.cases.items()}
        self._spending = Spending(plan.budget, shared=shared)
        for usage in file.usages:
            self._spending.add(usage)
        earlier = [(gold.golds[key], said) for key, said in file.answered.items() if key in gold.golds]
        self._resumed = len(earlier)
        self._answered = len(earlier)
        self._correct = sum(self._is_correct(one, said) for one, said in earlier)
        self._failed = 0
        self.failures = FailureCount("task")
        todo = [one for key, one in gold.golds.items() if key not in file.answered]
        left = iter(todo)
        self.queue: WorkQueue[Gold, Conversation] = WorkQueue(
            lambda: next(left, None),
            self._converse,
            thread_count=min(plan.concurrency, len(todo)),
            name="run",
        )

    @property
    def state(self) -> RunState:
        """How the run stands now."""
        return RunState(
            total=len(self._gold.golds),
            resumed=self._resumed,
            answered=self._answered,
            correct=self._correct,
            infra_errors=self._failed,
            prompt_tokens=self._spending.prompt_tokens,
            completion_tokens=self._spending.completion_tokens,
            dollars=self._spending.dollars,
            dollar_limit=self._plan.budget.dollars,
            is_over_budget=self.queue.is_over_budget,
        )

    def _converse(self, one: Gold, tell: Callable[[Conversation], None]) -> None:
        tell(
            converse(
                self._gold.cases[one.case_id],
                one,
                client=self._client,
                setting=self._plan.setting,
                profile=self._profiles[one.case_id],
                spending=self._spending,
                stop=self.queue.stop,
            )
        )

    def _is_correct(self, one: Gold, said: Prediction) -> bool:
        return score_task(one, said, profile=self._profiles[one.case_id]).is_correct

    def keep(self, conversations: Sequence[Conversation]) -> None:
        """Write down what is finished."""
        for heard in conversations:
            self._file.append(heard)
            if heard.error:
                self._failed += 1
            else:
                self._answered += 1
                self._correct += self._is_correct(heard.gold, heard.prediction)
