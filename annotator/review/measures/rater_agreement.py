"""How far raters agree: closed cross-check rounds, cut by pair, person, batch, policy and time."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import JsonValue

from annotator.cases.bodies import read_record
from annotator.cases.row_views import viewer_of
from annotator.files import csv_text, replace_text
from annotator.project.lookups import require_known
from annotator.project.workspace import Workspace, query
from db.read import reviews, visibility
from db.read.rows import PersonRow, RoundRow
from db.tables import Transaction
from scoring.agreement.fields import FieldAgreement, agreement_table
from scoring.agreement.rated_cases import RatedCase, RatedField, RatedUnit, only_raters, units_of
from scoring.errors import ForbiddenError, InputError, reworded
from scoring.measures.intervals import RESAMPLES
from scoring.model.labels import ComparedField
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import Policy, Stage

OUTCOMES = (Stage.APPROVED, Stage.ESCALATED, Stage.RETURNED)
"""Where a case can go after a round of cross-check."""

_ONE_OWNER = "its owner alone judges a case there"
_NO_AGREEMENT: Mapping[Stage, str] = {
    Stage.IMPORTED: "nobody has judged a case that was only imported",
    Stage.SELF_CHECK_TASK: _ONE_OWNER,
    Stage.SELF_CHECK_DIALOGUE: _ONE_OWNER,
    Stage.EXPERT: "one expert alone decides a case there",
    Stage.FINAL: "nobody judges a case there any more, and no round of cross-check ends there",
    Stage.RELEASED: "nobody judges a case there any more, and no round of cross-check ends there",
    Stage.REJECTED: "one expert alone rejects a case",
}
"""Why a stage has no table: two people have to judge the same case blind, which is so at cross-check only."""


class AgreementSlice(Record):
    """What part of the rounds is asked about; an empty field filters nothing.

    `pair` keeps what these two people said, `person` the rounds somebody took part in, `policy` the tasks
    with this label now, `outcome` the rounds after which the case went to this stage, `since` and `until`
    the rounds closed from one instant up to another.
    """

    pair: tuple[str, ...] = ()
    person: str = ""
    batch: str = ""
    policy: Policy | None = None
    outcome: Stage | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True)
class RatedRound:
    """A closed cross-check round: what every rater said, and where and when it was; `round` counts from 1."""

    case: RatedCase
    batch: str
    round: int
    at: datetime
    outcome: Stage


class DiagnosisRow(Record):
    """Why a coefficient rests on what it rests on: units used and excluded, and the reason of the latter."""

    field: str
    measure: str
    value: float | None
    total: int
    used: int
    excluded: int
    reason: str


SaidValues = tuple[tuple[str, ...], tuple[JsonValue, ...]]
"""The raters of a round, and what each of them said of one field."""

_RATERS, _FIELDS, _NEXT, _REST = ',"raters":', ',"fields":[', ',{"id":', '],"step_counts":'
_BY_CHOICE = '"by_choice":true'
"""Where the parts of a written `RatedCase` begin; within a text its quotes would be escaped."""


class RoundReader:
    """Reads the bodies of closed rounds, and each part of them once: raters say the same of many tasks.

    Rounds share the parts that are equal, so that many of them take little memory. A body that another
    writer than `write_record` laid out is read as a whole.
    """

    def __init__(self) -> None:
        self._frames: dict[tuple[str, str], RatedCase] = {}
        self._fields: dict[str, ComparedField] = {}

    def read(self, body: str) -> RatedCase:
        """A round, as `read_record` reads it."""
        head, _, tail = body.partition(_FIELDS)
        case_id, _, raters = head.partition(_RATERS)
        said, _, rest = tail.partition(_REST)
        if not (raters and said and rest):
            return read_record(RatedCase, body)
        frame = self._frames.get((raters, rest))
        if frame is None:
            empty = f'{{"case_id":""{_RATERS}{raters}{_FIELDS}{_REST}{rest}'
            frame = self._frames[raters, rest] = read_record(RatedCase, empty)
        fields = tuple(map(self._field, said.split(_NEXT)))
        if {len(field.values) for field in fields} != {len(frame.raters)}:
            return read_record(RatedCase, body)
        return frame.model_copy(update={**json.loads(case_id + "}"), "fields": fields})

    def count_said(self, bodies: Iterable[str]) -> Counter[SaidValues]:
        """How often the same raters said the same values of a field, in cases not checked by choice.

        Equal texts are read once.
        """
        texts: dict[str, Counter[str]] = defaultdict(Counter)
        said: Counter[SaidValues] = Counter()
        for body in bodies:
            head, _, tail = body.partition(_FIELDS)
            _, _, raters = head.partition(_RATERS)
            fields, _, rest = tail.partition(_REST)
            if _BY_CHOICE in rest:
                continue
            if raters and fields and rest:
                texts[raters].update(fields.split(_NEXT))
            else:
                case = read_record(RatedCase, body)
                said.update((case.raters, field.values) for field in case.fields)
        for raters, counts in texts.items():
            names = tuple(json.loads(raters))
            for text, count in counts.items():
                said[names, self._field(text).values] += count
        return said

    def _field(self, text: str) -> ComparedField:
        found = self._fields.get(text)
        if found is None:
            whole = text if text.startswith("{") else f"{_NEXT[1:]}{text}"
            found = self._fields[text] = read_record(ComparedField, whole)
        return found


def rated_cases(tx: Transaction) -> Iterator[RatedCase]:
    """Every closed cross-check round as raters side by side, the owner first, as it was compared.

    For measures of the whole project; what somebody asks to see is `rated_rounds`.
    """
    read = RoundReader().read
    return (read(row.body) for row in reviews.closed_rounds(tx))


def said_values(tx: Transaction, *, since: datetime | None = None) -> Counter[SaidValues]:
    """How often raters said what of a field, in every closed round, or those closed from an instant on."""
    return RoundReader().count_said(reviews.round_bodies(tx, since=since))


@query
def rated_rounds(workspace: Workspace, tx: Transaction, where: AgreementSlice) -> tuple[RatedRound, ...]:
    """The closed rounds of a slice with what every rater said, by case, then age.

    Rounds of cases whose labels the person must not see yet are left out (decision 0005): annotators see
    those of their own cases and of final ones, experts and managers all but those they judge themselves.

    Raises:
        InputError: A pair is not two people, or no round ends at the outcome.
        NotFoundError: There is no such person or batch.
        ForbiddenError: An annotator asks about other people.
    """
    person = workspace.somebody
    _require_slice(tx, person, where)
    hidden = visibility.blind_cases(tx, viewer_of(tx, person))
    return tuple(_kept(reviews.closed_rounds(tx), where, hidden=hidden))


def _require_slice(tx: Transaction, person: PersonRow | None, where: AgreementSlice) -> None:
    if where.pair and len(set(where.pair)) != 2:
        raise InputError(f"'{','.join(where.pair)}' is not a pair.", "Name two different people, A,B.")
    if where.outcome is not None and where.outcome not in OUTCOMES:
        raise _no_table(where.outcome)
    named = (*where.pair, where.person)
    require_known(tx, names=named, batch=where.batch)
    require_sight(tx, person, named)


def agreement(
    workspace: Workspace,
    *,
    raters: tuple[str, ...] = (),
    where: AgreementSlice | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    rounds: Sequence[RatedRound] | None = None,
) -> tuple[FieldAgreement, ...]:
    """Agreement of the closed cross-check rounds the person may see, field by field.

    Owners count as raters. Annotators get the pairs they are part of, experts and managers all.

    Args:
        workspace: The project.
        raters: Short for a slice with this pair.
        where: The slice; None for everything.
        seed: Seed of the bootstrap intervals.
        resamples: Samples drawn for the intervals; 0 leaves them out.
        rounds: What `rated_rounds` gave for the slice, if it was asked.

    Raises:
        InputError, NotFoundError, ForbiddenError: As for `rated_rounds`.
    """
    if rounds is None:
        rounds = rated_rounds(workspace, where or AgreementSlice(pair=raters))
    table = agreement_table((one.case for one in rounds), seed=seed, resamples=resamples)
    return only_pairs_of(table, limited_to(workspace))


def limited_to(workspace: Workspace) -> str | None:
    """Whose pairs alone the person may see: their own name, None for everybody's, empty text for nobody's."""
    person = workspace.somebody
    if workspace.read(lambda tx: viewer_of(tx, person)).is_trusted:
        return None
    return person.name if person is not None else ""


def only_pairs_of(table: Sequence[FieldAgreement], name: str | None) -> tuple[FieldAgreement, ...]:
    """Leave of every row only the pairs somebody is part of; all of them where the name is None."""
    if name is None:
        return tuple(table)
    return tuple(
        row.model_copy(update={"pairs": tuple(p for p in row.pairs if name in (p.first, p.second))})
        for row in table
    )


def diagnosis(
    workspace: Workspace, rounds: Sequence[RatedRound], table: Sequence[FieldAgreement]
) -> tuple[DiagnosisRow, ...]:
    """What every coefficient of a slice rests on, and first which rounds count at all.

    Args:
        workspace: The project.
        rounds: What `rated_rounds` gave for the slice.
        table: What `agreement` gave for it.
    """
    person = workspace.somebody

    def query(tx: Transaction) -> DiagnosisRow:
        cases, hidden = reviews.round_cases(tx), visibility.blind_cases(tx, viewer_of(tx, person))
        chosen = sum(rated.case.by_choice for rated in rounds)
        return _counted_rounds(
            cases, hidden, read=len(rounds), chosen=chosen, still_open=reviews.open_round_count(tx)
        )

    return (
        workspace.read(query),
        *(
            DiagnosisRow(
                field=row.field.value,
                measure=measure.value,
                value=found.value,
                total=found.total,
                used=found.used,
                excluded=found.total - found.used,
                reason=found.undefined or ("too few ratings" if found.used < found.total else ""),
            )
            for row in table
            for measure, found in row.coefficients.items()
        ),
    )


def _counted_rounds(
    cases: Sequence[int], hidden: Collection[int], *, read: int, chosen: int, still_open: int
) -> DiagnosisRow:
    unseen, total = sum(case_pk in hidden for case_pk in cases), len(cases) + still_open
    reason = f"{still_open} still open, {len(cases) - unseen - read} outside of the slice"
    reason += f", {chosen} checked for a reason" if chosen else ""
    used = read - chosen
    return DiagnosisRow(
        field="round",
        measure="",
        value=None,
        total=total,
        used=used,
        excluded=total - used,
        reason=reason + (f", {unseen} of cases you may not see yet" if unseen else ""),
    )


def diagnosis_csv(rows: Sequence[DiagnosisRow]) -> str:
    """A diagnosis as CSV, one line for each coefficient; numbers with all their digits."""
    return csv_text(tuple(DiagnosisRow.model_fields), (tuple(row.model_dump().values()) for row in rows))


_RATING_COLUMNS = ("case", "batch", "round", "closed_at", "task", "field", "unit", "rater", "value")


def write_ratings(
    workspace: Workspace, target: Path, where: AgreementSlice, *, field: RatedField | None = None
) -> int:
    """Write what every rater said of every unit, so that anyone can compute a coefficient again.

    Rounds of cases whose labels the person must not see yet are left out, as in `rated_rounds`; annotators
    get the rounds they took part in. A file that ends in `.json` is one JSON document, with the values of a
    unit by rater; any other is CSV, a line for each rating, the edges of a drawing in one cell.

    Args:
        workspace: In whose name.
        target: The file; `-` is standard output.
        where: The slice; an empty one for everything.
        field: Only units of this field; None for all.

    Returns:
        How many ratings were written.

    Raises:
        InputError, NotFoundError, ForbiddenError: As for `rated_rounds`.
        StoreError: The file cannot be written.
    """
    own = limited_to(workspace)
    rounds = [rated for rated in rated_rounds(workspace, where) if own is None or own in rated.case.raters]
    units = [
        (rated, unit) for rated in rounds for unit in units_of(rated.case) if field in (None, unit.field)
    ]
    replace_text(target, _ratings_json(units) if target.suffix.lower() == ".json" else _ratings_csv(units))
    return sum(len(unit.values) for _, unit in units)


def _ratings_csv(units: Iterable[tuple[RatedRound, RatedUnit]]) -> str:
    return csv_text(
        _RATING_COLUMNS,
        (
            (
                *(
                    rated.case.case_id,
                    rated.batch,
                    rated.round,
                    rated.at.isoformat(),
                    unit.task,
                    unit.field,
                    unit.unit,
                ),
                *(rater, _as_cell(value)),
            )
            for rated, unit in units
            for rater, value in unit.values.items()
        ),
    )


def _as_cell(value: str | bool | tuple[str, ...]) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else "; ".join(value)


def _ratings_json(rated_units: Iterable[tuple[RatedRound, RatedUnit]]) -> str:
    units = [
        {
            "case": rated.case.case_id,
            "batch": rated.batch,
            "round": rated.round,
            "closed_at": rated.at.isoformat(),
            **unit.model_dump(mode="json"),
        }
        for rated, unit in rated_units
    ]
    return json.dumps({"units": units}, ensure_ascii=False, indent=0) + "\n"


def agreement_summary(tx: Transaction) -> tuple[JsonObject, ...]:
    """Agreement per field as plain values for a manifest, without pairs and confusions."""
    return tuple(
        {
            "field": row.field.value,
            **{
                measure.value: coefficient.model_dump(mode="json")
                for measure, coefficient in row.coefficients.items()
            },
        }
        for row in agreement_table(rated_cases(tx), seed=0, resamples=0)
    )


def require_sight(tx: Transaction, person: PersonRow | None, names: Sequence[str]) -> None:
    """Let people ask about themselves, and experts and managers about anybody (policy `open_labels`).

    Raises:
        ForbiddenError: Somebody asks about others whose work they do not look after.
    """
    asked = [name for name in names if name]
    if not asked or viewer_of(tx, person).is_trusted:
        return
    if person is None or person.name not in asked:
        raise ForbiddenError(
            f"How {asked[0]} judges is for them, experts and managers to see.", "Ask about yourself."
        )


def _kept(
    rows: Iterable[RoundRow], where: AgreementSlice, *, hidden: Collection[int]
) -> Iterator[RatedRound]:
    wanted = {name for name in (*where.pair, where.person) if name}
    read = RoundReader().read
    for row in rows:
        if row.case_pk in hidden or where.batch not in ("", row.batch) or not _is_within(row, where):
            continue
        case = read(row.body)
        if not wanted <= set(case.raters):
            continue
        if where.pair:
            case = only_raters(case, where.pair)
        if where.policy is not None:
            tasks = [t for t, policy in enumerate(row.policies) if policy == where.policy]
            if not tasks:
                continue
            case = only_tasks(case, tasks)
        yield RatedRound(case=case, batch=row.batch, round=row.round, at=row.at, outcome=row.outcome)


def _is_within(row: RoundRow, where: AgreementSlice) -> bool:
    after = where.since is None or row.at >= where.since
    before = where.until is None or row.at < where.until
    return after and before and where.outcome in (None, row.outcome)


def only_tasks(case: RatedCase, tasks: Sequence[int]) -> RatedCase:
    """Leave only what was said about some tasks; their numbers stay."""
    kept = set(tasks)
    return case.model_copy(
        update={
            "fields": tuple(field for field in case.fields if field.task in kept),
            "step_counts": tuple(n if i in kept else 0 for i, n in enumerate(case.step_counts)),
            "checks": tuple(rows if i in kept else () for i, rows in enumerate(case.checks)),
        }
    )


def parse_agreement_field(name: str) -> RatedField | None:
    """Read the `--field` option; None for all fields.

    Raises:
        InputError: There is no such field.
    """
    if not name:
        return None
    with reworded(
        ValueError,
        into=lambda _: InputError(
            f"'{name}' is not a field of agreement.", f"Fields: {', '.join(RatedField)}."
        ),
    ):
        return RatedField(name)


def outcome_at(stage: Stage) -> Stage | None:
    """Which rounds a stage stands for, as `AgreementSlice.outcome` names them.

    All of them for the cross-check, where the judgments are made; for approved, escalated and returned
    those after which the case went there.

    Raises:
        InputError: The stage has no table; says why.
    """
    if stage is Stage.CROSS_CHECK:
        return None
    if stage not in OUTCOMES:
        raise _no_table(stage)
    return stage


def _no_table(stage: Stage) -> InputError:
    measured = ", ".join((Stage.CROSS_CHECK, *OUTCOMES))
    return InputError(
        f"There is no agreement at {stage}: {_NO_AGREEMENT[stage]}.",
        f"Stages with a table: {measured} (where the case went after its cross-check).",
    )
