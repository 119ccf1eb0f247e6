"""Differences on screen: words, JSON values, two versions side by side, and a whole list of changes."""

from ui.diffs.change_list import ChangeList, JsonDiffView
from ui.diffs.word_diff import SideBySide, WordDiffLabel

__all__ = ["ChangeList", "JsonDiffView", "SideBySide", "WordDiffLabel"]
