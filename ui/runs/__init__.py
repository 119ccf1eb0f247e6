"""The runs: how models did on the cases, where they failed, and how two of them differ."""
