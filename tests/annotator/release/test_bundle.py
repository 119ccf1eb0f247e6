"""A release with its runs as one file, and what is noticed when somebody changes it."""

import hashlib
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.jobs import JobContext
from annotator.release import bundle as bundles
from annotator.release.bundle import BUNDLE, Bundle, verify_bundle, write_bundle
from annotator.release.manifest import FileEntry
from annotator.resources import resource_path
from annotator.teval.items_folder import write_items
from annotator.teval.results import score_replies, write_result
from scoring.errors import InputError, StoreError
from scoring.teval.derivation import derive
from scoring.teval.evaluators import TEvalProfile
from scoring.teval.items import ItemSet
from scoring.teval.similarity import CharacterTriples
from tests.scoring.teval.gold_replies import full_case, gold_replies
from tests.shared import full_disk

SAMPLES = resource_path("samples")
RUNS = [SAMPLES / f"predictions_{kind}.jsonl" for kind in ("careful", "careless")]
Files = dict[str, bytes]


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report of one word: its pictures take seconds and have tests of their own."""
    monkeypatch.setattr(bundles, "report", lambda *_, **__: b"report")


@pytest.fixture
def packed(tmp_path: Path, released_sample: Path) -> Path:
    """The bundle of the sample release and its two runs."""
    write_bundle(released_sample / "release", RUNS, tmp_path / "b.zip", context=JobContext())
    return tmp_path / "b.zip"


def problems_of(packed: Path) -> tuple[str, ...]:
    return verify_bundle(packed, context=JobContext()).problems


def change(packed: Path, edit: Callable[[Files], object]) -> None:
    """Change the files of a bundle, and leave its list of them as it is."""
    with zipfile.ZipFile(packed) as old:
        files = {name: old.read(name) for name in old.namelist()}
    edit(files)
    with zipfile.ZipFile(packed, "w") as new:
        for name, data in files.items():
            new.writestr(name, data)


def sealed(packed: Path, edit: Callable[[Files], object]) -> None:
    """Change the files of a bundle and its list of them, as somebody does who wants to hide it."""

    def edit_all(files: Files) -> None:
        edit(files)
        entries = {
            name: FileEntry(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
            for name, data in files.items()
            if name != BUNDLE
        }
        bundle = Bundle.model_validate_json(files[BUNDLE]).model_copy(update={"files": entries})
        files[BUNDLE] = bundle.model_copy(update={"bundle_sha256": bundle.seal}).model_dump_json().encode()

    change(packed, edit_all)


def test_the_same_inputs_give_the_same_bytes_and_everything_is_in_it(
    packed: Path, released_sample: Path, tmp_path: Path
) -> None:
    release = released_sample / "release"
    again = write_bundle(release, RUNS, tmp_path / "again.zip", context=JobContext())
    assert packed.read_bytes() == (tmp_path / "again.zip").read_bytes()
    with zipfile.ZipFile(packed) as file:
        assert set(file.namelist()) == {BUNDLE, *again.files}
        assert file.read("predictions/2/predictions_careless.jsonl") == RUNS[1].read_bytes()
        assert file.read("release/cases.jsonl") == (release / "cases.jsonl").read_bytes()
    assert {"report.html", "scores/2/tasks.csv", "release/manifest.json"} < set(again.files)
    found = verify_bundle(packed, context=JobContext())
    assert (found.problems, found.release, len(found.runs)) == ((), "release", 2)


def test_a_file_of_cases_is_bundled_like_a_release(tmp_path: Path) -> None:
    write_bundle(SAMPLES / "cases.jsonl", RUNS[:1], tmp_path / "b.zip", context=JobContext())
    found = verify_bundle(tmp_path / "b.zip", context=JobContext())
    assert (found.problems, found.release) == ((), "release/cases.jsonl")
    with zipfile.ZipFile(tmp_path / "b.zip") as file:
        score = json.loads(file.read("scores/1/scorecard.json"))
    # 48 of 56 tasks are right (scoring 10).
    right = score["summary"]["accuracy"]["tasks"]
    assert (right["count"], right["total"]) == (48, 56)


def test_results_of_teval_are_packed_and_other_items_are_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "abilities"
    items = derive([full_case()]).items
    write_items(ItemSet(items=items, replies=gold_replies(items)), tmp_path / "model-a")
    both = tmp_path / "model-a", tmp_path / "model-a"
    found = score_replies(
        *both, profiles=tuple(TEvalProfile), similarity=CharacterTriples(), context=JobContext()
    )
    write_result(found, folder)
    bundle = write_bundle(
        SAMPLES / "cases.jsonl", RUNS[:1], tmp_path / "b.zip", teval=[folder], context=JobContext()
    )
    assert bundle.teval == ("teval/1/abilities",)
    assert problems_of(tmp_path / "b.zip") == ()
    with zipfile.ZipFile(tmp_path / "b.zip") as file:
        assert file.read("teval/1/abilities/teval.json") == (folder / "teval.json").read_bytes()
    [review] = [name for name in bundle.files if name.startswith("teval/") and "review" in name]
    sealed(tmp_path / "b.zip", lambda files: files.pop(review))
    assert problems_of(tmp_path / "b.zip") == (
        "teval/1/abilities holds other items than those that were scored.",
    )


def _more(name: str) -> Callable[[Files], object]:
    def edit(files: Files) -> None:
        files[name] = files.get(name, b"") + b" "

    return edit


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (
            _more("predictions/1/predictions_careful.jsonl"),
            "predictions/1/predictions_careful.jsonl was changed: its checksum does not fit.",
        ),
        (_more("release/README.md"), "release/README.md was changed: its checksum does not fit."),
        (_more("notes.txt"), "notes.txt does not belong to the bundle."),
        (_more("../evil.txt"), "../evil.txt does not belong to the bundle."),
        (lambda files: files.pop("scores/2/tasks.csv"), "scores/2/tasks.csv is missing."),
        (
            lambda files: files.update({BUNDLE: files[BUNDLE].replace(b'"program": "', b'"program": "9')}),
            "bundle.json was changed: its checksum does not fit.",
        ),
    ],
)
def test_whatever_is_changed_is_named(packed: Path, edit: Callable[[Files], object], told: str) -> None:
    change(packed, edit)
    assert problems_of(packed) == (told,)


def test_a_file_that_is_there_twice_is_named(packed: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(packed, "a") as file:
        file.writestr("report.html", "another")
    assert problems_of(packed) == ("report.html is there twice.",)


def test_a_listed_name_outside_the_bundle_is_not_written(packed: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    sealed(packed, _more(str(outside)))
    assert problems_of(packed) == (f"{outside} does not belong to the bundle.",)
    assert not outside.exists()


def test_scores_that_the_predictions_do_not_give_are_noticed(packed: Path) -> None:
    def flatter(files: Files) -> None:
        files["scores/2/scorecard.json"] = files["scores/2/scorecard.json"].replace(
            b'"count": 20', b'"count": 50'
        )

    sealed(packed, flatter)
    [problem] = problems_of(packed)
    assert problem.startswith("scores/2/scorecard.json: scorer ")


def test_a_release_that_was_changed_is_noticed_in_the_bundle(packed: Path) -> None:
    sealed(packed, _more("release/README.md"))
    assert problems_of(packed) == ("release: README.md was changed: its checksum does not fit.",)


def test_a_file_that_is_listed_and_cannot_be_read_is_named_as_in_the_bundle(packed: Path) -> None:
    sealed(packed, lambda files: files.update({"scores/1/scorecard.json": b"{}"}))
    assert problems_of(packed) == ("scores/1/scorecard.json is not a scorecard.",)


def test_a_changed_release_is_not_packed(tmp_path: Path, released_sample: Path) -> None:
    release = Path(shutil.copytree(released_sample / "release", tmp_path / "release"))
    (release / "README.md").write_text("better")
    with pytest.raises(InputError, match=r"not as it was frozen: README\.md was changed"):
        write_bundle(release, RUNS, tmp_path / "b.zip", context=JobContext())
    assert not (tmp_path / "b.zip").exists()


def test_what_is_no_bundle_is_said(tmp_path: Path, packed: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK or not")
    with pytest.raises(InputError, match=r"a\.zip is not a bundle: File is not a zip file\."):
        problems_of(tmp_path / "a.zip")
    with pytest.raises(InputError, match="No such file"):
        problems_of(tmp_path / "none.zip")
    change(packed, lambda files: files.pop(BUNDLE))
    with pytest.raises(InputError, match=r"it holds no bundle\.json"):
        problems_of(packed)


def test_a_bundle_of_a_newer_program_is_said(packed: Path) -> None:
    change(
        packed, lambda files: files.update({BUNDLE: files[BUNDLE].replace(b'"version": 1', b'"version": 2')})
    )
    with pytest.raises(InputError, match="newer version"):
        problems_of(packed)


def test_a_full_disk_leaves_the_former_bundle(packed: Path, released_sample: Path) -> None:
    before = packed.read_bytes()
    with full_disk(1000), pytest.raises(StoreError):
        write_bundle(released_sample / "release", RUNS, packed, context=JobContext())
    assert packed.read_bytes() == before


def test_nothing_is_read_that_the_bundle_does_not_hold(packed: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.jsonl").write_bytes(RUNS[0].read_bytes())

    def point_outside(files: Files) -> None:
        bundle = Bundle.model_validate_json(files[BUNDLE])
        run = bundle.runs[0].model_copy(update={"predictions": str(tmp_path / "outside.jsonl")})
        bundle = bundle.model_copy(update={"runs": (run, bundle.runs[1])})
        files[BUNDLE] = bundle.model_copy(update={"bundle_sha256": bundle.seal}).model_dump_json().encode()

    change(packed, point_outside)
    assert problems_of(packed) == (
        f"bundle.json names {tmp_path / 'outside.jsonl'}, which it does not list.",
    )


def test_a_file_that_is_locked_with_a_password_is_said(packed: Path) -> None:
    data = bytearray(packed.read_bytes())
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # of the first file, in both its heads
        data[data.index(mark) + flags] |= 1
    packed.write_bytes(data)
    with pytest.raises(InputError, match=r"is not a bundle: File .* is encrypted"):
        problems_of(packed)


def test_no_room_to_unpack_is_no_fault_of_the_bundle_and_leaves_nothing(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    with full_disk(1000), pytest.raises(StoreError, match="cannot be written: File too large"):
        problems_of(packed)
    assert list((tmp_path / "scratch").iterdir()) == []
    assert problems_of(packed) == ()


def test_what_a_killed_program_unpacked_is_removed_by_the_next(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    left = tmp_path / "scratch" / ".annotator-bundle.0123abcd.tmp"
    left.mkdir(parents=True)
    left.with_suffix(".lock").touch()
    assert problems_of(packed) == ()
    assert list((tmp_path / "scratch").iterdir()) == []


def test_no_room_for_the_report_is_told_and_leaves_the_former_bundle(
    packed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = packed.read_bytes()
    monkeypatch.setattr(bundles, "report", lambda *_, **__: b" " * 400_000)
    with full_disk(300_000), pytest.raises(StoreError, match=r"report\.html cannot be written"):
        write_bundle(SAMPLES / "cases.jsonl", RUNS[:1], packed, context=JobContext())
    assert packed.read_bytes() == before


def test_what_was_ignored_is_named_by_its_file_wherever_the_bundle_is(tmp_path: Path) -> None:
    first = RUNS[0].read_text(encoding="utf-8").splitlines()[0]
    strange = json.dumps({**json.loads(first), "case": "another"})
    (tmp_path / "odd.jsonl").write_text(
        RUNS[0].read_text(encoding="utf-8") + strange + "\n", encoding="utf-8"
    )
    write_bundle(SAMPLES / "cases.jsonl", [tmp_path / "odd.jsonl"], tmp_path / "b.zip", context=JobContext())
    with zipfile.ZipFile(tmp_path / "b.zip") as file:
        [ignored] = json.loads(file.read("scores/1/scorecard.json"))["ignored"]
    assert (ignored["file"], ignored["case"]) == ("odd.jsonl", "another")
    assert problems_of(tmp_path / "b.zip") == ()
