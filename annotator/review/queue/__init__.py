"""Which case a person works on next, and who may take it."""
