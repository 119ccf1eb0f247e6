"""The chain of events as a whole: checked, also against ends noted before, and written to a file."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from pydantic import Field, TypeAdapter, ValidationError

from annotator.files import read_bytes, replace_text, replaced_file
from annotator.jobs import JobContext
from annotator.project.care import require_manager
from annotator.project.workspace import Workspace
from db.events import ChainReport, chain, last_number, verify_chain
from db.tables import Transaction
from scoring.errors import InputError
from scoring.groups import collected
from scoring.model.record import Record


class Anchor(Record):
    """The end of the chain as it once was: its last event, that event's hash, and when it was noted."""

    events: int = Field(ge=0)
    head: str = Field(pattern="[0-9a-f]{64}")
    at: datetime


_ANCHOR = TypeAdapter(Anchor)


def audit(workspace: Workspace, *, anchors: tuple[Anchor, ...] = ()) -> ChainReport:
    """Check that no event was changed, removed or inserted.

    Args:
        workspace: The project.
        anchors: Ends noted before. Kept where nobody can write who can write to the database, they also prove
            that the whole chain was not rewritten.
    """
    noted = {anchor.events: anchor.head for anchor in anchors if anchor.events}
    return workspace.read(lambda tx: verify_chain(tx, noted=noted))


@collected
def read_anchors(file: Path) -> Iterator[Anchor]:
    """Read the ends noted in a file, a JSON object a line; none where the file is missing.

    Raises:
        InputError: It cannot be read, or a line is no anchor.
    """
    if not file.exists():
        return
    for number, line in enumerate(read_bytes(file, hint="Name a file, or a new one.").splitlines(), 1):
        try:
            yield _ANCHOR.validate_json(line)
        except ValidationError as exc:
            raise InputError(
                f"{file}, line {number}: this is not an anchor.",
                "Name a file that `annotator audit verify --anchor` wrote, or a new one.",
            ) from exc


def note_anchor(workspace: Workspace, file: Path, report: ChainReport) -> bool:
    """Add the end of a chain that holds to a file of anchors, unless it is the last one there.

    Returns:
        Whether it was added.

    Raises:
        StoreError: The file cannot be written; it stays as it was.
    """
    anchors = read_anchors(file)
    if anchors and anchors[-1].events == report.event_count:
        return False
    added = Anchor(events=report.event_count, head=report.head, at=workspace.now())
    replace_text(file, "".join(f"{anchor.model_dump_json()}\n" for anchor in (*anchors, added)))
    return True


def export_events(workspace: Workspace, target: Path, *, context: JobContext) -> int:
    """Write every event as it is stored into a file, a JSON object a line, oldest first.

    The objects have the columns of the table: `seq`, `at` (UTC), `actor`, `action`, `subject`, `payload`
    (JSON text), `previous_hash` and `hash`. So the chain can be checked without this program: `hash` is the
    SHA-256 of the JSON list of the seven others in this order, without blanks, in UTF-8.

    Args:
        workspace: The project; where several people work in it, in the name of a manager.
        target: The file; `-` is standard output.
        context: Counts the events; cancelling leaves the target as it was.

    Returns:
        How many events there are.

    Raises:
        ForbiddenError: The person is no manager.
        StoreError: The file cannot be written.
    """
    require_manager(workspace)

    def write(tx: Transaction) -> int:
        total, count = last_number(tx), 0
        for count, link in enumerate(chain(tx), 1):
            stream.write(json.dumps(link._asdict(), ensure_ascii=False).encode() + b"\n")
            if count % 1000 == 0 or count == total:
                context.advance(count, total, "writing events")
        return count

    with replaced_file(target) as stream:
        return workspace.read(write)
