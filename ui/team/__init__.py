"""The team: who works in the project, and how its cases are reviewed."""
