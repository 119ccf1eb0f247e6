"""Freezing, verifying and comparing releases."""

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.jobs import JobCancelled, JobContext
from annotator.release.freeze import freeze, freeze_preview, list_releases
from annotator.release.manifest import About, Content, KeptDefect, Manifest, read_manifest
from annotator.release.runs.evaluation import evaluate, load_cases
from annotator.release.verification import diff_releases, verify_release
from annotator.review.expert.decisions import Decision, KeptField, Own
from annotator.review.policy_changes import change_review_policy
from annotator.review.withdrawals import reopen
from scoring.errors import BlockedError, ConflictError, ForbiddenError, InputError, StoreError
from scoring.model.case import Now
from scoring.model.taxonomy import Stage, Verdict
from tests.annotator.team import Team, two_step_case
from tests.scoring.formats import released_code
from tests.shared import ROOT, full_disk


def _finish(team: Team, *ids: str) -> None:
    change_review_policy(team["max"], ("solo=true",))
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
        "croissant.json",
        "data",
        "manifest.json",
        "manifest.sha256",
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
    for name in ("cases.jsonl", "wildtoolbench.jsonl", "c3bench.jsonl", "openai.jsonl", "data/cases.jsonl"):
        assert (tmp_path / "r1" / name).read_bytes() == (tmp_path / "r2" / name).read_bytes()
    diff = diff_releases(tmp_path / "r1", tmp_path / "r2")
    assert (diff.added, diff.removed, diff.changed, diff.same) == ((), (), (), 2)


def test_several_processes_write_the_same_bytes(
    team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One case in the middle has a time of its own, which one format cannot express."""
    timed = two_step_case("c-2")
    [only] = timed.tasks
    own = only.model_copy(update={"now": Now.read("2024-07-11 22:11:58")})
    change_review_policy(team["max"], ("solo=true",))
    team.bring(two_step_case("c-1"), timed.model_copy(update={"tasks": (own,)}), two_step_case("c-3"))
    for case_id in ("c-1", "c-2", "c-3"):
        team.self_check("max", case_id)
    _freeze(team, "r1", tmp_path / "r1")
    monkeypatch.setattr("annotator.release.freeze._MANY", 0)
    monkeypatch.setattr("annotator.release.freeze._CHUNK", 1)
    _freeze(team, "r2", tmp_path / "r2")
    one, two = (read_manifest(tmp_path / name).content for name in ("r1", "r2"))
    assert one == two
    assert [(item.file, item.case_id) for item in one.not_expressed] == [("wildtoolbench.jsonl", "c-2")]
    lines = (tmp_path / "r2" / "wildtoolbench.jsonl").read_text().splitlines()
    numbers = [json.loads(line)["id"] for line in lines]
    assert numbers == ["wild_tool_bench_0", "wild_tool_bench_1"]


def test_results_for_a_release_come_back_to_its_cases_through_its_lines(team: Team, tmp_path: Path) -> None:
    requests = {f"c-{i}": f"Send parcel {i} on." for i in (2, 9, 10)}
    change_review_policy(team["max"], ("solo=true",))
    for case_id, request in requests.items():
        made = two_step_case(case_id)
        team.bring(made.model_copy(update={"tasks": (made.tasks[0].model_copy(update={"user": request}),)}))
        team.self_check("max", case_id)
    folder = tmp_path / "r1"
    _freeze(team, "r1", folder)
    lines = released_code.load((folder / "wildtoolbench.jsonl").read_bytes())
    assert [(line["id"], line["case_id"]) for line in lines] == [
        ("wild_tool_bench_0", "c-2"),
        ("wild_tool_bench_1", "c-9"),
        ("wild_tool_bench_2", "c-10"),
    ]
    results = tmp_path / "results.jsonl"
    told = released_code.wildtool_results(lines, lambda text: True)
    results.write_text("".join(json.dumps(result) + "\n" for result in told))
    cases = load_cases(folder)
    card = evaluate(cases, [results], context=JobContext(), source=folder)
    assert (card.ignored, card.summary.missing) == ((), 0)
    with pytest.raises(InputError, match="No prediction fits the 3 cases"):
        evaluate(cases, [results], context=JobContext(), source=folder / "cases.jsonl")


def test_verify_finds_any_changed_byte(team: Team, tmp_path: Path) -> None:
    _finish(team, "c-1")
    folder = tmp_path / "r1"
    _freeze(team, "r1", folder)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        whole = path.read_bytes()
        step = max(1, len(whole) // 60)
        named = re.search(rb"license: unknown", whole)  # the one place that is the owner's
        owners = range(*named.span()) if named and path.name == "README.md" else ()
        for position in range(0, len(whole), step):
            if position in owners:
                continue
            changed = bytes([whole[position] ^ 1])
            path.write_bytes(whole[:position] + changed + whole[position + 1 :])
            assert _is_noticed(folder), f"byte {position} of {path.name}"
        path.write_bytes(whole + b" ")
        assert _is_noticed(folder)
        path.write_bytes(whole)
    assert verify_release(folder).ok
    (folder / "extra.txt").write_text("x")
    (folder / "data" / "more.jsonl").write_text("{}")
    assert verify_release(folder).problems == (
        "data/more.jsonl does not belong to the release.",
        "extra.txt does not belong to the release.",
    )


def test_a_release_in_a_repository_with_hooks_verifies(team: Team, tmp_path: Path) -> None:
    _finish(team, "c-1")
    folder = tmp_path / "r1"
    _freeze(team, "r1", folder)
    subprocess.run(["git", "init", "-q", folder], check=True)
    hook = folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 0\n")
    (folder / ".gitattributes").write_text("* -text\n")
    (folder / ".gitignore").write_text("*.tmp\n")
    assert verify_release(folder).problems == ()
    (folder / ".github").mkdir()
    (folder / ".gitmodules").write_text("")
    assert verify_release(folder).problems == (
        ".github does not belong to the release.",
        ".gitmodules does not belong to the release.",
    )


def test_a_release_of_an_earlier_program_verifies_in_a_repository(tmp_path: Path) -> None:
    folder = tmp_path / "earlier"
    shutil.copytree(ROOT / "tests" / "golden" / "earlier_release", folder)
    (folder / ".git").write_text("gitdir: elsewhere\n")  # as a worktree or a submodule has it
    assert verify_release(folder).problems == ()


def _replace_manifest(folder: Path, forged: Manifest) -> None:
    """Put another manifest into a release folder, with the checksum that fits it."""
    (folder / "manifest.json").write_bytes(forged.to_bytes())
    (folder / "manifest.sha256").write_bytes(forged.seal_line)


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
    _replace_manifest(folder, forged)
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


def test_a_next_release_knows_its_predecessor(team: Team, tmp_path: Path) -> None:
    _finish(team, "c-1", "c-2")
    _freeze(team, "r1", tmp_path / "r1")
    reopen(team["max"], "c-1", reason="language")
    _freeze(team, "r2", tmp_path / "r2")
    team.self_check("max", "c-1", edit=two_step_case("c-1").model_copy(update={"language": "nb"}))
    _freeze(team, "r3", tmp_path / "r3")
    first, second, third = (read_manifest(tmp_path / name).about for name in ("r1", "r2", "r3"))
    assert [about.version for about in (first, second, third)] == ["1.0.0", "2.0.0", "2.1.0"]
    assert first.previous is None
    assert second.previous is not None
    assert (second.previous.name, second.previous.removed, second.previous.changed) == ("r1", ("c-1",), ())
    assert third.previous is not None
    assert (third.previous.name, third.previous.added, third.previous.changed) == ("r2", ("c-1",), ())
    card = (tmp_path / "r2" / "README.md").read_text("utf-8")
    assert "## Version 2.0.0, after r1\n\n- `c-1` removed\n" in card
    reopen(team["max"], "c-1", reason="once more")
    team.self_check("max", "c-1", edit=two_step_case("c-1"))
    _freeze(team, "r4", tmp_path / "r4")
    last = read_manifest(tmp_path / "r4").about
    assert (last.version, last.previous is not None and last.previous.changed) == ("2.1.1", ("c-1",))
    assert last.previous is not None
    assert last.previous.errata.keys() == {"c-1"}
    assert verify_release(tmp_path / "r4").ok


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
    with pytest.raises(ForbiddenError, match="not a manager"):
        freeze(team["ann"], "r1", directory=tmp_path / "r1", context=JobContext())
    assert not (tmp_path / "r1").exists()


def test_a_full_disk_leaves_nothing_behind_and_records_nothing(team: Team, tmp_path: Path) -> None:
    _finish(team, "c-1")
    with full_disk(500), pytest.raises(StoreError, match="cannot be written"):
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


_FREEZING = """
import os, signal, sys
from pathlib import Path
from sqlalchemy import Engine, event
from annotator.jobs import JobContext
from annotator.project.workspace import open_workspace
from annotator.release import freeze

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

directory, point = Path(sys.argv[2]), sys.argv[3]
workspace = open_workspace(sys.argv[1], "max")
if point == "placed":
    event.listen(Engine, "commit", lambda _: directory.exists() and die())
if point == "recorded":
    run = workspace.run
    workspace.run = lambda *a, **k: (run(*a, **k), directory.exists() and die())[0]
context = JobContext(die if point == "writing" else None)
freeze.freeze(workspace, "r1", directory=directory, context=context)
"""


def _kill_a_freeze(team: Team, folder: Path, point: str) -> None:
    command = [sys.executable, "-c", _FREEZING, team.url, str(folder), point]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.parametrize("point", ["writing", "placed"])
def test_a_freeze_that_was_killed_before_it_was_recorded_is_taken_back_by_the_next(
    team: Team, tmp_path: Path, point: str
) -> None:
    _finish(team, "c-1")
    _kill_a_freeze(team, tmp_path / "r1", point)
    assert (tmp_path / "r1").exists() is (point == "placed")
    assert list_releases(team["max"]) == ()
    team.bring(two_step_case("c-2"), batch="later")
    team.self_check("max", "c-2")
    _freeze(team, "r1", tmp_path / "r1")
    report = verify_release(tmp_path / "r1")
    assert (report.problems, report.case_count) == ((), 2)
    assert list(tmp_path.glob(".r1*")) == []


def test_a_freeze_that_was_killed_after_it_was_recorded_stays(team: Team, tmp_path: Path) -> None:
    _finish(team, "c-1")
    _kill_a_freeze(team, tmp_path / "r1", "recorded")
    with pytest.raises(InputError, match="not empty"):
        _freeze(team, "r2", tmp_path / "r1")
    assert verify_release(tmp_path / "r1").ok
    assert [release.name for release in list_releases(team["max"])] == ["r1"]
    assert list(tmp_path.glob(".r1*")) == []


def test_a_folder_that_somebody_put_something_into_is_never_taken_back(team: Team, tmp_path: Path) -> None:
    _finish(team, "c-1")
    _kill_a_freeze(team, tmp_path / "r1", "placed")
    (tmp_path / "r1" / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match="not empty"):
        _freeze(team, "r1", tmp_path / "r1")
    assert (tmp_path / "r1" / "thesis.tex").exists()


@pytest.mark.parametrize("name", ["cases.jsonl", "README.md", "manifest.json"])
def test_a_link_in_the_place_of_a_file_of_a_release_is_a_change(
    team: Team, tmp_path: Path, name: str
) -> None:
    _finish(team, "c-1")
    folder = tmp_path / "r1"
    _freeze(team, "r1", folder)
    (folder / name).symlink_to((folder / name).rename(tmp_path / "elsewhere"))
    assert verify_release(folder).problems == (f"{name} is a symbolic link, which a release has none of.",)


def test_a_link_beside_the_files_of_a_release_is_a_change(team: Team, tmp_path: Path) -> None:
    _finish(team, "c-1")
    folder = tmp_path / "r1"
    _freeze(team, "r1", folder)
    (folder / "more").symlink_to(tmp_path, target_is_directory=True)
    assert verify_release(folder).problems == ("more is a symbolic link, which a release has none of.",)


def test_the_manifest_tells_policy_agreement_and_stage_accuracy(team: Team, tmp_path: Path) -> None:
    _finish(team, "c-1")
    _freeze(team, "r1", tmp_path / "r1")
    about = json.loads((tmp_path / "r1" / "manifest.json").read_text())["about"]
    assert about["policy"]["solo"] is True
    assert about["by"] == "max"
    assert about["statistics"]["tasks by policy"]["multi_serial"] == 1
    assert about["stage_accuracy"][0]["stage"] == "imported"


def _keep_a_defect(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1", wrong_calls={0: [1]})
    team.cross_check("cleo", "c-1")
    kept = KeptField(field="task.0.call.1.correct", reason="the tool is broken on purpose")
    fields: dict[str, str | Own] = {"task.0.call.1.correct": "A"}
    team.decide("c-1", Decision(fields=fields, verdict=Verdict.APPROVE, kept=(kept,)))


def test_a_freeze_lists_the_defects_that_were_kept_on_purpose(team: Team, tmp_path: Path) -> None:
    _keep_a_defect(team)
    kept = KeptDefect(case_id="c-1", field="task.0.call.1.correct", reason="the tool is broken on purpose")
    assert freeze_preview(team["max"]).kept == (kept,)
    manifest = freeze(team["max"], "r1", directory=tmp_path / "r1", context=JobContext()).value
    assert manifest.about.kept == (kept,)
    card = (tmp_path / "r1" / "README.md").read_text()
    assert "- `c-1`: Task 1: call 1 is wrong. the tool is broken on purpose" in card
    assert verify_release(tmp_path / "r1").ok


def test_a_defect_kept_in_an_earlier_round_is_not_listed(team: Team, tmp_path: Path) -> None:
    _keep_a_defect(team)
    reopen(team["eve"], "c-1", reason="it can be corrected now")
    change_review_policy(team["max"], ("cross_check=false", "expert_sample=false"))
    team.self_check("ann", "c-1")
    assert (team.stage("c-1"), freeze_preview(team["max"]).kept) == (Stage.FINAL, ())


def test_a_release_that_was_made_anew_is_not_the_one_the_project_recorded(team: Team, tmp_path: Path) -> None:
    _finish(team, "c-1")
    folder = tmp_path / "r1"
    manifest = freeze(team["max"], "r1", directory=folder, context=JobContext()).value
    assert verify_release(folder, recorded_in=team["max"]).ok
    place = team["max"].shown_place
    doctored = manifest.about.model_copy(update={"by": "somebody"})
    _replace_manifest(folder, Manifest.seal(manifest.content, doctored))
    assert verify_release(folder).ok
    assert verify_release(folder, recorded_in=team["max"]).problems == (
        f"manifest.json is not the one that {place} recorded for r1.",
    )
    content = manifest.content.model_copy(update={"content_sha256": "0" * 64})
    _replace_manifest(folder, Manifest.seal(content, manifest.about))
    said = f"{place} recorded other cases for r1: content hash {manifest.content.content_sha256}."
    assert said in verify_release(folder, recorded_in=team["max"]).problems
    renamed = manifest.about.model_copy(update={"name": "r9"})
    _replace_manifest(folder, Manifest.seal(manifest.content, renamed))
    assert verify_release(folder, recorded_in=team["max"]).problems == (
        f"{place} has recorded no release 'r9'.",
    )


def test_a_release_frozen_before_defects_were_listed_still_verifies(team: Team, tmp_path: Path) -> None:
    _finish(team, "c-1")
    _freeze(team, "r1", tmp_path / "r1")
    path = tmp_path / "r1" / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["about"]["kept"]
    content = Content.model_validate(manifest["content"])
    _replace_manifest(path.parent, Manifest.seal(content, About.model_validate(manifest["about"])))
    assert "kept" not in json.loads(path.read_text())["about"]
    assert verify_release(tmp_path / "r1").ok
