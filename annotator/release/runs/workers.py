"""Where scoring runs: here, in several processes of this machine, or on a Dask cluster."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from scoring.errors import AnnotatorError, InputError, install_hint


@contextmanager
def scoring_executor(*, workers: int = 1, cluster: str | None = None) -> Iterator[Executor | None]:
    """Open the executor that scoring is spread over, and close it afterwards.

    Args:
        workers: Processes on this machine; 1 scores in this one.
        cluster: Address of a Dask scheduler, e.g. `tcp://10.0.0.5:8786`; takes precedence.

    Yields:
        An executor, or None to score here.

    Raises:
        InputError: Fewer than one worker.
        AnnotatorError: Dask is not installed, or the scheduler does not answer.
    """
    if workers < 1:
        raise InputError(f"{workers} workers cannot score.", "Use 1 or more.")
    if cluster is not None:
        with _dask(cluster) as executor:
            yield executor
    elif workers > 1:
        # Imported late: most runs are scored in one process, in less time than this takes.
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        # Spawned, not forked: the window's process has threads.
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            yield pool
    else:
        yield None


@contextmanager
def _dask(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client
    except ImportError as exc:
        raise AnnotatorError("Scoring on a cluster needs Dask.", install_hint("cluster")) from exc
    try:
        client = Client(address, timeout=10)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as exc:
        raise AnnotatorError(
            f"No Dask scheduler answers at {address}.", "Check the address and that the scheduler runs."
        ) from exc
    try:
        yield client.get_executor()  # type: ignore[no-untyped-call]
    finally:
        client.close()  # type: ignore[no-untyped-call]
