"""The team's guidelines by version: what changed, who has seen it, and what judgments were made under it.

A team's guidelines stand in its review policy; every change of them is a version. Which version somebody was
shown is noted, and so it is known of each of their judgments.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from difflib import get_close_matches
from operator import itemgetter

from annotator.guidelines import Language, own_words, read_guidelines
from annotator.project.workspace import Work, Workspace, operation, query
from db.read import people, reviews
from db.tables import Transaction
from scoring.errors import InputError
from scoring.groups import collected, grouped
from scoring.model.record import Record
from scoring.texts import tr

_MOST = 100_000
_SHOWN = "project:guidelines:"
"""What stands before the name of whoever was shown a version, in the subject of the event."""


class GuidelineChange(Record):
    """One change of the team's guidelines: the lines that came and went; `version` is 1 for the first."""

    version: int
    at: datetime
    by: str
    added: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that came, and those that went, with a word that says so."""
        return (*self.added, *(tr("withdrawn: {line}", line=line) for line in self.removed))


class BatchVersions(Record):
    """How many judgments of a batch, which stand, were made under which version of the guidelines.

    Version 0 is that of people who had not been shown any change yet.
    """

    batch: str
    judgments: dict[int, int]


def require_topics(lines: Sequence[str]) -> None:
    """Refuse lines about something the guidelines have no word for.

    Raises:
        InputError: There is no such topic.
    """
    shipped = read_guidelines(Language.ENGLISH)
    known = [one.id for one in shipped.sections]
    known += [one.topic(term) for one in shipped.sections for term in one.terms]
    for topic in {own_words(line).topic for line in lines} - set(known):
        near = get_close_matches(topic, known) or ["policy.single"]
        raise InputError(f"The guidelines have no topic '{topic}'.", f"Name one such as {near[0]}.")


@query
def guideline_changes(workspace: Workspace, tx: Transaction) -> tuple[GuidelineChange, ...]:
    """Every change of the team's guidelines, oldest first."""
    return _changes(tx)


@collected
def _changes(tx: Transaction) -> Iterator[GuidelineChange]:
    version = 0
    for event in reversed(reviews.events_of(tx, ["project:policy"], limit=_MOST)):
        before, after = json.loads(event.payload).get("guidelines", ((), ()))
        if before != after:
            version += 1
            yield GuidelineChange(
                version=version,
                at=event.at,
                by=event.actor,
                added=tuple(line for line in after if line not in before),
                removed=tuple(line for line in before if line not in after),
            )


@query
def unseen_changes(workspace: Workspace, tx: Transaction) -> tuple[GuidelineChange, ...]:
    """What others changed since the person last saw the guidelines, oldest first."""
    changes, name = _changes(tx), workspace.person.name
    shown = _shown_to(tx, [name], limit=1) if changes else []
    return tuple(one for one in changes[shown[0][2] if shown else 0 :] if one.by != name)


@operation("review:guidelines:see")
def see_changes(w: Work, version: int) -> None:
    """Note that the person was shown every change up to a version."""
    w.record(_SHOWN + w.person.name, {"version": version})


def take_news(workspace: Workspace) -> tuple[GuidelineChange, ...]:
    """What others changed since the person last saw the guidelines; it is noted as seen."""
    changes = unseen_changes(workspace)
    if changes:
        see_changes(workspace, changes[-1].version)
    return changes


@query
@collected
def versions_judged(workspace: Workspace, tx: Transaction) -> Iterator[BatchVersions]:
    """The batches in order, with the versions of the guidelines they were judged under."""
    numbers = {person.name: person.id for person in people.list_people(tx)}
    made = [(one.by, one.at, one.version) for one in _changes(tx) if one.by in numbers]
    known = sorted([*made, *_shown_to(tx, list(numbers))], key=itemgetter(1))
    counts = reviews.judged_under(tx, [(numbers[name], at, version) for name, at, version in known])
    for batch, found in grouped((batch, (version, count)) for batch, version, count in counts).items():
        yield BatchVersions(batch=batch, judgments=dict(found))


def _shown_to(
    tx: Transaction, names: Sequence[str], *, limit: int = _MOST
) -> list[tuple[str, datetime, int]]:
    """To whom a version was shown when, newest first."""
    events = reviews.events_of(tx, [_SHOWN + name for name in names], limit=limit)
    return [(event.actor, event.at, json.loads(event.payload)["version"]) for event in events]
