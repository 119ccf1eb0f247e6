"""Toolsets: read from files, checked, and made better by people."""
