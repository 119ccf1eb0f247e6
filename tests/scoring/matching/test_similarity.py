"""How alike two texts are."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.matching.similarity import (
    edit_ratio,
    has_chinese,
    longest_common_subsequence,
    rouge_l,
    segment,
    shared_tokens,
)


def test_edit_ratio_is_twice_the_matched_length_over_both_lengths() -> None:
    # Chicag / Chicago: one block of 6, 2 * 6 / (6 + 7) = 12/13
    assert edit_ratio("Chicag", "Chicago") == pytest.approx(12 / 13)
    # New York City / New York: one block of 8, 2 * 8 / (13 + 8) = 16/21
    assert edit_ratio("New York City", "New York") == pytest.approx(16 / 21)
    # 12345 / 12346: one block of 4, 8/10
    assert edit_ratio("12345", "12346") == 0.8


def test_edit_ratio_of_a_huge_text_is_the_bound_its_length_allows() -> None:
    # 2 * 7 / (1,000,000 + 7)
    assert edit_ratio("x" * 1_000_000, "Chicago") == pytest.approx(14 / 1_000_007)


@pytest.mark.parametrize(
    ("predicted", "gold", "expected"),
    [
        # |U| = 2 of m = 3 gold and n = 2 predicted words: r = 2/3, p = 1, F = 0.8
        ("New York", "New York City", 0.8),
        # pieces 125|532|55|08 and 125|532|55|09: |U| = 3, m = n = 4, F = 0.75
        ("125.532.55.08", "125.532.55.09", 0.75),
        # pieces https://bit and ly/def457: one of two words shared
        ("https://bit.ly/def457", "https://bit.ly/def456", 0.5),
        # https://www, example, com/product/2: two of three
        ("https://www.example.com/product/2", "https://www.example.com/product/1", 2 / 3),
        # only one of the two words keeps its place
        ("protection Environmental", "Environmental protection", 0.5),
        # 4 of 5 words on both sides
        ("User activity report for May", "User activity report for June", 0.8),
        # 1 of m = 3 and n = 2: r = 1/3, p = 1/2, F = 0.4
        ("AI Security", "Artificial Intelligence Security", 0.4),
        ("2024-07-13", "2024-07-14", 0.0),
        # distinct words: m = n = 2 although "a" stands three times
        ("a a a b", "a b", 1.0),
    ],
)
def test_rouge_l_by_hand(predicted: str, gold: str, expected: float) -> None:
    assert rouge_l(predicted, gold) == pytest.approx(expected, abs=1e-6)


def test_rouge_l_is_not_computable_without_words() -> None:
    assert rouge_l("", "some long answer text") is None
    assert rouge_l("...", "some long answer text") is None


def test_a_piece_of_white_space_counts_as_one_empty_word() -> None:
    # " " leaves the word "" on both sides of the pair ("", "x"): m = 1 ("x"), n = 1 (""), nothing shared
    assert rouge_l(" ", "x") == 0.0
    # "a. " has the words {a, ""}, "a" has {a}: |U| = 1, p = 1/2, r = 1, F = 2/3
    assert rouge_l("a. ", "a") == pytest.approx(2 / 3)


def test_long_texts_are_compared_without_recursion() -> None:
    words = " ".join(f"w{i}" for i in range(1500))
    assert rouge_l(words, words + " end") == pytest.approx(2 * 1500 / (1500 + 1501))


def test_texts_beyond_reason_are_not_compared() -> None:
    assert rouge_l("word " * 50_000, "word list") is None
    assert shared_tokens("word " * 50_000, "word list") == 0.0


def test_ties_between_subsequences_follow_the_published_walk() -> None:
    # Of "a" and "b" both common to (a b) and (b a): from the ends b != a, table without gold's b is 1,
    # without predicted a is 1, not strictly larger, so predicted a goes and b matches.
    assert longest_common_subsequence(["a", "b"], ["b", "a"]) == ["b"]
    # (a x) and (x b a): without gold's x the table is 1 (a), without predicted a it is 1 (x): a goes,
    # then b goes likewise, x matches.
    assert longest_common_subsequence(["a", "x"], ["x", "b", "a"]) == ["x"]


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_a_common_subsequence_is_one_and_as_long_as_from_the_other_side(
    one: list[str], other: list[str]
) -> None:
    found = longest_common_subsequence(one, other)
    assert len(found) == len(longest_common_subsequence(other, one))
    for side in (one, other):
        rest = iter(side)
        assert all(word in rest for word in found)


def test_chinese_is_cut_into_words() -> None:
    assert segment("北京的天气") == ("北京", "的", "天气")
    assert has_chinese("天气 today")
    assert not has_chinese("weather")


def test_shared_tokens_by_hand() -> None:
    # 2024 - 07 - 13 against 2024 - 07 - 14: 4 of 5 tokens on both sides, F = 0.8
    assert shared_tokens("2024-07-13", "2024-07-14") == pytest.approx(0.8)
    # New, blank, York, blank, City (5) against New, blank, York (3): 2 * (3/5 * 1) / (3/5 + 1) = 0.75
    assert shared_tokens("New York City", "New York") == pytest.approx(0.75)
    # IP addresses cut into 125.532 . 55.08 or alike: 2 of 3 tokens
    assert shared_tokens("125.532.55.08", "125.532.55.09") == pytest.approx(2 / 3)
    assert shared_tokens("", "x") == 0.0


def test_the_segmenter_is_loaded_only_when_a_text_needs_it_and_in_silence() -> None:
    program = (
        "import sys\n"
        f"from {segment.__module__} import rouge_l, segment\n"
        "rouge_l('a b', 'a c')\n"
        "assert 'jieba' not in sys.modules\n"
        "segment('天气')\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("", "")
