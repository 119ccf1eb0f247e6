"""Commands about reviewing: claim, judge, decide, assign."""

import json as jsonlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scoring.errors import BlockedError, InputError
from scoring.model.taxonomy import OWNER_STAGES, SlotStatus, Stage
from scoring.texts import with_commas
from scoring.wording import counted
from ui.cli.cases import CaseId
from ui.cli.command import CommandResult, Shape, command, group
from ui.cli.contracts import CASE
from ui.cli.output import Table, without

if TYPE_CHECKING:
    from collections.abc import Sequence

    from annotator.drafts.checklists import Item
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace
    from annotator.review.drafts import OpenCase
    from scoring.model.case import Case
    from scoring.model.labels import Citation, Finding, Judgment
    from scoring.model.record import JsonObject, R


app = typer.Typer()
review_app = group(app, "review", "Reviewing.")
Assignment = Annotated[int, typer.Argument(metavar="ASSIGNMENT")]
_HELD: Shape = {
    **dict.fromkeys(("assignment", "round"), int),
    **dict.fromkeys(("stage", "lease_until", "note"), str),
    "blind": bool,
    "case": CASE,
    "findings": ["scoring.model.labels.Finding"],
    "suggested_edges": [{"task": int}],
    "look": [{"task": (int, None), "item": str, "look": str}],
    "proved": [{"task": (int, None), "item": str, "proof": str}],
    "judgment": dict[str, Any],
}
_OPEN_DECISION: Shape = {
    "*": "annotator.review.expert.decisions.Adjudication",
    "case": CASE,
    "differing": [dict],
    "template": dict,
}


@command(
    app,
    "assign",
    gives={"batch": str, "assigned": int},
    example="annotator assign --batch week-1 --to ana,ben -p team.db",
)
def assign(
    workspace: "Workspace",
    batch: Annotated[str, typer.Option("--batch")],
    to: Annotated[str, typer.Option("--to", help="People, separated by commas.")],
) -> CommandResult:
    """Assign a batch's cases without an owner to people in turn."""
    from annotator.review.queue.assignments import assign_batch

    count = assign_batch(workspace, batch, to=[name.strip() for name in to.split(",") if name.strip()]).value
    return CommandResult({"batch": batch, "assigned": count}, [f"{counted(count, 'case')} assigned."])


@command(
    app,
    "reassign",
    gives=({"case": str, "owner": str}, {"count": int, "refused": int, "reason": str}),
    example="annotator reassign c-1 --to ben -p team.db",
)
def reassign_(
    workspace: "Workspace",
    context: "JobContext",
    to: Annotated[str, typer.Option("--to")],
    case_id: Annotated[str | None, typer.Argument(metavar="[ID]")] = None,
    batch: Annotated[str, typer.Option("--batch", help="All of a person's cases of this batch.")] = "",
    of: Annotated[str, typer.Option("--from", help="With --batch: whose.")] = "",
) -> CommandResult:
    """Give a case in self-check to another owner. With --batch and --from, all of a person's there."""
    from annotator.review.queue.assignments import reassign

    if (case_id is None) == (not (batch and of)) or bool(batch) != bool(of):
        raise typer.BadParameter("Name one case, or --batch and --from.")
    if case_id is not None:
        reassign(workspace, case_id, to=to)
        return CommandResult({"case": case_id, "owner": to}, [f"{case_id} belongs to {to} now."])
    from annotator.review.bulk_changes import BulkAction, BulkChange, change_cases
    from annotator.review.queue.case_rows import CaseFilter, require_named

    where = CaseFilter(batch=batch, owner=of, stages=OWNER_STAGES)
    require_named(workspace, where)
    done = change_cases(
        workspace, where, change=BulkChange(action=BulkAction.ASSIGN, value=to), context=context
    )
    if done.refused and not done.changed:
        raise BlockedError(" ".join(done.words), "Choose another person, or reassign single cases.")
    count, refused = done.changed + done.already, sum(done.refused.values())
    told = {"count": count, "refused": refused, "reason": next(iter(done.refused), "")}
    return CommandResult(told, done.words)


@command(
    review_app,
    "next",
    gives=(_HELD, {"assignment": None, "why": str}),
    example="annotator review next --stage cross_check -p team.db",
)
def review_next(
    workspace: "Workspace",
    stage: Annotated[Stage | None, typer.Option("--stage")] = None,
    language: Annotated[str, typer.Option("--language", help="Only a case in this language, as zh.")] = "",
) -> CommandResult:
    """Claim the next case and print it with its findings and a judgment template."""
    from annotator.review.drafts import open_assignment
    from annotator.review.measures.guideline_versions import take_news
    from annotator.review.queue.claims import claim_next
    from annotator.review.queue.queue_status import why_nothing

    workspace.next_language = language
    news = [f"{change.by}: {line}" for change in take_news(workspace) for line in change.lines]
    held = claim_next(workspace, stage=stage).value
    if held is None:
        return CommandResult({"assignment": None, "why": why_nothing(workspace)}, notes=news)
    return CommandResult(_shown(open_assignment(workspace, held.id)), notes=news)


@command(review_app, "show", gives=_HELD, example="annotator review show 7 -p team.db")
def review_show(workspace: "Workspace", assignment: Assignment) -> CommandResult:
    """Print an assignment as `next` does, with the draft where there is one."""
    from annotator.review.drafts import open_assignment

    return CommandResult(_shown(open_assignment(workspace, assignment)))


def _shown(opened_case: "OpenCase") -> "JsonObject":
    from annotator.cases.evidence.dialogue import Dialogue
    from annotator.cases.evidence.suggestions import suggest_edges
    from annotator.cases.findings.checks import check_case
    from annotator.drafts.checklists import answer_of, items_of
    from scoring.model.case import dump_case

    case = opened_case.draft.case if opened_case.draft else opened_case.base
    judgment = opened_case.draft.judgment if opened_case.draft else opened_case.template
    findings = check_case(case, undrawn=judgment.undrawn)
    stage, policy = opened_case.assignment.stage, opened_case.policy
    items = items_of(Dialogue(case), judgment, stage=stage, policy=policy)
    asked = [item for item in items if item.proof is None or answer_of(item, judgment) is not None]
    template = _to_fill_in(judgment, asked, proposed=_further_evidence(case, judgment, findings=findings))
    held = opened_case.assignment
    return {
        "assignment": held.id,
        "stage": held.stage.value,
        "round": held.round,
        "lease_until": held.lease_until.isoformat(),
        "blind": opened_case.is_blind,
        "note": opened_case.returned_note,
        "case": dump_case(case),
        "findings": [finding.model_dump(mode="json") for finding in findings],
        "suggested_edges": [
            {"task": t, **suggestion.model_dump(mode="json", by_alias=True)}
            for t in range(len(case.tasks))
            for suggestion in suggest_edges(case, t)
        ],
        "look": [{"task": i.task, "item": i.id, "look": i.look} for i in asked],
        "proved": [
            {"task": i.task, "item": i.id, "proof": i.proof.words} for i in items if i.proof is not None
        ],
        "judgment": template.model_dump(mode="json", by_alias=True),
    }


def _further_evidence(
    case: "Case", judgment: "Judgment", *, findings: "Sequence[Finding]"
) -> "tuple[Citation, ...]":
    """The citations proposed for places the judgment has none for, none of them accepted."""
    from annotator.cases.evidence.citations import inexact_places, propose_evidence

    proposed = [
        citation.model_copy(update={"accepted": False})
        for t in range(len(case.tasks))
        for citation in propose_evidence(case, t)
    ]
    # Whoever accepts all proposals must not accept a source that says something else: see the findings.
    known = {(c.task, c.step, c.path) for c in judgment.evidence} | inexact_places(case, findings, proposed)
    return tuple(c for c in proposed if (c.task, c.step, c.path) not in known)


def _to_fill_in(
    judgment: "Judgment", asked: "Sequence[Item]", *, proposed: "Sequence[Citation]"
) -> "Judgment":
    """The judgment with the proposals and with every item a person is asked for, null where it is open."""
    from annotator.drafts.checklists import answer_of

    answers = {
        task: {item.id: answer_of(item, judgment) for item in asked if item.task == task}
        for task in (None, *range(len(judgment.tasks)))
    }
    return judgment.model_copy(
        update={
            "evidence": (*judgment.evidence, *proposed),
            "tasks": tuple(
                labels.model_copy(update={"checklist": answers[t]}) for t, labels in enumerate(judgment.tasks)
            ),
            "checklist": answers[None],
        }
    )


@command(
    review_app,
    "submit",
    gives="annotator.review.submissions.Submitted",
    example="annotator review submit 7 --file judgment.json -p team.db",
)
def review_submit(
    workspace: "Workspace",
    assignment: Assignment,
    file: Annotated[Path, typer.Option("--file", help="judgment.json")],
    key: Annotated[str, typer.Option("--key", help="Submission key: sent twice it counts once.")] = "",
) -> CommandResult:
    """Submit a judgment."""
    from annotator.files import readable_files
    from annotator.review.submissions import submission_key, submit
    from scoring.model.labels import Judgment

    with readable_files(file) as (read,):
        judgment = _read(Judgment, read)
    done = submit(workspace, assignment, judgment=judgment, key=key or submission_key()).value
    became = f"{done.case_id} is at stage {done.stage} now."
    words = done.known_answer.words if done.known_answer is not None else became
    return CommandResult(done, [f"Submitted. {words}"])


@command(
    review_app,
    "skip",
    gives={"assignment": int, "status": str},
    example='annotator review skip 7 --reason "not my language" -p team.db',
)
def review_skip(
    workspace: "Workspace",
    assignment: Assignment,
    reason: Annotated[str, typer.Option("--reason")],
) -> CommandResult:
    """Skip a claimed case; it is not offered to you again."""
    from annotator.review.queue.claims import leave

    leave(workspace, assignment, skip=True, reason=reason)
    return CommandResult({"assignment": assignment, "status": SlotStatus.SKIPPED}, ["Skipped."])


@command(
    review_app,
    "release",
    gives={"assignment": int, "status": str},
    example="annotator review release 7 -p team.db",
    hidden=True,
)
@command(
    review_app,
    "hand-back",
    gives={"assignment": int, "status": str},
    example="annotator review hand-back 7 -p team.db",
)
def review_hand_back(workspace: "Workspace", assignment: Assignment) -> CommandResult:
    """Hand back a claimed case; it goes back to the queue."""
    from annotator.review.queue.claims import leave

    leave(workspace, assignment, skip=False)
    return CommandResult({"assignment": assignment, "status": SlotStatus.RELEASED}, ["Handed back."])


@command(
    review_app,
    "waiting",
    gives=["annotator.review.queue.expert_list.DecisionWait"],
    example="annotator review waiting --for eve -p team.db",
)
def review_waiting(
    workspace: "Workspace",
    expert: Annotated[str, typer.Option("--for", help="Only what this expert could decide.")] = "",
) -> CommandResult:
    """List what waits for an expert, the longest wait first, and why."""
    from annotator.review.queue.expert_list import expert_list

    rows = expert_list(workspace, person=expert)
    table = Table(
        ["case", "batch", "since", "why", "handed to", "deciding"],
        [
            [row.case_id, row.batch, f"{row.since:%Y-%m-%d %H:%M}", row.why, row.handed_to, row.deciding]
            for row in rows
        ],
    )
    offered = sum(row.is_offered for row in rows)
    words = f"{counted(len(rows), 'case')}."
    if expert:
        words = f"{counted(len(rows), 'case')}, {offered} of them in {expert}'s queue."
    return CommandResult(rows, [table if rows else "", words])


@command(
    review_app,
    "pool",
    gives=["annotator.review.queue.takers.CaseTakers"],
    example="annotator review pool -p team.db",
)
def review_pool(workspace: "Workspace") -> CommandResult:
    """List the cases that wait while nobody who is here could take them, and why, by name."""
    from annotator.review.queue.takers import list_pool

    found = list_pool(workspace).value
    rows = [
        [case.case_id, case.stage, why, with_commas(names)]
        for case in found
        for why, names in case.reasons.items()
    ]
    words = f"{counted(len(found), 'case')} that nobody can take."
    return CommandResult(found, [Table(["case", "stage", "why", "people"], rows) if rows else "", words])


@command(
    review_app,
    "hand",
    gives={"case": str, "handed_to": (str, None)},
    example="annotator review hand c-1 --to eve -p team.db",
)
def review_hand(
    workspace: "Workspace",
    case_id: CaseId,
    to: Annotated[str, typer.Option("--to", help="An expert, or nobody.")],
) -> CommandResult:
    """Hand the decision about a case to one expert, or to nobody in particular."""
    from annotator.review.queue.assignments import hand_case

    expert = None if to == "nobody" else to
    hand_case(workspace, case_id, to=expert)
    words = f"{case_id} is handed to {expert}." if expert else f"{case_id} waits for any expert."
    return CommandResult({"case": case_id, "handed_to": expert}, [words])


@command(
    review_app,
    "withdraw",
    gives={"*": "db.read.rows.AssignmentRow", "-": "case_pk case_version person_id"},
    example="annotator review withdraw c-1 -p team.db",
)
def review_withdraw(workspace: "Workspace", case_id: CaseId) -> CommandResult:
    """Withdraw your newest judgment of a case."""
    from annotator.review.withdrawals import withdraw

    held = withdraw(workspace, case_id).value
    public = without(held, "case_pk", "case_version", "person_id")
    return CommandResult(public, [f"Withdrawn. Assignment {held.id} is yours again."])


@command(
    review_app,
    "reopen",
    gives={"case": str, "stage": str},
    example='annotator review reopen c-1 --reason "wrong tool" -p team.db',
)
def review_reopen(
    workspace: "Workspace",
    case_id: CaseId,
    reason: Annotated[str, typer.Option("--reason")],
) -> CommandResult:
    """Reopen a final or rejected case."""
    from annotator.review.withdrawals import reopen

    reopen(workspace, case_id, reason=reason)
    return CommandResult({"case": case_id, "stage": Stage.SELF_CHECK_TASK}, [f"{case_id} is open again."])


@command(
    app,
    "adjudicate",
    gives=(_OPEN_DECISION, "annotator.review.expert.decisions.Decided"),
    example="annotator adjudicate c-1 --file decision.json -p team.db",
)
def adjudicate(
    workspace: "Workspace",
    case_id: CaseId,
    file: Annotated[Path | None, typer.Option("--file", help="decision.json")] = None,
    key: Annotated[str, typer.Option("--key")] = "",
) -> CommandResult:
    """Print what an expert must decide about a case, or decide it."""
    from annotator.files import readable_files
    from annotator.review.expert.decisions import Decision
    from annotator.review.expert_review import decide, open_adjudication
    from annotator.review.submissions import submission_key
    from scoring.model.case import dump_case

    with readable_files(*([file] if file else [])) as read:
        decision = _read(Decision, read[0]) if read else None
    adjudication = open_adjudication(workspace, case_id).value
    if decision is None:
        body = adjudication.model_dump(mode="json", by_alias=True)
        body["case"] = dump_case(adjudication.case)
        body["differing"] = [field.model_dump(mode="json") for field in adjudication.differing]
        body["template"] = {
            "fields": {field.id: None for field in adjudication.differing},
            "edits": {edit.id: None for edit in adjudication.edits},
            "feedback": [],
            "verdict": None,
            "note": "",
            "kept": [],
        }
        return CommandResult(body)
    done = decide(workspace, adjudication.assignment_id, decision=decision, key=key or submission_key()).value
    return CommandResult(done, [f"Decided. {case_id} is {done.stage}; its owner was {done.owner}."])


def _read(kind: "type[R]", file: Path) -> "R":
    """Read a judgment or decision; an error names the place."""
    from pydantic import ValidationError

    try:
        return kind.model_validate(jsonlib.loads(file.read_text(encoding="utf-8")))
    except OSError as exc:
        raise InputError(f"{file} cannot be read: {exc.strerror}.", "Check the path.") from exc
    except ValidationError as exc:
        first = exc.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the document"
        raise InputError(f"{file}: {where}: {first['msg']}.", "Start from the printed template.") from exc
    except ValueError as exc:
        raise InputError(f"{file} is not JSON: {exc}.", "Correct the file.") from exc
