"""Where the real input lies, for the tests that need it; a stranger's checkout has none and skips them."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the real data is not beside this checkout (2026-11-20)"
)
