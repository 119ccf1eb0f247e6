"""Whatever a file may hold, a check gives findings and never falls over."""

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from annotator.cases.evidence.citations import broken_citations, propose_evidence
from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.evidence.origins import exact_paths
from annotator.cases.evidence.suggestions import suggest_edges
from annotator.cases.findings.checks import check_case, check_dialogue
from annotator.cases.findings.repairs import apply_proposal, has_proposal
from annotator.cases.findings.rules import RULES
from scoring.errors import AnnotatorError
from scoring.model.case import Answer, Ask, Call, Case, Edge, Now, Task, Tool
from scoring.model.graph import with_drawn_edges
from scoring.model.taxonomy import Information, Policy

NAMES = st.sampled_from(["id", "city", "date", "n", "list", "properties", "type", "", "a/b~c"])
SCALARS: st.SearchStrategy[JsonValue] = (
    st.none()
    | st.booleans()
    | st.integers(-3, 30)
    | st.sampled_from([10**400, -(10**20), 0.5, 1e300, -0.0, 1e-300])
    | st.sampled_from(["", " ", "Oslo", "oslo", "2026-03-03", "K-77", "two", "#x", "\x00", "北京", "a" * 300])
    | st.text(max_size=6)
)
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
_KEYS = (
    "type properties items enum required anyOf allOf default const description additionalProperties nullable"
)
KEYS = st.sampled_from(_KEYS.split())
TYPES: st.SearchStrategy[JsonValue] = st.sampled_from(
    ["string", "integer", "float", "dict", "array", "object", "null", "any", "boolean"]
)


def _deeper(inner: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    objects: st.SearchStrategy[JsonValue] = st.fixed_dictionaries(
        {"type": TYPES, "properties": st.dictionaries(NAMES, inner, max_size=3)}
    )
    lists: st.SearchStrategy[JsonValue] = st.fixed_dictionaries({"items": inner})
    choices: st.SearchStrategy[JsonValue] = st.fixed_dictionaries({"anyOf": st.lists(inner, max_size=3)})
    return objects | lists | choices | st.dictionaries(KEYS, inner | VALUES, max_size=4)


SCHEMAS: st.SearchStrategy[JsonValue] = st.recursive(
    st.fixed_dictionaries({"type": TYPES}), _deeper, max_leaves=5
)
TOOLS = st.builds(
    lambda name, schema: Tool(definition={"name": name, "parameters": schema}),
    st.sampled_from(["act", "act", "use"]),
    SCHEMAS,
)
TEXTS = st.text(max_size=8) | st.sampled_from(
    ["Go to Oslo tomorrow with two K-77.", "<b>", "![x](http://y)", "next Friday, 3 days", "明天去北京"]
)
CALLS = st.builds(
    Call,
    name=st.sampled_from(["act", "use", "gone"]),
    arguments=st.dictionaries(NAMES, VALUES, max_size=4),
    observation=VALUES,
    recorded_round=st.none() | st.integers(0, 2),
)
ASKS = st.builds(Ask, text=TEXTS, reply=TEXTS)


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    steps: list[Call | Ask | Answer] = list(draw(st.lists(CALLS | ASKS, max_size=4)))
    pairs = [(i, j) for j in range(len(steps)) for i in range(j) if draw(st.booleans())]
    if draw(st.booleans()):
        steps.append(Answer(text=draw(TEXTS)))
    bare = Task(
        user=draw(TEXTS),
        steps=tuple(steps),
        policy=draw(st.none() | st.sampled_from(Policy)),
        information=draw(st.none() | st.sampled_from(Information)),
    )
    return with_drawn_edges(bare, [Edge(source=a, target=b) for a, b in pairs])


CASES = st.builds(
    Case,
    id=st.just("x"),
    tools=st.lists(TOOLS, max_size=3).map(tuple),
    tasks=st.lists(tasks(), min_size=1, max_size=3).map(tuple),
    now=st.none() | st.builds(Now.read, st.sampled_from(["2026-03-02", "0001-01-01", "9999-12-31", "noon"])),
)


@settings(max_examples=200)
@given(CASES)
def test_any_case_can_be_checked_and_cited(case: Case) -> None:
    findings = check_case(case)
    assert {finding.rule for finding in findings} <= set(RULES)
    evidence = [found for t in range(len(case.tasks)) for found in propose_evidence(case, t)]
    assert broken_citations(case, evidence) == ()
    accepted = [citation.model_copy(update={"accepted": True}) for citation in evidence]
    dialogue = Dialogue(case)
    exact = {
        (t, s, path)
        for t, task in enumerate(case.tasks)
        for s, _ in task.calls
        for path in exact_paths(dialogue, t, step=s)
    }
    assert exact <= {(citation.task, citation.step, citation.path) for citation in evidence}
    cited = check_case(case, citations=accepted)
    assert check_dialogue(Dialogue(case), citations=accepted) == cited


@given(CASES)
def test_a_place_has_one_finding_of_a_rule(case: Case) -> None:
    places = [(finding.rule, finding.where) for finding in check_case(case)]
    assert len(places) == len(set(places))


@given(CASES)
def test_any_proposal_can_be_applied_or_is_refused(case: Case) -> None:
    for finding in check_case(case):
        if has_proposal(finding):
            try:
                changed = apply_proposal(case, finding)
            except AnnotatorError:
                continue
            assert changed != case


@given(CASES)
def test_every_suggestion_names_a_new_edge(case: Case) -> None:
    for t, task in enumerate(case.tasks):
        drawn = {edge.pair for edge in task.drawn_edges}
        assert not drawn & {suggestion.edge.pair for suggestion in suggest_edges(case, t)}
