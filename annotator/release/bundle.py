"""A release with its runs as one file: predictions, scorecards and report, which can be checked anywhere."""

import hashlib
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from operator import not_
from pathlib import Path

from pydantic import Field, ValidationError

from annotator.files import replace_bytes, replaced_file
from annotator.jobs import JobContext
from annotator.release.manifest import MANIFEST, FileEntry, file_entry, names_in
from annotator.release.reports.report import report
from annotator.release.reports.run_groups import named
from annotator.release.reports.teval_section import read_teval
from annotator.release.runs.evaluation import SCORECARD, evaluate, load_gold, read_scorecard, write_scorecard
from annotator.release.verification import verify_release
from db.project_files.unfinished import unfinished
from scoring.errors import DISTRIBUTION, InputError, reworded
from scoring.golds import GoldSet
from scoring.model.record import Record, sha256_of
from scoring.model.taxonomy import ReportFormat
from scoring.scorecard import Scorecard
from scoring.teval.items import read_items
from scoring.teval.scores import SCORES, read_scores
from scoring.texts import in_english

BUNDLE = "bundle.json"
BUNDLE_FORMAT = "annotator-bundle"
BUNDLE_VERSION = 1
_RELEASE, _REPORT = "release", "report.html"
_MOST_BYTES = 50_000_000
"""Of the list of files; what a file that pretends to be a bundle may make the program read."""
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""The earliest time a zip file can name: every file has it, so that the same inputs give the same bytes."""


class BundledRun(Record):
    """A run of a bundle: its name, its predictions, and the folder of its scorecard."""

    name: str
    predictions: str
    scores: str


class Bundle(Record):
    """What a bundle is made of; `bundle_sha256` covers everything else in it.

    `release` is the folder of a frozen release, or a file of cases; `teval` are folders of T-Eval results
    beside the runs.
    """

    format: str
    version: int
    program: str
    release: str
    cases_sha256: str
    runs: tuple[BundledRun, ...]
    teval: tuple[str, ...] = Field(default=(), exclude_if=not_)
    files: dict[str, FileEntry]
    bundle_sha256: str = ""

    @property
    def seal(self) -> str:
        """The checksum of everything else."""
        return sha256_of(self.model_dump(mode="json", exclude={"bundle_sha256"}))


class BundleReport(Record):
    """Whether a bundle is as it was written; `problems` are sentences that name the file."""

    file: str
    release: str
    runs: tuple[str, ...]
    problems: tuple[str, ...]


def write_bundle(
    release: Path, runs: Sequence[Path], target: Path, *, teval: Sequence[Path] = (), context: JobContext
) -> Bundle:
    """Score runs by the usual rules and write them with all they rest on as one zip file.

    The same inputs give the same bytes.

    Args:
        release: The folder of a frozen release, or a file of cases.
        runs: Files of predictions, each a run.
        target: The file.
        teval: Folders of T-Eval results, with items and replies.
        context: Progress in tasks of a run, and cancellation.

    Raises:
        InputError: The release was changed since it was frozen, or a file is none of predictions for it.
        StoreError: The file cannot be written.
    """
    if release.is_dir() and (problems := verify_release(release).problems):
        raise InputError(f"{release} is not as it was frozen: {problems[0]}", "Restore it from a good copy.")
    gold = load_gold(release)
    cards = [_scored(gold, run, release, context) for run in runs]
    with _scratch() as folder:
        place, files = _cases_of(release)
        beside = {f"teval/{n}/{one.resolve().name}": one for n, one in enumerate(teval, start=1)}
        for name, one in beside.items():
            files |= {
                f"{name}/{path.relative_to(one).as_posix()}": path
                for path in one.rglob("*")
                if path.is_file()
            }
        bundled = []
        for number, (run, card) in enumerate(zip(runs, cards, strict=True), start=1):
            name = f"predictions/{number}/{run.name}"
            files[name] = run
            write_scorecard(card, folder / "scores" / str(number))
            bundled.append(BundledRun(name=card.name, predictions=name, scores=f"scores/{number}"))
        with in_english():
            page = report(named(cards), ReportFormat.HTML, title=release.name, teval=read_teval(teval))
        replace_bytes(folder / _REPORT, page)
        files |= {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
        bundle = Bundle(
            format=BUNDLE_FORMAT,
            version=BUNDLE_VERSION,
            program=version(DISTRIBUTION),
            release=place,
            cases_sha256=gold.cases_sha256,
            runs=tuple(bundled),
            teval=tuple(beside),
            files={name: file_entry(files[name]) for name in sorted(files)},
        )
        bundle = bundle.model_copy(update={"bundle_sha256": bundle.seal})
        with replaced_file(target) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr(_entry(BUNDLE), bundle.model_dump_json(indent=1))
            for name in bundle.files:
                context.check_cancelled()
                packed.writestr(_entry(name), files[name].read_bytes())
    return bundle


@contextmanager
def _scratch() -> Iterator[Path]:
    """A folder for the time being; what a killed program left of one is removed by the next that makes one.

    Raises:
        StoreError: There is no room for it.
    """
    with unfinished(Path(tempfile.gettempdir(), "annotator-bundle")) as folder:
        folder.mkdir(mode=0o700)
        yield folder


def _cases_of(release: Path) -> tuple[str, dict[str, Path]]:
    """Where a bundle has the release, and its files by their names there."""
    if not release.is_dir():
        place = f"{_RELEASE}/cases{''.join(release.suffixes)}"
        return place, {place: release}
    return _RELEASE, {f"{_RELEASE}/{name}": release / name for name in names_in(release)}


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _FIRST_DAY)
    entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
    return entry


def _scored(gold: GoldSet, run: Path, release: Path, context: JobContext) -> Scorecard:
    """The scorecard of a run; what was ignored is named without the folder it lies in."""
    card = evaluate(gold, [run], context=context, source=release)
    ignored = tuple(one.model_copy(update={"file": one.file and Path(one.file).name}) for one in card.ignored)
    return card.model_copy(update={"ignored": ignored})


def verify_bundle(source: Path, *, context: JobContext) -> BundleReport:
    """Check every byte of a bundle, verify the release in it, and score its runs again.

    Args:
        source: The file.
        context: Progress in tasks of a run, and cancellation.

    Raises:
        InputError: It is no bundle, or one of a newer version.
        StoreError: There is no room to unpack it.
    """
    with (
        reworded(
            OSError,
            RuntimeError,
            zipfile.BadZipFile,
            KeyError,
            ValidationError,
            zlib.error,
            into=lambda exc: InputError(
                f"{source} is not a bundle: {_words(exc)}.", "Name a file that `annotator bundle pack` wrote."
            ),
        ),
        zipfile.ZipFile(source) as packed,
        _scratch() as folder,
    ):
        bundle = _read_bundle(packed, source)
        problems = _unpack(packed, bundle, folder, context)
        if not problems:
            problems = _check_contents(bundle, folder, context)
    names = tuple(run.name for run in bundle.runs)
    return BundleReport(file=str(source), release=bundle.release, runs=names, problems=tuple(problems))


def _words(exc: Exception) -> str:
    match exc:
        case KeyError():
            return f"it holds no {BUNDLE}"
        case ValidationError():
            return f"its {BUNDLE} cannot be read"
        case _:
            return str(getattr(exc, "strerror", None) or exc).rstrip(".")


def _read_bundle(packed: zipfile.ZipFile, source: Path) -> Bundle:
    with packed.open(BUNDLE) as stream:
        bundle = Bundle.model_validate_json(stream.read(_MOST_BYTES))
    if bundle.format != BUNDLE_FORMAT or bundle.version > BUNDLE_VERSION:
        raise InputError(f"{source} was written by a newer version of Annotator.", "Upgrade Annotator.")
    return bundle


def _unpack(packed: zipfile.ZipFile, bundle: Bundle, folder: Path, context: JobContext) -> list[str]:
    """Write what the bundle lists into a folder; what is wrong with any of it."""
    problems = (
        [] if bundle.seal == bundle.bundle_sha256 else [f"{BUNDLE} was changed: its checksum does not fit."]
    )
    held = Counter(packed.namelist())
    problems += [f"{name} is missing." for name in bundle.files if name not in held]
    problems += [f"{name} is there twice." for name, count in held.items() if count > 1]
    problems += [
        f"{name} does not belong to the bundle." for name in held if name not in {BUNDLE, *bundle.files}
    ]
    for name, entry in bundle.files.items():
        context.check_cancelled()
        place = folder / name
        if not place.resolve().is_relative_to(folder.resolve()):
            problems.append(f"{name} does not belong to the bundle.")
        elif held[name] == 1:
            with packed.open(name) as stream:
                data = stream.read(entry.bytes + 1)  # no more than it may have: the rest could be endless
            if FileEntry(bytes=len(data), sha256=hashlib.sha256(data).hexdigest()) != entry:
                problems.append(f"{name} was changed: its checksum does not fit.")
            replace_bytes(place, data)
    return problems


def _check_contents(bundle: Bundle, folder: Path, context: JobContext) -> list[str]:
    """What does not hold of a bundle whose files are all as they were written."""
    needed = {bundle.release if bundle.release != _RELEASE else f"{_RELEASE}/{MANIFEST}"}
    for run in bundle.runs:
        needed |= {run.predictions, f"{run.scores}/{SCORECARD}"}
    needed |= {f"{place}/{SCORES}" for place in bundle.teval}
    if outside := sorted(needed - bundle.files.keys()):  # nothing is read that was not checked
        return [f"{BUNDLE} names {name}, which it does not list." for name in outside]
    release = folder / bundle.release
    if (release / MANIFEST).is_file() and (problems := verify_release(release).problems):
        return [f"{_RELEASE}: {problem}" for problem in problems]
    try:
        gold = load_gold(release)
        if gold.cases_sha256 != bundle.cases_sha256:
            return [f"{bundle.release} does not hold the cases that {BUNDLE} names."]
        changed = [
            f"{place} holds other items than those that were scored."
            for place in bundle.teval
            if {one.items_sha256 for one in read_scores(folder / place)}
            != {read_items(folder / place).sha256}
        ]
        checked = (_check_run(run, folder, gold, release, context) for run in bundle.runs)
        return [*changed, *filter(None, checked)]
    except InputError as exc:  # every file is as it was listed, and one cannot be what the list says
        return [exc.message.replace(f"{folder}/", "")]


def _check_run(run: BundledRun, folder: Path, gold: GoldSet, release: Path, context: JobContext) -> str:
    before = read_scorecard(folder / run.scores)
    now = _scored(gold, folder / run.predictions, release, context)
    if now.model_copy(update={"scorer_version": before.scorer_version}) == before:
        return ""
    return (
        f"{run.scores}/{SCORECARD}: scorer {now.scorer_version} gives other scores than "
        f"scorer {before.scorer_version} gave."
    )
