"""Alembic's migrations, one file per schema version; they run through `db.care.upgrade`, never by hand."""
