"""The Training page, and the offer of it to who is new."""
