"""A store with a row in every table, for tests that carry whole projects about."""

from datetime import UTC, datetime

from sqlalchemy import Boolean, Connection, Engine, Float, Integer, String, insert, select
from sqlalchemy import Table as AnyTable

from db.columns import FreeText, Table, UtcTime
from db.engine import writing
from db.events import append
from db.tables import ChainHead, Event

NOON = datetime(2026, 3, 1, 12, 30, 15, 250_000, tzinfo=UTC)


def fill_every_table(engine: Engine) -> None:
    """Write one row into each table, every column filled, and three events."""
    with writing(engine) as session:
        for table in Table.metadata.sorted_tables:
            if table.name not in (ChainHead.__tablename__, Event.__tablename__):
                session.execute(insert(table).values(row_of(table)))
        for number in range(3):
            append(session, actor="Zoë", action="a:b:c", subject="case:c", payload={"n": number}, at=NOON)


def rows_of(connection: Connection) -> dict[str, list[tuple[object, ...]]]:
    """Everything a store holds, table by table, in order of the primary keys."""
    return {
        table.name: [
            tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key.columns))
        ]
        for table in Table.metadata.sorted_tables
    }


def row_of(table: AnyTable) -> dict[str, object]:
    """Numbers are 1, so that every reference finds its row; texts differ by column."""
    row: dict[str, object] = {}
    for column in table.columns:
        if isinstance(column.type, UtcTime):
            row[column.name] = NOON
        elif isinstance(column.type, Boolean):
            row[column.name] = True
        elif isinstance(column.type, Float):
            row[column.name] = 0.1
        elif isinstance(column.type, Integer):
            row[column.name] = 1
        elif isinstance(column.type, FreeText | String):
            stored = column.type.impl_instance if isinstance(column.type, FreeText) else column.type
            assert isinstance(stored, String)
            row[column.name] = f"ü {column.name}"[: stored.length]
    return row
