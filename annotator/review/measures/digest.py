"""What to do now in a project, what came for somebody, and what happened lately: a mail that cron sends."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Literal

from annotator.project.stages import LEADS, UNSETTLED
from annotator.project.workspace import Workspace, query
from annotator.review.batches import finished_count, open_count
from annotator.review.feedback import recurring_mistakes
from annotator.review.measures.guideline_versions import versions_judged
from annotator.review.measures.label_errors import label_errors
from annotator.review.measures.progress import outlooks
from annotator.review.measures.rater_agreement import AgreementSlice
from annotator.review.queue.case_rows import batches as batches_of
from annotator.review.queue.expert_list import expert_list
from annotator.review.queue.notices import notifications
from annotator.review.shortages import shortages_now, stuck_cases
from db.read import batches, reviews
from db.tables import Transaction
from scoring.errors import InputError
from scoring.groups import grouped, summed
from scoring.model.record import Record
from scoring.model.taxonomy import FeedbackCategory, Stage
from scoring.wording import counted

_PARTS = {"now": "To do now", "mine": "For you", "since": "Since then"}
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}
_LONGEST = timedelta(days=3653)
_NAMED = 5
"""Cases a line names; the others are counted."""
_READY_FOR_ONE = 10
"""So many finished cases of a batch for each open one are not left to wait."""
_HOURS_SAID = 48


class DigestLine(Record):
    """One thing to know: something to do now, something that came for the person, or what happened since."""

    part: Literal["now", "mine", "since"]
    text: str


class LeadTask(Record):
    """Something that whoever leads should do now: what it is about, and what is the matter, in words."""

    about: Literal["policy", "pool", "person", "batch", "expert", "guideline", "version"]
    text: str


class Digest(Record):
    """What to know of a project, the most urgent first; `since` to `until` is the time it is about."""

    project: str
    person: str
    since: datetime
    until: datetime
    lines: tuple[DigestLine, ...]

    @property
    def parts(self) -> dict[str, list[str]]:
        """The lines under their headings; without lines there is no heading."""
        found = {
            title: [one.text for one in self.lines if one.part == part] for part, title in _PARTS.items()
        }
        return {title: texts for title, texts in found.items() if texts}


def parse_period(text: str) -> timedelta:
    """Read a time such as 8h, 1d or 2w.

    Raises:
        InputError: It is none, or longer than 10 years.
    """
    found = re.fullmatch(r"(\d{1,5})([hdw])", text.strip())
    time = timedelta(**{_UNITS[found[2]]: int(found[1])}) if found else timedelta()
    if not timedelta() < time < _LONGEST:
        raise InputError(f"{text[:20]!r} is no time to look back.", "Give hours, days or weeks: 8h, 1d, 2w.")
    return time


def digest(workspace: Workspace, *, since: timedelta) -> Digest:
    """What to know of a project: what to do now, what came for the person, and what happened since.

    What to do now is for experts and managers; see `lead_tasks`.

    Args:
        workspace: Somebody's; nothing is said that they may not see.
        since: How long ago the time begins.
    """
    person, until = workspace.person, workspace.now()
    begins = until - since
    lines = [DigestLine(part="now", text=task.text) for task in lead_tasks(workspace)]
    lines += [DigestLine(part="mine", text=text) for text in _mine(workspace)]
    lines += [DigestLine(part="since", text=text) for text in _happened(workspace, since=begins)]
    return Digest(project=workspace.name(), person=person.name, since=begins, until=until, lines=tuple(lines))


def lead_tasks(workspace: Workspace) -> tuple[LeadTask, ...]:
    """What whoever leads should do now, the gravest first; nothing for somebody who does not lead.

    That is: what the policy lacks, which cases nobody can take, who is wrong more often than the others,
    which batch may be late, which has finished cases that wait for few others, what waits for experts, and
    where the guideline may be at fault or lacks what several people are told again and again, and which
    batches were judged under several versions of it.
    """
    return tuple(_to_do(workspace)) if any(map(workspace.person.has_role, LEADS)) else ()


def _to_do(workspace: Workspace) -> Iterator[LeadTask]:
    yield from (LeadTask(about="policy", text=text) for text in shortages_now(workspace))
    if stuck := stuck_cases(workspace):
        cases = counted(len(stuck), "waiting case")
        yield LeadTask(
            about="pool",
            text=f"Nobody can take {cases}: add people, or share out the work of those who are away. "
            f"{_named(list(stuck))}",
        )
    errors = label_errors(workspace, AgreementSlice())
    for one in errors.people:
        if one.is_above:
            wrong = f"{one.all.wrong.count:,} of {counted(one.all.wrong.total, 'label')}, {one.all.words} %"
            yield LeadTask(
                about="person",
                text=f"{one.person} is wrong more often than the others: {wrong}. Talk, or train again.",
            )
    for late in (one for one in outlooks(workspace) if one.is_late):
        yield LeadTask(
            about="batch",
            text=f"Batch {late.batch} may miss {late.due_on}: {counted(late.open, 'case')} open. "
            f"{late.words}",
        )
    for row in batches_of(workspace):
        ready, left = row.stages.get(Stage.APPROVED, 0), open_count(row)
        if finished_count(row) and 0 < left <= ready / _READY_FOR_ONE:
            yield LeadTask(
                about="batch",
                text=f"{counted(ready, 'finished case')} of {row.name} wait for {left:,} open: "
                "split them off.",
            )
    if waiting := expert_list(workspace):
        what, span = (
            f"{counted(len(waiting), 'case')} for an expert",
            _span(workspace.now() - waiting[0].since),
        )
        yield LeadTask(about="expert", text=f"Waiting: {what}, the longest {waiting[0].case_id} for {span}.")
    if errors.shared:
        cases = _named([one.case_id for one in errors.shared])
        shared = counted(len(errors.shared), "item")
        yield LeadTask(
            about="guideline", text=f"All who judged were wrong on {shared}: look at the guideline. {cases}"
        )
    recurring = grouped((one.category, one) for one in recurring_mistakes(workspace, everybody=True))
    for kind, told in recurring.items():
        if (
            len(told) > 1
            and kind != FeedbackCategory.OTHER  # of which nobody could write anything
            and not any(kind in line for line in workspace.policy().guidelines)
        ):
            topic = f"feedback.{kind}" if kind in [*FeedbackCategory] else "feedback"
            people, what = ", ".join(sorted(one.person for one in told)), kind.replace("_", " ")
            yield LeadTask(
                about="policy",
                text=f"{people} are told of “{what}” again and again: write a guideline for it ({topic}).",
            )
    for mixed in (one for one in versions_judged(workspace) if len(one.judgments) > 1):
        counts = ", ".join(f"{version}: {count:,}" for version, count in mixed.judgments.items())
        yield LeadTask(
            about="version",
            text=f"Batch {mixed.batch} was judged under several versions of the guidelines ({counts}).",
        )


def _span(time: timedelta) -> str:
    hours = time // timedelta(hours=1)
    if not hours:
        return "less than an hour"
    return counted(hours // 24, "day") if hours >= _HOURS_SAID else counted(hours, "hour")


def _mine(workspace: Workspace) -> Iterator[str]:
    """What came for the person and is not read."""
    titles = {
        "returned": "Returned to you",
        "handed": "Handed to you to decide",
        "answer": "Answered",
        "feedback": "Corrected",
    }
    unread = notifications(workspace)
    for kind, title in titles.items():
        if cases := [one.case_id for one in unread if one.kind == kind]:
            yield f"{title}: {_named(cases)}"


def _named(cases: list[str]) -> str:
    ids = list(dict.fromkeys(cases))
    more = f" and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
    return f"{', '.join(ids[:_NAMED])}{more}."


@query
def _happened(workspace: Workspace, tx: Transaction, *, since: datetime) -> tuple[str, ...]:
    """What was judged, decided and finished, by counts."""
    counts = reviews.day_counts(tx, since=since)
    done = summed((stage.value.replace("_", " "), count) for _, stage, count in counts)
    finished = sum(at >= since for _, at in batches.finish_times(tx, without=UNSETTLED))
    lines = [f"Judged or decided at {stage}: {count:,}." for stage, count in done.items()]
    return (*lines, *((f"Finished: {counted(finished, 'case')}.",) if finished else ()))
