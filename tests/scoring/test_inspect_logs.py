"""Logs of Inspect as predictions: packed and as JSON, of an exported task and of another."""

import json
import sys
import zipfile
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

import pytest

from scoring.errors import InputError
from scoring.formats import containers
from scoring.prediction_files import read_predictions, recorded_setting
from scoring.predictions import Ignored, InfraError, Prediction, Reply
from tests.shared import SHARED, needs_shared

NEEDS_PACKAGE = sys.version_info < (3, 14)
zstandard = import_module("backports.zstd.zipfile" if NEEDS_PACKAGE else "zipfile")
SETTING = {"model": "mockllm/model", "protocol": "c2", "tools": "native"}
PREDICTION = {"case": "c-1", "task": 1, "replies": [{"content": "Sunny."}], "setting": SETTING}
RIGHT = {
    "id": "c-1 2",
    "metadata": {"case": "c-1", "task": 1},
    "scores": {"other": {"value": 1}, "is_right": {"value": "C", "metadata": PREDICTION}},
}
FAILED = {
    "id": "c-1 1",
    "metadata": {"case": "c-1", "task": 0},
    "scores": None,
    "error": {"message": "503", "traceback": "…"},
}
STRANGE = {"id": 1, "scores": {"match": {"value": "I", "metadata": None}}}
SAMPLES = [RIGHT, FAILED, STRANGE]


def as_json(path: Path, samples: Sequence[object]) -> None:
    path.write_text(json.dumps({"version": 2, "status": "success", "eval": {}, "samples": samples}))


def deflated(path: Path, samples: Sequence[object]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        _fill(archive.writestr, samples)


def by_zstandard(path: Path, samples: Sequence[object]) -> None:
    with zstandard.ZipFile(path, "w", zstandard.ZIP_ZSTANDARD) as archive:
        _fill(archive.writestr, samples)


def _fill(write: Callable[[str, str], None], samples: Sequence[object]) -> None:
    write("_journal/start.json", json.dumps({"version": 2, "eval": {}}))
    for number, sample in enumerate(samples):
        write(f"samples/{number}_epoch_1.json", json.dumps(sample))
    write("header.json", "{}")


Writer = Callable[[Path, Sequence[object]], None]


@pytest.mark.parametrize("write", [as_json, deflated, by_zstandard])
def test_each_sample_of_an_exported_task_is_a_prediction(tmp_path: Path, write: Writer) -> None:
    path = tmp_path / "log.eval"
    write(path, SAMPLES)
    right, failed, strange = read_predictions(path)
    assert right == Prediction(case="c-1", task=1, replies=(Reply(content="Sunny."),), file=str(path), line=1)
    assert failed == Prediction(
        case="c-1", task=0, error=InfraError(kind="inspect", message="503"), file=str(path), line=2
    )
    assert isinstance(strange, Ignored)
    assert (strange.line, "scorer of an exported task" in strange.reason) == (3, True)
    assert recorded_setting([path]) == SETTING


def test_a_log_is_read_beside_other_files_of_a_run(tmp_path: Path) -> None:
    packed, own = tmp_path / "a.eval", tmp_path / "b.jsonl"
    deflated(packed, [RIGHT])
    own.write_text(json.dumps(PREDICTION | {"task": 0}) + "\n")
    assert [one.task for one in read_predictions(packed, own)] == [1, 0]


@pytest.mark.skipif(not NEEDS_PACKAGE, reason="Python itself unpacks it")
def test_without_the_package_that_unpacks_it_a_log_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.eval"
    by_zstandard(path, SAMPLES)
    monkeypatch.setattr(containers, "zipfile", zipfile)
    with pytest.raises(InputError) as refused:
        list(read_predictions(path))
    assert "packed by Zstandard" in refused.value.message
    assert "annotator-workbench[inspect]" in refused.value.hint
    assert "inspect log dump" in refused.value.hint


def _cut(whole: bytes) -> bytes:
    return whole[: len(whole) // 2]


def _garbled(whole: bytes) -> bytes:
    return whole.replace(b'"metadata"', b'"\xff"')


def _flipped(whole: bytes) -> bytes:
    place = whole.index(b".json", whole.index(b"samples/")) + 12
    return whole[:place] + bytes(byte ^ 0xFF for byte in whole[place : place + 8]) + whole[place + 8 :]


@pytest.mark.parametrize(
    ("write", "damage"),
    [
        (as_json, _cut),
        (as_json, _garbled),
        (deflated, _cut),
        (deflated, _flipped),
        (by_zstandard, _cut),
        (by_zstandard, _flipped),
    ],
)
def test_a_damaged_log_is_named(tmp_path: Path, write: Writer, damage: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "log.eval"
    write(path, SAMPLES)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(InputError, match=r"log\.eval is damaged"):
        list(read_predictions(path))


@pytest.mark.parametrize("samples", ["none", {"samples": "none"}, [1], [{"scores": [], "metadata": 3}]])
def test_a_log_of_another_shape_is_damaged_and_no_traceback(tmp_path: Path, samples: object) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"version": 2, "eval": {}, "samples": samples}))
    with pytest.raises(InputError, match="damaged"):
        list(read_predictions(path))


def test_a_log_without_samples_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    deflated(path, [])
    assert list(read_predictions(path)) == []
    assert recorded_setting([path]) == {}


@pytest.mark.shared
@needs_shared
def test_a_real_log_of_another_task_holds_no_predictions() -> None:
    found = list(read_predictions(SHARED / "data" / "inspect_browser.json"))
    assert found
    assert all(isinstance(one, Ignored) for one in found)


def test_a_packed_sample_is_read_when_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    deflated(path, [RIGHT, "no sample"])
    found = read_predictions(path)
    assert isinstance(next(found), Prediction)
    with pytest.raises(InputError):
        next(found)
