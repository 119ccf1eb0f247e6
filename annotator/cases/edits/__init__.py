"""Edits of a case: pure functions that give a new case and keep the former."""
