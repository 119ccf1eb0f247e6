"""The diary of a window that is killed: what was written whole is read, a line that was cut off is not."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.e2e.keys.diary import Diary, Line, Reader


def test_a_line_that_a_kill_cut_off_spoils_none_of_the_next_life(tmp_path: Path) -> None:
    path = tmp_path / "diary.jsonl"
    Diary(path).write(Line(at=1.0, kind="shown"))
    whole = path.read_bytes()
    reader = Reader(path)
    assert [line.at for line in reader.read()] == [1.0]
    path.write_bytes(whole + whole[:20])
    assert reader.read() == []
    Diary(path).write(Line(at=2.0, kind="shown"))
    assert [line.at for line in reader.read()] == [2.0]


def test_a_whole_line_that_is_no_line_of_a_diary_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "diary.jsonl"
    path.write_bytes(b'{"at": "never"}\n')
    with pytest.raises(ValidationError):
        Reader(path).read()
