"""Commands on toolsets: what a file of tools lacks."""

from pathlib import Path
from typing import Annotated

import typer

from scoring.model.taxonomy import Severity
from scoring.wording import counted
from ui.cli.options import Json, example
from ui.cli.output import print_json, print_table, say

toolset_app = typer.Typer(help="Toolsets: what dialogues are generated over.", rich_markup_mode=None)


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.add_typer(toolset_app, name="toolset")


@toolset_app.command("check", epilog=example("annotator toolset check tools.jsonl"))
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE")],
    rule: Annotated[str | None, typer.Option("--rule", help="Only findings of this rule.")] = None,
    json: Json = False,
) -> None:
    """Print what the toolsets of a file lack. The exit code is 3 if any finding is an error."""
    from annotator.files import readable_files
    from annotator.generation.toolsets.toolset_checks import RULES, check_toolset
    from annotator.generation.toolsets.toolset_files import read_toolsets
    from scoring.errors import InputError

    if rule is not None and rule not in {known.id for known in RULES}:
        raise InputError(f"There is no rule {rule}.", f"Rules: {', '.join(known.id for known in RULES)}.")
    with readable_files(file) as (read,):
        toolsets = read_toolsets(read)
    found = [item for toolset in toolsets for item in check_toolset(toolset) if rule in (None, item.rule)]
    remarks = [remark for toolset in toolsets for remark in toolset.remarks]
    errors = sum(item.severity is Severity.ERROR for item in found)
    tools = sum(len(toolset.tools) for toolset in toolsets)
    if json:
        print_json(
            {
                "toolsets": len(toolsets),
                "tools": tools,
                "errors": errors,
                "findings": found,
                "remarks": remarks,
            }
        )
    else:
        print_table(
            ["toolset", "tool", "where", "severity", "rule", "message"],
            [[f.toolset, f.tool, f.path, f.severity, f.rule, f.message] for f in found]
            + [
                [r.where, "", "", "info", r.remark.value, _remark_words(r.remark.value, r.detail)]
                for r in remarks
            ],
        )
        counts = counted(len(toolsets), "toolset"), counted(tools, "tool")
        more = counted(len(found), "finding"), counted(errors, "error")
        say(f"{', '.join(counts + more)}.")
    if errors:
        raise typer.Exit(3)


def _remark_words(remark: str, detail: str) -> str:
    return {
        "external_reference": f"{detail} lies elsewhere and is not fetched; any object is accepted there.",
        "broken_reference": f"{detail} leads nowhere; anything is accepted there.",
        "cycle": f"{detail} repeats itself; it is written out once.",
        "too_large": "The schema is too large; its deepest parts are left out.",
        "renamed": f"{detail} is no name a model can call; it was changed.",
        "repeated_name": f"{detail} more of the same name; the last one stays.",
    }[remark]
