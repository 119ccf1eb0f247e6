"""Commands about frozen releases."""

import shlex
from dataclasses import asdict
from json import loads
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scoring.errors import InputError
from scoring.wording import counted
from ui.cli.options import Json, Person, Project, example, opened
from ui.cli.output import Table, job_context, print_json, print_result, print_table, say, tell

if TYPE_CHECKING:
    from annotator.project.workspace import Workspace
    from annotator.release.quality import Plan
    from scoring.measures.residual_error import Quality

release_app = typer.Typer(help="Frozen releases.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add these commands to the `annotator` command."""
    app.add_typer(release_app, name="release")


@release_app.command("freeze", epilog=example("annotator release freeze 2026.11 -o release -p team.db"))
def release_freeze(
    name: str,
    out: Annotated[Path, typer.Option("-o", "--output", help="The folder to write.")],
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Freeze all final cases into a checksummed folder."""
    from annotator.release.freeze import freeze, undrawn_cases
    from annotator.review.expert.decisions import defect_words

    with opened(place, person) as workspace, job_context() as context:
        left_out = undrawn_cases(workspace)
        manifest = freeze(workspace, name, directory=out, context=context).value
    if left_out:
        tell(f"{counted(len(left_out), 'final case')} excluded: {left_out[0].reason}.")
        for one in left_out:
            tell(f"  annotator review reopen {shlex.quote(one.case_id)} --reason 'confirm the drawing'")
    content, kept = manifest.content, manifest.about.kept
    tasks = counted(content.task_count, "task")
    print_result(
        manifest,
        f"Froze {counted(content.case_count, 'case')} with {tasks} into {out}.",
        f"Content hash {content.content_sha256}",
        *(f"Kept on purpose in {one.case_id}: {defect_words(one.field)}. {one.reason}" for one in kept),
        json=json,
    )


@release_app.command("verify", epilog=example("annotator release verify releases/2026.11 -p team.db"))
def release_verify(directory: Path, place: Project = None, person: Person = None, json: Json = False) -> None:
    """Check every byte of a release folder, with -p also against the project; exit code 3 if one changed."""
    from annotator.release.verification import verify_release

    if place is None:
        report = verify_release(directory)
    else:
        with opened(place, person) as workspace:
            report = verify_release(directory, recorded_in=workspace)
    if json:
        print_json({**report.model_dump(mode="json"), "ok": report.ok})
    elif report.ok:
        say(f"{report.name}: {counted(report.case_count, 'case')}, every byte matches what was frozen.")
        if report.errata:
            say(f"Errata: {counted(len(report.errata), 'case')} corrected since: {', '.join(report.errata)}.")
    else:
        for problem in report.problems:
            say(problem)
    if not report.ok:
        raise typer.Exit(3)


@release_app.command("diff", epilog=example("annotator release diff releases/2026.10 releases/2026.11"))
def release_diff(first: Path, second: Path, json: Json = False) -> None:
    """Compare two release folders."""
    from annotator.release.verification import diff_releases

    diff = diff_releases(first, second)
    rows = [["added", i] for i in diff.added] + [["removed", i] for i in diff.removed]
    print_result(
        diff,
        Table(["", "case"], rows + [["changed", i] for i in diff.changed]),
        f"{len(diff.added)} added, {len(diff.removed)} removed, {len(diff.changed)} changed, "
        f"{diff.same} the same.",
        json=json,
    )


@release_app.command("list", epilog=example("annotator release list -p team.db"))
def release_list(place: Project = None, person: Person = None, json: Json = False) -> None:
    """List the releases of a project."""
    from annotator.release.freeze import list_releases

    with opened(place, person) as workspace:
        rows = list_releases(workspace)
    table = Table(
        ["name", "cases", "by", "at", "content", "folder"],
        [
            [r.name, r.case_count, r.person, f"{r.at:%Y-%m-%d %H:%M}", r.content_sha256[:12], r.directory]
            for r in rows
        ],
    )
    print_result([{**asdict(row), "manifest": loads(row.manifest)} for row in rows], table, json=json)


@release_app.command("quality", epilog=example("annotator release quality 2026.11 --bound 2 -p team.db"))
def release_quality(
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
    json: Json = False,
) -> None:
    """Say how many cases may still be wrong, from the random samples experts looked at.

    A folder says what was known when it was frozen, without a project; beside a project it is a path: ./NAME.
    """
    from annotator.release.errata import errata_of
    from annotator.release.quality import draw_planned, plan, quality

    folder = _named_folder(name, place)
    _check_quality_options(folder, bound=bound, draw=draw, table=table, figure=figure)
    if folder is not None:
        _print_frozen(folder, json=json)
        return
    with opened(place, person) as workspace:
        with job_context() as context:
            context.progress(0, None, "reading the samples")
            found = quality(workspace, release=name)
            known = [one.case_id for one in errata_of(workspace, name).errata] if name is not None else []
            planned = None
            if bound is not None:
                context.progress(0, None, "planning further samples")
                share = bound / 100
                planned = draw_planned(workspace, bound=share).value if draw else plan(workspace, bound=share)
        if table is not None or figure is not None:
            _write_quality(workspace, name, table=table, figure=figure)
    if json:
        more = {"plan": planned} if planned is not None else {}
        print_json({**_figures(found), "errata": known, **more})
        return
    _say_quality(found, name or "", known)
    if planned is not None:
        _say_plan(planned, is_drawn=draw)


def _named_folder(name: str | None, place: str | None) -> Path | None:
    """The release folder a name stands for; None for no name and, beside a project, for a bare one."""
    if name is None or (place is not None and name == Path(name).name):
        return None
    return Path(name)


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


def _say_plan(planned: "Plan", *, is_drawn: bool) -> None:
    from scoring.measures.residual_error import percent

    if not planned.cases:
        say(f"All final cases: {percent(planned.reached)} already; nothing to draw.")
        return
    verb = "Drew" if is_drawn else "Look at"
    say(
        f"{verb} {counted(planned.cases, 'more case')} for a bound of {percent(planned.target)}: "
        f"{percent(planned.reached)} over all final cases if every one is right."
    )
    print_table(["batch", "cases"], [[batch, count] for batch, count in planned.batches.items()])


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


def _say_quality(found: "Quality", name: str, known: list[str]) -> None:
    for line in (found.headline, *found.details):
        say(line)
    if known:
        say(f"Known to be wrong in {name}: {counted(len(known), 'case')}, see its errata.")


def _print_frozen(directory: Path, *, json: bool) -> None:
    """Print what the manifest of a release folder says of its quality."""
    from annotator.release.errata import read_errata
    from annotator.release.manifest import read_manifest

    manifest, errata = read_manifest(directory), read_errata(directory)
    found = manifest.about.quality
    if found is None or not manifest.seal_holds:
        why = "was frozen before releases said it" if found is None else "was changed"
        raise InputError(f"{directory} does not say how wrong it may be: it {why}.", "Name its project: -p.")
    known = [one.case_id for one in errata.errata] if errata else []
    if json:
        print_json({**_figures(found), "errata": known})
    else:
        _say_quality(found, manifest.about.name, known)


def _write_quality(
    workspace: "Workspace", name: str | None, *, table: Path | None, figure: Path | None
) -> None:
    from annotator.release.quality_table import quality_table, save_quality

    with job_context() as context:
        lines = quality_table(workspace, context=context, release=name)
    save_quality(lines, table=table, figure=figure)


@release_app.command("errata", epilog=example("annotator release errata 2026.11 -p team.db"))
def release_errata(
    name: str,
    out: Annotated[
        Path | None, typer.Option("-o", "--output", help="The release folder, if it was moved.")
    ] = None,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Write errata.json into a release folder: its cases that were corrected or rejected since."""
    from annotator.release.errata import ERRATA, write_errata

    with opened(place, person) as workspace:
        errata = write_errata(workspace, name, directory=out)
    table = Table(
        ["case", "what", "at", "reason", "nominated by"],
        [
            [
                one.case_id,
                "corrected" if one.sha256 else "rejected",
                one.at,
                one.reason,
                ", ".join(one.models),
            ]
            for one in errata.errata
        ],
    )
    said = f"{ERRATA} says so; the release itself is unchanged."
    print_result(errata, table, f"{errata.headline} {said}", json=json)


@release_app.command("suspects", epilog=example("annotator release suspects 2026.11 -p team.db"))
def release_suspects(
    name: Annotated[
        str | None, typer.Argument(help="A release; without it the newest one that has a run.")
    ] = None,
    items: Annotated[
        bool, typer.Option("--items", help="Difficulty and discrimination of every task.")
    ] = False,
    send: Annotated[
        str | None, typer.Option(metavar="CASE", help="Send the likeliest suspect of a case to an expert.")
    ] = None,
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """List the tasks whose gold the recorded runs question together, the likeliest first."""
    from annotator.release.suspects import nominate, question_release, suspect_words

    with opened(place, person) as workspace:
        found = question_release(workspace, name)
        suspects = found.questions.suspects
        if send is not None:
            chosen = next((one for one in suspects if one.case == send), None)
            if chosen is None:
                raise InputError(
                    f"{send} is not a suspect of {found.release}.", "Run it without --send for the list."
                )
            nominate(workspace, chosen, release=found.release)
    if json:
        print_json(found)
    elif send is not None:
        say(f"Sent {send} to an expert; {found.release} stays as it is.")
    elif items:
        print_table(
            ["case", "task", "p", "discrimination", "n"],
            [
                [one.case, one.task + 1, f"{one.difficulty:.2f}", _figure(one.discrimination), one.n]
                for one in found.questions.items
            ],
        )
        flat = sum(not one.tells_apart for one in found.questions.items)
        say(f"{counted(flat, 'task')} of {len(found.questions.items):,} tell no models apart.")
    else:
        print_table(
            ["case", "weight", "what"],
            [[one.case, f"{one.weight:.1f}", suspect_words(one)] for one in suspects],
        )
        models = counted(len(found.questions.models), "model")
        say(f"{counted(len(suspects), 'suspect')} in {found.release}, from {models}.")


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"
