"""What others did in a project since one looked: read from the events, for windows that follow it."""

from annotator.project.changes import Changes
from annotator.project.workspace import Done, Workspace
from db import events
from db.events import News
from db.watch import Watch

__all__ = ["News", "Watch", "changes_of", "last_event", "news"]

_SILENT = frozenset(
    ("review:draft:save", "review:lease:renew", "review:notification:read", "review:guidelines:see")
)
"""What changes nothing that anybody else is shown."""
_MOST = 2000
"""Of more events at once nothing is told apart: everything is read again."""


def last_event(workspace: Workspace) -> int:
    """The number of the last event, to ask for news from then on."""
    return workspace.read(events.last_number)


def news(workspace: Workspace, *, after: int) -> Done[int]:
    """What others changed.

    Args:
        workspace: The project; its own events are no news.
        after: Number of the last event that is known.

    Returns:
        The number of the last event now, with what the events between changed.
    """
    found = workspace.read(lambda tx: events.events_after(tx, after, limit=_MOST))
    own = frozenset(workspace.own_events)
    changes = Changes()
    for number, action, subject in found:
        workspace.own_events.discard(number)
        if number not in own and action not in _SILENT:
            changes |= changes_of(subject)
    if len(found) == _MOST:
        return Done(last_event(workspace), Changes.everything())
    return Done(found[-1][0] if found else after, changes)


def changes_of(subject: str) -> Changes:
    """What an event about a subject such as `case:c-1` or `batch:june` changed."""
    kind, _, name = subject.partition(":")
    return {
        "case": Changes(case_ids=frozenset((name,))),
        "person": Changes(has_people=True),
        "run": Changes(has_runs=True),
        "generation": Changes(has_new_cases=True),
        "project": Changes(has_policy=True),
        "session": Changes(has_sessions=True),
    }.get(kind) or Changes.everything()  # a batch, a sample or a release: many cases at once
