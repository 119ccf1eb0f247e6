"""The coverage page."""
