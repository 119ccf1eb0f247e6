"""The window around the pages: header, rail, footer, and everything that happens between pages."""

from ui.main_window.window import MainWindow

__all__ = ["MainWindow"]
