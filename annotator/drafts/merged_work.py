"""Work on a case brought together with what somebody else made of the case meanwhile."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from annotator.cases.phrases import listed
from annotator.cases.versions.conflicts import Clash, OrderPlace, Side, choose_side, follow_clashes
from annotator.cases.versions.merge import Merged, merge
from annotator.drafts.carry_over import Gone, carried, gone_words
from annotator.drafts.difference import restored_words
from annotator.drafts.snapshot import Snapshot, with_case
from scoring.model.case import Case
from scoring.model.labels import Judgment
from scoring.texts import joined, tr


@dataclass(frozen=True)
class MergedWork:
    """Work and somebody else's changes in one snapshot, and what came from whom.

    `theirs` and `mine` count what each side changed, empty for nothing that is counted. `tasks` are those
    that are not as in the work, `reopened` those of them whose checklist had answers. `gone` is what was
    said in the work about something that is not there any more.
    """

    work: Snapshot
    theirs: str = ""
    mine: str = ""
    tasks: tuple[int, ...] = ()
    reopened: tuple[int, ...] = ()
    gone: tuple[Gone, ...] = ()


def merge_work(base: Case, mine: Snapshot, theirs: Snapshot) -> MergedWork:
    """Bring work together with another state of the case.

    What was confirmed about a task they changed is open again: it was said about another text.

    Args:
        base: The state of the case the work went on from.
        mine: The work.
        theirs: The case as it is now, with what is said about it at the beginning.
    """
    merged = merge(base, mine.case, theirs.case)
    changed = restored_words(Snapshot(base, mine.judgment), Snapshot(theirs.case, mine.judgment))
    done = restored_words(Snapshot(base, theirs.judgment), mine)
    if merged.case is mine.case and not merged.clashes:
        return MergedWork(mine, changed, done)
    judgment, gone = carried(mine.judgment, (mine.case, merged.moved, merged.case))
    judgment, reopened = _reopened(judgment, merged)
    known = follow_clashes(mine.clashes, before=mine.case, after=merged.moved)
    known = follow_clashes(known, before=merged.moved, after=merged.case)
    fresh = {clash.place for clash in merged.clashes}
    clashes = (*(clash for clash in known if clash.place not in fresh), *merged.clashes)
    work = Snapshot(merged.case, judgment, clashes)
    return MergedWork(work, changed, done, tasks=merged.touched, reopened=reopened, gone=gone)


def settled(snapshot: Snapshot, clash: Clash, side: Side) -> Snapshot:
    """Choose a side of a clash.

    Raises:
        AnnotatorError: It cannot stand there any more.
    """
    after = with_case(snapshot, partial(choose_side, clash=clash, side=side))
    if side != clash.stands and not isinstance(clash.place, OrderPlace):
        return after
    return replace(after, clashes=tuple(one for one in after.clashes if one.place != clash.place))


def merged_words(merged: MergedWork, *, by: Sequence[str], person: str) -> str:
    """Say what came from whom, and what is left to do.

    Args:
        merged: The outcome.
        by: Who changed the case meanwhile; empty where nobody may know.
        person: Whose work it is.
    """
    count = len(merged.work.clashes)
    where = _tasks(merged.tasks)
    changed = merged.theirs or tr("something else")
    if where:
        where = tr(" ({where})", where=where) if count else tr(" in {where}", where=where)
    words = (
        "{who} changed {changed} meanwhile: what only they changed is in{where}."
        if count
        else "{who} changed {changed}{where} meanwhile: that is in."
    )
    gone = gone_words(merged.gone)
    return joined(
        tr(words, who=who(by, person), changed=changed, where=where),
        tr("From you: {mine}.", mine=merged.mine) if merged.mine else "",
        tr("1 place that both changed waits for your choice (F8).") if count == 1 else "",
        tr("{count} places that both changed wait for your choice (F8).", count=count) if count > 1 else "",
        tr("Gone with what they changed or removed: {gone}.", gone=gone) if gone else "",
        tr("Confirm {tasks} again.", tasks=_tasks(merged.reopened)) if merged.reopened else "",
    )


def who(by: Sequence[str], person: str) -> str:
    """Name who changed something, as the beginning of a sentence."""
    words = listed([tr("you") if name == person else name for name in by], last=tr("and")) or tr("somebody")
    return words if set(by) - {person} else words.capitalize()


def _reopened(judgment: Judgment, merged: Merged) -> tuple[Judgment, tuple[int, ...]]:
    """What was said, with the checklists of tasks they changed open again; and which of these had answers."""
    answered = {
        number
        for number, said in enumerate(judgment.tasks)
        if any(said.checklist.values()) or said.completed is not None
    }
    reopened = tuple(number for number in merged.touched if number in answered)
    tasks = tuple(
        said.model_copy(update={"checklist": {}, "completed": None}) if number in reopened else said
        for number, said in enumerate(judgment.tasks)
    )
    return judgment.model_copy(update={"tasks": tasks}), reopened


def _tasks(numbers: Sequence[int]) -> str:
    if not numbers:
        return ""
    words = listed([number + 1 for number in numbers], last=tr("and"))
    return tr("task {words}", words=words) if len(numbers) == 1 else tr("tasks {words}", words=words)
