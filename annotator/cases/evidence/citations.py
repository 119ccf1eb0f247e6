"""Citations of argument values: what can be proposed, and what no longer holds."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from pydantic import JsonValue

from annotator.cases.argument_schemas import allows_by_name, has_default, schemas_at
from annotator.cases.evidence.dates import DateReading
from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.evidence.origins import Origin, OriginKind, find_value, origins_of
from annotator.cases.evidence.passage_index import Known
from annotator.cases.evidence.passages import Passage, Speaker
from annotator.cases.evidence.written_dates import read_day
from annotator.cases.phrases import quoted
from annotator.cases.pointers import has_value, value_at
from scoring.formats.chat.openai import system_text
from scoring.groups import collected
from scoring.model.case import Answer, Ask, Call, Case
from scoring.model.flow import Scalar, leaves
from scoring.model.labels import Citation, DialogueSource, Finding
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import SourceMark


class BrokenCitation(Record):
    """A citation whose source no longer holds the value, and why, in one sentence."""

    citation: Citation
    reason: str


def leaf_paths(arguments: JsonObject) -> tuple[str, ...]:
    """JSON Pointers of the values that have to be cited: every scalar, in order.

    Empty objects and lists hold nothing to cite.
    """
    return tuple(path for path, _ in leaves(arguments))


def propose_evidence(
    case: Case, task_index: int, *, citations: Sequence[Citation] = ()
) -> tuple[Citation, ...]:
    """Propose where the argument values of a task come from; `accepted` is false on all of them.

    Args:
        case: The case.
        task_index: Task number.
        citations: What people cited so far; a value that an earlier call was made with already gets
            the source it has there.

    Returns:
        At most one citation for each value, in order: the place that says it (as it is, as a number in
        words, as a date counted from now, in another spelling), `default` for defaults and closed
        sets, `derived` for what is computed, composed, or answered with yes or no. A value of unknown
        origin gets none.
    """
    return proposals_for(Dialogue(case), task_index, cited=CitedValues(case, citations))


def inexact_places(
    case: Case, findings: Iterable[Finding], proposed: Sequence[Citation]
) -> frozenset[tuple[int, int, str]]:
    """Find the proposed citations that nobody should accept unseen, as (task, step, path).

    Args:
        case: The case.
        findings: What was noticed in it; `args.differs` says that a source is spelled otherwise.
        proposed: Citations nobody accepted yet. A later call with a value that differs from its source is
            proposed the same source.
    """
    differing = {(f.task, f.step, f.path) for f in findings if f.rule == "args.differs"}
    said = [(_cited_value(case, c), c.source) for c in proposed if (c.task, c.step, c.path) in differing]
    return frozenset(
        (c.task, c.step, c.path)
        for c in proposed
        if (c.task, c.step, c.path) in differing or (_cited_value(case, c), c.source) in said
    )


def _cited_value(case: Case, citation: Citation) -> JsonValue:
    call = case.call_at(citation.task, citation.step)
    return (
        value_at(call.arguments, citation.path) if call and has_value(call.arguments, citation.path) else None
    )


@collected
def proposals_for(dialogue: Dialogue, task: int, *, cited: "CitedValues") -> Iterator[Citation]:
    """As `propose_evidence`, for a case that is prepared already."""
    case = dialogue.case
    own = CitedValues(case, ())
    for step, call in case.tasks[task].calls:
        origins = origins_of(dialogue, task, step=step)
        found = tuple(_proposals(case, (task, step), call, origins, (cited, own)))
        for citation in found:
            own.add(value_at(call.arguments, citation.path), citation.source)
        yield from found


def _proposals(
    case: Case,
    place: tuple[int, int],
    call: Call,
    origins: Sequence[Origin],
    known: Sequence["CitedValues"],
) -> Iterator[Citation]:
    for origin in origins:
        source = _source_of(case, call, origin)
        if source is None and origin.kind is OriginKind.CARRIED:
            sources = (values.source_of(origin.value) for values in known)
            source = next((found for found in sources if found is not None), None)
        if source is not None:
            yield Citation(task=place[0], step=place[1], path=origin.path, source=source, accepted=False)


def _source_of(case: Case, call: Call, origin: Origin) -> DialogueSource | SourceMark | None:
    if origin.found:
        return origin.found.source
    match origin.kind:
        case OriginKind.SCHEMA:
            return SourceMark.DEFAULT
        case OriginKind.PLAIN:
            tool = case.tool(call.name)
            schemas = schemas_at(tool, origin.path) if tool else ()
            offered = has_default(schemas, origin.value) or allows_by_name(schemas, origin.value)
            return SourceMark.DEFAULT if offered else SourceMark.DERIVED
        case OriginKind.ASSEMBLED:
            return SourceMark.DERIVED
        case _:
            return None


class CitedValues:
    """Where the values of cited arguments come from; of several citations of one value the first counts.

    Args:
        case: The case.
        citations: What is cited, the first that counts in front.
    """

    def __init__(self, case: Case, citations: Sequence[Citation]) -> None:
        self._case = case
        self._citations = citations

    def add(self, value: JsonValue, source: DialogueSource | SourceMark) -> None:
        """Add the source of one more value, behind the others."""
        if not isinstance(value, dict | list):
            self._sources.setdefault((type(value), value), source)

    def source_of(self, value: Scalar) -> DialogueSource | SourceMark | None:
        """The source of a value; None where nobody cited it."""
        return self._sources.get((type(value), value))

    @cached_property
    def _sources(self) -> dict[tuple[type, Scalar], DialogueSource | SourceMark]:
        cited = [(_cited_value(self._case, citation), citation.source) for citation in self._citations]
        return {
            (type(value), value): source
            for value, source in reversed(cited)
            if not isinstance(value, dict | list)
        }


def broken_citations(case: Case, citations: Sequence[Citation]) -> tuple[BrokenCitation, ...]:
    """Find the citations that do not hold: the argument or the source is gone, or holds another value.

    Args:
        case: The case as it is now.
        citations: Citations to check; a mark holds as long as its argument exists.

    Returns:
        The broken ones in the order given, each with the reason.
    """
    return tuple(broken_in(Dialogue(case), citations))


def broken_in(dialogue: Dialogue, citations: Sequence[Citation]) -> Iterator[BrokenCitation]:
    """As `broken_citations`, for a case that is prepared already."""
    for citation in citations:
        reason = _breakage(dialogue, citation)
        if reason:
            yield BrokenCitation(citation=citation, reason=reason)


def cited_parts(case: Case, citation: Citation) -> tuple[object, object]:
    """The call a citation is about and what it is cited from: whether it holds depends on nothing else.

    Returns:
        The call, and the step, text or time of the source; None for what is gone or is no place.
    """
    call = case.call_at(citation.task, citation.step)
    source = citation.source
    if not isinstance(source, DialogueSource):
        return call, None
    index = source.task if source.task is not None else citation.task
    if source.text == "system" or not 0 <= index < len(case.tasks):
        return call, None
    task = case.tasks[index]
    if source.step is not None and source.text != "now":
        return call, task.steps[source.step] if 0 <= source.step < len(task.steps) else None
    return call, task.user if source.text == "user" else task.now or case.now


def _breakage(dialogue: Dialogue, citation: Citation) -> str | None:
    call = dialogue.case.call_at(citation.task, citation.step)
    if call is None:
        return f"Step {citation.step} is no call any more."
    if not has_value(call.arguments, citation.path):
        return f"The call has no argument {citation.path} any more."
    if not isinstance(citation.source, DialogueSource):
        return None
    source = citation.source
    content = source_content(dialogue.case, source, task=citation.task)
    if content is None:
        return "The place it was cited from is gone."
    today = dialogue.today(source.task if source.task is not None else citation.task)
    cited = content[source.span[0] : source.span[1]] if isinstance(content, str) and source.span else content
    for _, leaf in leaves(value_at(call.arguments, citation.path)):
        if (
            leaf is not None
            and not isinstance(leaf, bool)
            and find_value(leaf, Known.of(Passage(Speaker.USER, cited, today=today))) is None
            and not _speaks_of(content, source, leaf, DateReading.of(str(content), today))
        ):
            return f"It says {quoted(cited)}, which does not hold {quoted(leaf)}."
    return None


def _speaks_of(content: JsonValue, source: DialogueSource, value: JsonValue, reading: DateReading) -> bool:
    # "from 4 March for three nights" means a day that neither half names alone.
    day = read_day(value)
    mention = reading.speaks_of(day) if day and isinstance(content, str) else None
    return mention is not None and source.span in (None, (mention.start, mention.end))


def source_content(case: Case, source: DialogueSource, *, task: int) -> JsonValue:
    """Read the whole text or value a source points into, without its span.

    Args:
        case: The case.
        source: A place in its dialogue.
        task: Task of the citing call, for sources that name no task.

    Returns:
        The text, or the observation's value at the source's path; None where there is no such place.
    """
    if source.text == "system":
        return system_text(case) or None
    index = source.task if source.task is not None else task
    if not 0 <= index < len(case.tasks):
        return None
    found = case.tasks[index]
    match source.text:
        case "user":
            return found.user
        case "now":
            now = found.now or case.now
            return now.raw if now else None
    step = (
        found.steps[source.step] if source.step is not None and 0 <= source.step < len(found.steps) else None
    )
    match step:
        case Ask():
            return step.reply if source.text == "reply" else step.text
        case Answer():
            return step.text
        case Call() if has_value(step.observation, source.path or ""):
            return value_at(step.observation, source.path or "")
        case _:
            return None
