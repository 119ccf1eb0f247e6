"""What a person can do to the case itself: each function is one step of undo of a document."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from annotator.cases.edits import edge_edits, step_edits, task_edits, text_edits
from annotator.cases.evidence.suggestions import SuggestedEdge
from annotator.cases.findings.repairs import apply_proposal, has_proposal
from annotator.drafts.precedents import LabelOffer
from annotator.drafts.statements import CitedPlace
from scoring.model.case import AcceptedValue, Answer, Ask, Call, Case
from scoring.model.graph import derive_policy
from scoring.model.labels import Finding
from scoring.model.taxonomy import EdgeKind, Information, Policy
from scoring.texts import tr, tr_count, with_commas
from ui.desk.document import CaseDocument, Selection
from ui.dialogue.arguments.completions import declared_in
from ui.dialogue.card_head import argument_name, repair_words
from ui.dialogue.content import ANSWER_MISSING, USER_STEP, Edit
from ui.theme.words import EDGE_KIND, INFORMATION, POLICY

WRITTEN = ("answer.missing", "observation.missing", "task.empty")
"""Rules that are settled by writing what is missing."""


@dataclass(frozen=True)
class Fix:
    """An edit that settles a finding, and what its button says."""

    title: str
    change: Callable[[Case], Case]


@dataclass(frozen=True)
class WritingPlace:
    """A field of a card of the dialogue; an empty field is what the card is mainly about."""

    task: int
    step: int
    field: str


def fix_for(finding: Finding) -> Fix | None:
    """The edit that would settle a finding; None where a person has to think of one."""
    if has_proposal(finding):
        return Fix(repair_words(finding), partial(apply_proposal, finding=finding))
    if finding.task is None or finding.step is None:
        return None
    match finding.rule:
        case "args.undefined" if finding.path:
            change = partial(
                text_edits.remove_argument, task=finding.task, step=finding.step, path=finding.path
            )
            return Fix(tr("Remove {argument_name}", argument_name=argument_name(finding)), change)
        case "call.duplicate":
            change = partial(step_edits.delete_step, task=finding.task, step=finding.step)
            return Fix(tr("Delete step {step}", step=finding.step), change)
        case _:
            return None


def writing_place(finding: Finding, case: Case) -> WritingPlace | None:
    """Where somebody has to write something to settle a finding; None where that is not what it takes."""
    if finding.task is None or not finding.task < len(case.tasks):
        return None
    match finding.rule:
        case "answer.missing":
            step = case.tasks[finding.task].answer_index
            return WritingPlace(finding.task, ANSWER_MISSING if step is None else step, "")
        case "observation.missing" if finding.step is not None:
            return WritingPlace(finding.task, finding.step, "observation")
        case "task.empty" if case.tasks[finding.task].steps:
            return WritingPlace(finding.task, USER_STEP, "user")
        case _:
            return None


Pair = tuple[int, int]


# texts and values


def apply_edit(document: CaseDocument, edit: Edit) -> bool:
    """Make the change a card of the dialogue asks for; typing in one field is one step.

    Typing that is given up is undone, so that redo brings it again, also what is no value yet.
    """
    key = f"{edit.task} {edit.step} {edit.field}"
    if edit.unread is not None:
        document.give_up(edit.unread, title=edit_title(document.case, edit), key=key)
    if edit.is_final and document.unwind(partial(edited, edit=edit), key=key):
        document.stop_merging()
        return True
    is_done = document.edit_case(edit_title(document.case, edit), partial(edited, edit=edit), key=key)
    if edit.is_final:
        document.stop_merging()
    return is_done


def settle(document: CaseDocument, finding: Finding) -> bool:
    """Make the edit that settles a finding, where one is known."""
    fix = fix_for(finding)
    return fix is not None and document.edit_case(fix.title[:1].lower() + fix.title[1:], fix.change)


# the drawing


def draw_edge(document: CaseDocument, source: int, target: int) -> bool:
    """Draw a dependency in the selected task."""
    change = partial(edge_edits.add_edge, task=document.selection.task, source=source, target=target)
    return document.edit_case(tr("draw {source} → {target}", source=source, target=target), change)


def remove_edges(document: CaseDocument, pairs: Sequence[Pair]) -> bool:
    """Remove dependencies of the selected task at once."""
    title = tr("remove ") + with_commas(f"{a} → {b}" for a, b in pairs)
    return document.edit_case(title, partial(_without_edges, task=document.selection.task, pairs=pairs))


def toggle_kinds(document: CaseDocument, pairs: Sequence[Pair]) -> bool:
    """Give dependencies of the selected task the other kind."""
    task = document.selection.task
    kinds = {
        edge.pair: EdgeKind.LOGICAL if edge.kind is EdgeKind.PARAMETER else EdgeKind.PARAMETER
        for edge in document.case.tasks[task].drawn_edges
    }
    wanted = {pair: kinds[pair] for pair in pairs if pair in kinds}
    names = with_commas(f"{a} → {b} {EDGE_KIND[kind]}" for (a, b), kind in wanted.items())
    return document.edit_case(tr("make {names}", names=names), partial(_with_kinds, task=task, kinds=wanted))


def accept_suggestions(document: CaseDocument, suggestions: Sequence[SuggestedEdge]) -> bool:
    """Draw suggested dependencies of the selected task at once."""
    edges = [suggestion.edge for suggestion in suggestions]
    if not edges:
        return False
    title = tr("draw ") + with_commas(f"{edge.source} → {edge.target}" for edge in edges)
    return document.edit_case(title, partial(edge_edits.add_edges, task=document.selection.task, edges=edges))


def accept_proposals(document: CaseDocument) -> bool:
    """Make one's own drawing of all that is dotted in the selected task: its file's edges and suggestions."""
    task = document.selection.task
    offered = document.assessment.suggestions[task]
    if document.judgment.tasks[task].drawn is not False:
        return accept_suggestions(document, offered)
    edges = [suggestion.edge for suggestion in offered]
    if not edges and not document.case.tasks[task].drawn_edges:
        return False
    return document.draw(tr("accept the dependencies"), partial(edge_edits.add_edges, task=task, edges=edges))


def take_offer(document: CaseDocument) -> str:
    """Take the first label that is proposed for the selected task; says what it did, empty for nothing."""
    task = document.selection.task
    offer = next(iter(document.assessment.offers_of(task)), None)
    if offer is None:
        return ""
    if offer.policy is not None:
        set_policy(document, offer.policy)
    elif offer.information is not None:
        set_information(document, offer.information)
    else:
        document.draw(
            tr("draw it {reason}", reason=offer.reason),
            partial(edge_edits.redraw, task=task, edges=offer.edges or ()),
        )
    return offer_words(offer)


def offer_words(offer: LabelOffer) -> str:
    """A proposed label with its reason, as one line."""
    if offer.policy is not None:
        what = POLICY[offer.policy]
    elif offer.information is not None:
        what = INFORMATION[offer.information]
    else:
        what = tr(
            "Drawing with {dependencies}",
            dependencies=tr_count(len(offer.edges or ()), "dependency", "dependencies"),
        )
    return tr("{what}: {reason}.", what=what, reason=tr(offer.reason))


def draw_nothing(document: CaseDocument) -> bool:
    """Say of the selected task that no step waits for another."""
    return document.draw(
        tr("draw no dependencies"), partial(edge_edits.clear_edges, task=document.selection.task)
    )


def draw_recorded(document: CaseDocument) -> bool:
    """Draw the selected task in the order recorded, each round waiting for the one before."""
    return document.draw(
        tr("draw the order recorded"), partial(edge_edits.chain_rounds, task=document.selection.task)
    )


def _without_edges(case: Case, task: int, *, pairs: Sequence[Pair]) -> Case:
    for source, target in pairs:
        case = edge_edits.remove_edge(case, task, source=source, target=target)
    return case


def _with_kinds(case: Case, task: int, *, kinds: dict[Pair, EdgeKind]) -> Case:
    for (source, target), kind in kinds.items():
        case = edge_edits.set_edge_kind(case, task, source=source, target=target, kind=kind)
    return case


# labels


def set_policy(document: CaseDocument, policy: Policy | None) -> bool:
    """Label the selected task with a policy."""
    title = tr("label it {policy}", policy=POLICY[policy]) if policy else tr("take the policy off")
    return document.edit_case(
        title, partial(text_edits.set_policy, task=document.selection.task, policy=policy)
    )


def adopt_policy(document: CaseDocument) -> bool:
    """Label the selected task with the policy its drawing shows; one that is not drawn shows none."""
    task = document.selection.task
    if document.judgment.tasks[task].drawn is False:
        return False
    derived = derive_policy(document.case.tasks[task])
    return derived is not None and set_policy(document, derived)


def set_information(document: CaseDocument, information: Information | None) -> bool:
    """Label how the selected task hides what it needs."""
    title = (
        tr("label it {information}", information=INFORMATION[information])
        if information
        else tr("take the information type off")
    )
    return document.edit_case(
        title, partial(text_edits.set_information, task=document.selection.task, information=information)
    )


def set_now(document: CaseDocument, raw: str, *, task: int | None) -> bool:
    """Change the simulated time of the case, or of a task that has its own; blank removes it."""
    title = tr("change the time") if task is None else tr("change the time of task {task}", task=task + 1)
    return document.edit_case(title, partial(text_edits.set_now, raw=raw, task=task))


# steps


def set_tool(document: CaseDocument, tool_name: str) -> bool:
    """Let the selected call use another tool; arguments the other tool has too are carried over."""
    return _change_step(
        document, tr("call {tool_name} in step", tool_name=tool_name), text_edits.set_tool, name=tool_name
    )


def accept_values(document: CaseDocument, rule: AcceptedValue, *, at: CitedPlace) -> bool:
    """Say what else is right at a place of a call's arguments."""
    task, step, path = at
    change = partial(text_edits.set_accepted_value, task=task, step=step, path=path, rule=rule)
    return document.edit_case(tr("accept other values of step {step}", step=step), change)


def insert_call(document: CaseDocument, tool_name: str) -> bool:
    """Insert a call behind the selected step, with the arguments its tool requires left open."""
    tool = document.case.tool(tool_name)
    names = [str(name) for name in declared_in(tool.parameters)[1]] if tool else []
    call = Call(name=tool_name, arguments=dict.fromkeys(names))
    return _insert(document, call, title=tr("insert a call of {tool_name}", tool_name=tool_name))


def insert_ask(document: CaseDocument) -> bool:
    """Insert a question behind the selected step."""
    return _insert(document, Ask(text="", reply=""), title=tr("insert a question"))


def _insert(document: CaseDocument, step: Call | Ask, *, title: str) -> bool:
    at = document.selection
    found = document.case.tasks[at.task]
    behind = len(found.steps) if at.step is None else at.step + 1
    last = found.answer_index
    index = behind if last is None else min(behind, last)
    change = partial(step_edits.insert_step, task=at.task, index=index, step=step)
    return _edit_and_go(document, title, change, Selection(at.task, index))


def _edit_and_go(
    document: CaseDocument, title: str, change: Callable[[Case], Case], place: Selection
) -> bool:
    """Make an edit, and where it was made go to a place."""
    is_done = document.edit_case(title, change)
    if is_done:
        document.select(place.task, place.step, path=place.path)
    return is_done


def _change_step(
    document: CaseDocument, verb: str, edit: Callable[..., Case], *, go: int = 0, **details: object
) -> bool:
    """Edit the selected step, where one is selected, and select the one so many steps behind it.

    Args:
        document: The document.
        verb: What is done, before the number of the step.
        edit: Takes the case, the task, the step and the details.
        go: How far the selection goes on; 0 where it stays.
        details: What else the edit takes.
    """
    at = document.selection
    if at.step is None:
        return False
    change = partial(edit, task=at.task, step=at.step, **details)
    place = Selection(at.task, at.step + go) if go else at
    return _edit_and_go(document, f"{verb} {at.step}", change, place)


def duplicate_step(document: CaseDocument) -> bool:
    """Copy the selected step."""
    return _change_step(document, tr("duplicate step"), step_edits.duplicate_step, go=1)


def delete_step(document: CaseDocument) -> bool:
    """Delete the selected step."""
    return _change_step(document, tr("delete step"), step_edits.delete_step)


def move_step(document: CaseDocument, by: Literal[-1, 1]) -> bool:
    """Let the selected step change places with its neighbour."""
    at = document.selection
    if at.step is None or not 0 <= at.step + by < len(document.case.tasks[at.task].steps):
        return False
    return _change_step(document, tr("move step"), step_edits.move_step, go=by, to=at.step + by)


def split_ask(document: CaseDocument, *, text_at: int, reply_at: int) -> bool:
    """Split the selected question in two at a place of its text and one of its reply."""
    return _change_step(
        document, tr("split question"), step_edits.split_step, text_at=text_at, reply_at=reply_at
    )


def merge_asks(document: CaseDocument) -> bool:
    """Merge the selected question with the question behind it."""
    at = document.selection
    if at.step is None:
        return False
    return document.edit_case(
        tr("merge questions {step} and {step2}", step=at.step, step2=at.step + 1),
        partial(step_edits.merge_steps, task=at.task, step=at.step),
    )


# tasks


def insert_task(document: CaseDocument) -> bool:
    """Insert an empty task behind the selected one."""
    index = document.selection.task + 1
    return _edit_and_go(
        document, tr("insert a task"), partial(task_edits.insert_task, index=index), Selection(index)
    )


def delete_task(document: CaseDocument) -> bool:
    """Delete the selected task."""
    task = document.selection.task
    return document.edit_case(
        tr("delete task {task}", task=task + 1), partial(task_edits.delete_task, task=task)
    )


def move_task(document: CaseDocument, by: Literal[-1, 1]) -> bool:
    """Let the selected task change places with its neighbour."""
    task = document.selection.task
    if not 0 <= task + by < len(document.case.tasks):
        return False
    change = partial(task_edits.move_task, task=task, to=task + by)
    return _edit_and_go(document, tr("move task {task}", task=task + 1), change, Selection(task + by))


def split_task(document: CaseDocument) -> bool:
    """Split the selected task at the selected step."""
    at = document.selection
    if at.step is None:
        return False
    change = partial(task_edits.split_task, task=at.task, step=at.step)
    return document.edit_case(tr("split task {task}", task=at.task + 1), change)


def merge_tasks(document: CaseDocument) -> bool:
    """Merge the selected task with the one behind it."""
    task = document.selection.task
    title = tr("merge tasks {task} and {task2}", task=task + 1, task2=task + 2)
    return document.edit_case(title, partial(task_edits.merge_tasks, task=task))


def edit_title(case: Case, edit: Edit) -> str:
    """What an edit does, in words for undo, e.g. `change the reply of step 2`.

    Args:
        case: The case before the edit.
        edit: The edit.
    """
    if edit.field == "answer":
        return tr("write the answer of task {task}", task=edit.task + 1)
    if edit.step is None:
        return tr("change the request of task {task}", task=edit.task + 1)
    found = case.tasks[edit.task].steps[edit.step]
    match found:
        case Answer():
            return tr("change the answer")
        case Ask():
            return tr(
                "change the {value} of step {step}",
                value=tr("reply") if edit.field == "reply" else tr("question"),
                step=edit.step,
            )
    value = {"name": tr("tool"), "accepted": tr("accepted values")}.get(edit.field) or tr(edit.field)
    return tr("change the {value} of step {step}", value=value, step=edit.step)


def edited(case: Case, edit: Edit) -> Case:
    """Make an edit.

    Raises:
        InputError: The place is gone, or the value is none a file could hold.
    """
    task, step, value = edit.task, edit.step, edit.value
    if edit.field == "answer":
        return _with_answer(case, task, text=str(value))
    if step is None:
        return text_edits.set_user_text(case, task, text=str(value))
    found = case.tasks[task].steps[step]
    match found:
        case Answer():
            return text_edits.set_answer_text(case, task, text=str(value))
        case Ask():
            if edit.field == "reply":
                return text_edits.set_ask(case, task, step=step, reply=str(value))
            return text_edits.set_ask(case, task, step=step, text=str(value))
        case _:
            return _edited_call(case, edit, step)


def _with_answer(case: Case, task: int, *, text: str) -> Case:
    """Write the answer there was not; none at all where nothing is left of it."""
    index = case.tasks[task].answer_index
    if text:
        return text_edits.set_answer_text(case, task, text=text)
    return case if index is None else step_edits.delete_step(case, task, step=index)


def _edited_call(case: Case, edit: Edit, step: int) -> Case:
    task, value = edit.task, edit.value
    match edit.field:
        case "name":
            return text_edits.set_tool(case, task, step=step, name=str(value))
        case "thought":
            return text_edits.set_thought(case, task, step=step, thought=str(value) or None)
        case "observation":
            return text_edits.set_observation(case, task, step=step, observation=value)
    arguments = value if isinstance(value, dict) else {}
    if edit.field == "accepted":
        return text_edits.set_accepted(case, task, step=step, accepted=arguments)
    return text_edits.set_arguments(case, task, step=step, arguments=arguments)
