"""Formats that are recognised but not read, so that a file in one of them is refused in one sentence."""

from pydantic import JsonValue

from scoring.model.record import JsonObject

_BY_KEYS: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (name, frozenset(keys.split()))
    for name, keys in (
        ("ShareGPT", "conversations"),
        ("BFCL", "question function"),
        ("BFCL", "question involved_classes"),
        ("BFCL", "id ground_truth"),
        ("tau-bench trajectories", "traj reward"),
        ("an Inspect log", "eval samples"),
        ("an Inspect log", "eval plan"),
        ("T-Eval", "origin_prompt ground_truth"),
        ("xLAM function calling", "query answers tools"),
        ("Alpaca", "instruction output"),
        ("a toolset (tool definitions alone)", "type function"),
        ("a toolset (tool definitions alone)", "name parameters"),
    )
)


def foreign_name(value: JsonValue) -> str | None:
    """What a JSON value that is no case of ours looks like; null where it is nothing we know by name."""
    if isinstance(value, list):
        return foreign_name(value[0]) if value and isinstance(value[0], dict) else None
    if not isinstance(value, dict):
        return None
    found = _named(value)
    if found is None and value and all(key.isdigit() for key in value):
        # T-Eval keeps its cases in one object, by number.
        first = next(iter(value.values()))
        found = _named(first) if isinstance(first, dict) else None
    return found


def _named(record: JsonObject) -> str | None:
    return next((name for name, keys in _BY_KEYS if keys <= record.keys()), None)
