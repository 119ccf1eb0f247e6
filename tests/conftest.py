"""Fixtures for every test: a clean environment, the two databases, and no thread left behind."""

import os
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.postgres import RUNTIME, SCRATCH, Server, prepare_scratch, running_server

if TYPE_CHECKING:
    from sqlalchemy import Engine

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

# Timing belongs to tests/bench: a busy machine must not fail a property.
settings.register_profile("annotator", deadline=None, print_blob=True)
settings.load_profile("annotator")


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


@pytest.fixture(scope="session")
def _sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from db.upgrading import create_project

    path = tmp_path_factory.mktemp("template") / "empty.db"
    create_project(str(path))
    return path


@pytest.fixture(scope="session")
def _postgres_template(postgres: Server) -> Iterator[str]:
    from db.upgrading import create_project

    with postgres.database() as name:
        create_project(postgres.url_of(name))
        yield name


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
