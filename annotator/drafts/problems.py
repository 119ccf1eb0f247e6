"""What stands between a document and its submission, as a list one walks with one key."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from annotator.drafts.assessment import Assessment
from annotator.drafts.checklists import Item
from annotator.drafts.gates import Blocker
from scoring.model.labels import Finding
from scoring.model.taxonomy import Severity
from scoring.texts import tr_count, with_commas
from scoring.wording import counted

_KINDS_PER_PLACE = ("evidence", "checklist")


@dataclass(frozen=True, kw_only=True)
class Problem(Blocker):
    """One thing to settle, with its place: what stops the submission, or a warning that stops nothing.

    `count` is how many points of one kind it gathers at that place, `item` the one item of a checklist it is
    about.
    """

    is_blocking: bool
    count: int = 1
    item: str = ""

    @property
    def key(self) -> tuple[object, ...]:
        """What makes it the same problem after an edit."""
        rule = self.finding.rule if self.finding else self.label
        place = self.clash.place if self.clash else None
        return self.kind, rule, self.task, self.step, self.path, place, self.item


def problems_of(assessment: Assessment) -> tuple[Problem, ...]:
    """List what is to settle: first what stops the submission, then the warnings, each in dialogue order.

    Places that somebody else changed too come before everything.
    """
    blocking = list(_gathered(assessment.blockers, assessment.items))
    errors = {problem.finding.where for problem in blocking if problem.finding}
    warnings = [
        Problem(
            kind="finding",
            message=finding.message,
            is_blocking=False,
            task=finding.task,
            step=finding.step,
            path=finding.path,
            finding=finding,
        )
        for finding in assessment.open_findings()
        if finding.severity is Severity.WARNING and finding.where not in errors
    ]
    blocking.sort(key=lambda problem: (problem.kind != "clash", *place_in_dialogue(problem)))
    return (*blocking, *sorted(warnings, key=place_in_dialogue))


def findings_words(findings: Iterable[Finding]) -> str:
    """Count open findings by how much they matter, e.g. `1 error, 59 warnings`; notes are not counted."""
    found = Counter(finding.severity for finding in findings)
    parts = (
        tr_count(found[Severity.ERROR], "error") if found[Severity.ERROR] else "",
        tr_count(found[Severity.WARNING], "warning") if found[Severity.WARNING] else "",
    )
    return with_commas(filter(None, parts))


def next_problem(
    problems: tuple[Problem, ...],
    last: Problem | None,
    *,
    at: tuple[int, int] | None = None,
    back: bool = False,
) -> Problem | None:
    """The problem after the one visited last, going round; the first where that one is settled and gone.

    As long as anything stops the submission only that is gone round, what was passed over too; then the rest.

    Args:
        problems: What `problems_of` gives now.
        last: The problem visited last; None if there is none.
        at: Task and step to go on from where somebody went elsewhere since, -1 for the request; a problem at
            that very place counts. A place that both changed comes before everything, wherever one is.
        back: Whether to walk the other way.
    """
    if not problems:
        return None
    problems = tuple(problem for problem in problems if problem.is_blocking) or problems
    if at is not None:
        return _from_place(problems, at, back=back)
    keys = [problem.key for problem in problems]
    if last is None:
        return problems[-1 if back else 0]
    if last.key in keys:
        return problems[(keys.index(last.key) + (-1 if back else 1)) % len(problems)]
    later = [
        p
        for p in problems
        if p.is_blocking == last.is_blocking and place_in_dialogue(p) >= place_in_dialogue(last)
    ]
    return later[0] if later else problems[0]


def _from_place(problems: tuple[Problem, ...], at: tuple[int, int], *, back: bool) -> Problem:
    found = [problem for problem in problems if problem.kind == "clash"] or list(problems)
    if back:
        before = [problem for problem in found if place_in_dialogue(problem)[:2] < at]
        return before[-1] if before else found[-1]
    # What a task as a whole misses is not behind somebody who is at one of its steps.
    ahead = (p for p in found if place_in_dialogue(p)[:2] >= at or (p.task == at[0] and p.step is None))
    return next(ahead, found[0])


def _gathered(blockers: Iterable[Blocker], items: Sequence[Item]) -> Iterator[Problem]:
    gathered: dict[tuple[str, int | None, int | None], list[Blocker]] = {}
    for blocker in blockers:
        if blocker.kind in _KINDS_PER_PLACE:
            gathered.setdefault((blocker.kind, blocker.task, blocker.step), []).append(blocker)
        else:
            yield Problem(**vars(blocker), is_blocking=True)
    for (kind, task, step), group in gathered.items():
        gathering = replace(group[0], message=_message(group, (kind, task, step), items))
        yield Problem(**vars(gathering), is_blocking=True, count=len(group))


def _message(group: list[Blocker], place: tuple[str, int | None, int | None], items: Sequence[Item]) -> str:
    kind, task, step = place
    if len(group) == 1:
        return group[0].message
    if kind == "evidence":
        return f"Task {(task or 0) + 1}, step {step}: say where {counted(len(group), 'value')} come from."
    where = "The dialogue" if task is None else f"Task {task + 1}"
    total = sum(item.task == task for item in items)
    return f"{where}: {len(group)} of {total} items of the checklist are open."


def place_in_dialogue(problem: Problem) -> tuple[int, int, int]:
    """Where a problem stands in the order one walks them: by task, step, and what rests on what."""
    task = problem.task if problem.task is not None else 10**6
    step = problem.step if problem.step is not None else -1
    order = ("clash", "drawing", "finding", "label", "review", "evidence", "judgment", "checklist", "reason")
    if problem.kind == "judgment" and problem.step is None:
        step = 10**6 - 1  # whether a task is completed is said once its calls are judged
    if problem.kind == "checklist":
        step = 10**6
    return task, step, order.index(problem.kind)
