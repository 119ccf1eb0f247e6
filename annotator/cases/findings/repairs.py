"""Accepting what a finding proposes: the edit that settles it."""

from pydantic import JsonValue, ValidationError

from annotator.cases.edits.edge_edits import add_edge, redraw_answer, remove_edge
from annotator.cases.edits.text_edits import (
    remove_argument,
    set_argument_value,
    set_arguments,
    set_ask,
    set_information,
    set_policy,
    set_tool,
)
from annotator.cases.places import step_of_kind
from annotator.cases.pointers import keys_of
from scoring.errors import InputError, reworded
from scoring.model.case import AskedTool, Call, Case
from scoring.model.labels import Finding
from scoring.model.taxonomy import EdgeKind, Information, Policy

_WITHOUT_VALUE = ("args.default", "graph.redundant_edge", "graph.answer_early")
_VALUES = ("args.missing", "args.type", "args.enum", "args.differs")
_WITH_VALUE = (
    *_VALUES,
    "args.undefined",
    "call.unknown_tool",
    "graph.missing_edge",
    "policy.differs",
    "information.differs",
    "ask.no_parameter",
)


def has_proposal(finding: Finding) -> bool:
    """Whether `apply_proposal` knows an edit that settles a finding."""
    return finding.rule in _WITHOUT_VALUE or (finding.proposal is not None and finding.rule in _WITH_VALUE)


def apply_proposal(case: Case, finding: Finding) -> Case:
    """Make the edit a finding proposes; called when a person accepts it, never by itself.

    Args:
        case: The case the finding was noticed in.
        finding: A finding that `has_proposal`.

    Raises:
        InputError: The finding proposes nothing, or the case is another one by now.
        GraphError: The proposed dependency closes a circle with one drawn meanwhile.
    """
    task, step = finding.task, finding.step
    if not has_proposal(finding) or task is None:
        raise InputError(f"Nothing is proposed for {finding.rule} at {finding.where}.", finding.settle)
    if finding.edge is not None:
        source, target = finding.edge
        if finding.rule == "graph.redundant_edge":
            return remove_edge(case, task, source=source, target=target)
        return add_edge(case, task, source=source, target=target, kind=EdgeKind.PARAMETER)
    if finding.rule == "graph.answer_early":
        return redraw_answer(case, task)
    if finding.rule == "policy.differs":
        return set_policy(case, task, policy=Policy(str(finding.proposal)))
    if finding.rule == "information.differs":
        return set_information(case, task, information=Information(str(finding.proposal)))
    if step is None:
        raise InputError(f"{finding.rule} names no step.", finding.settle)
    return _in_step(case, task, step, finding=finding)


def _in_step(case: Case, task: int, step: int, *, finding: Finding) -> Case:
    path = finding.path or ""
    if finding.rule in _VALUES:
        return set_argument_value(case, task, step=step, path=path, value=finding.proposal)
    if finding.rule == "args.default":
        return remove_argument(case, task, step=step, path=path)
    if finding.rule == "args.undefined":
        return _renamed(case, task, step, finding=finding)
    if finding.rule == "call.unknown_tool":
        return set_tool(case, task, step=step, name=str(finding.proposal))
    return set_ask(case, task, step=step, asks_for=_asked(finding.proposal))


def _renamed(case: Case, task: int, step: int, *, finding: Finding) -> Case:
    call = step_of_kind(case, task, step=step, kind=Call)
    changed = _with_renamed_key(call.arguments, keys_of(finding.path or ""), str(finding.proposal))
    return set_arguments(case, task, step=step, arguments=changed if isinstance(changed, dict) else {})


def _with_renamed_key(value: JsonValue, keys: tuple[str, ...], name: str) -> JsonValue:
    if isinstance(value, list) and keys and keys[0].isdecimal() and len(keys) > 1:
        position = int(keys[0])
        return [_with_renamed_key(v, keys[1:], name) if i == position else v for i, v in enumerate(value)]
    if not isinstance(value, dict) or not keys or keys[0] not in value:
        raise InputError("The argument to rename is gone.", "Check the case again.")
    if len(keys) == 1:
        if name in value:
            raise InputError(f"The call has an argument {name!r} already.", "Remove one of the two.")
        return {name if key == keys[0] else key: inner for key, inner in value.items()}
    return {k: _with_renamed_key(v, keys[1:], name) if k == keys[0] else v for k, v in value.items()}


def _asked(proposal: JsonValue) -> tuple[AskedTool, ...]:
    with reworded(
        ValidationError,
        into=lambda _: InputError("The proposal names no tools.", "Fill in the question by hand."),
    ):
        return (
            tuple(AskedTool.model_validate(item) for item in proposal) if isinstance(proposal, list) else ()
        )
