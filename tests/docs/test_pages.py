"""Pages of the manual that are made from the program: policy, measures, names for scripts, messages.

A change that was meant is written by `APPROVE_PAGES=1 make test TESTS=tests/docs/test_pages.py`;
read the difference before it is committed.
"""

import ast
import inspect
import os
import re
from collections.abc import Callable, Iterator
from difflib import unified_diff
from pathlib import Path

import pytest

import scoring
from annotator import api
from annotator.fields import hints_of, taken_by, title_of, written
from annotator.project.policy import ReviewPolicy
from annotator.resources import anchor_of, manual_path, place_of_message
from scoring.measures.catalogue import MEASURES
from tests.docs.messages import GAP, HANDED_ON, error_kinds, errors, is_told, messages, trees
from tests.shared import ROOT

MADE = (
    "Made from the program by `APPROVE_PAGES=1 make test TESTS=tests/docs/test_pages.py`, "
    "which otherwise compares it.\n"
)


def policy_page() -> Iterator[str]:
    """Every setting of the review policy: what it is called, takes and means."""
    yield "# The review policy\n"
    yield MADE
    yield "Managers change it on the Team page, or by `annotator policy set`. Every change is an event.\n"
    for name, field in ReviewPolicy.model_fields.items():
        if group := hints_of(field).group:
            yield f"## {group}\n"
        value = getattr(ReviewPolicy(), name)
        default = str(value).lower() if isinstance(value, bool) else written(value)
        yield f"### {title_of(name, field)}\n"
        yield f"{field.description} It takes {taken_by(field)}.\n"
        shown = f"`{default}`" if default else "empty"
        yield f"In commands and files: `{name}`. Default: {shown}.\n"


_SPEC = re.compile(r"scoring (\d+(?:\.\d+)*)")
_HEADING = re.compile(r"^#+ ((\d+(?:\.\d+)*)\.? .+)$", re.MULTILINE)


def _linked(said: re.Match[str]) -> str:
    """A citation of the specification as a link to its heading."""
    text = (ROOT / "docs" / "spec" / "scoring.md").read_text(encoding="utf-8")
    [title] = [found[1] for found in _HEADING.finditer(text) if found[2] == said[1]]
    return f"[{said[0]}](../spec/scoring.md#{anchor_of(title)})"


_FORMS = {"percent": "percent", "mean": "mean", "variance": "variance", "seconds": "seconds"}
_BETTER = {"higher": "higher is better", "lower": "lower is better", "neither": "neither is better"}


def metrics_page() -> Iterator[str]:
    """Every measure with its formula, where it is published, and where the specification has it."""
    yield "# Measures\n"
    yield MADE
    yield "What each of them computes is defined in [the scoring specification](../spec/scoring.md).\n"
    for measure in MEASURES:
        yield f"## {measure.title}\n"
        yield f"{measure.formula[0].upper()}{measure.formula[1:]}.\n"
        yield f"Key: `{measure.key}`. Form: {_FORMS[measure.form]}; {_BETTER[measure.direction]}.\n"
        yield f"Source: {_SPEC.sub(_linked, measure.paper)}.\n"


def _plain(text: str) -> str:
    return re.sub(r"([*_<>\[\]|#])", r"\\\1", text.replace("`", ""))


def troubleshooting_page() -> Iterator[str]:
    """Every message of the program with its next step, by kind."""
    yield "# Troubleshooting\n"
    yield MADE
    yield (
        f"Every message that you can act on stands here, with the next step. {GAP} stands for a name, "
        "a path or a number. Search this page for the words you see.\n"
    )
    kinds = error_kinds()
    found: dict[str, dict[str, list[str]]] = {}
    for kind, message, hint in messages():
        hints = found.setdefault(kinds[kind], {}).setdefault(message, [])
        if hint.strip(f"{GAP} ") and hint not in hints:
            hints.append(hint)
    for heading, said in sorted(found.items()):
        yield f"## {_plain(heading.rstrip('.'))}\n"
        for message, hints in sorted(said.items()):
            yield f"### {_plain(message)}\n"
            yield from (f"{_plain(hint)}\n" for hint in hints or ["The message names what to change."])


def api_page() -> Iterator[str]:
    """What scripts import, a sentence each; the built manual has the whole docstrings below."""
    yield "# Python interface\n"
    yield MADE
    yield (
        "Scripts import these two modules, and nothing else stays as it is. [Contracts](contracts.md) has a "
        "whole script. In a checkout leave out `annotator_workbench.`\n"
    )
    for title, module in (("annotator_workbench.api", api), ("annotator_workbench.scoring", scoring)):
        yield f"## {title}\n"
        yield "| name | what it is |\n| --- | --- |"
        for name in module.__all__:
            yield f"| `{name}` | {_first_sentence(getattr(module, name))} |"
        yield ""


def _first_sentence(thing: object) -> str:
    said = " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())
    return said.partition(". ")[0].removesuffix(".").replace("|", "\\|") + "."


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "reference/policy.md": policy_page,
    "reference/metrics.md": metrics_page,
    "reference/api.md": api_page,
    "troubleshooting.md": troubleshooting_page,
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_what_the_program_says(name: str) -> None:
    compare(name, "\n".join(PAGES[name]()))


def compare(name: str, made: str) -> None:
    """Hold a page to what the program says, or write it where that was asked for."""
    path = ROOT / "docs" / name
    if os.environ.get("APPROVE_PAGES"):
        path.write_text(made, encoding="utf-8")
    approved = path.read_text(encoding="utf-8").splitlines()
    difference = "\n".join(unified_diff(approved, made.splitlines(), "approved", "made", lineterm=""))
    assert not difference, f"{difference}\n\nIf this was meant: see the top of this file."


REASONS = {
    ("annotator/release/runs/model_cards.py", "…: …"),
    ("ui/cli/review.py", "…: …: …."),
    ("ui/cli/review.py", ""),
}
"""Messages without words of their own: they say where in a file, and the reason of another error."""


def test_every_message_is_found() -> None:
    mute = [error for error in errors() if not any(map(is_told, error.messages))]
    unseen = {(error.place, "".join(error.messages)) for error in mute}
    unseen = {(place, said) for place, said in unseen if HANDED_ON not in said}
    assert unseen == REASONS
    assert len({kind for kind, _, _ in messages()}) > 8


def test_messages_that_are_built_from_pieces_are_found_whole() -> None:
    said = {message for _, message, _ in messages()}
    assert {
        "… holds more than one case.",  # of two words chosen before
        "You have decided this case as an expert.",  # of a list of reasons
        "The JSON nests deeper than … levels.",  # of a function
        "The dependencies run in a circle: ….",  # of the error's own class
        "There is no batch '…'.",  # handed to the function that raises it
        "… is busy: another program has been writing to it for more than 10 seconds.",  # of a database
        "Connected, but the project was written by a newer version of Annotator.",  # told, not raised
        "It answers another request: the texts of the task differ.",  # of a prediction
        "Its hash is not the one of its present revision.",  # of `annotator doctor`
    } <= said


def test_every_message_leads_to_a_heading_that_exists() -> None:
    anchors = _anchors("troubleshooting.md")
    for _, message, _ in messages():
        place, _, anchor = place_of_message(message.replace(GAP, "7")).partition("#")
        assert (message, anchor in anchors) == (message, True)
        assert Path(place) == manual_path("troubleshooting.md")
    assert place_of_message("Nobody says this.") == ""


def test_every_message_to_act_on_names_a_heading_that_exists() -> None:
    shown = [
        (path.name, {word.arg: ast.unparse(word.value) for word in node.keywords})
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "show_message"
    ]
    said_only = "Tone.OK", "Tone.ACCENT"
    assert [place for place, said in shown if said.get("tone") not in said_only and "page" not in said] == [
        "errors.py"
    ], "the one that shows errors, each of which has its own place"
    pages = [
        node.value
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and re.fullmatch(r"[a-z_/]+\.md(#[\w-]+)?", str(node.value))
    ]
    assert len(pages) > 20
    for page in pages:
        name, _, anchor = str(page).partition("#")
        assert (page, not anchor or anchor in _anchors(name)) == (page, True)


def _anchors(page: str) -> set[str]:
    lines = manual_path(*page.split("/")).read_text(encoding="utf-8").splitlines()
    titles = (re.sub(r"\\([\W_])", r"\1", line.lstrip("# ")) for line in lines if line.startswith("#"))
    return set(map(anchor_of, titles))
