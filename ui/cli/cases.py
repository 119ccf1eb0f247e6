"""Commands about cases: in, out, look, correct, check."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scoring.errors import InputError, reworded
from scoring.groups import grouped
from scoring.model.taxonomy import FINAL_STAGES, CaseFormat, Priority, Severity, Stage, WrittenFormat
from scoring.texts import tr, with_commas
from scoring.wording import counted
from ui.cli.command import CommandResult, Shape, command, group
from ui.cli.contracts import CASE
from ui.cli.options import Person, Project, opened
from ui.cli.output import Table, tell, without

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from annotator.cases.file_import import ImportReport
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace
    from annotator.review.queue.case_rows import CaseFilter
    from scoring.formats.case_writer import WriteReport

app = typer.Typer()
case_app = group(app, "case", "One case.")
CaseId = Annotated[str, typer.Argument(metavar="ID")]
_EXPORTS: dict[str, str | None] = {one.value: one for one in (*CaseFormat, *WrittenFormat)} | {
    "inspect": None
}
ExportFormat = Annotated[str, typer.Option("--format", help=f"{', '.join(_EXPORTS)}.")]
Output = Annotated[Path, typer.Option("-o", "--output")]
_REJECTS_SHOWN = 20
CASES: Shape = [
    {"*": "annotator.review.queue.case_rows.CaseRow", "-": "pk batch_id owner_id head_id version"}
]


@command(
    app,
    "import",
    gives="annotator.cases.file_import.ImportReport",
    example="annotator import cases.jsonl -p team.db --batch week-1",
    writes="rejects",
)
def import_(
    workspace: "Workspace",
    context: "JobContext",
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
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the format, first cases and what is lost; import nothing.")
    ] = False,
) -> CommandResult:
    """Import files; a bad line never stops the good ones. The exit code is 1 where nothing could be read."""
    from annotator.cases.file_import import ImportOrder
    from annotator.cases.history import parse_case_format
    from annotator.files import replace_text

    order = ImportOrder(
        files=tuple(files),
        format=parse_case_format(form),
        batch=batch,
        stream_bytes=int(stream_limit * 1e9),
    )
    if dry_run and (seen := (report := order.look(workspace, context=context)).preview):
        return CommandResult(report, seen.lines, code=int(not seen.formats))
    report = order.carry_out(workspace, context=context)
    if rejects is not None:
        lines = [reject.model_dump_json() for reject in report.rejects]
        replace_text(rejects, "".join(line + "\n" for line in lines))
    words, notes = imported(report)
    return CommandResult(report, [words], notes, code=1 if strict and report.rejected else 0)


def imported(report: "ImportReport") -> tuple[str, list[str]]:
    """What came of an import, and why lines were rejected.

    Raises:
        InputError: Nothing could be read.
    """
    is_read = bool(report.imported or report.duplicates)
    words = (
        f"{report.imported} imported, {counted(report.duplicates, 'duplicate')}, {report.rejected} rejected, "
        f"{counted(report.findings, 'finding')}."
    )
    notes = [f"{reject.file}, line {reject.line}: {reject.reason}" for reject in report.rejects]
    if report.rejected > _REJECTS_SHOWN:
        kept = "the first 1,000" if report.unlisted else "them all"
        more = f"and {report.rejected - _REJECTS_SHOWN:,} more; import --rejects FILE writes {kept}."
        notes[_REJECTS_SHOWN:] = [more]
    if not is_read:
        tell("\n".join(notes))
        raise InputError(
            f"Nothing could be imported: {counted(report.rejected, 'line')} rejected.",
            "Correct the lines, or name another --format.",
        )
    return words, notes


@command(
    app,
    "export",
    gives="scoring.formats.case_writer.WriteReport",
    example="annotator export --format wildtool -o cases.jsonl -p team.db",
    writes="out",
)
def export(
    workspace: "Workspace",
    form: ExportFormat,
    out: Output,
    stage: Annotated[str, typer.Option("--stage", help="final, any, or a stage.")] = "final",
) -> CommandResult:
    """Write cases into a file.

    inspect writes a task for `inspect eval`; `annotator score` reads the logs of it.
    """
    from annotator.cases.file_export import export_cases

    stages = {"final": FINAL_STAGES, "any": ()}.get(stage)
    if stages is None:
        stages = (_stage(stage),)
    return exported(lambda wanted: export_cases(workspace, out, format=wanted, stages=stages), form, out)


def exported(write: "Callable[[str | None], WriteReport]", form: str, out: Path) -> CommandResult:
    """Write cases in the format of a name, and say what came of it."""
    from scoring.formats.dialects.known import installed

    formats = {dialect.name: dialect.name for dialect in installed()} | _EXPORTS
    if form not in formats:
        raise typer.BadParameter(f"'{form}' is no format. Formats: {', '.join(formats)}.")
    report = write(formats[form])
    # Reasons that name their case are alike without it; `--json` has each as it is.
    said = [
        *((f": {tr(one.text)}", one.case_id) for one in report.remarks),
        *(
            (tr(f" excluded: {one.reason.replace(f'Case {one.case_id} ', 'The case ')}"), one.case_id)
            for one in report.skipped
        ),
    ]
    notes = [f"{first_of(ids)}{text}" for text, ids in grouped(said).items()]
    if report.withheld:
        withheld = counted(report.withheld, "gold case")
        notes.append(f"{withheld} excluded: not shown while you work on a case.")
    return CommandResult(report, [f"{counted(report.written, 'case')} written to {out}."], notes)


def first_of(ids: list[str]) -> str:
    """The first of some cases, and how many there are besides."""
    return f"{ids[0]}{tr(' and {count:,} more', count=len(ids) - 1) if ids[1:] else ''}"


def _stage(name: str) -> Stage:
    with reworded(
        ValueError,
        into=lambda _: InputError(
            f"'{name}' is not a stage.", f"Choose one of these stages: {', '.join(Stage)}."
        ),
    ):
        return Stage(name)


@command(app, "cases", gives=CASES, example="annotator cases --stage returned -p team.db")
def cases(
    workspace: "Workspace",
    stage: Annotated[list[str] | None, typer.Option("--stage")] = None,
    owner: Annotated[str, typer.Option("--owner")] = "",
    batch: Annotated[str, typer.Option("--batch")] = "",
    text: Annotated[str, typer.Option("--text", help="In the case's id or requests.")] = "",
    priority: Annotated[list[str] | None, typer.Option("--priority", help=f"{', '.join(Priority)}.")] = None,
    sort: Annotated[
        str, typer.Option("--sort", help="A column, such as priority; -changed: the newest change first.")
    ] = "case",
    limit: Annotated[int, typer.Option("--limit", min=1)] = 100_000,
    view: Annotated[
        str, typer.Option("--view", help="A view of the team; other filters replace those it has.")
    ] = "",
) -> CommandResult:
    """List cases."""
    from annotator.review.queue.case_rows import count_cases, list_cases

    where = case_filter(
        workspace,
        stage,
        owner=owner,
        batch=batch,
        text=text,
        priorities=priority or (),
        sort=sort,
        view=view,
    )
    rows = list_cases(workspace, where, limit=limit)
    total = count_cases(workspace, where)
    table = Table(
        ["case", "priority", "stage", "policies", "owner", "findings", "request"],
        [
            [
                r.case_id,
                r.priority,
                r.stage,
                with_commas(p or "–" for p in r.policies),
                r.owner,
                "–" if r.is_blind else r.finding_count,
                r.request[:60],
            ]
            for r in rows
        ],
    )
    public = [without(row, "pk", "batch_id", "owner_id", "head_id", "version") for row in rows]
    return CommandResult(public, [table, f"{len(rows)} of {counted(total, 'case')}."])


def case_filter(
    workspace: "Workspace",
    stages: list[str] | None,
    *,
    owner: str,
    batch: str,
    text: str,
    priorities: "Sequence[str]" = (),
    sort: str = "case",
    view: str = "",
) -> "CaseFilter":
    """The filter of what was typed: it replaces that of a view of the team where one is named."""
    from annotator.review.queue.assignments import parse_priority
    from annotator.review.queue.case_rows import ORDERS, CaseFilter, require_named
    from annotator.review.queue.team_views import view_filter

    if sort.removeprefix("-") not in ORDERS:
        raise typer.BadParameter(f"'{sort}' is no column. Columns: {', '.join(ORDERS)}.")
    own = view_filter(workspace, view) if view else CaseFilter()
    where = replace(
        own,
        stages=tuple(map(_stage, stages or ())) or own.stages,
        owner=owner or own.owner,
        batch=batch or own.batch,
        priorities=tuple(map(parse_priority, priorities)) or own.priorities,
        text=text or own.text,
        order=sort,
    )
    require_named(workspace, where)
    return where


@command(
    app,
    "change",
    gives="annotator.review.bulk_changes.BulkOutcome",
    example="annotator change --batch week-1 --assign ben --dry-run -p team.db",
)
def change(
    workspace: "Workspace",
    context: "JobContext",
    stage: Annotated[list[str] | None, typer.Option("--stage")] = None,
    owner: Annotated[str, typer.Option("--owner")] = "",
    batch: Annotated[str, typer.Option("--batch")] = "",
    text: Annotated[str, typer.Option("--text", help="In the case's id or requests.")] = "",
    assign: Annotated[str, typer.Option("--assign", help="Give them to this owner.")] = "",
    move: Annotated[str, typer.Option("--move", help="Put them into this batch, which may be new.")] = "",
    return_: Annotated[
        str, typer.Option("--return", help="Send them back to their owners, for this reason.")
    ] = "",
    priority: Annotated[str, typer.Option("--priority", help=f"{', '.join(Priority)}.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would do; change nothing.")] = False,
) -> CommandResult:
    """Change all cases of a filter, one by one. What cannot be done to one does not stop the others."""
    from annotator.review.bulk_changes import BulkAction, BulkChange, change_cases

    wanted = {
        BulkAction.ASSIGN: assign,
        BulkAction.MOVE: move.strip(),
        BulkAction.RETURN: return_.strip(),
        BulkAction.PRIORITY: priority,
    }
    chosen = [BulkChange(action=action, value=value) for action, value in wanted.items() if value]
    if len(chosen) != 1:
        raise typer.BadParameter("Name one of --assign, --move, --return and --priority.")
    if not (stage or owner or batch or text):
        raise typer.BadParameter("Say which cases: name --stage, --owner, --batch or --text.")
    where = case_filter(workspace, stage, owner=owner, batch=batch, text=text)
    done = change_cases(workspace, where, change=chosen[0], context=context, is_done=not dry_run)
    return CommandResult(done, done.words, code=1 if done.left else 0)


@command(
    case_app,
    "show",
    gives={"blind?": bool, **CASE},
    example="annotator case show c-1 -p team.db",
)
def case_show(
    workspace: "Workspace",
    case_id: CaseId,
    revision: Annotated[int | None, typer.Option("--revision", min=1)] = None,
) -> CommandResult:
    """Print the newest revision of a case, as `case put` reads it."""
    from annotator.cases.access import sees_blind, show_case
    from annotator.cases.history import revision_case
    from scoring.formats.native import BLIND
    from scoring.model.case import dump_case

    blind = {BLIND: True} if sees_blind(workspace, case_id) else {}
    read = show_case if revision is None else partial(revision_case, number=revision)
    return CommandResult({**dump_case(read(workspace, case_id)), **blind})


@command(
    case_app,
    "put",
    gives={"case": str, "revision": int},
    example="annotator case put c-1 --file c-1.json --reason typo -p team.db",
)
def case_put(
    workspace: "Workspace",
    case_id: CaseId,
    file: Annotated[Path, typer.Option("--file")],
    reason: Annotated[str, typer.Option("--reason")],
) -> CommandResult:
    """Make a file's content the newest revision of a case."""
    from annotator.cases.history import case_history, put_case
    from annotator.files import readable_files

    with readable_files(file) as (read,):
        put_case(workspace, case_id, file=read, reason=reason)
        history = case_history(workspace, case_id)
    return CommandResult(
        {"case": case_id, "revision": history[-1].number}, [f"{case_id} is at revision {history[-1].number}."]
    )


@command(
    case_app,
    "history",
    gives=[{"*": "db.read.rows.RevisionRow", "-": "id parent_id"}],
    example="annotator case history c-1 -p team.db",
)
def case_history_(workspace: "Workspace", case_id: CaseId) -> CommandResult:
    """List the revisions of a case."""
    from annotator.cases.history import case_history

    rows = case_history(workspace, case_id)
    table = Table(
        ["revision", "author", "stage", "at", "reason", "content"],
        [
            [r.number, r.author or "system", r.stage, f"{r.at:%Y-%m-%d %H:%M}", r.reason, r.sha256[:12]]
            for r in rows
        ],
    )
    return CommandResult([without(row, "id", "parent_id") for row in rows], [table])


@command(
    case_app,
    "who",
    gives="annotator.review.queue.takers.CaseTakers",
    example="annotator case who c-1 -p team.db",
)
def case_who(workspace: "Workspace", case_id: CaseId) -> CommandResult:
    """List who could take a case now, and why the others cannot."""
    from annotator.review.queue.takers import who_could_take

    found = who_could_take(workspace, case_id).value
    rows = [[one.person, tr("yes") if one.may else tr("no"), one.why] for one in found.people]
    return CommandResult(found, [Table(["person", "could take it", "why"], rows), found.words])


@command(case_app, "gold", gives={"case": str, "is_gold": bool}, example="annotator case gold c-1 -p team.db")
def case_gold(
    workspace: "Workspace",
    case_id: CaseId,
    remove: Annotated[bool, typer.Option("--remove")] = False,
) -> CommandResult:
    """Mark a case as a gold example."""
    from annotator.cases.history import mark_gold

    mark_gold(workspace, case_id, gold=not remove)
    return CommandResult(
        {"case": case_id, "is_gold": not remove},
        [f"{case_id} is no longer a gold example." if remove else f"{case_id} is a gold example."],
    )


@command(
    case_app,
    "comment",
    gives={"case": str, "where": str},
    example='annotator case comment c-1 "Which city?" -p team.db',
)
def case_comment(
    workspace: "Workspace",
    case_id: CaseId,
    text: str,
    where: Annotated[str, typer.Option("--where", help="e.g. 'task 0 step 1 /city'")] = "case",
) -> CommandResult:
    """Comment on a place in a case."""
    from annotator.cases.history import add_comment

    add_comment(workspace, case_id, where=where, text=text)
    return CommandResult({"case": case_id, "where": where}, ["Comment added."])


@command(
    app,
    "check",
    gives={"cases": ["annotator.cases.findings.checks.CheckedCase"], "errors": int, "unreadable": int},
    example="annotator check cases.jsonl",
)
def check(
    file: Annotated[Path | None, typer.Argument(metavar="FILE")] = None,
    case_id: Annotated[str | None, typer.Option("--case")] = None,
    place: Project = None,
    person: Person = None,
) -> CommandResult:
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
    return CommandResult(
        {"cases": checked, "errors": errors, "unreadable": unread},
        [table, f"{', '.join(counts)}."]
        if table.rows
        else [f"Nothing was found in {counted(total, 'case')}."],
        code=3 if errors or unread else 0,
    )
