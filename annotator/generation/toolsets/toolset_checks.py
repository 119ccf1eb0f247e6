"""What a toolset lacks: every rule, asked of every tool and parameter."""

from dataclasses import replace

from annotator.generation.toolsets.parameter_rules import PARAMETER_RULES
from annotator.generation.toolsets.tool_rules import PAIR_RULES, TOOL_RULES
from annotator.generation.toolsets.toolset_files import FoundToolset
from annotator.generation.toolsets.toolset_findings import Rule, RuleHit, ToolsetFinding, parts_of

RULES = (*TOOL_RULES, *PARAMETER_RULES, *PAIR_RULES)
"""Every rule; an id is stable, since lists of findings are compared over time."""


def check_toolset(found: FoundToolset) -> tuple[ToolsetFinding, ...]:
    """Everything a toolset lacks, tool by tool, then what concerns two tools."""
    made: list[ToolsetFinding] = []
    for tool in found.tools:
        places = tuple(parts_of(tool))
        for rule in RULES:
            hits = [rule.of_tool(tool)] if rule.of_tool else []
            if rule.of_part:
                parts = ((place, rule.of_part(place)) for place in places)
                hits += [replace(hit, path=place.path) for place, hit in parts if hit]
            made += [_finding(rule, found, tool.name, hit) for hit in hits if hit]
    pairs = ((rule, *said) for rule in RULES if rule.of_toolset for said in rule.of_toolset(found))
    return (*made, *(_finding(rule, found, name, hit) for rule, name, hit in pairs))


def _finding(rule: Rule, found: FoundToolset, tool: str, hit: RuleHit) -> ToolsetFinding:
    return ToolsetFinding(
        rule=rule.id,
        severity=rule.severity,
        toolset=found.toolset.name,
        tool=tool,
        path=hit.path,
        message=rule.message.format(detail=hit.detail),
        settle=rule.settle,
        other=hit.other,
        proposal=hit.proposal,
    )
