"""The coverage: which policy sequences, information types and tools the cases have, and which they lack."""
