"""What an import would find, before anything is imported: formats, first cases, what is lost or refused."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from annotator.cases.findings.checks import LISTED
from annotator.jobs import JobContext
from scoring.formats.case_reader import Rejected, read_cases
from scoring.formats.codecs import CODECS
from scoring.formats.dialects.known import DIALECTS
from scoring.model.record import Record
from scoring.model.taxonomy import CaseFormat
from scoring.wording import counted

_FIRST = 3
_LONGEST_REQUEST = 120
"""Characters of a request that are shown."""
_TITLES = {str(name): codec.title for name, codec in CODECS.items()}
_OURS = _TITLES[CaseFormat.NATIVE]
_LOST = {dialect.name: dialect.lost for dialect in DIALECTS}


class Reject(Record):
    """A line that did not land, or would not; lines count from 1."""

    file: str
    line: int
    reason: str


class RecognisedFormat(Record):
    """A format that was recognised, how many cases are in it, and what it cannot say; empty for nothing."""

    name: str
    cases: int
    lost: str = ""


class PreviewedCase(Record):
    """What one case would look like: its first request, and how many tasks, calls and tools it has."""

    case_id: str
    language: str
    tasks: int
    calls: int
    tools: int
    request: str


class ImportPreview(Record):
    """What an import would find; nothing was imported. `rejects` has the first lines that would not land."""

    formats: tuple[RecognisedFormat, ...]
    first: tuple[PreviewedCase, ...]
    rejects: tuple[Reject, ...]
    rejected: int

    @property
    def lines(self) -> list[str]:
        """The same as sentences."""
        told = [
            f"{counted(one.cases, 'case')} read as {one.name}.{' ' if one.lost else ''}{one.lost}"
            for one in self.formats
        ]
        told += [
            f"{one.case_id} ({one.language}): {counted(one.tasks, 'task')}, {counted(one.calls, 'call')}, "
            f"{counted(one.tools, 'tool')}. “{one.request}”"
            for one in self.first
        ]
        told += [f"{counted(self.rejected, 'line')} would be rejected."] if self.rejected else []
        return told + [
            f"{Path(one.file).name}, line {one.line}: {one.reason}" for one in self.rejects[:_FIRST]
        ]


def preview_import(
    files: Sequence[Path],
    *,
    context: JobContext,
    format: CaseFormat | None = None,  # noqa: A002
) -> ImportPreview:
    """Read files as an import would, and import nothing.

    Args:
        files: Paths; `-` is standard input, which is gone after that.
        context: Progress in cases, and cancellation.
        format: One format for all lines, or None to recognise each by itself.

    Raises:
        InputError: A file cannot be read.
    """
    names: Counter[str] = Counter()
    first: list[PreviewedCase] = []
    rejects: list[Reject] = []
    rejected = 0
    for file in files:
        for item in read_cases(file, format=format, is_plain=True):
            context.check_cancelled()
            if isinstance(item, Rejected):
                rejected += 1
                rejects += [Reject(**dict(item))] if len(rejects) < LISTED else []
                continue
            source = item.case.source
            names[item.dialect or (_TITLES.get(source.format or "", "") if source else "") or _OURS] += 1
            if len(first) < _FIRST:
                case = item.case
                first.append(
                    PreviewedCase(
                        case_id=case.id,
                        language=case.language,
                        tasks=len(case.tasks),
                        calls=sum(len(task.calls) for task in case.tasks),
                        tools=len(case.tools),
                        request=" ".join(case.tasks[0].user.split())[:_LONGEST_REQUEST] if case.tasks else "",
                    )
                )
            context.progress(names.total(), names.total(), f"reading {file.name}")
    formats = tuple(
        RecognisedFormat(name=name, cases=count, lost=_LOST.get(name, ""))
        for name, count in names.most_common()
    )
    return ImportPreview(formats=formats, first=tuple(first), rejects=tuple(rejects), rejected=rejected)
