"""The five roles, what each is asked for, and the relation patterns of later tasks (generation 1, 3)."""

from collections.abc import Mapping
from enum import StrEnum

from scoring.model.taxonomy import Information

ROLE_HEADER = "X-Annotator-Role"
"""Header of every request, so that gateways can route and account by role."""


class AgentRole(StrEnum):
    """Who speaks, as the header says it."""

    USER = "user"
    PLANNER = "planner"
    TOOL = "tool"
    AGENT = "agent"
    CHECKER = "checker"


class RequestKind(StrEnum):
    """What a role is asked for; the values are the names of the published capture files (formats 7)."""

    SINGLE = "user_single_tool"
    SERIAL = "user_multi_tool"
    PARALLEL = "user_multi_tool_parallel"
    MIXED = "user_multi_tool_serial_parallel"
    CLARIFY = "user_ask"
    CHAT = "user_chat"
    NEXT_TASK = "user_continue_question"
    FULL_ANSWER = "user_answer_ask"
    VAGUE_ANSWER = "user_vague_answer_ask"
    PLAN = "planner"
    CHECK_PLAN = "llm_parallel_checker"
    CHOOSE = "candidate_chooser"
    OBSERVE = "tool"
    QUESTION = "agent_ask"
    SUMMARY = "agent_answer"
    DIRECT_ANSWER = "agent_answer_chat"

    @property
    def role(self) -> AgentRole:
        """Who is asked for it."""
        return _ROLES.get(self, AgentRole.USER)


_ROLES: Mapping[RequestKind, AgentRole] = {
    RequestKind.PLAN: AgentRole.PLANNER,
    RequestKind.CHECK_PLAN: AgentRole.CHECKER,
    RequestKind.CHOOSE: AgentRole.CHECKER,
    RequestKind.OBSERVE: AgentRole.TOOL,
    RequestKind.QUESTION: AgentRole.AGENT,
    RequestKind.SUMMARY: AgentRole.AGENT,
    RequestKind.DIRECT_ANSWER: AgentRole.AGENT,
}

REQUESTS = frozenset(ask for ask in RequestKind if ask.role is AgentRole.USER) - {
    RequestKind.FULL_ANSWER,
    RequestKind.VAGUE_ANSWER,
}
"""What brings candidates for a request of the user."""

MULTI_ASKS = (RequestKind.SERIAL, RequestKind.PARALLEL, RequestKind.MIXED)
"""The first-task generators one is drawn of where several calls are wanted."""


class Relation(StrEnum):
    """How a later task leans on the dialogue before it: 22 patterns (generation 3.4)."""

    ORDINAL = "ordinal_from_start"
    ORDINAL_FROM_END = "ordinal_from_end"
    WHICH = "which_of_them"
    ABBREVIATION = "abbreviation"
    DESCRIPTION = "description"
    NO_SUBJECT = "omitted_subject"
    NO_ATTRIBUTE = "omitted_attribute"
    NO_MODIFIER = "omitted_modifier"
    NO_SEVERAL = "omitted_several"
    PRONOUN = "pronoun"
    DEMONSTRATIVE = "demonstrative"
    ADDED_SUBJECT = "added_subject"
    ADDED_RESTRICTION = "added_restriction"
    CORRECTION = "corrected_element"
    REPHRASED = "rephrased_with_change"
    MORE_ITEMS = "more_items"
    MORE_DETAIL = "more_detail"
    SHORTER = "shorter"
    EXAMPLE = "an_example"
    CONTINUATION = "continue"
    NEIGHBOUR = "neighbouring_topic"
    RETURN = "return_to_earlier_task"

    @property
    def information(self) -> Information | None:
        """The information type it stands for; None for a neighbouring topic, which people label."""
        if self is Relation.NEIGHBOUR:
            return None
        if self in _REFERENCES:
            return Information.REFERENCE
        return Information.LONG_RANGE if self is Relation.RETURN else Information.OMISSION


_REFERENCES = frozenset(
    {
        Relation.ORDINAL,
        Relation.ORDINAL_FROM_END,
        Relation.WHICH,
        Relation.ABBREVIATION,
        Relation.DESCRIPTION,
        Relation.PRONOUN,
        Relation.DEMONSTRATIVE,
    }
)

FIRST_LONG_RANGE_TASK = 2
"""Tasks before this one (from 0) never return to an earlier one: there is only the previous."""


def relations_for(information: Information | None, *, task: int) -> tuple[Relation, ...]:
    """The patterns a later task may follow.

    Args:
        information: The wanted type; None for any.
        task: Number of the task, from 0.
    """
    return tuple(
        relation
        for relation in Relation
        if (information is None or relation.information is information)
        and (relation is not Relation.RETURN or task >= FIRST_LONG_RANGE_TASK)
    )
