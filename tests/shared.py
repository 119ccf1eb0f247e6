"""Where the real input lies, for the tests that need it; a stranger's checkout has none and skips them."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the real data is not beside this checkout (2026-11-20)"
)
