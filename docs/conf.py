"""How Sphinx builds the manual: `make docs`. Pages are plain Markdown, which the window shows as they are."""

import re
import sys

import annotator.api
import scoring

project = "Annotator"
author = "the Annotator team"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["pictures/*.py", "hasty_reviewer.md"]
myst_enable_extensions = ["attrs_inline"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = "Annotator"
html_copy_source = False
html_show_copyright = False
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # types of annotations, most of which are in no page
default_role = "code"
autodoc_default_options = {"members": True, "undoc-members": True, "exclude-members": "model_config"}
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
suppress_warnings = ["myst.header", "misc.highlighting_failure"]  # code blocks may be part of a file

PARTS = {
    "Start": ("quick_start", "faq", "troubleshooting", "security"),
    "By role": tuple(f"roles/{name}" for name in ("annotator", "expert", "manager", "research_lead")),
    "中文": tuple(f"zh/{name}" for name in ("index", "quick_start", "annotator", "expert")),
    "How to": ("how_to/*",),
    "Concepts": tuple(
        f"concepts/{name}"
        for name in ("case", "graph", "stages", "blindness", "agreement", "bound", "rules", "words")
    ),
    "Reference": tuple(
        f"reference/{name}"
        for name in (
            "commands",
            "shortcuts",
            "policy",
            "environment",
            "files",
            "metrics",
            "api",
            "contracts",
            "sizes",
        )
    ),
    "For developers": (
        "architecture",
        "checking",
        "performance",
        "style",
        "wording",
        "design",
        "spec/*",
        "third_party",
        "decisions/*",
    ),
}
"""The parts of the manual, as its contents list them; a page that is in none is a warning."""


INTERFACES = {"annotator_workbench.api": annotator.api, "annotator_workbench.scoring": scoring}
"""What scripts import, under the names it has where it is installed."""
sys.modules.update(INTERFACES)


def _add_docstrings(_: object, page: str, source: list[str]) -> None:
    """Put the docstrings of what scripts import below their list, from the modules themselves."""
    if page != "reference/api":
        return
    for title, module in INTERFACES.items():
        source[0] += f"\n## {title} in full\n\n```{{eval-rst}}\n"
        for name in module.__all__:
            kind = "autoclass" if isinstance(getattr(module, name), type) else "autofunction"
            again = "   :no-index:\n" if module is scoring and name in annotator.api.__all__ else ""
            source[0] += f".. {kind}:: {title}.{name}\n{again}\n"
        source[0] += "```\n"


def _add_contents(_: object, page: str, source: list[str]) -> None:
    """Give the first page its contents, which would only be noise where Markdown is shown as it is."""
    if page == "index":
        for caption, pages in PARTS.items():
            lines = "\n".join(pages)
            source[0] += f"\n```{{toctree}}\n:hidden:\n:glob:\n:caption: {caption}\n\n{lines}\n```\n"


def _pair_pictures(_: object, page: str, source: list[str]) -> None:
    """Put the dark picture beside each light one; the theme shows the one that fits."""
    shown = r"\1_light.png){.only-light}\1_dark.png){.only-dark}"
    source[0] = re.sub(r"(!\[[^\]]*\]\([^)]*)_light\.png\)", shown, source[0])


def _keep_to_the_tree(_: object, page: str, source: list[str]) -> None:
    """Name a file of the repository that is no page of the manual as text, not as a link."""
    up = page.count("/") + 1
    outside = rf"\[([^\]]+)\]\((?:\.\./){{{up}}}[^)]*\)"
    source[0] = re.sub(outside, r"\1", source[0])
    folders = r"\[([^\]]+)\]\((?:\.\./)?(?:spec|decisions|schemas)/?\)"
    source[0] = re.sub(folders, r"\1", source[0])


def setup(app: object) -> None:
    """Join what is changed of a page before it is read."""
    for change in (_add_docstrings, _add_contents, _pair_pictures, _keep_to_the_tree):
        app.connect("source-read", change)  # type: ignore[attr-defined]
