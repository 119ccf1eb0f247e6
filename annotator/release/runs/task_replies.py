"""What each of several runs did with one task, side by side, and which tasks are worth showing."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from annotator.jobs import JobContext
from annotator.release.reports.score_tables import ScoreTable, shown
from annotator.release.runs.evaluation import counted_predictions, exported_file, run_name
from scoring.errors import InputError
from scoring.evaluation import judge_batch, profile_for
from scoring.golds import GoldSet
from scoring.groups import collected
from scoring.matching.gold import Gold
from scoring.matching.outcomes import Match
from scoring.matching.replay import replay
from scoring.matching.task_scores import TaskScore, unanswered
from scoring.measures.catalogue import NOTHING
from scoring.measures.rates import Rate, rate
from scoring.measures.sample import Key
from scoring.model.taxonomy import ActionDetail, Semantics
from scoring.orders.lattice import Order
from scoring.orders.legal_orders import count_orders, first_optimal_order
from scoring.prediction_files import read_predictions, recorded_setting
from scoring.predictions import Prediction, Reply
from scoring.wording import counted, numbered

Runs = Mapping[str, Mapping[tuple[str, int | None], Prediction]]
"""The predictions of each run that count, by case and task."""
_LONGEST = 160
"""Characters of a text that are shown."""
ASKS_HEADING = "asks again, % of failed tasks"


class Pick(StrEnum):
    """A rule by which tasks are worth showing."""

    ALL_FAIL = "all-fail"
    ONE_FAILS = "one-fails"
    ORDERS_DIFFER = "orders-differ"
    ASKS_AGAIN = "asks-again"


@dataclass(frozen=True)
class TakenTask:
    """What one run did with a task; `match` is None where it failed outside the model or said nothing."""

    run: str
    score: TaskScore
    match: Match | None

    @property
    def left(self) -> int | None:
        """The round in which it left the legal orders or gave a wrong argument, from 1; None for neither."""
        if self.match is None:
            return None
        bad = self.match.first_bad_arguments
        if bad is None and self.match.failure:
            bad = len(self.match.outcomes) - 1
        return None if bad is None else bad + 1

    @property
    def path(self) -> Order:
        """The steps of each round before that."""
        rounds = self.match.outcomes[: self.left and self.left - 1] if self.match else ()
        return tuple(tuple(sorted(outcome.steps)) for outcome in rounds)

    @property
    def said(self) -> tuple[str, ...]:
        """Its replies in a line each."""
        return tuple(map(_words, self.match.replies)) if self.match else ()

    @property
    def why(self) -> str:
        """What went wrong first; empty where nothing did."""
        return re.sub(r"^Reply \d+: ", "", self.score.detail or "")  # `left` says it, counted from 1


@dataclass(frozen=True)
class TaskPicks:
    """The tasks that each rule picks, and of each run the share of its wrong tasks where it asks again.

    Tasks that failed outside the model do not count as wrong.
    """

    keys: Mapping[Pick, tuple[Key, ...]] = field(hash=False)
    asks: Mapping[str, Rate] = field(hash=False)


def _words(reply: Reply) -> str:
    if not reply.tool_calls:
        text = " ".join((reply.content or "").split()) or "(empty)"
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return " + ".join(f"{call.name or '?'}({call.arguments or ''})" for call in reply.tool_calls)


def read_runs(files: Sequence[Path], gold: GoldSet, *, source: Path, context: JobContext) -> Runs:
    """The predictions of files, each a run called by its model and setting, else by its file.

    Args:
        files: A file of predictions for each run.
        gold: The cases that were asked.
        source: The release folder or file that was asked.
        context: Progress in files, and cancellation between them.

    Raises:
        InputError: A file cannot be read, or is about none of the cases.
    """
    names = [run_name(recorded_setting([file])) or file.stem for file in files]
    found = [
        counted_predictions(read_predictions(file, exported=exported_file(source)))
        for file in context.each(files, "reading the replies")
    ]
    for file, said in zip(files, found, strict=True):
        if said and not any(case in gold.cases for case, _ in said):
            raise InputError(
                f"{file.name} answers none of the cases: its first is {next(iter(said))[0]}.",
                "Name the release or file of cases that this run was asked.",
            )
    return dict(zip(numbered(names), found, strict=True))


@collected
def taken_by(gold: GoldSet, key: Key, runs: Runs) -> Iterator[TakenTask]:
    """What each run did with one task, under the papers' rules.

    Raises:
        InputError: The case or the task does not exist, or cannot be scored.
    """
    if key not in gold.golds:
        tasks = sorted(task for case, task in gold.golds if case == key[0])
        known = (
            f"{key[0]} has tasks {', '.join(map(str, tasks))}." if tasks else "Name a case of the release."
        )
        raise InputError(f"{key[0]} has no task {key[1]} that can be scored.", known)
    one, profile = gold.golds[key], profile_for(gold.cases[key[0]], "auto")
    for run, predictions in runs.items():
        found = predictions.get(key) or predictions.get((key[0], None))
        score = unanswered(one, ActionDetail.NO_PREDICTION, "No prediction.", profile=profile)
        match = None
        if found is not None:
            [judged] = judge_batch([(one, found, profile)], Semantics.PAPER)
            score = judged.score
            match = None if found.error else replay(one, found.replies, profile=profile)
        yield TakenTask(run, score, match)


def look_through(gold: GoldSet, runs: Runs, *, context: JobContext) -> TaskPicks:
    """Go through all tasks once: which each rule picks, in the order of the cases, and who asks again.

    Of the tasks that every run answered, `all-fail` picks those every run gets wrong, `one-fails` those a
    single one of several does, `orders-differ` those two get right in different orders, and `asks-again`
    those where one asks for calls whose every value stands in the dialogue, some before the request (C3-T20).
    """
    keys: dict[Pick, list[Key]] = {rule: [] for rule in Pick}
    again: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for key in context.each(gold.golds, "looking at tasks"):
        taken = taken_by(gold, key, runs)
        wrong = [one for one in taken if not one.score.is_correct and not one.score.is_outside_model]
        asking = [one.run for one in wrong if asks_again(gold, key, one)]
        failed.update(one.run for one in wrong)
        again.update(asking)
        if any(one.score.is_outside_model for one in taken):
            continue
        fits = {
            Pick.ALL_FAIL: len(wrong) == len(taken),
            Pick.ONE_FAILS: len(wrong) == 1 < len(taken),
            Pick.ORDERS_DIFFER: len({one.path for one in taken if one.score.is_correct}) > 1,
            Pick.ASKS_AGAIN: bool(asking),
        }
        for rule in filter(fits.get, Pick):
            keys[rule].append(key)
    return TaskPicks(
        {rule: tuple(found) for rule, found in keys.items()},
        {run: rate(again[run], failed[run]) for run in runs},
    )


def asks_again(gold: GoldSet, key: Key, taken: TakenTask) -> bool:
    """Whether a run asks a question instead of making calls whose values were all said before."""
    if (
        taken.match is None
        or taken.left is None
        or taken.score.action_detail is not ActionDetail.TEXT_TOO_EARLY
    ):
        return False
    said = taken.match.replies[taken.left - 1].content or ""
    one, tasks = gold.golds[key], gold.cases[key[0]].tasks
    earlier = "".join(task.model_dump_json() for task in tasks[: key[1]]).casefold()
    values = [
        str(value).casefold()
        for step in taken.match.outcomes[-1].ready
        for value in one.arguments(step).values()
        if isinstance(value, str | int | float)
    ]
    request = one.task.user.casefold()
    return (
        any(mark in said for mark in "?？")
        and all(value in earlier or value in request for value in values)
        and any(value not in request for value in values)
    )


def step_words(gold: Gold, order: Order) -> str:
    """An order in words: steps of a round joined by `+`, rounds by an arrow."""
    return " → ".join(" + ".join(gold.graph.names[step] for step in one) for one in order)


def replies_table(
    gold: Gold, taken: Sequence[TakenTask], *, asks: Mapping[str, Rate] | None = None
) -> ScoreTable:
    """One row a run: right or wrong, where it left the legal orders, what it said and what was wrong.

    Args:
        gold: The task.
        taken: What the runs did.
        asks: As in `TaskPicks`, for a column; None for none.
    """
    orders = count_orders(gold.graph)
    said = [
        (
            one.run,
            "right" if one.score.is_correct else "wrong",
            f"round {one.left}" if one.left else NOTHING,
            f"{one.score.steps_done} of {one.score.steps_total}",
            " | ".join(f"{number}: {words}" for number, words in enumerate(one.said, start=1)) or NOTHING,
            one.why or NOTHING,
            *(() if asks is None else (shown(asks[one.run]),)),
        )
        for one in taken
    ]
    many = "too many legal orders to count" if orders is None else counted(orders, "legal order")
    wrong = Counter(one.score.is_correct for one in taken)[False]
    return ScoreTable(
        title=f"{gold.case_id}, task {gold.task_number}",
        columns=(
            *("run", "result", "left the legal orders in", "steps done", "replies", "what went wrong"),
            *(() if asks is None else (ASKS_HEADING,)),
        ),
        rows=tuple(said),
        notes=(
            f"Asked: {' '.join(gold.task.user.split())}",
            f"{many}, the shortest in {counted(gold.rounds, 'round')}: "
            f"{step_words(gold, first_optimal_order(gold.lattice))}",
            f"Wrong in {wrong} of {counted(len(taken), 'run')}",
        ),
    )
