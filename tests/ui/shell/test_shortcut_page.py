"""The page of shortcuts, made from the window and compared with `docs/reference/shortcuts.md`.

A change that was meant is written by `APPROVE_PAGES=1 make test TESTS=tests/ui/shell/test_shortcut_page.py`.
"""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from annotator.project.people import login_name
from tests.docs.test_pages import compare
from ui.services.commands import Command
from ui.shell.main_window import MainWindow
from ui.shell.pages import PAGES

MADE = (
    "Made from the program by `APPROVE_PAGES=1 make test TESTS=tests/ui/shell/test_shortcut_page.py`, "
    "which otherwise compares it.\n"
)
SELF_CHECK = "sample-14-festival-shifts"


def _page(commands: tuple[Command, ...]) -> Iterator[str]:
    yield "# Shortcuts\n"
    yield MADE
    yield (
        "In the window `?` lists the keys of the page you are on. A click there on the keys of a command "
        "changes them. A letter is a command only while nobody types in a field.\n"
    )
    for category in sorted({command.category for command in commands}):
        yield f"## {category}\n"
        yield "| keys | command |\n| --- | --- |"
        rows = {
            (command.title, command.keys, command.also)
            for command in commands
            if command.category == category
        }
        for title, keys, also in sorted(rows):
            if keys or also:
                yield f"| {', '.join(f'`{key}`' for key in (keys, *also) if key)} | {title} |"
        yield ""


@pytest.mark.usefixtures("light")
def test_the_page_of_shortcuts_says_what_the_window_says(
    qtbot: QtBot, window: MainWindow, released_project: str
) -> None:
    window.entrance.open(released_project, login_name())
    qtbot.waitUntil(lambda: bool(window.ways.open_pages()))
    for kind in PAGES:
        window.ways.show_page(kind.id)
    window.ways.open_case(SELF_CHECK)
    qtbot.waitUntil(lambda: any(command.id.startswith("reading.") for command in window.commands.all()))
    compare("reference/shortcuts.md", "\n".join(_page(window.commands.all())))
