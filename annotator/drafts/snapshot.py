"""The document of the workbench at one moment, and how it becomes a judgment that can be submitted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from annotator.cases.edits.edge_edits import redraw_answer
from annotator.cases.versions.conflicts import Clash, follow_clashes
from annotator.drafts.labels import with_labels
from annotator.drafts.statements import followed, labelled, set_drawn
from scoring.errors import InputError
from scoring.model.case import Case, content_sha256
from scoring.model.labels import Finding, Judgment, Reason, without_labels
from scoring.model.taxonomy import Verdict


@dataclass(frozen=True)
class Snapshot:
    """A case as it is edited, and what is said about it; the labels of both are always the same.

    `clashes` are places that somebody else changed too, until one side is chosen.
    """

    case: Case
    judgment: Judgment
    clashes: tuple[Clash, ...] = ()


def opening_snapshot(case: Case, judgment: Judgment, clashes: Sequence[Clash] = ()) -> Snapshot:
    """Begin with a case and what is said about it; the judgment's labels win.

    Raises:
        InputError: The judgment speaks of another number of tasks.
        GraphError: Its drawing breaks a rule.
    """
    shown = with_labels(case, judgment.tasks)
    return Snapshot(shown, labelled(judgment, shown), tuple(clashes))


def with_answers_last(case: Case) -> Case:
    """The case with every answer waiting for all that comes before it."""
    for task in range(len(case.tasks)):
        case = redraw_answer(case, task)
    return case


def with_case(
    snapshot: Snapshot,
    change: Callable[[Case], Case],
    *,
    is_proposed: Callable[[Case, int], bool] | None = None,
) -> Snapshot:
    """Edit the case; what is said about it follows.

    Who changes dependencies of a drawn task has drawn it still. Of one that is not drawn they have once they
    went through all that is proposed: until then a dependency says nothing about the others.

    Args:
        snapshot: What is edited.
        change: Gives the case after the edit.
        is_proposed: Whether a dependency of a task still waits to be accepted, redrawn or taken away; where
            None no dependency draws a task that is not.

    Raises:
        AnnotatorError: The edit is refused.
    """
    before, after = snapshot.case, change(snapshot.case)
    if after is before:
        return snapshot
    judgment = followed(snapshot.judgment, before=before, after=after)
    task = _redrawn(before, after)
    if task is not None:
        was_drawn = snapshot.judgment.tasks[task].drawn
        if was_drawn or (is_proposed is not None and not is_proposed(after, task)):
            judgment = set_drawn(judgment, task)
    return Snapshot(
        after,
        judgment,
        follow_clashes(snapshot.clashes, before=before, after=after),
    )


def with_drawing(snapshot: Snapshot, change: Callable[[Case], Case], *, task: int) -> Snapshot:
    """Draw a task as a whole: what comes out is the person's own word, also where nothing changes.

    Raises:
        AnnotatorError: The edit is refused.
    """
    return with_judgment(with_case(snapshot, change), partial(set_drawn, task=task))


def _redrawn(before: Case, after: Case) -> int | None:
    """The task whose dependencies are all that an edit changed; None for other edits."""
    if len(before.tasks) != len(after.tasks):
        return None
    pairs = zip(before.tasks, after.tasks, strict=True)
    changed = [t for t, (one, other) in enumerate(pairs) if one is not other]
    if len(changed) != 1:
        return None
    one, other = before.tasks[changed[0]], after.tasks[changed[0]]
    is_redrawn = one.edges != other.edges and set(one.drawn_edges) != set(other.drawn_edges)
    return changed[0] if is_redrawn and one.model_copy(update={"edges": other.edges}) == other else None


def with_judgment(snapshot: Snapshot, change: Callable[[Judgment], Judgment]) -> Snapshot:
    """Change what is said about the case."""
    return replace(snapshot, judgment=change(snapshot.judgment))


def require_same_steps(before: Case, after: Case) -> None:
    """Refuse an edit that adds, removes or moves steps or tasks.

    A cross-check judges the steps there are: its drawing and its judgments of calls are compared with
    the others' step by step.

    Raises:
        InputError: The steps are not the same.
    """
    if not same_shape(before, after):
        raise InputError(
            "A cross-check judges the steps as they are; it cannot add, remove or move any.",
            "Correct texts and values as a proposal, or return the case with a reason.",
        )


def sealed(
    snapshot: Snapshot,
    *,
    base: Case,
    findings: Sequence[Finding],
    is_blind: bool,
    verdict: Verdict,
    reasons: tuple[Reason, ...] = (),
    seconds: float,
) -> Judgment:
    """The judgment to submit.

    Args:
        snapshot: The document.
        base: What it started from, as the reviewer saw it.
        findings: What the checks say about it; waivers of anything else are left out.
        is_blind: Whether labels and drawing are compared, so that an edit is a proposal about the rest.
        verdict: What the reviewer decides.
        reasons: Why, unless it is an approval.
        seconds: Active time so far.
    """
    known = {(finding.rule, finding.where) for finding in findings}
    judgment = snapshot.judgment
    return judgment.model_copy(
        update={
            "evidence": tuple(citation for citation in judgment.evidence if citation.accepted),
            "waivers": tuple(w for w in judgment.waivers if (w.rule, w.where) in known),
            "verdict": verdict,
            "reasons": reasons,
            "edit": edit_of(snapshot.case, base=base, is_blind=is_blind),
            "seconds": seconds,
        }
    )


def edit_of(case: Case, *, base: Case, is_blind: bool) -> Case | None:
    """The case as an edit of what it started from; None where nothing but compared labels differs."""
    if is_blind:
        bare = without_labels(case)
        return None if content_sha256(bare) == content_sha256(without_labels(base)) else bare
    return None if case == base else case


def same_shape(case: Case, other: Case) -> bool:
    """Whether two cases have the same tasks with the same kinds of steps."""
    return _shape(case) == _shape(other)


def _shape(case: Case) -> list[list[str]]:
    return [[step.kind for step in task.steps] for task in case.tasks]
