"""What a command prints: one JSON document, or tables and sentences for people; messages go to stderr."""

import json
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from annotator.jobs import JobContext, ProgressReport


def plain(value: Any) -> Any:
    """Turn records, rows, enums and instants into plain JSON values."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True)
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, StrEnum):
        return value.value
    return value


def print_json(value: Any) -> None:
    """Print exactly one JSON document on standard output."""
    sys.stdout.write(json.dumps(plain(value), ensure_ascii=False, indent=2) + "\n")


def say(text: str) -> None:
    """Print a sentence for a person on standard output."""
    sys.stdout.write(text.rstrip("\n") + "\n")


def tell(text: str) -> None:
    """Print a message on standard error, where it never mixes with results."""
    sys.stderr.write(text.rstrip("\n") + "\n")


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, title: str = "") -> None:
    """Print a table; columns whose cells are all numbers stand right."""
    table = Table(title=title or None, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for i, column in enumerate(columns):
        is_number = bool(rows) and all(isinstance(row[i], int | float) or _is_figure(row[i]) for row in rows)
        table.add_column(column, justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*("" if cell is None else str(cell) for cell in row))
    Console(file=sys.stdout, highlight=False, width=None if sys.stdout.isatty() else 140).print(table)


def _is_figure(cell: object) -> bool:
    return isinstance(cell, str) and bool(cell) and cell.strip(" %–-.").replace(".", "").isdigit()


def percent(share: float | None, *, digits: int = 2) -> str:
    """A share as a percentage, a dash where there is none."""
    return "–" if share is None else f"{100 * share:.{digits}f}"


@contextmanager
def job_context(*, cancel: threading.Event | None = None) -> Iterator[JobContext]:
    """A job's context whose progress is drawn on standard error while it is a terminal.

    Args:
        cancel: Set to stop the job between two units; null where only Ctrl+C does.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield JobContext(cancel=cancel)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("", total=None)
        yield JobContext(_drawn(progress, bar), cancel=cancel)


def _drawn(progress: Progress, bar: Any) -> Callable[[ProgressReport], None]:
    def show(report: ProgressReport) -> None:
        progress.update(bar, completed=report.done, total=report.total, description=report.note)

    return show
