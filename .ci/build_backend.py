"""Builds what is installed: one package, `annotator_workbench`, that holds the floors of the tree.

In the tree the floors are imported by their own names. Installed, `db` or `scoring` would break, or be
broken by, other packages of those names, so the wheel is built from a copy in which each import and each
name of a module names the package, too. An editable installation is the tree itself. This is a build backend
(PEP 517) in front of setuptools; as a script it makes what `.ci/wheel` needs to test such a package.
"""

import ast
import functools
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from setuptools import build_meta
from setuptools.build_meta import (  # noqa: F401 - what a build backend offers
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
)

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "annotator_workbench"
FLOORS = ("annotator", "db", "resources", "scoring", "ui")
_DOTTED = re.compile(r"(?:annotator|db|resources|scoring|ui)(?:\.\w+)+")
_EXAMPLE = re.compile(r"^(\s*>>> (?:from|import) )(?=(?:annotator|db|scoring|ui)\b)", re.MULTILINE)
_BESIDE = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "constraints.txt")
_PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]*)_light\.png\)")
_INIT = (
    '"""Annotator: turns generated tool-use dialogues into verified benchmark cases, and scores models."""\n'
)
_MAIN = f'''"""`python -m {PACKAGE}` is the `annotator` command."""

from {PACKAGE}.ui.cli.main import run

run()
'''
_API = f'''"""What scripts import; see `{PACKAGE}.annotator.api`."""

from {PACKAGE}.scoring.errors import missing_package

try:
    from {PACKAGE}.annotator.api import *  # noqa: F403
    from {PACKAGE}.annotator.api import __all__ as __all__
except ModuleNotFoundError as exc:  # whoever only scores has no database
    raise missing_package(exc) or exc from None
'''
_SETTINGS = {
    'annotator = "ui.cli.main:run"': f'annotator = "{PACKAGE}.ui.cli.main:run"',
    'include = ["annotator*", "db*", "resources*", "scoring*", "ui*"]': f'include = ["{PACKAGE}*"]',
    'build-backend = "build_backend"\nbackend-path = [".ci"]': 'build-backend = "setuptools.build_meta"',
}
"""What `pyproject.toml` says of the tree, and of the package."""


def build_wheel(
    wheel_directory: str,
    config_settings: dict[str, object] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Build the wheel from a copy in which the floors stand in one package; the name of its file."""
    target = str(Path(wheel_directory).resolve())
    with _staged():
        return build_meta.build_wheel(target, config_settings)


def stage(folder: Path) -> None:
    """Write the source of the package, and what describes it, into an empty folder.

    Raises:
        ValueError: `pyproject.toml` no longer says what is to be replaced.
    """
    package = folder / PACKAGE
    package.mkdir(parents=True)
    for floor in FLOORS:
        shutil.copytree(ROOT / floor, package / floor, ignore=shutil.ignore_patterns("__pycache__"))
    for path in package.rglob("*.py"):
        path.write_text(renamed(path.read_text("utf-8")), "utf-8")
    texts = [path for kind in ("*.md", "*.json") for path in (ROOT / "docs").rglob(kind)]
    for path in (*texts, *_pictures(texts), *(ROOT / name for name in _BESIDE)):
        target = (
            package / "docs" / path.relative_to(ROOT / "docs" if path.is_relative_to(ROOT / "docs") else ROOT)
        )
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    (package / "__init__.py").write_text(_INIT, "utf-8")
    (package / "__main__.py").write_text(_MAIN, "utf-8")
    (package / "api.py").write_text(_API, "utf-8")
    (package / "py.typed").touch()
    settings = (ROOT / "pyproject.toml").read_text("utf-8")
    for tree, installed in _SETTINGS.items():
        if settings.count(tree) != 1:
            raise ValueError(f"pyproject.toml does not say once: {tree}")
        settings = settings.replace(tree, installed)
    (folder / "pyproject.toml").write_text(settings, "utf-8")
    shutil.copy(ROOT / "README.md", folder)
    for name in ("resources/fonts", "resources/desktop", "docs"):  # what pyproject.toml names
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("pictures"))


def _pictures(texts: list[Path]) -> set[Path]:
    """What the pages among some texts show, in light and in dark."""
    shown = ((page, name) for page in texts for name in _PICTURE.findall(page.read_text("utf-8")))
    return {
        (page.parent / f"{name}_{look}.png").resolve() for page, name in shown for look in ("light", "dark")
    }


def renamed(source: str) -> str:
    """A module's text with each import, and each text that names a module of the floors, in the package.

    Raises:
        ValueError: It imports a module below a floor without `from` or `as`: the name it uses would change.
    """
    lines = source.encode().split(b"\n")
    added = {place for node in ast.walk(ast.parse(source)) for place in _added(node, lines)}
    for line, column, text in sorted(added, reverse=True):
        lines[line] = lines[line][:column] + text.encode() + lines[line][column:]
    return _EXAMPLE.sub(rf"\g<1>{PACKAGE}.", b"\n".join(lines).decode())


def _added(node: ast.AST, lines: list[bytes]) -> Iterator[tuple[int, int, str]]:
    """What a node lacks: line and byte of it, from 0, and the text."""
    match node:
        case ast.ImportFrom(module=str(module), level=0) if module.partition(".")[0] in FLOORS:
            yield (
                node.lineno - 1,
                lines[node.lineno - 1].index(module.encode(), node.col_offset),
                f"{PACKAGE}.",
            )
        case ast.Import():
            for name in (name for name in node.names if name.name.partition(".")[0] in FLOORS):
                yield name.lineno - 1, name.col_offset, f"{PACKAGE}."
                if name.asname is None:
                    if "." in name.name:
                        raise ValueError(f"line {node.lineno}: import {name.name} needs `from` or `as`")
                    yield name.lineno - 1, name.col_offset + len(name.name), f" as {name.name}"
        case ast.Constant(value=str(text)) if _DOTTED.fullmatch(text) and _names_module(text):
            yield node.lineno - 1, lines[node.lineno - 1].index(text.encode(), node.col_offset), f"{PACKAGE}."


@functools.cache
def _names_module(text: str) -> bool:
    """Whether a text is the dotted name of a module of the floors, or of something in one."""
    parts = text.split(".")
    return any(_is_module(ROOT.joinpath(*parts[:length])) for length in range(len(parts), 1, -1))


def _is_module(path: Path) -> bool:
    return path.is_dir() or path.with_suffix(".py").is_file()


@contextmanager
def _staged() -> Iterator[None]:
    with tempfile.TemporaryDirectory() as name:
        stage(Path(name))
        before = Path.cwd()
        os.chdir(name)
        try:
            yield
        finally:
            os.chdir(before)


def copy_tests(folder: Path) -> None:
    """Copy the tests, and what they read beside the program, for the installed package."""
    for name in ("tests", "docs", "resources", ".ci"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in (*_BESIDE, "Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    for path in (folder / "tests").rglob("*.py"):
        path.write_text(renamed(path.read_text("utf-8")), "utf-8")


def make_environment(folder: Path, *wheels: Path) -> None:
    """Make an environment with wheels and the packages of this one, but nothing of the checkout."""
    venv.create(folder, symlinks=True)
    packages = Path(sysconfig.get_path("purelib"))
    inside = folder / packages.relative_to(sys.prefix)
    (inside / "packages.pth").write_text(f"{packages}\n", "utf-8")
    if not wheels:
        return
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", folder)
    subprocess.run([*pip, "install", "--no-deps", "--no-index", *wheels], check=True)


if __name__ == "__main__":
    {"tests": copy_tests, "environment": make_environment}[sys.argv[1]](*map(Path, sys.argv[2:]))
