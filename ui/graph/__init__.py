"""The dependency graph of a task: drawn, edited, played, and two drawings laid over each other."""
