"""Scores as tables and reports."""
