"""The project: its store, people, policy, stages and care."""
