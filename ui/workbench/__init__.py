"""The page on which annotators check, correct and judge one case at a time."""
