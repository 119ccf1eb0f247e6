"""The names of the automatic checks; a list of words, so that showing them loads no check."""

RULES = (
    "call.unknown_tool",
    "args.missing",
    "args.undefined",
    "args.type",
    "args.enum",
    "args.unsourced",
    "args.differs",
    "args.default",
    "call.duplicate",
    "graph.missing_edge",
    "graph.redundant_edge",
    "graph.answer_early",
    "policy.differs",
    "information.differs",
    "observation.missing",
    "answer.missing",
    "answer.short",
    "task.empty",
    "ask.no_parameter",
    "thought.tool",
    "thought.value",
    "thought.no_call",
    "text.untrusted",
)
"""Every rule id `checking.check_case` can give; stable, since waivers name them."""

ERROR_RULES = frozenset(
    {
        "call.unknown_tool",
        "args.missing",
        "args.undefined",
        "args.type",
        "args.enum",
        "policy.differs",
        "answer.missing",
        "task.empty",
    }
)
"""The rules whose findings are errors: they block a self-check until they are repaired or waived."""
