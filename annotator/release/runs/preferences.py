"""Asking a judge model which of two runs answered a task better: each pair twice, in swapped order."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event

from pydantic import ValidationError

from annotator.files import appending, read_bytes
from annotator.jobs import JobContext
from annotator.llm import ChatClient, ModelError
from annotator.llm.budget import Budget, Spending
from annotator.llm.work_queue import FailureCount, WorkQueue
from annotator.release.runs.evaluation import evaluate, read_scorecard
from annotator.release.runs.reply_pairs import Question, ReplyPair
from scoring.agreement.preferences import ComparedTask, Preference, WinRate, preferred, win_rate
from scoring.errors import InputError, reworded
from scoring.golds import GoldSet
from scoring.measures.sample import Key
from scoring.model.record import Record, to_json
from scoring.predictions import Usage, read_reply
from scoring.prompt_protocol import without_thoughts
from scoring.scorecard import Scorecard

_LAST_LINE = re.compile(r"^\W*better\W+(1|2|tie)\W*$", re.IGNORECASE | re.MULTILINE)
_SAID = {"1": Preference.FIRST, "2": Preference.SECOND, "tie": Preference.TIE}


class PreferenceLine(Record):
    """Which of two runs' replies to a task is the better one, as a line of a file.

    A judge model's line has what it was asked (the hash of the request), by which it is known again, what it
    replied and took; `preference` is None where the reply names none. A person's line has a preference.
    """

    asked_sha256: str = ""
    case: str
    task: int
    first: str
    second: str
    preference: Preference | None
    model: str = ""
    person: str = ""
    reply: str = ""
    usage: Usage | None = None


class JudgeRun(Record):
    """How the asking stands: of `total` questions `answered` have an answer, `resumed` of these from before.

    `failed` questions failed outside the model in this sitting. Tokens are those of all sittings.
    """

    total: int
    resumed: int
    answered: int
    failed: int
    prompt_tokens: int
    completion_tokens: int
    dollars: float | None
    is_over_budget: bool


def read_preference(text: str) -> Preference | None:
    """What a judge model's reply says in its last such line; None where it says nothing."""
    found = _LAST_LINE.findall(without_thoughts(text)[0])
    return _SAID[found[-1].lower()] if found else None


def read_lines(path: Path) -> tuple[PreferenceLine, ...]:
    """The lines of a file of preferences, but for one torn by a kill; none where there is no file.

    Raises:
        InputError: It cannot be read, or a line is none of ours.
    """
    data = read_bytes(path, hint="Check the name.") if path.exists() else b""
    *lines, tail = data.split(b"\n")
    if tail and not tail.startswith(b'{"asked_sha256"'[: len(tail)]):
        lines.append(tail)
    with reworded(
        ValidationError,
        into=lambda exc: InputError(
            f"{path} is not a file of preferences: {exc.errors()[0]['msg']}.", "Name another file."
        ),
    ):
        return tuple(PreferenceLine.model_validate_json(line) for line in lines if line.strip())


def ask_judge(
    questions: Iterable[Question],
    client: ChatClient,
    *,
    out: Path,
    context: JobContext,
    budget: Budget | None = None,
    concurrency: int = 4,
) -> tuple[JudgeRun, Mapping[str, Preference | None]]:
    """Ask a judge model every question that has no answer yet, and append the answers to a file.

    Args:
        questions: What is asked; the same prompt is asked once.
        client: The judge model; it stays open.
        out: A `PreferenceLine` a line.
        context: Progress in questions, and cancellation, which keeps what was answered.
        budget: What it may take; answers that are in the file already count.
        concurrency: How many questions are asked at once.

    Returns:
        How it ended, and the answers by the hash of the question.

    Raises:
        InputError: The file is not one of preferences.
        ModelError: The endpoint cannot be used or keeps failing; the same call goes on later.
        BlockedError: There is a budget and the endpoint does not report tokens.
        JobCancelled: The context was cancelled.
        ConflictError, StoreError: See `appending`.
    """
    asked = {one.sha256(client): one for one in questions}
    spending = Spending(budget or Budget())
    failures = FailureCount("question")
    read_lines(out)  # a file of something else is refused before a torn line is cut off
    with appending(out) as write:
        before = [line for line in read_lines(out) if line.asked_sha256]
        for line in before:
            spending.add(line.usage)
        answers = {line.asked_sha256: line.preference for line in before if line.asked_sha256 in asked}
        counts = Counter(answered=len(answers), resumed=len(answers))
        todo = [item for item in asked.items() if item[0] not in answers]
        left = iter(todo)

        def ask(unit: tuple[str, Question], tell: Callable[[PreferenceLine | ModelError], None]) -> None:
            spending.check()
            try:
                line = _answer(*unit, client, stop=work.stop)
            except ModelError as exc:
                tell(exc)
                return
            spending.add(line.usage)
            tell(line)

        work: WorkQueue[tuple[str, Question], PreferenceLine | ModelError] = WorkQueue(
            lambda: next(left, None), ask, thread_count=min(concurrency, len(todo)), name="judge"
        )

        def keep(heard: Sequence[PreferenceLine | ModelError]) -> None:
            for one in heard:
                if isinstance(one, PreferenceLine):
                    write(to_json(one.model_dump(mode="json", exclude_defaults=True)))
                    answers[one.asked_sha256] = one.preference
                counts["failed" if isinstance(one, ModelError) else "answered"] += 1

        def look(heard: Sequence[PreferenceLine | ModelError]) -> None:
            for one in heard:
                failures.heard(one if isinstance(one, ModelError) else None)
            context.progress(counts["answered"] + counts["failed"], len(asked), "asking")

        work.run(keep, look, context=context)
    return JudgeRun(
        total=len(asked),
        resumed=counts["resumed"],
        answered=counts["answered"],
        failed=counts["failed"],
        prompt_tokens=spending.prompt_tokens,
        completion_tokens=spending.completion_tokens,
        dollars=spending.dollars,
        is_over_budget=work.is_over_budget,
    ), answers


def _answer(sha256: str, question: Question, client: ChatClient, *, stop: Event) -> PreferenceLine:
    completion = client.ask([{"role": "user", "content": question.prompt}], stop=stop)
    heard = read_reply({**completion.message, "usage": completion.usage})
    text = heard.content or ""
    return PreferenceLine(
        asked_sha256=sha256,
        case=question.key[0],
        task=question.key[1],
        first=question.first,
        second=question.second,
        preference=read_preference(text),
        model=client.endpoint.model,
        reply=text,
        usage=heard.usage,
    )


def run_hashes(
    gold: GoldSet, files: Mapping[str, Path], source: Path, *, context: JobContext
) -> dict[str, str]:
    """The name of each run by the hash its scorecards have of its predictions.

    Args:
        gold: The cases that were asked.
        files: The file of each run.
        source: The release folder or file the cases are from.
        context: Progress and cancellation.

    Raises:
        InputError: A file cannot be scored.
    """
    return {
        evaluate(gold, [file], context=context, source=source).predictions_sha256: name
        for name, file in files.items()
    }


def cards_of(folders: Sequence[Path], hashes: Mapping[str, str]) -> dict[Path, Scorecard]:
    """The scorecards of some folders, each of one of some runs.

    Raises:
        InputError: One cannot be read, or is of another run.
    """
    cards = {folder: read_scorecard(folder) for folder in folders}
    for folder, card in cards.items():
        if card.predictions_sha256 not in hashes:
            raise InputError(
                f"{folder} holds the scores of none of the runs.",
                f"Name folders of {', '.join(hashes.values())}.",
            )
    return cards


Compared = Mapping[str, Mapping[Key, ComparedTask]]
"""The compared tasks of each run but the baseline."""


def compared_tasks(
    pairs: Mapping[str, Mapping[Key, ReplyPair]],
    answers: Mapping[str, Preference | None],
    client: ChatClient,
) -> Compared:
    """What the answers say of every pair; equal replies are a tie that nobody was asked about."""
    return {
        run: {key: _compared(key, pair, answers, client) for key, pair in tasks.items()}
        for run, tasks in pairs.items()
    }


def _compared(
    key: Key, pair: ReplyPair, answers: Mapping[str, Preference | None], client: ChatClient
) -> ComparedTask:
    there, back = [answers.get(one.sha256(client)) for one in pair.questions] or [Preference.TIE] * 2
    return ComparedTask(
        case=key[0],
        task=key[1],
        preference=preferred(there, back),
        is_swayed=bool(there and back and there is not back.swapped),
        is_baseline_right=pair.baseline.score.is_correct,
        is_run_right=pair.run.score.is_correct,
    )


def win_rates(compared: Compared, *, tasks: int, baseline: str, judge: str) -> tuple[WinRate, ...]:
    """The win rate of each run against the baseline, as a judge model says; `tasks` is how many there are."""
    return tuple(
        win_rate(run, tuple(found.values()), missing=tasks - len(found)).model_copy(
            update={"baseline": baseline, "judge": judge}
        )
        for run, found in compared.items()
    )


def beside_people(
    lines: Sequence[PreferenceLine], compared: Compared, *, baseline: str
) -> Iterator[tuple[Preference | None, Preference | None]]:
    """The judge model's preference beside each person's of the same two replies.

    Raises:
        InputError: A line names other runs.
    """
    for line in lines:
        names = line.first, line.second
        if baseline not in names or (run := names[names[0] == baseline]) not in compared:
            raise InputError(
                f"{line.case}, task {line.task}: people compared {names[0]} with {names[1]}.",
                f"Name the baseline, {baseline}, and one of {', '.join(compared)}.",
            )
        task = compared[run].get((line.case, line.task))
        said = line.preference if names[0] == baseline else line.preference and line.preference.swapped
        yield task.preference if task else None, said
