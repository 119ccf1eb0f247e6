"""What people decided about earlier cases: kept with each submission, read for cases of the toolset."""

from annotator.cases.bodies import load_revision, read_record, write_record
from annotator.drafts.precedents import (
    OrderHabit,
    Precedent,
    Precedents,
    orders_of,
    pattern_of,
    toolset_of,
)
from annotator.project.workspace import Work, Workspace
from db.read import precedents as stored
from db.read import reviews
from db.tables import Transaction
from db.write.precedents import remember
from scoring.errors import AnnotatorError
from scoring.model.case import Case
from scoring.model.labels import Judgment, TaskLabels
from scoring.model.taxonomy import Role, Verdict


def keep_precedents(
    tx: Transaction, case_pk: int, *, person_id: int, case: Case, judgment: Judgment, judgment_id: int
) -> None:
    """Keep what an approval says of each task, for cases like it; any other verdict teaches nothing."""
    if judgment.verdict is not Verdict.APPROVE or not case.tools:
        return
    # What is about its own texts alone teaches nothing.
    own: dict[str, object] = {"checklist": {}, "calls_correct": (), "completed": None}
    remember(
        tx,
        case_pk,
        judgment_id=judgment_id,
        person_id=person_id,
        toolset=toolset_of(case),
        labels=(
            (pattern_of(task), write_record(said.model_copy(update=own)))
            for task, said in zip(case.tasks, judgment.tasks, strict=True)
            if any(True for _ in task.calls)
        ),
        orders=orders_of(case, judgment.tasks),
    )


def learn_from_approvals(workspace: Workspace) -> int:
    """Fill in the precedents of a project that was brought to this version without them.

    Returns:
        From how many approvals; 0 where precedents are kept already.

    Raises:
        ForbiddenError: The person is no manager.
    """

    def work(w: Work) -> int:
        count = fill_precedents(w.tx)
        if count:
            w.record("project", {"approvals": count})
        return count

    return workspace.run("project:precedents:fill", work, roles=(Role.MANAGER,)).value


def fill_precedents(tx: Transaction) -> int:
    """Keep what the approvals of a project say that was written before they were kept; else do nothing.

    A case or a judgment that cannot be read teaches nothing.

    Returns:
        From how many approvals.
    """
    if stored.has_precedents(tx):
        return 0
    count = 0
    for said in reviews.standing_approvals(tx):
        try:
            judgment, case = read_record(Judgment, said.body), load_revision(tx, said.result_id)
        except (AnnotatorError, ValueError):
            continue
        if len(judgment.tasks) == len(case.tasks):
            keep_precedents(
                tx,
                said.case_pk,
                person_id=said.person_id,
                case=case,
                judgment=judgment,
                judgment_id=said.id,
            )
            count += 1
    return count


def precedents_for(tx: Transaction, person_id: int, *, case: Case, case_pk: int) -> Precedents:
    """What earlier cases say about a case, as far as the person may know it.

    Orders are counted over the person's own cases and those that are final; labels are the person's own. The
    case itself never counts, so that nobody learns from it what others said of it.
    """
    names = {call.name for task in case.tasks for _, call in task.calls}
    toolset = toolset_of(case)
    counts = stored.order_counts(tx, person_id, toolset=toolset, names=names, besides=case_pk)
    patterns = {pattern_of(task) for task in case.tasks if task.calls}
    rows = stored.own_precedents(tx, person_id, toolset=toolset, patterns=patterns, besides=case_pk)
    return Precedents(
        habits=tuple(OrderHabit(one.first, one.second, one.ordered, one.total) for one in counts),
        tasks=tuple((row.pattern, Precedent(row.case_id, read_record(TaskLabels, row.body))) for row in rows),
    )
