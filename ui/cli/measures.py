"""Commands that measure the process: stages and batches, agreement, and what the cases cover."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scoring.model.taxonomy import Policy, Stage
from scoring.wording import counted, interval_words
from ui.cli.options import Json, Person, Project, example, opened, refuse_two_outputs
from ui.cli.output import job_context, percent, print_json, print_result, print_table, say, tell

if TYPE_CHECKING:
    from annotator.cases.coverage import ProjectCoverage
    from annotator.review.measures.attention import Attention
    from annotator.review.measures.progress import Outlook, SampleRow, StageReport
    from annotator.review.queue.case_rows import BatchRow
    from scoring.agreement.coefficients import Coefficient
    from scoring.agreement.fields import AgreementMeasure, FieldAgreement
    from scoring.measures.coverage import Route
    from scoring.measures.rates import Rate


SHOWN_GAPS = 20
"""Missing sequences that are listed for people; `--json` lists all."""


def register(app: typer.Typer) -> None:
    """Add these commands to the `annotator` command."""
    app.command(epilog=example("annotator stages -p team.db"))(stages)
    app.command("agreement", epilog=example("annotator agreement --pair ana,ben -p team.db"))(agreement_)
    app.command(epilog=example("annotator coverage --stage final -p team.db"))(coverage)


def stages(place: Project = None, person: Person = None, json: Json = False) -> None:
    """Count cases per stage and batch. Also forecasts, stage accuracy, waiting times, samples, attention."""
    from annotator.review.measures.attention import attention
    from annotator.review.measures.progress import outlooks, samples, stage_report
    from annotator.review.queue.case_rows import apart_words, batches

    with opened(place, person) as workspace:
        report, in_batches, drawn = stage_report(workspace), batches(workspace), samples(workspace)
        caught, ahead = attention(workspace), outlooks(workspace)
        tell(apart_words(workspace))
    if json:
        print_json(
            {
                "stages": report,
                "batches": in_batches,
                "outlooks": ahead,
                "samples": drawn,
                "attention": caught,
            }
        )
        return
    _print_stages(report)
    _print_batches(in_batches)
    _print_outlooks(ahead)
    _print_samples(drawn)
    _print_attention(caught)


def _print_stages(report: "StageReport") -> None:
    print_table(
        ["stage", "cases", "oldest since", "median s"],
        [
            [
                stage,
                count,
                f"{report.oldest[stage]:%Y-%m-%d %H:%M}" if stage in report.oldest else "",
                f"{report.median_seconds[stage]:.0f}" if stage in report.median_seconds else "",
            ]
            for stage, count in report.counts.items()
        ],
    )
    print_table(
        ["after", "right", "of", "share %", "interval", ""],
        [
            [
                point.stage,
                point.correct,
                point.total,
                percent(point.accuracy),
                _interval(point.low, point.high, scale=100, digits=1),
                point.undefined or point.no_interval or "",
            ]
            for point in report.curve
        ],
        title="\nStage accuracy",
    )


def _print_batches(rows: "tuple[BatchRow, ...]") -> None:
    if rows:
        print_table(
            ["batch", "cases", "stages", ""],
            [
                [
                    row.name,
                    row.case_count,
                    ", ".join(f"{stage} {count}" for stage, count in row.stages.items()),
                    "flagged" if row.is_flagged else "",
                ]
                for row in rows
            ],
            title="\nBatches",
        )


def _print_outlooks(rows: "tuple[Outlook, ...]") -> None:
    open_ = [row for row in rows if row.open]
    if open_:
        print_table(
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
                for row in open_
            ],
            title="\nAhead",
        )


def _print_samples(rows: "tuple[SampleRow, ...]") -> None:
    if rows:
        print_table(
            ["batch", "sample", "kind", "of", "cases", "errors", "status"],
            [
                [s.batch, s.sequence, s.kind, s.population, len(s.outcomes), s.error_count, s.status]
                for s in rows
            ],
            title="\nSamples",
        )


def _print_attention(found: "Attention") -> None:
    if found.problem:
        say(found.problem)
    if found.rates:
        print_table(
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
            title="\nAttention",
        )
    if found.dropped_count:
        say(f"{found.dropped_count} not counted: the gold case was reopened or changed meanwhile.")


def agreement_(
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
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Measure agreement per field. Every coefficient has its n of N and interval."""
    from annotator.review.measures.rater_agreement import (
        AgreementSlice,
        agreement,
        outcome_at,
        parse_agreement_field,
        write_ratings,
    )

    refuse_two_outputs(raw, json=json)
    outcome = outcome_at(stage)
    wanted = parse_agreement_field(field)
    raters = tuple(name.strip() for name in pair.split(",") if name.strip())
    where = AgreementSlice(pair=raters, person=rater.strip(), batch=batch, policy=policy, outcome=outcome)
    with opened(place, person) as workspace:
        if raw is not None:
            count = write_ratings(workspace, raw, where, field=wanted)
            written = f"{counted(count, 'rating')} written to {raw}."
            print_result({"ratings": count, "file": str(raw)}, written, json=json, beside=raw)
            return
        rows = [row for row in agreement(workspace, where=where) if wanted in (None, row.field)]
    if json:
        print_json(rows)
        return
    if not any(found.total for row in rows for found in row.coefficients.values()):
        say("No closed round of cross-check in this slice has anything to compare.")
        return
    print_table(
        ["field", "measure", "value", "interval", "used", "of", ""],
        [
            [
                row.field,
                measure,
                "undefined" if found.value is None else f"{found.value:.3f}",
                _interval(found.low, found.high, scale=1, digits=3),
                found.used,
                found.total,
                _why_missing(found),
            ]
            for row in rows
            for measure, found in _ordered(row)
        ],
    )


def _interval(low: float | None, high: float | None, *, scale: float, digits: int) -> str:
    if low is None or high is None:
        return ""
    return interval_words(low * scale, high * scale, form=f".{digits}f")


def _why_missing(found: "Coefficient") -> str:
    """Why there is no value, or none of its interval; empty where there are both."""
    if found.undefined is not None:
        return found.undefined
    return f"no interval: {found.no_interval}" if found.no_interval else ""


def _ordered(row: "FieldAgreement") -> "list[tuple[AgreementMeasure, Coefficient]]":
    from scoring.agreement.fields import AgreementMeasure

    return [
        (measure, row.coefficients[measure]) for measure in AgreementMeasure if measure in row.coefficients
    ]


def coverage(
    stage: Annotated[list[Stage] | None, typer.Option("--stage", help="May be given several times.")] = None,
    batch: Annotated[str, typer.Option("--batch")] = "",
    place: Project = None,
    person: Person = None,
    json: Json = False,
) -> None:
    """Count what the cases cover and what is missing. Policy sequences, information types, tools."""
    from annotator.cases.coverage import project_coverage
    from annotator.review.queue.case_rows import apart_words

    with opened(place, person) as workspace, job_context() as context:
        found = project_coverage(workspace, stages=tuple(stage or ()), batch=batch, context=context)
        tell(apart_words(workspace))
    if json:
        missing = [list(route) for route in found.coverage.missing]
        print_json({**found.model_dump(mode="json"), "missing": missing, "uncalled": found.uncalled})
    else:
        _print_coverage(found)


def _print_coverage(found: "ProjectCoverage") -> None:
    counts = f"{counted(found.case_count, 'case')}, {counted(found.task_count, 'task')}"
    say(f"{counts}, {found.unlabelled:,} of them without a policy.")
    print_table(
        ["sequences of", "covered", "of", "share %"],
        [
            *([counted(int(n), "task"), *_shown(rate)] for n, rate in found.coverage.by_length.items()),
            ["all lengths", *_shown(found.coverage.total)],
            ["switching", *_shown(found.coverage.switching)],
        ],
        title="\nSwitching space",
    )
    print_table(
        ["policy", "information", "tasks"],
        [[row.policy or "none", row.information or "none", row.count] for row in found.labels],
        title="\nLabels",
    )
    print_table(
        ["tool", "offered in", "called in", "calls"],
        [[tool.name, tool.offered, tool.called_in, tool.calls] for tool in found.tools],
        title="\nTools",
    )
    if found.other_sequence:
        others = counted(found.other_sequence, "generated case")
        say(f"\n{others} with another sequence than asked for.")
    missing = found.coverage.missing
    if missing:
        shown = [" -> ".join(route) + _tried(found, route) for route in missing[:SHOWN_GAPS]]
        print_table(["missing"], [[text] for text in shown], title="\nMissing sequences")
        if len(missing) > SHOWN_GAPS:
            say(f"... and {len(missing) - SHOWN_GAPS} more; --json lists them all.")


def _tried(found: "ProjectCoverage", route: "Route") -> str:
    count = found.tried.get(route, 0)
    return f", tried {counted(count, 'time')}" if count else ""


def _shown(found: "Rate") -> list[object]:
    return [found.count, found.total, percent(found.value)]
