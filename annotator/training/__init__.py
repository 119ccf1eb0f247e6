"""Learning to judge: training cases, feedback against their gold, and how far each person is."""
