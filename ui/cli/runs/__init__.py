"""Commands that ask models, score what they answered and compare the scores."""
