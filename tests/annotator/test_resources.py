"""Files that travel with the program."""

import tomllib
from fnmatch import fnmatch

from tests.shared import ROOT


def test_an_installed_program_has_every_file_below_resources() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["*"]
    files = [path for path in (ROOT / "resources").rglob("*") if path.is_file()]
    left_out = [path for path in files if not any(fnmatch(path.name, pattern) for pattern in patterns)]
    assert files
    assert not left_out
