"""The published lines: C3-Bench, MMTB and WildToolBench (formats 2-5)."""
