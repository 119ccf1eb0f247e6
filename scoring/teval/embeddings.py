"""Sentence embeddings: the small all-MiniLM-L6-v2 in numpy alone, any other model where torch is at hand."""

import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from scoring.errors import BlockedError, InputError, existing, install_hint, reworded
from scoring.groups import keyed
from scoring.teval.similarity import SimilarityModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    Array = NDArray[np.float32]

WEIGHTS, VOCABULARY = "model.safetensors", "tokenizer.json"
PINNED: Mapping[str, str] = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    VOCABULARY: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""Digests of the two files of all-MiniLM-L6-v2 (teval 11.2)."""

_LONGEST = 256
"""Tokens of a text that are read; the 128 that the tokenizer's own file says are not what applies."""
_BATCH = 32
_HEADS = 12


class Encoder(Protocol):
    """Turns texts into vectors of length 1."""

    @property
    def model(self) -> SimilarityModel:
        """What encodes."""

    def embed(self, texts: Sequence[str]) -> "Array":
        """One row of length 1 for each text."""


class EmbeddedSimilarity:
    """Cosines of embeddings; every distinct text is embedded once, and kept in a file where one is named.

    Args:
        encoder: The model.
        cache: A folder for embeddings of earlier runs, one file a model; None keeps them in memory alone.
    """

    def __init__(self, encoder: Encoder, *, cache: Path | None = None) -> None:
        self._encoder = encoder
        self._vectors: dict[bytes, Array] = {}
        self._file = None if cache is None else cache / f"{encoder.model.digest}.vectors"
        if self._file is not None:
            self._vectors = _read_vectors(self._file)

    @property
    def model(self) -> SimilarityModel:
        """The model of the encoder."""
        return self._encoder.model

    def prepare(self, texts: Iterable[str]) -> None:
        """Embed texts that were not seen before, the shortest first so that batches hold equal lengths."""
        new = {_key(text): text for text in texts}
        todo = sorted((text for key, text in new.items() if key not in self._vectors), key=len)
        if not todo:
            return
        vectors = self._encoder.embed(todo)
        added = {_key(text): vectors[i] for i, text in enumerate(todo)}
        self._vectors |= added
        if self._file is not None:
            _append_vectors(self._file, added)

    def cosine(self, one: str, other: str) -> float:
        """The dot product of two embeddings, at most 1; 1 for equal texts."""
        if one == other:
            return 1.0
        keys = _key(one), _key(other)
        if any(key not in self._vectors for key in keys):
            self.prepare((one, other))
        return min(1.0, float(self._vectors[keys[0]] @ self._vectors[keys[1]]))


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


@keyed
def _read_vectors(path: Path) -> "Iterator[tuple[bytes, Array]]":
    """Read the embeddings of a file: its width, then for each text its key, its vector and their checksum.

    What a kill has torn or somebody has changed is left out.
    """
    import numpy as np

    try:
        raw = path.read_bytes()
    except OSError:
        return
    size = _record_size(int.from_bytes(raw[:4], "little"))
    for start in range(4, len(raw) - size + 1, size):
        record = memoryview(raw)[start : start + size]
        if zlib.crc32(record[:-4]).to_bytes(4, "little") == record[-4:]:
            yield bytes(record[:32]), np.frombuffer(record[32:-4], np.float32)


def _record_size(width: int) -> int:
    return 32 + 4 * width + 4


def _append_vectors(path: Path, vectors: "dict[bytes, Array]") -> None:
    """Add embeddings to a file behind its last whole one; where it cannot be written there is no cache."""
    width = len(next(iter(vectors.values())))
    size = _record_size(width)
    records = (key + vector.tobytes() for key, vector in vectors.items())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as stream:
            whole = stream.tell() - 4
            if whole < 0:
                stream.truncate(0)
                stream.write(width.to_bytes(4, "little"))
            else:
                stream.truncate(4 + whole // size * size)
            stream.write(b"".join(one + zlib.crc32(one).to_bytes(4, "little") for one in records))
    except OSError:
        return


class MiniLM:
    """all-MiniLM-L6-v2 in numpy (teval 11.3): six layers of attention, the mean of all tokens, length 1.

    Args:
        folder: Where `annotator teval setup` put the weights.
        pinned: The digests the two files must have.

    Raises:
        BlockedError: The weights or the extra packages are not installed.
        InputError: The weights are not those that are pinned.
    """

    def __init__(self, folder: Path, *, pinned: Mapping[str, str] = PINNED) -> None:
        self._tokenizer, self._weights = _load(folder, pinned)
        self.model = SimilarityModel(name="all-MiniLM-L6-v2", digest=pinned[WEIGHTS])

    def embed(self, texts: Sequence[str]) -> "Array":
        """One row of 384 numbers for each text, whatever the number of processors.

        Batches share the processors, one thread each: a single product is too small to be divided well.
        """
        import numpy as np
        from threadpoolctl import threadpool_limits

        found = np.empty((len(texts), self._weights["embeddings.LayerNorm.weight"].size), np.float32)
        # Half a surrogate pair is no character any tokenizer takes.
        encodable = [text.encode("utf-8", "replace").decode() for text in texts]
        starts = range(0, len(texts), _BATCH)
        batches = (encodable[start : start + _BATCH] for start in starts)
        with threadpool_limits(1), ThreadPoolExecutor(os.cpu_count()) as pool:
            for start, rows in zip(starts, pool.map(self._embed_batch, batches), strict=True):
                found[start : start + _BATCH] = rows
        return found

    def _embed_batch(self, texts: Sequence[str]) -> "Array":
        import numpy as np

        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(texts)]
        longest = max(map(len, ids))
        padded = np.zeros((len(ids), longest), np.int64)
        mask = np.zeros((len(ids), longest), np.float32)
        for row, tokens in enumerate(ids):
            padded[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        return self._encode(padded, mask)

    def _encode(self, tokens: "NDArray[np.int64]", mask: "Array") -> "Array":
        import numpy as np

        weights = self._weights
        x = (
            weights["embeddings.word_embeddings.weight"][tokens]
            + weights["embeddings.position_embeddings.weight"][: tokens.shape[1]]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        x = self._normed(x, "embeddings.LayerNorm")
        hidden = ((mask - 1) * np.float32(1e9))[:, None, None, :]
        layer = 0
        while f"encoder.layer.{layer}.output.dense.weight" in weights:
            prefix = f"encoder.layer.{layer}"
            seen = self._attended(x, hidden, f"{prefix}.attention.self")
            seen = self._dense(seen, f"{prefix}.attention.output.dense")
            x = self._normed(x + seen, f"{prefix}.attention.output.LayerNorm")
            wide = _gelu(self._dense(x, f"{prefix}.intermediate.dense"))
            x = self._normed(x + self._dense(wide, f"{prefix}.output.dense"), f"{prefix}.output.LayerNorm")
            layer += 1
        mean = (x * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        unit: Array = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return unit

    def _attended(self, x: "Array", hidden: "Array", prefix: str) -> "Array":
        import numpy as np

        rows, length, width = x.shape
        query, key, value = (
            self._dense(x, f"{prefix}.{name}").reshape(rows, length, _HEADS, -1).transpose(0, 2, 1, 3)
            for name in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(np.float32(width // _HEADS)) + hidden
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        seen: Array = (scores @ value).transpose(0, 2, 1, 3).reshape(rows, length, width)
        return seen

    def _dense(self, x: "Array", name: str) -> "Array":
        # One product of two matrices; of three dimensions numpy makes a small one for each text.
        product: Array = x.reshape(-1, x.shape[-1]) @ self._weights[f"{name}.weight"].T
        product += self._weights[f"{name}.bias"]
        return product.reshape(*x.shape[:-1], -1)

    def _normed(self, x: "Array", name: str) -> "Array":
        import numpy as np

        centred = x - x.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(1e-12))
        normed: Array = centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return normed


def _gelu(x: "Array") -> "Array":
    """x times the normal distribution up to x; the error function to 1.5e-7 (Abramowitz, Stegun 7.1.26).

    The result is written over x: new arrays of that size take longer than the arithmetic.
    """
    import numpy as np

    z = np.abs(x)
    z *= np.float32(np.sqrt(0.5))
    t = np.float32(0.3275911) * z
    t += 1
    np.divide(1, t, out=t)
    tail = np.zeros_like(t)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail += np.float32(factor)
        tail *= t
    # What follows is (1 + erf(z)) x / 2 with erf(z) = 1 - tail exp(-z z), its sign that of x.
    np.multiply(np.negative(z, out=t), z, out=t)
    tail *= np.exp(t, out=t)
    erf = np.copysign(np.subtract(1, tail, out=tail), x, out=tail)
    erf += 1
    x *= np.float32(0.5)
    x *= erf
    return x


def _load(folder: Path, pinned: Mapping[str, str]) -> "tuple[Tokenizer, dict[str, Array]]":
    with reworded(
        OSError,
        into=lambda _: BlockedError(
            "The weights that compare sentences are not installed.", "Run `annotator teval setup`."
        ),
    ):
        raw = {name: (folder / name).read_bytes() for name in pinned}
    for name, body in raw.items():
        if hashlib.sha256(body).hexdigest() != pinned[name]:
            raise InputError(
                f"{folder / name} has changed: it is not the file that is pinned.",
                "Run `annotator teval setup` again.",
            )
    with reworded(
        ImportError,
        into=lambda exc: BlockedError(
            f"Comparing sentences needs the package {exc.name}, which is not installed.",
            install_hint("teval"),
        ),
    ):
        import threadpoolctl  # noqa: F401, for what `embed` will need
        from safetensors.numpy import load
        from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_buffer(raw[VOCABULARY])
    tokenizer.enable_truncation(_LONGEST)
    tokenizer.no_padding()
    return tokenizer, load(raw[WEIGHTS])


class TorchEncoder:
    """Any model that sentence-transformers reads from a folder, e.g. all-mpnet-base-v2.

    Args:
        folder: The model's folder.

    Raises:
        BlockedError: The extra package is not installed.
        InputError: The folder holds no such model.
    """

    def __init__(self, folder: Path) -> None:
        weights = existing(
            next(
                (path for name in (WEIGHTS, "pytorch_model.bin") if (path := folder / name).is_file()), None
            ),
            InputError(f"{folder} holds no weights of a sentence model.", f"Name a folder with {WEIGHTS}."),
        )
        with reworded(
            ImportError,
            into=lambda _: BlockedError(
                "A model of one's own needs sentence-transformers, which is not installed.",
                install_hint("teval-torch"),
            ),
        ):
            from sentence_transformers import SentenceTransformer
        with weights.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        self._encoder = SentenceTransformer(str(folder), local_files_only=True)
        self.model = SimilarityModel(name=_model_name(folder), digest=digest)

    def embed(self, texts: Sequence[str]) -> "Array":
        """One row for each text."""
        import numpy as np

        encodable = [text.encode("utf-8", "replace").decode() for text in texts]
        found = self._encoder.encode(
            encodable, batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        rows: Array = np.asarray(found, np.float32)
        return rows


def _model_name(folder: Path) -> str:
    """What the model's own configuration calls it, else its folder."""
    try:
        said = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("_name_or_path")
    except (OSError, ValueError, AttributeError):
        said = None
    return Path(said).name if isinstance(said, str) and said else folder.resolve().name
