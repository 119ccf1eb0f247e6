"""Where the project stands: counts, ages and times per stage, batches and samples, and when batches are done.

The forecast. A case is finished when reviewers are done with it: it is approved, final or rejected. Let
x_1 ... x_n be how many cases of a batch were finished on each of the last 14 whole days (UTC), or since it
came in where that is less long ago. A run draws n of these days with replacement, then draws days from
those until the open cases are done; the number of days is its answer. The forecast is the range between
the 10th and the 90th percentile of 400 runs (a bootstrap over days: Efron and Tibshirani 1993). The first
draw carries how little so few days say about the rate, the second how uneven days are. Nothing is said of
fewer than 5 whole days, or fewer than 10 finished cases in them; the runs have a fixed seed, so that the
same counts give the same range. It knows nothing of holidays to come, of people who join or leave, or of a
sample that sends cases back.
"""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import accumulate

from annotator.cases.row_views import apart_in_figures, viewer_of
from annotator.project.stages import UNSETTLED
from annotator.project.workspace import Workspace, query
from annotator.review.measures.accuracy_curve import curve, judged_curve
from db.read import batches, generations, people, queries, reviews
from db.read import samples as drawn
from db.read.rows import BatchRow
from db.read.rows import SampleRow as SampleRow
from db.tables import Transaction
from scoring.groups import grouped
from scoring.measures.stage_accuracy import StagePoint
from scoring.model.record import Record
from scoring.model.taxonomy import FINAL_STAGES, Stage
from scoring.texts import tr, with_commas
from scoring.wording import counted

DAYS = 14
"""Whole days a rate is taken from."""

_LEAST_DAYS, _LEAST_CASES = 5, 10
_RUNS = 400
_LOW, _HIGH = 0.1, 0.9
_HORIZON = 366


class StageReport(Record):
    """Where the project stands: counts per stage and the stage-accuracy curve, in both readings.

    `median_seconds` is the active time of a judgment at each stage, `seconds` that of all judgments that
    stand, of cases that are not final too; decisions are not timed. `seconds_by_person` has everybody for who
    is trusted with it, the person alone for others, `seconds_of_work` the same by stage. `dollars` is what
    models took to generate cases, None where nothing is known. `oldest` says since when the case that has
    waited longest at a stage stands there.
    """

    counts: dict[Stage, int]
    curve: tuple[StagePoint, ...]
    judged: tuple[StagePoint, ...]
    median_seconds: dict[Stage, float]
    seconds: dict[Stage, float]
    seconds_by_person: dict[str, float]
    seconds_of_work: dict[str, dict[Stage, float]]
    dollars: float | None
    oldest: dict[Stage, datetime]

    @property
    def finals(self) -> int:
        """Cases that are final by now."""
        return sum(self.counts.get(stage, 0) for stage in FINAL_STAGES)

    def per_final(self, stage: Stage) -> float | None:
        """Active seconds at a stage for each final case; None before the first, or where nothing is timed."""
        return self.seconds[stage] / self.finals if self.finals and stage in self.seconds else None

    def cost_words(self, hourly_rate: float = 0) -> str:
        """What a final case takes: minutes without decisions, money where they have a price, and models."""
        if not self.finals:
            return ""
        minutes = sum(self.seconds.values()) / 60 / self.finals
        parts = (
            tr("{minutes:,.1f} min of work without decisions", minutes=minutes),
            tr("{money:,.2f} for it", money=minutes / 60 * hourly_rate) if hourly_rate else "",
            tr("${dollars:,.3f} for models", dollars=self.dollars / self.finals)
            if self.dollars is not None
            else "",
        )
        return tr("A final case takes {parts}.", parts=with_commas(filter(None, parts)))


@query
def stage_report(workspace: Workspace, tx: Transaction) -> StageReport:
    """Counts per stage, stage accuracy, the median active time per stage in seconds, and ages.

    Counts and ages leave out what `apart_in_figures` does.
    """
    apart = apart_in_figures(tx, workspace.somebody)
    work = reviews.work_times(tx)
    times, by_person = work.by_stage(), work.by_person()
    sees_all = viewer_of(tx, workspace.somebody).is_trusted
    seen = {
        one.id: one.name
        for one in people.list_people(tx)
        if sees_all or (workspace.somebody is not None and one.id == workspace.somebody.id)
    }
    spent_at = grouped(
        (seen[one], (stage, spent)) for (one, stage), spent in work.seconds().items() if one in seen
    )
    return StageReport(
        counts=queries.stage_counts(tx, without=apart),
        curve=curve(tx),
        judged=judged_curve(tx),
        median_seconds={stage: time.median_seconds for stage, time in times.items()},
        seconds={stage: time.seconds for stage, time in times.items()},
        seconds_by_person={name: by_person[one].seconds for one, name in seen.items() if one in by_person},
        seconds_of_work={
            name: dict(sorted(spent_at[name], key=lambda one: tuple(Stage).index(one[0])))
            for name in seen.values()
            if name in spent_at
        },
        dollars=generations.dollars_spent(tx),
        oldest=queries.oldest_changes(tx, without=apart),
    )


def samples(workspace: Workspace) -> tuple[SampleRow, ...]:
    """All drawn samples with their outcomes, oldest first."""
    return workspace.read(drawn.list_samples)


class Forecast(Record):
    """In how many days from today open cases are done: between two percentiles; 1 is tomorrow.

    `latest` is None where it may take longer than a year.
    """

    earliest: int
    latest: int | None


class Outlook(Record):
    """How fast a batch is finished, and when it will be.

    `open` cases hold up its sample. `finished` were finished in `days` whole days before `today`. `earliest`
    and `latest` bound the day the last one is finished in 8 of 10 runs (see the top of this module);
    `latest` is None where that may take more than a year, both are where nothing can be said, and `words`
    say it in any case. `is_late` says that the due day lies before `latest`, or has passed.
    """

    batch: str
    today: date
    due_on: date | None
    open: int
    finished: int
    days: int
    earliest: date | None = None
    latest: date | None = None

    @property
    def per_day(self) -> float | None:
        """Cases finished a day; None before the first whole day."""
        return self.finished / self.days if self.days else None

    @property
    def is_late(self) -> bool:
        """Whether the batch may miss its due day, at the rate it has."""
        if self.due_on is None or not self.open:
            return False
        if self.due_on < self.today:
            return True
        return self.earliest is not None and (self.latest is None or self.latest > self.due_on)

    @property
    def words(self) -> str:
        """The forecast in a sentence, or why there is none."""
        if not self.open:
            return "Every case is finished."
        if self.earliest is None:
            known = f"{counted(self.finished, 'case')} finished in {counted(self.days, 'whole day')}"
            return f"No forecast: {known}; it takes {_LEAST_CASES} cases in {_LEAST_DAYS} days."
        rate = f"at the rate of the last {counted(self.days, 'day')}, {self.finished / self.days:.1f} a day"
        if self.latest is None:
            return f"Done not before {self.earliest}, perhaps not within a year, {rate}."
        if self.latest == self.earliest:
            return f"Done on {self.earliest}, {rate}."
        return f"Done between {self.earliest} and {self.latest}, {rate}."


def forecast(counts: Sequence[int], *, left: int) -> Forecast | None:
    """In how many days so many cases are done, if days go on as they were; see the top of this module.

    Args:
        counts: Cases finished on each of some whole days, in any order.
        left: Cases to do, at least 1.

    Returns:
        None where the days are too few, or too little was finished in them.
    """
    if len(counts) < _LEAST_DAYS or sum(counts) < _LEAST_CASES:
        return None
    days = sorted(counts)
    chance = random.Random(f"{days}:{left}")
    runs = sorted(_run(days, left, chance) for _ in range(_RUNS))
    low, high = runs[math.floor(_LOW * (_RUNS - 1))], runs[math.ceil(_HIGH * (_RUNS - 1))]
    return Forecast(earliest=int(min(low, _HORIZON)), latest=None if high > _HORIZON else int(high))


def _run(counts: Sequence[int], left: int, chance: random.Random) -> float:
    """Days one run takes; infinite beyond the horizon."""
    days = chance.choices(counts, k=len(counts))
    if not any(days):
        return math.inf
    drawn = accumulate(chance.choice(days) for _ in range(_HORIZON))
    return next((day for day, done in enumerate(drawn, 1) if done >= left), math.inf)


@query
def outlooks(workspace: Workspace, tx: Transaction) -> tuple[Outlook, ...]:
    """How fast each batch that has cases is finished and when it will be, the newest batch first."""
    today = workspace.instant(tx).date()
    rows = batches.list_batches(tx, without=apart_in_figures(tx, workspace.somebody))
    numbers = {row.name: row.id for row in rows}
    finished = defaultdict(list, grouped(batches.finish_times(tx, without=UNSETTLED)))
    for batch, part, split_at in batches.splits(tx):
        if batch in numbers and part in numbers:  # what was split off was finished where it came from
            finished[numbers[batch]] += [at for at in finished[numbers[part]] if at <= split_at]
    return tuple(
        _outlook(row, Counter(at.date() for at in finished[row.id]), today) for row in rows if row.case_count
    )


def _outlook(row: BatchRow, finished: Counter[date], today: date) -> Outlook:
    began = min([row.created_at.date(), *finished])  # a part of a batch is younger than what it has finished
    days = min(DAYS, (today - began).days)
    counts = [finished[today - timedelta(days=i)] for i in range(1, days + 1)]
    left = sum(row.stages.get(stage, 0) for stage in UNSETTLED)
    found = forecast(counts, left=left) if left else None
    return Outlook(
        batch=row.name,
        today=today,
        due_on=row.due_on,
        open=left,
        finished=sum(counts),
        days=days,
        earliest=today + timedelta(days=found.earliest) if found else None,
        latest=today + timedelta(days=found.latest) if found and found.latest is not None else None,
    )
