"""What the other floors change: functions that take the open transaction and never commit."""
