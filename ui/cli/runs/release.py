"""Commands about frozen releases."""

import shlex
from dataclasses import asdict
from json import loads
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scoring.errors import InputError, existing
from scoring.groups import grouped
from scoring.texts import tr, with_commas
from scoring.wording import counted
from ui.cli.cases import ExportFormat, Output, exported, first_of
from ui.cli.command import CommandResult, Shape, command, group
from ui.cli.options import Person, Project, opened
from ui.cli.output import Table, tell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace
    from annotator.release.quality import Plan
    from scoring.measures.residual_error import Quality

app = typer.Typer()
release_app = group(app, "release", "Frozen releases.")
_SHARE: Shape = {"n": (int, None), "wrong": (int, None), "upper": (float, None), "reason?": str}


@command(
    release_app,
    "freeze",
    gives="annotator.release.manifest.Manifest",
    example="annotator release freeze 2026.11 -o release -p team.db",
)
def release_freeze(
    workspace: "Workspace",
    context: "JobContext",
    name: str,
    out: Annotated[Path, typer.Option("-o", "--output", help="The folder to write.")],
    parquet: Annotated[bool, typer.Option("--parquet", help="Tables as Parquet (extra: hub).")] = False,
) -> CommandResult:
    """Freeze all final cases into a checksummed folder."""
    from annotator.release.freeze import freeze, undrawn_cases
    from annotator.review.expert.decisions import defect_words

    left_out = undrawn_cases(workspace)
    manifest = freeze(workspace, name, directory=out, context=context, parquet=parquet).value
    notes = [
        f"  annotator review reopen {shlex.quote(one.case_id)} --reason 'confirm the drawing'"
        for one in left_out
    ]
    if left_out:
        notes.insert(0, f"{counted(len(left_out), 'final case')} excluded: {left_out[0].reason}.")
    content, kept = manifest.content, manifest.about.kept
    tasks = counted(content.task_count, "task")
    return CommandResult(
        manifest,
        [
            f"Froze {counted(content.case_count, 'case')} with {tasks} into {out}.",
            f"Content hash {content.content_sha256}",
            f"No licence is named: annotator release card {shlex.quote(str(out))} --license NAME",
            *(f"Kept on purpose in {one.case_id}: {defect_words(one.field)}. {one.reason}" for one in kept),
        ],
        notes,
    )


@command(
    release_app,
    "verify",
    gives={"*": "annotator.release.verification.VerifyReport", "ok": bool},
    example="annotator release verify releases/2026.11 -p team.db",
)
def release_verify(directory: Path, workspace: "Workspace | None" = None) -> CommandResult:
    """Check every byte of a release folder, with -p also against the project; exit code 3 if one changed."""
    from annotator.release.verification import verify_release

    report = verify_release(directory, recorded_in=workspace)
    document = {**report.model_dump(mode="json"), "ok": report.ok}
    if not report.ok:
        return CommandResult(document, report.problems, code=3)
    matches = f"{report.name}: {counted(report.case_count, 'case')}, every byte matches what was frozen."
    known = f"Errata: {counted(len(report.errata), 'case')} corrected since: {', '.join(report.errata)}."
    return CommandResult(document, [matches, known if report.errata else ""])


@command(
    release_app,
    "card",
    gives={"name": str, "license": (str, None), "card": str},
    example="annotator release card releases/2026.11 --license cc-by-4.0",
)
def release_card(
    directory: Path,
    license: Annotated[  # noqa: A002
        str | None,
        typer.Option(help="Write this identifier of a licence into the card, e.g. cc-by-4.0."),
    ] = None,
) -> CommandResult:
    """Print the card of a release as the Hub reads it; its licence is the owner's to name."""
    from annotator.release.card import read_card

    found = read_card(directory, licence=license)
    return CommandResult({"name": found.name, "license": found.licence, "card": found.text}, [found.text])


@command(
    release_app,
    "export",
    gives="scoring.formats.case_writer.WriteReport",
    example="annotator release export releases/2026.11 --format bfcl -o b.jsonl",
    writes="out",
)
def release_export(directory: Path, form: ExportFormat, out: Output) -> CommandResult:
    """Write the cases of a release folder in another format, as `annotator export` does for a project."""
    from annotator.cases.file_export import write_file
    from annotator.release.manifest import read_manifest
    from annotator.release.runs.evaluation import load_cases

    read_manifest(directory)
    return exported(lambda wanted: write_file(load_cases(directory), out, format=wanted), form, out)


@command(
    release_app,
    "push",
    gives="annotator.release.push.Push",
    example="annotator release push releases/2026.11 --to hub me/cases",
)
def release_push(
    directory: Path,
    to: Annotated[
        tuple[str, str],
        typer.Option(help="git URL, or hub OWNER/NAME (extra: hub).", metavar="git|hub WHERE"),
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> CommandResult:
    """Push a release into a repository of git or to the Hub, as a commit with a tag; it says what and asks.

    A push that broke off is finished by the next. What is new on the Hub is private.
    """
    from annotator.release.push import Place, Push, push_release

    if to[0] not in list(Place):
        raise InputError(f"'{to[0]}' is no place for a release.", "Places: git URL, hub OWNER/NAME.")

    def agreed(plan: Push) -> bool:
        tell("\n".join([f"To {plan.target}:", *(f"  {step}" for step in plan.steps)]))
        return yes or typer.confirm(tr("Push?"), err=True)

    push = push_release(directory, Place(to[0]), to[1], agreed=agreed)
    if push.is_done:
        return CommandResult(push, [f"Pushed {push.release} to {push.target}, tag {push.tag}."])
    why = "Nothing was pushed." if push.is_needed else f"{push.release} lies there already, tag {push.tag}."
    return CommandResult(push, [why])


@command(
    release_app,
    "diff",
    gives="annotator.release.verification.ReleaseDiff",
    example="annotator release diff releases/2026.10 releases/2026.11",
)
def release_diff(first: Path, second: Path) -> CommandResult:
    """Compare two release folders."""
    from annotator.release.verification import diff_releases

    diff = diff_releases(first, second)
    rows = [["added", i] for i in diff.added] + [["removed", i] for i in diff.removed]
    return CommandResult(
        diff,
        [
            Table(["", "case"], rows + [["changed", i] for i in diff.changed]),
            f"{len(diff.added)} added, {len(diff.removed)} removed, {len(diff.changed)} changed, "
            f"{diff.same} the same.",
        ],
    )


@command(
    release_app,
    "list",
    gives=[
        {"*": "db.read.rows.ReleaseRow", "-": "manifest", "manifest": "annotator.release.manifest.Manifest"}
    ],
    example="annotator release list -p team.db",
)
def release_list(workspace: "Workspace") -> CommandResult:
    """List the releases of a project."""
    from annotator.release.freeze import list_releases

    rows = list_releases(workspace)
    table = Table(
        ["name", "cases", "by", "at", "content", "folder"],
        [
            [r.name, r.case_count, r.person, f"{r.at:%Y-%m-%d %H:%M}", r.content_sha256[:12], r.directory]
            for r in rows
        ],
    )
    return CommandResult([{**asdict(row), "manifest": loads(row.manifest)} for row in rows], [table])


@command(
    release_app,
    "quality",
    gives={
        "*": "scoring.measures.residual_error.Quality",
        "tasks": _SHARE,
        "cases": _SHARE,
        "level": float,
        "method": str,
        "headline": str,
        "errata": [str],
        "plan?": "annotator.release.quality.Plan",
    },
    example="annotator release quality 2026.11 --bound 2 -p team.db",
)
def release_quality(
    context: "JobContext",
    name: Annotated[
        str | None,
        typer.Argument(metavar="DIR|NAME", help="A release or its folder; without it the project as it is."),
    ] = None,
    bound: Annotated[
        float | None, typer.Option(help="Percent: how many more cases to look at for this bound.")
    ] = None,
    draw: Annotated[
        bool, typer.Option("--draw", help="Draw them as random samples for the experts.")
    ] = False,
    table: Annotated[
        Path | None, typer.Option(help="Write all that is known of the quality into a CSV file.")
    ] = None,
    figure: Annotated[Path | None, typer.Option(help="Write its figures as a picture, .png or .svg.")] = None,
    place: Project = None,
    person: Person = None,
) -> CommandResult:
    """Say how many cases may still be wrong, from the random samples experts looked at.

    A folder says what was known when it was frozen, without a project; beside a project it is a path: ./NAME.
    """
    from annotator.release.errata import errata_of
    from annotator.release.quality import draw_planned, plan, quality
    from annotator.release.quality_table import quality_table, save_quality

    # Beside a project a bare name is that of a release in it.
    is_bare = name is None or (place is not None and name == Path(name).name)
    folder = None if name is None or is_bare else Path(name)
    _check_quality_options(folder, bound=bound, draw=draw, table=table, figure=figure)
    if folder is not None:
        return _frozen_quality(folder)
    with opened(place, person) as workspace:
        context.progress(0, None, "reading the samples")
        found = quality(workspace, release=name)
        known = [one.case_id for one in errata_of(workspace, name).errata] if name is not None else []
        planned = None
        if bound is not None:
            context.progress(0, None, "planning further samples")
            share = bound / 100
            planned = draw_planned(workspace, bound=share).value if draw else plan(workspace, bound=share)
        if table is not None or figure is not None:
            save_quality(quality_table(workspace, context=context, release=name), table=table, figure=figure)
    more = {"plan": planned} if planned is not None else {}
    parts = [*_quality_words(found, name or "", known), *_plan_parts(planned, is_drawn=draw)]
    return CommandResult({**_figures(found), "errata": known, **more}, parts)


def _check_quality_options(
    folder: Path | None, *, bound: float | None, draw: bool, table: Path | None, figure: Path | None
) -> None:
    """Refuse options that do not go together; a release's folder takes none of them."""
    if figure is not None and figure.suffix not in (".png", ".svg"):
        raise InputError(f"{figure} is not a picture.", "Give it the ending .png or .svg.")
    if draw and bound is None:
        raise InputError("--draw needs to know for which bound.", "Add --bound PERCENT, e.g. --bound 2.")
    if folder is not None and (bound is not None or table is not None or figure is not None):
        raise InputError(
            "A folder says only what was known when it was frozen.", "Name the release and its project."
        )


def _plan_parts(planned: "Plan | None", *, is_drawn: bool) -> "Iterator[Table | str]":
    from scoring.measures.residual_error import percent

    if planned is None:
        return
    if not planned.cases:
        yield f"All final cases: {percent(planned.reached)} already; nothing to draw."
        return
    cases, target = counted(planned.cases, "more case"), percent(planned.target)
    rest = f"{percent(planned.reached)} over all final cases if every one is right."
    drawn = f"Drew {cases} for a bound of {target}: {rest}"
    yield drawn if is_drawn else f"Look at {cases} for a bound of {target}: {rest}"
    yield planned.time_words
    yield Table(["batch", "cases"], [[batch, count] for batch, count in planned.batches.items()])


def _figures(found: "Quality") -> dict[str, object]:
    """What scripts rely on: `n` sampled, `wrong` of them, and `upper` for those no expert looked at."""
    bound = found.bound
    is_known = bound.is_known and bool(bound.cases or found.settled)
    why = {} if is_known else {"reason": found.headline}
    tasks, cases = (share if is_known else None for share in (bound.task_share, bound.share))
    return {
        "tasks": {"n": found.sampled_tasks, "wrong": found.found_tasks, "upper": tasks, **why},
        "cases": {"n": bound.sampled, "wrong": bound.found, "upper": cases, **why},
        "level": bound.confidence,
        "method": "upper bound from simple random samples, valid however often they were drawn",
        "headline": found.headline,
        **found.model_dump(mode="json"),
    }


def _quality_words(found: "Quality", name: str, known: list[str]) -> tuple[str, ...]:
    wrong = f"Known to be wrong in {name}: {counted(len(known), 'case')}, see its errata."
    return (found.headline, *found.details, wrong if known else "")


def _frozen_quality(directory: Path) -> CommandResult:
    """What the manifest of a release folder says of its quality."""
    from annotator.release.errata import read_errata
    from annotator.release.manifest import read_manifest

    manifest, errata = read_manifest(directory), read_errata(directory)
    found = manifest.about.quality
    if found is None or not manifest.seal_holds:
        why = "was frozen before releases said it" if found is None else "was changed"
        raise InputError(f"{directory} does not say how wrong it may be: it {why}.", "Name its project: -p.")
    known = [one.case_id for one in errata.errata] if errata else []
    words = _quality_words(found, manifest.about.name, known)
    return CommandResult({**_figures(found), "errata": known}, words)


@command(
    release_app,
    "errata",
    gives="annotator.release.errata.Errata",
    example="annotator release errata 2026.11 -p team.db",
)
def release_errata(
    workspace: "Workspace",
    name: str,
    out: Annotated[
        Path | None, typer.Option("-o", "--output", help="The release folder, if it was moved.")
    ] = None,
) -> CommandResult:
    """Write errata.json into a release folder: its cases that were corrected or rejected since."""
    from annotator.release.errata import ERRATA, write_errata

    errata = write_errata(workspace, name, directory=out)
    table = Table(
        ["case", "what", "at", "reason", "nominated by"],
        [
            [
                one.case_id,
                "corrected" if one.sha256 else "rejected",
                one.at,
                one.reason,
                with_commas(one.models),
            ]
            for one in errata.errata
        ],
    )
    said = f"{ERRATA} says so; the release itself is unchanged."
    return CommandResult(errata, [table, f"{errata.headline} {said}"])


@command(
    release_app,
    "mend",
    gives="annotator.release.mended_file.MendedFile",
    example="annotator release mend 2026.11 public.jsonl -o mended -p team.db",
)
def release_mend(
    workspace: "Workspace",
    context: "JobContext",
    name: str,
    file: Path,
    out: Annotated[Path, typer.Option("-o", "--output", help="Folder for the mended file and its changes.")],
) -> CommandResult:
    """Write a public file again with the rows that a release corrects: diff, reasons, issue text."""
    from annotator.release.mended_file import mend_file

    mended = mend_file(workspace, name, file=file, out=out, context=context)
    table = Table(
        ["row", "case", "changes", "verified by"],
        [
            [
                str(one.row),
                one.case_id,
                with_commas(tr(change.where) for change in one.changes),
                with_commas(one.verified_by),
            ]
            for one in mended.mended
        ],
    )
    alike = grouped((one.reason, one.case_id) for one in mended.skipped)
    left = [f"Unchanged, {first_of(ids)}: {reason}" for reason, ids in alike.items()]
    return CommandResult(mended, [table, *left, mended.headline])


@command(
    release_app,
    "suspects",
    gives="annotator.release.suspects.ReleaseQuestions",
    example="annotator release suspects 2026.11 -p team.db",
)
def release_suspects(
    workspace: "Workspace",
    name: Annotated[
        str | None, typer.Argument(help="A release; without it the newest one that has a run.")
    ] = None,
    items: Annotated[
        bool, typer.Option("--items", help="Difficulty and discrimination of every task.")
    ] = False,
    values: Annotated[
        bool, typer.Option("--values", help="What calls may accept besides, as models agree on it.")
    ] = False,
    send: Annotated[
        str | None, typer.Option(metavar="CASE", help="Send the likeliest suspect of a case to an expert.")
    ] = None,
) -> CommandResult:
    """List the tasks whose gold the recorded runs question together, the likeliest first."""
    from annotator.cases.phrases import quoted
    from annotator.release.suspects import (
        nominate,
        proposed_values,
        question_release,
        suspect_words,
        value_words,
    )

    found = question_release(workspace, name)
    if values:
        found = found.model_copy(update={"values": proposed_values(workspace, found.release)})
    suspects = found.questions.suspects
    if send is not None:
        chosen = existing(
            next((one for one in suspects if one.case == send), None),
            InputError(f"{send} is not a suspect of {found.release}.", "Run it without --send for the list."),
        )
        nominate(workspace, chosen, release=found.release)
        return CommandResult(found, [f"Sent {send} to an expert; {found.release} stays as it is."])
    if items:
        table = Table(
            ["case", "task", "p", "discrimination", "n"],
            [
                [
                    one.case,
                    one.task + 1,
                    f"{one.difficulty:.2f}",
                    tr("undefined") if one.discrimination is None else f"{one.discrimination:.2f}",
                    one.n,
                ]
                for one in found.questions.items
            ],
        )
        flat = sum(not one.tells_apart for one in found.questions.items)
        words = f"{counted(flat, 'task')} of {len(found.questions.items):,} tell no models apart."
    elif values:
        table = Table(
            ["case", "task", "step", "place", "gold", "also right"],
            [
                [
                    *(one.case, one.task + 1, one.step, f"{one.tool}{one.path}"),
                    *(quoted(one.gold), value_words(one)),
                ]
                for one in found.values
            ],
        )
        words = f"{counted(len(found.values), 'proposal')} for {found.release}."
    else:
        table = Table(
            ["case", "weight", "what"],
            [[one.case, f"{one.weight:.1f}", suspect_words(one)] for one in suspects],
        )
        models = counted(len(found.questions.models), "model")
        words = f"{counted(len(suspects), 'suspect')} in {found.release}, from {models}."
    return CommandResult(found, [table, words])
