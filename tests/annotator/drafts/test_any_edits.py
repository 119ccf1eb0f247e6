"""Looking again after an edit says exactly what a fresh look says, whatever the dialogue and the edit."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from annotator.cases.edits.edge_edits import add_edge, remove_edge
from annotator.cases.edits.step_edits import delete_step, insert_step
from annotator.cases.edits.text_edits import (
    set_argument_value,
    set_ask,
    set_information,
    set_now,
    set_observation,
    set_policy,
    set_user_text,
)
from annotator.cases.evidence.citations import propose_evidence
from annotator.drafts.assessment import assess
from annotator.drafts.snapshot import Snapshot
from annotator.project.policy import ReviewPolicy
from scoring.errors import AnnotatorError
from scoring.model.case import Answer, Ask, Call, Case, Task
from scoring.model.labels import Judgment, labels_of
from scoring.model.taxonomy import Information, Policy, Stage
from tests.factories import answer, ask, call, case, task, tool

WORDS = (
    "Oslo",
    "oslo",
    "K-0077",
    "K-0078",
    "thing 4",
    "thing 4 red",
    "the red thing 4 of Oslo",
    "2026-03-03",
)
FIGURES: tuple[JsonValue, ...] = (2, 7, 77, 120, 12.5, 12.51, 132.5, "77", True, None)
VALUES = st.sampled_from((*WORDS, *FIGURES))
TEXTS = st.lists(
    st.sampled_from((*WORDS, "tomorrow", "at 9 am", "two", "twelve", "in March", "77", "Oslo,")), max_size=4
).map(" ".join)
OBSERVATIONS = st.one_of(
    TEXTS,
    st.none(),
    st.dictionaries(st.sampled_from(("id", "note", "price", "items")), VALUES | st.lists(VALUES, max_size=2)),
)
ARGUMENTS = st.dictionaries(st.sampled_from(("id", "note", "price", "day")), VALUES, max_size=3)
CALLS = st.builds(
    lambda arguments, observation: call("act", observation, **arguments), ARGUMENTS, OBSERVATIONS
)
ASKS = st.builds(lambda text, reply: ask(text, reply, about="act"), TEXTS, TEXTS)
ACT = tool("act", id={"type": "string"}, note={"type": "string", "description": "thing 4 or another"})


@st.composite
def tasks(draw: st.DrawFn, *, most: int) -> Task:
    steps: list[Call | Ask | Answer] = list(draw(st.lists(CALLS | ASKS, max_size=most)))
    edges = [(i - 1, i) for i in range(1, len(steps)) if draw(st.booleans())]
    return task(
        *steps,
        answer(draw(TEXTS)),
        user=draw(TEXTS),
        edges=edges,
        policy=draw(st.none() | st.sampled_from(Policy)),
        information=draw(st.none() | st.sampled_from(Information)),
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    is_long = draw(st.booleans())  # beyond the number of passages from which an index is kept
    found = draw(st.lists(tasks(most=6), min_size=5 if is_long else 1, max_size=9 if is_long else 3))
    return case(*found, tools=[ACT], now="2026-03-02 09:00:00")


def edited(draw: st.DrawFn, before: Case) -> Case:
    """One edit somewhere; the case itself where it is refused."""
    t = draw(st.integers(0, len(before.tasks) - 1))
    found = before.tasks[t]
    if not found.steps:
        return set_user_text(before, t, text=draw(TEXTS))
    s = draw(st.integers(0, len(found.steps) - 1))
    step = found.steps[s]
    kind = draw(st.sampled_from(("step", "step", "step", "user", "label", "edge", "shape", "now")))
    try:
        if kind == "user":
            return set_user_text(before, t, text=draw(TEXTS))
        if kind == "label":
            changed = set_policy(before, t, policy=draw(st.sampled_from(Policy)))
            return set_information(changed, t, information=draw(st.sampled_from(Information)))
        if kind == "edge":
            source = draw(st.integers(0, len(found.steps) - 1))
            is_drawn = (source, s) in {edge.pair for edge in found.drawn_edges}
            return (remove_edge if is_drawn else add_edge)(before, t, source=source, target=s)
        if kind == "shape":
            is_more = draw(st.booleans())
            return (
                insert_step(before, t, index=s, step=draw(CALLS))
                if is_more
                else delete_step(before, t, step=s)
            )
        if kind == "now":
            return set_now(before, draw(st.sampled_from(("2026-03-02 09:00:00", "2026-04-01 08:00:00"))))
        if isinstance(step, Ask):
            return set_ask(before, t, step=s, text=draw(TEXTS), reply=draw(TEXTS))
        if isinstance(step, Call) and step.arguments and draw(st.booleans()):
            name = draw(st.sampled_from(sorted(step.arguments)))
            return set_argument_value(before, t, step=s, path=f"/{name}", value=draw(VALUES))
        if isinstance(step, Call):
            return set_observation(before, t, step=s, observation=draw(OBSERVATIONS))
    except AnnotatorError:
        pass
    return before


@given(st.data())
@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
def test_looking_again_after_any_edits_finds_what_a_fresh_look_finds(data: st.DataObject) -> None:
    found = data.draw(cases())
    cited = tuple(c.model_copy(update={"accepted": True}) for c in propose_evidence(found, 0)[::2])
    seen = None
    for number in range(5):
        judgment = Judgment(tasks=labels_of(found), evidence=cited if number % 2 else ())
        snapshot = Snapshot(found, judgment)
        fresh = assess(snapshot, stage=Stage.SELF_CHECK_TASK, policy=ReviewPolicy())
        seen = assess(snapshot, stage=Stage.SELF_CHECK_TASK, policy=ReviewPolicy(), before=seen)
        assert seen == fresh
        if number % 3:
            found = data.draw(st.composite(edited)(found))
