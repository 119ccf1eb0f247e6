"""Sentence embeddings: the numpy encoder against plain loops, its weights, and the cache."""

import hashlib
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import BertProcessing

from scoring.errors import BlockedError, InputError
from scoring.teval.embeddings import VOCABULARY, WEIGHTS, EmbeddedSimilarity, MiniLM, TorchEncoder
from scoring.teval.similarity import CharacterTriples, SimilarityModel, clipped

_WIDTH, _WIDE, _LAYERS = 24, 48, 2
_WORDS = ("weather", "forecast", "oslo", "mail", "send", ".", "{", "}")


def _weights(rng: np.random.Generator, words: int) -> dict[str, Any]:
    def dense(name: str, rows: int, columns: int) -> dict[str, Any]:
        return {
            f"{name}.weight": rng.normal(0, 0.3, (rows, columns)),
            f"{name}.bias": rng.normal(0, 0.1, rows),
        }

    def norm(name: str) -> dict[str, Any]:
        return {f"{name}.weight": rng.normal(1, 0.1, _WIDTH), f"{name}.bias": rng.normal(0, 0.1, _WIDTH)}

    found = {
        "embeddings.word_embeddings.weight": rng.normal(0, 1, (words, _WIDTH)),
        "embeddings.position_embeddings.weight": rng.normal(0, 0.3, (512, _WIDTH)),
        "embeddings.token_type_embeddings.weight": rng.normal(0, 0.3, (2, _WIDTH)),
        **norm("embeddings.LayerNorm"),
    }
    for layer in range(_LAYERS):
        prefix = f"encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            found |= dense(f"{prefix}.attention.self.{part}", _WIDTH, _WIDTH)
        found |= dense(f"{prefix}.attention.output.dense", _WIDTH, _WIDTH)
        found |= norm(f"{prefix}.attention.output.LayerNorm")
        found |= dense(f"{prefix}.intermediate.dense", _WIDE, _WIDTH)
        found |= dense(f"{prefix}.output.dense", _WIDTH, _WIDE)
        found |= norm(f"{prefix}.output.LayerNorm")
    return {name: np.asarray(value, np.float32) for name, value in found.items()}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of the same build, of two thin layers and a handful of words, with random weights."""
    folder = tmp_path_factory.mktemp("model")
    words = {word: i for i, word in enumerate(("[PAD]", "[UNK]", "[CLS]", "[SEP]", *_WORDS))}
    tokenizer = Tokenizer(WordPiece(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=8)
    tokenizer.save(str(folder / VOCABULARY))
    save_file(_weights(np.random.default_rng(7), len(words)), str(folder / WEIGHTS))
    return folder


def _model(folder: Path) -> MiniLM:
    return MiniLM(folder, pinned=_digests(folder))


def _digests(folder: Path) -> dict[str, str]:
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in (WEIGHTS, VOCABULARY)}


def _by_loops(weights: dict[str, Any], tokens: Sequence[int]) -> list[float]:
    """As teval 11.3 number by number."""

    def dense(vector: Sequence[float], name: str) -> list[float]:
        rows, biases = weights[f"{name}.weight"], weights[f"{name}.bias"]
        return [
            sum(w * v for w, v in zip(row, vector, strict=True)) + bias
            for row, bias in zip(rows, biases, strict=True)
        ]

    def norm(vector: Sequence[float], name: str) -> list[float]:
        mean = sum(vector) / len(vector)
        spread = math.sqrt(sum((v - mean) ** 2 for v in vector) / len(vector) + 1e-12)
        scales, shifts = weights[f"{name}.weight"], weights[f"{name}.bias"]
        return [(v - mean) / spread * s + b for v, s, b in zip(vector, scales, shifts, strict=True)]

    def added(one: Sequence[float], other: Sequence[float]) -> list[float]:
        return [a + b for a, b in zip(one, other, strict=True)]

    rows = [
        norm(
            weights["embeddings.word_embeddings.weight"][token]
            + weights["embeddings.position_embeddings.weight"][place]
            + weights["embeddings.token_type_embeddings.weight"][0],
            "embeddings.LayerNorm",
        )
        for place, token in enumerate(tokens)
    ]
    for layer in range(_LAYERS):
        prefix = f"encoder.layer.{layer}"
        query, key, value = (
            [dense(row, f"{prefix}.attention.self.{part}") for row in rows]
            for part in ("query", "key", "value")
        )
        size = _WIDTH // 12
        seen = []
        for q in query:
            whole: list[float] = []
            for start in range(0, _WIDTH, size):
                at = range(start, start + size)
                scores = [math.exp(sum(q[i] * k[i] for i in at) / math.sqrt(size)) for k in key]
                whole += [sum(s * v[i] for s, v in zip(scores, value, strict=True)) / sum(scores) for i in at]
            seen.append(dense(whole, f"{prefix}.attention.output.dense"))
        rows = [
            norm(added(row, new), f"{prefix}.attention.output.LayerNorm")
            for row, new in zip(rows, seen, strict=True)
        ]
        wide = [dense(row, f"{prefix}.intermediate.dense") for row in rows]
        wide = [[v / 2 * (1 + math.erf(v / math.sqrt(2))) for v in row] for row in wide]
        rows = [
            norm(added(row, dense(new, f"{prefix}.output.dense")), f"{prefix}.output.LayerNorm")
            for row, new in zip(rows, wide, strict=True)
        ]
    mean = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    length = math.sqrt(sum(v * v for v in mean))
    return [v / length for v in mean]


def test_the_encoder_computes_what_plain_loops_do(small: Path) -> None:
    model = _model(small)
    weights = _weights(np.random.default_rng(7), 4 + len(_WORDS))
    text, tokens = "weather oslo . unknown", [2, 4, 6, 9, 1, 3]
    assert model.embed([text])[0] == pytest.approx(_by_loops(weights, tokens), abs=1e-5)


def test_a_text_has_the_same_vector_beside_longer_ones(small: Path) -> None:
    model = _model(small)
    together = model.embed(["mail", "send mail . weather forecast oslo { }", ""])
    for row, text in zip(together, ["mail", "send mail . weather forecast oslo { }", ""], strict=True):
        assert row == pytest.approx(model.embed([text])[0], abs=1e-6)
        assert float(row @ row) == pytest.approx(1.0, abs=1e-5)


def test_texts_of_many_batches_have_the_vectors_of_their_own_batch_to_the_bit(small: Path) -> None:
    model = _model(small)
    texts = [" ".join(_WORDS[number % 7 : number % 11 + 1]) for number in range(200)]
    together = model.embed(texts)
    for start in range(0, 200, 32):
        batch = texts[start : start + 32]
        assert together[start : start + 32].tobytes() == model.embed(batch).tobytes()


def test_a_text_is_read_up_to_256_tokens_whatever_the_tokenizer_file_says(small: Path) -> None:
    model = _model(small)
    words = ["mail"] * 253
    texts = [" ".join(words), " ".join([*words, "oslo"]), " ".join([*words, "oslo", "send"])]
    # Alone: beside each other the rows of one matrix product may differ in their last bit, by the processor.
    shorter, full, longer = (model.embed([text])[0] for text in texts)
    assert not np.allclose(shorter, full, atol=1e-6)
    assert full.tobytes() == longer.tobytes()


def test_half_a_character_does_not_stop_the_encoder(small: Path) -> None:
    similarity = EmbeddedSimilarity(_model(small))
    assert -1 <= similarity.cosine("\ud83d", "mail") <= 1


@pytest.mark.parametrize("changed", [WEIGHTS, VOCABULARY])
def test_changed_weights_are_refused(small: Path, tmp_path: Path, changed: str) -> None:
    for name in (WEIGHTS, VOCABULARY):
        body = bytearray((small / name).read_bytes())
        body[-1] ^= name == changed
        (tmp_path / name).write_bytes(body)
    with pytest.raises(InputError, match="has changed") as failed:
        MiniLM(tmp_path, pinned=_digests(small))
    assert "annotator teval setup" in failed.value.hint


def test_missing_weights_name_the_command_that_brings_them(tmp_path: Path) -> None:
    with pytest.raises(BlockedError) as failed:
        MiniLM(tmp_path)
    assert "annotator teval setup" in failed.value.hint


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no weights of a sentence model"):
        TorchEncoder(tmp_path)


class _Counting:
    """Embeds a text by its length, and counts."""

    model = SimilarityModel(name="counting", digest="d1")

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Any:
        self.asked += texts
        return np.asarray([[math.cos(len(t)), math.sin(len(t))] for t in texts], np.float32)


def test_each_distinct_text_is_embedded_once_the_shortest_first() -> None:
    encoder = _Counting()
    similarity = EmbeddedSimilarity(encoder)
    similarity.prepare(["three", "a", "bb", "a"])
    similarity.prepare(["bb"])
    assert encoder.asked == ["a", "bb", "three"]
    assert similarity.cosine("a", "bb") == pytest.approx(math.cos(1))
    assert similarity.cosine("new", "new") == 1.0
    assert encoder.asked == ["a", "bb", "three"]


def test_a_warm_cache_asks_for_nothing(tmp_path: Path) -> None:
    EmbeddedSimilarity(_Counting(), cache=tmp_path).prepare(["a", "bb"])
    EmbeddedSimilarity(_Counting(), cache=tmp_path).prepare(["ccc"])
    encoder = _Counting()
    warm = EmbeddedSimilarity(encoder, cache=tmp_path)
    warm.prepare(["a", "bb", "ccc"])
    assert encoder.asked == []
    assert warm.cosine("a", "ccc") == pytest.approx(math.cos(2))


def test_a_torn_or_changed_cache_costs_only_what_it_lost(tmp_path: Path) -> None:
    EmbeddedSimilarity(_Counting(), cache=tmp_path).prepare(["a", "bb"])
    (file,) = tmp_path.iterdir()
    body = bytearray(file.read_bytes())
    body[4 + 32] ^= 0x7F  # the first number of the first vector
    file.write_bytes(body + b"torn")
    encoder = _Counting()
    EmbeddedSimilarity(encoder, cache=tmp_path).prepare(["a", "bb", "ccc"])
    assert encoder.asked == ["a", "ccc"]
    again = _Counting()
    EmbeddedSimilarity(again, cache=tmp_path).prepare(["a", "bb", "ccc"])
    assert again.asked == []


def test_models_do_not_share_a_cache(tmp_path: Path) -> None:
    EmbeddedSimilarity(_Counting(), cache=tmp_path).prepare(["a"])
    other = _Counting()
    other.model = SimilarityModel(name="counting", digest="d2")
    EmbeddedSimilarity(other, cache=tmp_path).prepare(["a"])
    assert other.asked == ["a"]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Weather.forecast", "Weather.today", 0.4854),
        ("Weather.forecast", "Mail.send", 0.0),
        ("Look up the weather in Oslo for tomorrow.", "Check tomorrow's forecast for Oslo.", 0.3663),
        ("{'city': 'Oslo'}", "{'city': 'Oslo', 'date': '2024-05-02'}", 0.6558),
        ("", "", 1.0),
        ("", "Oslo", 0.0),
    ],
)
def test_the_stand_in_has_the_values_of_the_specification(one: str, other: str, expected: float) -> None:
    assert clipped(CharacterTriples(), one, other) == pytest.approx(expected, abs=5e-5)


_REAL = os.environ.get("TEVAL_WEIGHTS", "")
"""The folder where `annotator teval setup` put the weights, for the tests that need them."""


@pytest.mark.skipif(not _REAL, reason="84 MB of weights, named by TEVAL_WEIGHTS (2026-11-22)")
@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Look up the weather in Oslo for tomorrow.", "Check tomorrow's forecast for Oslo.", 0.9076),
        ("Look up the weather in Oslo for tomorrow.", "Send an e-mail to Ann.", 0.1696),
        ("Check tomorrow's forecast for Oslo.", "Send an e-mail to Ann.", 0.1273),
        ("Weather.forecast", "Weather.today", 0.7484),
        ("Weather.forecast", "Mail.send", 0.3164),
        ("Weather.forecast", "FinishAction", 0.1093),
        ("{'city': 'Oslo', 'date': '2024-05-02'}", "{'city': 'Oslo'}", 0.7640),
        ("{'city': 'Oslo', 'date': '2024-05-02'}", "{}", 0.2971),
    ],
)
def test_the_real_weights_give_the_values_of_the_specification(one: str, other: str, expected: float) -> None:
    similarity = EmbeddedSimilarity(MiniLM(Path(_REAL)))
    assert similarity.cosine(one, other) == pytest.approx(expected, abs=1e-3)
