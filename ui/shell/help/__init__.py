"""What the window explains: the guide, and the words of the guidelines beside the work."""
