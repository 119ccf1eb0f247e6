"""Frozen releases and what is scored on them."""
