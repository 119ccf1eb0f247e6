"""What the checks say about 213 real dialogues; the figures were looked at by hand, rule by rule."""

from collections import Counter

import pytest

from annotator.cases.evidence.citations import broken_citations, propose_evidence
from annotator.cases.evidence.suggestions import suggest_edges
from annotator.cases.findings.checks import check_case
from scoring.formats.case_reader import ReadCase, read_cases
from scoring.model.case import Case
from tests.shared import SHARED, needs_shared

pytestmark = needs_shared
FILES = ("published_cases.jsonl", "bfcl_multi_turn_base.openai.jsonl")


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    read = [item for name in FILES for item in read_cases(SHARED / "data" / name)]
    return [item.case for item in read if isinstance(item, ReadCase)]


def test_the_findings_of_the_real_dialogues_are_the_ones_looked_at(cases: list[Case]) -> None:
    found = Counter(finding.rule for one in cases for finding in check_case(one))
    assert found == {
        "answer.missing": 732,  # no BFCL task has one, three have no steps; one published answer is empty
        "args.unsourced": 135,  # codes of airports and shares, ids nobody gave
        "graph.missing_edge": 111,  # BFCL draws no edges; the published cases miss none
        "observation.missing": 23,
        "args.differs": 17,
        "args.default": 15,
        "args.missing": 4,
        "args.undefined": 4,
        "ask.no_parameter": 3,
        "task.empty": 3,
        "args.type": 1,
    }


def test_nearly_every_value_of_the_real_dialogues_gets_a_proposal_that_holds(cases: list[Case]) -> None:
    for one in cases:
        evidence = [found for t in range(len(one.tasks)) for found in propose_evidence(one, t)]
        assert broken_citations(one, evidence) == ()


def test_drawing_what_is_suggested_leaves_nothing_to_suggest(cases: list[Case]) -> None:
    from annotator.cases.edits.edge_edits import add_edge

    for drawn in cases:
        for t in range(len(drawn.tasks)):
            for suggestion in suggest_edges(drawn, t):
                source, target = suggestion.edge.pair
                drawn = add_edge(drawn, t, source=source, target=target, kind=suggestion.edge.kind)
            assert suggest_edges(drawn, t) == ()
