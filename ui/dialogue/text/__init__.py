"""Texts of a dialogue: documents to read, JSON with its places, and what is selected in them."""
