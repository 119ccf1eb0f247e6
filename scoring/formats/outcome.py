"""What reading one line gives: the case, and notes about what was understood but is not in order."""

from pydantic import JsonValue

from scoring.model.case import Case
from scoring.model.record import Record


class Reading(Record):
    """A case read from one line, and a sentence for each thing that was understood but is not in order.

    `has_dependencies` says whether the format can say what waits for what: if so, a task without
    dependencies has none. `dialect` names the shape it was rewritten from, empty where there was none.
    `line_id` is the id of a WildToolBench line, which may be another than that of its case.
    """

    case: Case
    warnings: tuple[str, ...] = ()
    has_dependencies: bool = True
    dialect: str = ""
    line_id: JsonValue = None
