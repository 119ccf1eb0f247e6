"""The `annotator` command, one small file per command group."""
