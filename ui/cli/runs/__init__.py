"""Commands that freeze releases, ask models, score what they answered and compare the scores."""
