"""What an answer states, and whether every word of it that could be wrong stands in the dialogue before it.

A program sees words, not meaning: it vouches for an answer only where nothing could be exchanged or made up.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import chain

from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.evidence.origins import find_value, is_assembled
from annotator.cases.evidence.passage_index import Known, stem_of
from annotator.cases.evidence.passages import Found, Likeness, Speaker, words_of
from annotator.cases.evidence.quantities import as_number, quantities_in
from scoring.groups import grouped
from scoring.model.case import Call
from scoring.model.flow import Scalar, leaves


class Doubt(StrEnum):
    """Why a program cannot vouch for the facts of an answer."""

    NOTHING = "nothing"
    """It states no value."""
    UNSEEN = "unseen"
    """Words or values stand nowhere before it, or say no where no observation does."""
    EXCHANGEABLE = "exchangeable"
    """Two values of one kind that calls returned could stand in each other's place."""
    FAILED = "failed"
    """A call failed, or what it returned was never recorded."""
    UNREADABLE = "unreadable"
    """It is written in a script that does not set names apart."""


@dataclass(frozen=True)
class AnswerFact:
    """One value an answer states, and where it stands before."""

    text: str
    kind: str
    found: Found


@dataclass(frozen=True)
class AnswerFacts:
    """The values of an answer that stand before it, the words that do not, and the doubt that is left."""

    facts: tuple[AnswerFact, ...] = ()
    unseen: tuple[str, ...] = ()
    doubt: Doubt | None = None


_TOKEN = re.compile(r"[^\s\"'“”‘’«»()\[\]{}*|`]+")
_PARTS = re.compile(r"_|(?<=[a-z])(?=[A-Z])")
_EDGE = "_.,;:!?$€£¥%°#~+<>=–—-"
_NUMBERING = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)
_FIGURES = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:/_-]*", re.ASCII)
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?:\n•‒*-]\s*$")
_DENIAL_WORDS = "no not none nothing never neither nor cannot t without unable fail failed except"
_COMMON_WORDS = """
a about above according after again all already also am an and any anything are around as at available
based be because been before being below between both but by can cent cents check comes completed could
currently d day days details did do does dollar dollars done each either else end enjoy euro euros ever
every everything feel find following for found free from further get give given go goes good got great had
has have he hello help her here hers hi him his hope hour hours how i if in including info information
into is it its itself just know let like list ll look m made make makes many may me mean might mine minute
minutes more most much must my need needs next now of off ok okay on once only onto or other our out over
per please provide provided re ready regarding request requested result results s see set shall she should
show shown shows so some soon still success successfully such sure take takes than thank thanks that the
their them then there therefore these they thing things this those though through thus to together too
took under until up upon us use used using ve very via want was way we welcome well were what when where
whether which while who whose why will wish with within would yes yet you your yours yourself
"""
_DENIALS = frozenset(_DENIAL_WORDS.split())
"""Words that turn a sentence round: an observation itself has to say one of them."""
_COMMON = frozenset(_COMMON_WORDS.split())
"""Words that state nothing by themselves: what any answer is worded with."""
_LITTLE_NUMBERS = frozenset(("one", "first", "second", "third"))


def answer_facts(dialogue: Dialogue, task: int) -> AnswerFacts:
    """Compare the answer of a task with everything said and returned before it.

    Args:
        dialogue: The prepared case.
        task: Task number.

    Returns:
        No doubt only where the answer states a value, every value and every telling word of it stands before
        it, an observation of the task holds one of them, and no two of them could be exchanged.
    """
    return dialogue.once(("facts", task), partial(_compare, dialogue, task))


def _compare(dialogue: Dialogue, task: int) -> AnswerFacts:
    asked = dialogue.case.tasks[task]
    answer = asked.answer
    if answer is None or not answer.text.strip():
        return AnswerFacts(doubt=Doubt.NOTHING)
    calls = [call for earlier in dialogue.case.tasks[: task + 1] for _, call in earlier.calls]
    if any(call.observation is None for call in calls):
        return AnswerFacts(doubt=Doubt.FAILED)  # what was never recorded may hold anything
    own = _beside_answer(dialogue, task)
    observed = own & dialogue.index.observed
    known = Known(dialogue.index, (observed, own & ~observed, dialogue.before_task(task))).told
    text = _NUMBERING.sub("", answer.text)
    # A script without capitals, which would set names apart.
    if any(char.isalpha() and char.lower() == char.upper() for char in text):
        figures = " ".join(run for run in _FIGURES.findall(text) if any(char.isdigit() for char in run))
        facts, unseen = _values(figures, known)
        doubt: Doubt | None = Doubt.UNREADABLE
    else:
        facts, unseen = _values(text, known)
        called = frozenset(chain.from_iterable(map(_stems_of, (call for _, call in asked.calls))))
        unseen += _unseen_words(text, known, Known(dialogue.index, (observed,)), called)
        returned = chain.from_iterable(leaves(call.observation) for _, call in asked.calls)
        is_failed = any(_says_failure(path.rpartition("/")[2].casefold(), leaf) for path, leaf in returned)
        doubt = Doubt.FAILED if is_failed else Doubt.UNSEEN if unseen else _doubt_though_seen(facts, task)
    return AnswerFacts(tuple(facts), tuple(dict.fromkeys(unseen)), doubt)


def _beside_answer(dialogue: Dialogue, task: int) -> int:
    """All that is said and returned in a task except its answer, as numbers of the index."""
    answers = (passage for passage in dialogue.tasks[task] if passage.speaker is Speaker.ANSWER)
    return dialogue.numbers_of(task) & ~sum(1 << dialogue.number_of(passage) for passage in answers)


def _doubt_though_seen(facts: list[AnswerFact], task: int) -> Doubt | None:
    """The doubt that is left where all of an answer stands before it: what its observations do not settle."""
    observed_here = (task, Speaker.OBSERVATION)
    here = [one for one in facts if (one.found.passage.task, one.found.passage.speaker) == observed_here]
    if not here:
        return Doubt.NOTHING
    return Doubt.EXCHANGEABLE if _can_exchange(here) else None


def _values(text: str, known: Known) -> tuple[list[AnswerFact], list[str]]:
    facts, unseen = [], []
    for token, kind in _tokens(text):
        found = find_value(token, known)
        if found is None and (ordinal := _ORDINAL.fullmatch(token)):
            found = find_value(ordinal[1], known)
        if found is None or found.likeness in (Likeness.SPELLING, Likeness.ROUNDED):
            if not (kind == "number" and is_assembled(as_number(token), known)):
                unseen.append(token)
        else:
            facts.append(AnswerFact(token, kind, found))
    return facts, unseen


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """The values of a text: what has a digit, and names, with the kind that could take their place."""
    name: list[str] = []
    for match in _TOKEN.finditer(text):
        raw = match[0]
        token = raw.strip(_EDGE)
        is_begin = not text[: match.start()].strip() or bool(_SENTENCE_END.search(text[: match.start()]))
        if any(char.isdigit() for char in token):
            yield from _named(name)
            yield token, _kind(token)
        elif token[:1].isupper() and not (is_begin or token.casefold() in _COMMON):
            name.append(token)
            if raw[-1:] in _EDGE:
                yield from _named(name)
        else:
            yield from _named(name)
    yield from _named(name)


def _named(name: list[str]) -> Iterator[tuple[str, str]]:
    if name:
        yield " ".join(name), "name"
        name.clear()


def _kind(token: str) -> str:
    if as_number(token) is not None or _ORDINAL.fullmatch(token):
        return "number"
    return "date" if re.fullmatch(r"[\d./:-]+", token) else "code"


def _stems_of(call: Call) -> set[str]:
    """What a call did, in words: the name of its tool and what it was made with."""
    texts = (call.name, *(str(leaf) for _, leaf in leaves(call.arguments)))
    return {stem_of(word) for text in texts for word in words_of(_PARTS.sub(" ", text))}


def _unseen_words(text: str, known: Known, observed: Known, called: frozenset[str]) -> Iterator[str]:
    for word in words_of(text):
        if any(char.isdigit() for char in word) or word in _COMMON or word in _LITTLE_NUMBERS:
            continue
        if word in _DENIALS:
            is_seen = observed.know(word)
        else:
            is_seen = known.know(word) or known.know_stem(stem_of(word)) or stem_of(word) in called
            number = next((quantity.number for quantity in quantities_in(word)), None)
            is_seen = is_seen or (number is not None and find_value(number, known) is not None)
        if not is_seen:
            yield word


def _can_exchange(facts: list[AnswerFact]) -> bool:
    """Whether two different values of one kind are stated: which belongs where only a person sees."""
    kinds = grouped((fact.kind, fact.text.casefold()) for fact in facts)
    return any(len(set(texts)) > 1 for texts in kinds.values())


def _says_failure(key: str, leaf: Scalar) -> bool:
    """Whether a value of an observation reports that something went wrong."""
    is_code = isinstance(leaf, int) and not isinstance(leaf, bool) and leaf >= 400
    return (
        ("error" in key and leaf not in (None, "", False, 0, "none"))
        or (key in ("success", "ok") and leaf is False)
        or (is_code and key in ("status", "status_code", "statuscode", "code"))
        or (isinstance(leaf, str) and leaf.strip().casefold().startswith(("error", "fail", "exception")))
    )
