"""BFCL's simulators are installed once, from wheels that are pinned."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from annotator.release import bfcl_package
from annotator.release.bfcl_package import install_simulators
from annotator.wheels import PinnedWheel
from scoring.bfcl_simulators import are_simulators_installed, simulators_folder
from scoring.errors import StoreError
from tests.scoring.bfcl_package import FILES


def wheel(folder: Path, name: str, files: dict[str, str]) -> PinnedWheel:
    """A wheel in a folder, and how it is pinned."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}-1.0-py3-none-any.whl"
    about = {
        "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for inside, text in {
            **files,
            **{f"{name}-1.0.dist-info/{key}": it for key, it in about.items()},
        }.items():
            archive.writestr(inside, text)
    return PinnedWheel(f"{name.replace('_', '-')}==1.0", hashlib.sha256(path.read_bytes()).hexdigest())


@pytest.fixture
def pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the wheels that are pinned; nothing is installed yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    wheels = tmp_path / "wheels"
    packages = wheel(wheels, "bfcl_eval", FILES), wheel(wheels, "mpmath", {"mpmath/__init__.py": ""})
    monkeypatch.setattr(bfcl_package, "PACKAGES", packages)
    return wheels


def test_the_wheels_are_unpacked_into_a_folder_of_their_own(pinned: Path) -> None:
    assert not are_simulators_installed()
    folder = install_simulators(pinned)
    assert are_simulators_installed()
    assert (folder / "mpmath" / "__init__.py").is_file()
    (folder / "old.py").touch()
    install_simulators(pinned)
    assert not (folder / "old.py").exists()


def test_what_cannot_be_fetched_leaves_what_stood_there(pinned: Path, tmp_path: Path) -> None:
    folder = install_simulators(pinned)
    (pinned / "mpmath-1.0-py3-none-any.whl").write_bytes(b"another file")
    with pytest.raises(StoreError, match=r"mpmath==1\.0 cannot be fetched") as failed:
        install_simulators(pinned)
    assert "bfcl setup --wheels DIR" in failed.value.hint
    assert (folder / "bfcl_eval" / "math_api.py").is_file()
    assert [path.name for path in simulators_folder().parent.iterdir()] == ["bfcl"]


def test_a_folder_that_cannot_be_written_is_named(pinned: Path, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way", encoding="utf-8")
    with pytest.raises(StoreError, match="cannot be written"):
        install_simulators(pinned)
