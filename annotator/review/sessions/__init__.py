"""Review sessions: a team settles cases together, votes first."""
