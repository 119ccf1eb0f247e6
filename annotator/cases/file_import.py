"""Import: files are streamed into a batch, good lines land, bad ones are listed with line and reason."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from pydantic import Field, computed_field

from annotator.cases.bodies import imported
from annotator.cases.findings.checks import LISTED, check_case
from annotator.cases.import_preview import ImportPreview, Reject, preview_import
from annotator.files import is_stream
from annotator.jobs import JobContext, spread
from annotator.project.changes import Changes
from annotator.project.workspace import Work, Workspace
from db.read import batches, queries
from db.write import store
from db.write.store import ImportedCase
from scoring.errors import AnnotatorError, ForbiddenError, InputError
from scoring.formats.case_reader import ReadCase, Rejected, fault, read_cases
from scoring.formats.containers import MAX_STREAM_BYTES, file_name, open_unpacked
from scoring.model.record import Record, sha256_of
from scoring.model.taxonomy import CaseFormat, Role, Severity

_LOG = logging.getLogger(__name__)

CHUNK = 200
"""Lines of one transaction: what is committed stays when the program is killed, and no case is ever half."""
_MANY = 1000
"""Files of more lines are checked by several processes."""
_Chunk: TypeAlias = tuple[Path, list[ReadCase | Rejected], InputError | None]
"""What was read of a file, and the fault after which no more of it can be read."""
_Checked: TypeAlias = tuple[int, int, ImportedCase]
"""The line of a case, how many findings it has, and the case ready to enter the store."""


class ImportReport(Record):
    """What became of cases that were to enter the project.

    `findings` counts those of the imported cases. `batch` is the number of the one they entered, None where
    nothing ever entered it. `rejects` has the first lines that did not land, `unlisted` counts the others.
    `preview` is what the files hold where nothing was to be imported.
    """

    imported: int = 0
    duplicates: int = 0
    findings: int = 0
    batch: int | None = None
    rejects: tuple[Reject, ...] = ()
    unlisted: int = Field(default=0, exclude=True)
    preview: ImportPreview | None = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def rejected(self) -> int:
        """How many lines did not land."""
        return len(self.rejects) + self.unlisted

    @property
    def rejects_text(self) -> str:
        """Rejected lines as tab-separated text with a heading."""
        lines = ["file\tline\treason"]
        lines += [f"{one.file}\t{one.line}\t{' '.join(one.reason.split())}" for one in self.rejects]
        return "\n".join(lines) + "\n"


class ImportOrder(Record):
    """What is to be imported; an empty batch takes the first file's name."""

    files: tuple[Path, ...] = Field(min_length=1)
    format: CaseFormat | None = Field(default=None, title="Format")
    batch: str = Field(default="", max_length=200, examples=["Name of the first file"])
    stream_bytes: int = MAX_STREAM_BYTES

    def look(self, workspace: Workspace, *, context: JobContext) -> ImportReport:
        """Say what the files hold and import nothing; a job. Raises as `preview_import` does."""
        return ImportReport(preview=preview_import(self.files, context=context, format=self.format))

    @property
    def shown_batch(self) -> str:
        """The name the batch will have."""
        return self.batch.strip() or Path(file_name(self.files[0])).stem

    def carry_out(self, workspace: Workspace, *, context: JobContext) -> ImportReport:
        """Import; a job. Raises as `import_files` does."""
        return import_files(
            workspace,
            self.files,
            context=context,
            format=self.format,
            batch=self.batch,
            stream_bytes=self.stream_bytes,
        )


def import_files(
    workspace: Workspace,
    files: Sequence[Path],
    *,
    context: JobContext,
    format: CaseFormat | None = None,  # noqa: A002 (the name of the option)
    batch: str = "",
    stream_bytes: int = MAX_STREAM_BYTES,
) -> ImportReport:
    """Import files into one batch, streaming; importing the same content again changes nothing.

    Args:
        workspace: A manager's, or an annotator's where the policy lets them.
        files: Paths; each is read line by line. `-` is standard input.
        context: Progress in lines and cancellation between chunks; what landed before stays.
        format: One format for all lines, or None to recognise each line by itself.
        batch: Name of the batch; the first file's name where empty. An existing one is added to.
        stream_bytes: How much of a pipe is read, packed or unpacked.

    Raises:
        InputError: No file, or a file that cannot be read to its end; what was read before has landed.
        ForbiddenError: The person may not import.
    """
    workspace.run("case:right:check", _require_importer)
    if not files:
        raise InputError("No file to import was named.", "Name one or more files.")
    for file in files:
        if file.is_dir():
            raise InputError(f"{file} is a folder.", "Name the files in it.")
        if not file.is_file() and not is_stream(file):
            raise InputError(f"There is no file {file}.", "Check the path.")
    name = batch.strip() or Path(file_name(files[0])).stem
    if len(name) > 200 or not name.isprintable():
        raise InputError(f"'{name[:60]}' cannot be a batch's name.", "Use 1 to 200 printable characters.")
    done = 0
    report = ImportReport()
    rejects: list[Reject] = []
    rejected = 0
    lines = sum(_line_count(file) for file in files if not is_stream(file))
    chunks = _chunks(files, format=format, stream_bytes=stream_bytes)
    for file, refused, looked_at, found in spread(_chunk_checked, chunks, is_much=lines > _MANY):
        context.check_cancelled()
        done += len(refused) + len(looked_at)
        if looked_at:
            landed = _land(workspace, looked_at, file=file, batch=name)
            refused += landed.rejects
            report = ImportReport(
                imported=report.imported + landed.imported,
                duplicates=report.duplicates + landed.duplicates,
                findings=report.findings + landed.findings,
                batch=landed.batch,
            )
        rejects += refused[: LISTED - len(rejects)]
        rejected += len(refused)
        context.progress(done, max(done, lines), f"importing into {name}")
        if found:
            raise found
    rejects.sort(key=lambda reject: (reject.file, reject.line))
    return report.model_copy(update={"rejects": tuple(rejects), "unlisted": rejected - len(rejects)})


def _require_importer(w: Work) -> None:
    if not w.policy.lets_import(w.person.roles):
        raise ForbiddenError(
            f"{w.person.name} is not a manager in this project.",
            "A manager imports cases, or sets the policy annotators_import=true.",
        )


def _chunks(
    files: Iterable[Path],
    *,
    format: CaseFormat | None,  # noqa: A002
    stream_bytes: int,
) -> Iterator[_Chunk]:
    for file in files:
        chunk: list[ReadCase | Rejected] = []
        try:
            for item in read_cases(file, format=format, most_bytes=stream_bytes if is_stream(file) else None):
                chunk.append(item)
                if len(chunk) == CHUNK:
                    yield file, chunk, None
                    chunk = []
        except InputError as exc:
            yield file, chunk, exc  # what was read before the fault lands
            return
        yield file, chunk, None


def _line_count(file: Path) -> int:
    with open_unpacked(file) as stream:
        return sum(block.count(b"\n") for block in iter(lambda: stream.read(1 << 20), b"")) + 1


def land_cases(
    workspace: Workspace,
    read: Sequence[ReadCase],
    *,
    file: Path,
    batch: str,
    along: Callable[[Work, Sequence[Reject]], None] | None = None,
    is_strict: bool = False,
) -> ImportReport:
    """Put read cases into the project in one transaction, after the checks every case goes through.

    Args:
        workspace: Whose manager or annotator brings them.
        read: The cases with their lines.
        file: Where they are from, for rejections.
        batch: Name of the batch they enter; an existing one is added to.
        along: Writes more in the same transaction, knowing what was refused.
        is_strict: Whether a finding that is an error refuses a case, too.

    Raises:
        ForbiddenError: The person may not import.
    """
    looked_at = [_checked(item, file, is_strict=is_strict) for item in read]
    return _land(workspace, looked_at, file=file, batch=batch, along=along)


def _chunk_checked(
    chunk: _Chunk,
) -> tuple[Path, list[Reject], list[_Checked | Reject], InputError | None]:
    """The file of a chunk, its lines that are no case, the others after the checks, and its fault."""
    file, items, found = chunk
    refused = [_refused(item, file, item.reason) for item in items if isinstance(item, Rejected)]
    read = [item for item in items if isinstance(item, ReadCase)]
    return file, refused, [_checked(item, file, is_strict=False) for item in read], found


def _land(
    workspace: Workspace,
    looked_at: Sequence[_Checked | Reject],
    *,
    file: Path,
    batch: str,
    along: Callable[[Work, Sequence[Reject]], None] | None = None,
) -> ImportReport:
    checked = [one for one in looked_at if not isinstance(one, Reject)]
    refused = [one for one in looked_at if isinstance(one, Reject)]

    def work(w: Work) -> ImportReport:
        known = {
            case_id: set(hashes)
            for case_id, hashes in queries.known_hashes(w.tx, [one.case_id for _, _, one in checked]).items()
        }
        fresh = []
        duplicates = findings_count = 0
        rejects = list(refused)
        for line, finding_count, ready in checked:
            if not ready.case_id.isprintable():
                reason = (
                    f"The id {ready.case_id!r} has characters that cannot be stored or shown; "
                    "rename the case."
                )
                rejects.append(Reject(file=str(file), line=line, reason=reason))
            elif ready.case_id not in known:
                known[ready.case_id] = {ready.facts.sha256}
                fresh.append(ready)
                findings_count += finding_count
            elif ready.facts.sha256 in known[ready.case_id]:
                duplicates += 1
            else:
                reason = (
                    f"The project has a case '{ready.case_id}' with other content; "
                    f"to replace it use: annotator case put {ready.case_id} --file F --reason R"
                )
                rejects.append(Reject(file=str(file), line=line, reason=reason))
        batch_id = batches.find_batch(w.tx, batch)
        if fresh:
            batch_id = store.ensure_batch(w.tx, batch, by=w.person.id, at=w.at)
            store.add_cases(w.tx, fresh, batch_id=batch_id, author_id=w.person.id, at=w.at)
            w.record(
                f"batch:{batch}",
                {
                    "imported": len(fresh),
                    "content_sha256": sha256_of([case.facts.sha256 for case in fresh]),
                },
                Changes(has_new_cases=True),
            )
        if along:
            along(w, rejects)
        return ImportReport(
            imported=len(fresh),
            duplicates=duplicates,
            findings=findings_count,
            batch=batch_id,
            rejects=tuple(rejects),
        )

    return workspace.run("case:batch:import", work, roles=(Role.MANAGER, Role.ANNOTATOR)).value


def _checked(item: ReadCase, file: Path, *, is_strict: bool) -> _Checked | Reject:
    """A case ready to enter the store; whatever is wrong with it is its own rejection and nobody else's."""
    try:
        findings = check_case(item.case)
        errors = [found.message for found in findings if found.severity is Severity.ERROR]
        if errors and is_strict:
            return _refused(item, file, errors[0])
        return item.line, len(findings), imported(item.case, findings)
    except AnnotatorError as exc:
        return _refused(item, file, str(exc))
    except Exception as exc:
        _LOG.exception("%s, line %d could not be checked", file.name, item.line)
        return _refused(item, file, fault(exc))


def _refused(item: ReadCase | Rejected, file: Path, reason: str) -> Reject:
    return Reject(file=str(file), line=item.line, reason=reason)
