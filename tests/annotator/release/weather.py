"""A case about weather, and what a run over it is worth."""

from pathlib import Path

from annotator.jobs import JobContext
from annotator.release.runs.evaluation import evaluate
from scoring.model.case import Case
from scoring.scorecard import Scorecard
from tests.factories import answer, ask, call, case, task, tool

KEY = "sk-secret-0123456789"


def weather(number: int = 1) -> Case:
    """A parallel task, a task with a question, and a chat: 2 + 3 + 1 replies of a perfect agent."""
    city = f"City {number}"
    return case(
        task(
            call("getForecast", {"sky": "grey"}, city=city),
            call("getTime", "9:00", city=city),
            answer("Grey at nine."),
            user=f"Weather and time in {city}?",
        ),
        task(
            ask("Which day?", "Sunday"),
            call("getForecast", "blue", city=city),
            answer("Blue."),
            user="And later?",
            edges=[(0, 1)],
        ),
        task(answer("Bye!"), user="Thanks!"),
        id=f"c-{number}",
        tools=[tool("getForecast", city={"type": "string"}), tool("getTime", city={"type": "string"})],
        now="2026-03-11 09:20:00",
    )


def scored(cases: list[Case], out: Path) -> Scorecard:
    return evaluate(cases, [out], context=JobContext())
