"""What the next key does, and on which task: the line below a case."""

from collections.abc import Callable, Iterator, Sequence

from annotator.drafts.checklists import Item, is_open
from annotator.drafts.problems import Problem
from annotator.drafts.shown import why_not
from scoring.model.case import Case
from scoring.model.labels import Finding
from scoring.model.taxonomy import CheckAnswer, ReviewLabel
from scoring.texts import tr
from ui.desk.case_actions import fix_for, offer_words, writing_place
from ui.desk.document import CaseDocument
from ui.desk.judgment_actions import next_item
from ui.theme.words import FINDING, INFORMATION, POLICY

Keys = tuple[str, str]
"""A key as people read it, and what it does in a few words."""


def next_key_words(
    document: CaseDocument,
    *,
    here: Problem | None,
    following: Problem | None,
    in_table: bool,
    at: Item | None,
    unread: Callable[[Item], Sequence[object]],
    shown: Callable[[str], str],
) -> str:
    """Say where one is, and which keys do what there; else where the next key leads.

    Args:
        document: What is open.
        here: The open point one is at; None if there is none.
        following: Where the key for the next problem leads; None for nowhere.
        in_table: Whether the keys go to the table of argument values.
        at: The item of the checklist whose box has the keys.
        unread: What of an item's subject is still to be read.
        shown: The keys of a command of the page by the last part of its id, as they are shown.
    """
    here = here if at is None or (here is not None and here.kind == "checklist") else None
    found: list[Keys] = []
    if at is not None and is_open(at, document.judgment):
        # C first where both do it: a space soon behind a letter is part of a sentence, which is taken back.
        is_by_c = at == next_item(document) and not at.against
        is_by_c = is_by_c and not why_not(at, document.case, CheckAnswer.PASS)
        found += _of_item(at, document.case, unread, key=shown("confirm") if is_by_c else tr("Space"))
    elif here is not None:
        found += _keys(here, document, shown, in_table=in_table)
        if here.kind == "checklist" and (item := next_item(document)) is not None:
            found += _of_item(item, document.case, unread, key=shown("confirm"))
            found += [(tr("Space"), tr("changes nothing here"))] if at is not None else []
    keys = " · ".join(f"{key} {words}" for key, words in found)
    if here is not None:
        return f"{place_words(here)} {keys}" if keys else place_words(here)
    ends = tr("Nothing blocks any more: {value} submits.", value=shown("submit"))
    if following is None:
        return ends
    to = tr("{value} leads to: {place_words}", value=shown("problem"), place_words=place_words(following))
    leads = f"{keys} · {to}" if keys else to
    return leads if following.is_blocking else f"{ends} {leads}"


def place_words(problem: Problem) -> str:
    """An open point as a sentence that names its task, and says where it blocks nothing."""
    finding = problem.finding
    about = finding and FINDING.get(finding.rule, finding.rule)
    words = tr("{words}.", words=about) if about else tr(problem.message)
    if problem.task is not None and not problem.message.startswith(f"Task {problem.task + 1}"):
        step = tr(", step {step}", step=problem.step) if problem.step is not None else ""
        words = tr("Task {task}{step}: {words}", task=problem.task + 1, step=step, words=words)
    return words if problem.is_blocking else tr("Does not block: {words}", words=words)


def _keys(
    problem: Problem, document: CaseDocument, shown: Callable[[str], str], *, in_table: bool
) -> Iterator[Keys]:
    """The keys that settle an open point."""
    task = problem.task if problem.task is not None else document.selection.task
    match problem.kind:
        case "clash":
            yield from ((shown("fix"), tr("takes their side")), (shown("waive"), tr("keeps yours")))
        case "drawing":
            if document.case.tasks[task].drawn_edges or document.assessment.suggestions[task]:
                yield shown("suggested"), tr("accepts what is dotted")
            yield from (
                (shown("unconnected"), tr("no dependencies")),
                (shown("recorded"), tr("the order recorded")),
                (shown("connect"), tr("draws")),
            )
        case "finding" if problem.finding is not None:
            yield from _of_finding(problem.finding, document, shown)
        case "label":
            if offer := next(iter(document.assessment.offers_of(task)), None):
                yield shown("offer"), tr("takes {offer_words}", offer_words=offer_words(offer))
            yield f"1–{len(POLICY if problem.label == 'policy' else INFORMATION)}", tr("choose")
            if problem.label == "policy" and document.judgment.tasks[task].drawn is not False:
                yield shown("adopt"), tr("as drawn")
        case "evidence" if in_table:
            yield from (("E", tr("accepts the source")), ("S", tr("selects it")), ("D", tr("default")))
            yield from (("R", tr("derived")), ("W", tr("world knowledge")))
        case "evidence":
            yield from (
                (shown("accept"), tr("accepts the sources of this step")),
                (shown("evidence"), tr("lists them")),
            )
        case "review":
            yield f"1–{len(ReviewLabel)}", tr("say how it ended")
        case "judgment" if problem.step is None:
            yield from ((shown("completed"), tr("completed")), (shown("not-completed"), tr("not completed")))
        case "judgment":
            yield from ((shown("right"), tr("right")), (shown("wrong"), tr("wrong")))


def _of_item(
    item: Item, case: Case, unread: Callable[[Item], Sequence[object]], *, key: str
) -> Iterator[Keys]:
    """The keys of an item: at its box, or that of the checklist, which leads to one it does not confirm."""
    cannot, sentence = why_not(item, case, CheckAnswer.PASS), tr(item.sentence)
    if key != tr("Space") and (cannot or item.against):
        yield key, tr("leads to “{sentence}”", sentence=sentence)
    elif not cannot and unread(item):
        yield key, tr("shows what to read for “{sentence}”", sentence=sentence)
    elif not cannot:
        yield key, tr("confirms “{sentence}”", sentence=sentence)
    else:
        yield "F", tr("says that “{sentence}” fails", sentence=tr(item.sentence))
        if not why_not(item, case, CheckAnswer.NOT_APPLICABLE):
            yield "-", tr("that it does not apply")


def _of_finding(finding: Finding, document: CaseDocument, shown: Callable[[str], str]) -> Iterator[Keys]:
    place, fix = writing_place(finding, document.case), fix_for(finding)
    if place is not None:
        yield (tr("Alt Enter") if place.field == "observation" else tr("Enter")), tr("opens its editor")
    elif fix is not None:
        yield shown("fix"), fix.title[:1].lower() + fix.title[1:]
    yield shown("waive"), tr("waives it")
