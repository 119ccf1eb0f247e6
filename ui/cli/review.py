"""Commands about reviewing: claim, judge, decide, assign."""

import json as jsonlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from scoring.errors import BlockedError, InputError
from scoring.model.taxonomy import SlotStatus, Stage
from scoring.wording import counted
from ui.cli.options import Json, Person, Project, example, opened
from ui.cli.output import Table, job_context, print_json, print_result, without

if TYPE_CHECKING:
    from collections.abc import Sequence

    from annotator.drafts.checklists import Item
    from annotator.review.drafts import OpenCase
    from scoring.model.case import Case
    from scoring.model.labels import Citation, Finding, Judgment
    from scoring.model.record import JsonObject, Record

Read = TypeVar("Read", bound="Record")

review_app = typer.Typer(help="Reviewing.", no_args_is_help=True)
Assignment = Annotated[int, typer.Argument(metavar="ASSIGNMENT")]
CaseId = Annotated[str, typer.Argument(metavar="ID")]


def register(app: typer.Typer) -> None:
    """Add these commands to the `annotator` command."""
    app.add_typer(review_app, name="review")
    app.command(epilog=example("annotator assign --batch week-1 --to ana,ben -p team.db"))(assign)
    app.command("reassign", epilog=example("annotator reassign c-1 --to ben -p team.db"))(reassign_)
    app.command(epilog=example("annotator adjudicate c-1 --file decision.json -p team.db"))(adjudicate)


def assign(
    batch: Annotated[str, typer.Option("--batch")],
    to: Annotated[str, typer.Option("--to", help="People, separated by commas.")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Assign a batch's cases without an owner to people in turn."""
    from annotator.review.queue.assignments import assign_batch

    names = [name.strip() for name in to.split(",") if name.strip()]
    with opened(place, person) as workspace:
        count = assign_batch(workspace, batch, to=names).value
    print_result({"batch": batch, "assigned": count}, f"{counted(count, 'case')} assigned.", json=json)


def reassign_(
    to: Annotated[str, typer.Option("--to")],
    case_id: Annotated[str | None, typer.Argument(metavar="[ID]")] = None,
    batch: Annotated[str, typer.Option("--batch", help="All of a person's cases of this batch.")] = "",
    of: Annotated[str, typer.Option("--from", help="With --batch: whose.")] = "",
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Give a case in self-check to another owner. With --batch and --from, all of a person's there."""
    from annotator.review.queue.assignments import reassign

    if (case_id is None) == (not (batch and of)) or bool(batch) != bool(of):
        raise typer.BadParameter("Name one case, or --batch and --from.")
    if case_id is not None:
        with opened(place, person) as workspace:
            reassign(workspace, case_id, to=to)
        print_result({"case": case_id, "owner": to}, f"{case_id} belongs to {to} now.", json=json)
        return
    from annotator.review.queue.case_rows import CaseFilter, require_named
    from annotator.review.queue.reassignment import hand_over

    with opened(place, person) as workspace, job_context() as context:
        require_named(workspace, CaseFilter(batch=batch, owner=of))
        done = hand_over(workspace, batch=batch, of=of, to=to, context=context)
    if done.refused and not done.count:
        raise BlockedError(done.words, "Choose another person, or reassign single cases.")
    print_result(done, done.words, json=json)


@review_app.command("next", epilog=example("annotator review next --stage cross_check -p team.db"))
def review_next(
    stage: Annotated[Stage | None, typer.Option("--stage")] = None,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Claim the next case and print it with its findings and a judgment template."""
    from annotator.review.drafts import open_assignment
    from annotator.review.queue.claims import claim_next
    from annotator.review.queue.queue_status import why_nothing

    with opened(place, person) as workspace:
        held = claim_next(workspace, stage=stage).value
        if held is None:
            print_json({"assignment": None, "why": why_nothing(workspace)})
            return
        print_json(_shown(open_assignment(workspace, held.id)))


@review_app.command("show", epilog=example("annotator review show 7 -p team.db"))
def review_show(
    assignment: Assignment,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Print an assignment as `next` does, with the draft where there is one."""
    from annotator.review.drafts import open_assignment

    with opened(place, person) as workspace:
        print_json(_shown(open_assignment(workspace, assignment)))


def _shown(opened_case: "OpenCase") -> "JsonObject":
    from annotator.cases.evidence.dialogue import Dialogue
    from annotator.cases.evidence.suggestions import suggest_edges
    from annotator.cases.findings.checks import check_case
    from annotator.drafts.checklists import answer_of, items_of
    from scoring.model.case import dump_case

    case = opened_case.draft.case if opened_case.draft else opened_case.base
    judgment = opened_case.draft.judgment if opened_case.draft else opened_case.template
    findings = check_case(case, undrawn=judgment.undrawn)
    items = items_of(Dialogue(case), judgment, stage=opened_case.assignment.stage)
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


@review_app.command("submit", epilog=example("annotator review submit 7 --file judgment.json -p team.db"))
def review_submit(
    assignment: Assignment,
    file: Annotated[Path, typer.Option("--file", help="judgment.json")],
    key: Annotated[str, typer.Option("--key", help="Submission key: sent twice it counts once.")] = "",
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Submit a judgment."""
    from annotator.files import readable_files
    from annotator.review.submissions import submission_key, submit
    from scoring.model.labels import Judgment

    with readable_files(file) as (read,):
        judgment = _read(Judgment, read)
    with opened(place, person) as workspace:
        done = submit(workspace, assignment, judgment=judgment, key=key or submission_key()).value
    became = f"{done.case_id} is at stage {done.stage} now."
    words = done.known_answer.words if done.known_answer is not None else became
    print_result(done, f"Submitted. {words}", json=json)


@review_app.command("skip", epilog=example('annotator review skip 7 --reason "not my language" -p team.db'))
def review_skip(
    assignment: Assignment,
    reason: Annotated[str, typer.Option("--reason")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Skip a claimed case; it is not offered to you again."""
    _leave(assignment, skip=True, reason=reason, place=place, person=person, json=json)


@review_app.command("release", hidden=True, epilog=example("annotator review release 7 -p team.db"))
@review_app.command("hand-back", epilog=example("annotator review hand-back 7 -p team.db"))
def review_hand_back(
    assignment: Assignment, place: Project = None, person: Person = None, json: Json = False
) -> None:
    """Hand back a claimed case; it goes back to the queue."""
    _leave(assignment, skip=False, reason="", place=place, person=person, json=json)


def _leave(
    assignment: int, *, skip: bool, reason: str, place: str | None, person: str | None, json: bool
) -> None:
    from annotator.review.queue.claims import leave

    with opened(place, person) as workspace:
        leave(workspace, assignment, skip=skip, reason=reason)
    print_result(
        {"assignment": assignment, "status": SlotStatus.SKIPPED if skip else SlotStatus.RELEASED},
        "Skipped." if skip else "Handed back.",
        json=json,
    )


@review_app.command("waiting", epilog=example("annotator review waiting --for eve -p team.db"))
def review_waiting(
    expert: Annotated[str, typer.Option("--for", help="Only what this expert could decide.")] = "",
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """List what waits for an expert, the longest wait first, and why."""
    from annotator.review.queue.expert_list import expert_list

    with opened(place, person) as workspace:
        rows = expert_list(workspace, person=expert)
    table = Table(
        ["case", "batch", "since", "why", "handed to", "deciding"],
        [
            [row.case_id, row.batch, f"{row.since:%Y-%m-%d %H:%M}", row.why, row.handed_to, row.deciding]
            for row in rows
        ],
    )
    offered = sum(row.is_offered for row in rows)
    rest = f", {offered} of them in {expert}'s queue." if expert else "."
    print_result(rows, table if rows else "", f"{counted(len(rows), 'case')}{rest}", json=json)


@review_app.command("hand", epilog=example("annotator review hand c-1 --to eve -p team.db"))
def review_hand(
    case_id: CaseId,
    to: Annotated[str, typer.Option("--to", help="An expert, or nobody.")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Hand the decision about a case to one expert, or to nobody in particular."""
    from annotator.review.queue.assignments import hand_case

    expert = None if to == "nobody" else to
    with opened(place, person) as workspace:
        hand_case(workspace, case_id, to=expert)
    words = f"{case_id} is handed to {expert}." if expert else f"{case_id} waits for any expert."
    print_result({"case": case_id, "handed_to": expert}, words, json=json)


@review_app.command("withdraw", epilog=example("annotator review withdraw c-1 -p team.db"))
def review_withdraw(
    case_id: CaseId, place: Project = None, person: Person = None, json: Json = False
) -> None:
    """Withdraw your newest judgment of a case."""
    from annotator.review.withdrawals import withdraw

    with opened(place, person) as workspace:
        held = withdraw(workspace, case_id).value
    public = without(held, "case_pk", "case_version", "person_id")
    print_result(public, f"Withdrawn. Assignment {held.id} is yours again.", json=json)


@review_app.command("reopen", epilog=example('annotator review reopen c-1 --reason "wrong tool" -p team.db'))
def review_reopen(
    case_id: CaseId,
    reason: Annotated[str, typer.Option("--reason")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Reopen a final or rejected case."""
    from annotator.review.withdrawals import reopen

    with opened(place, person) as workspace:
        reopen(workspace, case_id, reason=reason)
    print_result({"case": case_id, "stage": Stage.SELF_CHECK_TASK}, f"{case_id} is open again.", json=json)


def adjudicate(
    case_id: CaseId,
    file: Annotated[Path | None, typer.Option("--file", help="decision.json")] = None,
    key: Annotated[str, typer.Option("--key")] = "",
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Print what an expert must decide about a case, or decide it."""
    from annotator.files import readable_files
    from annotator.review.expert.decisions import Decision
    from annotator.review.expert_review import decide, open_adjudication
    from annotator.review.submissions import submission_key
    from scoring.model.case import dump_case

    with readable_files(*([file] if file else [])) as read:
        decision = _read(Decision, read[0]) if read else None
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
                "kept": [],
            }
            print_json(body)
            return
        done = decide(
            workspace, adjudication.assignment_id, decision=decision, key=key or submission_key()
        ).value
    print_result(done, f"Decided. {case_id} is {done.stage}; its owner was {done.owner}.", json=json)


def _read(kind: type[Read], file: Path) -> Read:
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
