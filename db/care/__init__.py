"""A whole project at once: copies, upgrades, and faults found and repaired."""
