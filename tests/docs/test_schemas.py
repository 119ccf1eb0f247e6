"""The schemas in docs/reference/schemas are what the program states, and change only with their version.

A change that was meant: where something is lost or changed add 1 to `VERSION` in ui/cli/command.py, then
`APPROVE_SCHEMAS=1 make test TESTS=tests/docs/test_schemas.py`, and read the difference.
"""

import json
import os
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.docs.test_contracts import PAGE, blocks
from tests.e2e.schemas import CONTRACTS, check_document, command_of
from tests.shared import ROOT
from ui.cli.command import VERSION
from ui.cli.contracts import schema_of

FOLDER = ROOT / "docs" / "reference" / "schemas"


def lost(before: Any, after: Any, place: str = "") -> Iterator[str]:
    """The places where a schema promises less, or something else, than one before; more keys are no loss."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key, part in before.items():
            if key != "description":
                yield from lost(part, after.get(key), f"{place}/{key}")
    elif isinstance(before, list) and isinstance(after, list):
        yield from (f"{place}: {part}" for part in before if part not in after)
    elif before != after:
        yield place


@pytest.mark.parametrize("name", CONTRACTS)
def test_the_schema_is_what_was_published(name: str) -> None:
    path = FOLDER / f"{name.replace(' ', '-')}.json"
    made = {**schema_of(name, CONTRACTS[name]), "x-version": VERSION}
    if os.environ.get("APPROVE_SCHEMAS"):
        before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else made
        missing = [] if before["x-version"] < VERSION else list(lost(before, made))
        assert not missing, f"bump VERSION in ui/cli/command.py: {name} lost {missing}"
        path.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    published = json.loads(path.read_text(encoding="utf-8"))
    assert published == made, f"The contract changed; bump VERSION and approve: {list(lost(published, made))}"


def test_no_schema_is_left_of_a_contract_that_went() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == {name.replace(" ", "-") for name in CONTRACTS}


def test_what_is_lost_is_told_from_what_is_added() -> None:
    before = {"properties": {"a": {"type": "string"}}, "required": ["a"]}
    more = {"properties": {"a": {"type": "string"}, "b": {}}, "required": ["a", "b"]}
    assert list(lost(before, more)) == []
    assert list(lost(more, before)) == ["/properties/b", "/required: b"]
    assert list(lost(before, {**before, "properties": {"a": {"type": "integer"}}})) == ["/properties/a/type"]


@pytest.mark.parametrize("part", ["Predictions", "Judgment", "Decision"])
def test_the_examples_of_the_page_are_what_their_schemas_say(part: str) -> None:
    (text,) = blocks(part, "json")
    check_document(part.lower().removesuffix("s"), json.loads(text))


def test_the_filters_of_the_page_take_what_the_documents_have() -> None:
    lines = re.findall(r"^    annotator (.*) --json.* \| jq (?:-r )?'?([^'\n]+)", PAGE, re.M)
    assert len(lines) >= 2
    for words, path in lines:
        name = command_of(words.split())
        assert name, words
        schema = schema_of(name, CONTRACTS[name])
        assert any(_has(schema, part, path) for part in (schema, *schema.get("anyOf", ()))), (name, path)


def _has(schema: Any, part: Any, path: str) -> bool:
    """Whether a part of a schema leads down a path of jq: names behind dots, `[]` for what a list holds."""
    for step in re.findall(r"\w+|\[\]", path):
        while "$ref" in part:
            part = schema["$defs"][part["$ref"].rpartition("/")[2]]
        part = part.get("items") if step == "[]" else part.get("properties", {}).get(step)
        if part is None:
            return False
    return True


@pytest.mark.parametrize("page", ["README.md", "docs/how_to/install_and_script.md"])
def test_the_prediction_of_a_page_is_what_its_schema_says(page: str) -> None:
    (text,) = re.findall(r"^```json\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.M | re.S)
    check_document("prediction", json.loads(text))
