"""What is believed of replies: how they are read, which rules they must keep, how different requests are."""
