"""Little, usual or much of what dialogs show."""

from datetime import UTC, datetime
from enum import IntEnum
from pathlib import Path

from annotator.release.freeze import ReleaseRow
from annotator.review.queue.case_rows import BatchRow
from scoring.model.case import Case
from tests.factories import answer, call, case, task, tool

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


class Amount(IntEnum):
    """How much there is to show."""

    LITTLE = 0
    USUAL = 1
    MUCH = 2


def count_of(amount: Amount, *, usual: int, much: int) -> int:
    """How many of something there are."""
    return (0, usual, much)[amount]


def name_of(amount: Amount, number: int, *, stem: str) -> str:
    """A name: a short one, or one that no column has room for."""
    if amount is Amount.MUCH:
        return (
            f"{stem}_{number:02}_of_the_second_delivery_of_november_2026_with_every_long_dialogue_{'x' * 20}"
        )
    return f"{stem}-{number:02}"


def people(amount: Amount) -> list[str]:
    """Names of people."""
    if amount is Amount.MUCH:
        return [
            "Wilhelmina-Alexandra " + "von und zu " * 6 + "Hohenfels",
            *(f"ann-{n}" for n in range(2, 31)),
        ]
    return [f"ann-{number}" for number in range(1, 1 + count_of(amount, usual=4, much=30))]


def batches(amount: Amount) -> list[BatchRow]:
    """The batches of a project."""
    return [
        BatchRow(number, name_of(amount, number, stem="batch"), NOON, False, 100 * number, {})
        for number in range(1, 1 + count_of(amount, usual=3, much=40))
    ]


def paths(amount: Amount, *, stem: str) -> list[Path]:
    """Files in a folder, or deep in many."""
    folder = Path("/srv/annotation/deliveries") / ("2026-11-20-second-delivery/" * 6 if amount > 1 else "")
    return [
        folder / f"{name_of(amount, number, stem=stem)}.jsonl"
        for number in range(1, 1 + count_of(amount, usual=2, much=20))
    ]


def releases(amount: Amount) -> list[ReleaseRow]:
    """The releases of a project."""
    return [
        ReleaseRow(
            number,
            name_of(amount, number, stem="release"),
            NOON,
            "ann",
            "0" * 64,
            100,
            f"/srv/{number}",
            "{}",
        )
        for number in range(1, 1 + count_of(amount, usual=2, much=40))
    ]


def long_case(amount: Amount) -> Case:
    """A case of so many rounds."""
    long = "Please send the parcel with the number P-881 on to the depot in Hamar. " * (1 + 20 * (amount > 1))
    tasks = [
        task(call("reroute", {"ok": True}, depot="Hamar-7"), answer(long), user=f"{number}: {long}")
        for number in range(1 + count_of(amount, usual=3, much=40))
    ]
    return case(*tasks, tools=[tool("reroute", depot={"type": "string"})])
