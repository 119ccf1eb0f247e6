"""The dialogue of a case: cards for every step, read and edited in place."""
