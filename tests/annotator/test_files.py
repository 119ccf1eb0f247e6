"""Written files are whole or untouched, streams are written into, and tables never become formulas."""

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from annotator.files import csv_text, readable_files, replace_text, replaced_file
from db.project_files.unfinished import abandoned_in
from scoring.errors import InputError, StoreError


@contextmanager
def reader_of(pipe: Path) -> Iterator[list[str]]:
    """Read a pipe to its end on a thread of its own; what came stands in the list after the block."""
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(pipe.read_text()))
    thread.start()
    yield found
    thread.join(timeout=120)


def write_half(target: Path) -> None:
    """Begin to write and fail."""
    with replaced_file(target) as stream:
        stream.write(b"half")
        raise ZeroDivisionError


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.fixture
def umask() -> Iterator[None]:
    """Files of this test may be read by the group, and written by their owner only."""
    before = os.umask(0o027)
    yield
    os.umask(before)


def test_a_file_is_replaced_and_nothing_lies_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    replace_text(target, "old")
    replace_text(target, "new")
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_what_a_killed_program_left_is_removed_and_what_is_being_written_stays(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    left = tmp_path / ".a.txt.0123abcd.tmp"
    left.write_text("half")
    with replaced_file(target) as stream:
        stream.write(b"slow")
        assert not left.exists()
        assert abandoned_in(tmp_path) == ()
        replace_text(target, "quick")
    assert target.read_text() == "slow"
    assert list(tmp_path.iterdir()) == [target]


def test_a_failure_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    with pytest.raises(ZeroDivisionError):
        write_half(target)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.usefixtures("umask")
def test_a_new_file_has_the_mode_the_umask_leaves(tmp_path: Path) -> None:
    replace_text(tmp_path / "a.txt", "")
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640


def test_a_replaced_file_keeps_its_mode(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    target.chmod(0o600)
    replace_text(target, "new")
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_link_stays_a_link_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    file, link = tmp_path / "there" / "a.txt", tmp_path / "link"
    file.write_text("old")
    link.symlink_to(file)
    replace_text(link, "new")
    assert link.is_symlink()
    assert not file.is_symlink()
    assert file.read_text() == "new"


def test_a_link_that_leads_nowhere_yet_makes_the_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "a.txt")
    replace_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a.txt").read_text() == "new"


def test_a_pipe_is_written_into_and_stays(pipe: Path) -> None:
    with reader_of(pipe) as found:
        replace_text(pipe, "through")
    assert found == ["through"]
    assert pipe.is_fifo()


def test_nothing_of_a_failure_goes_into_a_pipe(pipe: Path) -> None:
    with reader_of(pipe) as found:
        with pytest.raises(ZeroDivisionError):
            write_half(pipe)
        pipe.write_text("end")
    assert found == ["end"]


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        replace_text(tmp_path, "new")


def test_a_pipe_can_be_read_twice(pipe: Path, tmp_path: Path) -> None:
    thread = threading.Thread(target=lambda: pipe.write_text("through"))
    thread.start()
    with readable_files(tmp_path, pipe) as (folder, copy):
        assert folder == tmp_path
        assert [copy.read_text(), copy.read_text()] == ["through", "through"]
    thread.join(timeout=120)
    assert not copy.exists()


def test_what_is_said_of_a_stream_names_the_stream(pipe: Path) -> None:
    thread = threading.Thread(target=lambda: pipe.write_text(""))
    thread.start()
    with pytest.raises(InputError) as caught, readable_files(pipe) as (copy,):
        raise InputError(f"{copy} is empty.")
    thread.join(timeout=120)
    assert caught.value.message == f"{pipe} is empty."


@pytest.mark.parametrize("cell", ["=1+1", "+1+1", "-2+3", "@sum(A1)", "\t=1", "\r=1", "-47.6 to -25.3"])
def test_a_text_like_a_formula_is_quoted(cell: str) -> None:
    assert csv_text(("a", "b"), [(cell, 1)]).replace('"', "") == f"a,b\n'{cell},1\n"


@pytest.mark.parametrize(
    ("cell", "shown"),
    [(-1.5, "-1.5"), ("-1.5", "-1.5"), ("+2", "+2"), (None, ""), ("a=b", "a=b"), ("–", "–")],
)
def test_what_is_no_formula_stays_as_it_is(cell: object, shown: str) -> None:
    assert csv_text(("a", "b"), [(cell, 1)]) == f"a,b\n{shown},1\n"


@contextmanager
def endless_writer(pipe: Path, *first: bytes) -> Iterator[None]:
    """Write into a pipe on a thread of its own until nobody reads any more."""

    def write() -> None:
        with suppress(BrokenPipeError), pipe.open("wb", buffering=0) as stream:
            for piece in first:
                stream.write(piece)
            while True:
                stream.write(b"x\n" * 1000)

    thread = threading.Thread(target=write)
    thread.start()
    yield
    thread.join(timeout=120)
    assert not thread.is_alive()


def test_a_stream_without_end_is_copied_up_to_a_limit_and_the_copy_removed(
    pipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    with (
        endless_writer(pipe),
        pytest.raises(InputError, match="holds more than 300,000 bytes"),
        readable_files(pipe, most_bytes=300_000),
    ):
        pass
    assert list(scratch.iterdir()) == []


def test_what_a_killed_program_left_of_a_stream_is_removed_by_the_next(
    pipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    left = scratch / ".annotator-stream.0123abcd.tmp"
    left.mkdir(parents=True)
    (left / "stdin").write_text("half")
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    writer = threading.Thread(target=pipe.write_text, args=("whole",))
    writer.start()
    with readable_files(pipe) as (copy,):
        writer.join(timeout=120)
        assert (copy.name, copy.read_text(), left.exists()) == ("pipe", "whole", False)
        assert copy.parent.stat().st_mode & 0o777 == 0o700
    assert list(scratch.iterdir()) == []
