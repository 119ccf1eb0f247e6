"""The weak person of a scripted team is named after at most 60 of their cases, on PostgreSQL."""

from pathlib import Path

import pytest

from tests.bench.weak_person import WEAK, named_after, walk_and_measure
from tests.shared import needs_shared


@needs_shared
@pytest.mark.shared
def test_the_weak_person_is_named_by_the_figures(postgres_url: str, tmp_path: Path) -> None:
    measured = walk_and_measure(postgres_url, tmp_path, cases=40, seed=7)
    last = measured[-1]
    assert [one.person for one in last.people if one.is_above] == [WEAK]
    for is_each in (False, True):
        assert 0 < (named_after(measured, is_each=is_each) or 0) <= 60
