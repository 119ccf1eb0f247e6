"""Differences on screen: words, JSON values, two versions side by side, and a whole list of changes."""

from ui.diffs.differences import ChangeList, JsonDiffView, SideBySide, WordDiffLabel

__all__ = ["ChangeList", "JsonDiffView", "SideBySide", "WordDiffLabel"]
