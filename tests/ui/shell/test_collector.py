"""Garbage in reference cycles: let go on the window's thread, whoever made it."""

import gc
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import shiboken6
from pytestqt.qtbot import QtBot

from ui.shell.frame import Collector


class Knot:
    """Refers to itself and notes on which thread it is let go."""

    def __init__(self, threads: list[str]) -> None:
        self._threads = threads
        self._self = self

    def __del__(self) -> None:
        self._threads.append(threading.current_thread().name)


@pytest.fixture
def collector(qtbot: QtBot) -> Iterator[Collector]:
    """A collector that looks often."""
    found = Collector(check_milliseconds=5)
    yield found
    found.stop()
    shiboken6.delete(found)


def _litter(threads: list[str]) -> None:
    for _ in range(20_000):
        Knot(threads)


def test_what_another_thread_leaves_is_let_go_here(qtbot: QtBot, collector: Collector) -> None:
    threads: list[str] = []
    with ThreadPoolExecutor(1, thread_name_prefix="elsewhere") as pool:
        pool.submit(_litter, threads).result()
        assert threads == []
        qtbot.waitUntil(lambda: len(threads) > 10_000)
    assert set(threads) == {threading.main_thread().name}


def test_nothing_is_collected_before_the_start_is_over(qtbot: QtBot) -> None:
    found = Collector(check_milliseconds=5, start_milliseconds=200)
    threads: list[str] = []
    _litter(threads)
    qtbot.wait(60)
    assert threads == []
    qtbot.wait(250)
    _litter(threads)
    qtbot.waitUntil(lambda: len(threads) > 10_000)
    found.stop()


def test_afterwards_python_collects_by_itself_again(qtbot: QtBot) -> None:
    found = Collector()
    assert not gc.isenabled()
    found.stop()
    assert gc.isenabled()
