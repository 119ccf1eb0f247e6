"""What a draft keeps of unfinished work: the case as edited, what is said about it, and the open editor."""

from pydantic import Field

from annotator.cases.versions.conflicts import Clash
from scoring.model.case import Case
from scoring.model.labels import Judgment
from scoring.model.record import JsonObject, Record


class OpenEditor(Record):
    """A text in an editor that is no value yet, such as JSON with an open brace; it is never submitted.

    `rows` are such texts in a form of arguments, each behind the JSON Pointer of its argument; `text` is
    empty where only they cannot be read.
    """

    task: int
    step: int
    field: str
    text: str = ""
    rows: tuple[tuple[str, str], ...] = ()


class DraftBody(Record):
    """What a draft holds: the case as edited, what is said about it, and where the cursor was.

    `open_editor` is what is being typed and cannot be read yet; None for nothing. `cursor` says too when
    it was written (`at`) and by which window (`window`). `clashes` are places that somebody else changed
    too and that wait to be decided; without them the draft would overwrite that change.
    """

    case: Case
    judgment: Judgment
    cursor: JsonObject = Field(default_factory=dict)
    open_editor: OpenEditor | None = None
    clashes: tuple[Clash, ...] = ()
