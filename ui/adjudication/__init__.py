"""The page on which experts settle escalated cases and verify sampled ones."""
