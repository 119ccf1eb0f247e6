"""Where argument values come from: citations, their proposals, and the passages they cite."""
