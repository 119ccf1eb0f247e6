"""Two versions of a case: how they differ, and how they are merged."""
