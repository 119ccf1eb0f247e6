"""T-Eval: six abilities of a model, each measured on its own from verified solutions (arXiv 2312.14033)."""
