"""What the other floors ask for: functions that only read, and the small frozen rows they return."""
