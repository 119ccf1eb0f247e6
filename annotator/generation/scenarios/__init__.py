"""What steers the requests of a run: scenarios from files."""
