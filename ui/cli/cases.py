"""Commands about cases and batches: in, out, look, correct, check."""

from pathlib import Path
from typing import Annotated

import typer

from annotator.cases.access import show_case
from annotator.cases.exporting import check_file, check_project, export_cases
from annotator.cases.history import (
    add_comment,
    case_history,
    mark_gold,
    parse_case_format,
    put_case,
    revision_case,
)
from annotator.cases.importing import import_files
from annotator.files import replace_text
from annotator.review.claiming import CaseFilter, count_cases, list_cases
from annotator.review.listing import batches, require_named
from annotator.review.returning import return_batch
from scoring.errors import InputError
from scoring.model.case import dump_case
from scoring.model.taxonomy import FINAL_STAGES, CaseFormat, Severity, Stage
from scoring.wording import counted
from ui.cli.options import Json, Person, Project, opened
from ui.cli.output import job_context, print_json, print_table, say, tell

case_app = typer.Typer(help="One case.", no_args_is_help=True)
batch_app = typer.Typer(help="Batches.", no_args_is_help=True)
_PAGE = 100_000


def register(app: typer.Typer) -> None:
    """Add these commands to the `annotator` command."""
    app.command("import")(import_)
    app.command()(export)
    app.command()(cases)
    app.command()(check)
    app.add_typer(case_app, name="case")
    app.add_typer(batch_app, name="batch")


def import_(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...")],
    form: Annotated[str, typer.Option("--format", help="auto, native, wildtool, c3 or openai.")] = "auto",
    batch: Annotated[str, typer.Option("--batch", help="Name of the batch.")] = "",
    rejects: Annotated[
        Path | None, typer.Option("--rejects", help="Write the rejected lines' reasons here.")
    ] = None,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Import files; a bad line never stops the good ones."""
    chosen = parse_case_format(form)
    with opened(place, person) as workspace, job_context() as context:
        report = import_files(workspace, files, context=context, format=chosen, batch=batch)
    if rejects is not None:
        lines = [reject.model_dump_json() for reject in report.rejects]
        replace_text(rejects, "".join(line + "\n" for line in lines))
    if json:
        print_json(report)
        return
    say(
        f"{report.imported} imported, {counted(report.duplicates, 'duplicate')}, {report.rejected} rejected, "
        f"{counted(report.findings, 'finding')}."
    )
    for reject in report.rejects[:20]:
        tell(f"{reject.file}, line {reject.line}: {reject.reason}")
    if report.rejected > 20:
        tell(f"and {report.rejected - 20} more; --rejects FILE writes them all.")


def export(
    form: Annotated[CaseFormat, typer.Option("--format")],
    out: Annotated[Path, typer.Option("-o", "--output")],
    stage: Annotated[str, typer.Option("--stage", help="final, any, or a stage.")] = "final",
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Write cases into a file."""
    stages = {"final": FINAL_STAGES, "any": ()}.get(stage)
    if stages is None:
        stages = (_stage(stage),)
    with opened(place, person) as workspace:
        report = export_cases(workspace, out, format=form, stages=stages)
    if json:
        print_json(report)
        return
    say(f"{counted(report.written, 'case')} written to {out}.")
    for skipped in report.skipped:
        tell(f"{skipped.case_id} left out: {skipped.reason}")


def _stage(name: str) -> Stage:
    try:
        return Stage(name)
    except ValueError as exc:
        raise InputError(f"'{name}' is no stage.", f"Stages: {', '.join(Stage)}.") from exc


def cases(
    stage: Annotated[list[str] | None, typer.Option("--stage")] = None,
    owner: Annotated[str, typer.Option("--owner")] = "",
    batch: Annotated[str, typer.Option("--batch")] = "",
    text: Annotated[str, typer.Option("--text", help="In the case's id or requests.")] = "",
    limit: Annotated[int, typer.Option("--limit", min=1)] = _PAGE,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """List cases."""
    where = CaseFilter(
        stages=tuple(map(_stage, stage or ())), owner=owner, batch=batch, text=text, order="case"
    )
    with opened(place, person) as workspace:
        require_named(workspace, where)
        rows = list_cases(workspace, where, limit=limit)
        total = count_cases(workspace, where)
    if json:
        print_json(rows)
        return
    print_table(
        ["case", "stage", "policies", "owner", "findings", "request"],
        [
            [
                r.case_id,
                r.stage,
                ", ".join(p or "–" for p in r.policies),
                r.owner,
                "–" if r.is_blind else r.finding_count,
                r.request[:60],
            ]
            for r in rows
        ],
    )
    say(f"{len(rows)} of {counted(total, 'case')}.")


@case_app.command("show")
def case_show(
    case_id: Annotated[str, typer.Argument(metavar="ID")],
    revision: Annotated[int | None, typer.Option("--revision", min=1)] = None,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Print the newest revision of a case, in the native format."""
    with opened(place, person) as workspace:
        if revision is None:
            case = show_case(workspace, case_id)
        else:
            case = revision_case(workspace, case_id, number=revision)
    print_json(dump_case(case))


@case_app.command("put")
def case_put(
    case_id: Annotated[str, typer.Argument(metavar="ID")],
    file: Annotated[Path, typer.Option("--file")],
    reason: Annotated[str, typer.Option("--reason")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Make a file's content the newest revision of a case."""
    with opened(place, person) as workspace:
        put_case(workspace, case_id, file=file, reason=reason)
        history = case_history(workspace, case_id)
    if json:
        print_json({"case": case_id, "revision": history[-1].number})
    else:
        say(f"{case_id} is at revision {history[-1].number}.")


@case_app.command("history")
def case_history_(
    case_id: Annotated[str, typer.Argument(metavar="ID")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """List the revisions of a case."""
    with opened(place, person) as workspace:
        rows = case_history(workspace, case_id)
    if json:
        print_json(rows)
        return
    print_table(
        ["revision", "author", "stage", "at", "reason", "content"],
        [
            [r.number, r.author or "system", r.stage, f"{r.at:%Y-%m-%d %H:%M}", r.reason, r.sha256[:12]]
            for r in rows
        ],
    )


@case_app.command("gold")
def case_gold(
    case_id: Annotated[str, typer.Argument(metavar="ID")],
    remove: Annotated[bool, typer.Option("--remove")] = False,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Mark a case as a gold example."""
    with opened(place, person) as workspace:
        mark_gold(workspace, case_id, gold=not remove)
    if json:
        print_json({"case": case_id, "is_gold": not remove})
    else:
        say(f"{case_id} is {'no gold example any more' if remove else 'a gold example'}.")


@case_app.command("comment")
def case_comment(
    case_id: Annotated[str, typer.Argument(metavar="ID")],
    text: str,
    where: Annotated[str, typer.Option("--where", help="e.g. 'task 0 step 1 /city'")] = "case",
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Remark on a place of a case."""
    with opened(place, person) as workspace:
        number = add_comment(workspace, case_id, where=where, text=text).value
    if json:
        print_json({"comment": number})
    else:
        say(f"Comment {number} added.")


def check(
    file: Annotated[Path | None, typer.Argument(metavar="FILE")] = None,
    case_id: Annotated[str | None, typer.Option("--case")] = None,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Print the findings of a file or a project; exit code 3 if any is an error."""
    if file is not None:
        checked = tuple(check_file(file))
    else:
        with opened(place, person) as workspace:
            checked = check_project(workspace, case_id=case_id)
    errors = sum(f.severity is Severity.ERROR for c in checked for f in c.findings)
    unread = sum(bool(c.reason) for c in checked)
    if json:
        print_json({"cases": checked, "errors": errors, "unreadable": unread})
    else:
        print_table(
            ["case", "severity", "rule", "where", "message"],
            [[c.case_id, f.severity, f.rule, f.where, f.message] for c in checked for f in c.findings]
            + [[f"line {c.line}", "error", "unreadable", "", c.reason] for c in checked if c.reason],
        )
        counts = (counted(len(checked), "case"), counted(errors, "error"), counted(unread, "unreadable line"))
        say(f"{', '.join(counts)}.")
    if errors or unread:
        raise typer.Exit(3)


@batch_app.command("list")
def batch_list(place: Project = None, person: Person = None, json: Json = False) -> None:
    """List batches."""
    with opened(place, person) as workspace:
        rows = batches(workspace)
    if json:
        print_json(rows)
        return
    print_table(
        ["batch", "cases", "stages", "flagged"],
        [
            [
                b.name,
                b.case_count,
                ", ".join(f"{s} {n}" for s, n in b.stages.items()),
                "yes" if b.is_flagged else "",
            ]
            for b in rows
        ],
    )


@batch_app.command("show")
def batch_show(name: str, place: Project = None, person: Person = None, json: Json = False) -> None:
    """List the cases of a batch."""
    cases(batch=name, place=place, person=person, json=json)


@batch_app.command("return")
def batch_return(
    name: str,
    reason: Annotated[str, typer.Option("--reason")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Send a batch's cases in cross-check or approved back to their owners."""
    with opened(place, person) as workspace:
        count = return_batch(workspace, name, reason=reason).value
    if json:
        print_json({"batch": name, "returned": count})
    else:
        say(f"{counted(count, 'case')} returned.")
