"""The examples in the docstrings of `scoring` run, and the room starts alone."""

import doctest
import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest

import scoring

MODULES = ["scoring", *(found.name for found in pkgutil.walk_packages(scoring.__path__, "scoring."))]


@pytest.mark.parametrize("name", MODULES)
def test_every_example_runs(name: str) -> None:
    module = importlib.import_module(name)
    if ">>>" in inspect.getsource(module):  # looking through a module without examples takes the longest
        assert doctest.testmod(module, raise_on_error=False).failed == 0


def test_the_notebook_example_is_not_empty() -> None:
    assert doctest.testmod(scoring).attempted > 10


def test_scoring_starts_without_qt_sql_or_network() -> None:
    program = (
        "import scoring, sys\n"
        "heavy = {'PySide6', 'sqlalchemy', 'openai', 'jieba', 'numpy', 'db', 'annotator', 'ui'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_every_public_name_is_found_where_it_lives() -> None:
    found = {name: getattr(scoring, name) for name in scoring.__all__}
    assert all(found[name].__name__ == name for name in found)
    assert set(dir(scoring)) == set(scoring.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        scoring.nothing  # noqa: B018


def test_the_errors_come_without_the_scorer() -> None:
    program = "import scoring.errors, sys; print('networkx' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
