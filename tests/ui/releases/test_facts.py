"""What a manifest says in plain words."""

import pytest

from annotator.release.manifest import About, Content, FileEntry, KeptDefect, Manifest
from ui.releases.release_details import DetailLine, facts_of, size_words


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1_234_567, "1.2 MB"), (5_000_000_000, "5.0 GB")],
)
def test_sizes_are_said_in_the_largest_fitting_unit(count: int, words: str) -> None:
    assert size_words(count) == words


def test_defects_that_were_kept_on_purpose_are_listed() -> None:
    kept = KeptDefect(case_id="c-1", field="task.0.call.1.correct", reason="the tool is broken on purpose")
    content = Content(version=1, content_sha256="0", case_count=1, task_count=1, files={}, not_expressed=())
    about = About(
        name="r1",
        at="2026-11-22",
        by="max",
        project="p",
        policy={},
        statistics={},
        agreement=(),
        stage_accuracy=(),
        card=FileEntry(bytes=1, sha256="0"),
        kept=(kept,),
    )
    groups = facts_of(Manifest.seal(content, about))
    assert groups["Known defects, kept on purpose"] == (
        DetailLine("c-1 · Task 1: call 1 is wrong", "kept", "the tool is broken on purpose"),
    )
