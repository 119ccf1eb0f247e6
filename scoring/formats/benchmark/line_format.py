"""One description of a published line in two languages, by which it is read and written (formats 3-5)."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from scoring.formats import preserved_fields
from scoring.formats.benchmark.entries import KeyNames, PublishedLine, read_tasks, write_fields
from scoring.formats.case_fields import read_id, read_now, read_tools
from scoring.formats.outcome import Reading
from scoring.formats.remainder import with_remainder, without_remainder
from scoring.model.case import Case, Source, Task
from scoring.model.record import JsonObject
from scoring.model.taxonomy import CaseFormat, Information, Policy

CASE_ID = "case_id"
"""The key of a case's own id where `id` is the number of its line (formats 4)."""

Labels = tuple[Policy | None, Information | None]


def is_published_id(value: object) -> bool:
    """Whether an id is the number of a line of a WildToolBench file."""
    return isinstance(value, str) and re.fullmatch(r"wild_tool_bench_[0-9]+", value) is not None


def published_id(position: int) -> str:
    """The id that the released WildToolBench code expects in a line, counted from 0."""
    return f"wild_tool_bench_{position}"


@dataclass(frozen=True)
class LineFormat:
    """What makes one published format: its keys and its labels; the rest both formats share.

    Attributes:
        format: Its name.
        names: Field -> names its key may have, English ones first.
        usual_en: Field -> key we write for an English case, in the order of the format.
        usual_zh: The same for a Chinese case.
        read_labels: Reads policy and information of each task.
        write_labels: Writes them, by field.
    """

    format: CaseFormat
    names: KeyNames
    usual_en: Mapping[str, str]
    usual_zh: Mapping[str, str]
    read_labels: Callable[[PublishedLine, Sequence[Task]], list[Labels]]
    write_labels: Callable[[Case], JsonObject]

    def decode(self, record: JsonObject, *, file: str, line: int) -> Case:
        """Read one line.

        Args:
            record: The line as parsed.
            file: Name of the file it stands in.
            line: Its number, from 1.

        Raises:
            InputError: The line is no case, with the field and what is wrong with it.
        """
        return self.read(record, file=file, line=line).case

    def read(self, record: JsonObject, *, file: str, line: int) -> Reading:
        """Read one line as `decode` does, with the notes made on the way."""
        bare = self.bare(record)
        entry = PublishedLine(bare, self.names)
        case = with_remainder(self._case(entry, file=file, line=line), record, entry.notes)
        layout = entry.layout(self._usual(case.language))
        case = preserved_fields.remember(case, bare, format=self.format, layout=layout, write=self.write)
        return Reading(case=case, warnings=tuple(entry.notes))

    def encode(self, case: Case) -> JsonObject:
        """Write a case as a line, as its file had it where it came from one.

        Raises:
            InputError: A task has no answer yet.
        """
        return preserved_fields.recall(case, format=self.format, write=self.write, parse=self.parse)

    def parse(self, record: JsonObject, *, file: str, line: int) -> Case:
        """Read what a line says, as `decode` does, without noting what its file did its own way."""
        plain = self._case(PublishedLine(self.bare(record), self.names), file=file, line=line)
        return with_remainder(plain, record, [])

    def bare(self, record: JsonObject) -> JsonObject:
        """A line under the case's own id, without the part that its format cannot say."""
        bare = without_remainder(record)
        own_id = bare.get(CASE_ID)
        keeps_id = self.format is not CaseFormat.WILDTOOL or not isinstance(own_id, str)
        if keeps_id or not is_published_id(bare.get("id")):
            return bare
        return {key: own_id if key == "id" else value for key, value in bare.items() if key != CASE_ID}

    def write(self, case: Case, layout: JsonObject) -> JsonObject:
        """Write a case in our own way under a layout, without unknown keys."""
        return write_fields(case, self._usual(case.language), layout=layout, labels=self.write_labels(case))

    def _usual(self, language: str) -> Mapping[str, str]:
        return self.usual_en if language == "en" else self.usual_zh

    def _case(self, entry: PublishedLine, *, file: str, line: int) -> Case:
        tasks = read_tasks(entry)
        now, _ = read_now(entry.get("env"), entry.name("env"), len(tasks))
        return Case(
            id=read_id(entry.get("id"), file=file, line=line),
            language=entry.language,
            now=now,
            tools=read_tools(entry.get("tools"), entry.name("tools")),
            tasks=tuple(
                task.model_copy(update={"policy": policy, "information": information})
                for task, (policy, information) in zip(tasks, self.read_labels(entry, tasks), strict=True)
            ),
            source=Source(format=self.format, file=file, line=line),
        )
