"""What is said of a task while it is made, and when the next one may be made."""

from typing import TYPE_CHECKING

from annotator.generation.records import Exchange, ReplyFault, ReplyVerdict
from annotator.generation.roles import RequestKind
from scoring.model.case import Ask as Question
from tests.factories import answer, call, task
from ui.generate.next_task import exchange_line, task_lines

if TYPE_CHECKING:
    from scoring.model.record import JsonObject


def exchange(
    ask: RequestKind, content: str | None, verdict: ReplyVerdict | None = None, **reply: object
) -> Exchange:
    """One stored reply."""
    message: JsonObject = {"role": "assistant", "content": content, **reply}  # type: ignore[dict-item]
    return Exchange(
        dialogue=0,
        attempt=1001,
        number=0,
        task=1,
        ask=ask,
        model="m",
        seed=1,
        request_sha256="0" * 64,
        messages=(),
        reply=message,
        verdict=verdict or ReplyVerdict(),
    )


def test_every_role_is_quoted_in_a_line() -> None:
    calls = [{"function": {"name": "find", "arguments": '{"town": "Ulm"}'}}]
    asks = '{"Action_List": [{"name": "ask_user_for_required_parameters", "arguments": {}}]}'
    answers = '{"Action_List": [{"name": "prepare_to_answer", "arguments": {"answer_type": "tool"}}]}'
    lines = [
        exchange_line(exchange(RequestKind.NEXT_TASK, '["One?", "Two?"]', ReplyVerdict(chosen=1))),
        exchange_line(exchange(RequestKind.NEXT_TASK, '["One?"]', ReplyVerdict(chosen=0, text="Worded."))),
        exchange_line(exchange(RequestKind.PLAN, None, tool_calls=calls)),
        exchange_line(exchange(RequestKind.PLAN, asks)),
        exchange_line(exchange(RequestKind.PLAN, answers)),
        exchange_line(exchange(RequestKind.CHECK_PLAN, '{"correct": "yes"}')),
        exchange_line(exchange(RequestKind.OBSERVE, '{"Observation_List": [{"a": 1}]}')),
        exchange_line(exchange(RequestKind.FULL_ANSWER, "User: In Ulm.")),
        exchange_line(exchange(RequestKind.SUMMARY, "Agent: Here.")),
    ]
    assert lines == [
        "User: Two?",
        "User: Worded.",
        'Planner: calls find {"town": "Ulm"}',
        "Planner: the user has to be asked",
        "Planner: the request can be answered",
        "Checker: nothing against it",
        'Tool: {"a": 1}',
        "User: In Ulm.",
        "Agent: Here.",
    ]


def test_a_rejected_reply_says_why() -> None:
    verdict = ReplyVerdict(faults=(ReplyFault.NO_ACTION,), reason="the Action_List is empty")
    assert (
        exchange_line(exchange(RequestKind.PLAN, "{}", verdict))
        == "Planner: rejected, the Action_List is empty"
    )


def test_a_task_is_told_step_by_step() -> None:
    found = task(Question(text="Where?", reply="In Ulm."), call("find"), answer("There."), user="Find one.")
    lines = task_lines(found)
    assert [line.partition(":")[0] for line in lines] == ["User", "Agent", "User", "Planner", "Tool", "Agent"]
    assert (lines[0], lines[1], lines[2]) == ("User: Find one.", "Agent: Where?", "User: In Ulm.")
