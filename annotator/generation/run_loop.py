"""Work on a run: many dialogues at once on threads that ask, and one thread that writes what they hear."""

import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from annotator.cases.file_import import land_cases
from annotator.cases.import_preview import Reject
from annotator.generation.checks.diversity import UsedRequests
from annotator.generation.dialogue import DialogueMaker, DialogueOrder
from annotator.generation.exchanges import (
    AttemptFailed,
    Exchanges,
    WaitingForPerson,
    exchange_from,
    row_of,
)
from annotator.generation.generation_run import (
    ROLES,
    GenerationRun,
    dialogues_of,
    failed_attempts,
    find_run,
    given_up,
    gold_requests,
    state_of,
    store_replies,
    write_dialogue,
)
from annotator.generation.made_case import generated_case
from annotator.generation.models import LoopSetting, Models, open_models
from annotator.generation.records import (
    AttemptFailure,
    DialogueRow,
    DialogueStatus,
    Exchange,
    GenerationState,
    RunStatus,
)
from annotator.generation.traversal import drawn_information
from annotator.jobs import JobCancelled, JobContext
from annotator.llm import ModelError
from annotator.llm.work_queue import FailureCount, WorkQueue
from annotator.project.workspace import Work, Workspace
from db.read import generations, queries
from db.write import generations as writes
from scoring.formats.case_reader import ReadCase
from scoring.groups import grouped
from scoring.model.case import Case
from scoring.predictions import Usage

_LOOK_SECONDS = 0.2


def resume(
    workspace: Workspace, run: int, *, context: JobContext, setting: LoopSetting | None = None
) -> GenerationState:
    """Work on a run until it is finished, over its budget, or waits for people only.

    What is stored is never asked again; a dialogue that is interrupted goes on where it was.

    Args:
        workspace: Whose manager or annotator generates; used by this thread alone meanwhile.
        run: Its number.
        context: Progress in dialogues, and cancellation.
        setting: How it is worked on.

    Returns:
        The state at the end.

    Raises:
        NotFoundError: There is no such run.
        ModelError: An endpoint cannot be used or keeps failing; the same call goes on later.
        BlockedError: There is a budget and the endpoint does not report tokens.
        StoreError: The store cannot be written; what was stored stays.
        ConflictError: Another program makes the same run.
        JobCancelled: The context was cancelled.
    """
    setting = setting or LoopSetting()
    found = find_run(workspace, run)
    if found.status is not RunStatus.OPEN:
        return state_of(workspace, run)
    with closing(open_models(found.plan, setting)) as models:
        return _work(workspace, found, models, context=context, setting=setting)


def _work(
    workspace: Workspace, run: GenerationRun, models: Models, *, context: JobContext, setting: LoopSetting
) -> GenerationState:
    loop = _RunLoop(workspace, run, models, concurrency=setting.concurrency)

    told = loop.state

    def tell() -> None:
        nonlocal told
        told = state = loop.state
        context.progress(state.finished + state.given_up, state.total, state.note)
        if setting.listen:
            setting.listen(state)

    def look(heard: Sequence[_Told]) -> None:
        if heard or loop.state.outage != told.outage:
            tell()

    tell()
    try:
        loop.queue.run(loop.keep, look, context=context)
    finally:
        tell()
    loop.close_run()
    tell()
    return loop.state


class _Receipt:
    """Lets a thread wait until what it told is safe in the store."""

    def __init__(self) -> None:
        self.event = threading.Event()
        self.reason: str | None = None

    def wait(self, abandoned: threading.Event) -> None:
        """Wait for it.

        Raises:
            JobCancelled: Nothing is written any more.
        """
        while not self.event.wait(_LOOK_SECONDS):
            if abandoned.is_set():
                raise JobCancelled


@dataclass(frozen=True)
class _Told:
    """One thing a thread told: a reply with its row to store, an attempt that ended, a case, or a failure."""

    dialogue: int
    exchange: Exchange | None = None
    row: Mapping[str, object] = field(default_factory=dict)
    ended: DialogueRow | None = None
    case: Case | None = None
    failed: int = 0
    error: ModelError | None = None
    receipt: _Receipt = field(default_factory=_Receipt)


@dataclass(frozen=True)
class _Unit:
    """One dialogue to make: which attempt is next, how many failed before, and what is stored of it."""

    dialogue: int
    attempt: int
    failed: int
    stored: Mapping[int, Exchange]


class _RunLoop:
    """One call of `resume`."""

    def __init__(self, workspace: Workspace, run: GenerationRun, models: Models, *, concurrency: int) -> None:
        self._workspace = workspace
        self._run = run
        self._plan = run.plan
        self._models = models
        self._used = UsedRequests()
        self._failures = FailureCount("dialogue")
        self._abandoned = threading.Event()
        self._information = drawn_information(run.plan)
        self._examples = gold_requests(workspace, count=run.plan.examples)
        self._state = state_of(workspace, run.number)
        models.spending.add(
            Usage(prompt_tokens=self._state.prompt_tokens, completion_tokens=self._state.completion_tokens)
        )
        rows = dialogues_of(workspace, run.number)
        self._failed = Counter(failed_attempts(rows))
        self._todo = deque(self._units(rows))
        self._landing: dict[int, _Receipt] = {}
        self.queue: WorkQueue[_Unit, _Told] = WorkQueue(
            self._take, self._make, thread_count=min(concurrency, len(self._todo)), name="generation"
        )

    @property
    def state(self) -> GenerationState:
        """How the run stands now."""
        update = {"is_over_budget": self.queue.is_over_budget, "outage": self._models.outage}
        return self._state.model_copy(update=update)

    def keep(self, heard: Sequence[_Told]) -> None:
        """Write down what the threads told, and let them go on.

        Raises:
            ModelError: Too many dialogues failed outside the model.
            StoreError, ConflictError: It cannot be written.
        """
        if self._abandoned.is_set():
            return
        try:
            self._store(heard)
            for told in heard:
                if told.case is None:
                    told.receipt.event.set()  # stored: the next request need not wait for others' cases
            finished = [told for told in heard if told.case is not None]
            self._land(finished)
        except BaseException:
            self._abandoned.set()
            raise
        for told in finished:
            if told.receipt.reason is not None and told.ended and told.failed + 1 < self._plan.attempts:
                self._todo.append(_Unit(told.dialogue, told.ended.attempt + 1, told.failed + 1, {}))
            del self._landing[told.dialogue]
            told.receipt.event.set()
        for told in heard:
            if told.error:
                self._failures.failed(told.error.kind, told.error.message, is_refused=False)
            elif told.exchange:
                self._failures.succeeded()

    def close_run(self) -> None:
        """Note that a run has nothing left to do."""
        if not self._state.is_finished:
            return
        number, state = self._run.number, self._state

        def work(w: Work) -> None:
            writes.set_generation(w.tx, number, {"status": RunStatus.FINISHED.value})
            w.record(
                f"generation:{number}",
                {
                    "finished": state.finished,
                    "as_wanted": state.as_wanted,
                    "given_up": state.given_up,
                    "requests": state.requests,
                },
            )

        self._workspace.run("generation:run:finish", work, roles=ROLES)
        self._state = state.model_copy(update={"status": RunStatus.FINISHED})

    # On the threads.

    def _units(self, rows: Sequence[DialogueRow]) -> list[_Unit]:
        """What is left to make: what was begun first, then in the order of the sequences."""
        settled = (DialogueStatus.FINISHED, DialogueStatus.WAITING)
        left_out = {row.dialogue for row in rows if row.status in settled}
        left_out |= given_up(rows, attempts=self._plan.attempts)
        self._remember_requests(rows)
        stored = self._workspace.read(
            lambda tx: [*map(exchange_from, generations.open_requests(tx, self._run.number))]
        )
        begun = grouped((exchange.dialogue, (exchange.number, exchange)) for exchange in stored)
        tried = {row.dialogue: row.attempt for row in rows if row.status is DialogueStatus.FAILED}
        units = [
            _Unit(dialogue, tried.get(dialogue, 0) + 1, self._failed[dialogue], dict(begun.get(dialogue, ())))
            for dialogue in range(len(self._plan.sequences))
            if dialogue not in left_out
        ]
        return sorted(units, key=lambda unit: not unit.stored)

    def _remember_requests(self, rows: Sequence[DialogueRow]) -> None:
        ids = {row.case_id: row for row in rows if row.case_id}
        for case_id, head in self._workspace.read(lambda tx: queries.find_cases(tx, list(ids))).items():
            row = ids[case_id]
            toolset = self._run.toolset(self._run.attempt(row.dialogue, row.attempt))
            self._used.add(toolset.name, head.request)

    def _take(self) -> _Unit | None:
        while True:
            try:
                return self._todo.popleft()
            except IndexError:
                on_its_way = next(iter(self._landing.copy().values()), None)
                if on_its_way is None:
                    return None
                on_its_way.wait(self._abandoned)  # a case that is refused is made anew

    def _make(self, unit: _Unit, tell: Callable[[_Told], None]) -> None:
        """Try a dialogue until it is a case, its attempts are used up, or nobody answers."""
        number, failed, stored = unit.attempt, unit.failed, unit.stored
        while failed < self._plan.attempts and not self.queue.stop.is_set():
            try:
                told = self._attempt(unit.dialogue, number, failed, stored, tell)
            except ModelError as exc:
                if exc.is_hopeless or exc.kind == "connection":
                    raise _gone(exc) from exc
                tell(_Told(unit.dialogue, error=exc))
                return
            if told.case is not None:
                self._landing[unit.dialogue] = told.receipt
                tell(replace(told, failed=failed))
                return
            tell(told)
            told.receipt.wait(self._abandoned)
            if told.ended and told.ended.status is not DialogueStatus.FAILED:
                return
            is_counted = not (told.ended and told.ended.failure is AttemptFailure.PROMPT_CHANGED)
            number, failed, stored = number + 1, failed + is_counted, {}

    def _attempt(
        self,
        dialogue: int,
        number: int,
        failed: int,
        stored: Mapping[int, Exchange],
        tell: Callable[[_Told], None],
    ) -> _Told:
        whole = self._plan.sequences[dialogue]
        sequence = whole[:1] if self._plan.is_layered else whole
        attempt = self._run.attempt(dialogue, number)
        toolset, prompts = self._run.toolset(attempt), self._run.prompts(dialogue)

        before = _Receipt()
        before.event.set()

        def store(exchange: Exchange) -> None:
            # The next request is asked while this reply is written, so that no thread waits for the disk;
            # never more than one reply of a dialogue is on its way there.
            nonlocal before
            before.wait(self._abandoned)
            told = _Told(dialogue, exchange=exchange, row=row_of(exchange))
            before = told.receipt
            tell(told)

        def ended(status: DialogueStatus, **fields: object) -> DialogueRow:
            return DialogueRow.model_validate(
                {
                    "dialogue": dialogue,
                    "attempt": number,
                    "sequence": sequence,
                    "status": status,
                    **fields,
                }
            )

        order = DialogueOrder(
            sequence,
            toolset,
            is_last_attempt=failed + 1 >= self._plan.attempts,
            information=self._information.get(dialogue, {}),
            steering=self._run.steering[dialogue],
        )
        exchanges = Exchanges(attempt, stored=stored, models=self._models, store=store, stop=self.queue.stop)
        maker = DialogueMaker(
            self._plan,
            order,
            prompts=prompts,
            exchanges=exchanges,
            used=self._used,
            examples=self._examples.get(prompts.language, ()),
        )
        try:
            case = generated_case(
                maker.make(),
                run=self._run.number,
                plan=self._plan,
                attempt=attempt,
                order=order,
                wanted=whole,
            )
        except AttemptFailed as exc:
            return _Told(
                dialogue, ended=ended(DialogueStatus.FAILED, failure=exc.failure, note=exc.note[:2000])
            )
        except WaitingForPerson:
            return _Told(dialogue, ended=ended(DialogueStatus.WAITING))
        policies = tuple(task.policy or "" for task in case.tasks)
        return _Told(
            dialogue, ended=ended(DialogueStatus.FINISHED, case_id=case.id, policies=policies), case=case
        )

    # On the thread that writes.

    def _store(self, heard: Sequence[_Told]) -> None:
        exchanges = [told.exchange for told in heard if told.exchange]
        replies = [told.row for told in heard if told.exchange]
        rows = [told.ended for told in heard if told.ended and told.case is None]
        if not exchanges and not rows:
            return
        store_replies(self._workspace, self._run.number, replies, rows)
        for exchange in exchanges:
            self._state = self._state.with_exchange(exchange, budget=self._plan.budget)
        self._count(rows)

    def _land(self, told: Sequence[_Told]) -> None:
        """Bring finished dialogues into the project as cases, and mark them finished along with it."""
        if not told:
            return
        cases = {one.dialogue + 1: one for one in told}
        run, rows = self._run.number, list[DialogueRow]()

        def finish(w: Work, rejects: Sequence[Reject]) -> None:
            rows.clear()  # a transaction may begin anew
            refused = {reject.line: reject.reason for reject in rejects}
            for line, one in cases.items():
                assert one.ended is not None
                one.receipt.reason = reason = refused.get(line)
                failed = {
                    "status": DialogueStatus.FAILED,
                    "failure": AttemptFailure.UNFIT_CASE,
                    "note": reason,
                }
                rows.append(one.ended.model_copy(update=failed | {"case_id": None} if reason else {}))
                write_dialogue(w, run, rows[-1])

        land_cases(
            self._workspace,
            [ReadCase(case=one.case, warnings=(), line=line) for line, one in cases.items() if one.case],
            file=Path(self._plan.name),
            batch=self._plan.name,
            along=finish,
            is_strict=True,
        )
        self._count(rows)

    def _count(self, rows: Sequence[DialogueRow]) -> None:
        for row in rows:
            if row.failure and row.failure is not AttemptFailure.PROMPT_CHANGED:
                self._failed[row.dialogue] += 1
            is_last = self._failed[row.dialogue] >= self._plan.attempts
            self._state = self._state.with_row(row, is_last=is_last)


def _gone(error: ModelError) -> ModelError:
    """The failure that ends all work: the endpoint refuses everybody, or cannot be reached any more."""
    hint = error.hint or "Check that the endpoint is running."
    return ModelError(
        error.message,
        f"{hint} Then run the same command again; it goes on where it stopped.",
        kind=error.kind,
        is_hopeless=True,
    )
