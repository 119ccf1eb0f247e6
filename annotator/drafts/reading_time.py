"""How long a case or a text takes to read at the least, and whether somebody submitted faster than that."""

import re
from collections.abc import Iterator

from scoring.model.case import Case, spoken_texts
from scoring.model.taxonomy import Stage

FASTEST_WORDS_PER_MINUTE = 600
"""Carver (1985), How good are some of the world's best readers?, Reading Research Quarterly 20: of the best
readers he could find none read faster than this and understood three quarters of it. People read 240 words of
a text a minute on average (Brysbaert 2019, Journal of Memory and Language 109)."""
_IDEOGRAPHS_PER_WORD = 1.5
"""Characters to a word of Chinese, as texts of both languages are compared in Brysbaert (2019)."""
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_READ_ANEW = (Stage.SELF_CHECK_TASK, Stage.CROSS_CHECK)
"""Stages at which a person reads a case for the first time; a second self-check follows the first."""


def word_count(case: Case) -> float:
    """Words of the dialogue: requests, questions with their replies, and answers; no values of calls.

    Nobody has to read every value that a call returned, so that the estimate is below what anyone reads.
    """
    return sum(_words_in(text) for text in _texts(case))


def reading_seconds(case: Case) -> float:
    """The least time in which anybody can have read the dialogue of a case."""
    return 60 * word_count(case) / FASTEST_WORDS_PER_MINUTE


def text_seconds(text: str) -> float:
    """The least time in which anybody can have read a text."""
    return 60 * _words_in(text) / FASTEST_WORDS_PER_MINUTE


def is_hasty(case: Case, *, stage: Stage, round_: int, seconds: float) -> bool:
    """Whether a submission came faster than anyone reads the case.

    Args:
        case: The case as it was shown.
        stage: Where it was judged; what a person has read before is not judged again.
        round_: The round of the judgment: an owner who gets a case back knows it.
        seconds: Active time; 0 where nobody measured it, as for a judgment from a file.
    """
    is_new = stage in _READ_ANEW and (stage is Stage.CROSS_CHECK or round_ == 1)
    return is_new and 0 < seconds < reading_seconds(case)


def _words_in(text: str) -> float:
    ideographs = len(_IDEOGRAPH.findall(text))
    return ideographs / _IDEOGRAPHS_PER_WORD + len(re.findall(r"\w+", _IDEOGRAPH.sub(" ", text)))


def _texts(case: Case) -> Iterator[str]:
    for task in case.tasks:
        yield task.user
        for step in task.steps:
            yield from (text for _, text in spoken_texts(step))
