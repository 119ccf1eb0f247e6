"""The type variables of generic functions and classes."""

from collections.abc import Hashable
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")
K = TypeVar("K", bound=Hashable)
"""What a dictionary can have as a key."""
