"""The page before a project is open: recent projects, open, new, sample; and who it is that works."""
