"""Requests a person chooses: what waits, the dialogue before it, and picking one, or none with a reason."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress

from annotator.generation.checks.diversity import UsedRequests
from annotator.generation.checks.replies import read_candidates
from annotator.generation.dialogue import DialogueMaker, DialogueOrder
from annotator.generation.exchanges import AttemptFailed, Exchanges, WaitingForPerson
from annotator.generation.generation_run import (
    ROLES,
    dialogues_of,
    exchanges_of,
    find_run,
    gold_requests,
)
from annotator.generation.plan import GenerationPlan, Toolset
from annotator.generation.records import (
    Candidates,
    DialogueStatus,
    Exchange,
    OfferedRequest,
    ReplyVerdict,
    RunStatus,
)
from annotator.generation.roles import REQUESTS
from annotator.project.workspace import Work, Workspace, operation
from db.read import generations
from db.write import generations as writes
from scoring.errors import ConflictError, InputError, filled
from scoring.groups import collected
from scoring.model.case import Case
from scoring.model.record import JsonObject, to_json


@collected
def waiting_candidates(workspace: Workspace, run: int) -> Iterator[Candidates]:
    """Candidate requests that wait for a person, by dialogue."""
    plan = find_run(workspace, run).plan
    for row in dialogues_of(workspace, run):
        if row.status is DialogueStatus.WAITING:
            exchanges = exchanges_of(workspace, run, dialogue=row.dialogue, attempt=row.attempt)
            task = max(one.task for one in exchanges)
            yield Candidates(
                dialogue=row.dialogue,
                attempt=row.attempt,
                task=task,
                sequence=row.sequence,
                offers=tuple(_offers(plan, [one for one in exchanges if one.task == task])),
            )


def _offers(plan: GenerationPlan, exchanges: list[Exchange]) -> Iterator[OfferedRequest]:
    """What the open requests of a task brought: one for each information type, or all of the only one."""
    kinds = plan.offered(exchanges[0].task) or (None,)
    for kind, one in zip(kinds, filter(needs_choice, exchanges), strict=False):
        for place, text in enumerate(read_candidates(one.reply)[: 1 if len(kinds) > 1 else None]):
            yield OfferedRequest(text=text, number=one.number, place=place, model=one.model, information=kind)


def needs_choice(exchange: Exchange) -> bool:
    """Whether a person has still to pick one of the candidates a reply brought."""
    verdict = exchange.verdict
    is_open = verdict.is_accepted and verdict.chosen is None and not verdict.declined
    return is_open and exchange.ask in REQUESTS


def dialogue_so_far(workspace: Workspace, run: int, candidates: Candidates) -> tuple[Toolset, Case | None]:
    """The toolset of a dialogue that waits, and its tasks so far; no model is asked.

    They are made again of the stored replies. There is no case before the first task.
    """
    found = find_run(workspace, run)
    dialogue, number = candidates.dialogue, candidates.attempt
    attempt = found.attempt(dialogue, number)
    toolset, prompts = found.toolset(attempt), found.prompts(dialogue)
    stored = {
        one.number: one
        for one in exchanges_of(workspace, run, dialogue=dialogue, attempt=number)
        if one.task < candidates.task
    }
    maker = DialogueMaker(
        found.plan,
        DialogueOrder(candidates.sequence, toolset, is_last_attempt=True, steering=found.steering[dialogue]),
        prompts=prompts,
        exchanges=Exchanges(
            attempt, stored=stored, models=None, store=lambda _: None, stop=threading.Event()
        ),
        used=UsedRequests(),
        examples=gold_requests(workspace, count=found.plan.examples).get(prompts.language, ()),
    )
    with suppress(AttemptFailed, WaitingForPerson):
        maker.make()
    return toolset, maker.case


@operation("generation:candidate:pick", roles=ROLES)
def pick(w: Work, run: int, candidates: Candidates, *, chosen: int, text: str | None = None) -> None:
    """Say which candidate a dialogue goes on with; the run makes the rest when it is resumed.

    Args:
        w: In whose name.
        run: The run.
        candidates: What there is to pick from.
        chosen: Which one, from 0.
        text: How it is worded now; None as it is.

    Raises:
        InputError: There is no such candidate, or its text is empty.
        ConflictError: The dialogue waits no longer.
    """
    if not 0 <= chosen < len(candidates.offers):
        raise InputError(f"There is no candidate {chosen + 1}.", f"Pick one of {len(candidates.offers)}.")
    offer = candidates.offers[chosen]
    worded = filled(
        offer.text if text is None else text.strip(),
        InputError("The request is empty.", "Write one, or pick a candidate as it is."),
    )
    verdicts = {offer.number: ReplyVerdict(chosen=offer.place, text=worded)}
    _settle(w, run, candidates, verdicts, {"candidate": chosen})


@operation("generation:candidate:decline", roles=ROLES)
def decline(w: Work, run: int, candidates: Candidates, *, reason: str) -> None:
    """Want none of the candidates: others are asked for, with the reason, when the run is resumed.

    Args:
        w: In whose name.
        run: The run.
        candidates: What was offered.
        reason: What is wrong with them; the user role is told.

    Raises:
        InputError: There is no reason.
        ConflictError: The dialogue waits no longer.
    """
    if not reason.strip():
        raise InputError("There is no reason.", "Say what is wrong; the model that asks is told.")
    verdicts = {offer.number: ReplyVerdict(declined=reason.strip()) for offer in candidates.offers}
    _settle(w, run, candidates, verdicts, {"declined": True})


def _settle(
    w: Work, run: int, candidates: Candidates, verdicts: Mapping[int, ReplyVerdict], subject: JsonObject
) -> None:
    """Write what a person said of the candidates of a dialogue, which is open from then on."""
    is_open = any(
        one.id == run and one.status == RunStatus.OPEN for one in generations.list_generations(w.tx)
    )
    values = {"status": DialogueStatus.OPEN.value, "sequence": " ".join(candidates.sequence)}
    key = {"dialogue": candidates.dialogue, "attempt": candidates.attempt}
    if not is_open or not writes.change_dialogue(
        w.tx, run, **key, expected=DialogueStatus.WAITING.value, values=values
    ):
        raise ConflictError(
            "This request waits no longer: the run has ended, or somebody was faster.", "Take the next one."
        )
    for number, verdict in verdicts.items():
        writes.set_verdict(
            w.tx,
            run,
            **key,
            number=number,
            verdict=to_json(verdict.model_dump(mode="json")),
        )
    w.record(f"generation:{run}", {"dialogue": candidates.dialogue, "task": candidates.task, **subject})
