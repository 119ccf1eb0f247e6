"""Proposals a model is asked for."""
