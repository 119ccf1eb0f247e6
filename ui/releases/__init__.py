"""The releases: what was frozen, freezing, checking and comparing."""
