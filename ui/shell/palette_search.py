"""What the palette finds beside commands: cases of the project, its people, and shortcut profiles."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from ui.services.operations import Operations, Pending
from ui.services.palette import Palette, PaletteItem, match_rank
from ui.services.preferences import Profiles, switched_words
from ui.theme.words import ROLE, STAGE, visible

if TYPE_CHECKING:
    from annotator.project.workspace import Workspace
    from annotator.review.queue.case_rows import CaseRow

_COUNT = 8


class PaletteSearch(QObject):
    """Answers the palette.

    Args:
        palette: Who asks.
        operations: Where cases are looked up; people come with the open project.
        open_case: Opens a case by id.
        profiles: The shortcut profiles, to be switched.
        show_owner: Lists the cases of a person by name.
        is_inside: Whether a page of the project is shown.
        told: Says what came of switching.
    """

    def __init__(
        self,
        palette: Palette,
        operations: Operations,
        profiles: Profiles,
        *,
        open_case: Callable[[str], None],
        show_owner: Callable[[str], None],
        is_inside: Callable[[], bool],
        told: Callable[[str], None],
    ) -> None:
        super().__init__(palette)
        self._palette = palette
        self._operations = operations
        self._open_case = open_case
        self._show_owner = show_owner
        self._is_inside = is_inside
        self._profiles = profiles
        self._told = told
        self._pending: Pending | None = None
        palette.asked.connect(self._find)

    def _find(self, asked: str) -> None:
        self._find_profiles(asked)
        project = self._operations.project
        if project is None or project.person is None or not self._is_inside():
            return
        people = [
            PaletteItem(
                person.name,
                partial(self._show_owner, person.name),
                detail=f"cases of this {', '.join(ROLE[role].lower() for role in person.roles)}",
            )
            for person in project.people
            if match_rank(asked, person.name) is not None
        ]
        self._palette.add_found(asked, "People", items=people)
        if self._pending is not None:
            self._pending.cancel()
        look, show = partial(_cases, text=asked), partial(self._show_cases, asked)
        self._pending = self._operations.run(look, then=show)

    def _find_profiles(self, asked: str) -> None:
        names = self._profiles.names
        items = [
            PaletteItem(
                name,
                partial(self._switch, name),
                detail="in use" if name == self._profiles.active else "shortcut profile",
            )
            for name in names
            if len(names) > 1 and match_rank(asked, f"{name} shortcut profile") is not None
        ]
        self._palette.add_found(asked, "Shortcut profiles", items=items)

    def _switch(self, name: str) -> None:
        clashes = self._profiles.switch(name)
        self._told(switched_words(name, clashes))

    def _show_cases(self, asked: str, rows: "tuple[CaseRow, ...]") -> None:
        items = [
            PaletteItem(
                row.case_id,
                partial(self._open_case, row.case_id),
                detail=visible(f"{STAGE[row.stage]} · {row.request}"),
                is_code=True,
            )
            for row in rows
        ]
        self._palette.add_found(asked, "Cases", items=items)


def _cases(workspace: "Workspace", *, text: str) -> "tuple[CaseRow, ...]":
    from annotator.review.queue.case_rows import CaseFilter, list_cases

    return list_cases(workspace, CaseFilter(text=text), limit=_COUNT)
