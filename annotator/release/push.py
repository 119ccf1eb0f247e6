"""Pushing a release where data sets are shared: a repository of git or the Hub, once it was agreed."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.release.errata import ERRATA
from annotator.release.front_matter import UNKNOWN, licence_of
from annotator.release.manifest import CARD, MANIFEST, Manifest, names_in, read_manifest
from annotator.release.verification import verify_release
from scoring.errors import BlockedError, ConflictError, InputError, StoreError, reworded
from scoring.model.record import Record
from scoring.wording import counted, without_passwords

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_ATTRIBUTES = ".gitattributes"
_BYTES_STAY = "* -text\n"


class Place(StrEnum):
    """Where a release is pushed to."""

    GIT = "git"
    HUB = "hub"


class Push(Record):
    """What a push does, or did: where to, the tag, and in sentences what happens there.

    `is_needed` is False where the release lies there already, whole.
    """

    release: str
    place: Place
    target: str
    tag: str
    steps: tuple[str, ...]
    is_needed: bool
    is_done: bool = False


Agreed = Callable[[Push], bool]


def push_release(directory: Path, place: Place, target: str, *, agreed: Agreed) -> Push:
    """Push a release folder: its files as one commit, then a tag with its name, by which it stays.

    A push that broke off in between is finished by the next.

    Args:
        directory: The folder; it has to verify.
        place: Git or the Hub.
        target: The address of the repository, or the name of the data set, OWNER/NAME.
        agreed: Asked with what would be done, before anything is sent.

    Raises:
        InputError: It is no release folder, or it was changed.
        ConflictError: Another release has this tag there.
        BlockedError: Git or the extra `hub` is not installed.
        StoreError: The place cannot be reached or refuses.
    """
    problems = verify_release(directory).problems
    if problems:
        raise InputError(f"{directory} was changed: {problems[0]}", "Push an unchanged copy.")
    return (_push_git if place is Place.GIT else _push_hub)(directory, target, agreed)


def _planned(
    directory: Path, place: Place, target: str, *, head: bytes | None, tagged: bytes | None, is_same: bool
) -> Push:
    """What is to be done, from the manifests at the newest commit and at the tag; None: there is none."""
    manifest = read_manifest(directory)
    name, own, shown = manifest.about.name, manifest.to_bytes(), without_passwords(target)
    tag = tag_of(manifest)
    if tagged not in (None, own):
        raise ConflictError(f"{shown} has another release under the tag {tag}.", "Freeze under another name.")
    licence = licence_of((directory / CARD).read_text(encoding="utf-8"))
    steps = []
    if head == own and tagged is None:
        steps.append(f"{name} is half pushed: its files are there, its tag is missing.")
    elif head not in (None, own):
        steps.append("Another release lies there: its files are replaced, its commit and tag stay.")
    if not is_same:
        steps.append(f"Commit {counted(len(names_in(directory)), 'file')} of {name}.")
    if tagged is None:
        steps.append(f"Set the tag {tag}.")
    if licence == UNKNOWN and steps:
        steps.append("Its card names no licence: `annotator release card DIR --license NAME`.")
    is_needed = not is_same or tagged is None
    return Push(release=name, place=place, target=shown, tag=tag, steps=tuple(steps), is_needed=is_needed)


def tag_of(manifest: Manifest) -> str:
    """The name of a release as git takes a tag."""
    words = re.findall(r"[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*", manifest.about.name)
    return "-".join(words).removesuffix(".lock") or manifest.content.content_sha256[:12]


def _push_git(directory: Path, target: str, agreed: Agreed) -> Push:
    with tempfile.TemporaryDirectory() as scratch:
        clone = Path(scratch, "clone")
        _git(None, "clone", "-q", "-c", "core.autocrlf=false", "--", target, str(clone))
        tag = tag_of(read_manifest(directory))
        tagged, head = (_manifest_at(clone, ref) for ref in (f"refs/tags/{tag}", "HEAD"))
        is_newest = tagged is None or tagged == head
        if is_newest:
            _replace_files(clone, directory)
        is_same = not is_newest or not _git(clone, "status", "--porcelain")
        plan = _planned(directory, Place.GIT, target, head=head, tagged=tagged, is_same=is_same)
        if not plan.is_needed or not agreed(plan):
            return plan
        if not is_same:
            _git(clone, "commit", "-q", "-m", f"Release {plan.release}")
            if verify_release(clone).problems:
                raise StoreError("A hook of git changed the files.", "Push from a clone without this hook.")
        refs = ["HEAD"]
        if tagged is None:
            _git(clone, "tag", tag)
            refs.append(f"refs/tags/{tag}")
        _git(clone, "push", "-q", "origin", *refs)
        return plan.model_copy(update={"is_done": True})


def _replace_files(clone: Path, directory: Path) -> None:
    """Put the release in the place of whatever the clone has, but for what git keeps for itself."""
    _git(clone, "rm", "-rq", "--ignore-unmatch", "--", ".", f":!{_ATTRIBUTES}", ":!.gitignore")
    if not (clone / _ATTRIBUTES).exists():
        (clone / _ATTRIBUTES).write_text(_BYTES_STAY, encoding="utf-8")
    for name in names_in(directory):
        (clone / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(directory / name, clone / name)
    _git(clone, "add", "-Af", ".")


def _manifest_at(clone: Path, ref: str) -> bytes | None:
    if not _git(clone, "ls-tree", "-r", "--name-only", ref, MANIFEST, may_fail=True):
        return None
    return _git(clone, "cat-file", "blob", f"{ref}:{MANIFEST}")


def _git(folder: Path | None, *words: str, may_fail: bool = False) -> bytes:
    with reworded(
        FileNotFoundError,
        into=lambda _: BlockedError("The program git is not installed.", "Install git, or push to the Hub."),
    ):
        done = subprocess.run(["git", *words], cwd=folder, capture_output=True, check=False)
    if done.returncode and not may_fail:
        said = without_passwords(done.stderr.decode("utf-8", "replace").strip().replace("\n", " "))
        raise StoreError(f"git {words[0]} failed: {said}", "Put that right and push again.")
    return b"" if done.returncode else done.stdout


def _push_hub(directory: Path, target: str, agreed: Agreed) -> Push:
    from httpx2 import HTTPError
    from huggingface_hub import HfApi

    with reworded(
        HTTPError,
        OSError,
        ValueError,
        into=lambda exc: StoreError(
            f"The Hub refuses {target}: {exc}", "See `hf auth login`, then push again."
        ),
    ):
        return _push_to(HfApi(), directory, target, agreed)


def _push_to(api: "HfApi", directory: Path, target: str, agreed: Agreed) -> Push:
    tag, kind = tag_of(read_manifest(directory)), "dataset"
    is_there = api.repo_exists(target, repo_type=kind)
    tags = [ref.name for ref in api.list_repo_refs(target, repo_type=kind).tags] if is_there else []

    def file_at(revision: str, name: str = MANIFEST) -> bytes | None:
        if not is_there or not api.file_exists(target, name, repo_type=kind, revision=revision):
            return None
        return Path(api.hf_hub_download(target, name, repo_type=kind, revision=revision)).read_bytes()

    head, tagged = file_at("main"), file_at(tag) if tag in tags else None
    may_change = [name for name in (MANIFEST, CARD, ERRATA) if (directory / name).exists()]
    is_same = all((directory / name).read_bytes() == file_at("main", name) for name in may_change)
    is_same = is_same or tagged not in (None, head)
    plan = _planned(directory, Place.HUB, target, head=head, tagged=tagged, is_same=is_same)
    if not plan.is_needed or not agreed(plan):
        return plan
    if not is_same:
        api.create_repo(target, repo_type=kind, private=True, exist_ok=True)
        api.upload_folder(
            repo_id=target,
            folder_path=directory,
            repo_type=kind,
            commit_message=f"Release {plan.release}",
            allow_patterns=sorted(names_in(directory)),
            delete_patterns="*",
        )
    if tagged is None:
        api.create_tag(target, tag=tag, repo_type=kind)
    return plan.model_copy(update={"is_done": True})
