"""The files of a release once more as tables: rows of equal columns, which every reader opens."""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from annotator.release.manifest import ROWS, FileEntry, file_entry
from scoring.model.record import JsonObject, Record

TYPES = {str: "string", bool: "bool", int: "int64"}
"""What a column holds as it is, by the names that tables use; anything else is a text of JSON."""


class RowTable(Record):
    """One file of a release as a table.

    `columns` gives the type of each column, `json_columns` those that hold JSON as text; a value that is
    missing is null.
    """

    name: str
    file: str
    rows: int
    columns: dict[str, str]
    json_columns: tuple[str, ...]
    entry: FileEntry


def write_tables(folder: Path, files: Sequence[str], *, parquet: bool) -> tuple[RowTable, ...]:
    """Write a table beside each JSON Lines file that has a line; same lines, same rows.

    Args:
        folder: The release folder.
        files: The files, which stay as they are.
        parquet: Whether as Parquet; else as JSON Lines, which are the same bytes each time.

    Raises:
        ImportError: Parquet needs the extra `hub`.
    """
    (folder / ROWS).mkdir()
    tables = (_write_table(folder, file, parquet=parquet) for file in files)
    return tuple(table for table in tables if table is not None)


def _write_table(folder: Path, file: str, *, parquet: bool) -> RowTable | None:
    columns = _columns(folder / file)
    if not columns:
        return None
    name = Path(file).stem
    target = folder / ROWS / f"{name}.{'parquet' if parquet else 'jsonl'}"
    rows = (
        {
            key: value if kind or value is None else json.dumps(value, ensure_ascii=False)
            for key, kind in columns.items()
            for value in (line.get(key),)
        }
        for line in _lines(folder / file)
    )
    types = {key: kind or "string" for key, kind in columns.items()}
    return RowTable(
        name=name,
        file=f"{ROWS}/{target.name}",
        rows=_write_parquet(target, rows, types) if parquet else _write_lines(target, rows),
        columns=types,
        json_columns=tuple(key for key, kind in columns.items() if not kind),
        entry=file_entry(target),
    )


def _lines(path: Path) -> Iterator[JsonObject]:
    with path.open(encoding="utf-8", newline="\n") as stream:
        yield from map(json.loads, stream)


def _columns(path: Path) -> dict[str, str]:
    """The type of every key of the lines; empty where values differ in type or are nested."""
    kinds: dict[str, set[str]] = {}
    for line in _lines(path):
        for key, value in line.items():
            found = "" if isinstance(value, int) and abs(value) >= 2**63 else TYPES.get(type(value), "")
            kinds.setdefault(key, set()).update(() if value is None else (found,))
    return {key: (found or {"string"}).pop() if len(found) < 2 else "" for key, found in kinds.items()}


def _write_lines(target: Path, rows: Iterator[JsonObject]) -> int:
    count = 0
    with target.open("w", encoding="utf-8", newline="\n") as stream:
        for row in rows:
            count += 1
            stream.write(f"{json.dumps(row, ensure_ascii=False)}\n")
    return count


def _write_parquet(target: Path, rows: Iterator[JsonObject], types: dict[str, str]) -> int:
    import pyarrow
    from pyarrow import parquet

    named = {"string": pyarrow.string(), "bool": pyarrow.bool_(), "int64": pyarrow.int64()}
    schema = pyarrow.schema([(key, named[kind]) for key, kind in types.items()])
    count = 0
    with parquet.ParquetWriter(target, schema) as writer:
        while batch := list(islice(rows, 1000)):
            count += len(batch)
            writer.write_table(pyarrow.Table.from_pylist(batch, schema=schema))
    return count
