"""What the cards of a dialogue say, as plain values that can be compared from one case to the next."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import JsonValue

from annotator.drafts.draft_body import OpenEditor
from scoring.groups import grouped
from scoring.model.case import AcceptedValue, Answer, Ask, Call, Case, Task
from scoring.model.labels import DialogueSource, Finding, Waiver
from scoring.model.record import Record
from scoring.model.taxonomy import Severity
from scoring.texts import tr, with_commas
from ui.theme.words import INFORMATION, POLICY_SHORT

USER_STEP = -1
"""Step number of the card with the user's request."""
ANSWER_MISSING = -2
"""Step number of the card that offers to write a missing answer."""


class CardKind(StrEnum):
    """What a card holds."""

    USER = "user"
    CALL = "call"
    ASK = "ask"
    ANSWER = "answer"
    FOLDED = "folded"


class PartKind(StrEnum):
    """How a part of a card is shown and edited."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
    RESULT = "result"


class EvidenceCoverage(Record):
    """How many argument values of a call are cited, of how many, and which; pointers into the arguments.

    `found` counts those that need no confirmation. They are among `paths` too, not among the cited.
    """

    cited: int
    total: int
    found: int = 0
    paths: tuple[str, ...] = ()


class Edit(Record):
    """A change a person made to one field.

    `step` is None for the request of the task. `field` is `user`, `name`, `thought`, `arguments`,
    `accepted`, `observation`, `text`, `reply`, or `answer` for an answer where there was none when its
    editor was opened; an empty one takes it away again. `is_final` is false while the person is still
    typing: edits of one field up to the final one are one step of undo. `unread` is what was typed and is
    given up with it, because it is no value.
    """

    task: int
    step: int | None
    field: str
    value: JsonValue
    is_final: bool = True
    unread: OpenEditor | None = None


class ActionRequest(Record):
    """Something that was asked for at a card.

    `settle` (apply the finding's proposal), `waive` (ask for the reason it may stay), `cite` (cite the call's
    values), `tool` (choose another tool).
    """

    name: str
    task: int
    step: int
    finding: Finding | None = None


@dataclass(frozen=True)
class Part:
    """One field of a card.

    `cited` and `troubled` are JSON Pointers for a JSON field: to values that are cited, or that others are
    cited from, and to doubtful ones. `spans` are [start, end) places of a text that values are cited from.
    """

    field: str
    kind: PartKind
    value: JsonValue
    label: str = ""
    cited: tuple[str, ...] = ()
    troubled: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    words: str = ""
    """What is read in place of the value; empty for the value itself."""


@dataclass(frozen=True)
class Round:
    """Calls that stand one behind the other and were made, or can be made, in one round.

    `first` and `last` are step numbers; `note` names the tools.
    """

    first: int
    last: int
    note: str

    @property
    def title(self) -> str:
        """What stands above them."""
        return tr("{last} calls in one round", last=self.last - self.first + 1)


@dataclass(frozen=True)
class CardContent:
    """Everything one card says.

    `step` of a folded task is `USER_STEP`. `waived` holds rule and place of waived findings.
    `round` is None for a call that is alone in its round. `comment_count` says how many comments on the card
    are unresolved.
    """

    kind: CardKind
    task: int
    step: int
    title: str
    name: str = ""
    note: str = ""
    chip: str = ""
    coverage: EvidenceCoverage | None = None
    parts: tuple[Part, ...] = ()
    findings: tuple[Finding, ...] = ()
    waived: frozenset[tuple[str, str]] = field(default_factory=frozenset)
    round: Round | None = None
    comment_count: int = 0

    @property
    def key(self) -> tuple[int, int]:
        """Task and step."""
        return self.task, self.step


@dataclass(frozen=True)
class CardNotes:
    """What the checks and the reviewers say about a case, beside its content.

    `findings` are what the checks noticed, `waivers` those of them that were waived, `sources`
    places of the dialogue that values are cited from. By (task, step), `coverage` says how much of a call is
    cited, and `comments` how many comments are unresolved.
    """

    findings: Sequence[Finding] = ()
    waivers: Sequence[Waiver] = ()
    coverage: Mapping[tuple[int, int], EvidenceCoverage] = field(default_factory=dict)
    sources: Sequence[DialogueSource] = ()
    comments: Mapping[tuple[int, int], int] = field(default_factory=dict)


NO_CARD_NOTES = CardNotes()


def cards_of(
    case: Case, *, open_task: int, notes: CardNotes, is_unfolded: bool = False
) -> tuple[CardContent, ...]:
    """List the cards of a case from top to bottom.

    Args:
        case: The case.
        open_task: Task whose steps are shown; the others are one folded card each.
        notes: Findings, waivers, coverage, cited places, and unresolved comments by card.
        is_unfolded: Whether the steps of all tasks are shown.
    """
    return tuple(
        card
        for number, task in enumerate(case.tasks)
        for card in (
            _Writer(case, number, notes).cards()
            if number == open_task or is_unfolded
            else (_folded(number, task, notes),)
        )
    )


def _folded(number: int, task: Task, notes: CardNotes) -> CardContent:
    waived = _waived(notes)
    open_count = sum(
        1
        for finding in notes.findings
        if finding.task == number
        and finding.severity is not Severity.INFO
        and (finding.rule, finding.where) not in waived
    )
    return CardContent(
        kind=CardKind.FOLDED,
        task=number,
        step=USER_STEP,
        title=tr("Task {number}", number=number + 1),
        name=" ".join(task.user[:400].split()),
        note=POLICY_SHORT[task.policy] if task.policy else "",
        chip=tr("{open_count} open", open_count=open_count) if open_count else "",
        comment_count=sum(count for (task_at, _), count in notes.comments.items() if task_at == number),
    )


def _waived(notes: CardNotes) -> frozenset[tuple[str, str]]:
    return frozenset((waiver.rule, waiver.where) for waiver in notes.waivers)


class _Writer:
    """Writes the cards of one task."""

    def __init__(self, case: Case, number: int, notes: CardNotes) -> None:
        self._task = case.tasks[number]
        self._number = number
        self._coverage, self._comments = notes.coverage, notes.comments
        self._waived = _waived(notes)
        findings = (finding for finding in notes.findings if finding.task == number)
        self._findings = grouped((_card_of(finding), finding) for finding in findings)
        sources = (source for source in notes.sources if source.task in (None, number))
        self._sources = grouped((source.step, source) for source in sources)
        self._rounds = rounds_of(self._task)

    def cards(self) -> Iterator[CardContent]:
        """The request, the steps in order, and an offer where the answer is missing."""
        information = self._task.information
        yield self._card(
            CardKind.USER,
            USER_STEP,
            tr("User"),
            parts=(Part("user", PartKind.TEXT, self._task.user, spans=self._spans(None, "user")),),
            note=tr("task {number}", number=self._number + 1),
            chip=INFORMATION[information].lower() if information else "",
        )
        for number, step in enumerate(self._task.steps):
            match step:
                case Call():
                    yield self._call(number, step)
                case Ask():
                    yield self._ask(number, step)
                case _:
                    yield self._answer(number, step)
        if self._task.answer is None:
            yield self._card(
                CardKind.ANSWER, ANSWER_MISSING, tr("Answer"), parts=(Part("text", PartKind.MARKDOWN, ""),)
            )

    def _call(self, number: int, step: Call) -> CardContent:
        troubled = tuple(
            finding.path
            for finding in self._findings.get(number, ())
            if finding.path and finding.severity is not Severity.INFO
        )
        coverage = self._coverage.get((self._number, number))
        parts = []
        if step.thought:
            parts.append(Part("thought", PartKind.TEXT, step.thought, tr("Thought")))
        parts.append(
            Part(
                "arguments",
                PartKind.JSON,
                step.arguments,
                cited=coverage.paths if coverage else (),
                troubled=troubled,
            )
        )
        if step.accepted:
            words = "\n".join(map(_accepted_words, step.accepts, step.accepts.values()))
            parts.append(Part("accepted", PartKind.JSON, step.accepted, tr("Also right"), words=words))
        parts.append(
            Part(
                "observation",
                PartKind.RESULT,
                step.observation,
                tr("Observation"),
                spans=self._spans(number, None),
                cited=tuple(s.path for s in self._sources.get(number, ()) if s.path is not None),
            )
        )
        return self._card(
            CardKind.CALL,
            number,
            tr("Call {number}", number=number),
            name=step.name,
            parts=tuple(parts),
            coverage=coverage,
        )

    def _ask(self, number: int, step: Ask) -> CardContent:
        about = with_commas(asked.tool_name for asked in step.asks_for)
        parts = (
            Part("text", PartKind.TEXT, step.text, spans=self._spans(number, None)),
            Part("reply", PartKind.TEXT, step.reply, tr("Reply"), spans=self._spans(number, "reply")),
        )
        return self._card(CardKind.ASK, number, tr("Ask {number}", number=number), name=about, parts=parts)

    def _answer(self, number: int, step: Answer) -> CardContent:
        note = tr("direct reply") if step.answer_type == "chat" else ""
        part = Part("text", PartKind.MARKDOWN, step.text, spans=self._spans(number, None))
        return self._card(CardKind.ANSWER, number, tr("Answer"), parts=(part,), note=note)

    def _card(
        self,
        kind: CardKind,
        step: int,
        title: str,
        *,
        parts: tuple[Part, ...],
        name: str = "",
        note: str = "",
        chip: str = "",
        coverage: EvidenceCoverage | None = None,
    ) -> CardContent:
        findings = tuple(self._findings.get(step, ()))
        waived = frozenset((f.rule, f.where) for f in findings) & self._waived
        return CardContent(
            kind=kind,
            task=self._number,
            step=step,
            title=title,
            name=name,
            note=note,
            chip=chip,
            coverage=coverage,
            parts=parts,
            findings=findings,
            waived=waived,
            round=self._rounds.get(step),
            comment_count=self._comments.get((self._number, step), 0),
        )

    def _spans(self, step: int | None, text: str | None) -> tuple[tuple[int, int], ...]:
        return tuple(
            source.span
            for source in self._sources.get(step, ())
            if source.span is not None and source.text == text
        )


def _accepted_words(path: str, rule: AcceptedValue) -> str:
    """What else is right at a place, in one line."""
    said = [json.dumps(value, ensure_ascii=False) for value in rule.values]
    said += [tr("any text")] * rule.any_text + [tr("any order of its items")] * rule.any_order
    said += [tr("up to {most} off", most=rule.tolerance)] if rule.tolerance is not None else []
    said += [tr("left out")] * rule.optional
    return f"{path.lstrip('/')}: {with_commas(said)}"


def _card_of(finding: Finding) -> int:
    """Step of the card a finding is shown in: its own, the later step of its edge, else the request."""
    if finding.step is not None:
        return finding.step
    if finding.edge is not None:
        return finding.edge[1]
    return ANSWER_MISSING if finding.rule == "answer.missing" else USER_STEP


def rounds_of(task: Task) -> dict[int, Round]:
    """Find the calls that share a round with a neighbour, by step number.

    Calls share a round where the file recorded them in one, or, where it recorded none, where the drawing
    makes them ready together. Calls that wait for each other never do. Without a drawing nothing is known.
    """
    return {
        step: Round(steps[0], steps[-1], _tool_words(task, steps))
        for steps in _runs(task)
        if len(steps) > 1
        for step in steps
    }


def _runs(task: Task) -> list[list[int]]:
    """The calls, those of one round together."""
    ready = _ready_rounds(task)
    drawn = {edge.pair for edge in task.drawn_edges}
    runs: list[list[int]] = []
    for number, step in enumerate(task.steps):
        if not isinstance(step, Call):
            continue
        run = runs[-1] if runs and runs[-1][-1] == number - 1 else []
        is_with_them = bool(run) and _are_together(task, run[-1], number, ready)
        if is_with_them and not any((before, number) in drawn for before in run):
            run.append(number)
        else:
            runs.append([number])
    return runs


def _are_together(task: Task, one: int, other: int, ready: dict[int, int]) -> bool:
    recorded = (task.steps[one].recorded_round, task.steps[other].recorded_round)
    if recorded != (None, None):
        return recorded[0] == recorded[1]
    return bool(ready) and ready.get(one) == ready.get(other)


def _ready_rounds(task: Task) -> dict[int, int]:
    """For each step the earliest round the drawing allows; nothing where nothing is drawn."""
    if not task.drawn_edges:
        return {}
    import networkx as nx  # late: it takes a tenth of a second

    graph = nx.DiGraph(edge.pair for edge in task.drawn_edges)
    graph.add_nodes_from(range(len(task.steps)))
    return {step: number for number, steps in enumerate(nx.topological_generations(graph)) for step in steps}


def _tool_words(task: Task, steps: list[int]) -> str:
    names = Counter(step.name for step in (task.steps[number] for number in steps) if isinstance(step, Call))
    return with_commas(f"{name} × {count}" if count > 1 else name for name, count in names.items())
