"""T-Eval beside a release: items and scores on disk, models asked, results and their pictures."""
