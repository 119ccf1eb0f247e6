"""What automatic checks notice about a case."""
