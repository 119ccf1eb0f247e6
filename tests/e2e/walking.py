"""The walk of a scripted team: a project is founded, its batches go through every stage into a release."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotator.cases.file_import import ImportReport, import_files
from annotator.jobs import JobContext
from annotator.project.people import add_person
from annotator.project.policy import ReviewPolicy
from annotator.review.queue.assignments import assign_batch
from scoring.formats.case_reader import ReadCase, read_cases
from scoring.model.case import Case
from tests.e2e.command import Ran, annotator
from tests.e2e.planting import Plant, planted
from tests.e2e.scripted_team import ANNOTATORS, MANAGER, ROLES, ScriptedTeam

BY_COMMAND = "by-command"
"""The batch that goes through the real command."""


@dataclass(frozen=True)
class Plot:
    """What is to happen: the text of each batch's file, what is right in the end, and who errs where.

    The batch of `BY_COMMAND` is finished before the others begin, through the real command where
    `has_commands` says so, else in process. `policy` are settings of the review policy.
    """

    batches: Mapping[str, str]
    right: Callable[[Case], Case]
    plants: Mapping[str, Mapping[Plant, int]]
    policy: Mapping[str, object] = field(default_factory=dict)
    has_commands: bool = True


@dataclass(frozen=True)
class Walked:
    """What the walk left behind: the team, and what the commands printed at its end."""

    team: ScriptedTeam
    raw: dict[str, Case]
    imported: dict[str, ImportReport]
    release: Path
    stages: Any
    agreement: Any
    coverage: Any
    frozen: Any
    verified: Ran
    audit: Ran


def walk(plot: Plot, url: str, folder: Path) -> Walked:
    """Found a project and take every case through every stage into a release."""
    team = ScriptedTeam(url=url, folder=folder, truths={}, plan={})
    raw: dict[str, Case] = {}
    files: dict[str, Path] = {}
    for batch, text in plot.batches.items():
        files[batch] = folder / f"{batch}.jsonl"
        files[batch].write_text(text, encoding="utf-8")
        part = [item.case for item in read_cases(files[batch]) if isinstance(item, ReadCase)]
        right = [plot.right(case) for case in part]
        raw |= {case.id: case for case in part}
        team.truths |= {case.id: case for case in right}
        team.plan |= planted(right, plot.plants[batch])
    _found(team, plot)
    imported: dict[str, ImportReport] = {}
    for batch, file in files.items():
        is_by_command = plot.has_commands and batch == BY_COMMAND
        bring = _import_by_command if is_by_command else _import
        imported[batch] = bring(team, file, batch)
        if batch == BY_COMMAND:
            (team.work_by_command if is_by_command else team.work)()
    team.work()
    release = folder / "release"
    return Walked(
        team=team,
        raw=raw,
        imported=imported,
        release=release,
        stages=team.command(MANAGER, "stages", "--json"),
        agreement=team.command(MANAGER, "agreement", "--json")["rows"],
        coverage=team.command(MANAGER, "coverage", "--json"),
        frozen=team.command(MANAGER, "release", "freeze", "2026.11", "-o", release, "--json"),
        verified=annotator("release", "verify", release, "--json"),
        audit=annotator("audit", "verify", "-p", url, "--json"),
    )


def _found(team: ScriptedTeam, plot: Plot) -> None:
    made = annotator("init", team.url, "--name", "everything", "--as", MANAGER, "--json")
    assert made.code == 0, made.err
    team.command(MANAGER, "user", "add", ANNOTATORS[0], "--role", "annotator", "--json")
    for name, roles in ROLES.items():
        if name not in (MANAGER, ANNOTATORS[0]):
            add_person(team[MANAGER], name, roles=roles)
    file = team.folder / "policy.json"
    file.write_text(json.dumps({**ReviewPolicy(case_fields=0).model_dump(mode="json"), **plot.policy}))
    team.command(MANAGER, "policy", "set", "--file", file, "--json")


def _import_by_command(team: ScriptedTeam, file: Path, batch: str) -> ImportReport:
    report = team.command(MANAGER, "import", file, "--batch", batch, "--json")
    team.command(MANAGER, "assign", "--batch", batch, "--to", ",".join(ANNOTATORS), "--json")
    return ImportReport.model_validate(
        {name: report[name] for name, field in ImportReport.model_fields.items() if not field.exclude}
    )


def _import(team: ScriptedTeam, file: Path, batch: str) -> ImportReport:
    report = import_files(team[MANAGER], [file], context=JobContext(), batch=batch)
    assign_batch(team[MANAGER], batch, to=ANNOTATORS)
    return report
