"""Fields that later versions added: absent while unset, so that nothing that exists changes its hash."""

import pytest

from annotator.release.verification import verify_release
from scoring.formats import native
from scoring.formats.case_reader import ReadCase, read_cases
from scoring.model.case import Case, content_of, content_sha256, dump_case, load_case
from scoring.model.labels import EdgeTriple, TaskLabels
from scoring.model.taxonomy import EdgeKind
from tests.factories import answer, call, case, task
from tests.shared import ROOT

_RELEASE = ROOT / "tests" / "golden" / "earlier_release"
"""Frozen before steps had later fields."""


def _planned() -> Case:
    said = answer().model_copy(update={"thought": "It is all there."})
    return case(task(call(), said).model_copy(update={"plan": "Ask once, then say it."}))


def test_a_release_of_an_earlier_version_still_verifies() -> None:
    assert verify_release(_RELEASE).ok


def test_a_case_of_an_earlier_version_keeps_its_hash() -> None:
    (read,) = read_cases(_RELEASE / "cases.jsonl")
    assert isinstance(read, ReadCase)
    # As the version that froze it said.
    expected = "279dcedcbb145aed79e54aafc5260c017efddf032acf24fbd8fe963d1e6a3d5a"
    assert content_sha256(read.case) == expected


def test_unset_later_fields_are_absent_from_body_and_content() -> None:
    plain = case(task(call(), answer()))
    for body in (dump_case(plain), content_of(plain)):
        assert '"plan"' not in str(body).replace("'", '"')
        tasks = body["tasks"]
        assert isinstance(tasks, list)
        assert isinstance(tasks[0], dict)
        steps = tasks[0]["steps"]
        assert isinstance(steps, list)
        assert isinstance(steps[-1], dict)
        assert "thought" not in steps[-1]


def test_set_later_fields_are_content_and_survive_a_round_trip() -> None:
    planned = _planned()
    assert load_case(dump_case(planned)) == planned
    assert native.decode(native.encode(planned), file="x.jsonl", line=1) == planned
    assert content_sha256(planned) != content_sha256(case(task(call(), answer())))


@pytest.mark.parametrize(
    ("drawn", "edges", "is_drawn"),
    [
        (True, (), True),
        (False, ((0, 1, EdgeKind.LOGICAL),), False),
        (None, ((0, 1, EdgeKind.LOGICAL),), True),  # older than the question, but there are edges
        (None, (), None),
    ],
)
def test_a_judgment_older_than_the_question_has_drawn_what_has_edges(
    drawn: bool | None, edges: tuple[EdgeTriple, ...], is_drawn: bool | None
) -> None:
    assert TaskLabels(drawn=drawn, edges=edges).is_drawn is is_drawn
