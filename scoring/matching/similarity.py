"""How alike two texts are, as the published checkers measure it: edit ratio, ROUGE-L, shared tokens."""

import logging
import re
import warnings
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import chain, product, starmap
from typing import TYPE_CHECKING

from scoring.errors import BlockedError, reworded

if TYPE_CHECKING:
    from jieba import Tokenizer

_CHINESE = re.compile("[\u4e00-\u9fa5]")
_EPSILON = 1e-8
_LONGEST_TEXT = 100_000
"""Characters above which two unequal texts are not compared any further."""
_LARGEST_TABLE = 4_000_000
"""Pairs of words above which no common subsequence is looked for: about half a second."""


def has_chinese(text: str) -> bool:
    """Whether a text holds a character from U+4E00 to U+9FA5, the range the WildToolBench checker tests."""
    return _CHINESE.search(text) is not None


@lru_cache(maxsize=1)
def _tokenizer() -> "Tokenizer":
    """Load the segmenter on first need: its dictionary takes most of a second and 100 MB.

    The dictionary is read from the package and never from the cache file the library keeps in the shared
    temporary folder, which another user could have written.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library compiles with deprecated escapes
        with reworded(
            ImportError,
            into=lambda _: BlockedError(
                "Comparing Chinese values needs the package jieba, which is not installed.",
                "Install it with: pip install jieba",
            ),
        ):
            import jieba
    logging.getLogger("jieba").setLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer


@lru_cache(maxsize=2048)
def segment(text: str) -> tuple[str, ...]:
    """Cut a text into words with jieba's default mode (scoring 4.1 rule 4d, 4.2).

    White space and punctuation are words of their own. The same gold text is cut for every prediction,
    hence the cache.
    """
    return tuple(_tokenizer().cut(text))


def edit_ratio(predicted: str, gold: str) -> float:
    """Ratcliff-Obershelp similarity, 2M / (|p| + |g|) (scoring 4.1 rule 4c, WildToolBench).

    M is the total length of the matching blocks: the longest common block, leftmost first, then the same
    to its left and to its right. 1 for equal texts, 0 for texts without a common character. For a text
    beyond 100,000 characters it is the bound that the two lengths alone allow.
    """
    if max(len(predicted), len(gold)) > _LONGEST_TEXT:
        return SequenceMatcher(None, predicted, gold).real_quick_ratio()
    return SequenceMatcher(None, predicted, gold).ratio()


def shared_tokens(predicted: str, gold: str) -> float:
    """F-measure of the longest common subsequence of tokens, 2PR / (P + R) (scoring 4.2, C3-Bench).

    P and R are the length of the subsequence over the number of predicted and of gold tokens, as cut by
    `segment`. 0 where either text is empty or too long to compare.
    """
    return _f_measure(segment(predicted), segment(gold)) if _is_short_enough(predicted, gold) else 0.0


def _f_measure(predicted: Sequence[str], gold: Sequence[str]) -> float:
    if len(predicted) * len(gold) > _LARGEST_TABLE:
        return 0.0
    common = len(longest_common_subsequence(gold, predicted))
    if not common:
        return 0.0
    precision, recall = common / len(predicted), common / len(gold)
    return 2 * precision * recall / (precision + recall)


def rouge_l(predicted: str, gold: str) -> float | None:
    """ROUGE-L at the level of summaries, as the `rouge` package 1.0.1 has it (scoring 4.1, WildToolBench).

    Both texts are split into pieces at every dot. U is the set of all words in the longest common
    subsequences of all pairs of pieces, m and n the numbers of distinct words of gold and prediction:
    r = |U| / m, p = |U| / n, F = 2pr / (p + r + 1e-8).

    Returns:
        F, or None where it is not computable: a text has nothing left after splitting, or is too long.
    """
    if not _is_short_enough(predicted, gold):
        return None
    gold_pieces, predicted_pieces = _pieces(gold), _pieces(predicted)
    if not gold_pieces or not predicted_pieces:
        return None
    gold_words = {word for piece in gold_pieces for word in piece}
    predicted_words = {word for piece in predicted_pieces for word in piece}
    if gold_words.isdisjoint(predicted_words):
        return 0.0
    if sum(map(len, gold_pieces)) * sum(map(len, predicted_pieces)) > _LARGEST_TABLE:
        return None
    shared = starmap(longest_common_subsequence, product(gold_pieces, predicted_pieces))
    union = set(chain.from_iterable(shared))
    recall, precision = len(union) / len(gold_words), len(union) / len(predicted_words)
    return 2 * precision * recall / (precision + recall + _EPSILON)


def _is_short_enough(*texts: str) -> bool:
    return max(map(len, texts)) <= _LONGEST_TEXT


def _pieces(text: str) -> list[list[str]]:
    # A piece of nothing but white space counts as one empty word, as it does in the package.
    return [" ".join(piece.split()).split(" ") for piece in text.split(".") if piece]


def longest_common_subsequence(gold: Sequence[str], predicted: Sequence[str]) -> list[str]:
    """One longest common subsequence; of several the one the published walk finds (scoring 4.1).

    From the ends: equal last words match; otherwise the last gold word goes if the table is strictly
    larger without it than without the last predicted word, else the last predicted word goes.
    """
    table = [[0] * (len(predicted) + 1) for _ in range(len(gold) + 1)]
    for i, word in enumerate(gold):
        above, row = table[i], table[i + 1]
        for j, other in enumerate(predicted):
            row[j + 1] = above[j] + 1 if word == other else max(above[j + 1], row[j])
    i, j, found = len(gold), len(predicted), []
    while i and j:
        if gold[i - 1] == predicted[j - 1]:
            found.append(gold[i - 1])
            i, j = i - 1, j - 1
        elif table[i - 1][j] > table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return found[::-1]
