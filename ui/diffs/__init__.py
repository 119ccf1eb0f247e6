"""Differences on screen: words, JSON values, two versions side by side, and a whole list of changes."""

from ui.diffs.change_list import ChangeList
from ui.diffs.json_diff import JsonDiffView
from ui.diffs.side_by_side import SideBySide
from ui.diffs.word_diff import WordDiffLabel

__all__ = ["ChangeList", "JsonDiffView", "SideBySide", "WordDiffLabel"]
