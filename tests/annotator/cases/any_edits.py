"""Any edits of a case, for properties that hold whatever somebody does."""

from collections.abc import Callable
from functools import partial

from hypothesis import strategies as st
from pydantic import JsonValue

from annotator.cases.edits.edge_edits import add_edge, remove_edge, set_edge_kind
from annotator.cases.edits.step_edits import delete_step, duplicate_step, insert_step, move_step
from annotator.cases.edits.task_edits import delete_task, insert_task, merge_tasks, move_task, split_task
from annotator.cases.edits.text_edits import (
    set_accepted,
    set_answer_text,
    set_argument_value,
    set_arguments,
    set_ask,
    set_now,
    set_observation,
    set_policy,
    set_user_text,
)
from scoring.errors import AnnotatorError
from scoring.model.case import Case
from scoring.model.record import JsonObject
from scoring.model.taxonomy import EdgeKind, Policy
from tests.factories import ask, call

Change = Callable[[Case], Case]

_ACCEPTED: list[JsonObject | None] = [None, {"/a": {"values": ["x"]}}, {"/b": {"optional": True}}]
WORDS = st.sampled_from(["", "a", "b", "one two", "东"])


def values(words: st.SearchStrategy[str]) -> st.SearchStrategy[JsonValue]:
    return st.recursive(
        st.none() | st.booleans() | st.integers(0, 3) | words,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab/~"), inner, max_size=3)
        ),
        max_leaves=5,
    )


@st.composite
def edits(draw: st.DrawFn, start: Case, *, most: int = 5, words: st.SearchStrategy[str] = WORDS) -> Case:
    """A case after some edits of any kind, with these words; those that are refused are passed over."""
    changed = start
    anything = values(words)
    for _ in range(draw(st.integers(0, most))):
        number = draw(st.integers(0, len(changed.tasks) - 1))
        steps = range(max(len(changed.tasks[number].steps), 1))
        step, other = draw(st.sampled_from(steps)), draw(st.sampled_from(steps))
        options: list[Change] = [
            partial(set_user_text, task=number, text=draw(words)),
            partial(set_answer_text, task=number, text=draw(words)),
            partial(set_policy, task=number, policy=draw(st.sampled_from([None, *Policy]))),
            partial(set_now, raw=draw(st.sampled_from(["2027-01-01", ""])), task=number),
            partial(
                set_arguments, task=number, step=step, arguments={"a": draw(anything), "b": draw(anything)}
            ),
            partial(set_argument_value, task=number, step=step, path="/a", value=draw(anything)),
            partial(set_accepted, task=number, step=step, accepted=draw(st.sampled_from(_ACCEPTED))),
            partial(set_observation, task=number, step=step, observation=draw(anything)),
            partial(set_ask, task=number, step=step, reply=draw(words)),
            partial(insert_step, task=number, index=step, step=call("tell", to=draw(words))),
            partial(insert_step, task=number, index=step, step=ask(draw(words), "yes")),
            partial(duplicate_step, task=number, step=step),
            partial(delete_step, task=number, step=step),
            partial(move_step, task=number, step=step, to=other),
            partial(add_edge, task=number, source=step, target=other),
            partial(remove_edge, task=number, source=step, target=other),
            partial(
                set_edge_kind,
                task=number,
                source=step,
                target=other,
                kind=draw(st.sampled_from([EdgeKind.PARAMETER, EdgeKind.LOGICAL])),
            ),
            partial(insert_task, index=number),
            partial(delete_task, task=number),
            partial(move_task, task=number, to=draw(st.integers(0, len(changed.tasks) - 1))),
            partial(split_task, task=number, step=step),
            partial(merge_tasks, task=number),
        ]
        try:
            changed = draw(st.sampled_from(options))(changed)
        except AnnotatorError:
            continue
    return changed
