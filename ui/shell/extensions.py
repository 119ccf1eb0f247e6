"""The parts that can be left out, each joined here and nowhere else; nothing of Qt is imported yet."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from ui.shell.navigation import PageContext


@dataclass(frozen=True)
class Extension:
    """What a part adds to the program.

    Attributes:
        commands: The module with its commands; empty for none.
        section: The heading of the help they stand under.
        run_view: The title of a tab on the Runs page, and what makes it; None for none.
    """

    commands: str = ""
    section: str = ""
    run_view: "tuple[str, Callable[[PageContext], QWidget]] | None" = None


def _teval(context: "PageContext") -> "QWidget":
    from ui.teval.view import TevalView

    return TevalView(context.operations, context.preferences, case_wanted=context.ways.open_case)


EXTENSIONS = (Extension(commands="ui.cli.teval", section="Releases and scores", run_view=("T-Eval", _teval)),)
