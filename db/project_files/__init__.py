"""A project as a file: where it lies, whether it is one of ours, and files under construction."""
