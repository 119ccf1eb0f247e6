"""Commands that measure the process: stages and batches, agreement, people, and what to do now."""

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scoring.model.taxonomy import Policy, Stage
from scoring.texts import in_language, tr, with_commas
from scoring.wording import counted, written_interval
from ui.cli.command import CommandResult, command
from ui.cli.output import Table, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from annotator.project.workspace import Workspace
    from annotator.review.measures.attention import Attention
    from annotator.review.measures.label_errors import LabelErrors
    from annotator.review.measures.progress import Outlook, SampleRow, StageReport
    from annotator.review.queue.case_rows import BatchRow
    from scoring.measures.stage_accuracy import StagePoint


app = typer.Typer()


@command(
    app,
    "stages",
    gives={
        "stages": "annotator.review.measures.progress.StageReport",
        "batches": ["db.read.rows.BatchRow"],
        "outlooks": ["annotator.review.measures.progress.Outlook"],
        "samples": ["db.read.rows.SampleRow"],
        "attention": "annotator.review.measures.attention.Attention",
    },
    example="annotator stages -p team.db",
)
def stages(
    workspace: "Workspace",
    hourly_rate: Annotated[
        float | None,
        typer.Option(min=0, help="What an hour of work costs, in any currency; else as the settings say."),
    ] = None,
) -> CommandResult:
    """Count cases per stage and batch. Also forecasts, accuracy, times, cost, samples, attention."""
    from annotator.files import settings_path
    from annotator.review.measures.attention import attention
    from annotator.review.measures.progress import outlooks, samples, stage_report
    from annotator.review.queue.case_rows import apart_words, batches
    from annotator.settings import load_settings

    if hourly_rate is None:
        hourly_rate = load_settings(settings_path()).settings.hourly_rate
    found: dict[str, Any] = {
        "stages": stage_report(workspace),
        "batches": batches(workspace),
        "outlooks": outlooks(workspace),
        "samples": samples(workspace),
        "attention": attention(workspace),
    }
    return CommandResult(found, _stage_parts(**found, rate=hourly_rate), [apart_words(workspace)])


def _stage_parts(
    *,
    stages: "StageReport",
    batches: "tuple[BatchRow, ...]",
    outlooks: "tuple[Outlook, ...]",
    samples: "tuple[SampleRow, ...]",
    attention: "Attention",
    rate: float,
) -> "Iterator[Table | str]":
    from annotator.review.measures.accuracy_curve import READINGS_NOTE
    from scoring.measures.stage_accuracy import NOT_JUDGED

    yield Table(
        ["stage", "cases", "oldest since", "median s"],
        [
            [
                stage,
                count,
                f"{stages.oldest[stage]:%Y-%m-%d %H:%M}" if stage in stages.oldest else "",
                f"{stages.median_seconds[stage]:.0f}" if stage in stages.median_seconds else "",
            ]
            for stage, count in stages.counts.items()
        ],
    )
    judged = {point.stage: point for point in stages.judged if point.total}
    yield Table(
        [
            "after",
            "unchanged since",
            "of",
            "share %",
            "interval",
            "judged right",
            "of",
            "share %",
            "interval",
        ],
        [
            [
                point.stage,
                *_accuracy_cells(point, otherwise=point.undefined or ""),
                *_accuracy_cells(judged.get(point.stage), otherwise=NOT_JUDGED),
            ]
            for point in stages.curve
        ],
        "\nStage accuracy",
    )
    yield READINGS_NOTE
    if stages.seconds:
        parts = [
            (f"{person}, {stage}" if stage else person, seconds)
            for person, by_stage in stages.seconds_of_work.items()
            for stage, seconds in (("", stages.seconds_by_person[person]), *by_stage.items())
        ]
        spent = [("all stages", sum(stages.seconds.values())), *stages.seconds.items(), *parts]
        yield Table(
            ["stage or person", "active h", "min per final case", "cost per final case"],
            [_cost_cells(name, seconds / 3600, finals=stages.finals, rate=rate) for name, seconds in spent],
            "\nTime of all judgments; decisions are not timed",
        )
    yield stages.cost_words(rate)
    if batches:
        yield Table(
            ["batch", "cases", "stages", ""],
            [
                [
                    row.name,
                    row.case_count,
                    with_commas(f"{stage} {count}" for stage, count in row.stages.items()),
                    "flagged" if row.is_flagged else "",
                ]
                for row in batches
            ],
            "\nBatches",
        )
    if ahead := [row for row in outlooks if row.open]:
        yield Table(
            ["batch", "open", "a day", "due", "", "forecast"],
            [
                [
                    row.batch,
                    row.open,
                    "" if row.per_day is None else f"{row.per_day:.1f}",
                    row.due_on,
                    "late" if row.is_late else "",
                    row.words,
                ]
                for row in ahead
            ],
            "\nAhead",
        )
    if samples:
        yield Table(
            ["batch", "sample", "kind", "of", "cases", "errors", "status"],
            [
                [s.batch, s.sequence, s.kind, s.population, len(s.outcomes), s.error_count, s.status]
                for s in samples
            ],
            "\nSamples",
        )
    yield from _attention_parts(attention)


def _accuracy_cells(point: "StagePoint | None", *, otherwise: str) -> list[object]:
    if point is None or point.accuracy is None:
        return [otherwise, "", "", ""]
    interval = _interval(point.low, point.high, scale=100, digits=1) or point.no_interval
    return [point.correct, point.total, percent(point.accuracy), interval]


def _cost_cells(name: str, hours: float, *, finals: int, rate: float) -> list[object]:
    if not finals:
        return [name, f"{hours:.1f}", "", ""]
    cost = f"{hours * rate / finals:.2f}" if rate else ""
    return [name, f"{hours:.1f}", f"{60 * hours / finals:.1f}", cost]


def _attention_parts(found: "Attention") -> "Iterator[Table | str]":
    yield found.problem
    if found.rates:
        yield Table(
            ["person", "planted defect", "caught", "of", "share %", "interval"],
            [
                [
                    one.person,
                    one.kind or "all",
                    one.caught.count,
                    one.caught.total,
                    percent(one.caught.value),
                    _interval(
                        one.interval.low if one.interval else None,
                        one.interval.high if one.interval else None,
                        scale=100,
                        digits=1,
                    ),
                ]
                for one in found.rates
            ],
            "\nAttention",
        )
    if found.dropped_count:
        yield f"{found.dropped_count} not counted: the gold case was reopened or changed meanwhile."


@command(
    app,
    "agreement",
    gives=(["scoring.agreement.fields.FieldAgreement"], {"ratings": int, "file": str}),
    example="annotator agreement --pair ana,ben -p team.db",
    writes="raw",
)
def agreement_(
    workspace: "Workspace",
    stage: Annotated[
        Stage, typer.Option("--stage", help="cross_check, or the stage the case moved to after it.")
    ] = Stage.CROSS_CHECK,
    field: Annotated[str, typer.Option("--field")] = "",
    pair: Annotated[str, typer.Option("--pair", help="A,B")] = "",
    rater: Annotated[str, typer.Option("--person", help="Rounds this person took part in.")] = "",
    batch: Annotated[str, typer.Option("--batch")] = "",
    policy: Annotated[Policy | None, typer.Option("--policy")] = None,
    raw: Annotated[
        Path | None,
        typer.Option("--raw", help="Write what each rater said of each unit: .json, or CSV."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Print every coefficient: kappa, AC1, F1 and exact match, too.")
    ] = False,
) -> CommandResult:
    """Measure agreement per field and say it in words. Every figure has its n of N and interval."""
    from annotator.review.measures.disagreements import agreement_words
    from annotator.review.measures.rater_agreement import (
        AgreementSlice,
        agreement,
        outcome_at,
        parse_agreement_field,
        write_ratings,
    )

    outcome = outcome_at(stage)
    wanted = parse_agreement_field(field)
    raters = tuple(name.strip() for name in pair.split(",") if name.strip())
    where = AgreementSlice(pair=raters, person=rater.strip(), batch=batch, policy=policy, outcome=outcome)
    if raw is not None:
        count = write_ratings(workspace, raw, where, field=wanted)
        written = f"{counted(count, 'rating')} written to {raw}."
        return CommandResult({"ratings": count, "file": str(raw)}, [written])
    rows = [row for row in agreement(workspace, where=where) if wanted in (None, row.field)]
    if not any(found.total for row in rows for found in row.coefficients.values()):
        return CommandResult(rows, ["No closed round of cross-check in this slice has anything to compare."])
    if not every:
        lines = [
            [
                row.field,
                percent(row.seen.value, digits=1),
                tr("undefined") if row.beyond_chance.value is None else f"{row.beyond_chance.value:.2f}",
                _interval(row.beyond_chance.low, row.beyond_chance.high, scale=1, digits=2),
                row.beyond_chance.used,
                row.beyond_chance.total,
                agreement_words(row),
            ]
            for row in rows
        ]
        return CommandResult(
            rows, [Table(["field", "agree %", "alpha", "interval", "used", "of", "in words"], lines)]
        )
    table = Table(
        ["field", "measure", "value", "interval", "used", "of", ""],
        [
            [
                row.field,
                measure,
                tr("undefined") if found.value is None else f"{found.value:.3f}",
                _interval(found.low, found.high, scale=1, digits=3),
                found.used,
                found.total,
                found.undefined or (found.no_interval and f"no interval: {found.no_interval}"),
            ]
            for row in rows
            for measure, found in row.coefficients.items()
        ],
    )
    return CommandResult(rows, [table])


def _interval(low: float | None, high: float | None, *, scale: float, digits: int) -> str:
    if low is None or high is None:
        return ""
    return written_interval(low * scale, high * scale, form=f".{digits}f")


@command(
    app,
    "people",
    gives="annotator.review.measures.label_errors.LabelErrors",
    example="annotator people --policy multi_mixed --days 30 -p team.db",
)
def people(
    workspace: "Workspace",
    rater: Annotated[str, typer.Option("--person", help="Only this person.")] = "",
    field: Annotated[str, typer.Option("--field", help="policy, information or edge.")] = "",
    batch: Annotated[str, typer.Option("--batch")] = "",
    policy: Annotated[Policy | None, typer.Option("--policy")] = None,
    days: Annotated[int, typer.Option("--days", min=0, help="Rounds closed in so many days; 0 for all.")] = 0,
) -> CommandResult:
    """Hold what people said against the final content. How often each is wrong, where, and who else was.

    Shares have a 95 % interval and an estimate drawn towards the team; docs/checking.md has the formulas.
    """
    from annotator.review.measures.label_errors import label_errors
    from annotator.review.measures.rater_agreement import AgreementSlice, parse_agreement_field

    where = AgreementSlice(person=rater.strip(), batch=batch, policy=policy)
    found = label_errors(workspace, where, field=parse_agreement_field(field), days=days)
    return CommandResult(found, _people_parts(found))


def _people_parts(found: "LabelErrors") -> "Iterator[Table | str]":
    if not found.people:
        yield "No final case of this slice has a closed cross-check to hold against it."
        return
    yield Table(
        ["person", "wrong", "of", "share %", "interval", "estimate %", "blind %", "own %", "caught", "s"],
        [
            [
                one.person,
                one.all.wrong.count,
                one.all.wrong.total,
                percent(one.all.share),
                one.all.words,
                percent(one.all.estimate),
                *(
                    percent(one.stages[stage].share) if stage in one.stages else ""
                    for stage in (Stage.CROSS_CHECK, Stage.SELF_CHECK_TASK)
                ),
                f"{one.caught.count} of {one.caught.total}" if one.caught.total else "",
                "" if one.median_seconds is None else f"{one.median_seconds:.0f}",
            ]
            for one in found.people
        ],
    )
    for one in found.people:
        if one.mistakes:
            most = one.mistakes[0]
            words = f"most often {most.words}, {most.count} of {most.total}."
            above = f"above the others; {words}" if one.is_above else words
            yield f"{one.person}: {above} {most.verdict}".rstrip()
    if found.pairs:
        yield Table(
            ["pair", "items", "differ", "first wrong", "second wrong", "both wrong"],
            [
                [f"{p.first}, {p.second}", p.items, p.differ, p.first_wrong, p.second_wrong, p.both_wrong]
                for p in found.pairs
            ],
            "\nPairs",
        )
    if found.shared:
        shared = counted(len(found.shared), "item")
        yield f"All who judged were wrong on {shared}: look at the guideline (--json)."


@command(
    app,
    "digest",
    gives="annotator.review.measures.digest.Digest",
    example="annotator digest --since 1d -p team.db",
)
def digest(
    workspace: "Workspace",
    since: Annotated[str, typer.Option("--since", metavar="TIME", help="8h, 1d, 2w: how far back.")] = "1d",
    html: Annotated[bool, typer.Option("--html", help="Print a page, for a mail.")] = False,
) -> CommandResult:
    """Say what to do now and what happened lately.

    Also what came for you. Cron can mail it every day, with --html as a page.
    """
    from annotator.review.measures.digest import digest, parse_period

    found = digest(workspace, since=parse_period(since))
    head = in_language(f"{found.project}, {found.person}, since {found.since.astimezone():%Y-%m-%d %H:%M}")
    parts = {
        in_language(title): [in_language(text) for text in texts]
        for title, texts in (
            found.parts or {tr("Nothing to say"): ["No news, and nothing waits for you."]}
        ).items()
    }
    if html:
        lists = "".join(
            f"<h2>{escape(title)}</h2><ul>{''.join(f'<li>{escape(text)}</li>' for text in texts)}</ul>"
            for title, texts in parts.items()
        )
        return CommandResult(found, [f"<!doctype html><meta charset='utf-8'><h1>{escape(head)}</h1>{lists}"])
    told = ("\n".join((f"\n{title}", *(f"- {text}" for text in texts))) for title, texts in parts.items())
    return CommandResult(found, [head, *told])
