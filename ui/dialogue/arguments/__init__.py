"""The editor of a call's arguments: one model of the typed text, shown as JSON, as a form, or as both."""
