"""What the tables are made of: their root, and column types that hold the same on every database."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Dialect, MetaData, String, Text, true
from sqlalchemy.orm import DeclarativeBase, InstrumentedAttribute, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

from scoring.model.taxonomy import Priority


class UtcTime(TypeDecorator[datetime]):
    """UTC instants as fixed-width ISO text: the same bytes and the same order on every database."""

    impl = String(27)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        """Write an aware datetime; a naive one is a bug."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("naive datetime")
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:
        """Read back an aware datetime in UTC."""
        return None if value is None else datetime.fromisoformat(value)  # a tenth of the time of strptime


def storable(text: str) -> str:
    """Replace what no database holds in a text, NUL and unpaired surrogates, by the replacement character."""
    clean = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    try:
        clean.encode()
    except UnicodeEncodeError:
        return clean.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return clean


DAYS = 100_000_000
"""More than any day in `turn_of`."""


def turn_of(priority: Priority, due_on: str | None) -> int:
    """What the queue is ordered by: the priority, then the day as ISO text; no day comes after all days."""
    return list(Priority).index(priority) * DAYS + int((due_on or "9999-12-31").replace("-", ""))


def given(column: InstrumentedAttribute[Any], value: object | None) -> ColumnElement[bool]:
    """That a column holds a value; no condition where none is given."""
    return true() if value is None else column == value


class FreeText(TypeDecorator[str]):
    """Text that people write, as long as they like; bodies are ASCII and need no such care."""

    impl: type[String] = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Write what a database can hold of it."""
        return None if value is None else storable(value)


class Name(FreeText):
    """A short text that people write, at most so many characters long."""

    impl = String
    cache_ok = True


class Table(DeclarativeBase):
    """Root of all tables; constraint names are fixed so that migrations can name them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {datetime: UtcTime}  # noqa: RUF012 (SQLAlchemy reads it as a class setting)

    def __init_subclass__(cls, *, name: str = "") -> None:
        """Map a table under its name in the database; a class without one only shares columns."""
        if name:
            cls.__tablename__ = name
        super().__init_subclass__()


class NumberedTable(Table):
    """A table whose rows the database numbers."""

    __abstract__ = True
    id: Mapped[int] = mapped_column(primary_key=True, sort_order=-1)
