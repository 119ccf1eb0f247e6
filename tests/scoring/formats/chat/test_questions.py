"""Telling a question of the assistant from an answer."""

import pytest

from scoring.formats.chat.questions import is_question

BEFORE_CALLS = [
    ("For which city?", True),
    ("您要哪一天？", True),
    ("Please provide the ID of the map.", True),
    ("Please also tell me the date.", True),
    ("I'll need the date of your trip.", True),
    ("Let me know which hotel you prefer.", True),
    ("请提供城市名称。", True),
    ("Could you give me the address", True),
    ("Oslo is the capital of Norway.", False),
    ("Done, enjoy your trip.", False),
    ("", False),
]
AFTER_CALLS = [
    ("I found two flights. Which one?", True),
    ("Which **one?**", True),
    ("共有两家酒店。订哪一家？", True),
    ("Booked. Is there anything else I can do?", False),
    ("Done. Can I help you with something?", False),
    ("已预订。还有什么需要吗？", False),
    ("Is it far? No, two minutes.", False),
    ("Please provide feedback at any time.", False),
]


@pytest.mark.parametrize(("text", "asks"), BEFORE_CALLS)
def test_before_any_call_a_request_for_information_is_a_question(text: str, *, asks: bool) -> None:
    assert is_question(text, after_calls=False) is asks


@pytest.mark.parametrize(("text", "asks"), AFTER_CALLS)
def test_after_calls_only_a_final_question_that_offers_nothing_is_one(text: str, *, asks: bool) -> None:
    assert is_question(text, after_calls=True) is asks
