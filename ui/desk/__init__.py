"""A case on the screen with its drawing and what is said about both, to edit or only to read."""
