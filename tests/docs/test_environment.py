"""Every environment variable the program reads stands on the page of variables, and in the contracts."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.shared import ROOT

PAGES = ("docs/reference/environment.md", "docs/reference/contracts.md")
OF_LIBRARIES = {
    "HF_TOKEN": "huggingface_hub",
    "HTTPS_PROXY": "httpx2 (tests/e2e/test_defaults.py has a proxy)",
    "HTTP_PROXY": "httpx2",
    "LOGNAME": "getpass",
    "NO_PROXY": "httpx2",
    "XDG_CONFIG_HOME": "platformdirs",
    "XDG_DATA_HOME": "platformdirs",
    "XDG_RUNTIME_DIR": "platformdirs",
    "XDG_STATE_HOME": "platformdirs",
}
"""Variables that are read for the program by what it rests on."""
UNSAID = {"_ANNOTATOR_COMPLETE"}
"""What the shell sets while it completes a command: nobody types it."""
KNOWN = re.compile(r"_?(ANNOTATOR|HF|HTTPS?|NO|OPENAI|PG|QT|SSL|WAYLAND|XDG)(_?[A-Z]+)+|DISPLAY|LOGNAME|USER")


def in_code() -> Iterator[str]:
    """Texts of the program that name a variable: of a known family, or where `environ` is asked for one."""
    for floor in ("annotator", "db", "scoring", "ui"):
        for path in (ROOT / floor).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                match node:
                    case ast.Constant(value=str(name)) if KNOWN.fullmatch(name):
                        yield name
                    case (
                        ast.Call(
                            func=ast.Attribute(value=ast.Attribute(attr="environ")),
                            args=[ast.Constant(value=str(name)), *_],
                        )
                        | ast.Call(
                            func=ast.Attribute(attr="getenv"), args=[ast.Constant(value=str(name)), *_]
                        )
                        | ast.Subscript(
                            value=ast.Attribute(attr="environ"), slice=ast.Constant(value=str(name))
                        )
                        | ast.keyword(arg="envvar", value=ast.Constant(value=str(name)))
                    ):
                        yield name


@pytest.mark.parametrize("page", PAGES)
def test_a_page_lists_exactly_the_variables_that_are_read(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    [table] = re.findall(r"^\| variable \|.*?(?=^\n)", text, re.MULTILINE | re.DOTALL)
    listed = re.findall(r"`([A-Z_]+)`", "".join(row.split(" | ")[0] for row in table.splitlines()))
    assert sorted(listed) == sorted({*in_code(), *OF_LIBRARIES} - UNSAID)
