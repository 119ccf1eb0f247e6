"""The failures of a run: their kinds, their list, and one of them beside the gold."""
