"""Freezing: final cases become a checksummed folder that never changes, and is recorded in the project."""

import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from annotator.cases.bodies import read_body
from annotator.jobs import JobContext
from annotator.project.changes import Changes
from annotator.project.policy import ReviewPolicy
from annotator.project.stages import Actor, check_move
from annotator.project.workspace import Done, Work, Workspace
from annotator.release.manifest import (
    CARD,
    CASES,
    MANIFEST,
    MANIFEST_VERSION,
    About,
    Content,
    FileEntry,
    Manifest,
    NotExpressed,
    card_text,
)
from annotator.release.statistics import CaseStatistics
from annotator.review.measuring import agreement_summary, curve
from db import queries, reviews, store
from db.rows import CaseFilter as CaseFilter
from db.rows import CaseRow as CaseRow
from db.rows import ReleaseRow as ReleaseRow
from db.tables import Transaction
from scoring.errors import BlockedError, ConflictError, InputError, StoreError
from scoring.formats.writing import write_cases
from scoring.model.case import Case, content_sha256
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import FINAL_STAGES, CaseFormat, Role, Stage
from scoring.scorecard import joined_sha256

DATA_FILES = {
    CASES: CaseFormat.NATIVE,
    "wildtoolbench.jsonl": CaseFormat.WILDTOOL,
    "c3bench.jsonl": CaseFormat.C3,
    "openai.jsonl": CaseFormat.OPENAI,
}


class Excluded(Record):
    """A case that a freeze would leave out, and why."""

    case_id: str
    stage: Stage
    reason: str


class FreezePreview(Record):
    """What a freeze would take: how many cases and tasks, and what stays out (the first thousand)."""

    case_count: int
    task_count: int
    open_errors: int
    excluded_count: int
    excluded: tuple[Excluded, ...]


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


def freeze_preview(workspace: Workspace) -> FreezePreview:
    """Say what a freeze would take in and what it would leave out."""

    def query(tx: Transaction) -> FreezePreview:
        final = CaseFilter(stages=FINAL_STAGES)
        out = CaseFilter(stages=tuple(_WHY_OUT), order="case")
        rows = queries.list_cases(tx, out, limit=1000)
        count, tasks, errors = queries.totals(tx, final)
        return FreezePreview(
            case_count=count,
            task_count=tasks,
            open_errors=errors,
            excluded_count=queries.count_cases(tx, out),
            excluded=tuple(
                Excluded(case_id=row.case_id, stage=row.stage, reason=_WHY_OUT[row.stage]) for row in rows
            ),
        )

    return workspace.read(query)


def freeze(workspace: Workspace, name: str, *, directory: Path, context: JobContext) -> Done[Manifest]:
    """Write a release folder of all final cases and record it (design section 8).

    Args:
        workspace: A manager's.
        name: The release's name, unique in the project.
        directory: Where the folder goes; must not exist or be empty.
        context: Progress in cases, and cancellation, which leaves nothing behind.

    Raises:
        InputError: The name is empty, or the folder holds something already.
        BlockedError: No case is final.
        ConflictError: The name is taken, or cases changed while the folder was written.
        StoreError: The folder cannot be written, e.g. a full disk.
    """
    clean = name.strip()
    if not clean or len(clean) > 200:
        raise InputError("A release needs a name of 1 to 200 characters.", "Give it one, e.g. 2026.11.")
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise InputError(f"{directory} exists already and is not empty.", "Choose another folder.")
    workspace.run("release:right:check", lambda w: None, roles=(Role.MANAGER,))
    with _folder(directory) as folder:
        frozen, manifest = _write(workspace, folder, name=clean, context=context)

        def work(w: Work) -> Manifest:
            now = {row.pk: row for row in _final_rows(w.tx)}
            if {pk: row.head_id for pk, row in now.items()} != frozen:
                raise ConflictError("Cases changed while the release was written.", "Freeze again.")
            for row in now.values():
                if row.stage is Stage.FINAL:
                    check_move(row.stage, "freeze", who=Actor.MANAGER, to=Stage.RELEASED)
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
            w.record(f"release:{clean}", content)
            w.touch(*(row.case_id for row in now.values()))
            w.change(Changes(has_releases=True))
            _place(folder, directory)
            return manifest

        try:
            return workspace.run("release:cases:freeze", work, roles=(Role.MANAGER,))
        except BaseException:
            if not folder.exists():
                shutil.rmtree(directory, ignore_errors=True)
            raise


def _final_rows(tx: Transaction) -> Iterator[CaseRow]:
    offset = 0
    where = CaseFilter(stages=FINAL_STAGES, order="case")
    while page := queries.list_cases(tx, where, offset=offset, limit=1000):
        yield from page
        offset += len(page)


@contextmanager
def _folder(directory: Path) -> Iterator[Path]:
    """A scratch folder beside the target, so that the finished one appears whole or not at all."""
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{directory.name}-", dir=directory.parent))
    except OSError as exc:
        raise _cannot_write(directory, exc) from exc
    try:
        yield scratch
    except OSError as exc:
        raise _cannot_write(directory, exc) from exc
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _cannot_write(directory: Path, exc: OSError) -> StoreError:
    return StoreError(
        f"The release folder {directory} cannot be written: {exc.strerror or exc}.",
        "Free some space or choose another folder; nothing was recorded.",
    )


def _place(folder: Path, directory: Path) -> None:
    if directory.exists():
        directory.rmdir()
    folder.rename(directory)
    directory.chmod(0o755)


def _write(
    workspace: Workspace, folder: Path, *, name: str, context: JobContext
) -> tuple[dict[int, int], Manifest]:
    """Write every file into the scratch folder; returns case -> revision numbers and the manifest."""

    def query(tx: Transaction) -> tuple[dict[int, int], Manifest]:
        total = queries.count_cases(tx, CaseFilter(stages=FINAL_STAGES))
        if not total:
            raise BlockedError(
                "No case is final yet.", "See `annotator stages` for what each case waits for."
            )
        frozen: dict[int, int] = {}
        statistics = CaseStatistics()
        hashes: list[str] = []
        missing: list[NotExpressed] = []
        with ExitStack() as stack:
            streams = {file: stack.enter_context((folder / file).open("wb")) for file in DATA_FILES}
            for pk, head_id, case_id, body in queries.head_bodies(tx, stages=FINAL_STAGES):
                context.check_cancelled()
                case = as_released(read_body(body))
                frozen[pk] = head_id
                statistics.add(case)
                hashes.append(content_sha256(case))
                for file, form in DATA_FILES.items():
                    skipped = write_cases([case], streams[file], format=form).skipped
                    missing += [
                        NotExpressed(file=file, case_id=case_id, reason=item.reason) for item in skipped
                    ]
                context.progress(len(frozen), total, f"freezing {name}")
        content = Content(
            version=MANIFEST_VERSION,
            content_sha256=joined_sha256(hashes),
            case_count=statistics.cases,
            task_count=statistics.tasks,
            files={file: file_entry(folder / file) for file in DATA_FILES},
            not_expressed=tuple(missing),
        )
        return frozen, _describe(workspace, tx, folder, content=content, statistics=statistics, name=name)

    return workspace.read(query)


def as_released(case: Case) -> Case:
    """A case as a release holds it: of its source only the format, since a path says nothing about it."""
    if case.source is None:
        return case
    source = case.source.model_copy(update={"file": None, "line": None})
    return case.model_copy(update={"source": source})


def _describe(
    workspace: Workspace,
    tx: Transaction,
    folder: Path,
    *,
    content: Content,
    statistics: CaseStatistics,
    name: str,
) -> Manifest:
    project, policy, _ = queries.project_row(tx)
    at = workspace.now().isoformat(timespec="seconds")
    by = workspace.person.name
    counts = statistics.summary()
    (folder / CARD).write_text(
        card_text(content, name, statistics=counts, by=by, at=at[:10]), encoding="utf-8"
    )
    about = About(
        name=name,
        at=at,
        by=by,
        project=project,
        policy=ReviewPolicy.model_validate_json(policy).model_dump(mode="json"),
        statistics=counts,
        agreement=agreement_summary(tx),
        stage_accuracy=tuple(point.model_dump(mode="json") for point in curve(tx)),
        card=file_entry(folder / CARD),
    )
    manifest = Manifest.seal(content, about)
    (folder / MANIFEST).write_bytes(manifest.to_bytes())
    return manifest


def file_entry(path: Path) -> FileEntry:
    """Size and checksum of a file."""
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256")
    return FileEntry(bytes=path.stat().st_size, sha256=digest.hexdigest())


def list_releases(workspace: Workspace) -> tuple[ReleaseRow, ...]:
    """All releases of the project, newest first."""
    return workspace.read(reviews.list_releases)
