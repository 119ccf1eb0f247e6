"""A sample is stored with its population, which may be empty."""

from datetime import UTC, datetime

from sqlalchemy import Engine, func, select

from db.engine import reading, writing
from db.read import samples
from db.tables import SampledCase
from db.write import store

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_a_sample_of_no_cases_writes_no_row_of_a_case(engine: Engine) -> None:
    with writing(engine) as tx:
        batch = store.ensure_batch(tx, "empty", by=None, at=NOON)
        number = store.add_sample(tx, batch, kind="once", seed="s", share=0.1, cases=(), rest=(), at=NOON)
    with reading(engine) as tx:
        assert tx.scalar(select(func.count()).select_from(SampledCase)) == 0
        [sample] = samples.list_samples(tx)
    assert (sample.sequence, sample.population, sample.outcomes) == (number, 0, {}) == (1, 0, {})
