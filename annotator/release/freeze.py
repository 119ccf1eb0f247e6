"""Freezing: final cases become a checksummed folder that never changes, and is recorded in the project."""

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from typing import IO

from pydantic import Field

from annotator.cases.bodies import read_body, read_record
from annotator.jobs import JobContext, spread
from annotator.project.changes import Changes
from annotator.project.policy import stored_policy
from annotator.project.stages import Actor, check_move
from annotator.project.workspace import Done, Work, Workspace, query
from annotator.release.card import write_card
from annotator.release.errata import predecessor
from annotator.release.manifest import (
    CASES,
    FIRST_VERSION,
    MANIFEST,
    MANIFEST_VERSION,
    SEAL,
    WILDTOOL,
    About,
    Content,
    FileEntry,
    KeptDefect,
    Manifest,
    NotExpressed,
    file_entry,
    names_in,
)
from annotator.release.quality import measured, quality_of
from annotator.release.statistics import release_statistics
from annotator.review.expert.decisions import Decision
from annotator.review.measures.accuracy_curve import curve
from annotator.review.measures.rater_agreement import agreement_summary
from annotator.review.owner import drawings
from db.project_files.unfinished import abandoned, unfinished
from db.read import people, queries, reviews, samples
from db.read.rows import CaseFilter, CaseRow
from db.read.rows import ReleaseRow as ReleaseRow
from db.tables import Transaction
from db.write import store
from scoring.errors import BlockedError, ConflictError, InputError, StoreError, filled, reworded
from scoring.formats.case_writer import write_cases
from scoring.groups import keyed
from scoring.measures.dataset import DatasetStatistics, DatasetTally
from scoring.measures.residual_error import Quality
from scoring.model.case import Case, content_sha256
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import FINAL_STAGES, CaseFormat, EdgeKind, Role, Stage
from scoring.scorecard import joined_sha256

DATA_FILES = {
    CASES: CaseFormat.NATIVE,
    WILDTOOL: CaseFormat.WILDTOOL,
    "c3bench.jsonl": CaseFormat.C3,
    "openai.jsonl": CaseFormat.OPENAI,
}


class Excluded(Record):
    """A case that a freeze would leave out, and why."""

    case_id: str
    stage: Stage
    reason: str


class FreezePreview(Record):
    """What a freeze would take: how many cases and tasks, which known defects were kept on purpose, and what
    stays out (the first thousand). `quality` is the bound it would have."""

    case_count: int
    task_count: int
    open_errors: int
    excluded_count: int
    excluded: tuple[Excluded, ...]
    kept: tuple[KeptDefect, ...] = ()
    quality: Quality | None = None


_WHY_OUT = {
    Stage.IMPORTED: "nobody has started on it",
    Stage.SELF_CHECK_TASK: "its owner is checking its tasks",
    Stage.SELF_CHECK_DIALOGUE: "its owner is checking the dialogue",
    Stage.CROSS_CHECK: "its reviewers have not all spoken",
    Stage.APPROVED: "its batch waits for the expert's sample",
    Stage.ESCALATED: "it waits for an expert's decision",
    Stage.EXPERT: "it is in the expert's sample",
    Stage.RETURNED: "it went back to its owner",
    Stage.REJECTED: "it was rejected",
}
_MOST_LISTED = 1000
_MOST_NAMED = 5
_CHUNK = 100
"""Cases whose lines one process writes at a time."""
_MANY = 1000
"""More cases than these are written by several processes."""


def undrawn_cases(workspace: Workspace) -> tuple[Excluded, ...]:
    """Final cases a freeze leaves out: they have a task nobody drew or was asked to draw.

    They were judged before that was asked for. Dependencies they have count as drawn; a task without any
    may be parallel, or untouched.
    """
    return tuple(_undrawn(row) for row in workspace.read(_undrawn_rows).values())


def _undrawn(row: CaseRow) -> Excluded:
    why = "nobody is known to have drawn it; reopen it, and its owner confirms the drawing"
    return Excluded(case_id=row.case_id, stage=row.stage, reason=why)


@keyed
def _undrawn_rows(tx: Transaction) -> Iterator[tuple[int, CaseRow]]:
    for pk, _, _, body in queries.head_bodies(tx, stages=FINAL_STAGES, without=reviews.approved_drawings(tx)):
        if _may_be_undrawn(body):
            row, case = queries.get_case(tx, pk), read_body(body)
            known = zip(case.tasks, drawings(tx, row, case), strict=True)
            if any(task.needs_drawing and not task.drawn_edges and not is_drawn for task, is_drawn in known):
                yield pk, row


def _may_be_undrawn(body: str) -> bool:
    """Whether a task has steps to connect and no dependency, read without making a case of the text."""
    return any(
        sum(step["kind"] != "answer" for step in task["steps"]) > 1
        and all(edge["kind"] == EdgeKind.DERIVED for edge in task["edges"])
        for task in json.loads(body)["tasks"]
    )


@query
def freeze_preview(workspace: Workspace, tx: Transaction) -> FreezePreview:
    """Say what a freeze would take in and what it would leave out."""
    out = CaseFilter(stages=tuple(_WHY_OUT), order="case")
    rows = queries.list_cases(tx, out, limit=_MOST_LISTED)
    left_out = _undrawn_rows(tx)
    undrawn = tuple(left_out.values())
    held = [case for case in samples.held_cases(tx, stages=FINAL_STAGES) if case.case_pk not in left_out]
    unfinished = (Excluded(case_id=row.case_id, stage=row.stage, reason=_WHY_OUT[row.stage]) for row in rows)
    count, tasks, errors = queries.totals(tx, CaseFilter(stages=FINAL_STAGES))
    return FreezePreview(
        case_count=count - len(undrawn),
        task_count=tasks - sum(row.task_count for row in undrawn),
        open_errors=errors - sum(row.error_count for row in undrawn),
        excluded_count=queries.count_cases(tx, out) + len(undrawn),
        excluded=(*map(_undrawn, undrawn), *unfinished)[:_MOST_LISTED],
        kept=_kept_defects(tx),
        quality=measured(tx, held),
    )


def _kept_defects(tx: Transaction) -> tuple[KeptDefect, ...]:
    return tuple(
        KeptDefect(case_id=case_id, field=item.field, reason=item.reason)
        for case_id, body in reviews.final_decisions(tx)
        for item in read_record(Decision, body).kept
    )


def freeze(
    workspace: Workspace, name: str, *, directory: Path, context: JobContext, parquet: bool = False
) -> Done[Manifest]:
    """Write a release folder of all final cases and record it (design 8).

    Cases with a task nobody is known to have drawn stay out (see `undrawn_cases`).

    Args:
        workspace: A manager's.
        name: The release's name, unique in the project.
        directory: Where the folder goes; must not exist or be empty.
        context: Progress in cases, and cancellation, which leaves nothing behind.
        parquet: Whether the tables in `data` are Parquet, which needs the extra `hub`; else JSON Lines.

    Raises:
        InputError: The name is empty, or the folder holds something already.
        BlockedError: No case is final, or none of them is drawn.
        ConflictError: The name is taken, or cases changed while the folder was written.
        StoreError: The folder cannot be written, e.g. a full disk.
    """
    clean = name.strip()
    if not clean or len(clean) > 200:
        raise InputError("A release needs a name of 1 to 200 characters.", "Give it one, e.g. 2026.11.")
    workspace.run("release:right:check", lambda w: None, roles=(Role.MANAGER,))
    _take_back(workspace, directory)
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise InputError(f"{directory} exists already and is not empty.", "Choose another folder.")
    with _folder(directory, note=workspace.shown_place) as folder:
        frozen, left_out, manifest = _write(workspace, folder, name=clean, context=context, parquet=parquet)

        def work(w: Work) -> Manifest:
            now = {row.pk: row for row in queries.final_cases(w.tx)}
            if {pk: row.head_id for pk, row in now.items()} != frozen | left_out:
                raise ConflictError("Cases changed while the release was written.", "Freeze again.")
            now = {pk: row for pk, row in now.items() if pk in frozen}
            for row in now.values():
                if row.stage is Stage.FINAL:
                    check_move(row.stage, "freeze", actor=Actor.MANAGER, to=Stage.RELEASED)
            store.add_release(
                w.tx,
                clean,
                person_id=w.person.id,
                content_sha256=manifest.content.content_sha256,
                directory=str(directory.absolute()),
                manifest=manifest.model_dump_json(),
                cases=sorted(frozen.items()),
                at=w.at,
            )
            store.release_all(w.tx, sorted(frozen), at=w.at)
            content: JsonObject = {"cases": len(frozen), "content_sha256": manifest.content.content_sha256}
            w.record(f"release:{clean}", content, Changes(has_releases=True))
            w.touch(*(row.case_id for row in now.values()))
            _place(folder, directory)
            return manifest

        try:
            return workspace.run("release:cases:freeze", work, roles=(Role.MANAGER,), is_alone=True)
        except BaseException:
            # Where the connection was lost, the project may have recorded the release all the same.
            if not folder.exists() and not _is_recorded(workspace, manifest):
                shutil.rmtree(directory, ignore_errors=True)
            raise


@contextmanager
def _folder(directory: Path, *, note: str) -> Iterator[Path]:
    """A scratch folder beside the target, so that the finished one appears whole or not at all."""
    with reworded(
        OSError,
        into=lambda exc: StoreError(
            f"The release folder {directory} cannot be written: {exc.strerror or exc}.",
            "Free some space or choose another folder; nothing was recorded.",
        ),
    ):
        directory.parent.mkdir(parents=True, exist_ok=True)
        with unfinished(directory, note=note) as scratch:
            scratch.mkdir()
            yield scratch


def _take_back(workspace: Workspace, directory: Path) -> None:
    """Remove a folder that a freeze put in its place and was killed before the project recorded it."""
    for left in abandoned(directory):
        if left.note != workspace.shown_place:
            continue
        if not left.work.exists() and (directory / MANIFEST).is_file():
            manifest = Manifest.model_validate_json((directory / MANIFEST).read_bytes())
            is_whole = names_in(directory) == {MANIFEST, SEAL, *manifest.files}
            if is_whole and not _is_recorded(workspace, manifest):
                shutil.rmtree(directory)
        left.remove()


def _is_recorded(workspace: Workspace, manifest: Manifest) -> bool:
    recorded = {release.name: release.content_sha256 for release in list_releases(workspace)}
    return recorded.get(manifest.about.name) == manifest.content.content_sha256


def _place(folder: Path, directory: Path) -> None:
    if not folder.exists():
        return  # the operation is run once more
    if directory.exists():
        directory.rmdir()
    folder.rename(directory)
    directory.chmod(0o755)


@query
def _write(
    workspace: Workspace, tx: Transaction, folder: Path, *, name: str, context: JobContext, parquet: bool
) -> tuple[dict[int, int], dict[int, int], Manifest]:
    """Write every file into the scratch folder.

    Returns:
        Case -> revision numbers of what is in and of what is left out, and the manifest.
    """
    total = filled(
        queries.count_cases(tx, CaseFilter(stages=FINAL_STAGES)),
        BlockedError("No case is final yet.", "See `annotator stages` for what each case waits for."),
    )
    undrawn = _undrawn_rows(tx)
    if total == len(undrawn):
        raise _none_drawn(tuple(undrawn.values()))
    left_out = {pk: row.head_id for pk, row in undrawn.items()}
    frozen: dict[int, int] = {}
    tally = DatasetTally()
    hashes: dict[str, str] = {}
    languages: set[str] = set()
    missing: list[NotExpressed] = []
    with ExitStack() as stack:
        streams = {file: stack.enter_context((folder / file).open("wb")) for file in DATA_FILES}

        def cases() -> Iterator[Case]:
            numbered = 0
            for pk, head_id, _, body in queries.head_bodies(tx, stages=FINAL_STAGES):
                context.check_cancelled()
                if pk in left_out:
                    continue
                case = as_released(read_body(body))
                frozen[pk] = head_id
                tally.add(case)
                languages.add(case.language)
                hashes[case.id] = content_sha256(case)
                skipped = _write_lines([case], streams[WILDTOOL], WILDTOOL, first=numbered)
                missing.extend(skipped)
                numbered += not skipped
                context.progress(len(frozen), total - len(left_out), f"freezing {name}")
                yield case

        rest = cases()
        chunks = iter(lambda: list(islice(rest, _CHUNK)), [])
        for written, skipped in spread(_written_lines, chunks, is_much=total > _MANY):
            missing += skipped
            for file, lines in written.items():
                streams[file].write(lines)
    places = {case_id: place for place, case_id in enumerate(hashes)}
    missing.sort(key=lambda item: (places[item.case_id], list(DATA_FILES).index(item.file)))
    statistics = tally.statistics()
    content = Content(
        version=MANIFEST_VERSION,
        content_sha256=joined_sha256(hashes.values()),
        case_count=statistics.cases,
        task_count=statistics.tasks.total,
        files={file: file_entry(folder / file) for file in DATA_FILES},
        not_expressed=tuple(missing),
    )
    about = _about(workspace, tx, statistics, name=name, quality=quality_of(tx, frozen))
    previous = predecessor(tx, hashes)
    version = FIRST_VERSION if previous is None else previous.next_version
    about = about.model_copy(update={"version": version, "previous": previous})
    about = write_card(folder, content, about, languages=sorted(languages), parquet=parquet)
    manifest = Manifest.seal(content, about)
    (folder / MANIFEST).write_bytes(manifest.to_bytes())
    (folder / SEAL).write_bytes(manifest.seal_line)
    return frozen, left_out, manifest


def _written_lines(cases: Sequence[Case]) -> tuple[dict[str, bytes], list[NotExpressed]]:
    """The lines of cases in every file but the one that numbers them, and what could not be written there."""
    streams = {file: BytesIO() for file in DATA_FILES if file != WILDTOOL}
    skipped = [_write_lines(cases, stream, file) for file, stream in streams.items()]
    return {file: stream.getvalue() for file, stream in streams.items()}, list(chain(*skipped))


def _write_lines(
    cases: Sequence[Case], stream: IO[bytes], file: str, *, first: int = 0
) -> list[NotExpressed]:
    report = write_cases(cases, stream, format=DATA_FILES[file], first=first)
    return [NotExpressed(file=file, case_id=item.case_id, reason=item.reason) for item in report.skipped]


def _none_drawn(rows: Sequence[CaseRow]) -> BlockedError:
    named = ", ".join(row.case_id for row in rows[:_MOST_NAMED])
    more = f" and {len(rows) - _MOST_NAMED} more" if len(rows) > _MOST_NAMED else ""
    return BlockedError(
        f"No final case can be frozen: nobody is known to have drawn {named}{more}.",
        "Reopen them with `annotator review reopen`; their owners confirm the drawings.",
    )


def as_released(case: Case) -> Case:
    """A case as a release holds it: of its source only the format, since a path says nothing about it."""
    if case.source is None:
        return case
    return case.model_copy(update={"source": case.source.model_copy(update={"file": None, "line": None})})


def _about(
    workspace: Workspace, tx: Transaction, statistics: DatasetStatistics, *, name: str, quality: Quality
) -> About:
    """What is said of the process; the card is not written yet."""
    project, policy, _ = people.project_row(tx)
    return About(
        name=name,
        at=workspace.now().isoformat(timespec="seconds"),
        by=workspace.person.name,
        project=project,
        policy=stored_policy(policy).model_dump(mode="json"),
        statistics=release_statistics(statistics),
        agreement=agreement_summary(tx),
        stage_accuracy=tuple(point.model_dump(mode="json") for point in curve(tx)),
        card=FileEntry(bytes=0, sha256=""),
        kept=_kept_defects(tx),
        quality=quality,
    )


def list_releases(workspace: Workspace) -> tuple[ReleaseRow, ...]:
    """All releases of the project, newest first."""
    return workspace.read(reviews.list_releases)


class FreezeOrder(Record):
    """A release to be frozen: its name, and in which folder it gets its own."""

    name: str = Field(min_length=1, max_length=200)
    folder: Path = Field(title="In folder")

    @property
    def directory(self) -> Path:
        """The folder it becomes."""
        return self.folder / self.name

    def carry_out(self, workspace: Workspace, *, context: JobContext) -> Done[Manifest]:
        """Freeze; a job."""
        return freeze(workspace, self.name, directory=self.directory, context=context)
