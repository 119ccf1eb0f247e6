"""Pointers lead to one value, or say that they do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from annotator.cases.pointers import has_value, keys_of, value_at, with_value_at
from scoring.errors import InputError
from scoring.model.flow import leaves

JSON = st.recursive(
    st.integers() | st.text("a/~0", max_size=3),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(st.text("a/~0", max_size=3), inner, min_size=1, max_size=3)
    ),
    max_leaves=8,
)
NESTED: JsonValue = {"a/b": [{"~": 1}, 2]}


def test_keys_are_unescaped() -> None:
    assert keys_of("/a~1b/0/~0") == ("a/b", "0", "~")
    assert value_at(NESTED, "/a~1b/0/~0") == 1


@pytest.mark.parametrize("pointer", ["/x", "/a~1b/2", "/a~1b/x", "/a~1b/-1", "/a~1b/1/0", "/a~1b/²"])
def test_a_pointer_that_leads_nowhere_is_refused(pointer: str) -> None:
    assert not has_value(NESTED, pointer)
    with pytest.raises(InputError):
        value_at(NESTED, pointer)


def test_replacing_copies_only_the_way() -> None:
    assert with_value_at(NESTED, "/a~1b/1", replacement=3) == {"a/b": [{"~": 1}, 3]}
    assert NESTED == {"a/b": [{"~": 1}, 2]}


def test_a_missing_key_is_added_and_a_missing_way_is_refused() -> None:
    assert with_value_at({"a": 1}, "/b", replacement=2) == {"a": 1, "b": 2}
    with pytest.raises(InputError):
        with_value_at({"a": 1}, "/b/c", replacement=2)
    with pytest.raises(InputError):
        with_value_at([1], "/1", replacement=2)


@given(JSON)
def test_every_leaf_is_where_its_pointer_says(value: JsonValue) -> None:
    for pointer, leaf in leaves(value):
        assert value_at(value, pointer) == leaf
        assert value_at(with_value_at(value, pointer, replacement=None), pointer) is None
