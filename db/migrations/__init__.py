"""Alembic's migrations, one file per schema version; they run through `db.upgrading`, never by hand."""
