"""What a command prints: one JSON document, or tables and sentences for people; messages go to stderr.

All of it passes `safe`: cases and names are foreign texts, which a terminal must show and never obey.
"""

import json
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from scoring.errors import StoreError, reworded
from scoring.texts import cell_in_language, in_language, tr

if TYPE_CHECKING:
    from types import FrameType

    from annotator.jobs import JobContext, ProgressReport

# Control characters but tab and line feed, signs that turn the writing direction, halves of characters.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def safe(text: str) -> str:
    """Spell out what a terminal would obey; inside a JSON text its meaning stays the same."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def plain(value: Any) -> Any:
    """A record, a row, a set or an instant as what JSON has for it."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True)
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return list(value) if isinstance(value, set | frozenset) else value.isoformat()


def without(row: Any, *names: str) -> dict[str, Any]:
    """A row as JSON has it without some fields, which count what is not everybody's to know."""
    return {name: value for name, value in plain(row).items() if name not in names}


def json_text(value: Any, *, is_ascii: bool = False) -> str:
    """Records, rows, enums and instants as a JSON text."""
    return json.dumps(value, default=plain, ensure_ascii=is_ascii, indent=2)


def print_json(value: Any) -> None:
    """Print exactly one JSON document on standard output."""
    out = _standard_output()
    is_ascii = not (out.encoding or "utf-8").lower().startswith("utf")
    _write(out, safe(json_text(value, is_ascii=is_ascii)) + "\n")


def say(text: str, *, beside: Path | None = None) -> None:
    """Print a sentence for a person on standard output; on standard error where `beside` is written there."""
    if beside == Path("-"):
        tell(text)
    else:
        _write(_standard_output(), safe(in_language(text)).rstrip("\n") + "\n")


class Table(NamedTuple):
    """A table for people; columns of numbers are right-aligned."""

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    title: str = ""


def tell(text: str) -> None:
    """Print a message on standard error, where it never mixes with results; nothing where it is empty."""
    if text and sys.stderr is not None:
        with suppress(StoreError):  # nobody is left who could be told
            _write(sys.stderr, safe(in_language(text)).rstrip("\n") + "\n")


def _standard_output() -> TextIO:
    if sys.stdout is None:
        raise StoreError("Standard output is closed.", "Leave it open, or send it to a file.")
    return sys.stdout


def _write(stream: TextIO, text: str) -> None:
    encoding = stream.encoding or "utf-8"
    with reworded(
        OSError,
        into=lambda exc: StoreError(
            f"Standard output cannot be written: {exc.strerror}.", "Send it where there is room."
        ),
    ):
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()


def print_table(table: Table) -> None:
    """Print a table for people."""
    from rich import table as rich_table
    from rich.console import Console
    from rich.text import Text

    def cell(value: object, heading: str = "") -> Text:  # in a string brackets would be read as markup
        words = "" if value is None else " ".join(str(value).splitlines())
        return Text(safe(cell_in_language(words, heading=heading)))

    out = _standard_output()
    drawn = rich_table.Table(
        title=in_language(table.title) or None,
        title_justify="left",
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    for column, *cells in zip(table.columns, *table.rows, strict=True):
        is_number = bool(cells) and all(
            isinstance(one, int | float) or str(one).strip(" %–-.").replace(".", "").isdigit()
            for one in cells
        )
        drawn.add_column(
            cell(tr(str(column), context="heading")),
            justify="right" if is_number else "left",
            overflow="fold",
        )
    for row in table.rows:
        drawn.add_row(*map(cell, row, table.columns))
    console = Console(file=out, highlight=False, width=None if out.isatty() else 140)
    with console.capture() as printed:
        console.print(drawn)
    _write(out, printed.get())


def percent(share: float | None, *, digits: int = 2) -> str:
    """A share as a percentage, a dash where there is none."""
    return "–" if share is None else f"{100 * share:.{digits}f}"


@contextmanager
def job_context(
    *, cancel: threading.Event | None = None, leave: threading.Event | None = None, is_drawn: bool = True
) -> Iterator["JobContext"]:
    """A job's context whose progress is drawn on standard error while it is a terminal.

    Args:
        cancel: Stops the job, see `JobContext`; None where only Ctrl+C ends it.
        leave: Set where what is under way is not waited for, either.
        is_drawn: False where its parts are drawn instead, see `progress_lines`.
    """
    from annotator.jobs import JobContext

    with progress_lines([""]) if is_drawn else nullcontext() as show:
        yield JobContext(show and show(""), cancel=cancel, leave=leave)


@contextmanager
def progress_lines(
    names: Sequence[str],
) -> Iterator["Callable[[str], Callable[[ProgressReport], None]] | None"]:
    """A line of progress for each of some parts of a job, by name; None where there is no terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bars = {name: progress.add_task(safe(name), total=None) for name in names}
        yield lambda name: _drawn(progress, bars[name], name)


@contextmanager
def stoppable_context(
    so_far: Callable[[], Iterable[str]] = tuple, *, is_drawn: bool = True
) -> Iterator["JobContext"]:
    """A job's context for asking a model: one Ctrl+C stops behind the replies under way, two leave them.

    Only a third interrupts what is being done, which may be the writing of a reply.

    Args:
        so_far: What is told where it was stopped: what there is already, and how to go on.
        is_drawn: See `job_context`.
    """
    import signal

    from annotator.jobs import JobCancelled

    cancel, leave = threading.Event(), threading.Event()

    def stop(_number: int, _frame: "FrameType | None") -> None:
        if leave.is_set():
            raise KeyboardInterrupt
        if cancel.is_set():
            leave.set()
            return
        cancel.set()
        tell("Stopping after the current replies; press Ctrl+C again to stop now.")

    before = signal.signal(signal.SIGINT, stop)
    try:
        with job_context(cancel=cancel, leave=leave, is_drawn=is_drawn) as context:
            yield context
    except (JobCancelled, KeyboardInterrupt):
        for line in so_far():
            tell(line)
        raise JobCancelled from None
    finally:
        signal.signal(signal.SIGINT, before)


def _drawn(progress: Any, bar: Any, name: str) -> Callable[["ProgressReport"], None]:
    def show(report: "ProgressReport") -> None:
        words = safe(": ".join(filter(None, (name, tr(report.note)))))
        progress.update(bar, completed=report.done, total=report.total, description=words)

    return show
