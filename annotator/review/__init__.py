"""The review process: who gets which case next and what becomes of what they say."""
