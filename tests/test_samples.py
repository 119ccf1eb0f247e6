"""The bundled samples hold what their README promises: cases, corrections, predictions, reviewers, guide."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import TypeAdapter

from annotator.cases.evidence.citations import leaf_paths, propose_evidence
from annotator.cases.findings.checks import check_case
from scoring.matching.gold import prepare
from scoring.matching.task_scores import TaskScore, score_task
from scoring.model.case import Case, content_sha256, dump_case, load_case
from scoring.model.graph import answer_edges, check_task, derive_policy, step_graph, with_drawn_edges
from scoring.model.labels import (
    CASE_CHECKLIST,
    TASK_CHECKLIST,
    ComparedField,
    TaskLabels,
    compare,
    edges_of,
    labels_of,
)
from scoring.model.taxonomy import (
    ArgumentProfile,
    EdgeKind,
    FeedbackCategory,
    Information,
    Policy,
    Severity,
    Verdict,
    WildtoolMistake,
)
from scoring.prediction_files import read_predictions
from scoring.predictions import Prediction
from tests.shared import ROOT

RESOURCES = ROOT / "resources"
SAMPLES = RESOURCES / "samples"
PREDICTIONS = ("predictions_careful.jsonl", "predictions_careless.jsonl")
CASE_THRESHOLD = 0.05


def lines_of(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SAMPLES / name).read_text(encoding="utf-8").splitlines()]


def cases_of(name: str) -> list[Case]:
    return [load_case(line) for line in lines_of(name)]


def corrected_cases() -> list[Case]:
    corrections = {case.id: case for case in cases_of("corrections.jsonl")}
    return [corrections.get(case.id, case) for case in cases_of("cases.jsonl")]


def script() -> dict[str, list[dict[str, Any]]]:
    loaded: dict[str, list[dict[str, Any]]] = json.loads(
        (SAMPLES / "reviewers.json").read_text(encoding="utf-8")
    )
    return loaded


@pytest.mark.parametrize("name", ["cases.jsonl", "corrections.jsonl"])
def test_every_line_is_the_native_form_of_a_legal_case(name: str) -> None:
    for line in lines_of(name):
        case = load_case(line)
        for task in case.tasks:
            check_task(task)
        assert dump_case(case) == line


def test_there_are_sixteen_cases_with_distinct_ids() -> None:
    assert len({case.id for case in cases_of("cases.jsonl")}) == len(cases_of("cases.jsonl")) == 16


def test_every_policy_and_every_information_type_occurs_several_times() -> None:
    tasks = [task for case in corrected_cases() for task in case.tasks]
    policies = Counter(task.policy for task in tasks)
    information = Counter(task.information for task in tasks)
    assert min(policies[policy] for policy in Policy) >= 5
    assert min(information[kind] for kind in Information) >= 5


def test_only_first_tasks_are_labelled_first() -> None:
    for case in corrected_cases():
        assert [task.information is Information.FIRST for task in case.tasks] == [
            position == 0 for position in range(len(case.tasks))
        ]


def test_the_graphs_derive_the_declared_policies_but_for_the_planted_flaw() -> None:
    differing = [
        (case.id, position)
        for case in cases_of("cases.jsonl")
        for position, task in enumerate(case.tasks)
        if derive_policy(task) is not task.policy
    ]
    assert differing == [("sample-15-printers-down", 0)]


def test_the_corrected_graphs_derive_every_declared_policy() -> None:
    for case in corrected_cases():
        assert [derive_policy(task) for task in case.tasks] == [task.policy for task in case.tasks], case.id


def test_the_answer_follows_every_sink() -> None:
    for case in cases_of("cases.jsonl"):
        for task in case.tasks:
            assert tuple(edge for edge in task.edges if edge.kind is EdgeKind.DERIVED) == answer_edges(task)


def test_recorded_rounds_respect_the_graph() -> None:
    for case in cases_of("cases.jsonl"):
        for task in case.tasks:
            rounds = [step.recorded_round for step in task.steps]
            for target, sources in enumerate(step_graph(task).before):
                for source in sources:
                    assert (rounds[source] or 0) < (rounds[target] or 0), case.id


def test_each_correction_changes_the_content_of_a_case_and_keeps_its_requests() -> None:
    originals = {case.id: case for case in cases_of("cases.jsonl")}
    for corrected in cases_of("corrections.jsonl"):
        original = originals[corrected.id]
        assert content_sha256(corrected) != content_sha256(original)
        assert [task.user for task in corrected.tasks] == [task.user for task in original.tasks]


def test_the_checks_find_the_planted_flaws_and_nothing_else() -> None:
    found = [
        (case.id, finding.rule, finding.where)
        for case in cases_of("cases.jsonl")
        for finding in check_case(case, undrawn=())
        if finding.severity is not Severity.INFO
    ]
    assert found == [
        ("sample-07-parcel-to-bologna", "args.differs", "task 0 step 1 /trackingNumber"),
        ("sample-13-momo-at-the-vet", "args.unsourced", "task 1 step 0 /email"),
        ("sample-14-festival-shifts", "graph.missing_edge", "task 0 step 3 edge 2-3 /volunteerId"),
        ("sample-15-printers-down", "policy.differs", "task 0"),
    ]


def test_the_corrected_cases_have_no_findings_at_all() -> None:
    assert [finding for case in corrected_cases() for finding in check_case(case, undrawn=())] == []


def test_every_argument_of_the_corrected_cases_has_a_source_to_propose() -> None:
    for case in corrected_cases():
        for number, task in enumerate(case.tasks):
            proposed = {(citation.step, citation.path) for citation in propose_evidence(case, number)}
            needed = {(step, path) for step, call in task.calls for path in leaf_paths(call.arguments)}
            assert needed <= proposed, case.id


def scores_of(name: str) -> list[TaskScore]:
    """Every task of one prediction set, judged against the corrected cases."""
    cases = {case.id: case for case in corrected_cases()}
    scores = []
    for read in read_predictions(SAMPLES / name):
        assert isinstance(read, Prediction), read
        assert read.task is not None, read
        gold = prepare(cases[read.case], read.task)
        scores.append(score_task(gold, read, profile=ArgumentProfile.WTB))
    return scores


@pytest.mark.parametrize(
    ("name", "right"), [("predictions_careful.jsonl", 50), ("predictions_careless.jsonl", 20)]
)
def test_each_model_gets_as_many_tasks_right_as_the_readme_says(name: str, right: int) -> None:
    scores = scores_of(name)
    assert sum(score.is_correct for score in scores) == right
    assert f"{right} of {len(scores)} tasks right" in (SAMPLES / "README.md").read_text(encoding="utf-8")


def test_the_careless_model_makes_every_class_of_error() -> None:
    assert {score.error for score in scores_of("predictions_careless.jsonl")} == {*WildtoolMistake, None}


def test_the_careful_model_is_twice_right_in_more_rounds_than_needed() -> None:
    slow = [
        (score.case, score.task)
        for score in scores_of("predictions_careful.jsonl")
        if score.is_correct and not score.optimal
    ]
    assert slow == [("sample-07-parcel-to-bologna", 2), ("sample-11-allotment", 2)]


@pytest.mark.parametrize("name", PREDICTIONS)
def test_predictions_answer_every_task_exactly_once(name: str) -> None:
    expected = [(case.id, position) for case in corrected_cases() for position in range(len(case.tasks))]
    assert [(line["case"], line["task"]) for line in lines_of(name)] == expected


@pytest.mark.parametrize("name", PREDICTIONS)
def test_predictions_do_not_name_a_release(name: str) -> None:
    assert not any("cases_sha256" in line for line in lines_of(name))


@pytest.mark.parametrize("name", PREDICTIONS)
def test_tool_call_ids_are_never_used_twice(name: str) -> None:
    ids = [
        call["id"]
        for line in lines_of(name)
        for reply in line["replies"]
        for call in reply["tool_calls"] or ()
    ]
    assert len(ids) == len(set(ids)) > 0


def test_the_careless_model_fails_once_outside_the_model() -> None:
    assert sum("error" in line for line in lines_of("predictions_careless.jsonl")) == 1


def said_by(owner: Sequence[TaskLabels], fields: dict[str, Any]) -> list[TaskLabels]:
    """The labels of a scripted reviewer: the owner's, but for the listed fields."""
    labels = list(owner)
    for field_id, value in fields.items():
        _, position, field, *rest = field_id.split(".")
        before = labels[int(position)]
        if field == "edge":
            source, target = map(int, rest[0].split("-"))
            kept = tuple(edge for edge in before.edges if edge[:2] != (source, target))
            drawn = ((source, target, EdgeKind(value)),) if value else ()
            update: dict[str, Any] = {"edges": kept + drawn}
        else:
            update = {field: value}
        labels[int(position)] = TaskLabels.model_validate({**before.model_dump(), **update})
    return labels


def owner_case(case_id: str, round_number: int) -> Case:
    """What the owner submits for a case in a round of the script."""
    corrected = any(
        entry["case"] == case_id and entry["round"] <= round_number for entry in script()["owner"]
    )
    cases = corrected_cases() if corrected else cases_of("cases.jsonl")
    return next(case for case in cases if case.id == case_id)


def scripted(case_id: str, round_number: int, reviewer: int) -> dict[str, Any]:
    """The script's entry for one reviewer; empty where the reviewer agrees with the owner."""
    place = (case_id, round_number, reviewer)
    for entry in script()["reviewers"]:
        if (entry["case"], entry["round"], entry["reviewer"]) == place:
            return entry
    return {}


def cross_check(case_id: str, round_number: int) -> tuple[tuple[ComparedField, ...], list[Verdict]]:
    """Play one cross-check of the script: the compared fields and the two verdicts."""
    case = owner_case(case_id, round_number)
    owner = [
        labels.model_copy(
            update={
                "completed": True,
                "drawn": True,
                "calls_correct": (True,) * len(labels.calls_correct),
            }
        )
        for labels in labels_of(case)
    ]
    raters: list[list[TaskLabels]] = [owner]
    verdicts = []
    for reviewer in (1, 2):
        entry = scripted(case_id, round_number, reviewer)
        raters.append(said_by(owner, entry.get("fields", {})))
        verdicts.append(Verdict(entry.get("verdict", "approve")))
    return compare(case, raters), verdicts


def outcome(case_id: str, round_number: int) -> str:
    """What the table of design 3 makes of a scripted cross-check."""
    fields, verdicts = cross_check(case_id, round_number)
    if all(verdict is Verdict.RETURN for verdict in verdicts):
        return "returned"
    differing = [field for field in fields if field.differs]
    agreed = all(verdict is Verdict.APPROVE for verdict in verdicts) and all(
        field.has_majority for field in differing
    )
    if not agreed or len(differing) > CASE_THRESHOLD * len(fields):
        return "escalated"
    return "majority" if differing else "unanimous"


def test_the_scripted_cross_check_ends_in_every_way() -> None:
    outcomes = Counter(outcome(case.id, 1) for case in cases_of("cases.jsonl"))
    assert outcomes == {"unanimous": 7, "majority": 4, "escalated": 4, "returned": 1}


def test_the_returned_case_passes_in_the_second_round() -> None:
    assert outcome("sample-09-museum-sunday", 2) == "unanimous"


def test_scripted_fields_differ_from_what_the_owner_says() -> None:
    for entry in script()["reviewers"]:
        fields, _ = cross_check(entry["case"], entry["round"])
        differing = {field.id for field in fields if field.differs}
        assert set(entry["fields"]) <= differing, entry


def test_what_a_scripted_reviewer_draws_fits_the_policy_they_name() -> None:
    for entry in script()["reviewers"]:
        case = owner_case(entry["case"], entry["round"])
        for task, labels in zip(case.tasks, said_by(labels_of(case), entry["fields"]), strict=True):
            assert derive_policy(with_drawn_edges(task, edges_of(labels))) is labels.policy


def test_the_expert_decides_every_differing_field_of_the_escalated_cases() -> None:
    escalated = [case.id for case in cases_of("cases.jsonl") if outcome(case.id, 1) == "escalated"]
    decided = {entry["case"]: set(entry["fields"]) for entry in script()["expert"]}
    assert decided == {
        case_id: {field.id for field in cross_check(case_id, 1)[0] if field.differs} for case_id in escalated
    }


def test_scripted_reasons_and_feedback_use_known_categories() -> None:
    categories = TypeAdapter(FeedbackCategory)
    notes = [reason for entry in script()["reviewers"] for reason in entry["reasons"]]
    notes += [feedback for entry in script()["expert"] for feedback in entry["feedback"]]
    assert len([categories.validate_python(note["category"]) for note in notes]) >= 5


def test_scripted_checklists_use_known_items() -> None:
    known = {f"case.{item}" for item in CASE_CHECKLIST}
    for entry in script()["reviewers"]:
        tasks = range(len(owner_case(entry["case"], entry["round"]).tasks))
        here = known | {f"task.{task}.{item}" for task in tasks for item in TASK_CHECKLIST}
        assert set(entry["checklist"]) <= here
