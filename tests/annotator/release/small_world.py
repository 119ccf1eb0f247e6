"""Four dialogues and four runs written out letter by letter, so that every figure can be counted by hand."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from annotator.jobs import JobContext
from annotator.release.reports.score_tables import ScoreTable
from annotator.release.runs.evaluation import evaluate
from scoring.model.case import Case
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Information, Policy
from scoring.scorecard import Scorecard
from tests.factories import answer, ask, call, case, task, tool

LAYOUT = {
    "d-1": ("single", "parallel", "chat", "clarify"),
    "d-2": ("serial", "single", "single", "mixed"),
    "d-3": ("chat", "chat", "parallel", "serial"),
    "d-4": ("clarify", "mixed", "single", "chat"),
}
"""The policies of the tasks of each dialogue."""
HIDDEN = {
    "d-1": ("first", "omission", "reference", "long_range"),
    "d-2": ("first", "reference", "omission", "long_range"),
    "d-3": ("first", "omission", "long_range", "reference"),
    "d-4": ("first", "omission", "reference", "omission"),
}
ROUNDS: dict[str, tuple[str, ...]] = {
    "single": ("A",),
    "parallel": ("AB",),
    "serial": ("A", "B"),
    "mixed": ("A", "BC"),
    "clarify": ("?", "A"),
    "chat": (),
}
"""The calls of each round of the shortest solution, `?` for the question; an answer follows."""
STEPS = {"single": 2, "parallel": 3, "serial": 3, "mixed": 4, "clarify": 3, "chat": 1}
"""How many steps the gold solution of a task has, the answer included."""
RUNS = {
    "fast": "+s+w e+v+ +xR+ +s.+",
    "slow": "++++ ++v+ +++e +++i",
    "big": "+++v ++++ +xs+ w+++",
    "fast, requests and answers only": "++++ +R++ ++++ +w++",
}
"""What each run did with each task, dialogue by dialogue.

`+` right in the fewest rounds, `s` right with one call a round, `e` ended after the first round, `R` text at
once, `w` called a tool there is not, `x` called where only an answer was due, `v` a wrong value in the last
call, `i` failed outside the model, `.` no prediction.
"""
PRICES = {"prompt_price": 2, "completion_price": 10}
CARDS: dict[str, dict[str, Any]] = {
    "fast": {"family": "f", "size": 8, "kind": "open", "thinking": "off", **PRICES},
    "slow": {"family": "f", "size": 8, "kind": "open", "thinking": "on", **PRICES},
    "big": {"family": "f", "size": 32, "kind": "closed", "thinking": "off"},
}
UNTOLD = ("big", "d-4", 3)
"""A task whose replies do not say their tokens."""


@dataclass(frozen=True)
class Done:
    """One task as a run did it."""

    dialogue: str
    place: int
    policy: str
    hidden: str
    letter: str

    @property
    def is_right(self) -> bool:
        """Whether it counts as right."""
        return self.letter in "+s"

    @property
    def is_multi(self) -> bool:
        """Whether several calls are due."""
        return self.policy in ("parallel", "serial", "mixed")


def tasks_of(run: str) -> list[Done]:
    """Every task as a run did it."""
    return [
        Done(dialogue, place, policy, HIDDEN[dialogue][place], letter)
        for (dialogue, policies), letters in zip(LAYOUT.items(), RUNS[run].split(), strict=True)
        for place, (policy, letter) in enumerate(zip(policies, letters, strict=True))
    ]


def share(tasks: Sequence[Done], test: Callable[[Done], bool] = lambda task: task.is_right) -> str:
    """A share in percent with two decimals, ties up, and what it is made of."""
    return ratio(sum(map(test, tasks)), len(tasks))


def ratio(count: int, total: int) -> str:
    """A quotient in percent with two decimals, ties up, and what it is made of."""
    return f"{int(10_000 * count / total + 0.5) / 100:.2f} ({count}/{total})"


def gold() -> list[Case]:
    """The dialogues."""
    text: JsonObject = {"type": "string"}
    cases = []
    for dialogue, policies in LAYOUT.items():
        tasks = []
        for place, policy in enumerate(policies):
            steps: list[Any] = []
            edges: list[tuple[int, int]] = []
            before: list[int] = []
            for calls in ROUNDS[policy]:
                now = list(range(len(steps), len(steps) + len(calls)))
                steps += [
                    ask("Where?", "Oslo", about="A")
                    if name == "?"
                    else call(name, "fine", at=f"{dialogue}{place}")
                    for name in calls
                ]
                edges += [(one, other) for one in before for other in now]
                before = now
            name = f"multi_{policy}" if policy in ("parallel", "serial", "mixed") else policy
            tasks.append(
                task(
                    *steps,
                    answer("There."),
                    user=f"Request {place} of {dialogue}.",
                    edges=edges,
                    policy=Policy(name),
                    information=Information(HIDDEN[dialogue][place]),
                )
            )
        tools = [tool(name, at=text) for name in "ABC"]
        cases.append(case(*tasks, id=dialogue, tools=tools, now="2026-03-11 09:20:00"))
    return cases


def replies_of(done: Done) -> list[list[str] | str]:
    """The replies of a task, each the names of its calls or a text."""
    rounds = ROUNDS[done.policy]
    if done.letter in "Rxw":
        return ["There."] if done.letter == "R" else [["A"]] if done.letter == "x" else [["Z"]]
    if done.letter == "s":
        rounds = tuple("".join(rounds))
    if done.letter == "e":
        rounds = rounds[:1]
    return [*("Where?" if calls == "?" else list(calls) for calls in rounds), "There."]


def lines_of(run: str, *, protocol: str) -> list[dict[str, Any]]:
    """The predictions of a run: 100 tokens read and 10 written a reply, where it thinks 40."""
    model = run.partition(",")[0]
    lines: list[dict[str, Any]] = []
    for done in tasks_of(run):
        head: dict[str, Any] = {
            "case": done.dialogue,
            "task": done.place,
            "setting": {"model": model, "protocol": protocol},
            "model_card": {"model": model, **CARDS[model]},
        }
        if done.letter == "i":
            lines.append(head | {"error": {"kind": "timeout"}})
        if done.letter in "i.":
            continue
        said = replies_of(done)
        replies: list[dict[str, Any]] = []
        for number, one in enumerate(said):
            is_last_call = number == len(said) - 2
            at = "elsewhere" if done.letter == "v" and is_last_call else f"{done.dialogue}{done.place}"
            spent = {"prompt_tokens": 100, "completion_tokens": 40 if model == "slow" else 10}
            reply: dict[str, Any] = {"role": "assistant", "content": one if isinstance(one, str) else None}
            if (run, done.dialogue, done.place) != UNTOLD:
                reply |= {"usage": spent, "latency_seconds": 0.5}
            if not isinstance(one, str):
                reply["tool_calls"] = [
                    {
                        "id": f"{number}-{place}",
                        "type": "function",
                        "function": {"name": name, "arguments": json.dumps({"at": at})},
                    }
                    for place, name in enumerate(one)
                ]
            replies.append(reply)
        lines.append(head | {"replies": replies})
    return lines


def world(folder: Path) -> dict[str, Scorecard]:
    """The scorecards of all runs, scored from the files of their predictions."""
    cards = {}
    for number, run in enumerate(RUNS):
        protocol = "c2" if "," in run else "c3"
        file = folder / f"{number}.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines_of(run, protocol=protocol)))
        cards[run] = evaluate(gold(), [file], context=JobContext())
    return cards


def cell(tables: Sequence[ScoreTable], title: str, row: str, column: str) -> str:
    """One cell of a table by its title, its row and its column, whatever the rules it is for."""
    [table] = [one for one in tables if one.title.partition(" · ")[0] == title]
    place = [name.partition(" (protocol")[0] for name in table.columns].index(column)
    [found] = [line[place] for line in table.rows if line[0] == row]
    return found


def of(tasks: Sequence[Done], **wanted: object) -> list[Done]:
    """The tasks that have these values; of several places or policies any."""
    return [
        task
        for task in tasks
        if all(
            getattr(task, name) in value if isinstance(value, tuple) else getattr(task, name) == value
            for name, value in wanted.items()
        )
    ]


def main_type(task: Done) -> str:
    """The policy, those of several calls together."""
    return "multi" if task.is_multi else task.policy


def switches(task: Done) -> int:
    """How often the main type changes up to a task."""
    types = [
        main_type(Done(task.dialogue, place, one, "", "+")) for place, one in enumerate(LAYOUT[task.dialogue])
    ]
    return sum(a != b for a, b in pairwise(types[: task.place + 1]))
