"""What is remembered: the only floor that speaks SQL."""
