"""Releases pushed into a repository of git and to the Hub, and pushes that broke off."""

import json
import shutil
import subprocess
from inspect import signature
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from annotator.release.manifest import About, Content, Manifest
from annotator.release.push import Place, push_release
from annotator.release.verification import verify_release
from scoring.errors import ConflictError, InputError, StoreError
from tests.shared import ROOT


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("GIT_AUTHOR", "GIT_COMMITTER"):
        monkeypatch.setenv(f"{variable}_NAME", "max")
        monkeypatch.setenv(f"{variable}_EMAIL", "max@example.org")
    return Path(shutil.copytree(ROOT / "tests" / "golden" / "earlier_release", tmp_path / "release"))


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    _git("init", "-q", "--bare", tmp_path / "remote.git")
    return tmp_path / "remote.git"


def _git(*words: object) -> str:
    return subprocess.run(["git", *map(str, words)], check=True, capture_output=True, text=True).stdout


def _renamed(release: Path, name: str) -> Path:
    """The same cases under another name."""
    body = json.loads((release / "manifest.json").read_text())
    about = About.model_validate({**body["about"], "name": name})
    manifest = Manifest.seal(Content.model_validate(body["content"]), about)
    (release / "manifest.json").write_bytes(manifest.to_bytes())
    return release


def test_a_release_pushed_to_git_verifies_where_it_is_cloned(
    release: Path, remote: Path, tmp_path: Path
) -> None:
    pushed = push_release(release, Place.GIT, str(remote), agreed=lambda _: True)
    assert (pushed.is_done, pushed.tag) == (True, "earlier")
    assert pushed.steps == ("Commit 6 files of earlier.", "Set the tag earlier.")
    _git("clone", "-q", "-c", "core.autocrlf=true", "-b", "earlier", remote, tmp_path / "clone")
    assert verify_release(tmp_path / "clone").problems == ()
    again = push_release(release, Place.GIT, str(remote), agreed=lambda _: pytest.fail("nothing to agree to"))
    assert (again.is_needed, again.is_done) == (False, False)
    (release / "errata.json").write_text("{}")
    with pytest.raises(InputError, match=r"errata\.json cannot be checked"):
        push_release(release, Place.GIT, str(remote), agreed=lambda _: True)


def test_nothing_is_pushed_that_was_not_agreed(release: Path, remote: Path) -> None:
    assert not push_release(release, Place.GIT, str(remote), agreed=lambda _: False).is_done
    assert _git("-C", remote, "for-each-ref") == ""


def test_a_half_pushed_release_is_told_and_pushed_again(release: Path, remote: Path) -> None:
    push_release(release, Place.GIT, str(remote), agreed=lambda _: True)
    _git("-C", remote, "tag", "-d", "earlier")
    again = push_release(release, Place.GIT, str(remote), agreed=lambda _: True)
    assert again.steps == (
        "earlier is half pushed: its files are there, its tag is missing.",
        "Set the tag earlier.",
    )
    assert _git("-C", remote, "tag").split() == ["earlier"]


def test_the_next_release_replaces_the_files_and_keeps_the_tag_of_the_last(
    release: Path, remote: Path
) -> None:
    push_release(release, Place.GIT, str(remote), agreed=lambda _: True)
    pushed = push_release(_renamed(release, "2026.12 final"), Place.GIT, str(remote), agreed=lambda _: True)
    assert pushed.steps[0].startswith("Another release lies there")
    assert _git("-C", remote, "tag").split() == ["2026.12-final", "earlier"]


def test_a_tag_of_another_release_is_never_moved(release: Path, remote: Path, tmp_path: Path) -> None:
    push_release(release, Place.GIT, str(remote), agreed=lambda _: True)
    other = _renamed(release, "earlier!")  # the same tag, another manifest
    with pytest.raises(ConflictError, match="has another release under the tag earlier"):
        push_release(other, Place.GIT, str(remote), agreed=lambda _: True)


def test_a_changed_release_and_a_place_that_is_not_there_are_refused(release: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="git clone failed"):
        push_release(release, Place.GIT, str(tmp_path / "nowhere"), agreed=lambda _: True)
    (release / "cases.jsonl").write_text("{}")
    with pytest.raises(InputError, match=r"cases\.jsonl was changed"):
        push_release(release, Place.GIT, "unused", agreed=lambda _: True)


def test_the_hub_is_told_the_same_and_a_broken_push_is_finished(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="2026-11-27: needs the extra hub")
    api = hub.HfApi
    stored, tags, breaks = tmp_path / "stored", list[str](), [True]

    def stands_for(name: str, answer: Any) -> None:
        def call(self: Any, *words: Any, **named: Any) -> Any:
            told = signature(real).bind(self, *words, **named)  # the arguments are those of the package
            return answer(told.arguments)

        real = getattr(api, name)
        monkeypatch.setattr(api, name, call)

    def upload(told: dict[str, Any]) -> None:
        shutil.copytree(told["folder_path"], stored)
        if breaks:
            breaks.clear()
            raise OSError("connection lost")

    stands_for("repo_exists", lambda _: stored.exists())
    stands_for("list_repo_refs", lambda _: SimpleNamespace(tags=[SimpleNamespace(name=tag) for tag in tags]))
    stands_for("file_exists", lambda told: (stored / told["filename"]).exists())
    stands_for("hf_hub_download", lambda told: str(stored / told["filename"]))
    stands_for("create_repo", lambda told: None)
    stands_for("upload_folder", upload)
    stands_for("create_tag", lambda told: tags.append(told["tag"]))
    with pytest.raises(StoreError, match="The Hub refuses me/cases: connection lost"):
        push_release(release, Place.HUB, "me/cases", agreed=lambda _: True)
    assert (
        push_release(release, Place.HUB, "me/cases", agreed=lambda _: True)
        .steps[0]
        .startswith("earlier is half pushed")
    )
    assert tags == ["earlier"]
    assert not push_release(release, Place.HUB, "me/cases", agreed=lambda _: True).is_needed
