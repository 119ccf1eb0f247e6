"""A command of the command line: what each takes, opens, prints and ends with."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

import typer

from ui.cli.options import Person, Project, opened
from ui.cli.output import Table, job_context, print_json, print_table, say, tell

_KEYWORD = Parameter.KEYWORD_ONLY
_JSON = Annotated[bool, typer.Option("--json", help="Print exactly one JSON document.")]
_PROJECT_OPTIONS = (
    Parameter("place", _KEYWORD, default=None, annotation=Project),
    Parameter("person", _KEYWORD, default=None, annotation=Person),
)
_JSON_OPTION = Parameter("json", _KEYWORD, default=False, annotation=_JSON)


class CommandResult(NamedTuple):
    """What a command found or did.

    Attributes:
        value: The document of `--json`.
        parts: The same for people: tables and sentences, an empty one is left out; None prints the document
            for them, too.
        notes: Messages on standard error.
        code: The exit code.
    """

    value: Any
    parts: Iterable[Table | str] | None = None
    notes: Sequence[str] = ()
    code: int = 0


Body = TypeVar("Body", bound=Callable[..., CommandResult])


def command(
    app: typer.Typer, name: str, *, example: str, writes: str = "", hidden: bool = False
) -> Callable[[Body], Body]:
    """Make a command of a function whose parameters are its arguments and options.

    Args:
        app: What it is called in.
        name: What it is called.
        example: The end of its help.
        writes: The parameter with the file it writes: with `-` for it, sentences go to standard error.
        hidden: Whether the help leaves it out.

    A parameter `workspace` gets the project of `-p` opened for `--as`; one that is None by default stays so
    where no project was named. `context` gets a job's context, whose progress is drawn. Every command takes
    `--json`.
    """

    def add(body: Body) -> Body:
        own = dict(signature(body).parameters)
        has_context = own.pop("context", None) is not None
        wanted = own.pop("workspace", None)
        shared = (*(_PROJECT_OPTIONS if wanted else ()), _JSON_OPTION)

        def run(*, json: bool, **typed: Any) -> None:
            out = typed[writes] if writes else None
            if json and out == Path("-"):
                raise typer.BadParameter("--json and '-' both print on standard output; name a file.")
            with ExitStack() as stack:
                if wanted:
                    place, person = typed.pop("place"), typed.pop("person")
                    is_open = place is not None or wanted.default is Parameter.empty
                    typed["workspace"] = stack.enter_context(opened(place, person)) if is_open else None
                if has_context:
                    typed["context"] = stack.enter_context(job_context())
                result = body(**typed)
            _print(result, as_json=json, beside=out)
            if result.code:
                raise typer.Exit(result.code)

        options = (*(option.replace(kind=_KEYWORD) for option in own.values()), *shared)
        run.__signature__ = signature(run).replace(parameters=options)  # type: ignore[attr-defined]
        app.command(name, help=body.__doc__, epilog=f"Example: {example}", hidden=hidden)(run)
        return body

    return add


def _print(result: CommandResult, *, as_json: bool, beside: Path | None) -> None:
    if as_json or result.parts is None:
        print_json(result.value)
    else:
        for part in result.parts:
            if isinstance(part, Table):
                print_table(part)
            elif part:
                say(part, beside=beside)
    for note in result.notes:
        tell(note)
