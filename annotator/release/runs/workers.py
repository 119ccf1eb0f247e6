"""Where scoring runs: here, in several processes of this machine, or on a Dask cluster.

Of several runs each is scored as a whole by one worker, which reads the files itself and keeps the gold of
the cases for the next run. Of one run each worker scores a byte range of the cases. Only names of files and
ranges go there, and only scorecards or what goes into them come back.
"""

import socket
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from annotator.jobs import JobContext, processes, spread
from annotator.release.manifest import CASES
from annotator.release.runs.evaluation import evaluate, load_gold, named_run, read_run, recorded_protocol
from scoring.errors import AnnotatorError, InputError, install_hint, reworded
from scoring.evaluation import ScoredPart, score_part, scorecard_of
from scoring.golds import GoldSet, gold_set
from scoring.model.taxonomy import Semantics, Undrawn
from scoring.scorecard import Scorecard

_LEAST_BYTES = 2**23
"""Predictions that are worth a second process, about 13,000 tasks; fewer are scored before it has started."""

Range = tuple[int, int]
"""Where bytes of a file begin and end."""
Look = tuple[Path, int, int]
"""A file, its bytes, and when it was last written, in nanoseconds."""


@dataclass(frozen=True)
class ScoringOrder:
    """One run for a worker.

    `looks` is how the files looked when it was ordered, that of the cases first; `options` as in `evaluate`;
    `part` the bytes of the cases it is about, None for all.
    """

    cases: Path
    files: tuple[Path, ...]
    undrawn: Undrawn
    looks: tuple[Look, ...]
    options: Mapping[str, Any]
    part: Range | None = None


def score_runs(
    cases: Path,
    runs: Sequence[Sequence[Path]],
    *,
    context: JobContext,
    undrawn: Undrawn = Undrawn.RECORDED,
    workers: int = 1,
    cluster: str | None = None,
    **options: Any,
) -> Iterator[Scorecard]:
    """Score runs one after another; the scorecards are the same wherever they are scored.

    A worker that dies is not missed: what it had is scored again by fewer, in the end by this process.

    Args:
        cases: A release folder or file of cases.
        runs: The prediction files of each run.
        context: As in `evaluate`.
        undrawn: As in `load_gold`.
        workers: Processes on this machine, small work is done in this one; of one run each takes a part of
            the cases. On a cluster, in how many parts one run is scored.
        cluster: Address of a Dask scheduler.
        **options: Further ones of `evaluate`.

    Yields:
        The scorecards, in the order of the runs.

    Raises:
        InputError: As `load_gold` and `evaluate`; also where a file changes meanwhile, or where a worker does
            not see it.
        AnnotatorError: As `scoring_executor`, or the workers of a cluster die again and again.
    """
    files = [path for run in runs for path in run]
    if cluster is None and sum(_size(path) for path in files) < _LEAST_BYTES:
        workers = min(workers, 1)
    if cluster is None and workers <= 1:
        gold = load_gold(cases, undrawn=undrawn)
        yield from (evaluate(gold, run, context=context, source=cases, **options) for run in runs)
        return
    whole = _file_of(cases)
    ranges = _ranges(whole, workers) if len(runs) == 1 < workers and _size(whole) else [None]
    orders = [
        _order(cases.absolute(), [path.absolute() for path in run], undrawn, options, part)
        for run in runs
        for part in ranges
    ]
    found = _results(orders, workers=workers, cluster=cluster, context=context)
    if orders[0].part:
        found = iter([_put_together(orders[0], list(found), context)])
    yield from (_as_named(card, [*files, whole]) for card in found if isinstance(card, Scorecard))


def _results(
    orders: Sequence[ScoringOrder], *, workers: int, cluster: str | None, context: JobContext
) -> Iterator[Scorecard | ScoredPart | None]:
    """What becomes of orders, in their order; what a worker had that died is done again."""
    count = len(orders) + 1 if cluster else workers
    opened = partial(scoring_executor, cluster=cluster)
    scored = spread(_written, orders, is_much=True, count=count, opened=opened)
    for found in context.each(scored, "scoring", total=len(orders)):
        yield Scorecard.model_validate_json(found) if isinstance(found, str) else found


def _ranges(cases: Path, count: int) -> list[Range | None]:
    """Byte ranges of whole lines; the whole file where it does not hold one JSON object a line."""
    with cases.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as text:
        ends = {0, len(text), *(text.find(b"\n", len(text) * n // count) + 1 for n in range(1, count))}
        return list(pairwise(sorted(ends))) if text[:1] == b"{" else [None]


def _put_together(
    order: ScoringOrder, found: Sequence[Scorecard | ScoredPart | None], context: JobContext
) -> Scorecard:
    """The scorecard of a run that was scored in parts; where they do not fit together, it is scored anew."""
    parts = [part for part in found if isinstance(part, ScoredPart)]
    case_count = len({name for part in parts for name in part.case_hashes})
    if len(parts) == len(found) and case_count == sum(len(part.case_hashes) for part in parts):
        none, unknown = gold_set(()), set.intersection(*(part.elsewhere for part in parts))
        said = read_run(none, order.files, context=context, source=order.cases) if unknown else ()
        rules, files = _rules(order), list(map(str, order.files))
        parts.append(score_part(none, (one for one in said if (one.file, one.line) in unknown), **rules))
        card = scorecard_of(
            parts,
            **rules,
            order=lambda place: (place[0] in files and files.index(place[0]) + 1, place[1] or 0),
        )
        if not set.union(*(part.claims for part in parts)) - {None, card.cases_sha256}:
            return named_run(card, order.files, name=order.options.get("name", ""), case_count=case_count)
    return evaluate(
        load_gold(order.cases, undrawn=order.undrawn),
        order.files,
        context=context,
        source=order.cases,
        **order.options,
    )


def _rules(order: ScoringOrder) -> dict[str, Any]:
    return {
        "semantics": order.options.get("semantics", Semantics.PAPER),
        "arguments": order.options.get("arguments", "auto"),
        "protocol": order.options.get("protocol") or recorded_protocol(order.files),
    }


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _order(
    cases: Path,
    files: Sequence[Path],
    undrawn: Undrawn,
    options: Mapping[str, Any],
    part: Range | None = None,
) -> ScoringOrder:
    looks = tuple(map(_look, [_file_of(cases), *files]))
    return ScoringOrder(cases, tuple(files), undrawn, looks, options, part)


def _file_of(cases: Path) -> Path:
    return cases / CASES if cases.is_dir() else cases


def _as_named(card: Scorecard, files: Sequence[Path]) -> Scorecard:
    """A scorecard with the files as the user has named them, as the process itself would write it."""
    names = {str(path.absolute()): str(path) for path in files}
    ignored = [one.model_copy(update={"file": names.get(one.file or "", one.file)}) for one in card.ignored]
    return card.model_copy(update={"ignored": tuple(ignored)})


def _look(path: Path) -> Look:
    with reworded(
        OSError,
        into=lambda exc: InputError(
            f"{path} cannot be read on {socket.gethostname()}: {exc.strerror}.",
            "Put it where every worker finds it under this name.",
        ),
    ):
        found = path.stat()
    return path, found.st_size, found.st_mtime_ns


def score_order(order: ScoringOrder, context: JobContext | None = None) -> Scorecard | ScoredPart | None:
    """Score a run, or what it says of a range of the cases, in a worker or here.

    Returns:
        The scorecard, or for a range what goes into it: None where it can only be read with the whole file.

    Raises:
        InputError: As `evaluate`; also where a file is not seen here, or is not what it was.
    """
    _require_unchanged(order)
    found = (
        _score_range(order, order.part, context or JobContext())
        if order.part
        else evaluate(
            _gold(order.cases, order.undrawn, order.looks[0]),
            order.files,
            context=context or JobContext(),
            source=order.cases,
            **order.options,
        )
    )
    _require_unchanged(order)
    return found


def _score_range(order: ScoringOrder, part: Range, context: JobContext) -> ScoredPart | None:
    whole = _file_of(order.cases)
    # No room for the part is no reason not to score the run: where one is missing, it is scored whole.
    with suppress(InputError, OSError), TemporaryDirectory() as folder, whole.open("rb") as stream:
        stream.seek(part[0])
        path = Path(folder, whole.name)
        path.write_bytes(stream.read(part[1] - part[0]))
        gold = load_gold(path, undrawn=order.undrawn)
        # Names of lines and repeated ones say the number of their line in the whole file.
        if not gold.repeated and not any(name.startswith(f"{path.stem}:") for name in gold.cases):
            said = read_run(gold, order.files, context=context, source=order.cases)
            return score_part(gold, said, **_rules(order), is_whole=False)
    return None


def _written(order: ScoringOrder) -> str | ScoredPart | None:
    """What a worker sends: text travels several times faster than as many objects."""
    found = score_order(order)
    return found.model_dump_json() if isinstance(found, Scorecard) else found


def _require_unchanged(order: ScoringOrder) -> None:
    for look in order.looks:
        if _look(look[0]) != look:
            raise InputError(
                f"{look[0]} has changed while it was scored.", "Score again when nobody writes it."
            )


@lru_cache(1)
def _gold(cases: Path, undrawn: Undrawn, _look: Look) -> GoldSet:
    return load_gold(cases, undrawn=undrawn)


def scoring_executor(workers: int = 1, *, cluster: str | None = None) -> AbstractContextManager[Executor]:
    """What opens the executor that scoring is spread over, and closes it afterwards.

    Args:
        workers: Processes on this machine.
        cluster: Address of a Dask scheduler, e.g. `tcp://10.0.0.5:8786`; takes precedence.

    Raises:
        InputError: Fewer than one worker.
        AnnotatorError: Dask is not installed, or the scheduler does not answer.
    """
    if workers < 1:
        raise InputError(f"{workers} workers cannot score.", "Use 1 or more.")
    return processes(workers) if cluster is None else _dask(cluster)


@contextmanager
def _dask(address: str) -> Iterator[Executor]:
    with reworded(
        ImportError,
        into=lambda _: AnnotatorError("Scoring on a cluster needs Dask.", install_hint("cluster")),
    ):
        from distributed import Client, KilledWorker
    with reworded(
        OSError,
        ValueError,
        into=lambda _: AnnotatorError(
            f"No Dask scheduler answers at {address}.", "Check the address and that the scheduler runs."
        ),
    ):
        client = Client(address, timeout=10)  # type: ignore[no-untyped-call]
    try:
        yield client.get_executor()  # type: ignore[no-untyped-call]
    except KilledWorker as exc:
        raise AnnotatorError(
            f"The workers at {address} died over one run again and again.",
            "See their log, and give them memory.",
        ) from exc
    finally:
        client.close()  # type: ignore[no-untyped-call]
