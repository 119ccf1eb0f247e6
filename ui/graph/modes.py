"""What a click on a step means."""

from enum import StrEnum


class Mode(StrEnum):
    """The three ways to work on a graph."""

    SELECT = "select"
    CONNECT = "connect"
    SIMULATE = "simulate"
