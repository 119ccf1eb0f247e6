"""Raw dialogues made by five roles, each played by a model: planned, checked, stored and resumable."""
