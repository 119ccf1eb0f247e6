"""How things are said on screen: the closed sets, moments, and texts that could deceive a reader."""

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from html import escape
from typing import Any

from PySide6.QtCore import QCollator, QDate, QLocale
from PySide6.QtGui import Qt

from scoring import wording
from scoring.generics import T
from scoring.model.taxonomy import (
    EdgeKind,
    FeedbackCategory,
    Policy,
    Priority,
    Role,
    Stage,
    Verdict,
)
from scoring.texts import tr
from ui.theme.tokens import Tone


def in_words(words: Mapping[T, str]) -> Mapping[T, str]:
    """Words of the floors below in the language of the window."""
    return {key: tr(word) for key, word in words.items()}


def name_key(name: str) -> Any:
    """What names are sorted by: in a Chinese window by their pinyin, else by their letters in any case."""
    return QCollator().sortKey(name) if QLocale().language() == QLocale.Language.Chinese else name.casefold()


POLICY = in_words(wording.POLICY)
INFORMATION = in_words(wording.INFORMATION)
EDGE_KIND = {**in_words(wording.EDGE_KIND), EdgeKind.PARAMETER: tr("parameter")}
REVIEW = in_words(wording.REVIEW)
LOADING = tr("Loading …")
UNREAD = tr("Could not be read")
"""What stands where something is being read, and where that failed; where nothing is, each place says so."""
STATE_ICONS: Mapping[str, tuple[str, Tone | None]] = {
    LOADING: ("hourglass", None),
    UNREAD: ("warning-circle", Tone.ERROR),
}
"""The icon that stands above these words everywhere, and its colour."""

POLICY_SHORT: Mapping[Policy, str] = {
    Policy.SINGLE: tr("Single"),
    Policy.MULTI_SERIAL: tr("Serial"),
    Policy.MULTI_PARALLEL: tr("Parallel"),
    Policy.MULTI_MIXED: tr("Mixed"),
    Policy.CLARIFY: tr("Clarify"),
    Policy.CHAT: tr("Chat"),
}


PRIORITY: Mapping[str, str] = {
    Priority.HIGH: tr("High"),
    Priority.NORMAL: tr("Normal"),
    Priority.LOW: tr("Low"),
}
STAGE: Mapping[Stage, str] = {
    Stage.IMPORTED: tr("Imported"),
    Stage.SELF_CHECK_TASK: tr("Self-check, tasks"),
    Stage.SELF_CHECK_DIALOGUE: tr("Self-check, dialogue"),
    Stage.CROSS_CHECK: tr("Cross-check"),
    Stage.APPROVED: tr("Approved"),
    Stage.ESCALATED: tr("Escalated"),
    Stage.EXPERT: tr("Expert"),
    Stage.FINAL: tr("Final"),
    Stage.RELEASED: tr("Released", context="stage"),
    Stage.RETURNED: tr("Returned"),
    Stage.REJECTED: tr("Rejected"),
}


ROLE: Mapping[Role, str] = {
    Role.ANNOTATOR: tr("Annotator"),
    Role.EXPERT: tr("Expert"),
    Role.MANAGER: tr("Manager"),
}

VERDICT: Mapping[Verdict, str] = {
    Verdict.APPROVE: tr("Approve"),
    Verdict.RETURN: tr("Return"),
    Verdict.ESCALATE: tr("Escalate"),
    Verdict.REJECT: tr("Reject"),
}

FEEDBACK: Mapping[str, str] = {
    FeedbackCategory.INSUFFICIENT_EVIDENCE: tr("insufficient evidence"),
    FeedbackCategory.WRONG_DEPENDENCY: tr("wrong dependency"),
    FeedbackCategory.WRONG_VALUE: tr("wrong value"),
    FeedbackCategory.WRONG_TOOL: tr("wrong tool"),
    FeedbackCategory.UNNATURAL_LANGUAGE: tr("unnatural language"),
    FeedbackCategory.POLICY_MISMATCH: tr("policy mismatch"),
    FeedbackCategory.INFORMATION_MISMATCH: tr("information mismatch"),
    FeedbackCategory.INCOHERENT_DIALOGUE: tr("incoherent dialogue"),
    FeedbackCategory.WRONG_ANSWER: tr("wrong answer"),
    FeedbackCategory.OTHER: tr("other"),
}


def mistake_kinds(own: Iterable[str]) -> dict[str, str]:
    """What somebody can be told they did wrong, with its words: the shipped kinds, and a team's own."""
    return {**FEEDBACK, **{one: one for one in own}}


FINDING: Mapping[str, str] = {
    "call.unknown_tool": tr("Unknown tool"),
    "args.missing": tr("Argument missing"),
    "args.undefined": tr("Argument not defined"),
    "args.type": tr("Wrong type"),
    "args.enum": tr("Value not allowed"),
    "args.unsourced": tr("Value without a source"),
    "args.differs": tr("Value differs from its source"),
    "args.default": tr("Default restated"),
    "call.duplicate": tr("Call made twice"),
    "graph.missing_edge": tr("Dependency missing"),
    "graph.redundant_edge": tr("Dependency adds nothing"),
    "graph.answer_early": tr("Answer too early"),
    "policy.differs": tr("Policy differs from the drawing"),
    "information.differs": tr("Information differs from the evidence"),
    "observation.missing": tr("Observation missing"),
    "answer.missing": tr("Answer missing"),
    "answer.short": tr("Answer short"),
    "task.empty": tr("Task empty"),
    "ask.no_parameter": tr("Question without a parameter"),
    "thought.tool": tr("Thought names another tool"),
    "thought.value": tr("Thought says another value"),
    "thought.no_call": tr("Thought wants no call"),
    "text.untrusted": tr("Suspicious characters"),
}
"""What a rule is called; the card of a finding says more of it."""

_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR


def ago(then: datetime, now: datetime) -> str:
    """Say how long ago a moment was, e.g. `12 min ago`, `yesterday`, `2026-11-03`.

    Args:
        then: The moment, with a zone; one after `now` counts as now.
        now: The present, in the zone whose calendar decides what yesterday is.
    """
    seconds = max(0.0, (now - then).total_seconds())
    if seconds < _MINUTE:
        return tr("just now")
    if seconds < _HOUR:
        return tr("{int} min ago", int=int(seconds // _MINUTE))
    days = (now.date() - then.astimezone(now.tzinfo).date()).days
    if days == 0 or seconds < _HOUR * 6:
        return tr("{int} h ago", int=int(seconds // _HOUR))
    if days == 1:
        return tr("yesterday")
    if days < 7:
        return tr("{days} days ago", days=days)
    return f"{then.astimezone(now.tzinfo):%Y-%m-%d}"


def waited(since: datetime, now: datetime) -> str:
    """Say how long something has waited, e.g. `12 min ago`, `14 days ago`; arguments as for `ago`."""
    days = (now.date() - since.astimezone(now.tzinfo).date()).days
    return tr("{days:,} days ago", days=days) if days >= 7 else ago(since, now)


def day_words(day: date, form: str = "") -> str:
    """A day as the language says it, e.g. `9 Dec`; `form` is one of Qt's."""
    return QLocale().toString(QDate(day.year, day.month, day.day), form or tr("d MMM"))


def exactly(then: datetime, now: datetime) -> str:
    """Say a moment to the second, in the zone of `now`."""
    return f"{then.astimezone(now.tzinfo):%Y-%m-%d %H:%M:%S}"


def duration(seconds: float) -> str:
    """A time as people say it, e.g. `2 min 41 s`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return tr("{hours} h {minutes} min", hours=hours, minutes=minutes)
    return tr("{minutes} min {rest} s", minutes=minutes, rest=rest) if minutes else f"{rest} s"


_DIRECTION = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_TIP_LENGTH = 1_000
_SURROGATE = re.compile("[\ud800-\udfff]")
_PICTURES = {"\x7f": "\u2421", **{chr(code): chr(0x2400 + code) for code in range(0x20)}}
_SUSPECT = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_DIRECTION}\u2028\u2029\ufdd0-\ufdef\ufffe\uffff]")


def visible(text: str) -> str:
    """Replace control and direction characters by pictures of themselves.

    Args:
        text: Any text from a dialogue; lone surrogates are replaced too.

    Returns:
        A text of the same length that shows as it reads; line feeds and tabs stay.
    """
    if text.isascii() and text.isprintable():
        return text  # most cells of most tables
    return _SURROGATE.sub("\ufffd", _SUSPECT.sub(_picture, text))


def _picture(found: re.Match[str]) -> str:
    return _PICTURES.get(found[0], "␦")


def plain_tip(text: str) -> str:
    """A text from a dialogue as a tooltip that shows it, whatever markup it holds.

    Qt takes a tooltip that looks like HTML for HTML, and would load the pictures it names.

    Args:
        text: What to show; of long ones the first thousand characters are kept.
    """
    shown = visible(text if len(text) <= _TIP_LENGTH else text[:_TIP_LENGTH] + "…")
    if not Qt.mightBeRichText(shown):
        return shown
    return "<span>" + escape(shown).replace("\n", "<br>") + "</span>"
