"""Results of T-Eval on the Runs page."""
