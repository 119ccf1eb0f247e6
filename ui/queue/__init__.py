"""The queue: where cases are found, taken, imported and assigned."""
