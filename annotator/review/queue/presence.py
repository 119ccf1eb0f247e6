"""Who has the project open in a window, and which case they have before them."""

from datetime import timedelta

from annotator.cases.row_views import viewer_of
from annotator.project.workspace import Done, Work, Workspace, operation, query
from db.read import people
from db.read.rows import PresentRow as PresentRow
from db.tables import Transaction
from db.write import messages

BEAT_SECONDS = 60
"""How often an open window says that it is still there."""
_GONE = timedelta(seconds=2.5 * BEAT_SECONDS)
"""A window not heard of for so long was killed, or its computer went to sleep."""


@operation("review:presence:tell")
def tell_presence(context: Work, *, window: str, case_id: str | None) -> None:
    """Say that a window is open, and which case it shows; no event is written.

    Args:
        w: The project.
        window: A name the window gave itself, at most 36 characters.
        case_id: None if there is none; one the project does not have counts as none.
    """
    messages.note_presence(
        context.tx,
        window,
        person_id=context.person.id,
        case_id=case_id,
        at=context.at,
        gone=context.at - _GONE,
    )


def end_presence(workspace: Workspace, *, window: str) -> Done[None]:
    """Say that a window is closed, or shows another project."""
    return workspace.run("review:presence:end", lambda context: messages.end_presence(context.tx, window))


@query
def list_present(workspace: Workspace, tx: Transaction) -> tuple[PresentRow, ...]:
    """The open windows by person, one's own too; a case the person judges blind is not named."""
    return people.present_people(tx, viewer_of(tx, workspace.person), after=workspace.instant(tx) - _GONE)
