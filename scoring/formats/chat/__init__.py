"""Dialogues in the OpenAI chat shape (formats 10.1)."""
