"""Fixtures for every test: a clean environment, the two databases, and no thread left behind."""

import fcntl
import gc
import os
import shutil
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from scoring.texts import speak
from tests.postgres import RUNTIME, SCRATCH, Server, prepare_scratch, running_server

if TYPE_CHECKING:
    from sqlalchemy import Engine

if language := os.environ.get("SPOKEN_LANGUAGE"):  # before modules that keep texts are imported
    speak(Path(language).name, Path(language).parent)

_HOME = prepare_scratch()

# Before anything imports Qt, matplotlib or keyring. Nothing reads or writes the person's own settings;
# the cache is shared between runs, since matplotlib takes seconds to build its list of fonts.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ |= {
    "MPLBACKEND": "Agg",
    "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
    "XDG_RUNTIME_DIR": str(RUNTIME),
    "XDG_CACHE_HOME": str(SCRATCH / "cache"),
    "XDG_CONFIG_HOME": str(_HOME / "config"),
    "XDG_DATA_HOME": str(_HOME / "data"),
    "XDG_STATE_HOME": str(_HOME / "state"),
}
for _name in [name for name in os.environ if name.startswith(("ANNOTATOR_", "OPENAI_", "PG"))]:
    del os.environ[_name]

# Every worker and every program a test starts would compile all modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Timing belongs to tests/bench: a busy machine must not fail a property.
settings.register_profile("annotator", deadline=None, print_blob=True)
settings.register_profile("short", settings.get_profile("annotator"), max_examples=25)
settings.register_profile("long", settings.get_profile("annotator"), max_examples=200)
settings.load_profile("annotator")


@pytest.fixture
def said_in_chinese() -> Iterator[None]:
    """What is said from now on is Chinese, and English afterwards; texts that modules keep stay."""
    speak("zh_CN")
    yield
    speak("en")


ON_BOTH_DATABASES = (
    "tests/db/",
    "tests/annotator/project/",
    "tests/annotator/review/attention/test_slot_numbers.py",
    "tests/annotator/review/queue/test_presence.py",
    "tests/annotator/review/test_batches.py::test_a_split_meets",
    "tests/annotator/review/test_claiming_together.py",
    "tests/annotator/review/test_clocks.py",
    "tests/annotator/review/test_leases.py",
    "tests/annotator/review/test_main_path.py",
    "tests/annotator/review/test_statement_counts.py",
    "tests/e2e/test_small_process.py",
)
"""Where SQL, locks or clocks differ: `make test` runs these on PostgreSQL too.

Of the others `make test-all` runs the first of each file there, and `make test-ways` the rest.
"""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make test` leaves to others, and put the slow tests first.

    The same test on the second database is left; what is slow by itself has chosen its databases. A worker
    begins with the part of the list it is given, and whoever is ready takes from the end of another's: what
    takes minutes must not be there, or one worker runs it while the others stand still, and two workers make
    what a module makes once for all its tests.
    """
    repeated: set[str] = set()
    for item in items:
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        is_chosen = item.nodeid.startswith(ON_BOTH_DATABASES) or item.get_closest_marker("slow")
        if "postgresql" in parameters.values() and not is_chosen:
            file = item.nodeid.partition("::")[0]
            item.add_marker("every_database" if file in repeated else "slow")
            repeated.add(file)
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    """Whole modules that are slow, then single tests that are, then the others, each in the order it came."""
    module = item.getparent(pytest.Module)
    if module is not None and any(mark.name == "slow" for mark in module.own_markers):
        return 0
    return 1 if item.get_closest_marker("slow") else 2


def _share_compiled_statements() -> None:
    """Let all engines of a kind share what SQLAlchemy has compiled.

    It keeps compiled statements for each engine, and a test opens one for each person of its team: a third
    of its processor time would go into compiling the same statements again.
    """
    from sqlalchemy import Engine
    from sqlalchemy.engine.default import DefaultDialect
    from sqlalchemy.util import LRUCache

    compiled: LRUCache[Any, Any] = LRUCache(5000)
    shared = property(lambda _: compiled, lambda _, own: None)
    Engine._compiled_cache = shared  # type: ignore[assignment]
    # A part of the key of what is compiled.
    DefaultDialect.__eq__ = lambda one, other: type(one) is type(other)  # type: ignore[method-assign]
    DefaultDialect.__hash__ = lambda one: hash(type(one))  # type: ignore[method-assign, assignment]


_share_compiled_statements()


def _write_without_waiting() -> None:
    """Let no commit to a project file wait for the disk, as on the tests' server: they outlive no power cut.

    The program asks for it all the same: `engine.raw_connection` gives what it set up.
    """
    from sqlalchemy import Connection, Engine, event

    @event.listens_for(Engine, "engine_connect")
    def _(connection: Connection) -> None:
        if connection.dialect.name == "sqlite" and connection.info.setdefault("waits", True):
            with suppress(sqlite3.Error):  # a file that is no project, or locked: the program says so itself
                connection.connection.cursor().execute("PRAGMA synchronous = OFF")
                connection.info["waits"] = False


_write_without_waiting()


def pytest_collection_finish() -> None:
    """Let Python's search for cycles leave out what was imported, and come less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def pytest_unconfigure() -> None:
    """Remove this process's home folder."""
    shutil.rmtree(_HOME, ignore_errors=True)


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    """Fail a test that leaves a thread running; executors must be shut down."""
    before = set(threading.enumerate())
    yield
    deadline = time.monotonic() + 3
    left = [t for t in threading.enumerate() if t not in before and not t.daemon]
    for thread in left:
        thread.join(max(0.0, deadline - time.monotonic()))
    alive = [thread.name for thread in left if thread.is_alive()]
    assert not alive, f"threads left running: {alive}"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """The PostgreSQL server of this test run."""
    with running_server() as server:
        yield server


Template = Callable[[str, Callable[[Path], object]], Path]
"""Gives the folder of that name, which was filled by the first worker of this run that asked for it."""


@pytest.fixture(scope="session")
def template(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Template:
    """Build what many tests start from once in a run, and let the workers share it."""
    base = tmp_path_factory.getbasetemp()
    # A test may start a run of its own, which has the environment of a worker and is none.
    is_worker = hasattr(request.config, "workerinput")
    shared = (base.parent if is_worker else base) / "templates"
    shared.mkdir(exist_ok=True)

    def find(name: str, fill: Callable[[Path], object]) -> Path:
        folder, ready = shared / name, shared / f"{name}.ready"
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not ready.exists():
                shutil.rmtree(folder, ignore_errors=True)  # of a worker that failed
                folder.mkdir()
                fill(folder)
                ready.touch()
        return folder

    return find


@pytest.fixture(scope="session")
def released_sample(template: Template) -> Path:
    """A folder with the sample project at its end (`sample.db`) and its release: copied, never changed.

    It takes longer than most test files, so one is made for all tests of a run.
    """
    from annotator.jobs import JobContext
    from annotator.release.sample_project import found_demo, walk_demo

    def fill(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("LOGNAME", "founder")
            workspace = found_demo(str(folder / "sample.db"))
            walk_demo(workspace, folder / "release", context=JobContext())
            workspace.close()

    return template("released", fill)


@pytest.fixture(scope="session")
def _sqlite_template(template: Template) -> Path:
    from db.care.upgrade import create_project

    return template("empty", lambda folder: create_project(str(folder / "empty.db"))) / "empty.db"


@pytest.fixture(scope="session")
def _postgres_template(postgres: Server, template: Template) -> str:
    from db.care.upgrade import create_project

    def fill(folder: Path) -> None:
        name = f"template_{os.getpid()}"  # it goes with the server at the end of the run
        postgres.execute(f'CREATE DATABASE "{name}"')
        create_project(postgres.url_of(name))
        (folder / "name").write_text(name)

    # Where a worker ends before another needs the server, that one starts a new one, without the template.
    return (template(f"empty-on-postgresql-{postgres.started()}", fill) / "name").read_text()


@pytest.fixture
def sqlite_path(tmp_path: Path, _sqlite_template: Path) -> Path:
    """A project file of its own for a test: current schema, no rows."""
    return Path(shutil.copy(_sqlite_template, tmp_path / "project.db"))


@pytest.fixture
def postgres_url(postgres: Server, _postgres_template: str) -> Iterator[str]:
    """A PostgreSQL project of its own for a test: current schema, no rows."""
    with postgres.database(template=_postgres_template) as name:
        yield postgres.url_of(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest) -> str:
    """An empty project of its own for a test, once on each database."""
    fixture = "sqlite_path" if request.param == "sqlite" else "postgres_url"
    return str(request.getfixturevalue(fixture))


@pytest.fixture(params=["sqlite", "postgresql"])
def vacant_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A place where a project can be created and none is yet, once on each database."""
    if request.param == "sqlite":
        yield str(tmp_path / "vacant.db")
        return
    server: Server = request.getfixturevalue("postgres")
    with server.database() as name:
        yield server.url_of(name)


@pytest.fixture
def engine(store_url: str) -> Iterator["Engine"]:
    """An open engine on `store_url`."""
    from db.engine import open_engine

    opened = open_engine(store_url)
    yield opened
    opened.dispose()
