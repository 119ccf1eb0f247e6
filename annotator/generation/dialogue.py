"""One dialogue, made task by task: user, planner, checker, tool and agent in turn (generation 2)."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain

from annotator.cases.evidence.task_graph import with_graph
from annotator.generation.checks.candidates import candidate_check
from annotator.generation.checks.checker import (
    Objection,
    asked_tools,
    check_decision,
    check_observations,
    check_policy,
    needs_model,
    verdict_of,
    written,
)
from annotator.generation.checks.diversity import UsedRequests
from annotator.generation.checks.replies import (
    Opinion,
    PlannerDecision,
    read_candidates,
    read_choice,
    read_decision,
    read_observations,
    read_opinion,
)
from annotator.generation.exchanges import AttemptFailed, Exchanges, Got, WaitingForPerson
from annotator.generation.plan import Chooser, GenerationPlan, Steering, Toolset, fits
from annotator.generation.prompts import Prompts, definitions
from annotator.generation.records import AttemptFailure, Provenance, ReplyFault, ReplyVerdict
from annotator.generation.role_calls import TRIES, RoleCalls
from annotator.generation.roles import MULTI_ASKS, AgentRole, Relation, RequestKind, relations_for
from scoring.history import with_weekday
from scoring.model.case import Answer, Call, Case, Now, Step, Task
from scoring.model.case import Ask as Question
from scoring.model.graph import ANSWER_NAME, ASK_NAME
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Information, Policy

_VAGUE_SHARE = 0.25
_FIRST_ASKS = {
    "single": RequestKind.SINGLE,
    "clarify": RequestKind.CLARIFY,
    "chat": RequestKind.CHAT,
    Policy.MULTI_SERIAL.value: RequestKind.SERIAL,
    Policy.MULTI_PARALLEL.value: RequestKind.PARALLEL,
    Policy.MULTI_MIXED.value: RequestKind.MIXED,
}


@dataclass(frozen=True)
class DialogueOrder:
    """One dialogue that is wanted.

    Attributes:
        sequence: The policies of its tasks.
        toolset: What it may call.
        is_last_attempt: Whether a task of another policy than wanted is better than nothing.
        history: Tasks that are there already, as people corrected them; the new ones follow.
        now: The instant of the history; None draws one.
        information: The type of later tasks, by number; a missing one is drawn.
        steering: What the user role is told about its user.
    """

    sequence: tuple[str, ...]
    toolset: Toolset
    is_last_attempt: bool = False
    history: tuple[Task, ...] = ()
    now: Now | None = None
    information: Mapping[int, Information] = field(default_factory=dict)
    steering: Steering = field(default_factory=Steering)


@dataclass(frozen=True)
class MadeDialogue:
    """A finished dialogue: its tasks, and where each of their fields is from."""

    language: str
    now: Now
    tasks: tuple[Task, ...]
    fields: dict[str, Provenance]
    patterns: tuple[str | None, ...]


@dataclass
class _TaskUnderway:
    """A task while its planner goes on; `wanted` is empty once it has left the policy that was wanted."""

    number: int
    wanted: str
    user: str
    information: Information | None
    steps: list[Step] = field(default_factory=list)
    made: set[bytes] = field(default_factory=set)
    round: int = 0
    is_after_tool: bool = False


class DialogueMaker:
    """Makes one dialogue; every draw follows from the attempt's seed.

    Args:
        plan: Of the run.
        order: What is wanted.
        prompts: The words of the roles, those the run began with, in the language of the dialogue.
        exchanges: Asks and stores.
        used: First requests of the run so far.
        examples: Requests people approved, shown to the user role.
    """

    def __init__(
        self,
        plan: GenerationPlan,
        order: DialogueOrder,
        *,
        prompts: Prompts,
        exchanges: Exchanges,
        used: UsedRequests,
        examples: Sequence[str] = (),
    ) -> None:
        self._plan = plan
        self._order = order
        self._prompts = prompts
        self._used = used
        self._examples = examples
        self._random = random.Random(exchanges.attempt.seed)
        self._calls = RoleCalls(
            plan, prompts=prompts, exchanges=exchanges, draw=self._random, style=order.steering.style
        )
        self._tools = {tool.name: tool for tool in order.toolset.tools}
        self._shown = prompts.tools(order.toolset.tools)
        self._now = self._drawn_now()
        self._tasks: list[Task] = []
        self._patterns: list[str | None] = []

    def make(self) -> MadeDialogue:
        """Make the dialogue to its end.

        Raises:
            AttemptFailed: It cannot become a case; the reason says why.
            WaitingForPerson: A person has to pick a request first.
            OverBudget, BlockedError, ModelError, JobCancelled: See `Exchanges.exchange`.
        """
        for task in self._order.history:
            self._calls.retell(task, is_first=not self._tasks)
            self._tasks.append(task)
            self._patterns.append(None)
        for number in range(len(self._order.history), len(self._order.sequence)):
            self._make_task(number, self._order.sequence[number])
        return MadeDialogue(
            language=self._prompts.language,
            now=self._now,
            tasks=tuple(self._tasks),
            fields=self._calls.fields,
            patterns=tuple(self._patterns),
        )

    @property
    def case(self) -> Case | None:
        """The tasks that are finished so far; None before the first."""
        return self._case(*self._tasks) if self._tasks else None

    def _case(self, *tasks: Task) -> Case:
        return Case(
            id="generated",
            language=self._prompts.language,
            now=self._now,
            tools=self._order.toolset.tools,
            tasks=tasks,
        )

    def _drawn_now(self) -> Now:
        second = self._random.randrange(366 * 24 * 3600)
        if self._order.now is not None:
            return self._order.now
        if self._plan.now is not None:
            return Now.read(self._plan.now)
        moment = datetime(2024, 1, 1) + timedelta(seconds=second)  # noqa: DTZ001 (the simulated world has no zone)
        return Now.read(with_weekday(moment, self._prompts.language))

    def _make_task(self, number: int, wanted: str) -> None:
        underway = self._request(number, wanted)
        for _ in range(self._plan.turn_limit):
            if self._turn(underway):
                break
        else:
            raise AttemptFailed(
                AttemptFailure.TURN_LIMIT, f"task {number} took {self._plan.turn_limit} rounds"
            )
        bare = Task(user=underway.user, information=underway.information, steps=tuple(underway.steps))
        task = with_graph(self._case(*self._tasks, bare), number)
        found = task.policy or "nothing"
        if not fits(wanted, found) and not self._order.is_last_attempt:
            raise AttemptFailed(
                AttemptFailure.POLICY_DIFFERS, f"task {number} is {found}, wanted was {wanted}"
            )
        self._tasks.append(task)

    # The user asks.

    def _request(self, number: int, wanted: str) -> _TaskUnderway:
        relations = self._drawn_relations(number)
        asked = [self._instruction(number, wanted, relation) for relation in relations]
        offers = self._offers(asked, number, log=self._calls.log)
        place, text = self._pick(offers, number, wanted)
        relation, got = relations[place], offers[place]
        if number == 0:
            self._used.add(self._order.toolset.name, text)
        self._calls.note(f"/tasks/{number}/user", got)
        self._patterns.append(relation.value if relation else None)
        self._calls.say("user" if number == 0 else "assistant", self._prompts.label("user") + " " + text)
        return _TaskUnderway(number, wanted, text, relation.information if relation else Information.FIRST)

    def _offers(
        self, asked: Sequence[tuple[RequestKind, str]], number: int, *, log: Sequence[JsonObject]
    ) -> list[Got[tuple[str, ...]]]:
        """Candidates for a request; others, where a person has declined them all."""
        offers = [self._offer(ask, instruction, number, log=log) for ask, instruction in asked]
        refused = [self._calls.rejection(got, got.verdict.declined) for got in offers if got.verdict.declined]
        return self._offers(asked, number, log=[*log, *chain(*refused)]) if refused else offers

    def _offer(
        self, ask: RequestKind, instruction: str, number: int, *, log: Sequence[JsonObject]
    ) -> Got[tuple[str, ...]]:
        return self._calls.until_accepted(
            ask,
            instruction,
            task=number,
            log=log,
            read=read_candidates,
            check=candidate_check(
                self._order.toolset,
                earlier=[task.user for task in self._tasks],
                used=self._used if number == 0 else None,
                chooser=self._plan.chooser,
                is_last_try=lambda: self._calls.try_number >= TRIES,
            ),
            unreadable=ReplyFault.NO_CANDIDATE,
            failure=AttemptFailure.USER,
            tools=definitions(self._order.toolset.tools) if self._plan.native_tools else (),
        )

    def _drawn_relations(self, number: int) -> tuple[Relation | None, ...]:
        """How the request leans on the dialogue: one way, or one of each kind a person chooses from."""
        if number == 0:
            return (None,)
        possible = relations_for(None, task=number)
        kinds = sorted({relation.information for relation in possible if relation.information})
        ordered = self._order.information.get(number)
        wanted = self._plan.offered(number) or (ordered or self._random.choice(kinds),)
        return tuple(self._random.choice(relations_for(kind, task=number) or possible) for kind in wanted)

    def _instruction(self, number: int, wanted: str, relation: Relation | None) -> tuple[RequestKind, str]:
        text = self._prompts.text
        if relation is not None:
            values = {
                "relation": relation.value,
                "pattern": text(f"pattern_{relation.value}"),
                "kind": text(f"next_{wanted}"),
                "now": self._now.raw,
            }
            name, ask = "next_task", RequestKind.NEXT_TASK
        else:
            drawn = self._random.choice(MULTI_ASKS)
            ask = drawn if wanted == "multi" else _FIRST_ASKS[wanted]
            tools = self._order.toolset.tools
            needy = [tool for tool in tools if tool.required] if ask is RequestKind.CLARIFY else []
            tool = self._random.choice(needy or tools).name
            shown_before = []
            if self._examples:
                texts = "\n".join(f"- {example}" for example in self._examples)
                shown_before.append(text("examples", texts=texts))
            if scenario := self._order.steering.scenario:
                shown_before.append(text("scenario", scenario=scenario.text))
            values = {
                "kind": text(f"kind_{ask.value}", tool=tool),
                "examples": "\n\n".join(shown_before),
            }
            name = "first_task"
        shown = {
            "ask": ask.value,
            "count": self._plan.candidates if len(self._plan.offered(number)) < 2 else 1,
            "wanted": wanted,
            "tools": self._shown,
        }
        return ask, text(name, **shown, **values)

    def _pick(self, offers: Sequence[Got[tuple[str, ...]]], number: int, wanted: str) -> tuple[int, str]:
        """Which offer is used, and the request; by rule it was picked when the reply was judged, for good."""
        texts = offers[0].value or ()
        if self._plan.chooser is Chooser.MODEL and len(texts) > 1:
            listed = "\n".join(f"{i}. {text}" for i, text in enumerate(texts, 1))
            instruction = self._prompts.text(
                "chooser", ask=RequestKind.CHOOSE.value, wanted=wanted, candidates=listed, tools=self._shown
            )
            picked = self._calls.until_accepted(
                RequestKind.CHOOSE,
                instruction,
                task=number,
                log=(),
                read=lambda message: read_choice(message, count=len(texts)),
                check=lambda _: ReplyVerdict(),
                unreadable=ReplyFault.VERDICT_UNREADABLE,
                failure=AttemptFailure.CHECKER,
            ).value
            assert picked is not None
            chosen, edited = picked
            return 0, edited or texts[chosen]
        for place, got in enumerate(offers):
            texts, verdict = got.value or (), got.verdict
            if verdict.chosen is not None and verdict.chosen < len(texts):
                return place, verdict.text or texts[verdict.chosen]
        raise WaitingForPerson

    # The planner decides, and is checked.

    def _turn(self, underway: _TaskUnderway) -> bool:
        """One decision and what follows from it; whether the task ended."""
        decision, got = self._decide(underway)
        self._calls.say("assistant", self._calls.planner_text(decision))
        name = decision.actions[0].name
        underway.round += 1
        follow = {ASK_NAME: self._question, ANSWER_NAME: self._answer}.get(name, self._call)
        follow(underway, decision, got)
        return name == ANSWER_NAME

    def _decide(self, underway: _TaskUnderway) -> tuple[PlannerDecision, Got[PlannerDecision]]:
        instruction = self._prompts.text(
            "planner",
            ask=RequestKind.PLAN.value,
            now=self._now.raw,
            tools=self._prompts.tools(self._order.toolset.tools, is_planner=True),
        )
        native = [*definitions(self._order.toolset.tools), *self._prompts.pseudo_actions()]
        messages = self._calls.messages(instruction, self._calls.log, AgentRole.PLANNER)

        def stray(decision: PlannerDecision) -> tuple[Objection, ...]:
            return check_policy(decision, underway.wanted, underway.steps) if underway.wanted else ()

        def check(decision: PlannerDecision) -> ReplyVerdict:
            found = check_decision(
                decision, self._tools, is_after_tool=underway.is_after_tool, made=underway.made
            )
            is_kept = self._order.is_last_attempt and self._calls.try_number == TRIES
            return verdict_of(found if is_kept else (*found, *stray(decision)))

        reason = ""
        for self._calls.try_number in range(1, TRIES + 1):
            got = self._calls.exchange(
                RequestKind.PLAN,
                messages,
                task=underway.number,
                tools=native if self._plan.native_tools else (),
                read=read_decision,
                check=check,
                unreadable=ReplyFault.FORMAT,
            )
            reason = got.verdict.reason
            if got.value is not None:
                reason = self._objection(underway, got.value) if needs_model(got.value) else ""
                if not reason:
                    underway.wanted = "" if stray(got.value) else underway.wanted
                    return got.value, got
            messages = [*messages, *self._calls.rejection(got, reason)]
        is_stray = got.verdict.faults == (ReplyFault.OTHER_POLICY,)
        raise AttemptFailed(AttemptFailure.POLICY_DIFFERS if is_stray else AttemptFailure.PLANNER, reason)

    def _objection(self, underway: _TaskUnderway, decision: PlannerDecision) -> str:
        """What the model part of the Checker has against a plan; empty where it has nothing."""
        instruction = self._prompts.text("checker", ask=RequestKind.CHECK_PLAN.value, tools=self._shown)
        decided: JsonObject = {"role": "assistant", "content": self._calls.planner_text(decision)}
        messages = self._calls.messages(instruction, [*self._calls.log, decided], AgentRole.CHECKER)

        def check(opinion: Opinion) -> ReplyVerdict:
            if ASK_NAME in opinion.analysis:
                return ReplyVerdict(
                    faults=(ReplyFault.VERDICT_UNREADABLE,), reason=f"the analysis names {ASK_NAME}"
                )
            if opinion.is_correct:
                return ReplyVerdict()
            return ReplyVerdict(
                faults=(ReplyFault.MODEL_OBJECTION,), reason=opinion.analysis or "the plan is wrong"
            )

        for _ in range(TRIES):
            got = self._calls.exchange(
                RequestKind.CHECK_PLAN,
                messages,
                task=underway.number,
                read=read_opinion,
                check=check,
                unreadable=ReplyFault.VERDICT_UNREADABLE,
            )
            if ReplyFault.VERDICT_UNREADABLE not in got.verdict.faults:
                return got.verdict.reason
            messages = [*messages, *self._calls.rejection(got, got.verdict.reason)]
        raise AttemptFailed(AttemptFailure.CHECKER, "the Checker gave no verdict")

    # What the decision leads to.

    def _call(self, underway: _TaskUnderway, decision: PlannerDecision, got: Got[PlannerDecision]) -> None:
        actions = decision.actions
        instruction = self._prompts.text(
            "tool", ask=RequestKind.OBSERVE.value, count=len(actions), now=self._now.raw, tools=self._shown
        )
        brought = self._calls.until_accepted(
            RequestKind.OBSERVE,
            instruction,
            task=underway.number,
            log=self._calls.log,
            read=read_observations,
            check=lambda found: verdict_of(check_observations(found, count=len(actions))),
            unreadable=ReplyFault.OBSERVATION_FORMAT,
            failure=AttemptFailure.TOOL,
        )
        assert brought.value is not None
        thought = decision.thought or None
        for action, observation in zip(actions, brought.value, strict=True):
            place = f"/tasks/{underway.number}/steps/{len(underway.steps)}"
            self._calls.note(place, got)
            self._calls.note(f"{place}/observation", brought)
            underway.made.add(written(action.name, action.arguments))
            underway.steps.append(
                Call(
                    name=action.name,
                    arguments=action.arguments,
                    observation=observation,
                    recorded_round=underway.round,
                    thought=thought,
                )
            )
            thought = None  # it stands with the first call of a round
        body = json.dumps({"Observation_List": list(brought.value)}, ensure_ascii=False)
        self._calls.say("user", self._calls.fenced(AgentRole.TOOL, body))
        underway.is_after_tool = True

    def _question(
        self, underway: _TaskUnderway, decision: PlannerDecision, got: Got[PlannerDecision]
    ) -> None:
        question = self._text(RequestKind.QUESTION, underway, AttemptFailure.AGENT)
        self._calls.say("assistant", f"{self._prompts.label('agent')} {question.value}")
        is_vague = self._random.random() < _VAGUE_SHARE
        ask = RequestKind.VAGUE_ANSWER if is_vague else RequestKind.FULL_ANSWER
        reply = self._text(ask, underway, AttemptFailure.USER)
        self._calls.say("assistant", f"{self._prompts.label('user')} {reply.value}")
        place = f"/tasks/{underway.number}/steps/{len(underway.steps)}"
        self._calls.note(f"{place}/asks_for", got)
        self._calls.note(f"{place}/text", question)
        self._calls.note(f"{place}/reply", reply)
        underway.steps.append(
            Question(
                text=question.value or "",
                reply=reply.value or "",
                asks_for=asked_tools(decision.actions[0]),
                recorded_round=underway.round,
                thought=decision.thought or None,
            )
        )
        underway.is_after_tool = False

    def _answer(self, underway: _TaskUnderway, decision: PlannerDecision, _: Got[PlannerDecision]) -> None:
        kind = decision.actions[0].arguments.get("answer_type")
        ask = RequestKind.SUMMARY if kind == "tool" else RequestKind.DIRECT_ANSWER
        got = self._text(ask, underway, AttemptFailure.AGENT)
        self._calls.say("assistant", f"{self._prompts.label('agent')} {got.value}")
        self._calls.note(f"/tasks/{underway.number}/steps/{len(underway.steps)}/text", got)
        underway.steps.append(
            Answer(
                text=got.value or "",
                answer_type="tool" if kind == "tool" else "chat",
                recorded_round=underway.round,
                thought=decision.thought or None,
            )
        )

    def _text(self, ask: RequestKind, underway: _TaskUnderway, failure: AttemptFailure) -> Got[str]:
        return self._calls.text(ask, underway.number, now=self._now.raw, tools=self._shown, failure=failure)
