"""Saying in one sentence how a restored draft differs from where its work began."""

from annotator.cases.phrases import listed
from annotator.drafts.snapshot import Snapshot
from annotator.drafts.statements import cited_place
from scoring.model.case import Case
from scoring.model.labels import Judgment
from scoring.texts import tr, tr_count


def restored_words(start: Snapshot, draft: Snapshot) -> str:
    """Say what a draft holds beyond what the work started from.

    Args:
        start: The case and the judgment an editor would open with without the draft.
        draft: The restored work.

    Returns:
        Counted things joined by commas, e.g. `2 labels, 3 citations and 1 text`, in the language of this
        process; empty where the draft changes nothing.
    """
    counts = (
        (n := _changed_texts(start.case, draft.case), tr_count(n, "text or value", "texts and values")),
        (n := _changed_edges(start.case, draft.case), tr_count(n, "dependency", "dependencies")),
        (n := _changed_labels(start.case, draft.case), tr_count(n, "label")),
        (n := _changed_evidence(start.judgment, draft.judgment), tr_count(n, "citation")),
        (n := _changed_answers(start.judgment, draft.judgment), tr_count(n, "judgment")),
        (n := len(set(start.judgment.waivers) ^ set(draft.judgment.waivers)), tr_count(n, "waiver")),
    )
    return listed([words for count, words in counts if count], last=tr("and"))


def _changed_texts(start: Case, draft: Case) -> int:
    if len(start.tasks) != len(draft.tasks):
        return abs(len(start.tasks) - len(draft.tasks))
    return sum(
        (one.user != other.user)
        + abs(len(one.steps) - len(other.steps))
        + sum(a != b for a, b in zip(one.steps, other.steps, strict=False))
        for one, other in zip(start.tasks, draft.tasks, strict=True)
    )


def _changed_edges(start: Case, draft: Case) -> int:
    pairs = zip(start.tasks, draft.tasks, strict=False)
    return sum(len(set(one.drawn_edges) ^ set(other.drawn_edges)) for one, other in pairs)


def _changed_labels(start: Case, draft: Case) -> int:
    return sum(
        (one.policy is not other.policy) + (one.information is not other.information)
        for one, other in zip(start.tasks, draft.tasks, strict=False)
    )


def _changed_evidence(start: Judgment, draft: Judgment) -> int:
    before = {cited_place(citation): citation for citation in start.evidence}
    after = {cited_place(citation): citation for citation in draft.evidence}
    return sum(before.get(place) != after.get(place) for place in {*before, *after})


def _changed_answers(start: Judgment, draft: Judgment) -> int:
    return sum(start.checklist.get(item) is not answer for item, answer in draft.checklist.items()) + sum(
        (one.completed is not other.completed)
        + (one.drawn is not other.drawn)
        + sum(one.checklist.get(item) is not answer for item, answer in other.checklist.items())
        + sum(a is not b for a, b in zip(one.calls_correct, other.calls_correct, strict=False))
        for one, other in zip(start.tasks, draft.tasks, strict=False)
    )
