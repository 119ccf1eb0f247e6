"""Asking a model every task of a set of cases: several at once, resumable, within a budget, scored live."""

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotator.jobs import JobCancelled, JobContext
from annotator.llm import ChatClient, ModelError
from annotator.release.conversing import Conversation, RunSetting, converse
from annotator.release.run_files import PredictionFile, open_predictions
from annotator.release.spending import Budget, OverBudget, Spending
from scoring.evaluation import GoldSet, gold_set, profile_for
from scoring.gold import Gold
from scoring.intervals import Interval, wilson_interval
from scoring.model.case import Case
from scoring.model.record import Record
from scoring.predictions import Prediction
from scoring.rates import Rate, rate
from scoring.scorecard import ArgumentRules
from scoring.task_scores import score_task
from scoring.wording import counted

_FAILURES_IN_A_ROW = 10
"""Tasks that fail outside the model one after another before a run stops by itself."""
_LOOK_SECONDS = 0.2
"""How often a run looks whether it was cancelled."""


class RunState(Record):
    """How a run stands.

    Of `total` tasks `answered` have an answer, `resumed` of these from earlier sittings, and `correct`
    count as right. `infra_errors` failed outside the model in this sitting; the next one asks them again.
    Tokens are those of all sittings, `dollars` null without prices.
    """

    total: int
    resumed: int = 0
    answered: int = 0
    correct: int = 0
    infra_errors: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    dollars: float | None = None
    is_over_budget: bool = False

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
        """95 % interval of the accuracy (Wilson); null before the first answer."""
        return wilson_interval(self.correct, self.answered)

    @property
    def note(self) -> str:
        """In a few words, for a progress bar."""
        parts = []
        bounds = self.interval
        if bounds:
            half = 50 * (bounds.high - bounds.low)
            parts.append(f"accuracy {100 * self.correct / self.answered:.1f} ± {half:.1f}")
        if self.dollars is not None:
            parts.append(f"${self.dollars:.2f}")
        if self.infra_errors:
            parts.append(f"{self.infra_errors} failed outside the model")
        return ", ".join(parts) or "asking"


@dataclass(frozen=True)
class RunPlan:
    """What is asked, how, and within which limits.

    Attributes:
        setting: What the model is shown and how it is read.
        budget: What the run may take; answers that are in the file already count.
        concurrency: How many tasks are asked at once.
        arguments: Rules for arguments: for same-named calls, and for the accuracy so far.
    """

    setting: RunSetting
    budget: Budget = field(default_factory=Budget)
    concurrency: int = 4
    arguments: ArgumentRules = "auto"


def run_model(
    cases: Sequence[Case] | GoldSet,
    client: ChatClient,
    *,
    plan: RunPlan,
    out: Path,
    context: JobContext,
    listen: Callable[[RunState], object] | None = None,
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
        listen: Told the state at the start, after every task and at the end, on this thread.

    Returns:
        The state at the end: finished, or over the budget.

    Raises:
        ModelError: The endpoint cannot be used or keeps failing; the same call goes on later.
        BlockedError: There is a budget and the endpoint does not report tokens.
        JobCancelled: The context was cancelled; what was finished is kept.
        InputError, ConflictError, StoreError: See `open_predictions`.
    """
    gold = cases if isinstance(cases, GoldSet) else gold_set(cases)
    with open_predictions(out, cases_sha256=gold.cases_sha256, setting=plan.setting) as file:
        sitting = _Sitting(gold, client, plan=plan, file=file)

        def tell() -> None:
            state = sitting.state
            context.progress(state.asked, state.total, state.note)
            if listen:
                listen(state)

        tell()
        try:
            for _ in sitting.work():
                tell()
                context.check_cancelled()
        except KeyboardInterrupt:
            sitting.leave()
            raise
        finally:
            sitting.wind_up()
            tell()
        return sitting.state


class _Sitting:
    """One call of `run_model`: threads that ask, and this thread that writes down what they hear.

    The threads are daemons, so that a second Ctrl+C need not wait for an endpoint.
    """

    def __init__(self, gold: GoldSet, client: ChatClient, *, plan: RunPlan, file: PredictionFile) -> None:
        self._gold = gold
        self._client = client
        self._plan = plan
        self._file = file
        self._profiles = {name: profile_for(case, plan.arguments) for name, case in gold.cases.items()}
        self._spending = Spending(plan.budget)
        for usage in file.usages:
            self._spending.add(usage)
        earlier = [(gold.golds[key], said) for key, said in file.answered.items() if key in gold.golds]
        self._resumed = len(earlier)
        self._answered = len(earlier)
        self._correct = sum(self._is_correct(one, said) for one, said in earlier)
        self._failed = 0
        self._failed_in_a_row = 0
        self._is_over_budget = False
        self._is_left = False
        self._todo = deque(one for key, one in gold.golds.items() if key not in file.answered)
        self._heard: queue.SimpleQueue[Conversation | Exception | None] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._ask_on, name=f"run-{i}", daemon=True)
            for i in range(max(1, min(plan.concurrency, len(self._todo))))
        ]

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
            is_over_budget=self._is_over_budget,
        )

    def work(self) -> Iterator[None]:
        """Start asking; comes back after every task, and every moment without one."""
        for thread in self._threads:
            thread.start()
        at_work = len(self._threads)
        while at_work:
            try:
                heard = self._heard.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                yield
                continue
            if isinstance(heard, Conversation):
                self._keep(heard)
                self._check_endpoint(heard)
                yield
            elif isinstance(heard, OverBudget):
                self._is_over_budget = True
                self._stop.set()
            elif heard is None:
                at_work -= 1
            else:
                raise heard

    def leave(self) -> None:
        """Let no reply be waited for any longer."""
        self._is_left = True

    def wind_up(self) -> None:
        """Let the replies under way arrive unless left, and keep what is finished."""
        self._stop.set()
        for thread in self._threads:
            # In short waits: Windows lets no Ctrl+C interrupt a long one.
            while thread.is_alive() and not self._is_left:
                thread.join(_LOOK_SECONDS)
        while not self._heard.empty():
            heard = self._heard.get()
            if isinstance(heard, Conversation):
                self._keep(heard)

    def _ask_on(self) -> None:
        """Ask task after task; what happens is told to the thread that runs the sitting, null at the end."""
        while not self._stop.is_set():
            try:
                one = self._todo.popleft()
            except IndexError:
                break
            try:
                self._heard.put(self._converse(one))
            except JobCancelled:
                break
            except Exception as exc:
                self._heard.put(exc)
                break
        self._heard.put(None)

    def _converse(self, one: Gold) -> Conversation:
        return converse(
            self._gold.cases[one.case_id],
            one,
            client=self._client,
            setting=self._plan.setting,
            profile=self._profiles[one.case_id],
            spending=self._spending,
            stop=self._stop,
        )

    def _is_correct(self, one: Gold, said: Prediction) -> bool:
        return score_task(one, said, profile=self._profiles[one.case_id]).is_correct

    def _keep(self, heard: Conversation) -> None:
        self._file.append(heard)
        if heard.error:
            self._failed += 1
        else:
            self._answered += 1
            self._correct += self._is_correct(heard.gold, heard.prediction)

    def _check_endpoint(self, heard: Conversation) -> None:
        """Stop asking an endpoint that fails task after task; a refusal concerns one task only.

        Raises:
            ModelError: Too many failed in a row.
        """
        if heard.error is None:
            self._failed_in_a_row = 0
        elif not heard.is_refused:
            self._failed_in_a_row += 1
        if heard.error and self._failed_in_a_row >= _FAILURES_IN_A_ROW:
            raise ModelError(
                f"{counted(self._failed_in_a_row, 'task')} in a row failed outside the model. "
                f"{heard.error.message}",
                "Run the same command again once the endpoint is well.",
                kind=heard.error.kind,
            )
