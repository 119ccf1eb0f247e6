"""Commands about reviewing: claim, judge, decide, assign."""

import json as jsonlib
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from annotator.cases.checking import check_case
from annotator.cases.evidence import propose_evidence
from annotator.cases.suggestions import suggest_edges
from annotator.review.claiming import (
    assign_batch,
    claim_next,
    leave,
    reassign,
    why_nothing,
)
from annotator.review.drafts import OpenCase, open_assignment
from annotator.review.submitting import reopen, submission_key, submit, withdraw
from annotator.review.verifying import Decision, decide, open_adjudication
from scoring.errors import InputError
from scoring.model.case import dump_case
from scoring.model.labels import CASE_CHECKLIST, TASK_CHECKLIST, Judgment
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Stage
from scoring.wording import counted
from ui.cli.options import Json, Person, Project, opened
from ui.cli.output import print_json, say

review_app = typer.Typer(help="Reviewing.", no_args_is_help=True)
Assignment = Annotated[int, typer.Argument(metavar="ASSIGNMENT")]
CaseId = Annotated[str, typer.Argument(metavar="ID")]


def register(app: typer.Typer) -> None:
    """Add these commands to the `annotator` command."""
    app.add_typer(review_app, name="review")
    app.command()(assign)
    app.command("reassign")(reassign_)
    app.command()(adjudicate)


def assign(
    batch: Annotated[str, typer.Option("--batch")],
    to: Annotated[str, typer.Option("--to", help="People, separated by commas.")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Give the unowned cases of a batch to people in turn."""
    names = [name.strip() for name in to.split(",") if name.strip()]
    with opened(place, person) as workspace:
        count = assign_batch(workspace, batch, to=names).value
    if json:
        print_json({"batch": batch, "assigned": count})
    else:
        say(f"{counted(count, 'case')} assigned.")


def reassign_(
    case_id: CaseId,
    to: Annotated[str, typer.Option("--to")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Give a case in self-check to another owner."""
    with opened(place, person) as workspace:
        reassign(workspace, case_id, to=to)
    if json:
        print_json({"case": case_id, "owner": to})
    else:
        say(f"{case_id} belongs to {to} now.")


@review_app.command("next")
def review_next(
    stage: Annotated[Stage | None, typer.Option("--stage")] = None,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Claim the next case and print it with its findings and a judgment template."""
    with opened(place, person) as workspace:
        held = claim_next(workspace, stage=stage).value
        if held is None:
            print_json({"assignment": None, "why": why_nothing(workspace)})
            return
        print_json(_shown(open_assignment(workspace, held.id)))


@review_app.command("show")
def review_show(
    assignment: Assignment,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Print an assignment as `next` does, with the draft where there is one."""
    with opened(place, person) as workspace:
        print_json(_shown(open_assignment(workspace, assignment)))


def _shown(opened_case: OpenCase) -> JsonObject:
    case = opened_case.draft.case if opened_case.draft else opened_case.base
    findings = check_case(case)
    judgment = opened_case.draft.judgment if opened_case.draft else opened_case.template
    proposed = [
        citation.model_copy(update={"accepted": False})
        for t in range(len(case.tasks))
        for citation in propose_evidence(case, t)
    ]
    known = {(c.task, c.step, c.path) for c in judgment.evidence}
    template = judgment.model_copy(
        update={
            "evidence": (*judgment.evidence, *(c for c in proposed if (c.task, c.step, c.path) not in known)),
            "tasks": tuple(
                labels.model_copy(update={"checklist": labels.checklist or dict.fromkeys(TASK_CHECKLIST)})
                for labels in judgment.tasks
            ),
            "checklist": judgment.checklist or dict.fromkeys(CASE_CHECKLIST),
        }
    )
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
        "judgment": template.model_dump(mode="json", by_alias=True),
    }


@review_app.command("submit")
def review_submit(
    assignment: Assignment,
    file: Annotated[Path, typer.Option("--file", help="judgment.json")],
    key: Annotated[str, typer.Option("--key", help="Submission key: sent twice it counts once.")] = "",
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Submit a judgment."""
    judgment = Judgment.model_validate(_checked(Judgment, _read_json(file), file))
    with opened(place, person) as workspace:
        done = submit(workspace, assignment, judgment=judgment, key=key or submission_key()).value
    if json:
        print_json(done)
    else:
        say(f"Submitted. {done.case_id} is at stage {done.stage} now.")


@review_app.command("skip")
def review_skip(
    assignment: Assignment,
    reason: Annotated[str, typer.Option("--reason")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Leave a case and do not have it offered again."""
    _leave(assignment, skip=True, reason=reason, place=place, person=person, json=json)


@review_app.command("release")
def review_release(
    assignment: Assignment, place: Project = None, person: Person = None, json: Json = False
) -> None:
    """Hand a case back."""
    _leave(assignment, skip=False, reason="", place=place, person=person, json=json)


def _leave(
    assignment: int, *, skip: bool, reason: str, place: str | None, person: str | None, json: bool
) -> None:
    with opened(place, person) as workspace:
        leave(workspace, assignment, skip=skip, reason=reason)
    if json:
        print_json({"assignment": assignment, "status": "skipped" if skip else "released"})
    else:
        say("Skipped." if skip else "Handed back.")


@review_app.command("withdraw")
def review_withdraw(
    case_id: CaseId, place: Project = None, person: Person = None, json: Json = False
) -> None:
    """Take back your newest judgment of a case."""
    with opened(place, person) as workspace:
        held = withdraw(workspace, case_id).value
    if json:
        print_json(held)
    else:
        say(f"Taken back. Assignment {held.id} is yours again.")


@review_app.command("reopen")
def review_reopen(
    case_id: CaseId,
    reason: Annotated[str, typer.Option("--reason")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Open a final or rejected case again."""
    with opened(place, person) as workspace:
        reopen(workspace, case_id, reason=reason)
    if json:
        print_json({"case": case_id, "stage": Stage.SELF_CHECK_TASK})
    else:
        say(f"{case_id} is open again.")


def adjudicate(
    case_id: CaseId,
    file: Annotated[Path | None, typer.Option("--file", help="decision.json")] = None,
    key: Annotated[str, typer.Option("--key")] = "",
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Print what an expert must decide about a case, or decide it."""
    decision = None if file is None else Decision.model_validate(_checked(Decision, _read_json(file), file))
    with opened(place, person) as workspace:
        adjudication = open_adjudication(workspace, case_id).value
        if decision is None:
            template = {field.id: None for field in adjudication.differing}
            body = adjudication.model_dump(mode="json", by_alias=True)
            body["case"] = dump_case(adjudication.case)
            body["differing"] = [field.model_dump(mode="json") for field in adjudication.differing]
            body["template"] = {
                "fields": template,
                "edits": {edit.id: None for edit in adjudication.edits},
                "feedback": [],
                "verdict": None,
                "note": "",
            }
            print_json(body)
            return
        done = decide(
            workspace, adjudication.assignment_id, decision=decision, key=key or submission_key()
        ).value
    if json:
        print_json(done)
    else:
        say(f"Decided. {case_id} is {done.stage}; its owner was {done.owner}.")


def _read_json(file: Path) -> Any:
    try:
        return jsonlib.loads(file.read_text(encoding="utf-8"))
    except OSError as exc:
        raise InputError(f"{file} cannot be read: {exc.strerror}.", "Check the path.") from exc
    except ValueError as exc:
        raise InputError(f"{file} is not JSON: {exc}.", "Correct the file.") from exc


def _checked(kind: type[Judgment] | type[Decision], value: Any, file: Path) -> Any:
    try:
        kind.model_validate(value)
    except ValidationError as exc:
        first = exc.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the document"
        raise InputError(f"{file}: {where}: {first['msg']}.", "Start from the printed template.") from exc
    return value
