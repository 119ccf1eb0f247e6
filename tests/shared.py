"""For tests of every floor: the real input, which a stranger's checkout lacks, and a full disk."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the real data is not beside this checkout (2026-11-20)"
)


@contextmanager
def full_disk(room: int = 0) -> Iterator[None]:
    """Let no file grow beyond a number of bytes, as on a disk that is full."""
    resource = pytest.importorskip("resource", reason="POSIX limits (2026-11-20)")
    former = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, former[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, former)
