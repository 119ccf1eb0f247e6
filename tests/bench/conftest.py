"""One large project on each database, shared by the benches that ask for it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.bench.large_project import TEMPLATES, fill_large_project

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

LARGE = 100_000


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the benches, which measure nothing without `make bench`, to `make test-all`."""
    for item in items:
        if item.nodeid.startswith("tests/bench/"):
            item.add_marker("slow")


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def large_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A project of 100,000 cases; only of a thousand where nothing is measured."""
    from db.care.upgrade import create_project
    from db.engine import disposed, open_engine

    copies = LARGE // TEMPLATES if request.config.getoption("benchmark_enable") else 1
    if request.param == "sqlite":
        url = str(tmp_path_factory.mktemp("large") / "large.db")
        create_project(url)
        with disposed(open_engine(url)) as engine:
            fill_large_project(engine, copies=copies)
        yield url
        return
    server = request.getfixturevalue("postgres")
    with server.database() as name:
        url = server.url_of(name)
        create_project(url)
        with disposed(open_engine(url)) as engine:
            fill_large_project(engine, copies=copies)
        yield url


@pytest.fixture
def collector(qapp: "QApplication") -> Iterator[None]:
    """What is no longer used is collected as in the program: between the keys, by the window itself."""
    from ui.shell.frame import Collector

    found = Collector()
    yield
    found.stop()
