"""Commands about bundles: a release with its runs as one file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scoring.wording import counted
from ui.cli.command import CommandResult, command, group
from ui.cli.options import TevalFolders

if TYPE_CHECKING:
    from annotator.jobs import JobContext

app = typer.Typer()
bundle_app = group(app, "bundle", "A release with its runs as one file.")


@command(
    bundle_app,
    "pack",
    gives="annotator.release.bundle.Bundle",
    example="annotator bundle pack releases/2026.11 a.jsonl b.jsonl -o all.zip",
)
def bundle_pack(
    context: "JobContext",
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="A release folder, or a file of cases.")],
    runs: Annotated[list[Path], typer.Argument(metavar="RUNS", help="Files of predictions, each a run.")],
    out: Annotated[Path, typer.Option("-o", "--output", help="The zip file.")],
    teval: TevalFolders = None,
) -> CommandResult:
    """Pack a release, predictions, scorecards and report. Scores each run by the usual rules.

    The same inputs give the same bytes. `annotator bundle verify` checks the file anywhere.
    """
    from annotator.files import readable_files
    from annotator.release.bundle import write_bundle

    with readable_files(release, *runs) as (read, *parts):
        bundle = write_bundle(read, parts, out, teval=teval or (), context=context)
    words = f"{counted(len(bundle.runs), 'run')} and {counted(len(bundle.files), 'file')} packed into {out}."
    return CommandResult(bundle, [words, f"Checksum {bundle.bundle_sha256}"])


@command(
    bundle_app,
    "verify",
    gives={"*": "annotator.release.bundle.BundleReport", "ok": bool},
    example="annotator bundle verify results.zip",
)
def bundle_verify(context: "JobContext", file: Path) -> CommandResult:
    """Check every byte of a bundle and score its runs again; exit code 3 if something does not hold."""
    from annotator.files import readable_files
    from annotator.release.bundle import verify_bundle

    with readable_files(file) as (read,):
        report = verify_bundle(read, context=context)
    document = {**report.model_dump(mode="json"), "ok": not report.problems}
    if report.problems:
        return CommandResult(document, report.problems, code=3)
    holds = (
        f"Every byte is as it was packed; {counted(len(report.runs), 'run')} scored again with equal results."
    )
    return CommandResult(document, [holds])
