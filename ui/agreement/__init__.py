"""The agreement: how far raters agree, on what they do not, and how right each stage left the cases."""
