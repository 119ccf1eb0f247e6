"""Candidate requests: which of them may be used, and which one a rule picks (generation 3.2, 3.3)."""

from collections.abc import Callable, Sequence

from annotator.cases.findings.thought_findings import is_technical
from annotator.generation.checks.diversity import NEAR, UsedRequests, likeness, pairs_of
from annotator.generation.plan import Chooser, Toolset
from annotator.generation.records import ReplyFault, ReplyVerdict

KEPT_NEAR_DUPLICATE = "near duplicate"
"""Reason of a verdict that accepts what it would refuse, since the model knows nothing else."""


def candidate_check(
    toolset: Toolset,
    *,
    earlier: Sequence[str],
    used: UsedRequests | None,
    chooser: Chooser,
    is_last_try: Callable[[], bool],
) -> Callable[[tuple[str, ...]], ReplyVerdict]:
    """What judges the candidates of one request.

    A candidate that names a tool, or is nearly what was asked before, is refused; all of them together
    are, where none is left. The rule picks the one least like the earlier first requests of the toolset.

    Args:
        toolset: What the dialogue may call.
        earlier: Requests of the dialogue before.
        used: First requests of the run; None for a later task, whose likes are natural.
        chooser: Who picks; a person does so later.
        is_last_try: Whether a near duplicate is better than no dialogue; its verdict says so.
    """
    before = [pairs_of(text) for text in earlier]
    names = [tool.name for tool in toolset.tools if is_technical(tool.name)]

    def check(texts: tuple[str, ...]) -> ReplyVerdict:
        silent = [i for i, text in enumerate(texts) if not any(name in text for name in names)]
        if not silent:
            return ReplyVerdict(
                faults=(ReplyFault.TOOL_NAMED,), reason="every request names a tool; say it in plain words"
            )
        fresh = [i for i in silent if not any(likeness(pairs_of(texts[i]), one) >= NEAR for one in before)]
        known = used if fresh else None
        best, nearest = known.freshest(toolset.name, [texts[i] for i in fresh]) if known else (0, 0.0)
        is_near = not fresh or nearest >= NEAR
        if is_near and not is_last_try():
            return ReplyVerdict(
                faults=(ReplyFault.NEAR_DUPLICATE,),
                reason="the requests are nearly those that were made before; invent others",
            )
        chosen = (fresh or silent)[best]
        return ReplyVerdict(
            chosen=None if chooser is Chooser.PERSON else chosen,
            reason=KEPT_NEAR_DUPLICATE if is_near else "",
        )

    return check
