"""Arbitrary JSON values for properties: every type, odd keys, numbers that look alike."""

from functools import cache

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from scoring.model.record import JsonObject

FEW = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
"""For properties over whole lines: one example holds many oddities and takes its time."""

_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.sampled_from(
    ["null", "1", "{}", "[1]", '"a"', "\0", "=====", "真", "~/", "2024-07-11"]
)
_SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, -0.0, 1.0, 1.5, 10**30]) | _TEXTS
)
_KEYS = st.sampled_from(["a", "b", "idx", "", "a/b", "~", "note"]) | _TEXTS


@cache
def json_values() -> st.SearchStrategy[JsonValue]:
    """Any JSON value of moderate size."""
    values: st.SearchStrategy[JsonValue] = st.recursive(
        _SCALARS,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=4),
        max_leaves=12,
    )
    return values


@cache
def json_objects() -> st.SearchStrategy[JsonObject]:
    """Any JSON object of moderate size."""
    return st.dictionaries(_KEYS, json_values(), max_size=5)


def json_scalars() -> st.SearchStrategy[JsonValue]:
    """Any JSON value that is no list and no object."""
    return _SCALARS
