"""What an edit asked for by a card does to the case."""

from annotator.cases.edits import step_edits, text_edits
from scoring.model.case import Answer, Ask, Case
from ui.dialogue.content import Edit


def edit_title(case: Case, edit: Edit) -> str:
    """What an edit does, in words for undo, e.g. `change the reply of step 2`.

    Args:
        case: The case before the edit.
        edit: The edit.
    """
    if edit.field == "answer":
        return f"write the answer of task {edit.task + 1}"
    if edit.step is None:
        return f"change the request of task {edit.task + 1}"
    found = case.tasks[edit.task].steps[edit.step]
    if isinstance(found, Answer):
        return "change the answer"
    if isinstance(found, Ask):
        return f"change the {'reply' if edit.field == 'reply' else 'question'} of step {edit.step}"
    return f"change the {'tool' if edit.field == 'name' else edit.field} of step {edit.step}"


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
    if isinstance(found, Answer):
        return text_edits.set_answer_text(case, task, text=str(value))
    if isinstance(found, Ask):
        if edit.field == "reply":
            return text_edits.set_ask(case, task, step=step, reply=str(value))
        return text_edits.set_ask(case, task, step=step, text=str(value))
    return _edited_call(case, edit, step)


def _with_answer(case: Case, task: int, *, text: str) -> Case:
    """Write the answer there was not; none at all where nothing is left of it."""
    index = case.tasks[task].answer_index
    if text:
        return text_edits.set_answer_text(case, task, text=text)
    return case if index is None else step_edits.delete_step(case, task, step=index)


def _edited_call(case: Case, edit: Edit, step: int) -> Case:
    task, value = edit.task, edit.value
    if edit.field == "name":
        return text_edits.set_tool(case, task, step=step, name=str(value))
    if edit.field == "thought":
        return text_edits.set_thought(case, task, step=step, thought=str(value) or None)
    if edit.field == "observation":
        return text_edits.set_observation(case, task, step=step, observation=value)
    arguments = value if isinstance(value, dict) else {}
    return text_edits.set_arguments(case, task, step=step, arguments=arguments)
