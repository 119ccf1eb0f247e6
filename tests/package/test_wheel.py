"""What is installed: one package with one name, beside whatever else there is."""

import importlib.util
import os
import posixpath
import re
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import files
from pathlib import Path
from types import ModuleType

import pytest

from annotator.resources import resource_path
from tests.shared import ROOT

FLOORS = ("annotator", "db", "resources", "scoring", "ui")
TAKEN = "raise RuntimeError('a package of somebody else')\n"
SCORING = """
import sys
from annotator_workbench.scoring import ReadCase, read_cases, read_predictions, score
from pathlib import Path

cases, replies = map(Path, sys.argv[1:])
read = [item.case for item in read_cases(cases) if isinstance(item, ReadCase)]
print(score(read, read_predictions(replies)).summary.task_accuracy)
print(sorted({name.partition(".")[0] for name in sys.modules} & {"PySide6", "sqlalchemy", "typer", "jieba"}))
"""
CASES = resource_path("samples", "cases.jsonl")
REPLIES = resource_path("samples", "predictions_careful.jsonl")


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BACKEND = _script("build_backend")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    return folder / str(_run_hook("build_wheel", folder))


def _run_hook(hook: str, folder: Path) -> str:
    """Call the build backend as pip does: in a process of its own, in the folder of the source."""
    code = f"import build_backend; print(build_backend.{hook}({str(folder)!r}))"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / ".ci")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("tree", "package"),
    [
        ("from ui.cli import main", "from annotator_workbench.ui.cli import main"),
        ("from annotator import resources", "from annotator_workbench.annotator import resources"),
        ("import scoring", "import annotator_workbench.scoring as scoring"),
        ("import db.tables as t", "import annotator_workbench.db.tables as t"),
        ("x = 'ß', 'ui.cli.teval'", "x = 'ß', 'annotator_workbench.ui.cli.teval'"),
        ("x = 'scoring.evaluation.score'", "x = 'annotator_workbench.scoring.evaluation.score'"),
        ("def f():\n    'é'; from db.tables import (\n        a, b)", None),
        ('"""An example.\n\n>>> from scoring import score\n"""', None),
        ("from uix import a\nimport dbm\nx = 'annotator.qss', 'db', 'ui.nothing.here'", ""),
        ("from .scoring import a", ""),
    ],
)
def test_imports_and_names_of_modules_name_the_package(tree: str, package: str | None) -> None:
    if package is None:
        package = tree.replace("from ", "from annotator_workbench.")
    assert BACKEND.renamed(tree) == (package or tree)


def test_an_import_that_would_bind_another_name_is_refused() -> None:
    with pytest.raises(ValueError, match=r"line 2: import ui\.app needs `from` or `as`"):
        BACKEND.renamed("x = 1\nimport ui.app\n")


def test_the_package_has_one_name_and_every_file(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"annotator_workbench"}
    tracked = subprocess.run(
        ["git", "ls-files", *FLOORS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    inside = {name.removeprefix("annotator_workbench/") for name in names}
    assert set(tracked.stdout.split()) - inside == set()
    shared = {name.partition(".data/data/")[2] for name in names} - {""}
    assert shared == {
        "share/applications/annotator.desktop",
        "share/icons/hicolor/scalable/apps/annotator.svg",
        "share/man/man1/annotator.1",
        "share/mime/packages/annotator.xml",
    }
    assert {"py.typed", "docs/CHANGELOG.md", "docs/constraints.txt", "docs/reference/contracts.md"} <= inside
    licences = {name.rpartition("/")[2] for name in names if ".dist-info/licenses/" in name}
    assert licences == {"MIT.txt", "OFL.txt", "third_party.md"}


def test_every_picture_that_a_shipped_page_shows_is_shipped(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        pages = {
            name: archive.read(name).decode() for name in names if re.search(r"/docs/(?!README).*\.md$", name)
        }
    shown = {
        posixpath.normpath(f"{posixpath.dirname(page)}/{picture}").replace("_light.", f"_{look}.")
        for page, text in pages.items()
        for picture in re.findall(r"!\[[^\]]*\]\(([^)]*png)\)", text)
        for look in ("light", "dark")
    }
    assert any("/zh/" in picture for picture in shown)
    assert shown - names == set()


def test_a_source_archive_builds_the_same_package(wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / _run_hook("build_sdist", tmp_path)) as archive:
        archive.extractall(tmp_path, filter="data")
    root = next(tmp_path.glob("annotator_workbench-*/"))
    code = f"import build_backend; build_backend.build_wheel({str(tmp_path)!r})"
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / ".ci")},
        capture_output=True,
        check=True,
    )
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(tmp_path / wheel.name) as other:
        contents = [
            {i.filename: i.CRC for i in a.infolist() if "RECORD" not in i.filename} for a in (one, other)
        ]
    assert contents[0] == contents[1]


def test_every_package_that_is_installed_has_its_licence_listed() -> None:
    rows = set(_script("notices").notices().splitlines())
    assert len(rows) > 60
    listed = set((ROOT / "docs" / "third_party.md").read_text().splitlines())
    assert rows - listed == set(), "run .venv/bin/python .ci/notices.py"


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    BACKEND.make_environment(tmp_path / "venv")
    return tmp_path / "venv"


def _pip(environment: Path, *arguments: object) -> None:
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", environment)
    subprocess.run([*map(str, pip), *map(str, arguments)], check=True)


def _run(environment: Path, *command: object) -> subprocess.CompletedProcess[str]:
    inherited = {
        key: value for key, value in os.environ.items() if not key.startswith(("ANNOTATOR_", "PYTHON"))
    }
    return subprocess.run(
        [str(environment / "bin" / str(command[0])), *map(str, command[1:])],
        cwd=environment,
        env={**inherited, "HOME": str(environment)},
        capture_output=True,
        text=True,
        check=False,
    )


def _strangers(folder: Path) -> list[Path]:
    """Wheels of other people's packages that own the names of the floors."""
    wheels = []
    for name in FLOORS:
        path = folder / f"{name}_of_others-1.0-py3-none-any.whl"
        info = f"{name}_of_others-1.0.dist-info"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(f"{name}/__init__.py", TAKEN)
            archive.writestr(
                f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}-of-others\nVersion: 1.0\n"
            )
            archive.writestr(
                f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            archive.writestr(f"{info}/RECORD", "")
        wheels.append(path)
    return wheels


def _holds(environment: Path) -> None:
    """The demo walks to a scored release, and a notebook scores."""
    demo = _run(environment, "annotator", "demo", "--headless")
    assert demo.returncode == 0, demo.stderr
    assert "Content hash" in demo.stdout
    scored = _run(environment, "python", "-c", SCORING, CASES, REPLIES)
    assert scored.stdout.splitlines() == ["0.8571428571428571", "[]"], scored.stderr


@pytest.mark.download
@pytest.mark.parametrize("comes_last", [True, False])
def test_packages_that_own_the_same_names_change_nothing(
    wheel: Path, environment: Path, tmp_path: Path, comes_last: bool
) -> None:
    others = _strangers(tmp_path)
    for wheels in [others, [wheel]] if comes_last else [[wheel], others]:
        _pip(environment, "install", "--no-deps", "--no-index", *wheels)
    taken = _run(environment, "python", "-c", "import db")
    assert "a package of somebody else" in taken.stderr
    _holds(environment)
    _pip(environment, "uninstall", "-y", *(f"{name}-of-others" for name in FLOORS))
    _holds(environment)
    _pip(environment, "uninstall", "-y", "annotator-workbench")
    assert not (environment / "bin" / "annotator").exists()


@pytest.fixture
def scoring_alone(wheel: Path, tmp_path: Path) -> Path:
    """An environment with the package and the three that scoring needs, and what those need."""
    folder = tmp_path / "venv"
    BACKEND.make_environment(folder, wheel)
    found: dict[str, object] = {}
    for name in ("pydantic", "networkx", "numpy"):
        found[name] = None
        _script("notices").needed(name, (), found)
    site = next(folder.glob("lib/python*/site-packages"))
    packages = Path((site / "packages.pth").read_text().strip())
    (site / "packages.pth").unlink()
    for name in found:
        for top in {path.parts[0] for path in files(name) or () if ".." not in path.parts}:
            (site / top).symlink_to(packages / top)
    return folder


def test_scoring_needs_three_packages(scoring_alone: Path) -> None:
    scored = _run(scoring_alone, "python", "-c", SCORING, CASES, REPLIES)
    assert (scored.stdout.splitlines(), scored.stderr) == (["0.8571428571428571", "[]"], "")


def test_what_scoring_alone_lacks_is_refused_in_a_sentence(scoring_alone: Path) -> None:
    command = _run(scoring_alone, "annotator", "--help")
    assert command.returncode == 1
    assert command.stderr == (
        "This needs the package typer, which is not installed. "
        "Install it with: pip install 'annotator-workbench'\n"
    )
    script = _run(scoring_alone, "python", "-c", "import annotator_workbench.api").stderr.splitlines()
    assert re.fullmatch(
        r"annotator_workbench\.scoring\.errors\.BlockedError: This needs the package \w+, which is not "
        r"installed\. Install it with: pip install 'annotator-workbench'",
        script[-1],
    )
    assert "ModuleNotFoundError" not in "".join(script)
    chinese = "from annotator_workbench.scoring.matching.similarity import segment; segment('北京')"
    last = _run(scoring_alone, "python", "-c", chinese).stderr.splitlines()[-1]
    assert last.endswith(
        "Comparing Chinese values needs the package jieba, which is not installed. "
        "Install it with: pip install jieba"
    )


@pytest.mark.slow
def test_type_checkers_see_the_types(wheel: Path, tmp_path: Path) -> None:
    BACKEND.make_environment(tmp_path / "venv", wheel)
    notebook = tmp_path / "notebook.py"
    notebook.write_text(
        "from annotator_workbench.scoring import Case, Task, score\n"
        "reveal_type(score([Case(id='a', tasks=(Task(user='b', steps=()),))], []).summary.task_accuracy)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--python-executable", tmp_path / "venv/bin/python", notebook],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert 'Revealed type is "float | None"' in done.stdout, done.stdout
