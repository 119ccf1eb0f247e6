"""Telling a clarifying question from a final answer in a recorded chat (formats 10.1)."""

import re

_ASKING = re.compile(
    r"\bplease (?:also )?(?:provide|tell|specify|confirm|share|give|clarify|let me know)\b"
    r"|\bplease (?:also )?(?:enter|choose|select|indicate)\b"
    r"|\b(?:could|can|would|may) (?:you|i)\b"
    r"|\bi(?:'ll| will)? (?:also )?need (?:the|your|to know)\b"
    r"|\blet me know (?:the|your|which|what|when|where|who|how)\b"
    r"|请(?:提供|告诉|告知|问|说明|确认|指定|选择|输入)",
    re.IGNORECASE,
)
_CLOSING_OFFER = re.compile(
    r"\b(?:anything|something) else\b|\bfurther (?:help|assist|question)|\b(?:help|assist) you\b"
    r"|\bmore (?:help|questions)\b|\belse (?:i|you)\b|还有(?:什么|其他|别的)|其他(?:问题|需要|帮助)",
    re.IGNORECASE,
)
_TRAILING = " \t\r\n*_`\"'”’)）]】"


def is_question(text: str, *, after_calls: bool) -> bool:
    """Whether an assistant text asks the user for something the task needs to go on.

    Before any call of the task a question mark or a request for information is enough. After calls most
    texts report results, so only one that ends in a question mark and is no offer of more help counts.

    Args:
        text: The assistant's text.
        after_calls: Whether the task has called tools already.
    """
    if after_calls:
        ends_asking = text.rstrip(_TRAILING).endswith(("?", "？"))
        return ends_asking and not _CLOSING_OFFER.search(text.rstrip(_TRAILING).splitlines()[-1])
    return "?" in text or "？" in text or bool(_ASKING.search(text))
