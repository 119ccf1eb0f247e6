"""Scoring a run: predictions against cases, all at once or part after part."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from scoring.bfcl_simulators import judge_turns
from scoring.errors import InputError
from scoring.formats.benchmark.segments import label_of
from scoring.golds import GoldSet, gold_set, judged_by
from scoring.groups import keyed
from scoring.history import opening_message_count
from scoring.matching.bfcl_scores import judge_as_bfcl, passes_as_bfcl
from scoring.matching.gold import Gold, passes_itself
from scoring.matching.published_scores import as_analysed, judge_as_published
from scoring.matching.task_scores import Judged, TaskScore, failed_outside, judge_task, unanswered
from scoring.measures.sample import Key, ScoredSample, TaskFacts
from scoring.measures.summary import ReplyTotals, UndrawnTasks, summarise
from scoring.model.case import Case
from scoring.model.taxonomy import ActionDetail, ArgumentProfile, CaseFormat, Protocol, Semantics
from scoring.predictions import Ignored, Prediction, Reply
from scoring.scorecard import SCORER_VERSION, ArgumentRules, Scorecard, joined_sha256, predictions_sha256

_IGNORED_LISTED = 1_000
"""Ignored predictions that are listed one by one; more are only counted."""

Order = tuple[Gold, Prediction, ArgumentProfile]
Place = tuple[str | None, int | None]
"""The file and line of a prediction."""


@dataclass(frozen=True)
class ScoredPart:
    """What a run is worth on some of the cases of a file, in their order.

    `case_hashes` are those of the contents, by id; `taken` what the replies took and `ignored` the first
    things that did not count, each with the place of the prediction that was read; `elsewhere` are the places
    of what is of none of these cases, `claims` the hashes that predictions name for all of them.
    """

    case_hashes: Mapping[str, str]
    undrawn: UndrawnTasks
    tasks: tuple[TaskScore, ...]
    facts: Mapping[Key, TaskFacts]
    hashes: tuple[str, ...]
    taken: Sequence[tuple[Place, ReplyTotals]]
    ignored: Sequence[tuple[Place, Ignored]]
    ignored_count: int
    elsewhere: set[Place]
    claims: set[str | None]


def score(
    cases: Iterable[Case] | GoldSet,
    predictions: Iterable[Prediction | Ignored],
    *,
    semantics: Semantics = Semantics.PAPER,
    arguments: ArgumentRules = "auto",
    protocol: Protocol = Protocol.WILDTOOL,
) -> Scorecard:
    """Score a run against a set of cases.

    Every task of the cases is in the result: one without a prediction counts as wrong and says so.
    Predictions that cannot count (unknown case or task, a second one for the same task, another release,
    an unscorable task) are listed under `ignored`; none of them stops the scoring.

    Args:
        cases: The gold cases, in file order, or what `gold_set` made of them.
        predictions: The model's answers, and lines that could not be read; consumed once, in constant
            memory.
        semantics: What the papers describe, the published evaluators bug for bug, or BFCL's checker.
        arguments: Rules for arguments; `auto` takes c3 for cases from a c3 file, else wtb.
        protocol: What the model was shown of the earlier dialogue; recorded.

    Returns:
        The scorecard.

    Example:
        >>> from scoring.model.case import Answer, Case, Task
        >>> from scoring.predictions import Reply
        >>> case = Case(id="c-1", tasks=(Task(user="Hello", steps=(Answer(text="Hi."),)),))
        >>> card = score([case], [Prediction(case="c-1", task=0, replies=(Reply(content="Hello!"),))])
        >>> card.summary.task_accuracy
        1.0
    """
    gold = cases if isinstance(cases, GoldSet) else gold_set(cases)
    return scorecard_of(
        [score_part(gold, predictions, semantics=semantics, arguments=arguments, protocol=protocol)],
        semantics=semantics,
        arguments=arguments,
        protocol=protocol,
    )


def score_part(
    gold: GoldSet,
    predictions: Iterable[Prediction | Ignored],
    *,
    semantics: Semantics,
    arguments: ArgumentRules,
    protocol: Protocol,
    is_whole: bool = True,
) -> ScoredPart:
    """Score what a run says of some cases.

    Args:
        gold: The cases.
        predictions: As in `score`.
        semantics: As in `score`.
        arguments: As in `score`.
        protocol: As in `score`.
        is_whole: Whether these are all cases: if not, what is none of them may be of others.

    Raises:
        InputError: The published evaluators know no accepted values, and BFCL has one set of rules.
        BlockedError: BFCL's simulators do not start.
    """
    if semantics is Semantics.REFERENCE and arguments == ArgumentProfile.ACCEPTED:
        raise InputError(
            "The published evaluators know no accepted values.", "Take --semantics paper with them."
        )
    if semantics is Semantics.BFCL:
        if arguments != "auto":
            raise InputError("BFCL has its own rules for arguments.", "Take --arguments auto with them.")
        arguments = ArgumentProfile.ACCEPTED
    gold = judged_by(gold, semantics)
    run = _Run(gold, arguments, semantics, sha256=gold.cases_sha256 if is_whole else None)
    for item in predictions:
        run.place = item.file, item.line
        if not is_whole and (isinstance(item, Ignored) or item.case not in gold.cases):
            run.elsewhere.add(run.place)
        elif isinstance(item, Ignored):
            run.ignore(item)
        else:
            run.take(judge_batch(list(run.accept(item)), semantics))
    return run.part(protocol)


def profile_for(case: Case, arguments: ArgumentRules) -> ArgumentProfile:
    """The argument profile that judges a case (scoring 4.4)."""
    if arguments != "auto":
        return ArgumentProfile(arguments)
    from_c3 = case.source is not None and case.source.format == CaseFormat.C3
    return ArgumentProfile.C3 if from_c3 else ArgumentProfile.WTB


class _Run:
    """What is known while predictions come in: the gold tasks, who answered which, what did not count."""

    def __init__(
        self, gold: GoldSet, arguments: ArgumentRules, semantics: Semantics, *, sha256: str | None
    ) -> None:
        self.gold = gold
        self.sha256 = sha256
        """What predictions may say of the hash of all cases; None where nobody knows it yet."""
        self.profiles = {name: profile_for(case, arguments) for name, case in gold.cases.items()}
        self.semantics = semantics
        self.golds = (
            {key: as_analysed(task, profile=self.profiles[key[0]]) for key, task in gold.golds.items()}
            if semantics is Semantics.REFERENCE
            else gold.golds
        )
        self.scores: dict[Key, TaskScore] = {}
        self.hashes: dict[Key, str] = {}
        self.wrong_types: dict[Key, tuple[str, ...]] = {}
        self.replies: dict[Key, tuple[ReplyTotals, float | None]] = {}
        """What the replies to a task took, and the seconds to the first token of the first of them."""
        self.messages: dict[Key, int] = {}
        """What result files of the released code count as messages before the first reply."""
        self.failed: dict[Key, Ignored] = {}
        """Tasks whose prediction gives way to a later answer, and how that prediction is then told."""
        self.turns: list[Order] = []
        """Turns that BFCL's simulators judge, a whole question at once."""
        self.taken: list[tuple[Place, ReplyTotals]] = []
        self.place: Place = (None, None)
        """Where the prediction stands that is looked at."""
        self.elsewhere: set[Place] = set()
        self.claims: set[str | None] = set()
        self.ignored: list[tuple[Place, Ignored]] = []
        self.ignored_count = 0
        for item in (*gold.not_scorable, *gold.repeated):
            self.ignore(item)

    def ignore(self, item: Ignored) -> None:
        """Note something that does not count."""
        self.ignored_count += 1
        if self.ignored_count <= _IGNORED_LISTED:
            self.ignored.append((self.place, item))

    def accept(self, prediction: Prediction) -> Iterator[Order]:
        """Take one prediction in; those that need a walk through the graph come back as orders."""
        self.claims.add(prediction.cases_sha256)
        for one in self._by_task(prediction):
            key = (one.case, one.task or 0)
            reason = self._reason_against(one, key)
            if reason:
                self.ignore(_ignored(one, reason))
                continue
            if key in self.hashes:
                self.ignore(self.failed.pop(key))
            self.hashes[key] = one.sha256
            if one.shown_messages is not None:
                self.messages[key] = one.shown_messages
            took = _taken(one.replies)
            self.replies[key] = took, next((reply.first_token_seconds for reply in one.replies), None)
            self.taken.append((self.place, took))
            if one.gives_way:
                self.failed[key] = _ignored(one, "It failed outside the model, and a later answer counts.")
            if one.error:
                self.scores[key] = failed_outside(self.golds[key], one.error, profile=self.profiles[one.case])
            else:
                self.scores.pop(key, None)
                order = self.golds[key], one, self.profiles[one.case]
                if order[0].simulated is None:
                    yield order
                else:
                    self.turns.append(order)

    def take(self, judged: Iterable[Judged]) -> None:
        """Take in what the predictions are worth."""
        for one in judged:
            self.scores[one.score.case, one.score.task] = one.score
            self.wrong_types[one.score.case, one.score.task] = one.wrong_types

    def part(self, protocol: Protocol) -> ScoredPart:
        """What was found, once there is no further prediction."""
        self.take(judge_turns(self.turns))
        return ScoredPart(
            case_hashes=self.gold.case_hashes,
            undrawn=self.gold.undrawn,
            tasks=tuple(
                self.scores.get(key)
                or unanswered(
                    gold, ActionDetail.NO_PREDICTION, "No prediction.", profile=self.profiles[key[0]]
                )
                for key, gold in self.golds.items()
            ),
            facts=self.facts(protocol),
            hashes=tuple(self.hashes.values()),
            taken=self.taken,
            ignored=self.ignored,
            ignored_count=self.ignored_count,
            elsewhere=self.elsewhere,
            claims=self.claims,
        )

    @keyed
    def facts(self, protocol: Protocol) -> Iterator[tuple[Key, TaskFacts]]:
        """What the scorecard does not say of each task."""
        for key, gold in self.golds.items():
            took, first_token = self.replies.get(key, (ReplyTotals(), None))
            calls, asks = gold.sizes
            yield (
                key,
                TaskFacts(
                    messages=self._message_count(key, protocol),
                    calls=calls,
                    turns=1 + asks,
                    is_passable=self._is_passable(key),
                    failing_types=self.wrong_types.get(key, ()),
                    prompt_tokens=took.prompt_tokens,
                    completion_tokens=took.completion_tokens,
                    first_token_seconds=first_token,
                ),
            )

    def _message_count(self, key: Key, protocol: Protocol) -> int | None:
        case = self.gold.cases[key[0]]
        as_released = self.semantics is Semantics.REFERENCE and self.profiles[case.id] is ArgumentProfile.C3
        if as_released and key in self.messages:
            return self.messages[key]
        return opening_message_count(case, key[1], self.golds, protocol=protocol, as_released=as_released)

    def _is_passable(self, key: Key) -> bool:
        """Whether a reply can pass: one did, or the gold itself would."""
        if key in self.scores and self.scores[key].is_correct:
            return True
        judged = *key, self.profiles[key[0]]
        if judged not in self.gold.passable:
            own = self.golds[key]
            is_bfcl = self.semantics is Semantics.BFCL
            self.gold.passable[judged] = passes_as_bfcl(own) if is_bfcl else passes_itself(own, judged[2])
        return self.gold.passable[judged]

    def _by_task(self, prediction: Prediction) -> Iterator[Prediction]:
        """A failed run of a whole case counts for each of its tasks."""
        if prediction.task is not None or prediction.case not in self.gold.cases:
            yield prediction
            return
        own = (number for case, number in self.golds if case == prediction.case)
        yield from (prediction.model_copy(update={"task": number}) for number in own)

    def _reason_against(self, prediction: Prediction, key: Key) -> str | None:
        case = self.gold.cases.get(prediction.case)
        if case is None:
            return "No such case."
        if self.sha256 and prediction.cases_sha256 not in (None, "", self.sha256):
            return "It answers another release: the hash of the cases differs."
        if key[1] >= len(case.tasks):
            return f"No such task: the case has {len(case.tasks)}, counted from 0."
        if not _is_asked(prediction.request, case.tasks[key[1]].user):
            return "It answers another request: the texts of the task differ."
        if key not in self.golds:
            return "The task is not scorable."
        if key in self.hashes and (key not in self.failed or prediction.error):
            return "A second prediction for the same task; the first one counts."
        return None


def _is_asked(request: str | None, user: str) -> bool:
    """Whether a recorded request is that of a task; the date may stand below it (scoring 3.6)."""
    if request is None:
        return True
    said, expected = (text[len(label_of(text)) :].strip() for text in (request, user))
    return said == expected or said.startswith(f"{expected}\n\n")


def _ignored(prediction: Prediction, reason: str) -> Ignored:
    return Ignored(
        reason=reason,
        file=prediction.file,
        line=prediction.line,
        case=prediction.case,
        task=prediction.task,
    )


def _taken(replies: Sequence[Reply]) -> ReplyTotals:
    """What the replies to one task took."""
    usages = [reply.usage for reply in replies if reply.usage]
    return ReplyTotals(
        replies=len(replies),
        timed=sum(reply.latency_seconds is not None for reply in replies),
        prompt_tokens=_total(usage.prompt_tokens for usage in usages),
        completion_tokens=_total(usage.completion_tokens for usage in usages),
        latency_seconds=_total(reply.latency_seconds for reply in replies),
    )


def _together(taken: Sequence[ReplyTotals]) -> ReplyTotals:
    totals = {
        name: _total(getattr(totals_of_reply, name) for totals_of_reply in taken)
        for name in ReplyTotals.model_fields
    }
    return ReplyTotals.model_validate(totals) if taken else ReplyTotals()


def _total(values: Iterable[float | None]) -> Any:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


_JUDGES = {
    Semantics.PAPER: judge_task,
    Semantics.REFERENCE: judge_as_published,
    Semantics.BFCL: judge_as_bfcl,
}


def judge_batch(orders: Sequence[Order], semantics: Semantics) -> list[Judged]:
    """Judge some predictions; this is what a worker runs."""
    return [_JUDGES[semantics](gold, prediction, profile=profile) for gold, prediction, profile in orders]


def scorecard_of(
    parts: Sequence[ScoredPart],
    *,
    semantics: Semantics,
    arguments: ArgumentRules,
    protocol: Protocol,
    order: Callable[[Place], Any] = len,
) -> Scorecard:
    """Put together what a run is worth on the cases of a file, part after part.

    Args:
        parts: In the order of the cases.
        semantics: As in `score`.
        arguments: As in `score`.
        protocol: As in `score`.
        order: By what the places of several parts are sorted; they stay as they come otherwise.
    """
    tasks = tuple(chain.from_iterable(part.tasks for part in parts))
    facts = {key: found for part in parts for key, found in part.facts.items()}
    taken = sorted(chain.from_iterable(part.taken for part in parts), key=lambda one: order(one[0]))
    ignored = sorted(chain.from_iterable(part.ignored for part in parts), key=lambda one: order(one[0]))
    ignored_count = sum(part.ignored_count for part in parts)
    listed = [item for _, item in ignored[:_IGNORED_LISTED]]
    if more := ignored_count - len(listed):
        listed.append(Ignored(reason=f"{more:,} more that did not count are not listed."))
    undrawn = [part.undrawn for part in parts if part.undrawn.count]
    return Scorecard(
        semantics=semantics,
        arguments=arguments,
        protocol=protocol,
        cases_sha256=joined_sha256(chain.from_iterable(part.case_hashes.values() for part in parts)),
        predictions_sha256=predictions_sha256(chain.from_iterable(part.hashes for part in parts)),
        scorer_version=SCORER_VERSION,
        summary=summarise(
            ScoredSample(tasks, facts),
            ignored=ignored_count,
            replies=_together([took for _, took in taken]),
            undrawn=undrawn[0].model_copy(update={"count": sum(one.count for one in undrawn)})
            if undrawn
            else UndrawnTasks(),
        ),
        ignored=tuple(listed),
        tasks=tasks,
    )
