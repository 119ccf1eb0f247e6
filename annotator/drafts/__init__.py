"""An unfinished judgment: its state, what is open in it, and how it follows edits and merges."""
