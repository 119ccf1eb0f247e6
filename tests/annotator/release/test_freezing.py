"""Freezing, verifying and comparing releases."""

import json
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from annotator.jobs import JobCancelled, JobContext
from annotator.release.freezing import freeze, freeze_preview, list_releases
from annotator.release.verifying import diff_releases, verify_release
from annotator.review.governing import set_policy
from annotator.review.submitting import reopen
from scoring.errors import BlockedError, ConflictError, ForbiddenError, InputError, StoreError
from scoring.model.taxonomy import Stage
from tests.annotator.team import Team, two_step_case


def _finish(team: Team, *ids: str) -> None:
    set_policy(team["max"], ("solo=true",))
    team.bring(*map(two_step_case, ids))
    for case_id in ids:
        team.self_check("max", case_id)


def _freeze(team: Team, name: str, folder: Path) -> str:
    return freeze(team["max"], name, directory=folder, context=JobContext()).value.content.content_sha256


def test_a_release_holds_every_final_case_in_every_format(team: Team, tmp_path: Path) -> None:
    _finish(team, "c-1", "c-2")
    team.bring(two_step_case("c-3"), batch="later")
    preview = freeze_preview(team["max"])
    assert (preview.case_count, preview.excluded_count) == (2, 1)
    assert [item.reason for item in preview.excluded] == ["nobody has started on it"]
    _freeze(team, "r1", tmp_path / "r1")
    names = sorted(path.name for path in (tmp_path / "r1").iterdir())
    assert names == [
        "README.md",
        "c3bench.jsonl",
        "cases.jsonl",
        "manifest.json",
        "openai.jsonl",
        "wildtoolbench.jsonl",
    ]
    assert len((tmp_path / "r1" / "cases.jsonl").read_text().splitlines()) == 2
    assert verify_release(tmp_path / "r1").ok
    assert (team.stage("c-1"), team.stage("c-3")) == (Stage.RELEASED, Stage.IMPORTED)
    assert [release.name for release in list_releases(team["max"])] == ["r1"]


def test_the_same_cases_give_the_same_bytes(team: Team, tmp_path: Path) -> None:
    _finish(team, "c-1", "c-2")
    first = _freeze(team, "r1", tmp_path / "r1")
    team.clock.forward(days=3)
    second = _freeze(team, "another name", tmp_path / "r2")
    assert first == second
    for name in ("cases.jsonl", "wildtoolbench.jsonl", "c3bench.jsonl", "openai.jsonl"):
        assert (tmp_path / "r1" / name).read_bytes() == (tmp_path / "r2" / name).read_bytes()
    diff = diff_releases(tmp_path / "r1", tmp_path / "r2")
    assert (diff.added, diff.removed, diff.changed, diff.same) == ((), (), (), 2)


def test_verify_finds_any_changed_byte(team: Team, tmp_path: Path) -> None:
    _finish(team, "c-1")
    folder = tmp_path / "r1"
    _freeze(team, "r1", folder)
    for path in sorted(folder.iterdir()):
        whole = path.read_bytes()
        step = max(1, len(whole) // 60)
        for position in range(0, len(whole), step):
            changed = bytes([whole[position] ^ 1])
            path.write_bytes(whole[:position] + changed + whole[position + 1 :])
            assert _is_noticed(folder), f"byte {position} of {path.name}"
        path.write_bytes(whole + b" ")
        assert _is_noticed(folder)
        path.write_bytes(whole)
    assert verify_release(folder).ok
    (folder / "extra.txt").write_text("x")
    assert verify_release(folder).problems == ("extra.txt does not belong to the release.",)


def _is_noticed(folder: Path) -> bool:
    try:
        return not verify_release(folder).ok
    except InputError:
        return True


def test_a_hand_made_manifest_with_a_fitting_seal_still_has_to_fit_the_cases(
    team: Team, tmp_path: Path
) -> None:
    _finish(team, "c-1")
    folder = tmp_path / "r1"
    manifest = freeze(team["max"], "r1", directory=folder, context=JobContext()).value
    forged = type(manifest).seal(
        manifest.content.model_copy(update={"content_sha256": "0" * 64}), manifest.about
    )
    (folder / "manifest.json").write_bytes(forged.to_bytes())
    assert verify_release(folder).problems == (
        "cases.jsonl does not hold the cases whose content hash the manifest states.",
    )


def test_a_diff_names_what_was_added_and_changed(team: Team, tmp_path: Path) -> None:
    _finish(team, "c-1", "c-2")
    _freeze(team, "r1", tmp_path / "r1")
    reopen(team["max"], "c-1", reason="language")
    edited = two_step_case("c-1").model_copy(update={"language": "nb"})
    team.self_check("max", "c-1", edit=edited)
    team.bring(two_step_case("c-3"), batch="more")
    team.self_check("max", "c-3")
    _freeze(team, "r2", tmp_path / "r2")
    diff = diff_releases(tmp_path / "r1", tmp_path / "r2")
    assert (diff.added, diff.removed, diff.changed, diff.same) == (("c-3",), (), ("c-1",), 1)


def test_nothing_final_cannot_be_frozen(team: Team, tmp_path: Path) -> None:
    team.bring(two_step_case())
    with pytest.raises(BlockedError, match="No case is final yet"):
        _freeze(team, "r1", tmp_path / "r1")
    assert not (tmp_path / "r1").exists()


def test_a_name_is_taken_once_and_leaves_no_folder(team: Team, tmp_path: Path) -> None:
    _finish(team, "c-1")
    _freeze(team, "r1", tmp_path / "r1")
    with pytest.raises(ConflictError, match="a release named 'r1' already"):
        _freeze(team, "r1", tmp_path / "r2")
    assert not (tmp_path / "r2").exists()


def test_a_folder_with_something_in_it_is_refused(team: Team, tmp_path: Path) -> None:
    _finish(team, "c-1")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match="not empty"):
        _freeze(team, "r1", tmp_path / "full")
    assert (tmp_path / "full" / "thesis.tex").read_text() == "years of work"


def test_only_a_manager_freezes(team: Team, tmp_path: Path) -> None:
    _finish(team, "c-1")
    with pytest.raises(ForbiddenError, match="not manager"):
        freeze(team["ann"], "r1", directory=tmp_path / "r1", context=JobContext())
    assert not (tmp_path / "r1").exists()


@contextmanager
def _no_file_beyond(size: int) -> Iterator[None]:
    """Let every write beyond a size fail, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_leaves_nothing_behind_and_records_nothing(team: Team, tmp_path: Path) -> None:
    _finish(team, "c-1")
    with _no_file_beyond(500), pytest.raises(StoreError, match="cannot be written"):
        _freeze(team, "r1", tmp_path / "r1")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith((".r1", "r1"))] == []
    assert list_releases(team["max"]) == ()
    assert team.stage("c-1") is Stage.FINAL


def test_a_cancelled_freeze_leaves_nothing_behind(team: Team, tmp_path: Path) -> None:
    import threading

    _finish(team, "c-1")
    stop = threading.Event()
    stop.set()
    with pytest.raises(JobCancelled):
        freeze(team["max"], "r1", directory=tmp_path / "r1", context=JobContext(cancel=stop))
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith((".r1", "r1"))] == []
    assert list_releases(team["max"]) == ()


def test_the_manifest_tells_policy_agreement_and_stage_accuracy(team: Team, tmp_path: Path) -> None:
    _finish(team, "c-1")
    _freeze(team, "r1", tmp_path / "r1")
    about = json.loads((tmp_path / "r1" / "manifest.json").read_text())["about"]
    assert about["policy"]["solo"] is True
    assert about["by"] == "max"
    assert about["statistics"]["tasks by policy"]["multi_serial"] == 1
    assert about["stage_accuracy"][0]["stage"] == "imported"
