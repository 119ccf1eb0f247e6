"""A public file mended: only the rows that people corrected differ, with what they changed and why."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import unified_diff
from functools import partial
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import NamedTuple

from annotator.cases.bodies import read_body
from annotator.cases.phrases import quoted
from annotator.cases.row_views import get_row
from annotator.cases.versions.case_diff import FieldChange, case_diff
from annotator.files import csv_text, replace_bytes, replace_text
from annotator.jobs import JobContext
from annotator.project.lookups import release_named
from annotator.project.workspace import Workspace
from annotator.release.reports.report import render
from annotator.release.reports.score_tables import ScoreTable, ranks
from annotator.release.runs.recorded_runs import list_runs, recorded_predictions
from annotator.review.escalation import last_escalation
from db.read import queries, releases, reviews
from db.read.rows import RunRow
from db.tables import Transaction
from scoring.errors import InputError
from scoring.evaluation import score
from scoring.formats.benchmark.bfcl import ANSWERS_FOLDER
from scoring.formats.case_reader import parse_line, read_piece
from scoring.formats.case_writer import Skipped, encode
from scoring.formats.codecs import sniff
from scoring.formats.containers import JsonPart, open_unpacked, pieces
from scoring.formats.outcome import Reading
from scoring.formats.remainder import without_remainder
from scoring.golds import GoldSet, gold_set
from scoring.groups import collected, grouped
from scoring.model.case import Case, content_sha256
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import ArgumentProfile, CaseFormat, ReportFormat, Semantics, WrittenFormat
from scoring.scorecard import ArgumentRules
from scoring.wording import counted

_ANSWER = "ground_truth"
_HEAD = ("row", "case", "place", "before", "after", "reasons", "models", "verified by")


class MendedRow(Record):
    """A row that reads otherwise now: what changed, why, which models doubted it, and who looked at it.

    `row` is the number of the line, or of the item of a list, from 1; `verified_by` are those who judged or
    decided the case.
    """

    row: int
    case_id: str
    changes: tuple[FieldChange, ...]
    reasons: tuple[str, ...]
    models: tuple[str, ...]
    verified_by: tuple[str, ...]


class MovedRun(Record):
    """Share of right tasks of a run before and after, and its rank among the runs with the same rules."""

    name: str
    rules: str
    before: float
    after: float
    rank_before: str
    rank_after: str


class MendedFile(Record):
    """What became of a public file: its rows, those that stay as they are, and the runs."""

    file: str
    release: str
    rows: int
    unverified: int
    skipped: tuple[Skipped, ...]
    mended: tuple[MendedRow, ...]
    runs: tuple[MovedRun, ...]

    @property
    def headline(self) -> str:
        """What was done, in a sentence."""
        rows = counted(len(self.mended), "row")
        if self.unverified:
            return f"{self.file}: {rows} of {self.rows:,} mended, {self.unverified:,} not in the release."
        return f"{self.file}: {rows} of {self.rows:,} mended."


def mend_file(
    workspace: Workspace, release: str, *, file: Path, out: Path, context: JobContext
) -> MendedFile:
    """Write a public file again with the rows that a release corrects, and what its authors need to know.

    In the folder stand the file (and BFCL's answers in `possible_answer`), `changes.diff`, `changes.csv` with
    the names of people, and `issue.md` without them. Every other byte of the file stays as it is.

    Args:
        workspace: Anybody's.
        release: The release with the corrected cases.
        file: The public file, as its authors have it now.
        out: The folder; it may not hold the file.
        context: Progress and cancelling.

    Raises:
        NotFoundError: There is no release of this name.
        InputError: The file cannot be read, is packed, or is of a format that is not written row by row.
        StoreError: A file cannot be written.
    """
    if out.resolve() == file.resolve().parent:
        raise InputError(f"{out} holds the file itself.", "Name another folder with -o.")
    released = workspace.read(lambda tx: _released(tx, release))
    imported = workspace.read(lambda tx: queries.known_hashes(tx, list(released)))
    rows = [
        _compared(piece, file, released, imported) for piece in context.each(_parts(file), "comparing rows")
    ]
    mended = [row for row in rows if isinstance(row, _Row) and (row.said or row.gone)]
    texts = dict(_texts(file, mended))
    for path, text in texts.items():
        replace_bytes(out / path.relative_to(file.parent), text)
    report = MendedFile(
        file=file.name,
        release=release,
        rows=len(rows),
        unverified=rows.count(None),
        skipped=tuple(row for row in rows if isinstance(row, Skipped)),
        mended=workspace.read(lambda tx: tuple(_evidence(tx, mended, out / file.name))),
        runs=_moved_runs(workspace, release, files=(file, out / file.name), released=released),
    )
    replace_text(out / "changes.diff", "".join(line for path in texts for line in _diff(path, out)))
    replace_text(out / "changes.csv", csv_text(_HEAD, _change_rows(report.mended)))
    replace_bytes(out / "issue.md", _issue(report))
    return report


def _released(tx: Transaction, release: str) -> dict[str, Case]:
    bodies = releases.released_bodies(tx, release_named(tx, release).name)
    return {case.id: case for case in map(read_body, bodies)}


def _parts(file: Path) -> list[JsonPart]:
    with open_unpacked(file) as stream:
        return list(pieces(stream))


class _Row(NamedTuple):
    """A row with its case as it was read, the keys that say something else now, and those that are gone."""

    piece: JsonPart
    before: Case
    said: JsonObject
    gone: Collection[str]


def _compared(
    piece: JsonPart, file: Path, released: Mapping[str, Case], imported: Mapping[str, tuple[str, str]]
) -> _Row | Skipped | None:
    """A row beside its case; None where it has none in the release."""
    reading = read_piece(piece, file)
    case = released.get(reading.case.id) if reading else None
    if reading is None or case is None:
        return None
    try:
        old, new = _lines(piece, reading, case)
        others = {key: value for key, value in new.items() if old.get(key) != value}
        row = _Row(piece, reading.case, others, old.keys() - new.keys())
        if (row.said or row.gone) and content_sha256(reading.case) not in imported[case.id]:
            raise InputError("The row is another since it was imported.", "Import it anew, as a new case.")
        if _ANSWER in row.said and not _twin(file).is_file():
            raise InputError("Its answer has no file to stand in.", f"Make one in {ANSWERS_FOLDER} by hand.")
    except InputError as exc:
        return Skipped(case_id=case.id, reason=str(exc))
    return row


def _twin(file: Path) -> Path:
    return file.parent / ANSWERS_FOLDER / file.name


def _texts(file: Path, mended: Sequence[_Row]) -> Iterator[tuple[Path, bytes]]:
    """The mended file, and that of its answers where it has one; by the paths of those they replace."""
    twin = _twin(file)
    swaps = [
        _swap(row.piece, {k: v for k, v in row.said.items() if k != _ANSWER}, row.gone) for row in mended
    ]
    yield file, _replaced(file, swaps)
    if twin.is_file():
        told = {parse_line(piece.text or b"").get("id"): piece for piece in _parts(twin)}
        answers = [(told[row.before.id], row.said[_ANSWER]) for row in mended if _ANSWER in row.said]
        yield twin, _replaced(twin, [_swap(piece, {_ANSWER: answer}) for piece, answer in answers])


def _swap(piece: JsonPart, said: JsonObject, gone: Collection[str] = ()) -> tuple[bytes, bytes]:
    """The text of a row and the new one in its form."""
    old = parse_line(piece.text or b"")
    kept = {key: value for key, value in old.items() if key not in gone}
    return piece.text or b"", _written_like(piece, old, kept | said)


def _lines(piece: JsonPart, reading: Reading, case: Case) -> tuple[JsonObject, JsonObject]:
    """A row as its format writes it, before and after.

    Raises:
        InputError: The format is not written row by row, or cannot express the case.
    """
    found = sniff(parse_line(piece.text or b"")) if not reading.dialect else None
    form = WrittenFormat.BFCL.value if reading.dialect == "BFCL" else found
    if form in (None, CaseFormat.NATIVE):
        raise InputError(f"Rows of {reading.dialect or form} are not mended in place.", "Export the cases.")
    before, after = (encode(one, str(form), position=piece.number - 1) for one in (reading.case, case))
    old, new = without_remainder(before), without_remainder(after)
    if "involved_classes" in old:  # its functions are in documents of their own
        del old["function"], new["function"]
    return old, new


def _changes(before: Case, after: Case) -> tuple[FieldChange, ...]:
    """What a mended row says otherwise, read like any other; kinds of dependencies follow from values."""
    found = case_diff(before, after)
    return tuple([one for one in found if one.kind != "edge" or None in (one.before, one.after)])


def _written_like(piece: JsonPart, old: JsonObject, new: JsonObject) -> bytes:
    """An object written as another one was: its blanks, indents and escapes."""
    text = (piece.text or b"").decode()
    line_break = "\n" + text[text.rfind("\n") + 1 :].removesuffix("}") if "\n" in text else "\n"
    for is_ascii, separators, indent in product((False, True), (None, (",", ":")), (None, 1, 2, 3, 4)):
        write = partial(json.dumps, ensure_ascii=is_ascii, separators=separators, indent=indent)
        if write(old).replace("\n", line_break) == text:
            return write(new).replace("\n", line_break).encode()
    return json.dumps(new, ensure_ascii=False).encode()


def _replaced(file: Path, swaps: Sequence[tuple[bytes, bytes]]) -> bytes:
    """A file with some of its texts replaced; every other byte stays.

    Raises:
        InputError: The texts are not in it: it is packed, or a table.
    """
    content, parts, at = file.read_bytes(), [], 0
    for old, new in sorted(swaps, key=lambda swap: content.find(swap[0])):
        begin = content.find(old, at)
        if begin < 0:
            raise InputError(f"{file} is packed or a table.", "Unpack it, or write it as JSON lines.")
        parts += [content[at:begin], new]
        at = begin + len(old)
    return b"".join([*parts, content[at:]])


def _evidence(tx: Transaction, mended: Sequence[_Row], file: Path) -> Iterator[MendedRow]:
    read = [read_piece(piece, file) for piece in _parts(file)] if mended else []
    after = {one.case.id: one.case for one in read if one}
    for row in mended:
        case_id = row.before.id
        pk = get_row(tx, case_id).pk
        told = queries.list_revisions(tx, pk)
        said = [one.reason for one in told if not one.reason.startswith(f"{one.stage}:")]
        people = [one.person for one in reviews.judgments_of(tx, pk)]
        people += [one.person for one in reviews.decisions_of(tx, pk)]
        escalation = last_escalation(reviews.events_of(tx, [f"case:{case_id}"]))
        yield MendedRow(
            row=row.piece.number,
            case_id=case_id,
            changes=_changes(row.before, after[case_id]),
            reasons=tuple(dict.fromkeys(filter(None, said))),
            models=escalation.models if escalation else (),
            verified_by=tuple(dict.fromkeys(people)),
        )


@collected
def _moved_runs(
    workspace: Workspace, release: str, *, files: Sequence[Path], released: Collection[str]
) -> Iterator[MovedRun]:
    """The recorded runs over a release whose replies are kept, scored by both files under their own rules."""
    rows = [row for row in list_runs(workspace) if row.release == release and row.has_replies]
    golds = [public_gold(path, released) for path in files] if rows else []
    for rules, runs in grouped(((row.protocol, row.semantics, row.arguments), row) for row in rows).items():
        shares = [[_share(workspace, row, gold) for row in runs] for gold in golds]
        for row, *values in zip(runs, *shares, *map(ranks, shares), strict=True):
            if None not in values:
                said = (row.name, ", ".join(rules), *values)
                yield MovedRun(**dict(zip(MovedRun.model_fields, said, strict=True)))


def public_gold(file: Path, known: Collection[str]) -> GoldSet:
    """The cases of a file whose ids are known; what cannot be read is passed over, as in `mend_file`."""
    found = [one for piece in _parts(file) if (one := read_piece(piece, file)) and one.case.id in known]
    read = {one.case.id: one for one in found}
    unordered = {name for name, one in read.items() if not one.has_dependencies}
    return gold_set([one.case for one in read.values()], unordered=unordered)


def _share(workspace: Workspace, run: RunRow, gold: GoldSet) -> float | None:
    """The share of tasks a run got right, by the replies that are kept; None where its rules judge none."""
    replies = (
        one.model_copy(update={"cases_sha256": None}) for one in recorded_predictions(workspace, run.id)
    )
    rules: ArgumentRules = "auto" if run.arguments == "auto" else ArgumentProfile(run.arguments)
    return score(gold, replies, semantics=Semantics(run.semantics), arguments=rules).summary.task_accuracy


def _diff(file: Path, out: Path) -> Iterator[str]:
    """How to get from a file to the mended one, as `git apply` takes it."""
    place = Path(file.parent.name, file.name) if file.parent.name == ANSWERS_FOLDER else Path(file.name)
    old, new = ([line.decode() for line in BytesIO(path.read_bytes())] for path in (file, out / place))
    for line in unified_diff(old, new, f"a/{place.as_posix()}", f"b/{place.as_posix()}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _change_rows(mended: Sequence[MendedRow]) -> Iterator[tuple[object, ...]]:
    for one in mended:
        why = ["; ".join(words) for words in (one.reasons, one.models, one.verified_by)]
        for change in one.changes:
            yield (one.row, one.case_id, change.where, quoted(change.before), quoted(change.after), *why)


def _issue(report: MendedFile) -> bytes:
    """What to write to the authors of the file, in Markdown; it names no person."""
    people = {name for one in report.mended for name in one.verified_by}
    title = f"{report.file}: {counted(len(report.mended), 'row')} with wrong gold"
    changes = ScoreTable(
        title="Corrections",
        columns=("row", "id", "place", "is", "should be", "why"),
        rows=tuple(tuple(map(str, row[:6])) for row in _change_rows(report.mended)),
        notes=(
            f"{counted(len(people), 'person', 'people')} looked at these rows. `changes.diff` corrects them.",
        ),
    )
    runs = ScoreTable(
        title="Recorded runs, scored by both files",
        columns=("run", "rules", "right before, %", "right after, %", "rank before", "rank after"),
        rows=tuple(
            (
                one.name,
                one.rules,
                f"{one.before:.2%}",
                f"{one.after:.2%}",
                one.rank_before,
                one.rank_after,
            )
            for one in report.runs
        ),
    )
    return render([changes, *([runs] if report.runs else [])], title=title, form=ReportFormat.MARKDOWN)
