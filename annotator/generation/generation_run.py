"""Runs of the generator: started or found again, worked on until finished, and looked at."""

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field

from annotator.cases.bodies import read_body
from annotator.cases.row_views import viewer_of
from annotator.generation.exchanges import Attempt, exchange_from
from annotator.generation.plan import GenerationPlan, Policies, Steering, Toolset, identity_of
from annotator.generation.prompts import Prompts, prompts_in, prompts_used
from annotator.generation.records import (
    AttemptFailure,
    DialogueRow,
    DialogueStatus,
    Exchange,
    GenerationState,
    RunStatus,
)
from annotator.generation.traversal import (
    dealt,
    dealt_categories,
    dealt_steering,
    filled,
    seed_of,
    with_categories,
)
from annotator.llm.endpoints import Endpoint
from annotator.project.policy import BlindField
from annotator.project.workspace import Done, Work, Workspace, operation, query
from db.read import generations, queries, visibility
from db.read.generations import GenerationRow as GenerationRow
from db.tables import Transaction
from db.write import generations as writes
from scoring.errors import InputError, NotFoundError, existing
from scoring.groups import grouped, summed
from scoring.model.record import Record, to_json
from scoring.model.taxonomy import Role

ROLES = (Role.MANAGER, Role.ANNOTATOR)
"""Who may make cases: those who may import them."""


class GenerationRun(Record):
    """A run with everything it is made of; `own_prompts` are those of a team, by language."""

    model_config = ConfigDict(ignored_types=(cached_property,))

    number: int
    name: str
    status: RunStatus
    prompt_version: str
    plan: GenerationPlan
    toolsets: tuple[Toolset, ...]
    own_prompts: Mapping[str, str] = Field(default_factory=dict)

    @cached_property
    def languages(self) -> list[str]:
        """What each of its dialogues is in."""
        return dealt(self.plan, self.plan.languages)

    @cached_property
    def categories(self) -> list[str]:
        """The category of the toolset of each dialogue; empty for one without a target."""
        return dealt_categories(self.plan, self.toolsets)

    @cached_property
    def steering(self) -> list[Steering]:
        """What the user role of each dialogue is told."""
        return dealt_steering(self.plan)

    @cached_property
    def by_category(self) -> dict[str, list[Toolset]]:
        """The toolsets by the category they count for."""
        return grouped((self.plan.counted_as(one), one) for one in self.toolsets)

    def prompts(self, dialogue: int) -> Prompts:
        """The prompts of a dialogue: those the run began with, whatever new runs use."""
        language = self.languages[dialogue]
        return prompts_in(language, self.own_prompts.get(language, ""))

    def attempt(self, dialogue: int, number: int) -> Attempt:
        """An attempt at a dialogue, by its number from 1."""
        seed = seed_of(self.plan.seed, dialogue, number)
        return Attempt(dialogue, number, seed, self.prompts(dialogue).version)

    def toolset(self, attempt: Attempt) -> Toolset:
        """What an attempt may call."""
        fitting = self.by_category[self.categories[attempt.dialogue]]
        return random.Random(f"toolset {attempt.seed}").choice(fitting)


def start(workspace: Workspace, plan: GenerationPlan, toolsets: Sequence[Toolset]) -> int | None:
    """Begin a run, or find the one the same plan began.

    A run that is open goes on; one that fills what is missing begins anew once it is finished.

    Args:
        workspace: Whose manager or annotator generates.
        plan: What is made.
        toolsets: What its dialogues are drawn from.

    Returns:
        The run's number; None where nothing is missing.

    Raises:
        InputError: No toolset, an address that cannot be used, or targets that cannot be reached.
        ForbiddenError: The person may not bring cases into the project.
    """
    if not toolsets:
        raise InputError("There is no toolset to generate from.", "Name a file with function schemas.")
    _check_addresses(plan)
    identity = identity_of(plan, tuple(toolsets))
    found = next(
        (
            row
            for row in workspace.read(generations.list_generations)
            if row.identity == identity and row.status != RunStatus.CANCELLED
        ),
        None,
    )
    if found and not (found.status == RunStatus.FINISHED and plan.policies is Policies.MISSING):
        _take_over(workspace, found, plan)
        return found.id
    whole = filled(workspace, plan)
    if not whole.sequences:
        return None
    sets = with_categories(workspace, plan, toolsets)
    body = to_json([toolset.model_dump(mode="json") for toolset in sets])
    languages = sorted({*dealt(whole, plan.languages)})

    def work(w: Work) -> int:
        number = writes.add_generation(
            w.tx,
            plan.name,
            person_id=w.person.id,
            identity=identity,
            status=RunStatus.OPEN.value,
            prompt_version=" ".join(prompts_used(w.tx, one).version for one in languages),
            plan=to_json(whole.model_dump(mode="json")),
            toolsets=body,
            at=w.at,
        )
        w.record(
            f"generation:{number}",
            {
                "name": plan.name,
                "dialogues": len(whole.sequences),
                "toolsets": len(toolsets),
                "models": {
                    role.value: [model.model for model in found] for role, found in plan.models.items()
                },
                "seed": plan.seed,
            },
        )
        return number

    return workspace.run("generation:run:start", work, roles=ROLES).value


def _check_addresses(plan: GenerationPlan) -> None:
    for model in (model for found in plan.models.values() for model in found):
        Endpoint(model.base_url, model.model)
        parts = urlsplit(model.base_url)
        if parts.query or parts.username:
            raise InputError(
                "The address of an endpoint is kept with the run and may hold no key.",
                "Give the key in a variable or the keyring.",
            )


def _take_over(workspace: Workspace, row: GenerationRow, plan: GenerationPlan) -> None:
    """Let a run that goes on keep the limits and ask at the addresses it is given now."""
    before = GenerationPlan.model_validate(json.loads(row.plan))
    now = before.model_copy(update={"budget": plan.budget, "models": plan.models})
    if before == now:
        return
    text = to_json(now.model_dump(mode="json"))
    workspace.run(
        "generation:run:change",
        lambda w: writes.set_generation(w.tx, row.id, {"plan": text}),
        roles=ROLES,
    )


def cancel(workspace: Workspace, run: int) -> Done[None]:
    """Give a run up for good: the same plan begins another one. Its cases and replies stay.

    Raises:
        NotFoundError: There is no such run.
    """
    find_run(workspace, run)

    def work(w: Work) -> None:
        writes.set_generation(w.tx, run, {"status": RunStatus.CANCELLED.value})
        w.record(f"generation:{run}", {})

    return workspace.run("generation:run:cancel", work, roles=ROLES)


def list_runs(workspace: Workspace) -> tuple[GenerationRow, ...]:
    """All runs of the project, newest first."""
    return workspace.read(generations.list_generations)


def find_run(workspace: Workspace, run: int) -> GenerationRun:
    """A run with its plan and toolsets.

    Raises:
        NotFoundError: There is no such run.
    """
    row = _row(workspace, run)
    toolsets = workspace.read(lambda tx: generations.toolsets_of(tx, run)) or "[]"
    return GenerationRun(
        number=run,
        name=row.name,
        status=RunStatus(row.status),
        prompt_version=row.prompt_version,
        plan=GenerationPlan.model_validate(json.loads(row.plan)),
        toolsets=tuple(Toolset.model_validate(body) for body in json.loads(toolsets)),
        own_prompts=workspace.read(
            lambda tx: {
                version.partition("-")[0]: text
                for version in row.prompt_version.split()
                if (text := generations.prompts_of(tx, version))
            }
        ),
    )


def _row(workspace: Workspace, run: int) -> GenerationRow:
    """A run without its toolsets, which may be a megabyte."""
    return existing(
        next((row for row in list_runs(workspace) if row.id == run), None),
        NotFoundError(f"There is no generation {run}.", "See the list of generations."),
    )


def run_of_case(workspace: Workspace, case_id: str) -> int:
    """The run a generated case is from.

    Raises:
        NotFoundError: No run of this project made it.
    """
    return existing(
        workspace.read(lambda tx: generations.run_of_case(tx, case_id)),
        NotFoundError(f"No run of this project made case {case_id}.", "Write the next task by hand."),
    )


def write_dialogue(w: Work, run: int, row: DialogueRow) -> None:
    """Write how an attempt at a dialogue stands, inside a transaction."""
    writes.set_dialogue(
        w.tx,
        run,
        dialogue=row.dialogue,
        attempt=row.attempt,
        values={
            "sequence": " ".join(row.sequence),
            "status": row.status.value,
            "case_id": row.case_id,
            "failure": row.failure.value if row.failure else None,
            "note": row.note,
        },
    )


@operation("generation:reply:store", roles=ROLES)
def store_replies(
    w: Work, run: int, replies: Sequence[Mapping[str, object]], rows: Sequence[DialogueRow] = ()
) -> None:
    """Keep replies of models, each as `row_of` gives it, and how the dialogues stand that ended with them."""
    writes.add_requests(w.tx, run, [{**reply, "at": w.at} for reply in replies])
    for row in rows:
        write_dialogue(w, run, row)


@query
def dialogues_of(workspace: Workspace, tx: Transaction, run: int) -> tuple[DialogueRow, ...]:
    """Every attempt at a dialogue that ended or waits, by dialogue and attempt."""
    rows = tuple(generations.attempts_of(tx, run))
    viewer = viewer_of(tx, workspace.somebody)
    blind = visibility.blind_cases(tx, viewer) if BlindField.POLICY in viewer.hidden else frozenset()
    heads = queries.find_cases(tx, [row.case_id for row in rows if row.case_id])
    policies = {case_id: head.policies for case_id, head in heads.items() if head.pk not in blind}
    return tuple(
        DialogueRow(
            dialogue=row.dialogue,
            attempt=row.attempt,
            sequence=tuple(row.sequence.split()),
            status=DialogueStatus(row.status),
            policies=policies.get(row.case_id or "", ()),
            case_id=row.case_id,
            failure=AttemptFailure(row.failure) if row.failure else None,
            note=row.note,
        )
        for row in rows
    )


def state_of(workspace: Workspace, run: int) -> GenerationState:
    """How a run stands, counted from what is stored.

    Raises:
        NotFoundError: There is no such run.
    """
    found = _row(workspace, run)
    plan = GenerationPlan.model_validate(json.loads(found.plan))
    rows = dialogues_of(workspace, run)
    spent = workspace.read(lambda tx: generations.spent(tx, run))
    finished = [row for row in rows if row.status is DialogueStatus.FINISHED]
    faults = workspace.read(lambda tx: generations.fault_counts(tx, run))
    return GenerationState(
        run=run,
        status=RunStatus(found.status),
        total=len(plan.sequences),
        finished=len(finished),
        as_wanted=sum(row.is_as_wanted for row in rows),
        given_up=len(given_up(rows, attempts=plan.attempts)),
        waiting=sum(row.status is DialogueStatus.WAITING for row in rows),
        requests=spent.requests,
        rejected=summed((fault, count) for together, count in faults.items() for fault in together.split()),
        failures=Counter(row.failure.value for row in rows if row.failure),
        sequences=Counter(" ".join(row.labelled) for row in finished),
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        dollars=plan.budget.cost(spent.prompt_tokens, spent.completion_tokens),
    )


def failed_attempts(rows: Sequence[DialogueRow]) -> Mapping[int, int]:
    """How many attempts at each dialogue count as failed; changed prompts are nobody's fault."""
    failed = (row for row in rows if row.status is DialogueStatus.FAILED)
    return Counter(row.dialogue for row in failed if row.failure is not AttemptFailure.PROMPT_CHANGED)


def given_up(rows: Sequence[DialogueRow], *, attempts: int) -> frozenset[int]:
    """Dialogues whose attempts are used up."""
    finished = {row.dialogue for row in rows if row.status is DialogueStatus.FINISHED}
    counts = failed_attempts(rows)
    return frozenset(dialogue for dialogue, count in counts.items() if count >= attempts) - finished


def exchanges_of(
    workspace: Workspace, run: int, *, dialogue: int, attempt: int | None = None
) -> tuple[Exchange, ...]:
    """The stored requests of a dialogue in order, for a view of it role by role."""
    return workspace.read(
        lambda tx: tuple(
            map(exchange_from, generations.requests_of(tx, run, dialogue=dialogue, attempt=attempt))
        )
    )


@query
def gold_requests(workspace: Workspace, tx: Transaction, *, count: int) -> dict[str, list[str]]:
    """First requests of the project's gold cases by language, as examples of style for the user role."""
    if not count:
        return {}
    cases = map(read_body, generations.gold_bodies(tx))
    found = grouped((case.language, case.tasks[0].user) for case in cases)
    return {language: requests[:count] for language, requests in found.items()}
