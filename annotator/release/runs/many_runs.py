"""One run for each model of a file of models: in turn or together, under one budget, gone on with later."""

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from annotator.files import readable_files
from annotator.jobs import JobCancelled, JobContext, ProgressReport
from annotator.llm.budget import Spending
from annotator.project.changes import Changes
from annotator.project.workspace import Done, Workspace
from annotator.release.runs.evaluation import load_gold
from annotator.release.runs.model_cards import ListedModel, reason
from annotator.release.runs.model_run import RunState
from annotator.release.runs.orders import RunOrder
from scoring.errors import AnnotatorError, InputError, filled
from scoring.golds import GoldSet
from scoring.model.record import Record

_NO_FILE_NAME = re.compile(r"[^\w.-]+")


class ModelRun(Record):
    """How one model's run ended; `failure` says what stopped it and `hint` what to do, empty for nothing."""

    model: str
    predictions: Path
    state: RunState
    failure: str = ""
    hint: str = ""


def run_orders(
    models: Sequence[ListedModel], values: Mapping[str, Any], *, folder: Path
) -> tuple[tuple[str, RunOrder], ...]:
    """The order of each model's run, by the model's name, its predictions in a file of the folder.

    Args:
        models: Of the file of models.
        values: What all orders say alike; the plan without model and card, an address for models without.
        folder: Where the predictions go.

    Raises:
        InputError: A model has no address, what is said of it does not fit, or two would have one file.
    """
    orders: dict[Path, tuple[str, RunOrder]] = {}
    plan = values["plan"]
    for one in models:
        address = filled(
            one.base_url or values["base_url"],
            InputError(f"{one.name} has no `base_url`.", "Write it in the file of models, or --base-url."),
        )
        out = folder / f"{_NO_FILE_NAME.sub('-', one.name).strip('.-') or 'model'}.jsonl"
        if out in orders:
            raise InputError(
                f"{one.name} and {orders[out][0]} would both be written into {out}.", "Rename one of them."
            )
        sampling = plan["setting"]["sampling"]
        own = {
            "temperature": one.card.temperature,
            "max_tokens": one.card.max_tokens,
            "seed": one.card.seed,
        }
        sampling = own | {key: value for key, value in sampling.items() if value is not None}
        setting = plan["setting"] | {"model": one.card.model}
        setting["sampling"] = sampling | {"extra": plan["setting"]["sampling"]["extra"] | one.body}
        prices = {"prompt_price": one.card.prompt_price, "completion_price": one.card.completion_price}
        budget = prices | {key: value for key, value in plan["budget"].items() if value is not None}
        order = {
            **values,
            "stream": one.stream if values["stream"] is None else values["stream"],
            "base_url": address,
            "api_key_variable": one.api_key_variable or values["api_key_variable"],
            "plan": plan | {"setting": setting, "budget": budget, "model_card": one.card},
            "out": out,
        }
        try:
            orders[out] = (one.name, RunOrder.model_validate(order))
        except ValidationError as exc:
            raise InputError(
                f"{one.name} cannot be asked: {reason(exc)}", "Correct it in the file of models."
            ) from exc
    return tuple(orders.values())


class ModelsOrder(Record):
    """Runs of several models over the same cases; their budgets have one limit, which they keep together."""

    runs: tuple[tuple[str, RunOrder], ...] = Field(min_length=1)
    together: int = Field(default=1, ge=1)

    def carry_out(
        self,
        workspace: Workspace | None,
        *,
        context: JobContext,
        show: Callable[[str], Callable[[ProgressReport], object]] | None = None,
    ) -> Done[tuple[ModelRun, ...]]:
        """Ask each model what has no answer yet, then score and record what is finished. A job.

        A model that fails does not stop the others. Carried out again, each goes on where it stopped.

        Args:
            workspace: Where the runs are recorded; None for nowhere.
            context: Cancels all of them.
            show: Gives who hears the progress of a model, by its name.

        Raises:
            JobCancelled: The context was cancelled; every answer that came is kept.
            InputError: The cases cannot be read, or a model cannot be asked at all: its key is missing.
        """
        for _, order in self.runs:
            order.endpoint()  # a missing key is told before anybody is asked
            order.out.parent.mkdir(parents=True, exist_ok=True)
        with readable_files(self.runs[0][1].cases) as (read,):
            gold = load_gold(read)
        shared: list[Spending] = []

        def ask(run: tuple[str, RunOrder]) -> ModelRun:
            return _asked(*run, gold, context=context.part(show(run[0]) if show else None), shared=shared)

        with ThreadPoolExecutor(self.together, thread_name_prefix="model") as pool:
            ended = tuple(pool.map(ask, self.runs))
        context.check_cancelled()
        changes = Changes()
        for place, (one, (_, order)) in enumerate(zip(ended, self.runs, strict=True)):
            recorded = order.record(workspace, gold, one.state, context=context)
            changes |= recorded.changes
            ended = (*ended[:place], one.model_copy(update={"state": recorded.value}), *ended[place + 1 :])
        return Done(ended, changes)


def _asked(
    name: str, order: RunOrder, gold: GoldSet, *, context: JobContext, shared: list[Spending]
) -> ModelRun:
    """Ask one model; what stops it alone is told of it."""
    state = RunState(total=len(gold.golds))

    def note(now: RunState) -> None:
        nonlocal state
        state = now

    failure = hint = ""
    try:
        context.check_cancelled()
        state = order.ask(gold, context=context, listen=note, shared=shared)
    except JobCancelled:
        failure, hint = "Stopped.", "Run the same command again."
    except AnnotatorError as error:
        failure, hint = error.message, error.hint or ""
    return ModelRun(model=name, predictions=order.out, state=state, failure=failure, hint=hint)
