"""What every foreign line says of a case alike: its id, its tools, its simulated time."""

import marshal
import re
from collections.abc import Iterator
from functools import lru_cache

from pydantic import JsonValue

from scoring.errors import InputError
from scoring.formats.fields import list_at, object_at, refuse, same_count, text_at
from scoring.groups import collected
from scoring.model.case import Case, Now, Tool

_CHINESE = re.compile("[一-鿿]")
_LARGEST_TOOLSET = 2**20
"""Bytes of a toolset that is kept between lines."""


def has_chinese(value: JsonValue) -> bool:
    """Whether a text, or any text of a list, holds a Chinese character."""
    texts = value if isinstance(value, list) else [value]
    return any(_CHINESE.search(text) for text in texts if isinstance(text, str))


def read_id(value: JsonValue, *, file: str, line: int) -> str:
    """Read the id of a line: a text, a number, or a list of texts joined (IMP-03); a missing one is made up.

    Args:
        value: The value of `id`; None where there is none.
        file: Name of the file, for a missing id.
        line: Number of the line, from 1, for a missing id.

    Raises:
        InputError: It is something else, empty, or longer than 200 characters.
    """
    if value is None:
        value = f"{file.rsplit('.', 1)[0] or file}:{line}"
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        value = "".join(map(str, value))
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        refuse("id", value, "a text")
    if not 1 <= len(value) <= 200:
        raise InputError(f"id has {len(value)} characters; 1 to 200 are expected.")
    return value


def read_tools(value: JsonValue, where: str) -> tuple[Tool, ...]:
    """Read a tool list; None is no tool, and a tool without parameters is one without arguments.

    Raises:
        InputError: It is no list, or a tool is no object or has no name.
    """
    if value is None:
        return ()
    text = marshal.dumps(value, 2)
    return (_toolset if len(text) <= _LARGEST_TOOLSET else _toolset.__wrapped__)(text, where)


@lru_cache(64)
@collected
def _toolset(text: bytes, where: str) -> Iterator[Tool]:
    """The tools of one list; many lines bring the same, and what is worked out of them is kept with them."""
    for i, item in enumerate(list_at(marshal.loads(text), where)):
        definition = object_at(item, f"{where}[{i}]")
        function = definition.get("function")
        named = function if isinstance(function, dict) else definition
        if not isinstance(named.get("name"), str):
            raise InputError(f"{where}[{i}] has no name.", "A tool is called by its name.")
        yield Tool.trusted(definition=definition)


def read_now(value: JsonValue, where: str, count: int) -> tuple[Now | None, list[Now | None]]:
    """Read the simulated time: the case's, and for each task its own where it differs (IMP-06).

    Args:
        value: One text, or a list of one for each task; None or empty where nothing is said.
        where: The key it stands under.
        count: Number of tasks.

    Raises:
        InputError: It is something else, or not one for each task.
    """
    if value is None or isinstance(value, str):
        return (Now.read(value) if value else None), [None] * count
    texts = [text_at(item, f"{where}[{i}]") for i, item in enumerate(list_at(value, where))]
    if not texts:
        return None, [None] * count
    same_count(len(texts), where, expected=count)
    return Now.read(texts[0]), [None if text == texts[0] else Now.read(text) for text in texts]


def write_now(case: Case, *, per_task: bool = False) -> JsonValue:
    """Write the simulated time: one text, or one for each task where a task has its own; None without any.

    Args:
        case: The case.
        per_task: Write one for each task even where they are the same.
    """
    if not any(task.now for task in case.tasks) and (case.now is None or not per_task):
        return case.now.raw if case.now else None
    return [now.raw if (now := task.now or case.now) else "" for task in case.tasks]
