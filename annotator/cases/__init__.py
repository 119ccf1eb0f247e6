"""Cases: how they come in, change, are checked and remembered."""
