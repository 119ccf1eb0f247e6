"""What a person can do to the case itself: each function is one step of undo of a document."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from annotator.cases import edge_editing, editing, step_editing, task_editing
from annotator.cases.suggestions import SuggestedEdge
from scoring.model.case import Ask, Call, Case
from scoring.model.graph import derive_policy
from scoring.model.labels import Finding
from scoring.model.taxonomy import EdgeKind, Information, Policy
from ui.theme.words import EDGE_KIND, INFORMATION, POLICY
from ui.transcript.applying import edit_title, edited
from ui.transcript.content import Edit
from ui.workbench.document import WorkbenchDocument
from ui.workbench.fixes import fix_for

Pair = tuple[int, int]


# texts and values


def apply_edit(document: WorkbenchDocument, edit: Edit) -> bool:
    """Make the change a card of the dialogue asks for; typing in one field is one step.

    Typing that is given up is undone, so that redo brings it again.
    """
    key = f"{edit.task} {edit.step} {edit.field}"
    if edit.is_final and document.unwind(partial(edited, edit=edit), key=key):
        document.stop_merging()
        return True
    is_done = document.edit_case(edit_title(document.case, edit), partial(edited, edit=edit), key=key)
    if edit.is_final:
        document.stop_merging()
    return is_done


def settle(document: WorkbenchDocument, finding: Finding) -> bool:
    """Make the edit that settles a finding, where one is known."""
    fix = fix_for(finding)
    return fix is not None and document.edit_case(_lower(fix.title), fix.change)


# the drawing


def draw_edge(document: WorkbenchDocument, source: int, *, target: int) -> bool:
    """Draw a dependency in the selected task."""
    change = partial(edge_editing.add_edge, task=document.selection.task, source=source, target=target)
    return document.edit_case(f"draw {source} → {target}", change)


def remove_edges(document: WorkbenchDocument, pairs: Sequence[Pair]) -> bool:
    """Remove dependencies of the selected task at once."""
    title = "remove " + ", ".join(f"{a} → {b}" for a, b in pairs)
    return document.edit_case(title, partial(_without_edges, task=document.selection.task, pairs=pairs))


def toggle_kinds(document: WorkbenchDocument, pairs: Sequence[Pair]) -> bool:
    """Give dependencies of the selected task the other kind."""
    task = document.selection.task
    kinds = {edge.pair: _other(edge.kind) for edge in document.case.tasks[task].drawn_edges}
    wanted = {pair: kinds[pair] for pair in pairs if pair in kinds}
    names = ", ".join(f"{a} → {b} {EDGE_KIND[kind]}" for (a, b), kind in wanted.items())
    return document.edit_case(f"make {names}", partial(_with_kinds, task=task, kinds=wanted))


def accept_suggestions(document: WorkbenchDocument, suggestions: Sequence[SuggestedEdge]) -> bool:
    """Draw suggested dependencies of the selected task at once."""
    pairs = [suggestion.edge.pair for suggestion in suggestions]
    if not pairs:
        return False
    title = "draw " + ", ".join(f"{a} → {b}" for a, b in pairs)
    task = document.selection.task
    return document.edit_case(title, partial(_with_edges, task=task, pairs=pairs))


def _without_edges(case: Case, task: int, *, pairs: Sequence[Pair]) -> Case:
    for source, target in pairs:
        case = edge_editing.remove_edge(case, task, source=source, target=target)
    return case


def _with_edges(case: Case, task: int, *, pairs: Sequence[Pair]) -> Case:
    for source, target in pairs:
        case = edge_editing.add_edge(case, task, source=source, target=target, kind=EdgeKind.PARAMETER)
    return case


def _with_kinds(case: Case, task: int, *, kinds: dict[Pair, EdgeKind]) -> Case:
    for (source, target), kind in kinds.items():
        case = edge_editing.set_edge_kind(case, task, source=source, target=target, kind=kind)
    return case


def _other(kind: EdgeKind) -> EdgeKind:
    return EdgeKind.LOGICAL if kind is EdgeKind.PARAMETER else EdgeKind.PARAMETER


# labels


def set_policy(document: WorkbenchDocument, policy: Policy | None) -> bool:
    """Label the selected task with a policy."""
    title = f"label it {POLICY[policy]}" if policy else "take the policy off"
    task = document.selection.task
    return document.edit_case(title, partial(editing.set_policy, task=task, policy=policy))


def adopt_policy(document: WorkbenchDocument) -> bool:
    """Label the selected task with the policy its drawing shows."""
    derived = derive_policy(document.case.tasks[document.selection.task])
    return derived is not None and set_policy(document, derived)


def set_information(document: WorkbenchDocument, information: Information | None) -> bool:
    """Label how the selected task hides what it needs."""
    title = f"label it {INFORMATION[information]}" if information else "take the information type off"
    task = document.selection.task
    return document.edit_case(title, partial(editing.set_information, task=task, information=information))


def set_now(document: WorkbenchDocument, raw: str) -> bool:
    """Change the simulated time of the case; blank removes it."""
    return document.edit_case("change the time of the case", lambda case: editing.set_now(case, raw))


# steps


def set_tool(document: WorkbenchDocument, tool_name: str) -> bool:
    """Let the selected call use another tool; arguments the other tool has too are carried over."""
    at = document.selection
    if at.step is None:
        return False
    change = partial(editing.set_tool, task=at.task, step=at.step, name=tool_name)
    return document.edit_case(f"call {tool_name} in step {at.step}", change)


def insert_call(document: WorkbenchDocument, tool_name: str) -> bool:
    """Insert a call behind the selected step, with the arguments its tool requires left open."""
    tool = document.case.tool(tool_name)
    required = tool.parameters["required"] if tool else []
    names = [str(name) for name in required] if isinstance(required, list) else []
    call = Call(name=tool_name, arguments=dict.fromkeys(names))
    return _insert(document, call, title=f"insert a call of {tool_name}")


def insert_ask(document: WorkbenchDocument) -> bool:
    """Insert a question behind the selected step."""
    return _insert(document, Ask(text="", reply=""), title="insert a question")


def _insert(document: WorkbenchDocument, step: Call | Ask, *, title: str) -> bool:
    at = document.selection
    found = document.case.tasks[at.task]
    behind = len(found.steps) if at.step is None else at.step + 1
    last = found.answer_index
    index = behind if last is None else min(behind, last)
    change = partial(step_editing.insert_step, task=at.task, index=index, step=step)
    is_done = document.edit_case(title, change)
    if is_done:
        document.select(at.task, index)
    return is_done


def duplicate_step(document: WorkbenchDocument) -> bool:
    """Copy the selected step."""
    at = document.selection
    if at.step is None:
        return False
    change = partial(step_editing.duplicate_step, task=at.task, step=at.step)
    is_done = document.edit_case(f"duplicate step {at.step}", change)
    if is_done:
        document.select(at.task, at.step + 1)
    return is_done


def delete_step(document: WorkbenchDocument) -> bool:
    """Delete the selected step."""
    at = document.selection
    if at.step is None:
        return False
    change = partial(step_editing.delete_step, task=at.task, step=at.step)
    return document.edit_case(f"delete step {at.step}", change)


def move_step(document: WorkbenchDocument, by: Literal[-1, 1]) -> bool:
    """Let the selected step change places with its neighbour."""
    at = document.selection
    if at.step is None or not 0 <= at.step + by < len(document.case.tasks[at.task].steps):
        return False
    change = partial(step_editing.move_step, task=at.task, step=at.step, to=at.step + by)
    is_done = document.edit_case(f"move step {at.step}", change)
    if is_done:
        document.select(at.task, at.step + by)
    return is_done


def split_ask(document: WorkbenchDocument, *, text_at: int, reply_at: int) -> bool:
    """Split the selected question in two at a place of its text and one of its reply."""
    at = document.selection
    if at.step is None:
        return False
    change = partial(step_editing.split_step, task=at.task, step=at.step, text_at=text_at, reply_at=reply_at)
    return document.edit_case(f"split question {at.step}", change)


def merge_asks(document: WorkbenchDocument) -> bool:
    """Merge the selected question with the question behind it."""
    at = document.selection
    if at.step is None:
        return False
    change = partial(step_editing.merge_steps, task=at.task, step=at.step)
    return document.edit_case(f"merge questions {at.step} and {at.step + 1}", change)


# tasks


def insert_task(document: WorkbenchDocument) -> bool:
    """Insert an empty task behind the selected one."""
    index = document.selection.task + 1
    is_done = document.edit_case("insert a task", lambda case: task_editing.insert_task(case, index))
    if is_done:
        document.select(index)
    return is_done


def delete_task(document: WorkbenchDocument) -> bool:
    """Delete the selected task."""
    task = document.selection.task
    return document.edit_case(f"delete task {task + 1}", partial(task_editing.delete_task, task=task))


def move_task(document: WorkbenchDocument, by: Literal[-1, 1]) -> bool:
    """Let the selected task change places with its neighbour."""
    task = document.selection.task
    if not 0 <= task + by < len(document.case.tasks):
        return False
    change = partial(task_editing.move_task, task=task, to=task + by)
    is_done = document.edit_case(f"move task {task + 1}", change)
    if is_done:
        document.select(task + by)
    return is_done


def split_task(document: WorkbenchDocument) -> bool:
    """Split the selected task at the selected step."""
    at = document.selection
    if at.step is None:
        return False
    change = partial(task_editing.split_task, task=at.task, step=at.step)
    return document.edit_case(f"split task {at.task + 1}", change)


def merge_tasks(document: WorkbenchDocument) -> bool:
    """Merge the selected task with the one behind it."""
    task = document.selection.task
    title = f"merge tasks {task + 1} and {task + 2}"
    return document.edit_case(title, partial(task_editing.merge_tasks, task=task))


def _lower(title: str) -> str:
    return title[:1].lower() + title[1:]
