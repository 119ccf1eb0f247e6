"""What a model is told when it is asked for a proposal: the dialogue, never what anybody said about it."""

import json

from annotator.resources import resource_text
from scoring.model.case import Answer, Ask, Call, Case, Step, Task
from scoring.model.record import JsonObject

_LONGEST_TEXT = 4_000
"""Characters of one observation or text; longer ones are cut in the middle of what they say."""


def prompt_for(case: Case, task: int, *, instruction: str, place: str) -> tuple[str, str]:
    """Write the two messages of a question.

    Labels, drawn dependencies, evidence and reviews are left out of them, so that who must not see what
    others said cannot be told it by a model either.

    Args:
        case: The case as the person sees it.
        task: Task the question is about; later tasks are not shown.
        instruction: Name of a file in resources/prompts, without its ending.
        place: What the question is about, in words.

    Returns:
        The system message and the user message.
    """
    rules = resource_text("prompts", "assist_rules.txt") + resource_text("prompts", f"{instruction}.txt")
    shown: JsonObject = {
        "now": case.now.raw if case.now else None,
        "tools": [{"name": tool.name, "description": _cut(tool.description)} for tool in case.tools],
        "tasks": [_task(number, found) for number, found in enumerate(case.tasks[: task + 1])],
    }
    dialogue = json.dumps(shown, ensure_ascii=False, indent=1)
    return rules, f"BEGIN DIALOGUE\n{dialogue}\nEND DIALOGUE\n\nAbout: {place}"


def _task(number: int, task: Task) -> JsonObject:
    now: JsonObject = {"now": task.now.raw} if task.now is not None else {}
    steps = [_step(at, step) for at, step in enumerate(task.steps)]
    return {"task": number, "user": _cut(task.user), **now, "steps": [*steps]}


def _step(number: int, step: Step) -> JsonObject:
    match step:
        case Call():
            observation = json.dumps(step.observation, ensure_ascii=False)
            said: JsonObject = {
                "call": step.name,
                "arguments": step.arguments,
                "observation": step.observation if len(observation) <= _LONGEST_TEXT else _cut(observation),
            }
        case Ask():
            said = {"question": _cut(step.text), "reply": _cut(step.reply or "")}
        case Answer():
            said = {"answer": _cut(step.text)}
    return {"step": number, **said}


def _cut(text: str) -> str:
    half = _LONGEST_TEXT // 2
    return text if len(text) <= _LONGEST_TEXT else f"{text[:half]} … {text[-half:]}"
