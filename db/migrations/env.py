"""Alembic's way in: runs the migrations inside the transaction that `db.care.upgrade` opened."""

from alembic import context

from db.columns import Table
from db.project_files.versions import VERSION_TABLE

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Table.metadata,
    version_table=VERSION_TABLE,
    render_as_batch=connection.dialect.name == "sqlite",
    # Our engine issues BEGIN itself, so DDL rolls back on SQLite as well.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
