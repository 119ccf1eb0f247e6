"""How good proposals are on real dialogues: right dependencies, and few sources for values nobody gave."""

import random
from collections import Counter

import networkx as nx
import pytest

from annotator.cases.edits.text_edits import set_argument_value
from annotator.cases.evidence.citations import leaf_paths, propose_evidence
from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.evidence.origins import OriginKind, origins_of
from annotator.cases.evidence.suggestions import suggest_edges
from annotator.cases.pointers import value_at
from scoring.formats.case_reader import ReadCase, read_cases
from scoring.model.case import Call, Case
from scoring.model.graph import with_drawn_edges
from scoring.model.labels import DialogueSource
from scoring.model.taxonomy import EdgeKind
from tests.shared import SHARED, needs_shared

pytestmark = needs_shared


def cases_of(*names: str) -> list[Case]:
    read = [item for name in names for item in read_cases(SHARED / "data" / name)]
    return [item.case for item in read if isinstance(item, ReadCase)]


@pytest.fixture(scope="module")
def published() -> list[Case]:
    return cases_of("published_cases.jsonl")


@pytest.fixture(scope="module")
def everything() -> list[Case]:
    return cases_of("published_cases.jsonl", "bfcl_multi_turn_base.openai.jsonl")


def closure(pairs: list[tuple[int, int]]) -> "nx.DiGraph[int]":
    graph: nx.DiGraph[int] = nx.DiGraph(pairs)
    return nx.transitive_closure(graph)


def test_every_edge_suggested_for_an_undrawn_published_task_is_one_its_authors_drew(
    published: list[Case],
) -> None:
    right = wrong = found = missed = 0
    for one in published:
        for t, drawn in enumerate(one.tasks):
            if not drawn.steps:
                continue
            tasks = (*one.tasks[:t], with_drawn_edges(drawn, []), *one.tasks[t + 1 :])
            bare = one.model_copy(update={"tasks": tasks})
            suggested = [suggestion.edge.pair for suggestion in suggest_edges(bare, t)]
            authors, ours = closure([edge.pair for edge in drawn.drawn_edges]), closure(suggested)
            right += sum(authors.has_edge(*pair) for pair in suggested)
            wrong += sum(not authors.has_edge(*pair) for pair in suggested)
            flowing = [edge.pair for edge in drawn.drawn_edges if edge.kind is EdgeKind.PARAMETER]
            found += sum(ours.has_edge(*pair) for pair in flowing)
            missed += sum(not ours.has_edge(*pair) for pair in flowing)
    # of the 16 edges their authors drew the others are of order only: no value flows along them
    assert (right, wrong) == (7, 0)
    assert (found, missed) == (5, 0)


def test_what_is_proposed_for_the_values_of_real_calls(everything: list[Case]) -> None:
    counts = Counter(
        "cited" if isinstance(found.source, DialogueSource) else found.source.value
        for one in everything
        for t in range(len(one.tasks))
        for found in propose_evidence(one, t)
    )
    values = sum(
        len(leaf_paths(step.arguments))
        for one in everything
        for _, _, step in one.steps()
        if isinstance(step, Call)
    )
    # 92 % of the values; the rest are codes and ids nobody gave, which no proposal should explain away
    assert values == 2_218
    assert counts == {"cited": 1_603, "default": 322, "derived": 108}


def test_a_value_of_another_case_seldom_finds_a_source(everything: list[Case]) -> None:
    swapped = foreign_values(everything, random.Random(1))
    kinds = Counter(kind for kind, _ in swapped)
    cited = [value for kind, value in swapped if kind is OriginKind.SAID]
    # what is cited all the same are words many cases share, as names of folders and shares
    assert len(swapped) > 300
    assert kinds[OriginKind.UNKNOWN] / len(swapped) > 0.8
    assert len(cited) / len(swapped) < 0.1


def foreign_values(cases: list[Case], chance: random.Random) -> list[tuple[OriginKind, object]]:
    """Give some arguments the value the same argument has in another case, and trace it."""
    elsewhere: dict[tuple[str, str], list[tuple[str, object]]] = {}
    places = []
    for one in cases:
        for t, s, step in one.steps():
            if isinstance(step, Call):
                for path in leaf_paths(step.arguments):
                    value = value_at(step.arguments, path)
                    if isinstance(value, str | int | float) and not isinstance(value, bool):
                        elsewhere.setdefault((step.name, path), []).append((one.id, value))
                        places.append((one, t, s, step.name, path, value))
    found: list[tuple[OriginKind, object]] = []
    for one, t, s, name, path, value in places:
        others = [
            other
            for case_id, other in elsewhere[name, path]
            if case_id != one.id and other != value and type(other) is type(value)
        ]
        if not others or chance.random() > 0.25:
            continue
        other = chance.choice(others)
        changed = set_argument_value(one, t, step=s, path=path, value=other)
        origin = next(o for o in origins_of(Dialogue(changed), t, step=s) if o.path == path)
        found.append((origin.kind, other))
    return found
