"""Whoever asks for a batch, an owner or a release nobody knows is refused, and what there is is named."""

import pytest

from annotator.project.workspace import Work
from annotator.release.errata import errata_of
from annotator.review.queue.case_rows import CaseFilter, require_named
from db.write import store
from scoring.errors import NotFoundError
from tests.annotator.team import Team, two_step_case


def hint(team: Team, where: CaseFilter) -> str:
    with pytest.raises(NotFoundError) as refused:
        require_named(team["ann"], where)
    return refused.value.hint


def test_a_batch_nobody_knows_is_refused_with_those_there_are(team: Team) -> None:
    team.bring(two_step_case("c-1"), batch="north")
    team.bring(two_step_case("c-2"), batch="south")
    assert hint(team, CaseFilter(batch="west")) == "Batches: south, north."


def test_an_owner_nobody_knows_is_refused_with_the_people_there_are(team: Team) -> None:
    assert hint(team, CaseFilter(owner="Ann")) == "People: ann, bob, cleo, dan, eve, max."


def test_where_there_is_none_or_many_the_hint_names_the_list(team: Team) -> None:
    assert hint(team, CaseFilter(batch="west")) == "See `annotator batch list`."
    for number in range(13):
        team.bring(two_step_case(f"c-{number}"), batch=f"b-{number}")
    assert hint(team, CaseFilter(batch="west")) == "See `annotator batch list`."


def test_a_batch_and_an_owner_that_are_there_pass(team: Team) -> None:
    team.bring(two_step_case("c-1"), batch="north")
    require_named(team["ann"], CaseFilter(batch="north", owner="bob"))
    require_named(team["ann"], CaseFilter())


def test_a_release_nobody_knows_is_refused_with_those_there_are(team: Team) -> None:
    def freeze(w: Work) -> None:
        for name in ("2026.1", "2026.2"):
            store.add_release(
                w.tx,
                name,
                person_id=w.person.id,
                content_sha256="0" * 64,
                directory="",
                manifest="{}",
                cases=(),
                at=w.at,
            )

    assert _release_hint(team) == "See `annotator release list`."
    team["max"].run("release:cases:freeze", freeze)
    assert _release_hint(team) == "Releases: 2026.2, 2026.1."


def _release_hint(team: Team) -> str:
    with pytest.raises(NotFoundError) as refused:
        errata_of(team["max"], "2026.9")
    return refused.value.hint
