"""Accepting what a finding proposes: the edit that settles it."""

from collections.abc import Callable
from dataclasses import dataclass

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
from scoring.errors import InputError, existing, reworded
from scoring.model.case import AskedTool, Call, Case
from scoring.model.labels import Finding
from scoring.model.taxonomy import EdgeKind, Information, Policy


@dataclass(frozen=True)
class _Repair:
    """The edit of a task that settles the findings of a rule; it takes the number of a step, too.

    `needs_value` says that it puts in what the finding proposes, `needs_step` that it is one of a step.
    """

    edit: Callable[[Case, int, int, Finding], Case]
    needs_value: bool = True
    needs_step: bool = True


def has_proposal(finding: Finding) -> bool:
    """Whether `apply_proposal` knows an edit that settles a finding."""
    repair = _REPAIRS.get(finding.rule)
    return repair is not None and not (repair.needs_value and finding.proposal is None)


def apply_proposal(case: Case, finding: Finding) -> Case:
    """Make the edit a finding proposes; called when a person accepts it, never by itself.

    Args:
        case: The case the finding was noticed in.
        finding: A finding that `has_proposal`.

    Raises:
        InputError: The finding proposes nothing, or the case is another one by now.
        GraphError: The proposed dependency closes a circle with one drawn meanwhile.
    """
    task, step, repair = finding.task, finding.step, _REPAIRS.get(finding.rule)
    if repair is None or not has_proposal(finding) or task is None:
        raise _nothing_proposed(finding)
    if repair.needs_step and step is None:
        raise InputError(f"{finding.rule} names no step.", finding.settle)
    return repair.edit(case, task, step or 0, finding)


def _nothing_proposed(finding: Finding) -> InputError:
    return InputError(f"Nothing is proposed for {finding.rule} at {finding.where}.", finding.settle)


def _renamed(case: Case, task: int, step: int, finding: Finding) -> Case:
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


def _with_edge(case: Case, task: int, _: int, finding: Finding) -> Case:
    source, target = existing(finding.edge, _nothing_proposed(finding))
    if finding.rule == "graph.redundant_edge":
        return remove_edge(case, task, source=source, target=target)
    return add_edge(case, task, source=source, target=target, kind=EdgeKind.PARAMETER)


_REPAIRS = {
    **dict.fromkeys(
        ("args.missing", "args.type", "args.enum", "args.differs"),
        _Repair(
            lambda case, task, step, found: set_argument_value(
                case, task, step=step, path=found.path or "", value=found.proposal
            )
        ),
    ),
    "args.default": _Repair(
        lambda case, task, step, found: remove_argument(case, task, step=step, path=found.path or ""),
        needs_value=False,
    ),
    "args.undefined": _Repair(_renamed),
    "call.unknown_tool": _Repair(
        lambda case, task, step, found: set_tool(case, task, step=step, name=str(found.proposal))
    ),
    "ask.no_parameter": _Repair(
        lambda case, task, step, found: set_ask(case, task, step=step, asks_for=_asked(found.proposal))
    ),
    "graph.missing_edge": _Repair(_with_edge, needs_step=False),
    "graph.redundant_edge": _Repair(_with_edge, needs_value=False, needs_step=False),
    "graph.answer_early": _Repair(
        lambda case, task, _, __: redraw_answer(case, task), needs_value=False, needs_step=False
    ),
    "policy.differs": _Repair(
        lambda case, task, _, found: set_policy(case, task, policy=Policy(str(found.proposal))),
        needs_step=False,
    ),
    "information.differs": _Repair(
        lambda case, task, _, found: set_information(
            case, task, information=Information(str(found.proposal))
        ),
        needs_step=False,
    ),
}
"""What settles the findings of each rule."""
