"""How the roles of one dialogue are asked: what was said so far, who plays whom, and tries until accepted."""

import json
import random
from collections.abc import Callable, Sequence

from pydantic import JsonValue

from annotator.generation.checks.replies import PlannerDecision, plain_text, text_of
from annotator.generation.exchanges import AttemptFailed, Exchanges, Got
from annotator.generation.plan import GenerationPlan, UserStyle
from annotator.generation.prompts import Prompts
from annotator.generation.records import AttemptFailure, Provenance, ReplyFault, ReplyVerdict
from annotator.generation.roles import AgentRole, RequestKind
from scoring.generics import T
from scoring.model.case import Ask as Question
from scoring.model.case import Call, Task
from scoring.model.graph import ANSWER_NAME
from scoring.model.record import JsonObject

TRIES = 3
"""Replies a role may give before the attempt fails."""

_INSTRUCTIONS = {
    RequestKind.QUESTION: "agent_ask",
    RequestKind.SUMMARY: "agent_answer",
    RequestKind.DIRECT_ANSWER: "agent_answer_chat",
    RequestKind.FULL_ANSWER: "full_answer",
    RequestKind.VAGUE_ANSWER: "vague_answer",
}


class RoleCalls:
    """Asks the roles of one dialogue, and keeps what was said and where each field is from.

    Args:
        plan: Of the run.
        prompts: The words of the roles.
        exchanges: Asks and stores.
        draw: What every draw of the attempt comes from.
        style: How the user speaks; None for no certain way.
    """

    def __init__(
        self,
        plan: GenerationPlan,
        *,
        prompts: Prompts,
        exchanges: Exchanges,
        draw: random.Random,
        style: UserStyle | None = None,
    ) -> None:
        self.log: list[JsonObject] = []
        self.fields: dict[str, Provenance] = {}
        self.try_number = 1
        self._plan = plan
        self._prompts = prompts
        self._exchanges = exchanges
        self._random = draw
        self._manner = prompts.text(f"style_{style.value}") + "\n\n" if style else ""

    def until_accepted(
        self,
        ask: RequestKind,
        instruction: str,
        *,
        task: int,
        log: Sequence[JsonObject],
        read: Callable[[JsonObject], T],
        check: Callable[[T], ReplyVerdict],
        unreadable: ReplyFault,
        failure: AttemptFailure,
        tools: Sequence[JsonObject] = (),
    ) -> Got[T]:
        """Ask until a reply is accepted; each rejected one goes back with the reason."""
        messages = self.messages(instruction, log, ask.role)
        reason = ""
        for self.try_number in range(1, TRIES + 1):
            got = self.exchange(
                ask, messages, task=task, tools=tools, read=read, check=check, unreadable=unreadable
            )
            if got.value is not None:
                return got
            reason = got.verdict.reason
            messages = [*messages, *self.rejection(got, reason)]
        raise AttemptFailed(failure, reason)

    def text(self, ask: RequestKind, task: int, *, now: str, tools: str, failure: AttemptFailure) -> Got[str]:
        """Ask a user or an agent for one text."""
        return self.until_accepted(
            ask,
            self._prompts.text(_INSTRUCTIONS[ask], ask=ask.value, now=now, tools=tools),
            task=task,
            log=self.log,
            read=plain_text,
            check=lambda _: ReplyVerdict(),
            unreadable=ReplyFault.NO_TEXT,
            failure=failure,
        )

    def exchange(
        self,
        ask: RequestKind,
        messages: Sequence[JsonObject],
        *,
        task: int,
        read: Callable[[JsonObject], T],
        check: Callable[[T], ReplyVerdict],
        unreadable: ReplyFault,
        tools: Sequence[JsonObject] = (),
    ) -> Got[T]:
        """Ask once, of a model drawn for the role."""
        return self._exchanges.exchange(
            ask,
            self._random.choice(self._plan.models[ask.role]),
            messages,
            task=task,
            tools=tools,
            read=read,
            check=check,
            unreadable=unreadable,
        )

    def messages(self, instruction: str, log: Sequence[JsonObject], role: AgentRole) -> list[JsonObject]:
        """What is sent: the instruction, what was said, and who speaks next."""
        # The number makes every request of a run another one, whatever was drawn.
        draw = self._prompts.text("draw", draw=self._exchanges.attempt.seed)
        manner = self._manner if role is AgentRole.USER else ""
        switch = self._prompts.text("switch", role=self._prompts.text(f"role_{role.value}"))
        return [
            {"role": "system", "content": f"{instruction}\n\n{manner}{draw}"},
            *log,
            {"role": "user", "content": switch},
        ]

    def rejection(self, got: Got[T], reason: str) -> list[JsonObject]:
        """A rejected reply with the reason, as it goes back."""
        reply = got.exchange.reply
        said = text_of(reply) or json.dumps(reply.get("tool_calls"), ensure_ascii=False)
        return [
            {"role": "assistant", "content": said[:20_000]},
            {"role": "user", "content": self._prompts.text("rejected", reason=reason)},
        ]

    def note(self, place: str, got: Got[T]) -> None:
        """Keep where a field of the case is from."""
        exchange = got.exchange
        self.fields[place] = Provenance(
            role=exchange.ask.role.value,
            model=exchange.model,
            exchange=exchange.number,
            try_number=self.try_number,
        )

    def say(self, role: str, content: str) -> None:
        """Add a message to what was said."""
        self.log.append({"role": role, "content": content})

    def planner_text(self, decision: PlannerDecision) -> str:
        """A decision as the log shows it."""
        finish = "Mission_Finish" if self._prompts.language == "en" else "Task_Finish"
        actions: list[JsonValue] = [
            {"name": a.name, "arguments": a.arguments, "tool_call_purpose": a.purpose}
            for a in decision.actions
        ]
        body: JsonObject = {
            finish: "yes" if decision.names == (ANSWER_NAME,) else "no",
            "Thought": decision.thought,
            "Plan": decision.plan,
            "Action_List": actions,
        }
        return self.fenced(AgentRole.PLANNER, json.dumps(body, ensure_ascii=False))

    def fenced(self, role: AgentRole, body: str) -> str:
        """A JSON text as a message of a role."""
        colon = ":" if self._prompts.language == "en" else "："
        return f"{role.value.capitalize()}{colon}\n```json\n{body}\n```"

    def retell(self, task: Task, *, is_first: bool) -> None:
        """Say what was said in a task that is there already, as if it had been made here."""
        self.say("user" if is_first else "assistant", f"{self._prompts.label('user')} {task.user}")
        for step in task.steps:
            if isinstance(step, Call):
                call: list[JsonValue] = [{"name": step.name, "arguments": step.arguments}]
                body = json.dumps({"Action_List": call}, ensure_ascii=False)
                self.say("assistant", self.fenced(AgentRole.PLANNER, body))
                brought = json.dumps({"Observation_List": [step.observation]}, ensure_ascii=False)
                self.say("user", self.fenced(AgentRole.TOOL, brought))
                continue
            self.say("assistant", f"{self._prompts.label('agent')} {step.text}")
            if isinstance(step, Question):
                self.say("assistant", f"{self._prompts.label('user')} {step.reply}")
