"""A command of the command line: what each takes, opens, prints and ends with."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from inspect import Parameter, signature
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias, TypeVar

import typer

from scoring.texts import speak
from ui.cli.options import Person, Project, opened
from ui.cli.output import Table, job_context, plain, print_json, print_table, say, tell

_KEYWORD = Parameter.KEYWORD_ONLY
_PROJECT_OPTIONS = (
    Parameter("place", _KEYWORD, default=None, annotation=Project),
    Parameter("person", _KEYWORD, default=None, annotation=Person),
)
_JSON_OPTION = Parameter(
    "json",
    _KEYWORD,
    default=False,
    annotation=Annotated[bool, typer.Option("--json", help="Print exactly one JSON document.")],
)


VERSION = 2
"""Of the documents of `--json`; it grows where one of them loses or changes something."""
Shape: TypeAlias = "type | str | list[Shape] | tuple[Shape, ...] | Mapping[Any, Shape] | None"
"""What a document looks like: a type; the dotted name of a record, which is imported when it is asked for; a
list of one shape; several shapes, of which it has one; an object by its keys. There `?` ends a key that
may be missing, `*` stands for the fields of a record, `-` names those of them that are left out, and the type
`str` stands for any key."""


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


def group(app: typer.Typer, name: str, about: str) -> typer.Typer:
    """Commands that share their first word, as in `annotator batch list`; alone it prints its help."""
    made = typer.Typer(help=about, no_args_is_help=True)
    app.add_typer(made, name=name)
    return made


Body = TypeVar("Body", bound=Callable[..., CommandResult])


def command(
    app: typer.Typer, name: str, *, example: str, gives: Shape, writes: str = "", hidden: bool = False
) -> Callable[[Body], Body]:
    """Make a command of a function whose parameters are its arguments and options.

    Args:
        app: What it is called in.
        name: What it is called.
        example: The end of its help.
        gives: What it prints with `--json`; see `annotator schema`.
        writes: The parameter with the file it writes: with `-` for it, sentences go to standard error.
        hidden: Whether the help leaves it out.

    A parameter `workspace` gets the project of `-p` opened for `--as`; one that is None by default stays so
    where no project was named. `context` gets a job's context, whose progress is drawn. Every command takes
    `--json`; none takes `nan` or `inf` for a number.
    """

    def add(body: Body) -> Body:
        own = dict(signature(body).parameters)
        has_context = own.pop("context", None) is not None
        wanted = own.pop("workspace", None)
        shared = (*(_PROJECT_OPTIONS if wanted else ()), _JSON_OPTION)

        def run(*, json: bool, **typed: Any) -> None:
            if json:
                speak("en")  # what programs read has one language
            for option, value in typed.items():
                if isinstance(value, float) and not isfinite(value):
                    raise typer.BadParameter(
                        f"{value} is not a valid float.", param_hint=f"'--{option.replace('_', '-')}'"
                    )
            out = typed[writes] if writes else None
            if json and out == Path("-"):
                raise typer.BadParameter("--json and '-' both print on standard output; name a file.")
            with ExitStack() as stack:
                if wanted:
                    place, person = typed.pop("place"), typed.pop("person")
                    typed["workspace"] = (
                        stack.enter_context(opened(place, person))
                        if place is not None or wanted.default is Parameter.empty
                        else None
                    )
                if has_context:
                    typed["context"] = stack.enter_context(job_context())
                result = body(**typed)
            _print(result, as_json=json, beside=out)
            if result.code:
                raise typer.Exit(result.code)

        options = (*(option.replace(kind=_KEYWORD) for option in own.values()), *shared)
        run.gives = gives  # type: ignore[attr-defined]
        run.__signature__ = signature(run).replace(parameters=options)  # type: ignore[attr-defined]
        app.command(name, help=body.__doc__, epilog=f"Example: {example}", hidden=hidden)(run)
        return body

    return add


def document_of(value: Any) -> dict[str, Any]:
    """The document of `--json`: an object with a version. The rows of a list stand under `rows`."""
    body = {"rows": value} if isinstance(value, list | tuple) else value
    return {"version": VERSION, **(body if isinstance(body, dict) else plain(body))}


def versioned(shape: Shape) -> Shape:
    """The shape of the document made of a value of a shape."""
    match shape:
        case list():
            return {"version": int, "rows": shape}
        case tuple():
            return tuple(map(versioned, shape))
        case str():
            return {"version": int, "*": shape}
        case Mapping():
            return {"version": int, **shape}
    return shape


def _print(result: CommandResult, *, as_json: bool, beside: Path | None) -> None:
    if as_json or result.parts is None:
        print_json(document_of(result.value))
    else:
        for part in result.parts:
            if isinstance(part, Table):
                print_table(part)
            elif part:
                say(part, beside=beside)
    for note in result.notes:
        tell(note)
