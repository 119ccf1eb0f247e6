"""How the closed sets are called on screen."""

from collections.abc import Mapping

from scoring.model.taxonomy import (
    EdgeKind,
    FeedbackCategory,
    Policy,
    ReviewLabel,
    Role,
    Stage,
    Verdict,
)
from scoring.wording import INFORMATION as INFORMATION
from scoring.wording import POLICY as POLICY
from scoring.wording import counted as counted

POLICY_SHORT: Mapping[Policy, str] = {
    Policy.SINGLE: "Single",
    Policy.MULTI_SERIAL: "Serial",
    Policy.MULTI_PARALLEL: "Parallel",
    Policy.MULTI_MIXED: "Mixed",
    Policy.CLARIFY: "Clarify",
    Policy.CHAT: "Chat",
}

EDGE_KIND: Mapping[EdgeKind, str] = {
    EdgeKind.PARAMETER: "parameter",
    EdgeKind.LOGICAL: "logical",
    EdgeKind.DERIVED: "into the answer",
}


REVIEW: Mapping[ReviewLabel, str] = {
    ReviewLabel.SUCCESS: "Success",
    ReviewLabel.INTERNAL: "Internal error",
    ReviewLabel.INPUT: "Input error",
    ReviewLabel.IRRELEVANT: "Irrelevant response",
    ReviewLabel.UNABLE: "Unable to accomplish",
}


STAGE: Mapping[Stage, str] = {
    Stage.IMPORTED: "Imported",
    Stage.SELF_CHECK_TASK: "Self-check, tasks",
    Stage.SELF_CHECK_DIALOGUE: "Self-check, dialogue",
    Stage.CROSS_CHECK: "Cross-check",
    Stage.APPROVED: "Approved",
    Stage.ESCALATED: "Escalated",
    Stage.EXPERT: "Expert",
    Stage.FINAL: "Final",
    Stage.RELEASED: "Released",
    Stage.RETURNED: "Returned",
    Stage.REJECTED: "Rejected",
}


ROLE: Mapping[Role, str] = {
    Role.ANNOTATOR: "Annotator",
    Role.EXPERT: "Expert",
    Role.MANAGER: "Manager",
}

VERDICT: Mapping[Verdict, str] = {
    Verdict.APPROVE: "Approve",
    Verdict.RETURN: "Return",
    Verdict.ESCALATE: "Escalate",
    Verdict.REJECT: "Reject",
}

FEEDBACK: Mapping[FeedbackCategory, str] = {
    FeedbackCategory.INSUFFICIENT_EVIDENCE: "insufficient evidence",
    FeedbackCategory.WRONG_DEPENDENCY: "wrong dependency",
    FeedbackCategory.WRONG_VALUE: "wrong value",
    FeedbackCategory.WRONG_TOOL: "wrong tool",
    FeedbackCategory.UNNATURAL_LANGUAGE: "unnatural language",
    FeedbackCategory.POLICY_MISMATCH: "policy mismatch",
    FeedbackCategory.INFORMATION_MISMATCH: "information mismatch",
    FeedbackCategory.INCOHERENT_DIALOGUE: "incoherent dialogue",
    FeedbackCategory.WRONG_ANSWER: "wrong answer",
    FeedbackCategory.OTHER: "other",
}
