"""The one place where the command line opens the window: Qt is imported here, and only when needed."""

import os
from pathlib import Path

from ui.services.preflight import refuse_without_display


def require_display() -> None:
    """Refuse early where no window can be shown.

    Raises:
        AnnotatorError: There is no display; names the command that needs none.
    """
    refuse_without_display(os.environ)


def open_window(project: str | None, person: str | None) -> int:
    """Open the window on a project, or on the last one, else on the welcome page.

    A window that has the project open already comes forward instead.

    Args:
        project: Path or URL; null opens the last project.
        person: Who works; null takes who worked there last, or the only person.

    Returns:
        The program's exit code.

    Raises:
        AnnotatorError: There is no display, or a system library of Qt is missing.
    """
    require_display()
    from ui.services.running_window import bring_forward

    if bring_forward(project, person):
        from ui.cli.output import tell

        tell("The window that has this project open comes forward.")
        return 0
    from ui import app

    return app.open_window(project, person)


def open_sample(folder: Path | None) -> int:
    """Open the window on the sample project; the window makes it where there is none yet.

    Args:
        folder: Where it lies; null for the person's data folder.

    Returns:
        The program's exit code.

    Raises:
        AnnotatorError: There is no display, or a system library of Qt is missing.
    """
    require_display()
    from ui import app

    return app.open_window(None, None, opens_sample=True, sample_folder=folder)
