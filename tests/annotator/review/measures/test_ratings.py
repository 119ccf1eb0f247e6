"""Ratings as files: coefficients computed again from the file alone, and what nobody must see in them."""

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import permutations
from pathlib import Path

import pytest

from annotator.project.people import set_roles
from annotator.review.expert.decisions import Decision, Own
from annotator.review.measures.rater_agreement import AgreementSlice, agreement, write_ratings
from annotator.review.measures.trends import against_experts, kept_labels
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.claims import claim_case
from annotator.review.withdrawals import reopen
from scoring.agreement.fields import AgreementMeasure
from scoring.agreement.rated_cases import RatedField, rated_case
from scoring.errors import ForbiddenError, StoreError
from scoring.model.labels import labels_of
from scoring.model.taxonomy import EdgeKind, Information, Policy, Role, Verdict
from tests.annotator.review.walked import walked
from tests.annotator.team import Team, two_round_case, two_step_case

EVERYTHING = AgreementSlice()
Units = dict[str, list[dict[str, str]]]


def read_units(file: Path) -> Units:
    """By field the units of a CSV file, each as what its raters said."""
    units: dict[tuple[str, str, str, str], dict[str, str]] = defaultdict(dict)
    with file.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            units[row["field"], row["case"], row["round"], row["unit"]][row["rater"]] = row["value"]
    found: Units = defaultdict(list)
    for (field, *_), said in units.items():
        found[field].append(said)
    return found


def alpha(units: Iterable[dict[str, str]]) -> float | None:
    """Krippendorff (2011), nominal, by the coincidence matrix: 1 - Do / De."""
    seen: Counter[tuple[str, str]] = Counter()
    for said in units:
        values = list(said.values())
        for one, other in permutations(values, 2):
            seen[one, other] += 1 / (len(values) - 1)  # type: ignore[assignment]
    total = sum(seen.values())
    marginal: Counter[str] = Counter()
    for (one, _), count in seen.items():
        marginal[one] += count
    expected = sum(marginal[a] * marginal[b] for a, b in permutations(marginal, 2)) / (total * (total - 1))
    observed = sum(count for (a, b), count in seen.items() if a != b) / total
    return 1 - observed / expected if expected else None


def cohen(units: Iterable[dict[str, str]], first: str, second: str) -> float | None:
    """Cohen (1960) of two raters: (po - pe) / (1 - pe)."""
    both = [(said[first], said[second]) for said in units if first in said and second in said]
    agreed = sum(a == b for a, b in both) / len(both)
    one, two = Counter(a for a, _ in both), Counter(b for _, b in both)
    chance = sum(one[label] * two[label] for label in one) / len(both) ** 2
    return (agreed - chance) / (1 - chance) if chance < 1 else None


def _judge(team: Team) -> None:
    walked(team)
    team.bring(*(two_round_case(f"d-{number}") for number in range(4)), batch="b3")
    for number in range(4):
        team.self_check("ann", f"d-{number}")
        kind = EdgeKind.LOGICAL if number == 1 else EdgeKind.PARAMETER
        edges = () if number == 2 else ((0, 1, kind),)
        team.cross_check("bob", f"d-{number}", edges={0: edges}, wrong_calls={0: (1,)} if number else None)
        team.cross_check("cleo", f"d-{number}", policies={1: Policy.SINGLE} if number == 3 else None)


@pytest.fixture
def judged(team: Team) -> Team:
    """Rounds in which bob differs in a policy, a kind, a call and a drawing."""
    team.walk(_judge)
    return team


def test_every_alpha_and_kappa_shown_comes_out_of_the_file_alone(judged: Team, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    count = write_ratings(judged["max"], file, EVERYTHING)
    units = read_units(file)
    assert count == sum(len(said) for found in units.values() for said in found)
    compared = 0
    for row in agreement(judged["max"], resamples=0):
        found = units[row.field]
        shown = row.coefficients.get(AgreementMeasure.ALPHA)
        if shown is not None and shown.value is not None:
            assert alpha(found) == pytest.approx(shown.value), row.field
            assert shown.used == sum(len(said) > 1 for said in found)
            compared += 1
        for pair in row.pairs:
            shown = pair.coefficients.get(AgreementMeasure.KAPPA)
            if shown is not None and shown.value is not None:
                assert cohen(found, pair.first, pair.second) == pytest.approx(shown.value), row.field
                compared += 1
    assert compared >= 8
    exact = next(row for row in agreement(judged["max"], resamples=0) if row.field is RatedField.GRAPH)
    same = [len(set(two)) == 1 for said in units["graph"] for two in _pairs(said)]
    assert exact.coefficients[AgreementMeasure.EXACT_MATCH].value == pytest.approx(sum(same) / len(same))


def _pairs(said: dict[str, str]) -> list[tuple[str, str]]:
    return list(permutations(said.values(), 2))


def test_json_holds_the_units_of_the_csv(judged: Team, tmp_path: Path) -> None:
    write_ratings(judged["max"], tmp_path / "ratings.csv", EVERYTHING)
    count = write_ratings(judged["max"], tmp_path / "ratings.json", EVERYTHING)
    found = json.loads((tmp_path / "ratings.json").read_text(encoding="utf-8"))["units"]
    assert sum(len(unit["values"]) for unit in found) == count
    by_field = Counter(unit["field"] for unit in found if unit["values"])
    assert by_field == {field: len(rows) for field, rows in read_units(tmp_path / "ratings.csv").items()}
    drawing = next(unit for unit in found if unit["field"] == "graph")
    assert drawing["values"]["ann"] == ["0-1 logical"]
    assert isinstance(next(unit for unit in found if unit["field"] == "call")["values"]["bob"], bool)


def test_a_slice_and_a_field_are_cut_as_on_the_page(judged: Team, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    where = AgreementSlice(batch="b3", pair=("bob", "cleo"))
    write_ratings(judged["max"], file, where, field=RatedField.POLICY)
    units = read_units(file)
    assert units.keys() == {"policy"}
    assert [sorted(said) for said in units["policy"]] == [["bob", "cleo"]] * 8


def test_who_judges_a_case_blind_finds_nothing_of_it_in_the_file(team: Team, tmp_path: Path) -> None:
    change_review_policy(team["max"], ("reviewers=2", "expert_sample=false"))
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    for case_id in ("c-1", "c-2"):
        team.self_check("ann", case_id)
        team.cross_check("bob", case_id)
        team.cross_check("cleo", case_id, verdict=Verdict.RETURN if case_id == "c-1" else Verdict.APPROVE)
    assert "c-1" in _cases(team, "max", tmp_path)
    # eve is to decide c-1, which a mix of verdicts escalated; dan had no part in either.
    team.open_expert("c-1", "eve")
    assert _cases(team, "eve", tmp_path) == {"c-2"}
    assert _cases(team, "dan", tmp_path) == set()
    assert _cases(team, "bob", tmp_path) == set()  # what he reviewed is not final yet
    assert _cases(team, "ann", tmp_path) == {"c-1", "c-2"}
    with pytest.raises(ForbiddenError, match="for them, experts and managers"):
        write_ratings(team["dan"], tmp_path / "x.csv", AgreementSlice(pair=("ann", "bob")))
    assert not (tmp_path / "x.csv").exists()


def test_who_cross_checks_a_case_again_finds_no_earlier_round_of_it(team: Team, tmp_path: Path) -> None:
    change_review_policy(team["max"], ("expert_sample=false",))
    set_roles(team["max"], "eve", roles=[Role.EXPERT, Role.ANNOTATOR])
    team.bring(two_step_case("c-1"))
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1")
    assert _cases(team, "eve", tmp_path) == {"c-1"}
    reopen(team["max"], "c-1", reason="the depot moved")
    team.self_check("ann", "c-1")
    claim_case(team["eve"], "c-1")
    assert _cases(team, "eve", tmp_path) == set()
    assert _cases(team, "ann", tmp_path) == {"c-1"}


def _cases(team: Team, name: str, folder: Path) -> set[str]:
    file = folder / f"{name}.csv"
    write_ratings(team[name], file, EVERYTHING)
    with file.open(encoding="utf-8", newline="") as stream:
        return {row["case"] for row in csv.DictReader(stream)}


def test_a_file_that_cannot_be_written_says_so(judged: Team, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError):
        write_ratings(judged["max"], tmp_path / "file" / "ratings.csv", EVERYTHING)


# against experts


def test_labels_experts_kept_are_counted_by_hand(team: Team) -> None:
    team.bring(two_step_case("c-1"))
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1", policies={0: Policy.MULTI_MIXED})
    team.cross_check("cleo", "c-1", edges={0: ((0, 1, EdgeKind.PARAMETER),)})
    fields: dict[str, str | Own] = {
        "task.0.policy": Own(own="multi_serial"),
        "task.0.edge.0-1": Own(own="parameter"),
    }
    team.decide("c-1", Decision(fields=fields, verdict=Verdict.APPROVE))
    found = {point.person: point for point in against_experts(team["max"], EVERYTHING)}
    # Each gave a policy and an edge, ann and bob a logical one; nobody is asked for the information of a
    # first task.
    kept = {name: (point.kept.count, point.kept.total) for name, point in found.items()}
    assert kept == {"": (3, 6), "ann": (1, 2), "bob": (0, 2), "cleo": (2, 2)}
    assert found["bob"].case_count == 1
    assert found["bob"].interval is not None
    assert {point.label for point in found.values()} == {"2026-W47"}
    assert [point.person for point in against_experts(team["bob"], EVERYTHING)] == ["bob"]
    only = against_experts(team["max"], AgreementSlice(policy=Policy.CHAT))
    assert only == ()


def test_a_dependency_the_expert_adds_counts_against_who_drew_without_it() -> None:
    case = two_step_case()
    bare = [one.model_copy(update={"edges": (), "drawn": True}) for one in labels_of(case)]
    idle = [one.model_copy(update={"edges": (), "drawn": False}) for one in labels_of(case)]
    rated = rated_case(case, {"ann": bare, "bob": idle})
    assert kept_labels(rated, case) == {"ann": (1, 2), "bob": (1, 1)}


def test_information_counts_behind_the_first_task() -> None:
    case = two_round_case()
    first, second = labels_of(case)
    other = second.model_copy(update={"information": Information.LONG_RANGE})
    rated = rated_case(case, {"ann": (first, second), "bob": (first, other)})
    # Two policies and the information of the second task; nobody is known to have drawn the first.
    assert kept_labels(rated, case) == {"ann": (3, 3), "bob": (2, 3)}


def test_what_an_expert_restructured_is_left_out() -> None:
    case = two_step_case()
    rated = rated_case(case, {"ann": labels_of(case)})
    other = two_round_case()
    assert kept_labels(rated, other) == {}


def test_without_a_decision_there_is_nothing(judged: Team) -> None:
    assert against_experts(judged["max"], EVERYTHING) == ()
