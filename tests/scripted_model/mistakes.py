"""Everything a model or its endpoint may do wrong, each by itself."""

from enum import StrEnum


class Mistake(StrEnum):
    """One thing that goes wrong with one reply."""

    # the endpoint
    RATE_LIMIT = "rate_limit"
    SERVER_ERROR = "server_error"
    DROPPED = "dropped"
    BAD_JSON = "bad_json"
    NO_CHOICE = "no_choice"
    SLOW = "slow"
    # any role
    EMPTY = "empty"
    CUT_OFF = "cut_off"
    PROSE_AROUND = "prose_around"
    NO_FENCE = "no_fence"
    TRAILING_COMMA = "trailing_comma"
    SINGLE_QUOTES = "single_quotes"
    BROKEN_JSON = "broken_json"
    # the user
    SAME_REQUESTS = "same_requests"
    ONE_REQUEST = "one_request"
    # the planner, by rule of the checker (generation 5.1)
    SAYS_SIMULATED = "says_simulated"
    SAYS_CHECKER = "says_checker"
    SAYS_PSEUDO_ACTION = "says_pseudo_action"
    NO_ACTION = "no_action"
    UNKNOWN_TOOL = "unknown_tool"
    UNKNOWN_ARGUMENT = "unknown_argument"
    EMPTY_ARGUMENT = "empty_argument"
    MISSING_ARGUMENT = "missing_argument"
    ASK_BESIDE_CALL = "ask_beside_call"
    ASK_FOR_UNKNOWN_TOOL = "ask_for_unknown_tool"
    ASK_FOR_OPTIONAL = "ask_for_optional"
    ANSWER_BESIDE_CALL = "answer_beside_call"
    BAD_ANSWER_TYPE = "bad_answer_type"
    CHAT_AFTER_RESULT = "chat_after_result"
    # the tool
    TOO_FEW_RESULTS = "too_few_results"
    NO_RESULTS = "no_results"
    # the checker
    OBJECTS = "objects"


OF_ENDPOINT = (
    Mistake.RATE_LIMIT,
    Mistake.SERVER_ERROR,
    Mistake.DROPPED,
    Mistake.BAD_JSON,
    Mistake.NO_CHOICE,
    Mistake.SLOW,
)
"""Mistakes that leave no message."""
OF_TEXT = (
    Mistake.EMPTY,
    Mistake.CUT_OFF,
    Mistake.PROSE_AROUND,
    Mistake.NO_FENCE,
    Mistake.TRAILING_COMMA,
    Mistake.SINGLE_QUOTES,
    Mistake.BROKEN_JSON,
)
"""Mistakes in how a message is written, whatever it says."""
OF_ROLE: dict[str, tuple[Mistake, ...]] = {
    "user": (Mistake.SAME_REQUESTS, Mistake.ONE_REQUEST),
    "planner": (
        Mistake.SAYS_SIMULATED,
        Mistake.SAYS_CHECKER,
        Mistake.SAYS_PSEUDO_ACTION,
        Mistake.NO_ACTION,
        Mistake.UNKNOWN_TOOL,
        Mistake.UNKNOWN_ARGUMENT,
        Mistake.EMPTY_ARGUMENT,
        Mistake.MISSING_ARGUMENT,
        Mistake.ASK_BESIDE_CALL,
        Mistake.ASK_FOR_UNKNOWN_TOOL,
        Mistake.ASK_FOR_OPTIONAL,
        Mistake.ANSWER_BESIDE_CALL,
        Mistake.BAD_ANSWER_TYPE,
        Mistake.CHAT_AFTER_RESULT,
    ),
    "tool": (Mistake.TOO_FEW_RESULTS, Mistake.NO_RESULTS),
    "agent": (),
    "checker": (Mistake.OBJECTS,),
}
"""Mistakes in what a role says."""
