"""Commands about cases and batches: in, out, look, correct, check."""

from pathlib import Path
from typing import Annotated

import typer

from scoring.errors import InputError
from scoring.model.taxonomy import FINAL_STAGES, CaseFormat, Severity, Stage
from scoring.wording import counted
from ui.cli.options import Json, Person, Project, example, opened, refuse_two_outputs
from ui.cli.output import Table, job_context, print_json, print_result, say, tell, without

case_app = typer.Typer(help="One case.", no_args_is_help=True)
batch_app = typer.Typer(help="Batches.", no_args_is_help=True)
_PAGE = 100_000


def register(app: typer.Typer) -> None:
    """Add these commands to the `annotator` command."""
    app.command("import", epilog=example("annotator import cases.jsonl -p team.db --batch week-1"))(import_)
    app.command(epilog=example("annotator export --format wildtool -o cases.jsonl -p team.db"))(export)
    app.command(epilog=example("annotator cases --stage returned -p team.db"))(cases)
    app.command(epilog=example("annotator check cases.jsonl"))(check)
    app.add_typer(case_app, name="case")
    app.add_typer(batch_app, name="batch")


def import_(
    files: Annotated[list[Path], typer.Argument(metavar="FILE")],
    form: Annotated[str, typer.Option("--format", help=f"auto, {', '.join(CaseFormat)}.")] = "auto",
    batch: Annotated[str, typer.Option("--batch", help="Name of the batch.")] = "",
    rejects: Annotated[
        Path | None, typer.Option("--rejects", help="Write the first 1,000 rejected lines' reasons here.")
    ] = None,
    stream_limit: Annotated[
        float, typer.Option(min=0.001, help="Gigabytes that are read of a pipe or standard input.")
    ] = 2.0,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if any line was rejected; the good ones stay.")
    ] = False,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Import files; a bad line never stops the good ones. The exit code is 1 where nothing could be read."""
    from annotator.cases.file_import import ImportOrder
    from annotator.cases.history import parse_case_format
    from annotator.files import replace_text

    refuse_two_outputs(rejects, json=json)
    order = ImportOrder(
        files=tuple(files),
        format=parse_case_format(form),
        batch=batch,
        stream_bytes=int(stream_limit * 1e9),
    )
    with opened(place, person) as workspace, job_context() as context:
        report = order.carry_out(workspace, context=context)
    if rejects is not None:
        lines = [reject.model_dump_json() for reject in report.rejects]
        replace_text(rejects, "".join(line + "\n" for line in lines))
    is_read = bool(report.imported or report.duplicates)
    words = (
        f"{report.imported} imported, {counted(report.duplicates, 'duplicate')}, {report.rejected} rejected, "
        f"{counted(report.findings, 'finding')}."
    )
    if is_read:
        print_result(report, words, json=json, beside=rejects)
    if not json or not is_read:
        for reject in report.rejects[:20]:
            tell(f"{reject.file}, line {reject.line}: {reject.reason}")
        if report.rejected > 20:
            kept = "the first 1,000" if report.unlisted else "them all"
            tell(f"and {report.rejected - 20:,} more; --rejects FILE writes {kept}.")
    if not is_read:
        raise InputError(
            f"Nothing could be imported: {counted(report.rejected, 'line')} rejected.",
            "Correct the lines, or name another --format.",
        )
    if strict and report.rejected:
        raise typer.Exit(1)


def export(
    form: Annotated[CaseFormat, typer.Option("--format")],
    out: Annotated[Path, typer.Option("-o", "--output")],
    stage: Annotated[str, typer.Option("--stage", help="final, any, or a stage.")] = "final",
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Write cases into a file."""
    from annotator.cases.file_export import export_cases

    refuse_two_outputs(out, json=json)
    stages = {"final": FINAL_STAGES, "any": ()}.get(stage)
    if stages is None:
        stages = (_stage(stage),)
    with opened(place, person) as workspace:
        report = export_cases(workspace, out, format=form, stages=stages)
    if json:
        print_json(report)
        return
    say(f"{counted(report.written, 'case')} written to {out}.", beside=out)
    for skipped in report.skipped:
        tell(f"{skipped.case_id} excluded: {skipped.reason}")
    if report.withheld:
        tell(f"{counted(report.withheld, 'gold case')} excluded: not shown while you work on a case.")
    for remark in report.remarks:
        tell(f"{remark.case_id}: {remark.text}")


def _stage(name: str) -> Stage:
    try:
        return Stage(name)
    except ValueError as exc:
        raise InputError(f"'{name}' is not a stage.", f"Stages: {', '.join(Stage)}.") from exc


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
    from annotator.review.queue.case_rows import CaseFilter, count_cases, list_cases, require_named

    where = CaseFilter(
        stages=tuple(map(_stage, stage or ())), owner=owner, batch=batch, text=text, order="case"
    )
    with opened(place, person) as workspace:
        require_named(workspace, where)
        rows = list_cases(workspace, where, limit=limit)
        total = count_cases(workspace, where)
    table = Table(
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
    public = [without(row, "pk", "batch_id", "owner_id", "head_id", "version") for row in rows]
    print_result(public, table, f"{len(rows)} of {counted(total, 'case')}.", json=json)


@case_app.command("show", epilog=example("annotator case show c-1 -p team.db"))
def case_show(
    case_id: Annotated[str, typer.Argument(metavar="ID")],
    revision: Annotated[int | None, typer.Option("--revision", min=1)] = None,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Print the newest revision of a case, as `case put` reads it."""
    from annotator.cases.access import sees_blind, show_case
    from annotator.cases.history import revision_case
    from scoring.formats.native import BLIND
    from scoring.model.case import dump_case

    with opened(place, person) as workspace:
        blind = {BLIND: True} if sees_blind(workspace, case_id) else {}
        if revision is None:
            case = show_case(workspace, case_id)
        else:
            case = revision_case(workspace, case_id, number=revision)
    print_json({**dump_case(case), **blind})


@case_app.command("put", epilog=example("annotator case put c-1 --file c-1.json --reason typo -p team.db"))
def case_put(
    case_id: Annotated[str, typer.Argument(metavar="ID")],
    file: Annotated[Path, typer.Option("--file")],
    reason: Annotated[str, typer.Option("--reason")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Make a file's content the newest revision of a case."""
    from annotator.cases.history import case_history, put_case
    from annotator.files import readable_files

    with readable_files(file) as (read,), opened(place, person) as workspace:
        put_case(workspace, case_id, file=read, reason=reason)
        history = case_history(workspace, case_id)
    print_result(
        {"case": case_id, "revision": history[-1].number},
        f"{case_id} is at revision {history[-1].number}.",
        json=json,
    )


@case_app.command("history", epilog=example("annotator case history c-1 -p team.db"))
def case_history_(
    case_id: Annotated[str, typer.Argument(metavar="ID")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """List the revisions of a case."""
    from annotator.cases.history import case_history

    with opened(place, person) as workspace:
        rows = case_history(workspace, case_id)
    table = Table(
        ["revision", "author", "stage", "at", "reason", "content"],
        [
            [r.number, r.author or "system", r.stage, f"{r.at:%Y-%m-%d %H:%M}", r.reason, r.sha256[:12]]
            for r in rows
        ],
    )
    print_result([without(row, "id", "parent_id") for row in rows], table, json=json)


@case_app.command("gold", epilog=example("annotator case gold c-1 -p team.db"))
def case_gold(
    case_id: Annotated[str, typer.Argument(metavar="ID")],
    remove: Annotated[bool, typer.Option("--remove")] = False,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Mark a case as a gold example."""
    from annotator.cases.history import mark_gold

    with opened(place, person) as workspace:
        mark_gold(workspace, case_id, gold=not remove)
    print_result(
        {"case": case_id, "is_gold": not remove},
        f"{case_id} is {'no longer a gold example' if remove else 'a gold example'}.",
        json=json,
    )


@case_app.command("comment", epilog=example('annotator case comment c-1 "Which city?" -p team.db'))
def case_comment(
    case_id: Annotated[str, typer.Argument(metavar="ID")],
    text: str,
    where: Annotated[str, typer.Option("--where", help="e.g. 'task 0 step 1 /city'")] = "case",
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Comment on a place in a case."""
    from annotator.cases.history import add_comment

    with opened(place, person) as workspace:
        add_comment(workspace, case_id, where=where, text=text)
    print_result({"case": case_id, "where": where}, "Comment added.", json=json)


def check(
    file: Annotated[Path | None, typer.Argument(metavar="FILE")] = None,
    case_id: Annotated[str | None, typer.Option("--case")] = None,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Print the findings of a file or a project. The exit code is 3 if any is an error."""
    if file is not None:
        from annotator.cases.findings.checks import LISTED, check_file
        from annotator.files import readable_files

        checked, unread = [], 0
        with readable_files(file) as (read,):
            for one in check_file(read):
                unread += bool(one.reason)
                if not one.reason or unread <= LISTED:
                    checked.append(one)
        total = len(checked) - min(unread, LISTED)
    else:
        from annotator.cases.file_export import check_project

        with opened(place, person) as workspace:
            checked, unread = list(check_project(workspace, case_id=case_id)), 0
        total = len(checked)
    errors = sum(f.severity is Severity.ERROR for c in checked for f in c.findings)
    table = Table(
        ["case", "severity", "rule", "where", "message"],
        [[c.case_id, f.severity, f.rule, f.where, f.message] for c in checked for f in c.findings]
        + [[f"line {c.line}", "error", "unreadable", "", c.reason] for c in checked if c.reason],
    )
    counts = (counted(total, "case"), counted(errors, "error"), counted(unread, "unreadable line"))
    body = {"cases": checked, "errors": errors, "unreadable": unread}
    print_result(body, table, f"{', '.join(counts)}.", json=json)
    if errors or unread:
        raise typer.Exit(3)


@batch_app.command("list", epilog=example("annotator batch list -p team.db"))
def batch_list(place: Project = None, person: Person = None, json: Json = False) -> None:
    """List batches."""
    from annotator.review.queue.case_rows import apart_words, batches

    with opened(place, person) as workspace:
        rows, apart = batches(workspace), apart_words(workspace)
    table = Table(
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
    print_result(rows, table, json=json)
    tell(apart)


@batch_app.command("show", epilog=example("annotator batch show week-1 -p team.db"))
def batch_show(name: str, place: Project = None, person: Person = None, json: Json = False) -> None:
    """List the cases of a batch."""
    cases(batch=name, place=place, person=person, json=json)


@batch_app.command("return", epilog=example("annotator batch return week-1 --reason unclear -p team.db"))
def batch_return(
    name: str,
    reason: Annotated[str, typer.Option("--reason")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Send a batch's cases in cross-check or approved back to their owners."""
    from annotator.review.batches import return_batch

    with opened(place, person) as workspace:
        count = return_batch(workspace, name, reason=reason).value
    print_result({"batch": name, "returned": count}, f"{counted(count, 'case')} returned.", json=json)


@batch_app.command("waiting", epilog=example("annotator batch waiting week-1 -p team.db"))
def batch_waiting(name: str, place: Project = None, person: Person = None, json: Json = False) -> None:
    """List what holds up the sample of a batch."""
    from annotator.review.batches import held_up
    from annotator.review.queue.case_rows import apart_words

    with opened(place, person) as workspace:
        rows = held_up(workspace, name)
        tell(apart_words(workspace))
    if not rows:
        print_result(rows, f"Nothing holds up {name}.", json=json)
        return
    table = Table(
        ["stage", "person", "cases", "oldest since"],
        [[row.stage, row.person, row.count, f"{row.since:%Y-%m-%d %H:%M}"] for row in rows],
    )
    total = sum(row.count for row in rows)
    print_result(rows, table, f"{name} is blocked by {counted(total, 'open case')}.", json=json)


@batch_app.command("split", epilog=example("annotator batch split week-1 --name week-1a -p team.db"))
def batch_split(
    batch: Annotated[str, typer.Argument(metavar="NAME")],
    name: Annotated[str, typer.Option("--name", help="Of the new batch.")] = "",
    case: Annotated[
        list[str] | None, typer.Option("--case", help="These cases, not the finished part.")
    ] = None,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Make a new batch of the finished part of a batch, which is sampled at once, or of some cases."""
    from annotator.review.batches import split_batch

    with opened(place, person) as workspace:
        done = split_batch(workspace, batch, name=name, cases=case).value
    print_result(done, f"{done.words} {counted(done.left, 'case')} stay in {batch}.", json=json)


@batch_app.command("merge", epilog=example("annotator batch merge week-1 --into week-2 -p team.db"))
def batch_merge(
    batch: Annotated[str, typer.Argument(metavar="NAME")],
    into: Annotated[str, typer.Option("--into", help="The batch that gets the cases.")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Put all cases of a batch into another one."""
    from annotator.review.batches import merge_batches

    with opened(place, person) as workspace:
        done = merge_batches(workspace, batch, into=into).value
    print_result(done, done.words, json=json)


@batch_app.command("move", epilog=example("annotator batch move c-1 c-2 --to week-2 -p team.db"))
def batch_move(
    case_ids: Annotated[list[str], typer.Argument(metavar="ID")],
    to: Annotated[str, typer.Option("--to", help="The batch that gets the cases.")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Put cases that only their owners have judged into another batch, or a new one."""
    from annotator.review.batches import move_cases

    with opened(place, person) as workspace:
        done = move_cases(workspace, case_ids, to=to).value
    print_result(done, done.words, json=json)


@batch_app.command("due", epilog=example("annotator batch due week-1 2026-12-09 -p team.db"))
def batch_due(
    batch: Annotated[str, typer.Argument(metavar="NAME")],
    day: Annotated[str, typer.Argument(metavar="DAY", help="Such as 2026-12-09, or none.")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Say on which day a batch is due."""
    from annotator.review.batches import parse_day, set_due

    due = None if day == "none" else parse_day(day)
    with opened(place, person) as workspace:
        set_due(workspace, batch, due=due)
    words = f"{batch} is due on {due}." if due else f"{batch} has no due day."
    print_result({"batch": batch, "due_on": due}, words, json=json)
